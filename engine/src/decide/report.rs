//! The owned form of an outcome, in the shape of section 10.2 ([OAR-CONF-21]).

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value as Json;

use super::outcome::{Decision, Outcome, RenderedCopy};
use crate::state::Counters;

/// An outcome as the standard's reports spell it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The effect, or `none`.
    pub decision: &'static str,
    /// The bare identifier; absent without a decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The qualified identifier; absent without a decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The trace, each entry `<qualified id>:<outcome>`.
    pub applied: Vec<String>,
    /// The side-effects applied, in order.
    pub on_fire: Vec<&'static str>,
    /// The accumulated transforms.
    pub transforms: Vec<BTreeMap<&'static str, String>>,
    /// The skipped spans ([OAR-OPS-23]).
    pub skipped_transforms: Vec<SkippedReport>,
    /// The accumulated advisories ([OAR-CONF-37]).
    pub advisories: Vec<AdvisoryReport>,
    /// Counters that changed, under the spelling of [OAR-CONF-33].
    pub counters: BTreeMap<String, BTreeMap<&'static str, i64>>,
    /// The published records.
    pub events: Vec<BTreeMap<&'static str, String>>,
    /// The content after the transforms, where there is content ([OAR-CONF-34]).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The rendered copy; absent without a decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy: Option<BTreeMap<&'static str, String>>,
}

/// An item of `advisories`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AdvisoryReport {
    /// The bare identifier.
    pub code: String,
    /// The qualified identifier.
    pub rule: String,
    /// The rendered copy.
    pub copy: BTreeMap<&'static str, String>,
}

/// An item of `skipped_transforms`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SkippedReport {
    /// The qualified identifier.
    pub rule: String,
    /// The first code point.
    pub start: u64,
    /// The code point behind the last.
    pub end: u64,
    /// Always `overlap`.
    pub reason: &'static str,
}

impl Report {
    pub(crate) fn new(outcome: &Outcome<'_>) -> Self {
        let decided = outcome.decision() != Decision::None;
        let mut counters = CounterSpan::default();
        counters.add(outcome);
        Self {
            decision: outcome.decision().name(),
            code: outcome.code().map(str::to_owned),
            rule: outcome.rule().map(str::to_owned),
            applied: outcome.trace().map(|entry| entry.to_string()).collect(),
            on_fire: outcome.on_fire().map(|(_, action)| action.name()).collect(),
            transforms: outcome
                .transforms()
                .map(|transform| {
                    let mut members = BTreeMap::from([
                        ("action", transform.action.name().to_owned()),
                        ("target", transform.target.to_owned()),
                    ]);
                    members
                        .extend(transform.replacement.map(|text| ("replacement", text.to_owned())));
                    members
                })
                .collect(),
            skipped_transforms: outcome
                .skipped_transforms()
                .map(|span| SkippedReport {
                    rule: span.rule.to_owned(),
                    start: span.start,
                    end: span.end,
                    reason: "overlap",
                })
                .collect(),
            advisories: outcome
                .advisories()
                .map(|advisory| AdvisoryReport {
                    code: advisory.code.to_owned(),
                    rule: advisory.rule.to_owned(),
                    copy: members(&advisory.copy),
                })
                .collect(),
            counters: counters.changed(),
            events: outcome
                .events()
                .map(|event| {
                    BTreeMap::from([
                        ("rule", event.rule.to_owned()),
                        ("anchor", event.anchor.to_owned()),
                        ("effect", event.effect.name().to_owned()),
                    ])
                })
                .collect(),
            content: outcome.content_after().map(str::to_owned),
            copy: decided.then(|| members(&outcome.copy())),
        }
    }

    /// The report as a JSON value.
    #[must_use]
    pub fn to_json(&self) -> Json {
        serde_json::to_value(self).unwrap_or_default()
    }
}

fn members(copy: &RenderedCopy) -> BTreeMap<&'static str, String> {
    copy.iter().map(|(member, text)| (member.name(), text.to_owned())).collect()
}

/// Counters over a span of occurrences: as they were before the first that wrote them, and as
/// they are after the last.
///
/// A report of one occurrence spans that occurrence; a host that reports a whole run adds every
/// outcome of it ([OAR-CONF-21]).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CounterSpan(BTreeMap<String, (Counters, Counters)>);

impl CounterSpan {
    /// Takes in what an occurrence wrote.
    pub fn add(&mut self, outcome: &Outcome<'_>) {
        for report in outcome.counters() {
            let change = report.change;
            let span = self.0.entry(report.key.to_string());
            span.or_insert((change.before, change.after)).1 = change.after;
        }
    }

    /// The counters that changed over the span, under the spelling of [OAR-CONF-33]. An entry
    /// holds the values that changed and those that are not zero.
    #[must_use]
    pub fn changed(&self) -> BTreeMap<String, BTreeMap<&'static str, i64>> {
        let changed = self.0.iter().filter(|(_, (before, after))| before != after);
        let entry = |(key, (before, after)): (&String, &(Counters, Counters))| {
            let values = [
                ("fire_count", before.fire_count, after.fire_count),
                ("breaker_count", before.breaker_count, after.breaker_count),
            ];
            let told =
                values.into_iter().filter(|(_, before, after)| before != after || *after != 0);
            (key.clone(), told.map(|(name, _, after)| (name, after)).collect())
        };
        changed.map(entry).collect()
    }
}
