//! Checks a corpus itself: that its fixtures assert something, can be met, and ask for no more
//! than they need.
//!
//! `statics` looks at the text of each fixture, `minimal` takes each declaration out of a
//! capability document and asks an engine again ([OAR-CONF-36]).

mod minimal;
mod statics;

use std::collections::BTreeMap;

use crate::fixture::{Corpus, Entry, Fixture, Manifest};
use crate::manifest::differences;
use crate::runner::Engine;

/// Something wrong with a fixture or with the list of fixtures.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The identifier of the fixture; `manifest` for the list.
    pub id: String,
    /// The clause that asks for it, or a word where it is our own wish.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}: {}", self.id, self.code, self.message)
    }
}

/// Everything that is wrong with `corpus` and, where there is one, with its `manifest`. `engine`
/// must be one that runs the fixtures as they should be run.
#[must_use]
pub fn lint(corpus: &Corpus, manifest: Option<&Manifest>, engine: &mut dyn Engine) -> Vec<Finding> {
    let mut findings = Vec::new();
    for entry in &corpus.entries {
        match entry {
            Entry::Invalid(invalid) => {
                let finding = |problem: &oar_engine::diagnostic::Diagnostic| Finding {
                    id: invalid.id.clone(),
                    code: problem.code(),
                    message: problem.message().to_owned(),
                };
                findings.extend(invalid.problems.iter().map(finding));
            }
            Entry::Fixture(fixture) => {
                statics::check(fixture, &mut findings);
                minimal::check(fixture, engine, &mut findings);
            }
        }
    }
    repeated(corpus, &mut findings);
    if let Some(manifest) = manifest {
        findings.extend(differences(manifest, corpus).into_iter().map(|message| Finding {
            id: "manifest".to_owned(),
            code: "OAR-CONF-35",
            message,
        }));
    }
    findings
}

/// Two fixtures that ask the same and expect the same.
fn repeated(corpus: &Corpus, findings: &mut Vec<Finding>) {
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    for fixture in corpus.fixtures() {
        let key = format!("{}{:?}{:?}", asked(fixture), fixture.expected, fixture.expected_of);
        match seen.get(&key) {
            Some(first) => findings.push(Finding {
                id: fixture.id().to_owned(),
                code: "duplicate",
                message: format!("it asks and expects the same as `{first}`"),
            }),
            None => {
                seen.insert(key, fixture.id());
            }
        }
    }
}

/// What is asked, without what it is called.
fn asked(fixture: &Fixture) -> String {
    use crate::fixture::wire::{Edit, Step, rewrite};
    rewrite(&fixture.question.root, |path| match path {
        [Step::Member("id" | "title" | "covers" | "expected")] => Edit::Omit,
        _ => Edit::Keep,
    })
}
