//! Whatever can go wrong at an occurrence: values of wrong types from host and detector, failing
//! detectors, calls without a fingerprint, malformed spans, conditions that raise; under each
//! `on_error` and each enforcement, beside suppression, counters and transforms.
//!
//! Where the standard leaves a choice this family follows `spec/notes.md`.

use serde_json::{Map, Value, json};

use super::Draft;
use super::host::{Type, capability, text, value};
use super::random::Random;
use super::rules::{ACTIONS, Name, reference, set};

const KINDS: [&str; 5] = ["schema", "policy", "invariant", "detector", "detector"];
const WINDOW: usize = 2;

/// What is observed: by the host, or by a detector, or both.
const FACTS: [(&str, Type); 9] = [
    ("lab.count", Type::Int),
    ("lab.ratio", Type::Double),
    ("lab.name", Type::String),
    ("lab.tags", Type::Strings),
    ("lab.spans", Type::Maps),
    ("lab.rank", Type::Int),
    ("jailbreak_score", Type::Double),
    ("principal", Type::String),
    ("policy_denied", Type::Bool),
];

/// What copy can name.
const TOLD: [&str; 10] = [
    "lab.count",
    "lab.ratio",
    "lab.name",
    "lab.tags",
    "jailbreak_score",
    "principal",
    "tool_args_fingerprint",
    "fire_count",
    "anchor",
    "content_length",
];

/// Two to six rules, one to three occurrences.
pub(super) fn draft(random: &mut Random) -> Draft {
    let names: Vec<Name> = (0..random.within(2, 6))
        .map(|index| Name {
            namespace: random.pick(&[None, Some("lab"), Some("lab")]),
            id: format!("{}{index}", random.pick(&["A", "M", "Z"])),
        })
        .collect();
    let mut rules: Vec<Value> = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let mut rule = rule(random, name, &names);
        // Only of later ones, and so never in a circle.
        let suppressed: Vec<String> = names
            .iter()
            .skip(index + 1)
            .filter(|_| random.one_in(5))
            .filter_map(|other| name.reference(other))
            .collect();
        if !suppressed.is_empty() {
            set(&mut rule, "overrides", json!(suppressed));
        }
        rules.push(rule);
    }
    random.shuffle(&mut rules);
    let occurrences: Vec<Value> = (0..random.within(1, 3)).map(|_| occurrence(random)).collect();
    let declared = |(name, ty): &(&str, Type)| {
        name.starts_with("lab.").then(|| match *name {
            "lab.rank" => json!({"name": name, "type": "(string) -> int"}),
            _ => json!({"name": name, "type": ty.name()}),
        })
    };
    let host_facts: Vec<Value> = FACTS.iter().filter_map(declared).collect();
    let input = json!({
        "capability": capability(&json!({
            "profiles": ["tool", "session", "jailbreak", "content"],
            "detectors": ["detector://noop", "detector://error", "detector://fixture"],
            "supports_transform": true,
            "activity_window": WINDOW,
            "host_facts": host_facts,
        })),
        "session_id": "s",
        "occurrences": occurrences,
    });
    Draft { rules, input, loads: true }
}

fn rule(random: &mut Random, name: &Name, names: &[Name]) -> Value {
    let kind = random.pick(&KINDS);
    let effect = random.pick(&["block", "warn", "nudge", "nudge", "allow", "transform"]);
    let host_facts: Vec<&str> =
        FACTS.iter().map(|(name, _)| *name).filter(|name| name.starts_with("lab.")).collect();
    let mut rule = json!({
        "oar": "1.0", "id": name.id, "kind": kind, "anchor": "tool.pre_invoke", "effect": effect,
        "requires": {
            "profiles": ["tool", "session", "jailbreak", "content"], "facts": host_facts,
        },
    });
    if let Some(namespace) = name.namespace {
        set(&mut rule, "namespace", json!(namespace));
    }
    if kind == "detector" {
        let reference = random.pick(&["fixture", "fixture", "fixture", "fixture", "noop", "error"]);
        set(&mut rule, "detector", json!({"ref": format!("detector://{reference}")}));
    }
    if effect == "transform" {
        let action = random.pick(&["redact", "replace", "annotate"]);
        let target = random.pick(&["lab.spans", "lab.spans", "content"]);
        let mut transform = json!({"action": action, "target": target});
        if action != "redact" || random.one_in(2) {
            set(&mut transform, "replacement", json!(text(random)));
        }
        set(&mut rule, "transform", transform);
    }
    if !random.one_in(4) {
        set(&mut rule, "when", when(random, name, names).into());
    }
    if random.one_in(4) {
        let (clause, wanted) = random.pick(&[
            ("tool", "read"),
            ("lab.name", "a"),
            ("lab.tags", "a"),
            ("tool_args_fingerprint", "a"),
            ("anchor", "tool.pre_invoke"),
        ]);
        let mut selector = json!({(clause): [wanted, "é"]});
        if random.one_in(3) {
            let list = random.pick(&[Vec::new(), vec!["read", "a"]]);
            set(&mut selector, random.pick(&["tool", "principal"]), json!(list));
        }
        set(&mut rule, "selector", selector);
    }
    if random.one_in(6) {
        set(&mut rule, "flow", json!([random.pick(&["read", "write"])]));
    }
    if random.one_in(4) {
        set(&mut rule, "enforcement", json!(random.pick(&["monitor", "monitor", "off"])));
    }
    if random.one_in(2) {
        let actions: Vec<&str> = (0..random.within(1, 3)).map(|_| random.pick(&ACTIONS)).collect();
        set(&mut rule, "on_fire", json!(actions));
    }
    if random.one_in(3) {
        let scope = random.pick(&["lab.name", "tool_args_fingerprint", "principal"]);
        set(&mut rule, "counter_scope", json!(scope));
    }
    let substitute = reference(random, name, names);
    let on_error = random.pick(&["fail_closed".to_owned(), "fail_open".to_owned(), substitute]);
    set(&mut rule, "on_error", json!(on_error));
    if random.one_in(2) {
        let (a, b) = (random.pick(&TOLD), random.pick(&TOLD));
        let copy = match random.below(3) {
            0 => format!("{{{{ {a} }}}}"),
            1 => format!("{{% if {a} %}}{{{{ {b} }}}}{{% else %}}none{{% endif %}}"),
            _ => "plain".to_owned(),
        };
        set(&mut rule, "copy", json!({"title": "always", "what": copy}));
    }
    rule
}

fn when(random: &mut Random, name: &Name, names: &[Name]) -> String {
    let other = reference(random, name, names);
    match random.below(14) {
        0 => "lab.count > 0".to_owned(),
        1 => "10 / lab.count >= 0".to_owned(),
        2 => "lab.ratio < 0.5 || lab.name == 'a'".to_owned(),
        3 => "lab.tags[0] == 'a'".to_owned(),
        4 => "size(lab.tags) > 0 && lab.tags[0] != ''".to_owned(),
        5 => "size(lab.spans) > 1".to_owned(),
        6 => "lab.rank(lab.name) >= 0".to_owned(),
        7 => "jailbreak_score > 0.5".to_owned(),
        8 => "jailbreak_score > 0.5 || lab.count == 0".to_owned(),
        9 => "principal == '' || tool_args_fingerprint != ''".to_owned(),
        10 => "tool_args_fingerprint != ''".to_owned(),
        11 => format!("fire_count_of('{other}') < 2"),
        12 => format!("policy_denied || breaker_count_of('{other}') == 0"),
        _ => "content_length + lab.count != 1".to_owned(),
    }
}

fn occurrence(random: &mut Random) -> Value {
    let content = random.one_in(4).then(String::new).or_else(|| {
        let text: String = (0..random.within(1, 4)).map(|_| text(random)).collect();
        random.one_in(2).then_some(text)
    });
    let length = content.as_deref().map_or(2, |content| content.chars().count());
    let facts = observed(random, 3, length);
    let mut occurrence = json!({"anchor": "tool.pre_invoke", "facts": facts});
    if let Some(content) = content {
        set(&mut occurrence, "content", json!(content));
    }
    if !random.one_in(3) {
        let facts = observed(random, 2, length);
        set(&mut occurrence, "detector_facts", facts);
    }
    if !random.one_in(4) {
        let name = random.pick(&["read", "write"]);
        // A double cannot hold the last one.
        let n = random.pick(&[0, 1, 1_i64 << 53, (1 << 53) + 1]);
        set(&mut occurrence, "tool_call", json!({"name": name, "arguments": {"n": n}}));
    }
    occurrence
}

/// About one in `share` of the facts; of those some with a value of a wrong type.
fn observed(random: &mut Random, share: usize, length: usize) -> Value {
    let mut facts = Map::new();
    for (name, ty) in FACTS {
        if !random.one_in(share) {
            continue;
        }
        let value = match name {
            _ if random.one_in(10) => wrong(random, ty),
            "lab.spans" => spans(random, length),
            "lab.count" => json!(random.below(3)),
            "jailbreak_score" => json!(random.pick(&[0.25, 0.75])),
            _ => value(random, ty),
        };
        facts.insert(name.to_owned(), value);
    }
    Value::Object(facts)
}

/// A value that is none of type `ty`.
fn wrong(random: &mut Random, ty: Type) -> Value {
    let other = match ty {
        Type::Int => random.pick(&[json!(0.5), json!("1"), json!(9_223_372_036_854_775_808_u64)]),
        Type::Double | Type::Bool => random.pick(&[json!("0.9"), json!([])]),
        Type::String => random.pick(&[json!(1), json!(["a"])]),
        Type::Strings => random.pick(&[json!("a"), json!(["a", 1])]),
        _ => random.pick(&[json!({}), json!([1])]),
    };
    random.pick(&[Value::Null, other.clone(), other])
}

fn spans(random: &mut Random, length: usize) -> Value {
    (0..random.below(4))
        .map(|_| {
            let start = random.below(length + 1);
            let end = start + random.below(3);
            match random.below(24) {
                0 => json!({"start": start}),
                1 => json!({"start": start + 1, "end": start}),
                _ => json!({"start": start, "end": end}),
            }
        })
        .collect()
}
