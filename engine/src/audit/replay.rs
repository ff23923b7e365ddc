//! A record as an occurrence again: what was observed then is what is observed now.

use std::collections::BTreeMap;

use oar_expr::Value;
use serde_json::Value as Json;

use super::record::{AuditRecord, Detected, Provided};
use crate::decide::Host;
use crate::load::RuleSet;
use crate::observe::{
    Detector, DetectorFailure, FactProvider, FactValue, Observations, Occurrence, ProviderFailure,
    SupplyError, ToolCall,
};

impl AuditRecord {
    /// The occurrence for `rules`, which may be others than those of the record, and the number
    /// of facts that they do not know: no rule can name these, so that they change no decision.
    ///
    /// Decide it with [`host`](Self::host), or what providers and detectors said is missing.
    /// Counters and recent steps are those of the session: decide the records of a session in
    /// their order.
    ///
    /// # Errors
    /// When a fact is the engine's own.
    pub fn occurrence<'a>(
        &'a self,
        rules: &'a RuleSet,
    ) -> Result<(Occurrence<'a>, u64), SupplyError> {
        let mut occurrence = Occurrence::anywhere(rules, &self.anchor);
        let mut unknown = 0;
        for (name, value) in &self.facts {
            if rules.environment().slot(name).is_none() {
                unknown += 1;
                continue;
            }
            occurrence.fact(name, value)?;
        }
        if let Some(content) = &self.content {
            occurrence.content(content);
        }
        if let Some(call) = &self.tool_call
            && let (Some(name), Some(arguments)) = (&call.name, &call.arguments)
        {
            occurrence.tool_call(ToolCall::new(name, arguments));
        }
        if let Some(steps) = &self.recent_activity {
            occurrence.recent_activity(steps.iter().map(String::as_str));
        }
        Ok((occurrence, unknown))
    }

    /// `host`, whose provider and detectors say what this record says; what it says nothing of
    /// is not there.
    #[must_use]
    pub fn host(&self, host: &Host) -> Host {
        let mut host = host.clone();
        if !self.provided.is_empty() {
            host = host.provider(RecordedProvider(self.provided.clone()));
        }
        for detected in &self.detected {
            host = host.detector(&*detected.detector, RecordedDetector::new(detected));
        }
        host
    }
}

/// Answers what a provider answered.
struct RecordedProvider(Vec<Provided>);

impl RecordedProvider {
    fn answer(
        &self,
        name: &str,
        argument: Option<&Json>,
    ) -> Result<Option<FactValue>, ProviderFailure> {
        let asked = |own: &&Provided| own.name == name && own.argument.as_ref() == argument;
        let Some(answer) = self.0.iter().find(asked) else { return Ok(None) };
        if answer.failed {
            return Err(ProviderFailure::new("it failed when this was recorded"));
        }
        Ok(answer.value.clone().map(FactValue::from))
    }
}

impl FactProvider for RecordedProvider {
    fn fact(&self, name: &str, _: &Occurrence<'_>) -> Result<Option<FactValue>, ProviderFailure> {
        self.answer(name, None)
    }

    fn call(
        &self,
        name: &str,
        argument: Value<'_>,
        _: &Occurrence<'_>,
    ) -> Result<Option<FactValue>, ProviderFailure> {
        self.answer(name, FactValue::of(argument).map(|own| own.to_json()).as_ref())
    }
}

/// Reports what a detector reported; `None` fails.
struct RecordedDetector(Option<BTreeMap<String, FactValue>>);

impl RecordedDetector {
    fn new(detected: &Detected) -> Self {
        let facts = detected.facts.iter();
        let facts = facts.map(|(name, value)| (name.clone(), value.clone().into()));
        Self((!detected.failed).then(|| facts.collect()))
    }
}

impl Detector for RecordedDetector {
    fn observe(&self, _: &Occurrence<'_>) -> Result<Observations, DetectorFailure> {
        let facts = self.0.as_ref();
        let facts =
            facts.ok_or_else(|| DetectorFailure::new("it failed when this was recorded"))?;
        let facts = facts.iter().map(|(name, value)| (name.as_str(), value.clone()));
        Ok(facts.fold(Observations::new(), |all, (name, value)| all.with(name, value)))
    }
}
