//! What OpenTelemetry and `tracing` are told, and that no observed value is among it.
#![cfg(all(feature = "opentelemetry", feature = "tracing"))]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop")]

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use oar_engine::audit::Redaction;
use oar_engine::observe::{Detector, DetectorFailure, Observations, Occurrence};
use oar_engine::sink::TracingSink;
use oar_engine::telemetry::OpenTelemetry;
use oar_engine::{Host, Loader, RuleSet, Session, Source, ToolCall, load::CapabilityBuilder};
use opentelemetry::global;
use opentelemetry::trace::{Tracer as _, TracerProvider as _};
use opentelemetry_sdk::metrics::data::{AggregatedMetrics, MetricData};
use opentelemetry_sdk::metrics::{InMemoryMetricExporter, PeriodicReader, SdkMeterProvider};
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider};
use serde_json::json;
use tracing::field::{Field, Visit};

const CANARY: &str = "canary-5f1c";

struct Finds;

impl Detector for Finds {
    fn observe(&self, _: &Occurrence<'_>) -> Result<Observations, DetectorFailure> {
        Ok(Observations::new().with("acme.text", CANARY))
    }
}

fn rules() -> RuleSet {
    let capability = CapabilityBuilder::new("acme")
        .core_anchor("tool.pre_invoke", "before_tool")
        .profile("tool")
        .detector("detector://finds")
        .fact("acme.text", "string", "A text.");
    let rule = |id: &str, kind: &str, when: &str, effect: &str| {
        json!({"oar": "1.0", "id": id, "kind": kind, "anchor": "tool.pre_invoke", "when": when,
            "effect": effect, "requires": {"profiles": ["tool"], "facts": ["acme.text"]},
            "on_error": "fail_open", "on_fire": ["publish_event"]})
    };
    let mut finds = rule("FINDS", "detector", "acme.text == 'canary-5f1c'", "warn");
    finds["detector"] = json!({"ref": "detector://finds"});
    let rules = json!([
        finds,
        rule("FIRES", "policy", "tool == 'canary-5f1c'", "warn"),
        rule("PASSES", "policy", "false", "block"),
        rule("ERRS", "policy", "1 / (size(tool) - size(tool)) == 1", "block"),
    ]);
    Loader::new(capability.source()).rules(Source::value("rules", rules)).load().unwrap().rules
}

fn decide(host: &Host, rules: &RuleSet) -> Vec<String> {
    let arguments = serde_json::Map::from_iter([("x".into(), CANARY.into())]);
    let mut occurrence = rules.occurrence("before_tool").unwrap();
    occurrence.fact("acme.text", CANARY).unwrap();
    occurrence.content(CANARY);
    occurrence.tool_call(ToolCall::new(CANARY, &arguments));
    let mut session = Session::new("session-1");
    host.decide(&mut session, &occurrence).trace().map(|entry| entry.to_string()).collect()
}

/// One test: the providers are those of the whole process.
#[test]
fn a_span_for_each_occurrence_and_a_count_for_each_outcome() {
    let (spans, metrics) = (InMemorySpanExporter::default(), InMemoryMetricExporter::default());
    let tracers = SdkTracerProvider::builder().with_simple_exporter(spans.clone()).build();
    let reader = PeriodicReader::builder(metrics.clone()).build();
    let meters = SdkMeterProvider::builder().with_reader(reader).build();
    global::set_tracer_provider(tracers.clone());
    global::set_meter_provider(meters.clone());

    let rules = rules();
    let host = Host::new().detector("detector://finds", Finds).telemetry(OpenTelemetry::new());
    let trace = tracers.tracer("host").in_span("request", |_| decide(&host, &rules));
    decide(&host, &rules);
    assert_eq!(trace, ["ERRS:errored", "FIRES:fired", "PASSES:passed", "FINDS:fired"]);

    let spans = spans.get_finished_spans().unwrap();
    let (request, own): (Vec<_>, Vec<_>) = spans.iter().partition(|span| span.name == "request");
    assert_eq!((request.len(), own.len()), (1, 2));
    assert_eq!(own[0].parent_span_id, request[0].span_context.span_id());
    for span in &own {
        assert_eq!((&*span.name, span.end_time >= span.start_time), ("oar.decide", true));
        let attribute = |name: &str| {
            let found = span.attributes.iter().find(|own| own.key.as_str() == name);
            found.map(|own| own.value.to_string())
        };
        for (name, value) in [
            ("oar.anchor", "before_tool"),
            ("oar.decision", "warn"),
            ("oar.rule", "FIRES"),
            ("oar.rule_set", rules.digest()),
        ] {
            assert_eq!(attribute(name).as_deref(), Some(value));
        }
        assert_eq!(span.attributes.len(), 4);
        let fired: Vec<String> = span
            .events
            .iter()
            .map(|event| format!("{} {}", event.name, event.attributes[0].value))
            .collect();
        assert_eq!(fired, ["oar.rule.fired FIRES", "oar.rule.fired FINDS"]);
    }

    meters.force_flush().unwrap();
    let metrics = metrics.get_finished_metrics().unwrap();
    let mut counts = Vec::new();
    for metric in metrics.iter().flat_map(|all| all.scope_metrics()).flat_map(|own| own.metrics()) {
        assert_eq!(metric.name(), "oar.rule.outcomes");
        let AggregatedMetrics::U64(MetricData::Sum(sum)) = metric.data() else {
            unreachable!("it is a counter of whole numbers")
        };
        for point in sum.data_points() {
            let mut told: Vec<String> =
                point.attributes().map(|own| format!("{}={}", own.key, own.value)).collect();
            told.sort();
            counts.push(format!("{} {}", told.join(" "), point.value()));
        }
    }
    counts.sort();
    assert_eq!(
        counts,
        [
            "oar.outcome=errored oar.rule=ERRS 2",
            "oar.outcome=fired oar.rule=FINDS 2",
            "oar.outcome=fired oar.rule=FIRES 2",
            "oar.outcome=passed oar.rule=PASSES 2",
        ]
    );
    let told = format!("{spans:?} {metrics:?}");
    assert!(!told.contains(CANARY) && !told.contains("session-1"), "{told}");
}

/// Keeps what it is told, as text.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<Vec<String>>>);

struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        write!(self.0, " {field}={value:?}").unwrap();
    }
}

impl tracing::Subscriber for Told {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        let metadata = event.metadata();
        let mut text = Text(format!("{} {}", metadata.level(), metadata.target()));
        event.record(&mut text);
        self.0.lock().unwrap().push(text.0);
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

#[test]
fn tracing_is_told_of_events_and_occurrences() {
    let rules = rules();
    let host = Host::new()
        .detector("detector://finds", Finds)
        .events(TracingSink)
        .audit(TracingSink, Redaction::none());
    let told = Told::default();
    tracing::subscriber::with_default(told.clone(), || decide(&host, &rules));
    let told = told.0.lock().unwrap().clone();
    assert_eq!(told.len(), 3, "{told:?}");
    for (line, parts) in told.iter().zip([
        ["INFO oar::event", "rule=\"FIRES\"", "effect=\"warn\""],
        ["INFO oar::event", "rule=\"FINDS\"", "anchor=\"before_tool\""],
        ["INFO oar::audit", "decision=\"warn\"", "ERRS:errored FIRES:fired"],
    ]) {
        for part in parts {
            assert!(line.contains(part), "{part}: {line}");
        }
    }
    assert!(!told.concat().contains(CANARY), "{told:?}");
}
