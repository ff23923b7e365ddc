//! Fixtures for the tests of the runner.
#![allow(dead_code, reason = "each test file uses a part")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "this is test code")]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use oar_conformance::fixture::{Corpus, Entry, Fixture, ReadAs, read};
use oar_engine::document::source::{self, Format, ReadLimits, SourceFile};
use serde_json::{Value, json};

/// A directory that is gone after the test.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let nth = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("oar-conformance-{}-{nth}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn write(&self, name: &str, text: impl ToString) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text.to_string()).unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The smallest host.
pub(crate) fn capability() -> Value {
    json!({
        "oar_capability_version": "1.0",
        "host": "oar.testhost",
        "anchors": {"core": {"tool.pre_invoke": "tool.pre_invoke"}, "unsupported": [
            "tool.handler", "tool.post_invoke", "agent.post_turn", "agent.finalize",
            "model.input", "model.output", "model.tool_result"
        ]},
        "profiles": [],
        "activity_window": 0,
        "detectors": [],
        "expression_nodes_max": 256,
        "supports_transform": false
    })
}

/// A fixture with one rule that blocks, and what is expected of it.
pub(crate) fn fixture(id: &str, expected: Value) -> Value {
    json!({
        "id": id,
        "title": format!("about {id}"),
        "covers": ["OAR-EVAL-4"],
        "rules": [{"oar": "1.0", "id": "A", "kind": "policy", "anchor": "tool.pre_invoke",
                   "effect": "block"}],
        "input": {"capability": capability(), "anchor": "tool.pre_invoke"},
        "expected": expected
    })
}

/// Reads a fixture as a member of a corpus.
pub(crate) fn parse(fixture: &Value) -> Entry {
    parse_text(&fixture.to_string(), ReadAs::Corpus { stem: None })
}

/// A JSON text as a value, numbers beyond binary64 as the outermost ones.
pub(crate) fn json_of(text: &str) -> Value {
    let file = SourceFile::new("a.json", text, Format::Json);
    source::read(&file, &ReadLimits::default()).into_result().unwrap().remove(0).root.to_json()
}

pub(crate) fn parse_text(text: &str, read_as: ReadAs<'_>) -> Entry {
    let file = SourceFile::new("a.json", text, Format::Json);
    let reading = source::read(&file, &ReadLimits::default());
    let root = reading.into_result().unwrap().remove(0).root;
    match read(&file, root, "", read_as) {
        Ok(fixture) => Entry::Fixture(Box::new(fixture)),
        Err(invalid) => Entry::Invalid(invalid),
    }
}

/// Reads a fixture that must be one.
pub(crate) fn sound(fixture: &Value) -> Box<Fixture> {
    match parse(fixture) {
        Entry::Fixture(fixture) => fixture,
        Entry::Invalid(invalid) => panic!("{:?}", invalid.problems),
    }
}

/// A corpus of `fixtures`, without files.
pub(crate) fn corpus(fixtures: &[Value]) -> Corpus {
    Corpus { entries: fixtures.iter().map(parse).collect() }
}
