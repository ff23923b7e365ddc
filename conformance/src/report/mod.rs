//! Tells people and machines what came of a run.
//!
//! Every report is text made from a [`Run`]; nothing here prints. All of them show the fixtures in
//! the order of the corpus, so that two runs can be compared line by line.

pub mod diff;
mod html;
mod json;
mod junit;
mod markdown;
mod tap;
mod terminal;

use crate::runner::{Kind, Outcome, Run, Verdict};

pub use diff::{Line, Mark, lines};
pub use html::html;
pub use json::json;
pub use junit::{junit, xml_escape};
pub use markdown::markdown;
pub use tap::tap;
pub use terminal::{Terminal, Verbosity};

/// What is said of a known failure that names no fixture.
pub(crate) const UNKNOWN: &str = "listed as a known failure, and not in the corpus";

/// What a verdict is called at the head of a line.
pub(crate) fn label(verdict: &Verdict) -> &'static str {
    if verdict.known {
        return if verdict.fails() { "KNOWN" } else { "FIXED" };
    }
    match verdict.outcome.kind() {
        Kind::Passed => "PASS",
        Kind::Failed => "FAIL",
        Kind::Skipped => "SKIP",
        Kind::Crashed => "CRASH",
        Kind::TimedOut => "LATE",
        Kind::ProtocolError => "GARBLED",
        Kind::Invalid => "INVALID",
    }
}

/// Why a verdict is what it is, in one line, where differences do not say it.
pub(crate) fn remark(verdict: &Verdict) -> Option<String> {
    let reason = verdict.outcome.reason();
    match (label(verdict), reason) {
        ("FIXED", _) => {
            Some(format!("{}, and is listed as a known failure", verdict.outcome.kind().name()))
        }
        ("KNOWN", Some(reason)) => Some(format!("{}: {reason}", verdict.outcome.kind().name())),
        ("SKIP", Some(reason)) if verdict.baseline => {
            Some(format!("{reason} (every engine must run this one)"))
        }
        (_, reason) => reason,
    }
}

/// The counts in one line: passed, failed and skipped always, the others where there are any.
pub(crate) fn counts(run: &Run<'_>) -> String {
    let is_shown = |kind: &Kind| {
        matches!(kind, Kind::Passed | Kind::Failed | Kind::Skipped) || run.count(*kind) > 0
    };
    let count = |kind: Kind| format!("{} {}", run.count(kind), kind.name());
    Kind::ALL.into_iter().filter(is_shown).map(count).collect::<Vec<_>>().join(", ")
}

/// The line on the known failures, when there are any.
pub(crate) fn known(run: &Run<'_>) -> Option<String> {
    let known = run.verdicts.iter().filter(|verdict| verdict.known);
    let (as_known, fixed): (Vec<_>, Vec<_>) = known.partition(|verdict| verdict.fails());
    (!as_known.is_empty() || !fixed.is_empty()).then(|| {
        format!("known failures: {} as before, {} that fail no more", as_known.len(), fixed.len())
    })
}

/// What differs, or what is wrong with a fixture, as plain lines; nothing where a remark says all.
#[must_use]
pub fn details(verdict: &Verdict) -> Vec<String> {
    match &verdict.outcome {
        Outcome::Failed(differences) => {
            let mut out = Vec::new();
            for difference in differences {
                out.push(difference.place());
                let marked = |line: Line| format!("{} {}", line.mark.sign(), line.text);
                out.extend(lines(difference).into_iter().map(marked));
            }
            out
        }
        Outcome::Invalid(invalid) => invalid.problems.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    }
}
