//! Host code that panics, comes too late or hands over too much fails the rule that asked, and
//! nothing else ([OAR-OPS-3], [OAR-FIRE-9]).

#![expect(clippy::expect_used, clippy::panic, reason = "a test may stop, and hosts may panic here")]

use std::sync::Arc;
use std::time::Duration;

use oar_engine::decide::Bounds;
use oar_engine::document::rule::Action;
use oar_engine::observe::{
    Detector, DetectorFailure, FactProvider, FactValue, Observations, Occurrence, ProviderFailure,
};
use oar_engine::state::{
    CounterChange, CounterKey, CounterStore, Counters, Event, EventError, EventSink,
    MemoryCounters, StoreError,
};
use oar_engine::{Host, Loader, RuleSet, Session, Source};
use serde_json::json;

const CAPABILITY: &str = r#"
oar_capability_version: "1.0"
host: acme
anchors:
  core: {model.output: model.output}
  unsupported: [tool.handler, tool.pre_invoke, tool.post_invoke, agent.post_turn, agent.finalize,
    model.input, model.tool_result]
profiles: [content]
activity_window: 0
detectors: [detector://own, detector://noop]
expression_nodes_max: 256
supports_transform: true
host_facts:
  - {name: acme.map, type: map}
  - {name: acme.spans, type: list<map>}
  - {name: acme.list, type: list<string>}
  - {name: acme.labels, type: "map<string,string>"}
"#;

fn load(rule: &str) -> RuleSet {
    let rules = format!(
        "oar: '1.0'\nid: R\nanchor: model.output\n{rule}\n---\n\
         oar: '1.0'\nid: THEN\nkind: detector\nanchor: model.output\neffect: nudge\n\
         detector: {{ref: 'detector://noop'}}\n"
    );
    let loader = Loader::new(Source::yaml("capability.yaml", CAPABILITY));
    let loaded = loader.rules(Source::yaml("rules.yaml", rules)).load();
    loaded.unwrap_or_else(|error| panic!("{error}")).rules
}

/// The trace and the failures.
fn decide(rules: &RuleSet, host: &Host, content: &str) -> (String, String) {
    let mut session = Session::new("s");
    let mut occurrence = rules.occurrence("model.output").expect("it is declared");
    occurrence.content(content);
    let outcome = host.decide(&mut session, &occurrence);
    let trace: Vec<String> = outcome.trace().map(|entry| entry.to_string()).collect();
    let failures: Vec<String> =
        outcome.trace().filter_map(|entry| entry.failure.map(ToString::to_string)).collect();
    (trace.join(" "), failures.join(" "))
}

struct Panics;

impl Detector for Panics {
    fn observe(&self, _: &Occurrence<'_>) -> Result<Observations, DetectorFailure> {
        panic!("no model")
    }
}

impl FactProvider for Panics {
    fn fact(&self, _: &str, _: &Occurrence<'_>) -> Result<Option<FactValue>, ProviderFailure> {
        panic!("no {}", "directory")
    }
}

impl EventSink for Panics {
    fn publish(&self, _: &[Event<'_>]) -> Result<(), EventError> {
        panic!("no disk")
    }
}

impl CounterStore for Panics {
    fn read(&self, _: &str, _: &[CounterKey<'_>], _: &mut [Counters]) -> Result<(), StoreError> {
        panic!("no table")
    }

    fn apply(
        &self,
        _: &str,
        _: CounterKey<'_>,
        _: &[Action],
        _: &mut dyn FnMut() -> Result<(), EventError>,
    ) -> Result<CounterChange, StoreError> {
        panic!("no table")
    }
}

const DETECTOR: &str =
    "kind: detector\neffect: warn\ndetector: {ref: 'detector://own'}\non_error: fail_open";
const FACT: &str = "kind: policy\neffect: warn\nrequires: {facts: [acme.map]}\n\
    when: \"'a' in acme.map\"\non_error: fail_open";
const LIST: &str = "kind: policy\neffect: warn\nrequires: {facts: [acme.list]}\n\
    when: \"'a' in acme.list\"\non_error: fail_open";
const LABELS: &str = "kind: policy\neffect: warn\nrequires: {facts: [acme.labels]}\n\
    when: \"'a' in acme.labels\"\non_error: fail_open";
const COUNTER: &str =
    "kind: policy\neffect: warn\non_fire: [increment_counter, publish_event]\non_error: fail_open";

#[test]
fn a_panic_is_the_failure_of_who_panicked() {
    let cases = [
        (
            DETECTOR,
            Host::new().detector("detector://own", Panics),
            "`detector://own` failed: it panicked",
        ),
        (FACT, Host::new().provider(Panics), "`acme.map` could not be produced: it panicked"),
        (COUNTER, Host::new().counters(Panics), "a side-effect could not be applied: it panicked"),
        (COUNTER, Host::new().events(Panics), "a side-effect could not be applied: it panicked"),
        (
            "kind: policy\neffect: warn\nwhen: fire_count > 0\non_error: fail_open",
            Host::new().counters(Panics),
            "the counters could not be read: it panicked",
        ),
    ];
    for (rule, host, failure) in cases {
        let told = decide(&load(rule), &host, "");
        assert_eq!(told, ("R:errored THEN:fired".to_owned(), failure.to_owned()));
    }
}

#[test]
fn a_sink_that_panics_leaves_the_counter_alone() {
    let store = Arc::new(MemoryCounters::new());
    let host = Host::new().counters(Arc::clone(&store)).events(Panics);
    decide(&load(COUNTER), &host, "");
    let mut values = [Counters::default()];
    let key = CounterKey { rule: "R", scope: None };
    store.read("s", &[key], &mut values).expect("memory can be read");
    assert_eq!(values, [Counters::default()]);
}

struct Slow;

impl Detector for Slow {
    fn observe(&self, _: &Occurrence<'_>) -> Result<Observations, DetectorFailure> {
        std::thread::sleep(Duration::from_millis(30));
        Ok(Observations::new())
    }
}

#[test]
fn an_answer_that_comes_too_late_is_a_failure() {
    let mut bounds = Bounds::default();
    bounds.answer_time = Some(Duration::from_millis(5));
    let host = Host::new().detector("detector://own", Slow).bounds(bounds);
    let (trace, failure) = decide(&load(DETECTOR), &host, "");
    assert_eq!(trace, "R:errored THEN:fired");
    assert!(failure.starts_with("`detector://own` failed: it took "), "{failure}");
    assert!(failure.ends_with(" ms, and 5 ms are allotted"), "{failure}");
}

struct Gives(&'static str, serde_json::Value);

impl FactProvider for Gives {
    fn fact(&self, name: &str, _: &Occurrence<'_>) -> Result<Option<FactValue>, ProviderFailure> {
        Ok((name == self.0).then(|| self.1.clone().into()))
    }
}

#[test]
fn too_much_of_anything_fails_the_rule_that_consumes_it() {
    let spans = "kind: policy\neffect: transform\ntransform: {action: redact, target: acme.spans}\n\
        requires: {facts: [acme.spans]}\non_error: fail_open";
    let length = "kind: policy\neffect: warn\nrequires: {profiles: [content]}\n\
        when: content_length > 3\non_error: fail_open";
    let span = json!({"start": 0, "end": 1});
    let mut bounds = Bounds::default();
    bounds.content_bytes = Some(8);
    bounds.spans = Some(2);
    bounds.value_depth = Some(3);
    bounds.value_nodes = Some(8);
    let fits = "R:fired THEN:fired";
    let cases = [
        (spans, Gives("acme.spans", json!([span, span])), "text", fits, ""),
        (
            spans,
            Gives("acme.spans", json!([span, span, span])),
            "text",
            "R:errored THEN:fired",
            "`acme.spans` could not be produced: the value holds 10 values, and 8 are allowed",
        ),
        (
            spans,
            Gives("acme.spans", json!([{}, {}, {}])),
            "text",
            "R:errored THEN:fired",
            "`acme.spans` could not be produced: it holds 3 spans, and 2 are allowed",
        ),
        (
            spans,
            Gives("acme.spans", json!([span])),
            "long text",
            "R:errored THEN:errored",
            "`content` could not be produced: the content has 9 bytes, and 8 are allowed \
          `detector://noop` failed: the content has 9 bytes, and 8 are allowed",
        ),
        (length, Gives("", json!(null)), "8 bytes.", fits, ""),
        (
            length,
            Gives("", json!(null)),
            "9 bytes..",
            "R:errored THEN:errored",
            "`content_length` could not be produced: the content has 9 bytes, and 8 are allowed \
          `detector://noop` failed: the content has 9 bytes, and 8 are allowed",
        ),
        (FACT, Gives("acme.map", json!({"a": [[1]]})), "", fits, ""),
        (LIST, Gives("acme.list", json!(vec!["a"; 7])), "", fits, ""),
        (
            LIST,
            Gives("acme.list", json!(vec!["a"; 8])),
            "",
            "R:errored THEN:fired",
            "`acme.list` could not be produced: the value holds 9 values, and 8 are allowed",
        ),
        (LABELS, Gives("acme.labels", json!({"a": "1", "b": "2"})), "", fits, ""),
        (
            FACT,
            Gives("acme.map", json!({"a": [[[1]]]})),
            "",
            "R:errored THEN:fired",
            "`acme.map` could not be produced: the value nests 4 levels, and 3 are allowed",
        ),
    ];
    for (rule, gives, content, trace, failure) in cases {
        let host = Host::new().provider(gives).bounds(bounds.clone());
        assert_eq!(decide(&load(rule), &host, content), (trace.to_owned(), failure.to_owned()));
    }
}

#[test]
fn a_set_of_too_many_rules_does_not_load() {
    let rules: String = (0..3)
        .map(|n| {
            format!("---\noar: '1.0'\nid: R{n}\nkind: policy\nanchor: model.output\neffect: warn\n")
        })
        .collect();
    let loader = Loader::new(Source::yaml("capability.yaml", CAPABILITY))
        .rules(Source::yaml("rules.yaml", rules));
    assert_eq!(loader.clone().rules_max(3).load().expect("three are allowed").rules.len(), 3);
    let error = loader.rules_max(2).load().expect_err("three are too many");
    assert_eq!(error.to_string(), "limit: 3 rules are loaded, and 2 are allowed");
}
