//! What no fixture can reach: providers, stores and streams that fail, and what they are asked.

mod asking;
mod observed;
mod shown;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value as Json, json};

use super::{Decision, Host, Outcome};
use crate::ToolCall;
use crate::document::rule::Action;
use crate::fixtures::{capability, load, rule};
use crate::load::{Loader, RuleSet, Source};
use crate::observe::{
    Detector, DetectorFailure, FactProvider, FactValue, Observations, Occurrence, ProviderFailure,
};
use crate::state::{
    ActivityStore, CounterChange, CounterKey, CounterStore, Counters, Event, EventError, EventSink,
    MemoryCounters, Session, StoreError,
};

fn rules(rules: Vec<Json>) -> RuleSet {
    load(&["tool", "session"], rules).unwrap().rules
}

fn trace(outcome: &Outcome<'_>) -> Vec<String> {
    outcome.trace().map(|entry| entry.to_string()).collect()
}

/// A store whose reads or writes fail when told to.
#[derive(Default)]
struct Faulty {
    inner: MemoryCounters,
    read_fails: bool,
    apply_fails: bool,
    reads: AtomicUsize,
}

impl CounterStore for Faulty {
    fn read(
        &self,
        session: &str,
        keys: &[CounterKey<'_>],
        values: &mut [Counters],
    ) -> Result<(), StoreError> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        if self.read_fails {
            Err(StoreError::new("gone"))
        } else {
            self.inner.read(session, keys, values)
        }
    }

    fn apply(
        &self,
        session: &str,
        key: CounterKey<'_>,
        actions: &[Action],
        publish: &mut dyn FnMut() -> Result<(), EventError>,
    ) -> Result<CounterChange, StoreError> {
        if self.apply_fails {
            Err(StoreError::new("full"))
        } else {
            self.inner.apply(session, key, actions, publish)
        }
    }
}

/// A stream that keeps records, or refuses all of them.
#[derive(Default)]
struct Stream {
    refuses: bool,
    kept: Mutex<Vec<String>>,
}

impl EventSink for Stream {
    fn publish(&self, events: &[Event<'_>]) -> Result<(), EventError> {
        if self.refuses {
            return Err(EventError::new("closed"));
        }
        let told = events.iter().map(|own| format!("{} {} {}", own.session, own.rule, own.anchor));
        self.kept.lock().unwrap().extend(told);
        Ok(())
    }
}

/// [OAR-FIRE-9]: under each `on_error`, for each thing that can refuse.
#[test]
fn a_side_effect_that_cannot_be_applied_makes_the_rule_errored() {
    let full = || Host::new().counters(Arc::new(Faulty { apply_fails: true, ..Faulty::default() }));
    let closed = || Host::new().events(Arc::new(Stream { refuses: true, ..Stream::default() }));
    let cases: [(&str, Host, Json); 4] = [
        ("full", full(), json!(["increment_counter"])),
        ("full", full(), json!(["publish_event", "reset_breaker"])),
        ("closed", closed(), json!(["publish_event"])),
        ("closed", closed(), json!(["increment_counter", "publish_event"])),
    ];
    for (reason, host, on_fire) in cases {
        for (on_error, decision, named, later) in [
            ("fail_closed", Decision::Block, Some("t/A"), false),
            ("fail_open", Decision::Nudge, Some("t/LATER"), true),
            ("SUBSTITUTE", Decision::Block, Some("t/SUBSTITUTE"), false),
        ] {
            let rules = rules(vec![
                rule(
                    "A",
                    json!({"on_fire": on_fire, "on_error": on_error, "overrides": ["LATER"]}),
                ),
                rule("LATER", json!({"effect": "nudge"})),
                rule("SUBSTITUTE", json!({"anchor": "model.output"})),
            ]);
            let occurrence = rules.occurrence("tool.pre_invoke").unwrap();
            let mut session = Session::new("s");
            let outcome = host.decide(&mut session, &occurrence);
            assert_eq!(
                (outcome.decision(), outcome.rule()),
                (decision, named),
                "{on_fire} {on_error}"
            );
            let mut expected = vec!["t/A:errored"];
            expected.extend(later.then_some("t/LATER:fired"));
            assert_eq!(trace(&outcome), expected, "no suppression by a rule that did not fire");
            assert_eq!(
                outcome.on_fire().count() + outcome.counters().count() + outcome.events().count(),
                0
            );
            let failure = outcome.trace().next().unwrap().failure.unwrap().to_string();
            assert_eq!(failure, format!("a side-effect could not be applied: {reason}"));
        }
    }
}

/// A refused event leaves the counter of the same rule as it was: the actions are one unit.
#[test]
fn a_refused_event_leaves_the_counters_alone() {
    let store = Arc::new(Faulty::default());
    let stream = Arc::new(Stream { refuses: true, ..Stream::default() });
    let host = Host::new().counters(Arc::clone(&store)).events(stream);
    let rules = rules(vec![rule(
        "A",
        json!({"on_fire": ["increment_counter", "publish_event"], "on_error": "fail_open"}),
    )]);
    let occurrence = rules.occurrence("tool.pre_invoke").unwrap();
    host.decide(&mut Session::new("s"), &occurrence);
    let mut values = [Counters { fire_count: 7, breaker_count: 7 }];
    store.read("s", &[CounterKey { rule: "t/A", scope: None }], &mut values).unwrap();
    assert_eq!(values, [Counters::default()]);
}

/// What was applied before an error block stands, and is reported.
#[test]
fn effects_applied_before_an_error_block_stand() {
    let rules = rules(vec![
        rule("A", json!({"on_fire": ["increment_counter", "publish_event"]})),
        rule("B", json!({"when": "1 / 0 == 0"})),
    ]);
    let stream = Arc::new(Stream::default());
    let host = Host::new().events(Arc::clone(&stream));
    let occurrence = rules.occurrence("tool.pre_invoke").unwrap();
    let outcome = host.decide(&mut Session::new("s"), &occurrence);
    assert_eq!(outcome.rule(), Some("t/B"));
    assert!(outcome.is_error_block());
    let report = outcome.report();
    assert_eq!(report.on_fire, ["increment_counter", "publish_event"]);
    assert_eq!(report.counters["t/A"]["fire_count"], 1);
    assert_eq!(*stream.kept.lock().unwrap(), ["s t/A tool.pre_invoke"]);
}

/// A failing read fails the rules that consume a counter, in their turn, and no others.
#[test]
fn unreadable_counters_fail_only_the_rules_that_consume_them() {
    let store = Arc::new(Faulty { read_fails: true, ..Faulty::default() });
    let host = Host::new().counters(Arc::clone(&store));
    let rules = rules(vec![
        rule("A_PLAIN", json!({"effect": "allow"})),
        rule("B_SKIPS", json!({"when": "false && fire_count > 0"})),
        rule("C_READS", json!({"when": "fire_count == 0", "on_error": "fail_open"})),
        rule(
            "D_READS_OTHER",
            json!({"when": "fire_count_of('A_PLAIN') == 0", "on_error": "fail_open"}),
        ),
        rule("E_COPY", json!({"copy": {"what": "{{ breaker_count }}"}, "on_error": "fail_open"})),
        rule("F_WATCHES", json!({"when": "fire_count == 0", "enforcement": "monitor"})),
    ]);
    let occurrence = rules.occurrence("tool.pre_invoke").unwrap();
    let outcome = host.decide(&mut Session::new("s"), &occurrence);
    assert_eq!(
        trace(&outcome),
        [
            "t/A_PLAIN:fired",
            "t/B_SKIPS:passed",
            "t/C_READS:errored",
            "t/D_READS_OTHER:errored",
            "t/E_COPY:errored",
            "t/F_WATCHES:monitored_errored"
        ]
    );
    assert_eq!(outcome.decision(), Decision::None);
    assert_eq!(store.reads.load(Ordering::Relaxed), 1, "one snapshot, not a read for each rule");
}

#[test]
fn no_counter_is_read_when_no_selected_rule_has_one() {
    let store = Arc::new(Faulty::default());
    let host = Host::new().counters(Arc::clone(&store));
    let rules = rules(vec![
        rule("A", json!({})),
        rule("B", json!({"anchor": "model.output", "when": "fire_count > 0"})),
    ]);
    host.decide(&mut Session::new("s"), &rules.occurrence("tool.pre_invoke").unwrap());
    assert_eq!(store.reads.load(Ordering::Relaxed), 0);
}

/// Answers by name, and remembers what it was asked.
#[derive(Default)]
struct Scripted {
    asked: Mutex<Vec<String>>,
}

impl Scripted {
    fn answer(name: &str) -> Result<Option<FactValue>, ProviderFailure> {
        match name {
            "acme.string" => Ok(Some("one".into())),
            "acme.list" => Ok(Some(vec!["one".to_owned()].into())),
            "acme.int" => Ok(Some("not an int".into())),
            "acme.double" => Ok(Some(f64::NAN.into())),
            "acme.bool" => Err(ProviderFailure::new("no answer")),
            "acme.ask" => Ok(Some(3_i64.into())),
            _ => Ok(None),
        }
    }
}

impl FactProvider for Scripted {
    fn fact(&self, name: &str, _: &Occurrence<'_>) -> Result<Option<FactValue>, ProviderFailure> {
        self.asked.lock().unwrap().push(name.to_owned());
        Scripted::answer(name)
    }

    fn call(
        &self,
        name: &str,
        argument: oar_expr::Value<'_>,
        _: &Occurrence<'_>,
    ) -> Result<Option<FactValue>, ProviderFailure> {
        self.asked.lock().unwrap().push(format!("{name}({argument:?})"));
        Scripted::answer(name)
    }
}

/// Decides one occurrence with [`Scripted`]: the trace and what was asked.
fn scripted(
    set: Vec<Json>,
    supply: impl FnOnce(&mut Occurrence<'_>),
) -> (Vec<String>, Vec<String>) {
    let rules = rules(set);
    let provider = Arc::new(Scripted::default());
    let host = Host::new().provider(Arc::clone(&provider));
    let mut occurrence = rules.occurrence("tool.pre_invoke").unwrap();
    supply(&mut occurrence);
    let outcome = host.decide(&mut Session::new("s"), &occurrence);
    let asked = provider.asked.lock().unwrap().clone();
    (trace(&outcome), asked)
}

fn needs(facts: &[&str], more: Json) -> Json {
    let mut members = json!({"requires": {"facts": facts}, "on_error": "fail_open"});
    members.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    members
}

/// [OAR-FACT-11]: once for each fact, and only when something consumes it.
#[test]
fn a_provider_is_asked_once_and_only_when_a_value_is_consumed() {
    let facts = ["acme.string", "acme.list", "acme.ask", "acme.int"];
    let (trace, asked) = scripted(
        vec![
            rule("A", needs(&facts, json!({"when": "acme.string == 'one' && acme.string != ''"}))),
            rule("B", needs(&facts, json!({"when": "acme.string == 'two' && acme.int == 1"}))),
            rule(
                "C",
                needs(
                    &facts,
                    json!({"when": "acme.ask('x') == 3 && acme.ask('x') == 3 && acme.ask('y') == 3"}),
                ),
            ),
            rule("D", needs(&facts, json!({"flow": ["never"], "when": "acme.int == 1"}))),
            rule("E", needs(&facts, json!({"anchor": "model.output", "when": "acme.int == 1"}))),
            rule("F", needs(&facts, json!({"copy": {"what": "{{ acme.list }}"}}))),
        ],
        |_| {},
    );
    assert_eq!(trace, ["t/A:fired", "t/B:passed", "t/C:fired", "t/D:passed", "t/F:fired"]);
    assert_eq!(asked, ["acme.string", "acme.ask(\"x\")", "acme.ask(\"y\")", "acme.list"]);
}

/// A clause that plainly does not match decides before a provider is asked.
#[test]
fn a_selector_asks_a_provider_last() {
    let facts = ["acme.string", "acme.list"];
    let set = |tool: &str| {
        vec![rule(
            "A",
            json!({"requires": {"profiles": ["tool"], "facts": facts}, "on_error": "fail_open",
                "selector": {"acme.list": ["one"], "tool": [tool], "acme.string": ["one"]}}),
        )]
    };
    let supply = |occurrence: &mut Occurrence<'_>| {
        occurrence.fact("tool", "read").unwrap();
    };
    let (trace, asked) = scripted(set("write"), supply);
    assert_eq!((trace.len(), asked.len()), (0, 0));
    let (trace, asked) = scripted(set("read"), supply);
    assert_eq!(trace, ["t/A:fired"]);
    assert_eq!(asked, ["acme.list", "acme.string"]);
}

/// [OAR-FACT-23], [OAR-FACT-26]: neither coerced nor read as a zero.
#[test]
fn wrong_and_failing_answers_fail_the_rules_that_consume_them() {
    let facts = ["acme.int", "acme.double", "acme.bool", "acme.string"];
    let (trace, _) = scripted(
        vec![
            rule("A", needs(&facts, json!({"when": "acme.int == 0"}))),
            rule("B", needs(&facts, json!({"when": "acme.double > 0.5"}))),
            rule("C", needs(&facts, json!({"when": "!acme.bool"}))),
            rule("D", needs(&facts, json!({"when": "true || acme.bool"}))),
            rule("E", needs(&facts, json!({"copy": {"what": "{% if acme.bool %}x{% endif %}"}}))),
            rule("F", needs(&facts, json!({"enforcement": "monitor", "when": "acme.bool"}))),
        ],
        |_| {},
    );
    let expected =
        ["A:errored", "B:errored", "C:errored", "D:fired", "E:errored", "F:monitored_errored"];
    assert_eq!(trace, expected.map(|entry| format!("t/{entry}")));
}

/// Published values win over the provider, and the provider over the tool call.
#[test]
fn supplied_values_win_over_provided_ones() {
    let rule = rule("A", needs(&["acme.string"], json!({"when": "acme.string == 'mine'"})));
    let (trace, asked) = scripted(vec![rule], |occurrence| {
        occurrence.fact("acme.string", "mine").unwrap();
    });
    assert_eq!(trace, ["t/A:fired"]);
    assert!(asked.is_empty());
}

/// A scope that a provider produces is asked for when the counter is consumed, not before.
#[test]
fn a_provided_scope_is_asked_for_when_its_counter_is_consumed() {
    let facts = ["acme.string"];
    let scoped = |more: Json| {
        let mut members = needs(&facts, json!({"counter_scope": "acme.string"}));
        members.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        members
    };
    let (_, asked) =
        scripted(vec![rule("A", scoped(json!({"when": "false && fire_count > 0"})))], |_| {});
    assert!(asked.is_empty(), "{asked:?}");
    let (_, asked) =
        scripted(vec![rule("A", scoped(json!({"on_fire": ["increment_counter"]})))], |_| {});
    assert_eq!(asked, ["acme.string"]);
}

/// Reports a value under a name.
struct Reports(&'static str, i64);

impl Detector for Reports {
    fn observe(&self, _: &Occurrence<'_>) -> Result<Observations, DetectorFailure> {
        Ok(Observations::new().with(self.0, self.1))
    }
}

/// A detector that reports what the host does not declare, or a counter, has failed.
#[test]
fn a_detector_reports_declared_facts_alone() {
    for (name, outcome) in
        [("acme.int", "fired"), ("acme.itn", "errored"), ("fire_count", "errored")]
    {
        let more = json!({"kind": "detector", "detector": {"ref": "detector://fixture"}, "when": "acme.int == 7"});
        let rules = rules(vec![rule("A", needs(&["acme.int"], more))]);
        let host = Host::new().detector("detector://fixture", Reports(name, 7));
        let occurrence = rules.occurrence("tool.pre_invoke").unwrap();
        let decided = host.decide(&mut Session::new("s"), &occurrence);
        assert_eq!(trace(&decided), [format!("t/A:{outcome}")], "{name}");
    }
}

/// Deciding is shared between threads without a lock of the engine's own.
#[test]
fn sets_and_hosts_are_shared_between_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    let rules = rules(vec![rule("A", json!({"on_fire": ["increment_counter"]}))]);
    let host = Host::new();
    shared(&rules);
    shared(&host);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..100 {
                    let occurrence = rules.occurrence("tool.pre_invoke").unwrap();
                    host.decide(&mut Session::new("shared"), &occurrence);
                }
            });
        }
    });
    let mut values = [Counters::default()];
    host.counters.read("shared", &[CounterKey { rule: "t/A", scope: None }], &mut values).unwrap();
    assert_eq!(values[0].fire_count, 400);
}

/// A provider that decides another occurrence on the same thread does not disturb this one.
#[test]
fn a_provider_may_decide_an_occurrence_of_its_own() {
    struct Nested(RuleSet);
    impl FactProvider for Nested {
        fn fact(&self, _: &str, _: &Occurrence<'_>) -> Result<Option<FactValue>, ProviderFailure> {
            let occurrence = self.0.occurrence("tool.pre_invoke").unwrap();
            let host = Host::new();
            let outcome = host.decide(&mut Session::new("inner"), &occurrence);
            Ok(Some(outcome.decision().name().into()))
        }
    }
    let inner = rules(vec![rule("INNER", json!({"when": "1 + 1 == 2", "effect": "block"}))]);
    let outer = rules(vec![rule(
        "A",
        needs(&["acme.string"], json!({"when": "'x' + acme.string == 'xblock'"})),
    )]);
    let host = Host::new().provider(Nested(inner));
    let outcome_of = outer.occurrence("tool.pre_invoke").unwrap();
    assert_eq!(trace(&host.decide(&mut Session::new("s"), &outcome_of)), ["t/A:fired"]);
}

/// Content that a host put together from parts goes back into them: nothing moves over a boundary.
#[test]
fn transformed_content_is_told_in_the_parts_that_it_came_in() {
    let transform = |action: &str, target: &str, replacement: &str| {
        let requires = if target == "content" { json!({}) } else { json!({"facts": [target]}) };
        json!({"effect": "transform", "requires": requires,
            "transform": {"action": action, "target": target, "replacement": replacement}})
    };
    let parts = |members: Json, spans: Json, lengths: &[usize]| -> Option<Vec<String>> {
        let rules = rules(vec![rule("A", members)]);
        let mut occurrence = rules.occurrence("tool.pre_invoke").unwrap();
        occurrence.content("abcdéf").fact("acme.spans", spans).unwrap();
        let host = Host::new();
        let mut session = Session::new("s");
        host.decide(&mut session, &occurrence).content_parts(lengths)
    };
    let spans = |spans: &[(u32, u32)]| -> Json {
        spans.iter().map(|(start, end)| json!({"start": start, "end": end})).collect()
    };
    let some =
        |parts: &[&str]| Some(parts.iter().map(|part| (*part).to_owned()).collect::<Vec<_>>());
    let redact = || transform("redact", "acme.spans", "#");
    let annotate = || transform("annotate", "acme.spans", "#");
    for (members, given, lengths, wanted) in [
        (redact(), spans(&[(1, 2), (4, 5)]), &[3, 0, 3][..], some(&["a#c", "", "d#f"])),
        (redact(), spans(&[(2, 5)]), &[3, 0, 3], some(&["ab#", "", "#f"])),
        (redact(), spans(&[(0, 6)]), &[2, 2, 2], some(&["#", "#", "#"])),
        (
            transform("replace", "content", "#"),
            spans(&[]),
            &[0, 4, 2, 0],
            some(&["", "#", "#", ""]),
        ),
        (annotate(), spans(&[(0, 3), (4, 6)]), &[3, 3, 0], some(&["abc", "#déf#", ""])),
        (redact(), spans(&[]), &[6], some(&["abcdéf"])),
        (json!({"effect": "warn"}), spans(&[(0, 1)]), &[6], None),
    ] {
        assert_eq!(parts(members.clone(), given.clone(), lengths), wanted, "{members} {given}");
    }
}

/// One rule may override more rules than usual ones do ([OAR-OPS-10]).
#[test]
fn a_rule_suppresses_many_others_and_no_more() {
    let names: Vec<String> = (0..20).map(|number| format!("S{number:02}")).collect();
    let mut all = vec![rule("FIRST", json!({"overrides": names})), rule("STANDS", json!({}))];
    all.extend(names.iter().map(|name| rule(name, json!({}))));
    let set = rules(all);
    let host = Host::new();
    let occurrence = set.occurrence("tool.pre_invoke").unwrap();
    let mut session = Session::new("s");
    let traced = trace(&host.decide(&mut session, &occurrence));
    let suppressed = traced.iter().filter(|entry| entry.ends_with(":suppressed")).count();
    assert_eq!(suppressed, 20, "{traced:?}");
    assert!(traced.contains(&"t/STANDS:fired".to_owned()), "{traced:?}");
    assert_eq!(traced[0], "t/FIRST:fired");
}

/// Counts the steps that are appended.
#[derive(Default)]
struct Steps(Mutex<Vec<String>>);

impl ActivityStore for Steps {
    fn recent(&self, _: &str, _: usize) -> Result<Vec<String>, StoreError> {
        Ok(self.0.lock().unwrap().clone())
    }

    fn admit(&self, _: &str, tool: &str, _: usize) -> Result<(), StoreError> {
        self.0.lock().unwrap().push(tool.to_owned());
        Ok(())
    }
}

/// A host without an activity window has no steps to keep ([OAR-PROF-9]).
#[test]
fn a_store_of_steps_is_asked_only_where_there_is_a_window() {
    for (window, kept) in [(0, &[][..]), (1, &["read"])] {
        let mut document = capability(&["tool"]);
        document["activity_window"] = json!(window);
        let loader = Loader::new(Source::value("capability", document));
        let set = loader.rules(Source::value("rules", rule("A", json!({})))).load().unwrap().rules;
        let steps = Arc::new(Steps::default());
        let host = Host::new().activity(Arc::clone(&steps));
        let arguments = serde_json::Map::new();
        let mut occurrence = set.occurrence("tool.pre_invoke").unwrap();
        occurrence.tool_call(ToolCall::new("read", &arguments));
        let mut session = Session::new("s");
        let decision = host.decide(&mut session, &occurrence).decision();
        assert_eq!(decision, Decision::Warn);
        assert_eq!(*steps.0.lock().unwrap(), kept, "{window}");
    }
}
