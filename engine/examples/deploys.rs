//! A whole host: a fact that is asked for only when a rule needs it, and a counter that lasts.
//! Run it three times: `cargo run -p oar-engine --features sqlite --example deploys -- deploys.db`.
use oar_engine::observe::{FactProvider, FactValue, Occurrence, ProviderFailure};
use oar_engine::{Host, Loader, Session, Source, ToolCall};
use oar_engine::{load::CapabilityBuilder, state::SqliteStore};

struct Directory;

impl FactProvider for Directory {
    fn fact(&self, name: &str, _: &Occurrence<'_>) -> Result<Option<FactValue>, ProviderFailure> {
        Ok((name == "acme.owner").then(|| "ann".into())) // look it up here
    }
}

const RULES: &str = "{oar: '1.0', id: DEPLOYS, kind: policy, anchor: tool.pre_invoke, effect: warn,
  requires: {profiles: [tool], facts: [acme.owner]}, selector: {tool: [deploy]},
  when: acme.owner == 'ann', on_fire: [increment_counter]}
---
{oar: '1.0', id: ENOUGH, kind: policy, anchor: tool.pre_invoke, effect: block,
  requires: {profiles: [tool]}, selector: {tool: [deploy]}, when: fire_count_of('DEPLOYS') >= 2}";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let capability = CapabilityBuilder::new("acme")
        .core_anchor("tool.pre_invoke", "before_tool")
        .profile("tool")
        .fact("acme.owner", "string", "Who owns the repository at hand.");
    let loader = Loader::new(capability.source()).rules(Source::yaml("deploys.yaml", RULES));
    let rules = loader.load()?.rules;
    let path = std::env::args().nth(1).unwrap_or_else(|| "deploys.db".to_owned());
    let host = Host::new().provider(Directory).store(SqliteStore::open(path)?);
    let mut session = Session::new("session-1");
    let arguments = serde_json::Map::new();
    let mut occurrence = rules.occurrence("before_tool")?;
    occurrence.tool_call(ToolCall::new("deploy", &arguments));
    println!("{}", host.decide(&mut session, &occurrence).decision());
    Ok(())
}
