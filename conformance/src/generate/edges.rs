//! Transforms at the edges: spans of no width, several insertions at one offset or into what was
//! rewritten, spans that reach out by a hair or by far, empty content and none.
//!
//! The standard does not settle all of it; this family follows `spec/notes.md`.

use serde_json::{Value, json};

use super::Draft;
use super::host::{TEXTS, capability};
use super::random::Random;
use super::rules::set;

const FACTS: [&str; 3] = ["lab.one", "lab.two", "lab.three"];

/// One to six rules over content of at most eight characters, so that spans meet.
pub(super) fn draft(random: &mut Random) -> Draft {
    let mut content: String = (0..random.below(4)).map(|_| random.pick(&TEXTS)).collect();
    if let Some((end, _)) = content.char_indices().nth(8) {
        content.truncate(end);
    }
    let length = content.chars().count();
    let rules: Vec<Value> = (0..random.within(1, 6)).map(|index| rule(random, index)).collect();
    let facts: Value =
        FACTS.into_iter().map(|name| (name.to_owned(), spans(random, length))).collect();
    let host_facts: Vec<Value> =
        FACTS.iter().map(|name| json!({"name": name, "type": "list<map>"})).collect();
    let mut input = json!({
        "capability": capability(&json!({"supports_transform": true, "host_facts": host_facts})),
        "anchor": "model.output",
        "facts": facts,
    });
    if !random.one_in(12) {
        set(&mut input, "content", json!(content));
    }
    Draft { rules, input, loads: true }
}

fn rule(random: &mut Random, index: usize) -> Value {
    let action = random.pick(&["annotate", "annotate", "redact", "replace"]);
    let target = random.pick(&["lab.one", "lab.one", "lab.two", "lab.two", "lab.three", "content"]);
    let mut transform = json!({"action": action, "target": target});
    if action != "redact" || random.one_in(2) {
        // Told apart in the result, and of different lengths.
        let mark = random.pick(&["", "<", "<>", "«é»"]);
        set(&mut transform, "replacement", json!(format!("{mark}{index}")));
    }
    json!({
        "oar": "1.0", "id": format!("R{index}"), "kind": "policy", "anchor": "model.output",
        "effect": "transform", "transform": transform, "requires": {"facts": FACTS},
        "on_error": random.pick(&["fail_open", "fail_open", "fail_closed"]),
    })
}

fn spans(random: &mut Random, length: usize) -> Value {
    (0..random.below(5))
        .map(|_| {
            let start = random.below(length + 2);
            let end = start + random.below(4);
            match random.below(60) {
                0 => json!({"start": start, "end": 1.0}),
                1 => json!({"start": end + 1, "end": end}),
                2 => json!({"start": u64::MAX, "end": u64::MAX}),
                3 => json!({"start": 0, "end": i64::MAX}),
                _ => json!({"start": start, "end": end, "more": [null]}),
            }
        })
        .collect()
}
