//! Where two engines disagree.
//!
//! Nothing is expected here: each fixture is only a question, and the answers are held against
//! each other, member by member. That both refuse is agreement, in whatever words.

use std::fmt::Write as _;

use serde_json::Value;

use crate::compare::{Difference, RAN, differing_members};
use crate::fixture::{Corpus, Entry};
use crate::report::lines;
use crate::runner::{Answer, Engine, Selection, seconds};

/// What two engines made of a corpus.
#[derive(Debug, Default)]
pub struct Comparison {
    /// The fixtures that both answered alike.
    pub alike: usize,
    /// The fixtures that one of them skipped, with the reason.
    pub skipped: Vec<(String, String)>,
    /// The fixtures that they answered differently.
    pub different: Vec<Disagreement>,
    /// What is no fixture.
    pub invalid: Vec<String>,
}

/// A fixture that two engines answer differently.
#[derive(Debug)]
pub struct Disagreement {
    /// The fixture.
    pub id: String,
    /// Where: what the first says stands as wanted, what the second says as got.
    pub differences: Vec<Difference>,
}

/// Puts the selected fixtures of `corpus` to both engines.
pub fn compare_engines(
    corpus: &Corpus,
    selection: &Selection,
    a: &mut dyn Engine,
    b: &mut dyn Engine,
    progress: &dyn Fn(usize, usize),
) -> Comparison {
    let mut comparison = Comparison::default();
    let entries: Vec<&Entry> = corpus.entries.iter().filter(|e| selection.takes(e)).collect();
    for (index, entry) in entries.iter().enumerate() {
        let Entry::Fixture(fixture) = entry else {
            comparison.invalid.push(entry.id().to_owned());
            continue;
        };
        let (from_a, from_b) = (a.run(&fixture.question), b.run(&fixture.question));
        let id = fixture.id().to_owned();
        match (&from_a, &from_b) {
            (Answer::Skipped { reason }, _) | (_, Answer::Skipped { reason }) => {
                comparison.skipped.push((id, reason.clone()));
            }
            _ => match differences(&from_a, &from_b) {
                found if found.is_empty() => comparison.alike += 1,
                differences => comparison.different.push(Disagreement { id, differences }),
            },
        }
        progress(index + 1, entries.len());
    }
    comparison
}

fn differences(a: &Answer, b: &Answer) -> Vec<Difference> {
    match (a, b) {
        (
            Answer::Report { report: a, occurrences: a_each },
            Answer::Report { report: b, occurrences: b_each },
        ) => {
            let mut found = members(a, b, None);
            // One occurrence is the report itself.
            if a_each.len() > 1 {
                let each = a_each.iter().zip(b_each).enumerate();
                found.extend(each.flat_map(|(index, (a, b))| members(a, b, Some(index))));
            }
            found
        }
        (Answer::Rejected { phase: a, .. }, Answer::Rejected { phase: b, .. })
            if a.is_load() == b.is_load() =>
        {
            Vec::new()
        }
        _ => vec![Difference {
            occurrence: None,
            member: "answer",
            path: String::new(),
            wanted: told(a).into(),
            got: Some(told(b).into()),
        }],
    }
}

fn members(a: &Value, b: &Value, occurrence: Option<usize>) -> Vec<Difference> {
    let difference = |member| Difference {
        occurrence,
        member,
        path: String::new(),
        wanted: a.get(member).cloned().unwrap_or_default(),
        got: Some(b.get(member).cloned().unwrap_or_default()),
    };
    differing_members(a, b).into_iter().map(difference).collect()
}

fn told(answer: &Answer) -> String {
    match answer {
        Answer::Report { .. } => RAN.to_owned(),
        Answer::Rejected { error, phase } => format!("refused ({}): {error}", phase.name()),
        Answer::Skipped { reason } => format!("skipped: {reason}"),
        Answer::Crashed { detail } => format!("crashed: {detail}"),
        Answer::TimedOut { limit } => format!("no answer within {}", seconds(*limit)),
        Answer::ProtocolError { detail } => format!("protocol error: {detail}"),
    }
}

impl Comparison {
    /// Whether the engines agreed on everything that both answered, and something was asked.
    #[must_use]
    pub fn is_agreement(&self) -> bool {
        self.different.is_empty() && self.invalid.is_empty() && self.alike > 0
    }

    /// For a terminal.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        for Disagreement { id, differences } in &self.different {
            let _ = writeln!(out, "DIFFER  {id}");
            for difference in differences {
                let _ = writeln!(out, "        {}", difference.place());
                for line in lines(difference) {
                    let _ = writeln!(out, "          {} {}", line.mark.sign(), line.text);
                }
            }
        }
        for (id, reason) in &self.skipped {
            let _ = writeln!(out, "SKIP    {id}  {reason}");
        }
        for id in &self.invalid {
            let _ = writeln!(out, "INVALID {id}");
        }
        if !self.different.is_empty() {
            out.push_str("\n(- the first engine, + the second)\n");
        }
        let _ = write!(
            out,
            "{} alike, {} different, {} skipped",
            self.alike,
            self.different.len(),
            self.skipped.len()
        );
        if !self.invalid.is_empty() {
            let _ = write!(out, ", {} invalid", self.invalid.len());
        }
        out.push('\n');
        out
    }

    /// As one JSON object.
    #[must_use]
    pub fn json(&self) -> Value {
        let different: Vec<Value> = self
            .different
            .iter()
            .map(|d| {
                let each: Vec<Value> = d
                    .differences
                    .iter()
                    .map(|d| serde_json::json!({"place": d.place(), "a": d.wanted, "b": d.got}))
                    .collect();
                serde_json::json!({"id": d.id, "differences": each})
            })
            .collect();
        let skipped: Vec<Value> = self
            .skipped
            .iter()
            .map(|(id, reason)| serde_json::json!({"id": id, "reason": reason}))
            .collect();
        serde_json::json!({
            "alike": self.alike,
            "different": different,
            "skipped": skipped,
            "invalid": self.invalid,
        })
    }
}
