//! Coverage of clauses, and the search for the tests that exemptions name.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "this is test code"
)]

mod common;

use std::path::Path;

use common::{Scratch, corpus, fixture};
use oar_conformance::clauses;
use oar_conformance::coverage::{Coverage, Exemption, Standing, TestsOf, read_exemptions};
use serde_json::json;

fn exempt(clause: &str, reason: &str, test: &str) -> Exemption {
    Exemption { clause: clause.to_owned(), reason: reason.to_owned(), test: test.to_owned() }
}

fn standing(coverage: &Coverage, clause: &str) -> Standing {
    coverage.clauses.iter().find(|c| c.clause.id == clause).unwrap().standing
}

#[test]
fn a_clause_is_covered_exempt_uncovered_or_free() {
    let corpus = corpus(&[fixture("a", json!({"decision": "block"}))]);
    let exemptions = [exempt("OAR-DOC-28", "no path reaches it", "x::y")];
    let coverage = Coverage::of(&corpus, &exemptions, &|_| true);
    assert_eq!(coverage.clauses.len(), clauses::all().len());
    assert_eq!(standing(&coverage, "OAR-EVAL-4"), Standing::Covered);
    assert_eq!(standing(&coverage, "OAR-DOC-28"), Standing::Exempt);
    assert_eq!(standing(&coverage, "OAR-EVAL-5"), Standing::Uncovered);
    assert_eq!(standing(&coverage, "OAR-CONF-27"), Standing::Free);
    assert!(!coverage.is_complete());
    let text = coverage.text(false);
    assert!(text.contains("uncovered OAR-EVAL-5"), "{text}");
    assert!(!text.contains("OAR-EVAL-4 "), "what is covered is only counted: {text}");
    assert!(coverage.markdown().contains("| OAR-EVAL-4 |"));
    assert_eq!(coverage.json()["complete"], json!(false));
}

#[test]
fn a_corpus_that_leaves_nothing_out_is_complete() {
    let mut all = fixture("a", json!({"decision": "block"}));
    let binding = clauses::all().iter().filter(|clause| clause.level == clauses::Level::Must);
    all["covers"] = binding.map(|clause| json!(clause.id)).collect();
    assert!(Coverage::of(&corpus(&[all]), &[], &|_| true).is_complete());
}

#[test]
fn an_exemption_needs_a_clause_a_reason_and_a_test_that_exists() {
    let exemptions = [
        exempt("OAR-DOC-28", "r", "there"),
        exempt("OAR-DOC-28", "r", "there"),
        exempt("OAR-DOC-99", "r", "there"),
        exempt("OAR-DOC-27", " ", "there"),
        exempt("OAR-DOC-26", "r", "gone"),
    ];
    let mut fixture = fixture("a", json!({"decision": "block"}));
    fixture["covers"] = json!(["OAR-NONE-1", "OAR-CONF-28"]);
    let coverage = Coverage::of(&corpus(&[fixture]), &exemptions, &|test| test == "there");
    assert_eq!(
        coverage.problems,
        [
            "a: there is no clause OAR-NONE-1",
            "a: OAR-CONF-28 is retired",
            "OAR-DOC-28 is exempt twice",
            "OAR-DOC-99 is exempt and does not exist",
            "OAR-DOC-27 is exempt without a reason",
            "OAR-DOC-26 is exempt by the test `gone`, which does not exist"
        ]
    );
    assert!(read_exemptions("[{\"clause\": \"OAR-DOC-1\"}]").is_err());
    assert!(read_exemptions("{}").is_err());
}

#[test]
fn tests_are_found_where_cargo_would_find_them() {
    let root = Scratch::new();
    let file = |path: &str, text: &str| {
        let path = root.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    file("engine/Cargo.toml", "[package]\nname = \"my-engine\"\n");
    file(
        "engine/src/lib.rs",
        "mod load;\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn at_the_top() {}\n}\n",
    );
    file("engine/src/load/mod.rs", "mod tests {\n #[test]\n fn inline() {}\n fn no_test() {}\n}");
    file("engine/src/load/deep/tests.rs", "#[test]\n#[should_panic]\nfn in_a_file() {}\n");
    file("engine/tests/whole.rs", "#[test]\nfn from_outside() {}\n");
    let tests = TestsOf::workspace(root.path()).unwrap();
    for there in [
        "my-engine::tests::at_the_top",
        "my-engine::load::tests::inline",
        "my-engine::load::deep::tests::in_a_file",
        "my-engine::whole::from_outside",
    ] {
        assert!(tests.contains(there), "{there}");
    }
    for gone in [
        "my-engine::load::tests::no_test",
        "my-engine::tests::inline",
        "my-engine::load::tests::in_a_file",
        "other::whole::from_outside",
        "from_outside",
    ] {
        assert!(!tests.contains(gone), "{gone}");
    }
}

#[test]
fn the_search_finds_the_tests_of_this_workspace() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let tests = TestsOf::workspace(root).unwrap();
    assert!(
        tests.contains("oar-conformance::covering::the_search_finds_the_tests_of_this_workspace")
    );
    assert!(!tests.contains("oar-conformance::covering::no_such_test"));
}
