//! A host whose counter store and event stream refuse some of what rules declare.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use oar_conformance::fixture::{Entry, Moment, ReadAs};
use oar_engine::document::rule::Action;
use oar_engine::observe::{
    Detector, DetectorFailure, FactValue, Observations, Occurrence, ToolCall,
};
use oar_engine::state::{
    CounterChange, CounterKey, CounterStore, Counters, Event, EventError, EventSink,
    MemoryCounters, StoreError,
};
use oar_engine::{Host, Loader, RuleSet, Session, Source};
use serde_json::{Value, json};

use crate::common::parse_text;

/// Which actions are refused, as a function of a number.
#[derive(Clone, Copy)]
pub(crate) struct Refuses {
    pub(crate) number: u64,
}

impl Refuses {
    /// One action in eight.
    pub(crate) fn refuses(self, occurrence: usize, rule: &str, action: &str) -> bool {
        let mut sum = self.number.wrapping_mul(31).wrapping_add(occurrence as u64);
        for byte in rule.bytes().chain(action.bytes()) {
            sum = sum.wrapping_mul(131).wrapping_add(u64::from(byte));
        }
        (sum >> 7).is_multiple_of(8)
    }
}

/// Store and stream at once, and which occurrence it is.
#[derive(Clone)]
struct Refusing {
    refuses: Refuses,
    occurrence: Arc<AtomicUsize>,
    counters: Arc<MemoryCounters>,
}

impl Refusing {
    fn refuses(&self, rule: &str, action: &str) -> bool {
        self.refuses.refuses(self.occurrence.load(Ordering::Relaxed), rule, action)
    }
}

impl CounterStore for Refusing {
    fn read(
        &self,
        session: &str,
        keys: &[CounterKey<'_>],
        values: &mut [Counters],
    ) -> Result<(), StoreError> {
        self.counters.read(session, keys, values)
    }

    fn apply(
        &self,
        session: &str,
        key: CounterKey<'_>,
        actions: &[Action],
        publish: &mut dyn FnMut() -> Result<(), EventError>,
    ) -> Result<CounterChange, StoreError> {
        let mut counted = actions.iter().filter(|action| **action != Action::PublishEvent);
        if counted.any(|action| self.refuses(key.rule, action.name())) {
            return Err(StoreError::new("refused"));
        }
        self.counters.apply(session, key, actions, publish)
    }
}

impl EventSink for Refusing {
    fn publish(&self, events: &[Event<'_>]) -> Result<(), EventError> {
        if events.iter().any(|event| self.refuses(event.rule, "publish_event")) {
            return Err(EventError::new("refused"));
        }
        Ok(())
    }
}

/// What the engine reports of each occurrence of a fixture that loads.
pub(crate) fn decide(fixture: &Value, refuses: Refuses) -> Vec<Value> {
    let Entry::Fixture(fixture) = parse_text(&fixture.to_string(), ReadAs::Question) else {
        panic!("{fixture} is no fixture");
    };
    let question = &fixture.question;
    let mut loader = Loader::new(Source::node("capability", question.capability.clone()));
    for (index, rule) in question.rules.iter().enumerate() {
        loader = loader.rules(Source::node(format!("rule {index}"), rule.clone()));
    }
    for (index, config) in question.config.iter().enumerate() {
        loader = loader.config(Source::node(format!("config {index}"), config.clone()));
    }
    let rules = loader.load().expect("a fixture that loads").rules;
    let refusing = Refusing {
        refuses,
        occurrence: Arc::new(AtomicUsize::new(0)),
        counters: Arc::new(MemoryCounters::default()),
    };
    let host = Host::new().counters(refusing.clone()).events(refusing.clone());
    let mut session = Session::new(question.session_id.clone().unwrap_or_default());
    let mut reports = Vec::new();
    for (index, moment) in question.occurrences.iter().enumerate() {
        refusing.occurrence.store(index, Ordering::Relaxed);
        let host = match &moment.detector_facts {
            Some(_) => host.clone().detector("detector://fixture", Reporting::of(moment)),
            None => host.clone(),
        };
        let occurrence = occurrence(&rules, moment);
        let outcome = host.decide(&mut session, &occurrence);
        reports.push(json!(outcome.report().to_json()));
    }
    reports
}

fn occurrence<'a>(rules: &'a RuleSet, moment: &'a Moment) -> Occurrence<'a> {
    let mut occurrence = Occurrence::anywhere(rules, &moment.anchor);
    for member in &moment.facts {
        occurrence.fact(&member.name, FactValue::from(&member.node)).unwrap();
    }
    if let Some(content) = &moment.content {
        occurrence.content(content);
    }
    if let Some(call) = &moment.tool_call {
        occurrence.tool_call(ToolCall::from_document(&call.name, &call.arguments));
    }
    if let Some(steps) = &moment.recent_activity {
        occurrence.recent_activity(steps.iter().map(String::as_str));
    }
    occurrence
}

/// `detector://fixture` ([OAR-CONF-25]).
struct Reporting(Observations);

impl Reporting {
    fn of(moment: &Moment) -> Self {
        let facts = moment.detector_facts.iter().flatten();
        Self(facts.fold(Observations::new(), |all, member| {
            all.with(&*member.name, FactValue::from(&member.node))
        }))
    }
}

impl Detector for Reporting {
    fn observe(&self, _: &Occurrence<'_>) -> Result<Observations, DetectorFailure> {
        Ok(self.0.clone())
    }
}
