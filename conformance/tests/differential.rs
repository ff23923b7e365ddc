//! The engine against a naive second one (`reference/`), over random fixtures.
//!
//! `cargo test` looks at some thousands. For as many as you like, and with other random numbers:
//!
//! ```sh
//! OAR_CASES=1000000 OAR_SEED=7 cargo test --release -p oar-conformance --test differential
//! ```
//!
//! `OAR_CASES` is the number of fixtures of all families together.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "this is test code"
)]

mod common;
mod mutation;
mod reference;
mod refusing;

use common::parse_text;
use oar_conformance::compare::differing_members;
use oar_conformance::fixture::{Entry, ReadAs};
use oar_conformance::generate::{Family, generate};
use oar_conformance::in_process::InProcess;
use oar_conformance::runner::{Answer, Engine};
use serde_json::Value;

/// What the environment says, as a number.
fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

/// How many fixtures a test looks at that takes `share` of a hundred.
fn cases(share: u64) -> u64 {
    (number("OAR_CASES", 4_000) * share / 100).max(1)
}

/// What the engine makes of a fixture.
fn ask(text: &str) -> Answer {
    let Entry::Fixture(fixture) = parse_text(text, ReadAs::Question) else {
        panic!("{text} is no fixture");
    };
    InProcess.run(&fixture.question)
}

/// What the two make differently of a fixture that loads.
fn differences(fixture: &Value, answer: &Answer) -> Vec<String> {
    let Answer::Report { report, occurrences } = answer else {
        return vec![format!("the reference says that it loads, the engine: {answer:?}")];
    };
    let wanted = reference::run::answer(fixture, &|_, _, _| false);
    let mut found = Vec::new();
    let mut compare = |place: &str, wanted: &Value, got: &Value| {
        for member in differing_members(wanted, got) {
            let (wanted, got) = (&wanted[member], &got[member]);
            found.push(format!("{place} {member}: reference {wanted}, engine {got}"));
        }
    };
    assert_eq!(occurrences.len(), wanted.occurrences.len());
    for (index, (wanted, got)) in wanted.occurrences.iter().zip(occurrences).enumerate() {
        compare(&format!("occurrence {index}"), wanted, got);
    }
    compare("run", &wanted.report, report);
    found
}

/// Collects disagreements and shows the first of them.
#[derive(Default)]
struct Disagreements {
    count: u64,
    shown: String,
}

impl Disagreements {
    fn add(&mut self, fixture: &Value, found: &[String]) {
        self.count += u64::from(!found.is_empty());
        if !found.is_empty() && self.count <= 3 {
            self.shown.push_str(&format!("\n{fixture}\n  {}\n", found.join("\n  ")));
        }
    }

    fn finish(&self, of: u64) {
        assert!(self.count == 0, "{} of {of} differ:{}", self.count, self.shown);
    }
}

fn family(family: Family, share: u64) {
    let (seed, count) = (number("OAR_SEED", 1), cases(share));
    let mut disagreements = Disagreements::default();
    for number in 0..count {
        let generated = generate(family, seed, number);
        let answer = ask(&generated.fixture.to_string());
        let found = if generated.loads {
            assert!(reference::run::conditions_and_copy_are_sound(&generated.fixture));
            differences(&generated.fixture, &answer)
        } else if matches!(&answer, Answer::Rejected { phase, .. } if phase.is_load()) {
            Vec::new()
        } else {
            vec![format!("it is broken, and the engine says {answer:?}")]
        };
        disagreements.add(&generated.fixture, &found);
    }
    disagreements.finish(count);
}

#[test]
fn conditions() {
    family(Family::Conditions, 20);
}

#[test]
fn rules() {
    family(Family::Rules, 20);
}

#[test]
fn transforms() {
    family(Family::Transforms, 10);
}

#[test]
fn copy() {
    family(Family::Copy, 5);
}

#[test]
fn documents() {
    family(Family::Documents, 5);
}

#[test]
fn failures() {
    family(Family::Failures, 20);
}

#[test]
fn edges() {
    family(Family::Edges, 10);
}

/// Texts that are a condition, or copy, or just not any more: the two agree on which.
fn mutated(of: Family, member: &str, share: u64) {
    let (seed, count) = (number("OAR_SEED", 1), cases(share));
    let mut disagreements = Disagreements::default();
    let mut sound = 0;
    for number in 0..count {
        let mut fixture = generate(of, seed.wrapping_add(1), number).fixture;
        // One rule, so that the verdict is about one text.
        fixture["rules"].as_array_mut().unwrap().truncate(1);
        let rule = &mut fixture["rules"][0];
        let mut random = mutation::Random::new(seed, number);
        let texts: Vec<&mut Value> = match &mut rule[member] {
            Value::Object(members) => members.values_mut().collect(),
            Value::Null => Vec::new(),
            text => vec![text],
        };
        for text in texts {
            *text = mutation::mutate(&mut random, text.as_str().unwrap()).into();
        }
        let answer = ask(&fixture.to_string());
        let found = if reference::run::conditions_and_copy_are_sound(&fixture) {
            sound += 1;
            differences(&fixture, &answer)
        } else if matches!(&answer, Answer::Rejected { phase, .. } if phase.is_load()) {
            Vec::new()
        } else {
            vec![format!("it is no {member}, and the engine says {answer:?}")]
        };
        disagreements.add(&fixture, &found);
    }
    disagreements.finish(count);
    let both = sound * 10 > count && sound < count;
    assert!(count < 100 || both, "{sound} of {count} are sound");
}

#[test]
fn mutated_conditions() {
    mutated(Family::Conditions, "when", 10);
}

#[test]
fn mutated_copy() {
    mutated(Family::Copy, "copy", 5);
}

/// A store or a stream that refuses what a rule declares ([OAR-FIRE-9]).
#[test]
fn refused_side_effects() {
    let (seed, count) = (number("OAR_SEED", 1), cases(5));
    let mut disagreements = Disagreements::default();
    for number in 0..count {
        let of = if number % 2 == 0 { Family::Rules } else { Family::Failures };
        let generated = generate(of, seed.wrapping_add(2), number);
        if !generated.loads {
            continue;
        }
        let refuses = refusing::Refuses { number };
        let says =
            |occurrence: usize, rule: &str, action: &str| refuses.refuses(occurrence, rule, action);
        let wanted = reference::run::answer(&generated.fixture, &says);
        let got = refusing::decide(&generated.fixture, refuses);
        let mut found = Vec::new();
        for (index, (wanted, got)) in wanted.occurrences.iter().zip(&got).enumerate() {
            for member in differing_members(wanted, got) {
                let (wanted, got) = (&wanted[member], &got[member]);
                found
                    .push(format!("occurrence {index} {member}: reference {wanted}, engine {got}"));
            }
        }
        disagreements.add(&generated.fixture, &found);
    }
    disagreements.finish(count);
}
