//! What was observed at an occurrence, for its record.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::Failure;
use super::outcome::Outcome;
use crate::observe::FactValue;

/// What a detector reported, by fact; `None` where it failed.
pub(crate) type Reported<'o> = Option<Vec<(&'o str, &'o FactValue)>>;

impl Outcome<'_> {
    /// What came with the occurrence, by name; see `Given::written` for the values.
    pub(crate) fn supplied(&self) -> impl Iterator<Item = (&str, Option<Json>)> {
        let occurrence = self.facts().occurrence;
        let slots = (0_u32..).zip(occurrence.rules.environment().entries());
        slots.filter_map(|(slot, entry)| Some((entry.name(), occurrence.written(slot)?)))
    }

    /// What the provider was asked: the name, the argument of a function, and the answer.
    pub(crate) fn provided(
        &self,
    ) -> impl Iterator<Item = (&str, Option<FactValue>, Result<FactValue, ()>)> {
        let environment = self.facts().rules.environment();
        let answers = self.facts().answers().into_iter();
        answers.filter_map(|(slot, argument, answer)| {
            Some((environment.entry(slot)?.name(), argument, answer))
        })
    }

    /// What each detector reported to the first rule that it had anything for.
    pub(crate) fn detected(&self) -> BTreeMap<&str, Reported<'_>> {
        let (rules, more) = (self.facts().rules, self.record().more());
        let mut detected = BTreeMap::new();
        for (rank, rule, _) in self.record().trace.entries(rules) {
            let Some(reference) = rule.rest.as_ref().and_then(|rest| rest.detector.as_deref())
            else {
                continue;
            };
            let overlays = more.overlays.iter().chain(&more.passing_overlays);
            let named = |(slot, value)| Some((rules.environment().entry(slot)?.name(), value));
            let mut reports = overlays.filter(|(own, _)| *own == rank).map(|(_, overlay)| {
                Some(overlay.iter().filter_map(|(slot, value)| named((*slot, value))).collect())
            });
            let failed = more
                .failures
                .iter()
                .any(|(own, fault)| *own == rank && matches!(**fault, Failure::Detector { .. }));
            if let Some(report) = reports.next().or(failed.then_some(None)) {
                detected.entry(reference).or_insert(report);
            }
        }
        detected
    }
}
