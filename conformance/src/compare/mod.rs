//! Holds what an engine answered against what a fixture asserts ([OAR-CONF-21]).
//!
//! Only what is asserted is compared. What differs comes back as [`Difference`]s: the member, the
//! place in it, what was wanted and what was got, ready to be shown.

mod members;

use serde_json::Value;

use crate::fixture::{Expected, Fixture};
use crate::runner::{Answer, Phase};

pub use members::{REPORT, differing_members};

/// One assertion that did not hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The occurrence, counted from 0, when the assertion is of one; `None` for those of the
    /// fixture.
    pub occurrence: Option<usize>,
    /// The member of `expected`.
    pub member: &'static str,
    /// Where in the member, as a path such as `[2].rule`; empty for the whole.
    pub path: String,
    /// What was wanted there.
    pub wanted: Value,
    /// What was got there; `None` when there is nothing.
    pub got: Option<Value>,
}

impl Difference {
    /// The place as a person reads it, such as `occurrence 1: counters["A"].fire_count`.
    #[must_use]
    pub fn place(&self) -> String {
        match self.occurrence {
            Some(index) => format!("occurrence {index}: {}{}", self.member, self.path),
            None => format!("{}{}", self.member, self.path),
        }
    }
}

/// What a report stands for where it should have been a rejection, and the other way round.
pub(crate) const RAN: &str = "the rules loaded and the occurrences were decided";

/// Where `answer` differs from what `fixture` asserts; nothing when it passes. Only reports and
/// rejections can be compared; any other answer differs in nothing and passes nothing.
#[must_use]
pub fn compare(fixture: &Fixture, answer: &Answer) -> Vec<Difference> {
    match answer {
        Answer::Report { report, occurrences } => {
            let mut found = of_report(&fixture.expected, report, None);
            let asserted = fixture.expected_of.iter().zip(occurrences).enumerate();
            for (index, (expected, report)) in asserted {
                if let Some(expected) = expected {
                    found.extend(of_report(expected, report, Some(index)));
                }
            }
            found
        }
        Answer::Rejected { error, phase } => of_rejection(&fixture.expected, error, *phase),
        _ => Vec::new(),
    }
}

/// Where a report differs from what is asserted of its occurrence.
#[must_use]
pub fn compare_report(expected: &Expected, report: &Value) -> Vec<Difference> {
    of_report(expected, report, None)
}

fn of_report(expected: &Expected, report: &Value, occurrence: Option<usize>) -> Vec<Difference> {
    if let Some(error) = expected.error() {
        return vec![Difference {
            occurrence,
            member: "error",
            path: String::new(),
            wanted: error.into(),
            got: Some(format!("{RAN}: {}", report_in_short(report)).into()),
        }];
    }
    let mut found = Vec::new();
    for (member, wanted) in expected.iter() {
        let got = report.get(member).filter(|got| !got.is_null());
        for mut difference in members::compare(member, wanted, got) {
            difference.occurrence = occurrence;
            found.push(difference);
        }
    }
    found
}

fn report_in_short(report: &Value) -> String {
    let text = |member: &str| report.get(member).and_then(Value::as_str);
    let decision = text("decision").unwrap_or("no decision");
    match text("rule").or(text("code")) {
        Some(rule) => format!("{decision} by {rule}"),
        None => decision.to_owned(),
    }
}

/// An asserted rejection is one at load, and its text holds what the fixture names.
fn of_rejection(expected: &Expected, error: &str, phase: Phase) -> Vec<Difference> {
    let got = Some(Value::from(format!("{error}\n(refused in phase `{}`)", phase.name())));
    let difference = |member, wanted| {
        vec![Difference { occurrence: None, member, path: String::new(), wanted, got }]
    };
    match expected.error() {
        Some(wanted) if phase.is_load() && error.contains(wanted) => Vec::new(),
        Some(wanted) => difference("error", wanted.into()),
        None => difference("error", Value::Null),
    }
}
