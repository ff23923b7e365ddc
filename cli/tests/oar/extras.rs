//! `oar schema`, `oar completions`, `oar man`, and the manners of all commands.

use crate::run::{Directory, oar};
use crate::snapshot::root;

#[test]
fn schemas_are_printed_as_they_are_published() {
    for name in
        ["rule", "capability", "config", "test", "stream", "check", "audit", "fixture", "adapter"]
    {
        let ran = oar(&root(), &format!("schema {name}"), "");
        let path = root().join(format!("schema/{name}.schema.json"));
        assert_eq!(ran.out, std::fs::read_to_string(path).expect("a schema"));
        let schema = serde_json::from_str(&ran.out).expect("json");
        jsonschema::validator_for(&schema).expect("a schema");
    }
    assert_eq!(oar(&root(), "schema nothing", "").code, 2);
}

/// The schema of test files takes what the command takes.
#[test]
fn the_examples_follow_the_schema_of_test_files() {
    let schema = oar(&root(), "schema test", "").out;
    let schema = serde_json::from_str(&schema).expect("json");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let files = [
        "coding-basics/shell",
        "coding-basics/habits",
        "coding-basics/secrets",
        "mcp-gateway/gateway",
        "content-safety/safety",
    ];
    for file in files {
        let path = root().join(format!("examples/{file}.test.yaml"));
        let text = std::fs::read_to_string(path).expect("a file");
        let value = value(&text);
        let faults: Vec<String> = validator.iter_errors(&value).map(|e| e.to_string()).collect();
        assert!(faults.is_empty(), "{file}: {faults:?}");
    }
    let wrong = value("{oar_test: '1.0', cases: [{name: a, anchor: b, expect: {decisio: none}}]}");
    assert!(!validator.is_valid(&wrong));
}

fn value(text: &str) -> serde_json::Value {
    use oar_engine::document::source::{Format, ReadLimits, SourceFile, read};
    let reading = read(&SourceFile::new("x", text, Format::Yaml), &ReadLimits::default());
    reading.documents[0].root.to_json()
}

#[test]
fn completions_and_manual_pages_name_the_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = oar(&root(), &format!("completions {shell}"), "");
        assert!(ran.out.contains("explain") && ran.code == 0, "{shell}");
    }
    let page = oar(&root(), "man", "").out;
    assert!(page.starts_with(".ie") && page.contains("oar"), "{page}");
    let page = oar(&root(), "man check", "").out;
    assert!(page.contains("capability") && page.contains("check"), "{page}");
    let ran = oar(&root(), "man nothing", "");
    assert_eq!((ran.code, ran.err.as_str()), (2, "error: `oar` has no command `nothing`\n"));
}

#[test]
fn colour_is_for_terminals_and_where_it_is_asked_for() {
    let directory = Directory::with(&[("r.yaml", "oar: '1.0'\n")]);
    assert!(!directory.oar("check r.yaml").out.contains('\u{1b}'));
    assert!(directory.oar("check r.yaml --color always").out.contains('\u{1b}'));
    assert!(!directory.oar("check nowhere --color never").err.contains('\u{1b}'));
}

#[test]
fn nothing_is_written_beside_the_output() {
    let directory = Directory::with(&[("r.yaml", "oar: '1.0'\n")]);
    directory.oar("check r.yaml");
    let files = std::fs::read_dir(directory.path()).expect("readable").count();
    assert_eq!(files, 1);
}
