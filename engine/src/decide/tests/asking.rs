//! Which question to a provider is a new one, and from which moment an answer is.

use std::sync::{Arc, Mutex};

use serde_json::json;

use super::{needs, rule, trace};
use crate::decide::{Host, Outcome};
use crate::fixtures::capability;
use crate::load::{Loader, RuleSet, Source};
use crate::observe::{FactProvider, FactValue, Occurrence, ProviderFailure};
use crate::state::Session;

/// Answers a function with its argument, and remembers every question.
#[derive(Default)]
struct Echo(Mutex<Vec<String>>);

impl FactProvider for Echo {
    fn fact(&self, name: &str, _: &Occurrence<'_>) -> Result<Option<FactValue>, ProviderFailure> {
        self.0.lock().unwrap().push(name.to_owned());
        Ok(Some("a".into()))
    }

    fn call(
        &self,
        name: &str,
        argument: oar_expr::Value<'_>,
        _: &Occurrence<'_>,
    ) -> Result<Option<FactValue>, ProviderFailure> {
        self.0.lock().unwrap().push(format!("{name}({argument:?})"));
        Ok(match argument {
            oar_expr::Value::Bool(value) => Some(value.into()),
            oar_expr::Value::Int(value) => Some(value.into()),
            oar_expr::Value::Double(value) => Some(value.into()),
            oar_expr::Value::String(value) => Some(value.into()),
            _ => None,
        })
    }
}

/// Rules for a host with a function of each type, which gives back what it takes.
fn echoing(rules: Vec<serde_json::Value>) -> RuleSet {
    let mut host = capability(&[]);
    let facts = host["host_facts"].as_array_mut().unwrap();
    for ty in ["bool", "int", "double", "string"] {
        facts.push(json!({"name": format!("acme.of_{ty}"), "type": format!("({ty}) -> {ty}")}));
    }
    let loader = Loader::new(Source::value("capability", host));
    loader.rules(Source::value("rules", rules.into())).load().unwrap().rules
}

/// A function is asked once for each argument, whatever its type ([OAR-FACT-11]).
#[test]
fn arguments_of_every_type_reach_the_provider_once() {
    let names = ["acme.of_bool", "acme.of_int", "acme.of_double", "acme.of_string"];
    let condition = "acme.of_bool(true) && !acme.of_bool(false) && acme.of_bool(true) \
                     && acme.of_int(3) == 3 && acme.of_int(4) == 4 && acme.of_int(3) == 3 \
                     && acme.of_double(0.5) == 0.5 && acme.of_double(0.5) == 0.5 \
                     && acme.of_string('x') == 'x' && acme.of_string('y') == 'y' \
                     && acme.of_string('x') == 'x'";
    let rules = echoing(vec![rule("A", needs(&names, json!({"when": condition})))]);
    let echo = Arc::new(Echo::default());
    let host = Host::new().provider(Arc::clone(&echo));
    let occurrence = rules.occurrence("tool.pre_invoke").unwrap();
    assert_eq!(trace(&host.decide(&mut Session::new("s"), &occurrence)), ["t/A:fired"]);
    assert_eq!(
        *echo.0.lock().unwrap(),
        [
            "acme.of_bool(true)",
            "acme.of_bool(false)",
            "acme.of_int(3)",
            "acme.of_int(4)",
            "acme.of_double(0.5)",
            "acme.of_string(\"x\")",
            "acme.of_string(\"y\")",
        ]
    );
}

/// [OAR-FIRE-6], where the counter could not be read before its own rule wrote it: its scope
/// comes from a provider, which nothing asked until the rule fired.
#[test]
fn a_counter_that_was_written_first_reads_as_it_was_before() {
    let rules = echoing(vec![
        rule(
            "A",
            needs(
                &["acme.string"],
                json!({"counter_scope": "acme.string",
                    "on_fire": ["increment_counter", "increment_breaker"]}),
            ),
        ),
        rule(
            "B",
            needs(
                &["acme.string"],
                json!({"when": "fire_count_of('A') == 1 && breaker_count_of('A') == 1"}),
            ),
        ),
    ]);
    let host = Host::new().provider(Arc::new(Echo::default()));
    let mut session = Session::new("s");
    let occurrence = rules.occurrence("tool.pre_invoke").unwrap();
    let mut traces = Vec::new();
    for _ in 0..3 {
        let outcome: Outcome<'_> = host.decide(&mut session, &occurrence);
        traces.push(trace(&outcome).join(" "));
    }
    assert_eq!(traces, ["t/A:fired t/B:passed", "t/A:fired t/B:fired", "t/A:fired t/B:passed"]);
}
