//! Transforms against the slow, obviously right way of applying them.

use std::sync::LazyLock;

use oar_engine::observe::FactValue;
use oar_engine::{Host, Loader, RuleSet, Session, Source};
use serde_json::{Value, json};

use crate::bytes::Bytes;
use crate::lab;
use crate::reference::transform::{Transform, apply, spans};
use crate::reference::value::Type;

const TARGETS: [&str; 4] = ["lab.spans", "lab.marks", "lab.more", "content"];
const ACTIONS: [&str; 4] = ["annotate", "redact", "replace", "redact"];
const MARKS: [&str; 3] = ["", "<>", "«é»"];
const RULES: usize = 32;
const CHARS: [char; 6] = ['a', 'b', 'é', '日', '\u{1f600}', '\u{301}'];

/// What is rule number `index`: every action on every target, in two different orders.
fn transform(index: usize) -> Value {
    let (action, target) =
        if index < RULES / 2 { (index / 4, index % 4) } else { (index % 4, index / 4 % 4) };
    match action {
        3 => json!({"action": ACTIONS[action], "target": TARGETS[target]}),
        _ => json!({
            "action": ACTIONS[action], "target": TARGETS[target],
            "replacement": MARKS[index % 3],
        }),
    }
}

/// A rule set in which `lab.tags` says which of the rules are about an occurrence.
fn rules() -> &'static RuleSet {
    static RULE_SET: LazyLock<RuleSet> = LazyLock::new(|| {
        let mut capability = lab::capability();
        let facts = capability["host_facts"].as_array_mut().unwrap();
        facts.push(json!({"name": "lab.more", "type": "list<map>"}));
        let rules = (0..RULES).map(|index| {
            let id = format!("R{index:02}");
            json!({
                "oar": "1.0", "id": id, "kind": "policy", "anchor": "model.output",
                "effect": "transform", "on_error": "fail_open", "transform": transform(index),
                "requires": {"facts": ["lab.spans", "lab.marks", "lab.more", "lab.tags"]},
                "selector": {"lab.tags": [id]},
            })
        });
        let rules = Source::value("rules", rules.collect());
        Loader::new(Source::value("capability", capability)).rules(rules).load().unwrap().rules
    });
    &RULE_SET
}

/// The content and the skipped spans are what the slow way says.
pub fn transforms(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let content: String = (0..bytes.below(24)).map(|_| CHARS[bytes.below(CHARS.len())]).collect();
    let mut facts = Vec::new();
    for target in &TARGETS[..3] {
        let mut list = Vec::new();
        for _ in 0..bytes.below(7) {
            let (start, width) = (bytes.below(26), bytes.below(8));
            list.push(match bytes.next() {
                250 => json!({"start": start + 1, "end": start}),
                251 => json!({"start": -1, "end": width}),
                252 => json!({"start": start}),
                253 => json!({"start": start, "end": i64::MAX}),
                254 => json!({"start": "0", "end": start}),
                _ => json!({"start": start, "end": start + width}),
            });
        }
        facts.push((*target, Value::Array(list)));
    }
    let mut chosen = Vec::new();
    while !bytes.is_empty() && chosen.len() < 8 {
        chosen.push(bytes.below(RULES));
    }
    chosen.sort_unstable();
    chosen.dedup();

    let mut occurrence = rules().occurrence("model.output").unwrap();
    let names: Value = chosen.iter().map(|index| json!(format!("R{index:02}"))).collect();
    occurrence.fact("lab.tags", FactValue::from(names)).unwrap();
    for (name, list) in &facts {
        occurrence.fact(name, FactValue::from(list.clone())).unwrap();
    }
    occurrence.content(&content);
    let (host, mut session) = (Host::new(), Session::new("s"));
    let report = host.decide(&mut session, &occurrence).report().to_json();

    let mut accumulated = Vec::new();
    for index in chosen {
        let document = transform(index);
        let target = document["target"].as_str().unwrap();
        let ranges = match facts.iter().find(|(name, _)| *name == target) {
            None => None,
            Some((_, list)) => match spans(&Type::Maps.read(list).unwrap()) {
                Ok(ranges) => Some(ranges),
                // The rule is errored and passed over.
                Err(_) => continue,
            },
        };
        accumulated.push(Transform { rule: format!("R{index:02}"), document, spans: ranges });
    }
    let (wanted, skipped) = apply(&content, &accumulated);
    assert_eq!(report["content"], wanted, "{accumulated:?} of {content:?}");
    assert_eq!(report["skipped_transforms"], Value::Array(skipped));
    let documents: Value = accumulated.into_iter().map(|t| t.document).collect();
    assert_eq!(report["transforms"], documents);
}
