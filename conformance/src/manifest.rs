//! The list of a corpus, and which of its fixtures every engine must be able to run.

use oar_engine::document::source::Node;
use serde_json::{Map, Value, json};

use crate::fixture::{Corpus, Fixture, Manifest};

/// The detector references that the corpus reserves ([OAR-CONF-25]).
pub const RESERVED_DETECTORS: [&str; 3] =
    ["detector://noop", "detector://error", "detector://fixture"];

/// Whether a capability document claims nothing that a conforming engine may lack
/// ([OAR-CONF-35]).
#[must_use]
pub fn is_baseline(capability: &Node) -> bool {
    let list = |name: &str| capability.get(name).map(|list| list.as_array());
    let is_empty = |name: &str| match list(name) {
        None => true,
        Some(items) => items.is_some_and(<[Node]>::is_empty),
    };
    let no_window = capability
        .get("activity_window")
        .is_none_or(|size| size.as_number().is_some_and(|number| number.as_i64() == Some(0)));
    let no_transform =
        capability.get("supports_transform").is_none_or(|flag| flag.as_bool() == Some(false));
    let is_reserved = |detector: &Node| {
        detector.as_str().is_some_and(|reference| RESERVED_DETECTORS.contains(&reference))
    };
    let only_reserved = match list("detectors") {
        None => true,
        Some(items) => items.is_some_and(|items| items.iter().all(is_reserved)),
    };
    is_empty("profiles") && is_empty("host_facts") && no_window && no_transform && only_reserved
}

/// The manifest of `corpus` as the text of its file.
#[must_use]
pub fn render(corpus: &Corpus) -> String {
    let mut fixtures: Vec<&Fixture> = corpus.fixtures().collect();
    fixtures.sort_by(|a, b| a.id().cmp(b.id()));
    let entries: Vec<Value> = fixtures.into_iter().map(entry).collect();
    let manifest = json!({
        "oar": "1.0",
        "description": "Conformance fixtures for Open Agent Rules 1.0. Written by `oar-conformance manifest`.",
        "fixtures": entries,
    });
    let mut text = format!("{manifest:#}");
    text.push('\n');
    text
}

fn entry(fixture: &Fixture) -> Value {
    let mut entry = Map::new();
    entry.insert("id".to_owned(), json!(fixture.id()));
    entry.insert("file".to_owned(), json!(format!("{}.json", fixture.id())));
    if let Some(title) = &fixture.title {
        entry.insert("title".to_owned(), json!(title));
    }
    entry.insert("covers".to_owned(), json!(fixture.covers));
    entry.insert("baseline".to_owned(), json!(fixture.baseline));
    Value::Object(entry)
}

/// Where `manifest` says something else than the fixtures of `corpus`, one line for each.
#[must_use]
pub fn differences(manifest: &Manifest, corpus: &Corpus) -> Vec<String> {
    let mut lines = Vec::new();
    for fixture in corpus.fixtures() {
        let id = fixture.id();
        let Some(listed) = manifest.entries.iter().find(|entry| entry.id == id) else {
            lines.push(format!("`{id}` is not listed"));
            continue;
        };
        if listed.file != format!("{id}.json") {
            lines.push(format!("`{id}` is listed under the file `{}`", listed.file));
        }
        if listed.title != fixture.title {
            lines.push(format!("`{id}` is listed with another title"));
        }
        if listed.covers != fixture.covers {
            lines.push(format!("`{id}` is listed with other clauses"));
        }
        if listed.baseline != fixture.baseline {
            let flag = fixture.baseline;
            lines.push(format!("`{id}` is listed with `baseline` {}, and it is {flag}", !flag));
        }
    }
    for (index, listed) in manifest.entries.iter().enumerate() {
        if !corpus.entries.iter().any(|entry| entry.id() == listed.id) {
            lines.push(format!("`{}` is listed and does not exist", listed.id));
        }
        if manifest.entries.iter().take(index).any(|earlier| earlier.id == listed.id) {
            lines.push(format!("`{}` is listed twice", listed.id));
        }
    }
    lines
}
