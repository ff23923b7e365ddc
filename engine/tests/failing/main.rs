//! Fail closed: whatever fails, under every `on_error` and every enforcement, comes out as the
//! standard says ([OAR-OPS-3]…[OAR-OPS-6], [OAR-EVAL-10], [OAR-EVAL-11], [OAR-FIRE-9]).
//!
//! Each [`Point`] is a way to fail; [`TABLE`] says, by hand, what must come of it. A rule `FIRST`
//! fires before the one that fails and rewrites the content; `LATER` stands behind it, and would be
//! suppressed if it fired.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may stop, and hosts may panic here"
)]

mod points;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use oar_engine::decide::{Bounds, Report};
use oar_engine::document::rule::Action;
use oar_engine::observe::{
    Detector, DetectorFailure, FactProvider, FactValue, Observations, Occurrence, ProviderFailure,
};
use oar_engine::state::{
    CounterChange, CounterKey, CounterStore, Counters, Event, EventError, EventSink,
    MemoryCounters, StoreError,
};
use oar_engine::{Host, Loader, RuleSet, Session, Source, ToolCall};
use oar_expr::Value;
use serde_json::{Value as Json, json};

use points::{Does, Point};

/// What an occurrence must come to.
struct Row {
    /// `None` leaves `on_error` out.
    on_error: Option<&'static str>,
    enforcement: &'static str,
    decision: &'static str,
    /// The rule that the decision names.
    rule: &'static str,
    trace: &'static [&'static str],
    /// The rules whose counter advanced and whose event was published.
    acted: &'static [&'static str],
    content: &'static str,
}

/// By hand, from the standard. `R:m` stands for what a monitored `R` comes to: it is
/// `monitored_errored`, or `monitored_fired` where only a side-effect fails, which it does not have.
///
/// A block that an error makes names the failing rule or its substitute, ends the occurrence, beats
/// the transform of `FIRST` and delivers no changed content ([OAR-OPS-3], [OAR-OPS-5], [OAR-OPS-6],
/// [OAR-OPS-17]); what `FIRST` did before stands ([OAR-EVAL-12]).
#[rustfmt::skip]
const TABLE: &[Row] = &[
    Row { on_error: None, enforcement: "enforce", decision: "block", rule: "t/R",
        trace: &["t/FIRST:fired", "t/R:errored"], acted: &["t/FIRST"], content: "abc" },
    Row { on_error: Some("fail_closed"), enforcement: "enforce", decision: "block", rule: "t/R",
        trace: &["t/FIRST:fired", "t/R:errored"], acted: &["t/FIRST"], content: "abc" },
    Row { on_error: Some("FALLBACK"), enforcement: "enforce", decision: "block", rule: "t/FALLBACK",
        trace: &["t/FIRST:fired", "t/R:errored"], acted: &["t/FIRST"], content: "abc" },
    Row { on_error: Some("u/FALLBACK"), enforcement: "enforce", decision: "block", rule: "u/FALLBACK",
        trace: &["t/FIRST:fired", "t/R:errored"], acted: &["t/FIRST"], content: "abc" },
    Row { on_error: Some("fail_open"), enforcement: "enforce", decision: "transform", rule: "t/FIRST",
        trace: &["t/FIRST:fired", "t/R:errored", "t/LATER:fired"], acted: &["t/FIRST", "t/LATER"], content: "[REDACTED]" },
    Row { on_error: None, enforcement: "monitor", decision: "transform", rule: "t/FIRST",
        trace: &["t/FIRST:fired", "t/R:m", "t/LATER:fired"], acted: &["t/FIRST", "t/LATER"], content: "[REDACTED]" },
    Row { on_error: Some("fail_closed"), enforcement: "monitor", decision: "transform", rule: "t/FIRST",
        trace: &["t/FIRST:fired", "t/R:m", "t/LATER:fired"], acted: &["t/FIRST", "t/LATER"], content: "[REDACTED]" },
    Row { on_error: Some("u/FALLBACK"), enforcement: "monitor", decision: "transform", rule: "t/FIRST",
        trace: &["t/FIRST:fired", "t/R:m", "t/LATER:fired"], acted: &["t/FIRST", "t/LATER"], content: "[REDACTED]" },
    Row { on_error: Some("fail_open"), enforcement: "monitor", decision: "transform", rule: "t/FIRST",
        trace: &["t/FIRST:fired", "t/R:m", "t/LATER:fired"], acted: &["t/FIRST", "t/LATER"], content: "[REDACTED]" },
    Row { on_error: None, enforcement: "off", decision: "transform", rule: "t/FIRST",
        trace: &["t/FIRST:fired", "t/LATER:fired"], acted: &["t/FIRST", "t/LATER"], content: "[REDACTED]" },
    Row { on_error: Some("fail_closed"), enforcement: "off", decision: "transform", rule: "t/FIRST",
        trace: &["t/FIRST:fired", "t/LATER:fired"], acted: &["t/FIRST", "t/LATER"], content: "[REDACTED]" },
    Row { on_error: Some("FALLBACK"), enforcement: "off", decision: "transform", rule: "t/FIRST",
        trace: &["t/FIRST:fired", "t/LATER:fired"], acted: &["t/FIRST", "t/LATER"], content: "[REDACTED]" },
];

/// Thousands of panics are meant here, and tell nothing.
fn quiet() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let told = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let meant = panic.payload().downcast_ref::<&str>();
            if !meant.is_some_and(|text| text.starts_with("no ")) {
                told(panic);
            }
        }));
    });
}

#[test]
fn each_failure_comes_to_what_the_standard_says() {
    quiet();
    let mut wrong = Vec::new();
    for point in points::all() {
        for row in TABLE {
            // Declared by the rule, and put over it by the operator ([OAR-CFG-2], [OAR-CFG-3]).
            for configured in [false, true] {
                if let Err(difference) = check(&point, row, configured) {
                    let on_error = row.on_error.unwrap_or("default");
                    let place = format!("{} / {on_error} / {}", point.name, row.enforcement);
                    wrong.push(format!("{place} / configured {configured}: {difference}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// With `mandatory` nothing of it changes: it guards against operators, not against failures.
#[test]
fn a_mandatory_rule_fails_like_any_other() {
    quiet();
    for mut point in points::all() {
        point.rule["mandatory"] = true.into();
        for row in TABLE.iter().filter(|row| row.enforcement == "enforce") {
            check(&point, row, false).unwrap_or_else(|told| panic!("{}: {told}", point.name));
        }
    }
}

fn check(point: &Point, row: &Row, configured: bool) -> Result<(), String> {
    let rules = load(point, row, configured);
    let log = Arc::new(Log::default());
    let (report, failures) = decide(point, &rules, &log);
    let errs =
        row.enforcement == "enforce" || (row.enforcement == "monitor" && point.before_acting);
    let monitored =
        if point.before_acting { "t/R:monitored_errored" } else { "t/R:monitored_fired" };
    let trace: Vec<&str> =
        row.trace.iter().map(|entry| if *entry == "t/R:m" { monitored } else { entry }).collect();
    let events: Vec<&str> = report.events.iter().map(|event| event["rule"].as_str()).collect();
    let counted: Vec<&str> = report.counters.keys().map(String::as_str).collect();
    let mut acted = row.acted.to_vec();
    let published = log.published.lock().expect("no sink panics with it").clone();
    let mut checks = vec![
        ("decision", report.decision.to_owned(), row.decision.to_owned()),
        ("rule", report.rule.clone().unwrap_or_default(), row.rule.to_owned()),
        ("trace", report.applied.join(" "), trace.join(" ")),
        ("events", events.join(" "), acted.join(" ")),
        ("published", published.join(" "), acted.join(" ")),
        ("content", report.content.clone().unwrap_or_default(), row.content.to_owned()),
        ("failures", failures.len().to_string(), u32::from(errs).to_string()),
    ];
    acted.sort_unstable();
    checks.push(("counters", counted.join(" "), acted.join(" ")));
    // What the store itself holds of the rule that failed.
    checks.push((
        "stored",
        format!("{:?}", log.counters_of("t/R")),
        format!("{:?}", Counters::default()),
    ));
    for (clause, text) in failures {
        checks.push(("clause", clause.to_owned(), point.clause.to_owned()));
        if !text.contains(point.says) {
            checks.push(("failure", text, point.says.to_owned()));
        }
    }
    let different = checks.into_iter().filter(|(_, found, wanted)| found != wanted);
    let told: Vec<String> = different
        .map(|(what, found, wanted)| format!("{what} is {found:?}, not {wanted:?}"))
        .collect();
    if told.is_empty() { Ok(()) } else { Err(told.join("; ")) }
}

fn rule(id: &str, more: Json) -> Json {
    let mut rule = json!({"oar": "1.0", "namespace": "t", "id": id, "kind": "policy",
        "anchor": "tool.pre_invoke", "effect": "warn",
        "on_fire": ["increment_counter", "publish_event"],
        "requires": {"profiles": ["tool"], "facts": ["acme.int", "acme.double", "acme.string",
            "acme.list", "acme.labels", "acme.spans", "acme.ask"]}});
    if let (Some(rule), Json::Object(more)) = (rule.as_object_mut(), more) {
        rule.extend(more);
    }
    rule
}

fn load(point: &Point, row: &Row, configured: bool) -> RuleSet {
    let fact = |name: &str, ty: &str| json!({"name": name, "type": ty});
    let capability = json!({
        "oar_capability_version": "1.0", "host": "acme",
        "anchors": {"core": {"tool.pre_invoke": "tool.pre_invoke", "model.input": "model.input"},
            "unsupported": ["tool.handler", "tool.post_invoke", "agent.post_turn",
                "agent.finalize", "model.output", "model.tool_result"]},
        "profiles": ["tool"], "activity_window": 0, "detectors": ["detector://own"],
        "expression_nodes_max": 256, "supports_transform": true,
        "host_facts": [fact("acme.int", "int"), fact("acme.double", "double"),
            fact("acme.string", "string"), fact("acme.list", "list<string>"),
            fact("acme.labels", "map<string,string>"), fact("acme.spans", "list<map>"),
            fact("acme.ask", "(string) -> int")],
    });
    let first = json!({"kind": "schema", "effect": "transform",
        "transform": {"action": "redact", "target": "content"}});
    let mut failing = rule("R", point.rule.clone());
    failing["overrides"] = json!(["LATER"]);
    failing["effect"] = point.rule.get("effect").cloned().unwrap_or_else(|| "nudge".into());
    if let Some(on_error) = row.on_error {
        failing["on_error"] = on_error.into();
    }
    if !configured {
        failing["enforcement"] = row.enforcement.into();
    }
    let elsewhere = json!({"anchor": "model.input", "effect": "nudge"});
    let mut other = rule("FALLBACK", elsewhere.clone());
    other["namespace"] = "u".into();
    let rules = json!([
        rule("FIRST", first),
        failing,
        rule("LATER", json!({"kind": "invariant"})),
        rule("FALLBACK", elsewhere),
        other
    ]);
    let mut loader =
        Loader::new(Source::value("capability", capability)).rules(Source::value("rules", rules));
    if configured {
        let config = json!({"oar_config": "1.0", "enforcement": {"t/R": row.enforcement}});
        loader = loader.config(Source::value("config", config));
    }
    loader.load().unwrap_or_else(|error| panic!("{}: {error}", point.name)).rules
}

fn decide(point: &Point, rules: &RuleSet, log: &Arc<Log>) -> (Report, Vec<(&'static str, String)>) {
    let mut bounds = Bounds::default();
    bounds.answer_time = Some(Duration::from_millis(40));
    let store = Store {
        log: Arc::clone(log),
        reading: point.reading.clone(),
        applying: point.applying.clone(),
    };
    let mut host = Host::new()
        .bounds(bounds)
        .provider(Provider { fact: point.fact.clone(), function: point.function.clone() })
        .counters(store)
        .events(Sink { log: Arc::clone(log), publishing: point.publishing.clone() });
    if let Some(does) = point.detector.clone() {
        host = host.detector("detector://own", Own { does, reports: point.reports });
    }
    let arguments = point.arguments.as_object().cloned().unwrap_or_default();
    let mut occurrence = rules.occurrence("tool.pre_invoke").expect("it is declared");
    occurrence.content("abc").tool_call(ToolCall::new("write", &arguments));
    for (name, value) in &point.supplied {
        occurrence.fact(name, value).expect("it is declared");
    }
    let outcome = host.decide(&mut Session::new("s"), &occurrence);
    let failures = outcome.trace().filter_map(|entry| entry.failure);
    let failures = failures.map(|failure| (failure.clause(), failure.to_string())).collect();
    assert_eq!(
        outcome.content().is_none(),
        outcome.decision().name() == "block",
        "what is blocked is not delivered"
    );
    (outcome.report(), failures)
}

/// What reached the store and the sink.
#[derive(Default)]
struct Log {
    counters: MemoryCounters,
    published: Mutex<Vec<String>>,
}

impl Log {
    fn counters_of(&self, rule: &str) -> Counters {
        let mut values = [Counters::default()];
        let read = self.counters.read("s", &[CounterKey { rule, scope: None }], &mut values);
        read.expect("memory can be read");
        let [value] = values;
        value
    }
}

fn late() {
    std::thread::sleep(Duration::from_millis(60));
}

struct Provider {
    fact: Does,
    function: Does,
}

fn answer(does: &Does) -> Result<Option<FactValue>, ProviderFailure> {
    match does {
        Does::Works | Does::Lies => Ok(None),
        Does::Fails => Err(ProviderFailure::new("no directory")),
        Does::Panics => panic!("no directory"),
        Does::IsLate => {
            late();
            Ok(None)
        }
        Does::Gives(value) => Ok(Some(value.clone())),
    }
}

impl FactProvider for Provider {
    fn fact(&self, name: &str, _: &Occurrence<'_>) -> Result<Option<FactValue>, ProviderFailure> {
        if name.starts_with("acme.") { answer(&self.fact) } else { Ok(None) }
    }

    fn call(
        &self,
        name: &str,
        _: Value<'_>,
        _: &Occurrence<'_>,
    ) -> Result<Option<FactValue>, ProviderFailure> {
        if name == "acme.ask" { answer(&self.function) } else { Ok(None) }
    }
}

struct Own {
    does: Does,
    reports: &'static str,
}

impl Detector for Own {
    fn observe(&self, _: &Occurrence<'_>) -> Result<Observations, DetectorFailure> {
        match answer(&self.does) {
            Ok(Some(value)) => Ok(Observations::new().with(self.reports, value)),
            Ok(None) => Ok(Observations::new()),
            Err(_) => Err(DetectorFailure::new("no model")),
        }
    }
}

struct Store {
    log: Arc<Log>,
    reading: Does,
    applying: Does,
}

impl CounterStore for Store {
    fn read(
        &self,
        session: &str,
        keys: &[CounterKey<'_>],
        values: &mut [Counters],
    ) -> Result<(), StoreError> {
        match self.reading {
            Does::Fails => Err(StoreError::new("no table")),
            Does::Panics => panic!("no table"),
            _ => self.log.counters.read(session, keys, values),
        }
    }

    fn apply(
        &self,
        session: &str,
        key: CounterKey<'_>,
        actions: &[Action],
        publish: &mut dyn FnMut() -> Result<(), EventError>,
    ) -> Result<CounterChange, StoreError> {
        match self.applying {
            Does::Fails if key.rule == "t/R" => Err(StoreError::new("no table")),
            Does::Panics if key.rule == "t/R" => panic!("no table"),
            Does::Lies if key.rule == "t/R" => Ok(CounterChange {
                before: Counters::default(),
                after: Counters { fire_count: 1, breaker_count: 0 },
            }),
            _ => self.log.counters.apply(session, key, actions, publish),
        }
    }
}

struct Sink {
    log: Arc<Log>,
    publishing: Does,
}

impl EventSink for Sink {
    fn publish(&self, events: &[Event<'_>]) -> Result<(), EventError> {
        let failing = events.iter().any(|event| event.rule == "t/R");
        match self.publishing {
            Does::Fails if failing => return Err(EventError::new("no disk")),
            Does::Panics if failing => panic!("no disk"),
            _ => {}
        }
        let mut published = self.log.published.lock().expect("no sink panics with it");
        published.extend(events.iter().map(|event| event.rule.to_owned()));
        Ok(())
    }
}
