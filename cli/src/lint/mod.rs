//! Lints: what the standard allows and an author hardly means.
//!
//! Each lint has a name, a reason and two examples, all in `docs/lints.md`, which is also what
//! `oar check --explain NAME` prints. A lint looks at rules that load; it warns, and never says
//! that a rule is wrong under the standard.

mod conditions;
mod counters;
mod domain;
mod enforcement;
mod facts;
mod logic;
mod selection;
mod set;

use std::collections::BTreeSet;

use oar_engine::diagnostic::{Diagnostic, Location};

use crate::output::{HEAD, Output, Trouble, listed, styled};

pub(crate) use domain::Domain;
pub(crate) use set::Set;

/// A lint.
pub(crate) struct Lint {
    pub(crate) name: &'static str,
    /// What it finds, in a line.
    pub(crate) summary: &'static str,
    run: fn(&Set<'_>, &mut Findings),
}

/// Every lint, in the order of the page.
pub(crate) const ALL: [Lint; 13] = [
    selection::NEVER_SELECTED,
    selection::IDLE_OVERRIDE,
    selection::SHADOWED,
    conditions::CONSTANT_CONDITION,
    conditions::IMPOSSIBLE_COMPARISON,
    counters::SELF_GATING,
    counters::UNREAD_COUNTER,
    counters::STILL_COUNTER,
    enforcement::OPEN_MANDATORY_BLOCK,
    enforcement::IDLE_MANDATORY,
    enforcement::OFF_SUBSTITUTE,
    facts::UNUSED_REQUIREMENT,
    facts::SECRET_IN_COPY,
];

/// What a lint found.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    lint: &'static str,
    location: Location,
    message: String,
    help: Option<String>,
    related: Option<(Location, String)>,
}

impl Finding {
    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    fn relate(mut self, location: Location, message: impl Into<String>) -> Self {
        self.related = Some((location, message.into()));
        self
    }
}

/// What the lints found.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    lint: &'static str,
    all: Vec<Finding>,
}

impl Findings {
    fn at(&self, location: Location, message: impl Into<String>) -> Finding {
        let message = message.into();
        Finding { lint: self.lint, location, message, help: None, related: None }
    }

    fn push(&mut self, finding: Finding) {
        self.all.push(finding);
    }
}

/// Which lints run, and which of them are errors.
#[derive(Clone, Debug, Default)]
pub(crate) struct Levels {
    allowed: BTreeSet<String>,
    denied: BTreeSet<String>,
}

impl Levels {
    /// # Errors
    /// When a name is that of no lint.
    pub(crate) fn new(allow: &[String], deny: &[String]) -> Result<Self, Trouble> {
        let every = "all".to_owned();
        for name in allow.iter().chain(deny).filter(|name| **name != every) {
            named(name)?;
        }
        let set = |names: &[String]| -> BTreeSet<String> {
            match names.contains(&every) {
                true => ALL.iter().map(|lint| lint.name.to_owned()).collect(),
                false => names.iter().cloned().collect(),
            }
        };
        // Who denies all and allows one means that one.
        let (allowed, mut denied) = (set(allow), set(deny));
        if deny.contains(&every) {
            denied.retain(|name| !allowed.contains(name));
        }
        if let Some(both) = allowed.intersection(&denied).next() {
            return Err(Trouble::Usage(format!("lint `{both}` is both allowed and denied")));
        }
        Ok(Self { allowed, denied })
    }
}

/// The lint of that name.
fn named(name: &str) -> Result<&'static Lint, Trouble> {
    let names = || ALL.iter().map(|lint| lint.name);
    if let Some(lint) = ALL.iter().find(|lint| lint.name == name) {
        return Ok(lint);
    }
    let help = match oar_expr::closest(name, names()) {
        Some(similar) => format!("did you mean `{similar}`?"),
        None => format!("the lints are {}", listed(names())),
    };
    Err(Trouble::Usage(format!("there is no lint `{name}`: {help}")))
}

/// What the lint of that name finds, in a line.
pub(crate) fn summary(name: &str) -> Option<&'static str> {
    ALL.iter().find(|lint| lint.name == name).map(|lint| lint.summary)
}

/// Runs the lints over rules that load, in the order of the text.
pub(crate) fn run(set: &Set<'_>, levels: &Levels) -> Vec<Diagnostic> {
    let mut findings = Findings::default();
    for lint in ALL.iter().filter(|lint| !levels.allowed.contains(lint.name)) {
        findings.lint = lint.name;
        (lint.run)(set, &mut findings);
    }
    findings.all.sort_by(|a, b| {
        let key = |finding: &Finding| finding.location.file.name().to_owned();
        let start = |finding: &Finding| finding.location.span.start;
        (key(a), start(a)).cmp(&(key(b), start(b)))
    });
    findings.all.into_iter().map(|finding| finding.diagnostic(levels)).collect()
}

impl Finding {
    fn diagnostic(self, levels: &Levels) -> Diagnostic {
        let diagnostic = match levels.denied.contains(self.lint) {
            true => Diagnostic::error(self.lint, self.message),
            false => Diagnostic::warning(self.lint, self.message),
        };
        let place = &self.location;
        let mut diagnostic = diagnostic.at(&place.file, place.span, &*place.pointer);
        if let Some((location, message)) = self.related {
            diagnostic = diagnostic.relate(location, message);
        }
        match self.help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }
}

/// The page that documents them.
const PAGE: &str = include_str!("../../../docs/lints.md");

/// Writes what the page says of a lint; false when there is none of that name.
pub(crate) fn explain(name: &str, output: &mut Output) -> bool {
    let Some(lint) = ALL.iter().find(|lint| lint.name == name) else { return false };
    let heading = format!("## {}\n", lint.name);
    let section = PAGE.split_once(&heading).map(|(_, rest)| rest).unwrap_or_default();
    let section = section.split("\n## ").next().unwrap_or_default();
    output.line(&format!("{}: {}", styled(HEAD, lint.name), lint.summary));
    output.line(section.trim_end());
    true
}
