//! Fine-grained benches of this engine alone: `cargo bench -p oar-engine`, or
//! `cargo bench -p oar-engine --bench engine -- scan` for those whose names hold a word.
//!
//! Each is a question with its size. `bench/` has the same questions beside other engines, and the
//! proof that the answers are right; here a wrong answer ends the run before it is timed.
#![expect(clippy::expect_used, reason = "a bench that cannot be set up has to end")]

use divan::counter::ItemsCount;
use divan::{AllocProfiler, Bencher, black_box};
use oar_engine::load::CapabilityBuilder;
use oar_engine::observe::{JsonMap, SupplyError};
use oar_engine::{Decision, Host, Loader, Occurrence, RuleSet, Session, Source, ToolCall};
use serde_json::{Map, Value as Json, json};

#[global_allocator]
static ALLOCATIONS: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

fn capability() -> Source {
    let base = CapabilityBuilder::new("acme")
        .core_anchor("tool.pre_invoke", "tool.pre_invoke")
        .core_anchor("model.output", "model.output")
        .profile("tool");
    let numbers = ["acme.a", "acme.b", "acme.c"];
    let base = numbers.iter().fold(base, |own, name| own.fact(*name, "int", "A number."));
    base.fact("acme.x", "double", "A share.")
        .fact("acme.flag", "bool", "A switch.")
        .fact("acme.spans", "list<map>", "What was found in the content.")
        .supports_transform()
        .source()
}

fn load(rules: Source) -> RuleSet {
    Loader::new(capability()).rules(rules).load().expect("the rules are sound").rules
}

/// Rules that fire for their tool when a path has their prefix or a command their word.
fn documents(count: usize, per_tool: usize) -> Json {
    let document = |number: usize| {
        let when = format!(
            "starts_with(tool_arg_string('path'), '/srv/app{number:06}/') || \
             contains(tool_arg_string('command'), 'wipe-{number:06}')"
        );
        json!({"oar": "1.0", "id": format!("R{number:06}"), "kind": "policy",
            "anchor": "tool.pre_invoke", "requires": {"profiles": ["tool"]}, "effect": "block",
            "selector": {"tool": [format!("tool_{:05}", number / per_tool)]}, "when": when})
    };
    (0..count).map(document).collect::<Vec<_>>().into()
}

/// Calls of a tool, whose command holds this word.
fn arguments(word: &str) -> Map<String, Json> {
    let command = format!("git -C /tmp/build push --force origin {word}");
    Map::from_iter([
        ("path".to_owned(), "/home/agent/work/src/handler.rs".into()),
        ("command".to_owned(), command.into()),
    ])
}

fn decides(bencher: Bencher<'_, '_>, rules: &RuleSet, tool: &str, word: &str, wanted: Decision) {
    let (host, mut session) = (Host::new(), Session::new("bench"));
    let anchor = rules.anchor("tool.pre_invoke").expect("a declared anchor");
    let arguments = arguments(word);
    let mut decide = || {
        let mut occurrence = Occurrence::at_anchor(rules, anchor).expect("an anchor of this set");
        occurrence.tool_call(ToolCall::new(black_box(tool), black_box(&arguments)));
        let outcome = host.decide(&mut session, &occurrence);
        let entries = outcome.trace().count();
        (outcome.decision(), entries)
    };
    assert_eq!(decide().0, wanted);
    bencher.bench_local(decide);
}

/// Five rules on the tool of the call, none of which fires.
#[divan::bench(args = [10, 1_000, 10_000])]
fn select(bencher: Bencher<'_, '_>, rules: usize) {
    let rules = load(Source::value("rules", documents(rules, 5)));
    decides(bencher, &rules, "tool_00001", "release", Decision::None);
}

/// The same, and one fires.
#[divan::bench(args = [10, 1_000, 10_000])]
fn select_one_fires(bencher: Bencher<'_, '_>, rules: usize) {
    let rules = load(Source::value("rules", documents(rules, 5)));
    decides(bencher, &rules, "tool_00001", "wipe-000007", Decision::Block);
}

/// Every rule on the tool of the call; the last fires.
#[divan::bench(args = [10, 1_000, 10_000])]
fn scan(bencher: Bencher<'_, '_>, rules: usize) {
    let last = format!("wipe-{:06}", rules - 1);
    let rules = load(Source::value("rules", documents(rules, rules)));
    decides(bencher, &rules, "tool_00000", &last, Decision::Block);
}

/// One condition of 20 nodes over numbers.
#[divan::bench]
fn expr(bencher: Bencher<'_, '_>) {
    const NAMES: [&str; 5] = ["acme.a", "acme.b", "acme.c", "acme.x", "acme.flag"];
    let rule = json!({"oar": "1.0", "id": "R", "kind": "policy", "anchor": "tool.pre_invoke",
        "requires": {"facts": NAMES}, "effect": "block",
        "when": "acme.a + acme.b * 2 > 10 && acme.x < 0.5 || acme.c - 1 == 3 && !acme.flag"});
    let rules = load(Source::value("rule", rule));
    let [a, b, c, x, flag] = NAMES.map(|name| rules.fact(name).expect("a declared fact"));
    let anchor = rules.anchor("tool.pre_invoke").expect("a declared anchor");
    let (host, mut session) = (Host::new(), Session::new("bench"));
    let mut decide = || {
        let mut occurrence = Occurrence::at_anchor(&rules, anchor)?;
        occurrence.set(a, black_box(5))?.set(b, black_box(2))?.set(c, black_box(4))?;
        occurrence.set(x, black_box(0.25))?.set(flag, black_box(false))?;
        Ok::<_, SupplyError>(host.decide(&mut session, &occurrence).decision())
    };
    assert_eq!(decide(), Ok(Decision::Block));
    bencher.bench_local(decide);
}

/// Content of so many KiB of more bytes than code points, with a span every 200 code points.
#[divan::bench(args = [16, 64, 256])]
fn transform(bencher: Bencher<'_, '_>, kib: usize) {
    let rule = json!({"oar": "1.0", "id": "R", "kind": "policy", "anchor": "model.output",
        "requires": {"facts": ["acme.spans"]}, "effect": "transform",
        "transform": {"action": "redact", "target": "acme.spans"}});
    let rules = load(Source::value("rule", rule));
    let content = "größte Übersicht – naïve 東京 and plain words; ".repeat((kib << 10) / 56);
    let points = content.chars().count();
    let span = |start: usize| match json!({"start": start, "end": start + 6}) {
        Json::Object(span) => Some(JsonMap::new(span)),
        _ => None,
    };
    let spans: Vec<JsonMap> = (0..points - 6).step_by(200).filter_map(span).collect();
    let fact = rules.fact("acme.spans").expect("a declared fact");
    let anchor = rules.anchor("model.output").expect("a declared anchor");
    let (host, mut session) = (Host::new(), Session::new("bench"));
    let mut redact = || {
        let mut occurrence = Occurrence::at_anchor(&rules, anchor)?;
        occurrence.content(black_box(&content)).set(fact, black_box(&spans))?;
        let outcome = host.decide(&mut session, &occurrence);
        Ok::<_, SupplyError>(outcome.content().map(|text| text.chars().count()))
    };
    // `[REDACTED]` is four code points longer than what it replaces.
    assert_eq!(redact(), Ok(Some(points + 4 * spans.len())));
    bencher.bench_local(redact);
}

/// A thousand rules from each kind of source.
mod loading {
    use super::{Bencher, ItemsCount, Json, Source, black_box, documents};

    const RULES: usize = 1_000;

    fn loads(bencher: Bencher<'_, '_>, source: impl Fn() -> Source + Sync) {
        bencher.counter(ItemsCount::new(RULES)).bench(|| super::load(black_box(source())));
    }

    #[divan::bench]
    fn from_json_text(bencher: Bencher<'_, '_>) {
        let text = documents(RULES, 5).to_string();
        loads(bencher, || Source::json("rules.json", text.as_str()));
    }

    /// JSON in flow style is YAML, too; block style is what people write.
    #[divan::bench]
    fn from_yaml_text(bencher: Bencher<'_, '_>) {
        let Json::Array(documents) = documents(RULES, 5) else { return };
        let members = |document: &Json| {
            let members = document.as_object().into_iter().flatten();
            let lines = members.map(|(name, value)| format!("{name}: {value}\n"));
            format!("---\n{}", lines.collect::<String>())
        };
        let text: String = documents.iter().map(members).collect();
        loads(bencher, || Source::yaml("rules.yaml", text.as_str()));
    }

    #[divan::bench]
    fn from_values(bencher: Bencher<'_, '_>) {
        let documents = documents(RULES, 5);
        loads(bencher, || Source::value("rules", documents.clone()));
    }
}
