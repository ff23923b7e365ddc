//! The Test Anything Protocol, version 14.

use std::fmt::Write as _;

use super::{UNKNOWN, details, remark};
use crate::runner::{Kind, Run};

/// The report.
#[must_use]
pub fn tap(run: &Run<'_>) -> String {
    let count = run.verdicts.len() + run.unknown_failures.len();
    let mut out = format!("TAP version 14\n1..{count}\n");
    for (number, verdict) in (1..).zip(&run.verdicts) {
        let Some(entry) = run.entry(verdict) else { continue };
        let is_skip = verdict.outcome.kind() == Kind::Skipped && !verdict.fails();
        let result = if verdict.fails() { "not ok" } else { "ok" };
        // Writing to a string cannot fail.
        let _ = write!(out, "{result} {number} - {}", entry.id());
        let directive = if verdict.known {
            // A `TODO` that passes is reported by every reader of the protocol.
            Some("TODO known failure".to_owned())
        } else if is_skip {
            remark(verdict).map(|reason| format!("SKIP {}", one_line(&reason)))
        } else {
            None
        };
        if let Some(directive) = directive {
            let _ = write!(out, " # {directive}");
        }
        out.push('\n');
        let mut lines = details(verdict);
        if verdict.fails() && lines.is_empty() {
            lines.extend(remark(verdict));
        }
        if !lines.is_empty() {
            out.push_str("  ---\n  message: |\n");
            for line in lines.iter().flat_map(|line| line.lines()) {
                let _ = writeln!(out, "    {line}");
            }
            out.push_str("  ...\n");
        }
    }
    for (number, id) in (run.verdicts.len() + 1..).zip(&run.unknown_failures) {
        let _ = writeln!(out, "not ok {number} - {id}\n  ---\n  message: {UNKNOWN}\n  ...");
    }
    out
}

/// A directive ends with its line, and `#` would begin another.
fn one_line(text: &str) -> String {
    text.replace('\n', " ").replace('#', "\\#")
}
