//! Spans and counters through the `opentelemetry` crate (feature `opentelemetry`).

use std::fmt;
use std::time::SystemTime;

use opentelemetry::global::{self, BoxedTracer};
use opentelemetry::metrics::Counter;
use opentelemetry::trace::{Span as _, Tracer as _};
use opentelemetry::{InstrumentationScope, KeyValue};

use crate::decide::{Outcome, TraceOutcome};

/// Tells the providers of the program what is decided: a span `oar.decide` for each occurrence,
/// below the span that is current, and the counter `oar.rule.outcomes`.
///
/// The span has the attributes `oar.anchor`, `oar.decision`, `oar.rule` (that the decision
/// names) and `oar.rule_set` (its digest), and an event `oar.rule.fired` with `oar.rule` for each
/// rule that fired. The counter counts by `oar.rule` and `oar.outcome`. Neither has a session or an
/// observed value. There is no exporter here: what the program sets up as its global providers
/// is told, and where it sets up none, nobody.
///
/// ```
/// use oar_engine::{Host, telemetry::OpenTelemetry};
/// // after `opentelemetry::global::set_tracer_provider` and `set_meter_provider`
/// let host = Host::new().telemetry(OpenTelemetry::new());
/// # let _ = host;
/// ```
pub struct OpenTelemetry {
    tracer: BoxedTracer,
    outcomes: Counter<u64>,
}

impl OpenTelemetry {
    /// Tells the providers that are global now.
    #[must_use]
    pub fn new() -> Self {
        let scope = InstrumentationScope::builder("oar-engine")
            .with_version(env!("CARGO_PKG_VERSION"))
            .build();
        let outcomes = global::meter_with_scope(scope.clone())
            .u64_counter("oar.rule.outcomes")
            .with_description("What became of the rules that were selected.")
            .build();
        Self { tracer: global::tracer_with_scope(scope), outcomes }
    }

    pub(crate) fn tell(&self, outcome: &Outcome<'_>, began: SystemTime) {
        let occurrence = outcome.facts().occurrence;
        let mut attributes = vec![
            KeyValue::new("oar.anchor", occurrence.anchor().to_owned()),
            KeyValue::new("oar.decision", outcome.decision().name()),
            KeyValue::new("oar.rule_set", occurrence.rules.digest().to_owned()),
        ];
        attributes.extend(outcome.rule().map(|rule| KeyValue::new("oar.rule", rule.to_owned())));
        let builder = self.tracer.span_builder("oar.decide");
        let builder = builder.with_start_time(began).with_attributes(attributes);
        let mut span = self.tracer.build(builder);
        for entry in outcome.trace() {
            let rule = KeyValue::new("oar.rule", entry.rule.to_owned());
            let result = KeyValue::new("oar.outcome", entry.outcome.name());
            self.outcomes.add(1, &[rule.clone(), result]);
            if entry.outcome == TraceOutcome::Fired {
                span.add_event("oar.rule.fired", vec![rule]);
            }
        }
        span.end();
    }
}

impl Default for OpenTelemetry {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for OpenTelemetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenTelemetry").finish_non_exhaustive()
    }
}
