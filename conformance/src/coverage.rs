//! Which clauses of the standard a corpus covers, which are exempt, and which are neither.
//!
//! A clause that no fixture can observe stands in `exempt.json` with a reason and with the test
//! that verifies it. An exemption whose test does not exist is worth nothing, and is reported.

mod tests_of;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::clauses::{self, Clause, Level};
use crate::fixture::{Corpus, area};

pub use tests_of::TestsOf;

/// A clause that no fixture can observe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exemption {
    /// The clause.
    pub clause: String,
    /// Why no fixture can observe it.
    pub reason: String,
    /// The test that verifies it, as `crate::module::name`.
    pub test: String,
}

/// Reads a list of exemptions.
///
/// # Errors
/// When the text is none.
pub fn read_exemptions(text: &str) -> Result<Vec<Exemption>, String> {
    const SHAPE: &str =
        "a list of objects with the strings `clause`, `reason` and `test` is wanted";
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let exemption = |item: &Value| {
        let text = |name: &str| Some(item.get(name)?.as_str()?.to_owned());
        Some(Exemption { clause: text("clause")?, reason: text("reason")?, test: text("test")? })
    };
    value
        .as_array()
        .and_then(|items| items.iter().map(exemption).collect())
        .ok_or_else(|| SHAPE.to_owned())
}

/// How a clause stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// At least one fixture covers it.
    Covered,
    /// No fixture can observe it, and a test verifies it.
    Exempt,
    /// It binds, and nothing verifies it.
    Uncovered,
    /// It does not bind, and nothing need verify it.
    Free,
}

impl Standing {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Covered => "covered",
            Self::Exempt => "exempt",
            Self::Uncovered => "uncovered",
            Self::Free => "not binding",
        }
    }
}

/// The coverage of a corpus.
#[derive(Debug)]
pub struct Coverage {
    /// Every clause, in the order of the standard.
    pub clauses: Vec<Covered>,
    /// What is wrong with the exemptions and with the clauses that fixtures name.
    pub problems: Vec<String>,
}

/// A clause and what verifies it.
#[derive(Debug)]
pub struct Covered {
    /// The clause.
    pub clause: &'static Clause,
    /// How it stands.
    pub standing: Standing,
    /// The fixtures that cover it.
    pub fixtures: Vec<String>,
    /// Its exemption, if it has one.
    pub exemption: Option<Exemption>,
}

impl Coverage {
    /// The coverage of `corpus`. `exists` tells whether the test of an exemption exists.
    #[must_use]
    pub fn of(corpus: &Corpus, exemptions: &[Exemption], exists: &dyn Fn(&str) -> bool) -> Self {
        let mut by_clause: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let mut problems = Vec::new();
        for fixture in corpus.fixtures() {
            for clause in &fixture.covers {
                by_clause.entry(clause).or_default().push(fixture.id().to_owned());
                match clauses::find(clause).map(|clause| clause.level) {
                    None => problems.push(format!("{}: there is no clause {clause}", fixture.id())),
                    Some(Level::Retired) => {
                        problems.push(format!("{}: {clause} is retired", fixture.id()));
                    }
                    Some(_) => {}
                }
            }
        }
        problems.extend(problems_of(exemptions, exists));
        let clauses = clauses::all()
            .iter()
            .map(|clause| {
                let fixtures = by_clause.remove(clause.id.as_str()).unwrap_or_default();
                let exemption = exemptions.iter().find(|e| e.clause == clause.id).cloned();
                let standing = match (&fixtures, &exemption) {
                    (fixtures, _) if !fixtures.is_empty() => Standing::Covered,
                    (_, Some(_)) => Standing::Exempt,
                    _ if clause.level == Level::Must => Standing::Uncovered,
                    _ => Standing::Free,
                };
                Covered { clause, standing, fixtures, exemption }
            })
            .collect();
        Self { clauses, problems }
    }

    /// Whether every binding clause is covered or exempt, and nothing is wrong.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.problems.is_empty() && self.count(None, Standing::Uncovered) == 0
    }

    /// The clauses that stand so, of one area or of all.
    fn count(&self, in_area: Option<&str>, standing: Standing) -> usize {
        self.clauses
            .iter()
            .filter(|c| in_area.is_none_or(|wanted| area(&c.clause.id) == Some(wanted)))
            .filter(|c| c.standing == standing)
            .count()
    }

    /// The areas, in the order of the standard.
    fn areas(&self) -> Vec<&'static str> {
        let mut areas = Vec::new();
        for covered in &self.clauses {
            match area(&covered.clause.id) {
                Some(area) if !areas.contains(&area) => areas.push(area),
                _ => {}
            }
        }
        areas
    }

    /// The counts as rows: the area, then how many are covered, exempt, uncovered, free.
    fn rows(&self) -> Vec<(&'static str, [usize; 4])> {
        let count = |area, standing| self.count(Some(area), standing);
        let row = |area| {
            use Standing::{Covered, Exempt, Free, Uncovered};
            (area, [Covered, Exempt, Uncovered, Free].map(|standing| count(area, standing)))
        };
        self.areas().into_iter().map(row).collect()
    }

    /// For a terminal: what is missing, then the counts. `all` lists every clause.
    #[must_use]
    pub fn text(&self, all: bool) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        for covered in &self.clauses {
            if all || covered.standing == Standing::Uncovered {
                let id = &covered.clause.id;
                let _ = writeln!(out, "{:9} {id:12} {}", covered.standing.name(), by(covered));
            }
        }
        for problem in &self.problems {
            let _ = writeln!(out, "problem   {problem}");
        }
        if !out.is_empty() {
            out.push('\n');
        }
        let _ = writeln!(out, "area   covered  exempt  uncovered  not binding");
        for (area, [covered, exempt, uncovered, free]) in self.rows() {
            let _ = writeln!(out, "{area:5}  {covered:7}  {exempt:6}  {uncovered:9}  {free:11}");
        }
        let total = |standing| self.count(None, standing);
        let _ = writeln!(
            out,
            "all    {:7}  {:6}  {:9}  {:11}",
            total(Standing::Covered),
            total(Standing::Exempt),
            total(Standing::Uncovered),
            total(Standing::Free)
        );
        out
    }

    /// As Markdown: the counts, then a table of every clause.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut out = String::from(
            "| area | covered | exempt | uncovered | not binding |\n|---|--:|--:|--:|--:|\n",
        );
        for (area, [covered, exempt, uncovered, free]) in self.rows() {
            let _ = writeln!(out, "| {area} | {covered} | {exempt} | {uncovered} | {free} |");
        }
        out.push_str("\n| clause | what it says | standing | by |\n|---|---|---|---|\n");
        for covered in &self.clauses {
            let Covered { clause, standing, .. } = covered;
            let cell = |text: &str| text.replace('|', "\\|");
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} |",
                clause.id,
                cell(&clause.summary),
                standing.name(),
                cell(&by(covered))
            );
        }
        for problem in &self.problems {
            let _ = writeln!(out, "\nProblem: {problem}.");
        }
        out
    }

    /// As one JSON object.
    #[must_use]
    pub fn json(&self) -> Value {
        let clauses: Vec<Value> = self
            .clauses
            .iter()
            .map(|covered| {
                let mut members = Map::new();
                let mut set = |name: &str, value: Value| members.insert(name.to_owned(), value);
                set("id", covered.clause.id.clone().into());
                set("standing", covered.standing.name().into());
                set("fixtures", json!(covered.fixtures));
                if let Some(exemption) = &covered.exemption {
                    set("reason", exemption.reason.clone().into());
                    set("test", exemption.test.clone().into());
                }
                Value::Object(members)
            })
            .collect();
        json!({"complete": self.is_complete(), "problems": self.problems, "clauses": clauses})
    }
}

/// What verifies a clause, in words; for an uncovered one, what it says.
fn by(covered: &Covered) -> String {
    match (covered.standing, &covered.exemption) {
        (Standing::Exempt, Some(exemption)) => format!("{} `{}`", exemption.reason, exemption.test),
        (Standing::Covered, _) => covered.fixtures.join(", "),
        _ => covered.clause.summary.clone(),
    }
}

fn problems_of(exemptions: &[Exemption], exists: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut problems = Vec::new();
    let mut seen = BTreeSet::new();
    for Exemption { clause, reason, test } in exemptions {
        if !seen.insert(clause) {
            problems.push(format!("{clause} is exempt twice"));
        }
        if clauses::find(clause).is_none() {
            problems.push(format!("{clause} is exempt and does not exist"));
        }
        if reason.trim().is_empty() {
            problems.push(format!("{clause} is exempt without a reason"));
        }
        if !exists(test) {
            problems.push(format!("{clause} is exempt by the test `{test}`, which does not exist"));
        }
    }
    problems
}
