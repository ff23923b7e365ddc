//! Random fixtures are what they say: sound or broken, and always the same.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "this is test code"
)]

mod common;

use common::parse_text;
use oar_conformance::fixture::{Entry, ReadAs};
use oar_conformance::generate::{Family, generate};
use oar_conformance::in_process::InProcess;
use oar_conformance::runner::{Answer, Engine};

/// How often each answer came, over many fixtures of a family.
#[derive(Debug, Default)]
struct Tally {
    refused: usize,
    decided: usize,
    fired: usize,
    errored: usize,
}

fn tally(family: Family, count: u64) -> Tally {
    let mut tally = Tally::default();
    for number in 0..count {
        let generated = generate(family, 11, number);
        let text = generated.fixture.to_string();
        let Entry::Fixture(fixture) = parse_text(&text, ReadAs::Question) else {
            panic!("{text} is no fixture");
        };
        match InProcess.run(&fixture.question) {
            Answer::Report { occurrences, .. } => {
                assert!(generated.loads, "it should have been refused: {text}");
                tally.decided += 1;
                let applied: String =
                    occurrences.iter().map(|report| report["applied"].to_string()).collect();
                tally.fired += usize::from(applied.contains(":fired"));
                tally.errored += usize::from(applied.contains(":errored"));
            }
            Answer::Rejected { error, phase } => {
                assert!(!generated.loads, "it should have loaded: {text}\n{error}");
                assert!(phase.is_load(), "{error}");
                tally.refused += 1;
            }
            other => panic!("{other:?} for {text}"),
        }
    }
    tally
}

#[test]
fn sound_fixtures_load_and_broken_ones_are_refused() {
    for family in Family::ALL {
        let tally = tally(family, 400);
        let enough = |count: usize| count >= 20;
        assert!(enough(tally.decided), "{}: {tally:?}", family.name());
        let breaks = Family::SETTLED.contains(&family);
        assert!(!breaks || enough(tally.refused), "{}: {tally:?}", family.name());
        assert!(enough(tally.fired), "{}: {tally:?}", family.name());
        let raises = !matches!(family, Family::Copy | Family::Documents);
        assert!(!raises || enough(tally.errored), "{}: {tally:?}", family.name());
    }
}

#[test]
fn the_same_seed_and_number_give_the_same_fixture() {
    for family in Family::ALL {
        let text = |seed, number| generate(family, seed, number).fixture.to_string();
        assert_eq!(text(3, 5), text(3, 5));
        assert_ne!(text(3, 5), text(4, 5));
        assert_ne!(text(3, 5), text(3, 6));
    }
}
