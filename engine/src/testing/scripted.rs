//! Providers and detectors that answer by a script and remember what they were asked.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use oar_expr::Value;

use crate::observe::{
    Detector, DetectorFailure, FactProvider, FactValue, Observations, Occurrence, ProviderFailure,
};

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A provider that answers by a script. Clones share what they were asked.
///
/// ```
/// use oar_engine::{Host, Loader, Session, Source, assert_decision, load::CapabilityBuilder};
/// use oar_engine::testing::ScriptedProvider;
///
/// let capability = CapabilityBuilder::new("acme")
///     .core_anchor("tool.pre_invoke", "before_tool")
///     .fact("acme.owner", "string", "Who owns the repository at hand.");
/// let rule = r#"{"oar": "1.0", "id": "ROOT", "kind": "policy", "anchor": "tool.pre_invoke",
///   "requires": {"facts": ["acme.owner"]}, "when": "acme.owner == 'root'", "effect": "block"}"#;
/// let loader = Loader::new(capability.source()).rules(Source::json("root.json", rule));
/// let rules = loader.load()?.rules;
///
/// let provider = ScriptedProvider::new().fact("acme.owner", "root");
/// let host = Host::new().provider(provider.clone());
/// let occurrence = rules.occurrence("before_tool")?;
/// let mut session = Session::new("s");
/// assert_decision!(host.decide(&mut session, &occurrence), "block", ["ROOT:fired"]);
/// assert_eq!(provider.asked(), ["acme.owner"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ScriptedProvider {
    facts: BTreeMap<String, Result<FactValue, ProviderFailure>>,
    calls: Vec<(String, FactValue, FactValue)>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl ScriptedProvider {
    /// A provider that has nothing to report.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same, answering `value` for the fact `name`.
    #[must_use]
    pub fn fact(mut self, name: impl Into<String>, value: impl Into<FactValue>) -> Self {
        self.facts.insert(name.into(), Ok(value.into()));
        self
    }

    /// The same, failing to produce the fact, or the function's values, of this name.
    #[must_use]
    pub fn fails(mut self, name: impl Into<String>, reason: impl Into<String>) -> Self {
        self.facts.insert(name.into(), Err(ProviderFailure::new(reason)));
        self
    }

    /// The same, answering `value` when the function `name` is called with `argument`.
    #[must_use]
    pub fn call(
        mut self,
        name: impl Into<String>,
        argument: impl Into<FactValue>,
        value: impl Into<FactValue>,
    ) -> Self {
        self.calls.push((name.into(), argument.into(), value.into()));
        self
    }

    /// What it was asked, in order: `name` for a fact, `name(argument)` for a call.
    #[must_use]
    pub fn asked(&self) -> Vec<String> {
        locked(&self.asked).clone()
    }
}

impl FactProvider for ScriptedProvider {
    fn fact(&self, name: &str, _: &Occurrence<'_>) -> Result<Option<FactValue>, ProviderFailure> {
        locked(&self.asked).push(name.to_owned());
        self.facts.get(name).cloned().transpose()
    }

    fn call(
        &self,
        name: &str,
        argument: Value<'_>,
        _: &Occurrence<'_>,
    ) -> Result<Option<FactValue>, ProviderFailure> {
        locked(&self.asked).push(format!("{name}({argument:?})"));
        if let Some(Err(failure)) = self.facts.get(name) {
            return Err(failure.clone());
        }
        let same = |own: &FactValue| match (own, argument) {
            (FactValue::String(own), Value::String(text)) => own == text,
            (FactValue::Int(own), Value::Int(value)) => *own == value,
            (FactValue::Bool(own), Value::Bool(value)) => *own == value,
            (FactValue::Double(own), Value::Double(value)) => *own == value,
            _ => false,
        };
        let call = self.calls.iter().find(|(own, with, _)| own == name && same(with));
        Ok(call.map(|(.., value)| value.clone()))
    }
}

/// A detector that reports by a script, a step for each run; the last step stays.
///
/// ```
/// use oar_engine::observe::Observations;
/// use oar_engine::testing::ScriptedDetector;
///
/// let detector = ScriptedDetector::new()
///     .reports(Observations::new().with("pii_found", true))
///     .fails("the model is not loaded");
/// assert_eq!(detector.runs(), 0);
/// ```
#[derive(Clone, Debug, Default)]
pub struct ScriptedDetector {
    script: Arc<Mutex<Script>>,
}

#[derive(Debug, Default)]
struct Script {
    steps: VecDeque<Result<Observations, DetectorFailure>>,
    runs: usize,
}

impl ScriptedDetector {
    /// A detector without findings.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same, with a run that reports something.
    #[must_use]
    pub fn reports(self, observations: Observations) -> Self {
        locked(&self.script).steps.push_back(Ok(observations));
        self
    }

    /// The same, with a run that fails.
    #[must_use]
    pub fn fails(self, reason: impl Into<String>) -> Self {
        locked(&self.script).steps.push_back(Err(DetectorFailure::new(reason)));
        self
    }

    /// How often it ran.
    #[must_use]
    pub fn runs(&self) -> usize {
        locked(&self.script).runs
    }
}

impl Detector for ScriptedDetector {
    fn observe(&self, _: &Occurrence<'_>) -> Result<Observations, DetectorFailure> {
        let mut script = locked(&self.script);
        script.runs += 1;
        if script.steps.len() > 1 {
            return script.steps.pop_front().unwrap_or_else(|| Ok(Observations::new()));
        }
        script.steps.front().cloned().unwrap_or_else(|| Ok(Observations::new()))
    }
}
