//! Documents of each kind, as JSON and as YAML.

use oar_engine::document::source::{self, Format, ReadLimits, SourceFile};
use oar_engine::{Loader, Source};
use serde_json::{Value, json};

use crate::lab;

/// The first byte says what kind of document the rest is.
const KINDS: u8 = 4;

/// JSON is read or refused with places, means what `serde_json` says, and loads or is refused.
pub fn json(data: &[u8]) {
    let Some((kind, text)) = data.split_first() else { return };
    load(*kind, "document.json", text);
    let Ok(text) = std::str::from_utf8(text) else { return };
    let file = SourceFile::new("document.json", text, Format::Json);
    let ours = source::read(&file, &ReadLimits::default()).into_result();
    let theirs: Result<Value, _> = serde_json::from_str(text);
    match (ours, theirs) {
        (Ok(documents), Ok(value)) => {
            assert_eq!(documents.len(), 1);
            assert_eq!(documents[0].root.to_json(), value);
        }
        (Ok(_), Err(error)) => {
            // What we read and they do not: numbers past the doubles, a byte order mark, and the
            // deepest nesting.
            let words = error.to_string();
            let is_known = words.contains("number out of range")
                || words.contains("recursion limit")
                || text.starts_with('\u{feff}');
            assert!(is_known, "only we read it: {words}");
        }
        (Err(problems), Ok(value)) => {
            lab::check(&problems);
            // Whatever is wrong with the text is not wrong with what it means.
            let again = SourceFile::new("again.json", value.to_string(), Format::Json);
            let again = source::read(&again, &ReadLimits::default()).into_result();
            assert_eq!(again.expect("a plain text")[0].root.to_json(), value);
        }
        (Err(problems), Err(_)) => lab::check(&problems),
    }
}

/// YAML is read or refused with places, maps to JSON that reads back the same, and loads or not.
pub fn yaml(data: &[u8]) {
    let Some((kind, text)) = data.split_first() else { return };
    load(*kind, "document.yaml", text);
    let Ok(text) = std::str::from_utf8(text) else { return };
    let file = SourceFile::new("document.yaml", text, Format::Yaml);
    match source::read(&file, &ReadLimits::default()).into_result() {
        Err(problems) => lab::check(&problems),
        Ok(documents) => {
            for document in documents {
                let value = document.root.to_json();
                let again = SourceFile::new("again.json", value.to_string(), Format::Json);
                let again = source::read(&again, &ReadLimits::default()).into_result();
                assert_eq!(again.expect("what we wrote")[0].root.to_json(), value);
            }
        }
    }
}

fn load(kind: u8, name: &str, text: &[u8]) {
    let document = Source::bytes(name, text);
    let capability = || Source::value("capability", lab::capability());
    let rule = json!({"oar": "1.0", "id": "R", "kind": "policy", "anchor": "tool.pre_invoke",
        "effect": "warn"});
    let loader = match kind % KINDS {
        0 | 1 => Loader::new(capability()).rules(document),
        2 => Loader::new(document),
        _ => Loader::new(capability()).rules(Source::value("rule", rule)).config(document),
    };
    match loader.load() {
        Ok(loaded) => lab::check(&loaded.warnings),
        Err(error) => {
            assert!(!error.diagnostics().is_empty());
            lab::check(error.diagnostics());
        }
    }
}
