//! The report that a person reads in a terminal.
//!
//! What passed is only counted, unless one asks: the eye should fall on what did not. Of that,
//! each differing member shows what was wanted (`-`) against what was got (`+`).

use std::fmt::Write as _;

use oar_engine::diagnostic::Diagnostic;

use super::{UNKNOWN, counts, known, label, lines, remark};
use crate::compare::Difference;
use crate::fixture::pretty;
use crate::report::Mark;
use crate::runner::{Claim, Outcome, Run, Verdict, common_cause, seconds};

/// How much is listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// What did not pass.
    #[default]
    Exceptions,
    /// Every fixture.
    All,
    /// Every fixture, and the rules and the input of those that did not pass.
    Everything,
}

/// A report for the terminal.
#[derive(Clone, Copy, Debug, Default)]
pub struct Terminal {
    /// Whether to use colour.
    pub colour: bool,
    /// How much to list.
    pub verbosity: Verbosity,
}

#[derive(Clone, Copy)]
enum Colour {
    Red = 31,
    Green = 32,
    Yellow = 33,
    Grey = 90,
}

/// How many lines of an engine's log are shown.
const LOG_LINES: usize = 20;

impl Terminal {
    /// The report.
    #[must_use]
    pub fn render(self, run: &Run<'_>, claim: &Claim) -> String {
        let mut out = String::new();
        let cause = common_cause(run).filter(|_| self.verbosity == Verbosity::Exceptions);
        if let Some(cause) = cause {
            let _ = writeln!(out, "{} {cause}", self.paint(Colour::Red, "FAIL"));
            let log = run.verdicts.first().map(|verdict| verdict.log.as_str()).unwrap_or_default();
            self.log(&mut out, log);
        } else {
            for verdict in &run.verdicts {
                self.verdict(&mut out, run, verdict);
            }
        }
        for id in &run.unknown_failures {
            let label = self.paint(Colour::Red, "UNKNOWN");
            let _ = writeln!(out, "{label} {id}  {UNKNOWN}");
        }
        if !out.is_empty() {
            out.push('\n');
        }
        self.summary(&mut out, run, claim);
        out
    }

    fn verdict(self, out: &mut String, run: &Run<'_>, verdict: &Verdict) {
        let is_exception = !matches!(label(verdict), "PASS" | "KNOWN");
        if !is_exception && self.verbosity == Verbosity::Exceptions {
            return;
        }
        let Some(entry) = run.entry(verdict) else { return };
        let colour = match label(verdict) {
            "PASS" => Colour::Green,
            "SKIP" if !verdict.fails() => Colour::Yellow,
            "KNOWN" => Colour::Yellow,
            _ => Colour::Red,
        };
        let _ =
            write!(out, "{} {}", self.paint(colour, &format!("{:7}", label(verdict))), entry.id());
        match remark(verdict) {
            Some(remark) if !matches!(verdict.outcome, Outcome::Invalid(_)) => {
                let _ = writeln!(out, "  {remark}");
            }
            _ => out.push('\n'),
        }
        if !is_exception || verdict.known {
            return;
        }
        let title = entry.fixture().and_then(|fixture| fixture.title.as_deref());
        match &verdict.outcome {
            Outcome::Failed(differences) => {
                for line in [title, Some(entry.file())].into_iter().flatten() {
                    let _ = writeln!(out, "        {}", self.paint(Colour::Grey, line));
                }
                differences.iter().for_each(|difference| self.difference(out, difference));
            }
            Outcome::Invalid(invalid) => {
                invalid.problems.iter().for_each(|problem| problem_line(out, problem));
            }
            _ => {}
        }
        self.log(out, &verdict.log);
        if self.verbosity == Verbosity::Everything
            && let Some(fixture) = entry.fixture()
        {
            for rule in &fixture.question.rules {
                indented(out, "rule", &pretty(rule));
            }
            indented(out, "input", &fixture.question.input_without_capability());
            indented(out, "capability", &pretty(&fixture.question.capability));
        }
    }

    fn difference(self, out: &mut String, difference: &Difference) {
        let _ = writeln!(out, "        {}", difference.place());
        for line in lines(difference) {
            let text = format!("{} {}", line.mark.sign(), line.text);
            let text = match line.mark {
                Mark::Both => text,
                Mark::Wanted => self.paint(Colour::Red, &text),
                Mark::Got => self.paint(Colour::Green, &text),
            };
            let _ = writeln!(out, "          {text}");
        }
    }

    fn log(self, out: &mut String, log: &str) {
        let lines: Vec<&str> = log.lines().collect();
        if lines.is_empty() {
            return;
        }
        let left_out = lines.len().saturating_sub(LOG_LINES);
        let _ = writeln!(out, "        the engine logged:");
        if left_out > 0 {
            let _ = writeln!(out, "          ({left_out} lines before)");
        }
        for line in lines.iter().skip(left_out) {
            let _ = writeln!(out, "          {}", self.paint(Colour::Grey, line));
        }
    }

    fn summary(self, out: &mut String, run: &Run<'_>, claim: &Claim) {
        let differs = |v: &Verdict| matches!(&v.outcome, Outcome::Failed(_)) && !v.known;
        if run.verdicts.iter().any(differs) {
            let _ = writeln!(out, "(- wanted, + got)");
        }
        let _ = writeln!(
            out,
            "{} fixtures in {} with {}",
            run.verdicts.len(),
            seconds(run.took),
            run.engine_name()
        );
        if let Some(known) = known(run) {
            let _ = writeln!(out, "{known}");
        }
        let colour = if claim.is_supported() { Colour::Green } else { Colour::Yellow };
        let _ = writeln!(out, "{}", self.paint(colour, &claim.sentence()));
        let colour = if run.is_success() { Colour::Green } else { Colour::Red };
        let _ = writeln!(out, "{}", self.paint(colour, &counts(run)));
    }

    fn paint(self, colour: Colour, text: &str) -> String {
        if self.colour {
            format!("\u{1b}[{}m{text}\u{1b}[0m", colour as u8)
        } else {
            text.to_owned()
        }
    }
}

fn indented(out: &mut String, name: &str, text: &str) {
    let _ = writeln!(out, "        {name}");
    for line in text.lines() {
        let _ = writeln!(out, "          {line}");
    }
}

/// A complaint about a fixture, with its place.
fn problem_line(out: &mut String, problem: &Diagnostic) {
    let _ = match problem.location() {
        Some(location) => {
            let at = location.file.line_column(location.span.start);
            let (name, line, column) = (location.file.name(), at.line, at.column);
            let pointer = match location.pointer.as_str() {
                "" => String::new(),
                pointer => format!(" ({pointer})"),
            };
            writeln!(out, "        {name}:{line}:{column}: {problem}{pointer}")
        }
        None => writeln!(out, "        {problem}"),
    };
}
