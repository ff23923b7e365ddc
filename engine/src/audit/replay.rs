//! A record as an occurrence again: what was observed then is what is observed now.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use oar_expr::Value;
use serde_json::{Map, Value as Json};

use super::record::{AuditRecord, Detected, Provided};
use crate::decide::Host;
use crate::load::RuleSet;
use crate::observe::{
    Detector, DetectorFailure, FactProvider, FactValue, Observations, Occurrence, ProviderFailure,
    SupplyError, ToolCall,
};

/// Those of a call whose arguments are not told.
static NO_ARGUMENTS: LazyLock<Map<String, Json>> = LazyLock::new(Map::new);

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
            && let Some(name) = &call.name
        {
            let arguments = call.arguments.as_ref().unwrap_or(&NO_ARGUMENTS);
            occurrence.tool_call(ToolCall::new(name, arguments));
        }
        if let Some(steps) = &self.recent_activity {
            occurrence.recent_activity(steps.iter().map(String::as_str));
        }
        Ok((occurrence, unknown))
    }

    /// `host`, whose provider and detectors say what this record says; what it says nothing of
    /// they are asked themselves. A host without any decides by the record alone.
    #[must_use]
    pub fn host(&self, host: &Host) -> Host {
        let mut host = host.clone();
        if !self.provided.is_empty() {
            let otherwise = host.provider.clone();
            host = host.provider(RecordedProvider { said: self.provided.clone(), otherwise });
        }
        for detected in &self.detected {
            host = host.detector(&*detected.detector, RecordedDetector::new(detected));
        }
        host
    }
}

/// What a provider may say of a fact or function.
type Answer = Result<Option<FactValue>, ProviderFailure>;

/// Answers what a provider answered.
struct RecordedProvider {
    said: Vec<Provided>,
    /// Who is asked for what was not asked then.
    otherwise: Option<Arc<dyn FactProvider>>,
}

impl RecordedProvider {
    fn answer(&self, name: &str, argument: Option<&Json>) -> Option<Answer> {
        let asked = |own: &&Provided| own.name == name && own.argument.as_ref() == argument;
        let answer = self.said.iter().find(asked)?;
        Some(match answer.failed {
            true => Err(ProviderFailure::new("it failed when this was recorded")),
            false => Ok(answer.value.clone().map(FactValue::from)),
        })
    }
}

impl FactProvider for RecordedProvider {
    fn fact(&self, name: &str, occurrence: &Occurrence<'_>) -> Answer {
        self.answer(name, None).unwrap_or_else(|| match &self.otherwise {
            Some(provider) => provider.fact(name, occurrence),
            None => Ok(None),
        })
    }

    fn call(&self, name: &str, argument: Value<'_>, occurrence: &Occurrence<'_>) -> Answer {
        let recorded = FactValue::of(argument).map(|own| own.to_json());
        self.answer(name, recorded.as_ref()).unwrap_or_else(|| match &self.otherwise {
            Some(provider) => provider.call(name, argument, occurrence),
            None => Ok(None),
        })
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
