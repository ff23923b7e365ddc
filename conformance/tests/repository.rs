//! The list of clauses is whole, and nothing in the repository names a clause that is not in it.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "this is test code"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use oar_conformance::clauses;
use oar_conformance::coverage::TestsOf;

/// The areas of Open Agent Rules 1.0, each with its last number: none in between is left out.
const AREAS: [(&str, u32); 12] = [
    ("DOC", 32),
    ("SEL", 9),
    ("EVAL", 20),
    ("FACT", 28),
    ("FIRE", 11),
    ("OPS", 23),
    ("PROF", 10),
    ("CFG", 8),
    ("CONF", 40),
    ("VER", 5),
    ("EXPR", 24),
    ("COPY", 11),
];

/// Identifiers that tests make up.
const MADE_UP: [&str; 4] = ["OAR-EVAL-99", "OAR-EVAL-400", "OAR-DOC-99", "OAR-NONE-1"];

#[test]
fn the_list_has_every_clause_once() {
    let mut wanted = Vec::new();
    for (area, last) in AREAS {
        wanted.extend((1..=last).map(|number| format!("OAR-{area}-{number}")));
    }
    let mut listed: Vec<&str> = clauses::all().iter().map(|clause| clause.id.as_str()).collect();
    listed.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(listed, wanted);
    for clause in clauses::all() {
        assert!(!clause.summary.is_empty() && !clause.section.is_empty(), "{}", clause.id);
    }
}

#[test]
fn no_file_names_a_clause_that_is_not_listed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut unknown: BTreeMap<String, PathBuf> = BTreeMap::new();
    let mut named = 0;
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                if name != "target" && name != ".git" && name != "node_modules" {
                    folders.push(path);
                }
                continue;
            }
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            for id in identifiers(&text) {
                named += 1;
                if clauses::find(id).is_none() && !MADE_UP.contains(&id) {
                    unknown.insert(id.to_owned(), path.clone());
                }
            }
        }
    }
    assert!(named > 2000, "only {named} identifiers were found");
    assert!(unknown.is_empty(), "{unknown:#?}");
}

/// The threat model names the test or fixture that shows each of its lines, and they are there.
#[test]
fn the_threat_model_names_tests_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let text = std::fs::read_to_string(root.join("docs/threat-model.md")).unwrap();
    let tests = TestsOf::workspace(root).unwrap();
    let mut named = 0;
    for row in text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| it tries"))
    {
        let Some(shown) = row.trim_end_matches(" |").rsplit(" | ").next() else { continue };
        if shown == "shown by" {
            continue;
        }
        let names: Vec<&str> = shown.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "nothing shows: {row}");
        for name in names {
            let fixture = root.join(format!("conformance/corpus/{name}.json"));
            assert!(tests.contains(name) || fixture.exists(), "{name} is not there");
            named += 1;
        }
    }
    assert!(named > 25, "only {named} are named");
}

/// Whatever in `text` looks like the identifier of a clause.
fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-';
    text.match_indices("OAR-").filter_map(move |(start, prefix)| {
        let rest = text.get(start..)?;
        let (area, rest_of_it) = rest.get(prefix.len()..)?.split_once('-')?;
        let digits = rest_of_it.bytes().take_while(u8::is_ascii_digit).count();
        let is_one = !area.is_empty() && area.chars().all(is_part) && digits > 0;
        is_one.then(|| rest.get(..prefix.len() + area.len() + 1 + digits)).flatten()
    })
}
