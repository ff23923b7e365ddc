//! Fetches what an occurrence may need, then lets the engine decide.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use oar_engine::observe::{
    Detector, DetectorFailure, FactProvider, FactValue, Observations, Occurrence, ProviderFailure,
};
use oar_engine::{Host, Outcome, Session};
use oar_expr::Value;

use crate::fetch::{together, wait, within};
use crate::{Answer, Report};

/// Produces facts by waiting for them.
pub trait AsyncFactProvider: Send + Sync {
    /// The value of the fact `name`, or `None` when there is nothing to report.
    fn fact<'a>(&'a self, name: &'a str, occurrence: &'a Occurrence<'_>) -> Answer<'a>;

    /// The value of the function `name` for `argument`.
    fn call<'a>(
        &'a self,
        name: &'a str,
        argument: &'a FactValue,
        occurrence: &'a Occurrence<'_>,
    ) -> Answer<'a> {
        let _ = (name, argument, occurrence);
        Box::pin(std::future::ready(Ok(None)))
    }
}

/// Observes content for one rule by waiting for it, as a detector does.
pub trait AsyncDetector: Send + Sync {
    /// Looks at the occurrence. It may be asked for a rule that is not evaluated in the end.
    fn observe<'a>(&'a self, occurrence: &'a Occurrence<'_>) -> Report<'a>;

    /// The facts that it may report ([`Detector::reports`]).
    fn reports(&self, fact: &str) -> bool {
        let _ = fact;
        false
    }
}

/// A host whose providers and detectors wait.
#[derive(Clone)]
pub struct AsyncHost {
    host: Host,
    provider: Option<Arc<dyn AsyncFactProvider>>,
    detectors: BTreeMap<String, Arc<dyn AsyncDetector>>,
    deadlines: Deadlines,
}

#[derive(Clone)]
struct Deadlines {
    usual: Duration,
    own: BTreeMap<String, Duration>,
}

impl Deadlines {
    fn of(&self, name: &str) -> Duration {
        self.own.get(name).copied().unwrap_or(self.usual)
    }
}

impl AsyncHost {
    /// A front of `host`, which keeps the counters, the events and the detectors that do not
    /// wait. The usual deadline is 10 seconds.
    #[must_use]
    pub fn new(host: Host) -> Self {
        let deadlines = Deadlines { usual: Duration::from_secs(10), own: BTreeMap::new() };
        Self { host, provider: None, detectors: BTreeMap::new(), deadlines }
    }

    /// The same, asking `provider`, in place of the provider of the host that it fronts.
    #[must_use]
    pub fn provider(mut self, provider: impl AsyncFactProvider + 'static) -> Self {
        self.provider = Some(Arc::new(provider));
        self
    }

    /// The same, with a detector under a `detector://` reference.
    #[must_use]
    pub fn detector(
        mut self,
        reference: impl Into<String>,
        detector: impl AsyncDetector + 'static,
    ) -> Self {
        self.detectors.insert(reference.into(), Arc::new(detector));
        self
    }

    /// The same, with another deadline for every fact, function and detector.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadlines.usual = deadline;
        self
    }

    /// The same, with a deadline of its own for a fact, a function or a detector reference.
    #[must_use]
    pub fn deadline_of(mut self, name: impl Into<String>, deadline: Duration) -> Self {
        self.deadlines.own.insert(name.into(), deadline);
        self
    }

    /// Fetches everything that deciding `occurrence` may consume, all at once.
    ///
    /// Nothing fails here: an answer that fails, panics or is late is kept, and fails the rule
    /// that consumes it ([OAR-OPS-3]). Dropping the future changes nothing.
    pub async fn prepare<'o>(&self, occurrence: &'o Occurrence<'o>) -> Prepared<'o> {
        let needs = occurrence.needs();
        let facts: Vec<&str> = needs.facts().filter(|_| self.provider.is_some()).collect();
        let calls: Vec<(&str, &FactValue)> = needs
            .calls()
            .filter(|_| self.provider.is_some())
            .filter_map(|call| Some((call.name(), call.argument()?)))
            .collect();
        let detectors: Vec<(&str, &Arc<dyn AsyncDetector>)> = needs
            .detectors()
            .filter_map(|reference| Some((reference, self.detectors.get(reference)?)))
            .collect();
        let mut waiting: Vec<crate::Waiting<'_, Fetched>> = Vec::new();
        if let Some(provider) = &self.provider {
            for name in facts {
                waiting.push(Box::pin(async move {
                    let answer = within(self.deadlines.of(name), provider.fact(name, occurrence));
                    Fetched::Fact(name.to_owned(), provided(answer.await))
                }));
            }
            for (name, argument) in calls {
                waiting.push(Box::pin(async move {
                    let call = provider.call(name, argument, occurrence);
                    let answer = provided(within(self.deadlines.of(name), call).await);
                    Fetched::Call(name.to_owned(), argument.clone(), answer)
                }));
            }
        }
        for (reference, detector) in detectors {
            waiting.push(Box::pin(async move {
                let report = detector.observe(occurrence);
                let report = within(self.deadlines.of(reference), report).await;
                let report = report.unwrap_or_else(|reason| Err(DetectorFailure::new(reason)));
                Fetched::Report(reference.to_owned(), Arc::clone(detector), report)
            }));
        }
        let fetched = together(waiting).await;
        let worked_out = needs.calls().filter(|call| call.argument().is_none());
        let later = worked_out.map(|call| call.name().to_owned()).collect();
        Prepared { host: self.answering(fetched, later), occurrence }
    }

    /// The host that it fronts, with everything fetched at hand.
    fn answering(&self, fetched: Vec<Fetched>, later: BTreeSet<String>) -> Host {
        let mut host = self.host.clone();
        let mut answers = Answers {
            facts: BTreeMap::new(),
            calls: Vec::new(),
            live: self.provider.clone(),
            later,
            deadlines: self.deadlines.clone(),
        };
        for one in fetched {
            match one {
                Fetched::Fact(name, answer) => drop(answers.facts.insert(name, answer)),
                Fetched::Call(name, argument, answer) => {
                    answers.calls.push((name, argument, answer));
                }
                Fetched::Report(reference, detector, report) => {
                    host = host.detector(reference, Reported { detector, report });
                }
            }
        }
        if self.provider.is_some() { host.provider(answers) } else { host }
    }
}

impl fmt::Debug for AsyncHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncHost")
            .field("host", &self.host)
            .field("detectors", &self.detectors.keys())
            .finish_non_exhaustive()
    }
}

/// An occurrence with everything at hand that deciding it may consume.
#[derive(Debug)]
pub struct Prepared<'o> {
    host: Host,
    occurrence: &'o Occurrence<'o>,
}

impl Prepared<'_> {
    /// Decides the occurrence and applies its side-effects, without waiting, except for what
    /// can only be asked when its turn comes: a function whose argument the condition works
    /// out, and a [`Bridged`](crate::Bridged) store.
    pub fn decide<'s>(&'s self, session: &mut Session) -> Outcome<'s> {
        self.host.decide(session, self.occurrence)
    }
}

type Provided = Result<Option<FactValue>, ProviderFailure>;

fn provided(answer: Result<Provided, String>) -> Provided {
    answer.unwrap_or_else(|reason| Err(ProviderFailure::new(reason)))
}

enum Fetched {
    Fact(String, Provided),
    Call(String, FactValue, Provided),
    Report(String, Arc<dyn AsyncDetector>, Result<Observations, DetectorFailure>),
}

/// A provider that has been asked already.
struct Answers {
    facts: BTreeMap<String, Provided>,
    calls: Vec<(String, FactValue, Provided)>,
    live: Option<Arc<dyn AsyncFactProvider>>,
    /// The functions whose argument is worked out by a condition.
    later: BTreeSet<String>,
    deadlines: Deadlines,
}

impl FactProvider for Answers {
    fn fact(&self, name: &str, _: &Occurrence<'_>) -> Provided {
        // What was not needed is derived by the engine, or nobody consumes it.
        self.facts.get(name).cloned().unwrap_or(Ok(None))
    }

    fn call(&self, name: &str, argument: Value<'_>, occurrence: &Occurrence<'_>) -> Provided {
        let argument = match argument {
            Value::Bool(value) => FactValue::Bool(value),
            Value::Int(value) => FactValue::Int(value),
            Value::Double(value) => FactValue::Double(value),
            Value::String(value) => FactValue::String(value.to_owned()),
            _ => return Ok(None),
        };
        let known = self.calls.iter().find(|(own, with, _)| own == name && *with == argument);
        if let Some((.., answer)) = known {
            return answer.clone();
        }
        // What the engine derives was not needed, and is not asked for here either.
        let Some(live) = self.live.as_ref().filter(|_| self.later.contains(name)) else {
            return Ok(None);
        };
        let call = live.call(name, &argument, occurrence);
        provided(wait(self.deadlines.of(name), call))
    }
}

/// A detector that has been run already.
struct Reported {
    detector: Arc<dyn AsyncDetector>,
    report: Result<Observations, DetectorFailure>,
}

impl Detector for Reported {
    fn observe(&self, _: &Occurrence<'_>) -> Result<Observations, DetectorFailure> {
        self.report.clone()
    }

    fn reports(&self, fact: &str) -> bool {
        self.detector.reports(fact)
    }
}
