//! One record for one occurrence.

use std::collections::BTreeMap;
use std::fmt;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::redaction::Redaction;
use crate::decide::Outcome;
use crate::document::source::join_pointer;

/// What an occurrence was, and what was decided.
///
/// Its `Debug` shows no value that was observed; its JSON does, unless it is redacted.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(default)]
pub struct AuditRecord {
    /// When it was decided: RFC 3339, in UTC, to the millisecond.
    pub time: String,
    /// The session.
    pub session: String,
    /// The host's name for the moment ([OAR-CONF-29]).
    pub anchor: String,
    /// The digest of everything that was loaded ([`RuleSet::digest`](crate::RuleSet::digest)).
    pub rule_set: String,
    /// The digest of the configurations alone
    /// ([`RuleSet::configuration_digest`](crate::RuleSet::configuration_digest)).
    pub configuration: String,
    /// The effect, or `none`.
    pub decision: String,
    /// The qualified identifier that the decision carries.
    pub rule: Option<String>,
    /// The trace, each entry `<qualified id>:<outcome>` ([OAR-CONF-21]).
    pub applied: Vec<String>,
    /// The facts that came with the occurrence; null for a value that was not of its type.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub facts: Map<String, Json>,
    /// What the provider was asked and said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub provided: Vec<Provided>,
    /// What the detectors reported first; one that reported nothing is not here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub detected: Vec<Detected>,
    /// The content as it was before any transform.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The tool call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call: Option<RecordedCall>,
    /// The recent steps, where they came with the occurrence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recent_activity: Option<Vec<String>>,
    /// JSON pointers to what was left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub redacted: Vec<String>,
}

/// One answer of a provider.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Provided {
    /// The fact or function.
    pub name: String,
    /// What the function was called with; a fact has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument: Option<Json>,
    /// What it was; absent where it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Json>,
    /// Whether it could not be produced.
    #[serde(skip_serializing_if = "is_false")]
    pub failed: bool,
}

/// What a detector reported.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Detected {
    /// Its `detector://` reference.
    pub detector: String,
    /// The facts.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub facts: Map<String, Json>,
    /// Whether it failed.
    #[serde(skip_serializing_if = "is_false")]
    pub failed: bool,
}

/// A tool call.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordedCall {
    /// The tool; absent where it was left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The arguments; absent where they were left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Map<String, Json>>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde lends what it asks about")]
fn is_false(value: &bool) -> bool {
    !value
}

/// A time as records write it: RFC 3339, in UTC, to the millisecond.
///
/// ```
/// let time = std::time::UNIX_EPOCH + std::time::Duration::from_millis(1_796_086_800_125);
/// assert_eq!(oar_engine::audit::rfc3339(time), "2026-12-01T01:00:00.125Z");
/// ```
#[must_use]
pub fn rfc3339(time: SystemTime) -> String {
    // No clock is ten thousand years wrong; one that is tells the last moment there is.
    let time = jiff::Timestamp::try_from(time).unwrap_or(jiff::Timestamp::MAX);
    format!("{time:.3}")
}

impl AuditRecord {
    /// The record of an outcome. A map that a host lends without telling its keys is left out,
    /// as if it was redacted.
    #[must_use]
    pub fn new(
        outcome: &Outcome<'_>,
        session: &str,
        time: SystemTime,
        redaction: &Redaction,
    ) -> Self {
        let occurrence = outcome.facts().occurrence;
        let mut record = Self {
            time: rfc3339(time),
            session: session.to_owned(),
            anchor: occurrence.anchor().to_owned(),
            rule_set: occurrence.rules.digest().to_owned(),
            configuration: occurrence.rules.configuration_digest().to_owned(),
            decision: outcome.decision().name().to_owned(),
            rule: outcome.rule().map(str::to_owned),
            applied: outcome.trace().map(|entry| entry.to_string()).collect(),
            ..Self::default()
        };
        for (name, value) in outcome.supplied() {
            match value.filter(|_| !redaction.hides_fact(name)) {
                Some(value) => drop(record.facts.insert(name.to_owned(), value)),
                None => record.redacted.push(join_pointer("/facts", name)),
            }
        }
        record.provided(outcome, redaction);
        record.detected(outcome, redaction);
        match occurrence.content {
            Some(_) if redaction.hides_content() => record.redacted.push("/content".to_owned()),
            content => record.content = content.map(str::to_owned),
        }
        if let Some(call) = &occurrence.call {
            let mut kept = RecordedCall::default();
            match redaction.hides_tools() {
                true => record.redacted.push("/tool_call/name".to_owned()),
                false => kept.name = Some(call.name.to_owned()),
            }
            match redaction.hides_arguments() {
                true => record.redacted.push("/tool_call/arguments".to_owned()),
                false => kept.arguments = Some(call.arguments.to_json()),
            }
            record.tool_call = Some(kept);
        }
        match &occurrence.activity {
            Some(_) if redaction.hides_tools() => {
                record.redacted.push("/recent_activity".to_owned());
            }
            Some(steps) => {
                record.recent_activity = Some(steps.iter().map(|step| (*step).to_owned()).collect())
            }
            None => {}
        }
        record
    }

    fn provided(&mut self, outcome: &Outcome<'_>, redaction: &Redaction) {
        for (name, argument, answer) in outcome.provided() {
            let mut kept =
                Provided { name: name.to_owned(), failed: answer.is_err(), ..Provided::default() };
            let parts = [("argument", argument), ("value", answer.ok())];
            for (member, part) in parts {
                let part = part.map(|own| own.to_json());
                if part.is_some() && redaction.hides_fact(name) {
                    self.redacted.push(format!("/provided/{}/{member}", self.provided.len()));
                } else if member == "value" {
                    kept.value = part;
                } else {
                    kept.argument = part;
                }
            }
            self.provided.push(kept);
        }
    }

    fn detected(&mut self, outcome: &Outcome<'_>, redaction: &Redaction) {
        let reports: BTreeMap<&str, _> = outcome.detected();
        for (detector, report) in reports {
            let mut kept = Detected {
                detector: detector.to_owned(),
                failed: report.is_none(),
                ..Detected::default()
            };
            for (name, value) in report.into_iter().flatten() {
                if redaction.hides_fact(name) {
                    let pointer = format!("/detected/{}/facts", self.detected.len());
                    self.redacted.push(join_pointer(&pointer, name));
                } else {
                    kept.facts.insert(name.to_owned(), value.to_json());
                }
            }
            self.detected.push(kept);
        }
    }

    /// Whether a value was left out, so that the record cannot be decided again.
    #[must_use]
    pub fn is_redacted(&self) -> bool {
        !self.redacted.is_empty()
    }
}

/// The names alone.
impl fmt::Debug for AuditRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuditRecord")
            .field("time", &self.time)
            .field("session", &self.session)
            .field("anchor", &self.anchor)
            .field("decision", &self.decision)
            .field("rule", &self.rule)
            .field("applied", &self.applied)
            .field("facts", &self.facts.keys())
            .field("provided", &self.provided)
            .field("detected", &self.detected)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Provided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provided")
            .field("name", &self.name)
            .field("failed", &self.failed)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Detected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Detected")
            .field("detector", &self.detector)
            .field("facts", &self.facts.keys())
            .field("failed", &self.failed)
            .finish()
    }
}

/// Neither name nor arguments.
impl fmt::Debug for RecordedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordedCall").finish_non_exhaustive()
    }
}
