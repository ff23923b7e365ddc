//! Transforms of text whose characters take one to four bytes.
//!
//! Kept out, since the standard does not settle it: spans of no width, two insertions at one
//! offset, an insertion into what was rewritten before, and occurrences without content. So there
//! is at most one annotation, it comes before every rewrite, and every span has a width.

use serde_json::{Value, json};

use super::Draft;
use super::host::{TEXTS, capability};
use super::random::Random;

const FACTS: [&str; 3] = ["lab.one", "lab.two", "lab.three"];

/// One to four rules that change the content.
pub(super) fn draft(random: &mut Random) -> Draft {
    let content = content(random);
    let length = content.chars().count();
    let annotates = random.one_in(2);
    let count = random.within(1, 4);
    let loads = !random.one_in(8);
    let mut rules: Vec<Value> =
        (0..count).map(|index| rule(random, index, annotates && index == 0)).collect();
    if !loads && let Some(rule) = rules.first_mut() {
        fault(random, rule);
    }
    random.shuffle(&mut rules);
    let facts: Value =
        FACTS.into_iter().map(|name| (name.to_owned(), spans(random, length))).collect();
    let host_facts: Vec<Value> =
        FACTS.iter().map(|name| json!({"name": name, "type": "list<map>"})).collect();
    let claims = json!({"supports_transform": true, "host_facts": host_facts});
    let input = json!({
        "capability": capability(&claims),
        "anchor": "model.output",
        "facts": facts,
        "content": content,
    });
    Draft { rules, input, loads }
}

fn content(random: &mut Random) -> String {
    let mut content: String = (0..random.within(1, 6)).map(|_| random.pick(&TEXTS)).collect();
    content.push_str("end");
    content
}

/// The order of evaluation is that of the numbers.
fn rule(random: &mut Random, index: usize, annotates: bool) -> Value {
    let action = if annotates { "annotate" } else { random.pick(&["redact", "replace"]) };
    let target = random.pick(&["content", FACTS[0], FACTS[1], FACTS[1], FACTS[2], FACTS[2]]);
    let mut transform = json!({"action": action, "target": target});
    if (action != "redact" || random.one_in(2))
        && let Some(members) = transform.as_object_mut()
    {
        members.insert("replacement".to_owned(), random.pick(&TEXTS).into());
    }
    let mut rule = json!({
        "oar": "1.0", "id": format!("R{index}"), "kind": "policy", "anchor": "model.output",
        "effect": "transform", "transform": transform, "requires": {"facts": FACTS},
        "on_error": random.pick(&["fail_closed", "fail_open", "fail_open"]),
    });
    if random.one_in(4)
        && let Some(members) = rule.as_object_mut()
    {
        members.insert("when".to_owned(), json!("size(lab.one) > 1"));
    }
    rule
}

/// Up to four spans: inside, reaching out, overlapping, now and then malformed.
fn spans(random: &mut Random, length: usize) -> Value {
    (0..random.below(5))
        .map(|_| {
            let start = random.below(length + 1);
            let end = start + random.within(1, 4);
            if !random.one_in(24) {
                return json!({"start": start, "end": end, "kind": "found"});
            }
            match random.below(5) {
                0 => json!({"start": start}),
                1 => json!({"start": end, "end": start}),
                2 => json!({"start": -1, "end": end}),
                3 => json!({"start": "0", "end": end}),
                _ => json!({}),
            }
        })
        .collect()
}

/// Makes a rule one that no engine may load.
fn fault(random: &mut Random, rule: &mut Value) {
    let transform = random.pick(&[
        json!({"action": "replace", "target": "content"}),
        json!({"action": "annotate", "target": "lab.one"}),
        json!({"action": "remove", "target": "content"}),
        json!({"action": "redact"}),
        json!({"action": "redact", "target": "lab.unknown"}),
        json!({"action": "redact", "target": "anchor"}),
        json!({"action": "redact", "target": "content", "replacement": 1}),
    ]);
    if let Some(members) = rule.as_object_mut() {
        members.insert("transform".to_owned(), transform);
    }
}
