//! Markdown, for a page of a project or a comment on a change.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{counts, details, label, remark};
use crate::runner::{Claim, Kind, Run};

/// The report.
#[must_use]
pub fn markdown(run: &Run<'_>, claim: &Claim) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(out, "# Conformance of {}\n", escape(&run.engine_name()));
    let _ = writeln!(out, "{}; {}.\n", counts(run), claim.sentence());
    areas(&mut out, run);
    exceptions(&mut out, run);
    out
}

/// How many of each area came to what.
fn areas(out: &mut String, run: &Run<'_>) {
    let mut areas: BTreeMap<&str, BTreeMap<Kind, usize>> = BTreeMap::new();
    for verdict in &run.verdicts {
        let fixture = run.entry(verdict).and_then(|entry| entry.fixture());
        let area = fixture.and_then(|fixture| fixture.areas().next()).unwrap_or("none");
        *areas.entry(area).or_default().entry(verdict.outcome.kind()).or_default() += 1;
    }
    let kinds: Vec<Kind> = Kind::ALL
        .into_iter()
        .filter(|kind| *kind == Kind::Passed || run.count(*kind) > 0)
        .collect();
    let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
    let _ = writeln!(out, "| area | {} |", names.join(" | "));
    let _ = writeln!(out, "|---|{}", "--:|".repeat(kinds.len()));
    for (area, counted) in areas {
        let cell = |kind: &Kind| counted.get(kind).copied().unwrap_or_default().to_string();
        let cells: Vec<String> = kinds.iter().map(cell).collect();
        let _ = writeln!(out, "| {area} | {} |", cells.join(" | "));
    }
}

fn exceptions(out: &mut String, run: &Run<'_>) {
    for verdict in &run.verdicts {
        let Some(entry) = run.entry(verdict) else { continue };
        if label(verdict) == "PASS" {
            continue;
        }
        let _ = writeln!(out, "\n## {} `{}`\n", label(verdict), entry.id());
        if let Some(title) = entry.fixture().and_then(|fixture| fixture.title.as_deref()) {
            let _ = writeln!(out, "{}.\n", escape(title.trim_end_matches('.')));
        }
        let details = details(verdict);
        if details.is_empty() {
            if let Some(remark) = remark(verdict) {
                let _ = writeln!(out, "{}.", escape(&remark));
            }
            continue;
        }
        let fence = fence(&details);
        let _ = writeln!(out, "{fence}diff\n{}\n{fence}", details.join("\n"));
    }
    if !run.unknown_failures.is_empty() {
        let ids: Vec<String> = run.unknown_failures.iter().map(|id| format!("`{id}`")).collect();
        let _ =
            writeln!(out, "\nKnown failures that the corpus does not have: {}.", ids.join(", "));
    }
}

/// A fence that no line of the text can close.
fn fence(lines: &[String]) -> String {
    let longest = lines
        .iter()
        .map(|line| line.chars().take_while(|c| *c == '`').count())
        .max()
        .unwrap_or_default();
    "`".repeat(3.max(longest + 1))
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '&') {
            out.push('\\');
        }
        out.push(if c == '\n' { ' ' } else { c });
    }
    out
}
