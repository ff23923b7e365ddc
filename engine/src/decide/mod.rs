//! One occurrence to one outcome: select, order, evaluate, resolve (section 4).
//!
//! Nothing here fails: what goes wrong with a rule is that rule's outcome, handled by its
//! `on_error` ([OAR-OPS-3]).

mod bounds;
mod copy;
mod evaluate;
mod explain;
mod facts;
mod failure;
mod guard;
mod needs;
mod observed;
mod order;
mod outcome;
mod report;
mod select;
#[cfg(test)]
mod tests;
mod trace;
mod transform;

use std::fmt;
use std::sync::Arc;

pub use bounds::Bounds;
#[doc(hidden)]
pub use evaluate::searches;
pub use explain::{ClauseExplanation, ConditionExplanation, End, FlowExplanation, RuleExplanation};
pub use failure::Failure;
pub(crate) use guard::guarded;
pub use needs::{NeededCall, Needs};
pub use outcome::{AccumulatedTransform, Advisory, CounterReport, Decision, Outcome, RenderedCopy};
pub use report::{AdvisoryReport, CounterSpan, Report, SkippedReport};
pub use trace::{TraceEntry, TraceOutcome};
pub use transform::SkippedSpan;

use crate::audit::{AuditRecord, Clock, Redaction, SystemClock};
use crate::observe::{Detector, Detectors, FactProvider, Occurrence};
use crate::sink::AuditSink;
use crate::state::{
    ActivityStore, CounterStore, EventError, EventSink, MemoryCounters, NoEventStream, Session,
};

/// What a host lends the engine to decide with: providers, detectors, counters, events.
///
/// ```
/// # use oar_engine::{Host, Loader, Session, Source};
/// # let capability = r#"{"oar_capability_version": "1.0", "host": "acme",
/// #   "anchors": {"core": {"tool.pre_invoke": "tool.pre_invoke"}, "unsupported": [
/// #     "tool.handler", "tool.post_invoke", "agent.post_turn", "agent.finalize",
/// #     "model.input", "model.output", "model.tool_result"]},
/// #   "profiles": [], "activity_window": 0, "detectors": [],
/// #   "expression_nodes_max": 256, "supports_transform": false}"#;
/// # let rules = Loader::new(Source::json("capability.json", capability)).load()?.rules;
/// let host = Host::new();
/// let mut session = Session::new("s1");
/// let occurrence = rules.occurrence("tool.pre_invoke")?;
/// let outcome = host.decide(&mut session, &occurrence);
/// assert_eq!(outcome.decision().name(), "none");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Host {
    pub(crate) provider: Option<Arc<dyn FactProvider>>,
    pub(crate) detectors: Detectors,
    pub(crate) counters: Arc<dyn CounterStore>,
    /// Where the recent steps are kept, if not in the session.
    pub(crate) activity: Option<Arc<dyn ActivityStore>>,
    pub(crate) events: Arc<dyn EventSink>,
    pub(crate) bounds: Bounds,
    audit: Option<Audit>,
    unrecorded: Unrecorded,
    clock: Arc<dyn Clock>,
    #[cfg(feature = "opentelemetry")]
    telemetry: Option<Arc<crate::telemetry::OpenTelemetry>>,
}

/// Where records go, and what they leave out.
#[derive(Clone)]
struct Audit {
    sink: Arc<dyn AuditSink>,
    redaction: Redaction,
}

/// What becomes of an occurrence whose record the audit sink refuses. Either way
/// [`Outcome::unrecorded`] says so, and what rules have done stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unrecorded {
    /// It is blocked, in the name of no rule: nothing passes that nobody can look up later.
    #[default]
    Block,
    /// The decision stands.
    Stands,
}

impl Host {
    /// A host with counters in memory, the reserved detectors, no provider and no event stream:
    /// until [`events`](Self::events) gives it one, records of `publish_event` are in the
    /// [`Outcome`] alone.
    #[must_use]
    pub fn new() -> Self {
        Self {
            provider: None,
            detectors: Detectors::new(),
            counters: Arc::new(MemoryCounters::new()),
            activity: None,
            events: Arc::new(NoEventStream),
            bounds: Bounds::default(),
            audit: None,
            unrecorded: Unrecorded::default(),
            clock: Arc::new(SystemClock),
            #[cfg(feature = "opentelemetry")]
            telemetry: None,
        }
    }

    /// The same, asking `provider` for facts that an occurrence does not supply ([OAR-FACT-11]).
    #[must_use]
    pub fn provider(mut self, provider: impl FactProvider + 'static) -> Self {
        self.provider = Some(Arc::new(provider));
        self
    }

    /// The same, with a detector under a `detector://` reference ([OAR-OPS-12]).
    #[must_use]
    pub fn detector(
        mut self,
        reference: impl Into<String>,
        detector: impl Detector + 'static,
    ) -> Self {
        self.detectors = self.detectors.with(reference, detector);
        self
    }

    /// The same, keeping counters in `counters`.
    #[must_use]
    pub fn counters(mut self, counters: impl CounterStore + 'static) -> Self {
        self.counters = Arc::new(counters);
        self
    }

    /// The same, keeping the recent steps of sessions in `activity` ([OAR-PROF-9]).
    #[must_use]
    pub fn activity(mut self, activity: impl ActivityStore + 'static) -> Self {
        self.activity = Some(Arc::new(activity));
        self
    }

    /// The same, keeping counters and recent steps in `store`, so that a session survives a
    /// restart and is shared by processes.
    #[must_use]
    pub fn store(mut self, store: impl CounterStore + ActivityStore + 'static) -> Self {
        let store = Arc::new(store);
        self.counters = Arc::clone(&store) as Arc<dyn CounterStore>;
        self.activity = Some(store);
        self
    }

    /// The same, sending events to `events`.
    #[must_use]
    pub fn events(mut self, events: impl EventSink + 'static) -> Self {
        self.events = Arc::new(events);
        self
    }

    /// The same, giving `sink` a record of every occurrence, without what `redaction` leaves out.
    ///
    /// ```
    /// # use oar_engine::{Loader, Session, load::CapabilityBuilder};
    /// # let capability = CapabilityBuilder::new("acme").core_anchor("tool.pre_invoke", "before_tool");
    /// # let rules = Loader::new(capability.source()).load()?.rules;
    /// use oar_engine::{Host, audit::Redaction, sink::MemorySink};
    ///
    /// let sink = MemorySink::holding(1);
    /// let host = Host::new().audit(sink.clone(), Redaction::all());
    /// let mut session = Session::new("s1");
    /// let occurrence = rules.occurrence("before_tool")?;
    /// assert_eq!(host.decide(&mut session, &occurrence).decision().name(), "none");
    /// // It is full now, and what leaves no record does not pass.
    /// let outcome = host.decide(&mut session, &occurrence);
    /// assert_eq!(outcome.decision().name(), "block");
    /// assert_eq!(outcome.unrecorded(), Some("it holds 1 already"));
    /// assert_eq!(sink.take_records()[0].decision, "none");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn audit(mut self, sink: impl AuditSink + 'static, redaction: Redaction) -> Self {
        self.audit = Some(Audit { sink: Arc::new(sink), redaction });
        self
    }

    /// The same, with another answer to a sink that refuses a record.
    #[must_use]
    pub fn unrecorded(mut self, unrecorded: Unrecorded) -> Self {
        self.unrecorded = unrecorded;
        self
    }

    /// The same, with a clock that tells the time of records.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// The same, telling the program's OpenTelemetry providers what is decided.
    #[cfg(feature = "opentelemetry")]
    #[must_use]
    pub fn telemetry(mut self, telemetry: crate::telemetry::OpenTelemetry) -> Self {
        self.telemetry = Some(Arc::new(telemetry));
        self
    }

    /// The same, with other bounds on what an occurrence may cost.
    #[must_use]
    pub fn bounds(mut self, bounds: Bounds) -> Self {
        self.bounds = bounds;
        self
    }

    /// The detectors that rules of `rules` run and that are not registered here, in order.
    ///
    /// A capability document may list a detector that nobody registered ([OAR-OPS-12]). Each rule
    /// that runs it is errored at every occurrence, which under `fail_closed` blocks them all: a
    /// host asks at its start, and refuses to start.
    ///
    /// ```
    /// # use oar_engine::{Host, Loader, Source, load::CapabilityBuilder};
    /// let capability = CapabilityBuilder::new("acme")
    ///     .core_anchor("model.output", "output")
    ///     .detector("detector://names");
    /// let rule = r#"{"oar": "1.0", "id": "NAMES", "kind": "detector", "anchor": "model.output",
    ///   "detector": {"ref": "detector://names"}, "effect": "warn"}"#;
    /// let loader = Loader::new(capability.source()).rules(Source::json("names.json", rule));
    /// let rules = loader.load()?.rules;
    /// assert_eq!(Host::new().unregistered(&rules), ["detector://names"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn unregistered<'r>(&self, rules: &'r crate::RuleSet) -> Vec<&'r str> {
        let mut detectors = rules.detectors();
        detectors.retain(|reference| self.detectors.get(reference).is_none());
        detectors
    }

    /// Decides one occurrence and applies its side-effects.
    ///
    /// The decision must be honoured before the moment passes ([OAR-PROF-10]). A tool call that
    /// is admitted becomes a step of the session ([OAR-PROF-9]).
    pub fn decide<'o>(
        &'o self,
        session: &mut Session,
        occurrence: &'o Occurrence<'_>,
    ) -> Outcome<'o> {
        #[cfg(feature = "opentelemetry")]
        let began = std::time::SystemTime::now();
        let mut outcome = evaluate::run(self, session, occurrence);
        if let Some(audit) = &self.audit {
            self.record(audit, session, &mut outcome);
        }
        #[cfg(feature = "opentelemetry")]
        if let Some(telemetry) = &self.telemetry {
            // Whoever is told this decides nothing.
            let _told = guarded(|| telemetry.tell(&outcome, began));
        }
        let admits = occurrence.index().is_some_and(|index| index.admits_calls);
        if let Some(call) = occurrence.call.as_ref().filter(|_| admits)
            && outcome.decision() != Decision::Block
        {
            let window = occurrence.rules.capability().activity_window();
            match self.activity.as_deref() {
                Some(store) => {
                    // After a panic, too, the session has the step that the store has not.
                    let admit = || session.admit_to(store, call.name(), window);
                    let _kept = guarded(admit);
                }
                _ => session.admit(call.name(), window),
            }
        }
        outcome
    }

    fn record(&self, audit: &Audit, session: &Session, outcome: &mut Outcome<'_>) {
        let record = || {
            let now = self.clock.now();
            audit.sink.record(&AuditRecord::new(outcome, session.id(), now, &audit.redaction))
        };
        let recorded = guarded(record).unwrap_or_else(|reason| Err(EventError::new(reason)));
        if let Err(error) = recorded {
            outcome.refuse_record(error.to_string(), self.unrecorded);
        }
    }
}

impl Default for Host {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("detectors", &self.detectors).finish_non_exhaustive()
    }
}
