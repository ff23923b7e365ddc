//! Rule documents: sound ones with every optional member, and ones with a single fault.

use serde_json::{Value, json};

use super::Draft;
use super::condition::{broken, condition};
use super::host::{capability, every_name, host_facts, observations};
use super::random::Random;

/// A sound rule or two, and perhaps one more that is not.
pub(super) fn draft(random: &mut Random) -> Draft {
    let loads = random.one_in(2);
    let mut rules = vec![rule(random, "SOUND"), rule(random, "ALSO_SOUND")];
    if !loads {
        let mut faulty = rule(random, "FAULTY");
        fault(random, &mut faulty);
        rules.push(faulty);
    }
    random.shuffle(&mut rules);
    let input = json!({
        "capability": capability(&json!({"host_facts": host_facts(), "profiles": ["tool"]})),
        "anchor": "tool.pre_invoke",
        "facts": observations(random),
        "tool_call": {"name": random.pick(&["read", "write"]), "arguments": {"path": "/etc"}},
    });
    Draft { rules, input, loads }
}

fn rule(random: &mut Random, id: &str) -> Value {
    let mut rule = json!({
        "oar": "1.0", "id": id, "kind": random.pick(&["schema", "policy", "invariant"]),
        "anchor": random.pick(&["tool.pre_invoke", "model.output"]),
        "effect": random.pick(&["block", "warn", "nudge", "allow"]),
    });
    let optional = [
        ("namespace", json!(random.pick(&["lab", "a.b-c", "0"]))),
        ("selector", json!({"tool": ["read", "grep"]})),
        ("when", condition(random, 2).into()),
        ("enforcement", json!(random.pick(&["enforce", "monitor", "off"]))),
        ("mandatory", json!(random.one_in(2))),
        ("on_error", json!(random.pick(&["fail_closed", "fail_open"]))),
        ("on_fire", json!(["increment_counter", "publish_event"])),
        ("overrides", json!([])),
        ("counter_scope", json!("tool")),
        ("copy", json!({"what": "{{ tool }}"})),
        ("references", json!({"owasp": ["LLM01"], "none": []})),
        ("status", json!(random.pick(&["experimental", "test", "stable", "deprecated"]))),
        ("related", json!([{"id": "GONE", "type": "renamed"}])),
        ("x-note", json!({"any": [1, null]})),
    ];
    for (name, value) in optional {
        if random.one_in(3) {
            set(&mut rule, name, value);
        }
    }
    set(&mut rule, "requires", json!({"profiles": ["tool"], "facts": every_name()}));
    rule
}

/// Breaks one thing.
fn fault(random: &mut Random, rule: &mut Value) {
    if random.one_in(4) {
        let name = random.pick(&["oar", "id", "kind", "anchor", "effect"]);
        if let Some(members) = rule.as_object_mut() {
            members.remove(name);
        }
        return;
    }
    let nothing = Value::Null;
    let faults = [
        ("oar", json!("2.0")),
        ("oar", json!("1.1")),
        ("oar", json!("01.0")),
        ("oar", json!(1.0)),
        ("id", json!("lower")),
        ("id", json!("")),
        ("kind", json!("heuristic")),
        ("kind", json!("detector")),
        ("anchor", json!("tool.somewhere")),
        ("anchor", json!("tool.handler")),
        ("effect", json!("deny")),
        ("effect", json!("transform")),
        ("namespace", json!("Upper")),
        ("namespace", json!("a/b")),
        ("selector", json!({"lab.count": ["1"]})),
        ("selector", json!({"lab.unknown": []})),
        ("selector", json!([])),
        ("when", broken(random)),
        ("when", json!("")),
        ("when", json!(true)),
        ("flow", json!([])),
        ("flow", json!(["read"])),
        ("enforcement", json!("on")),
        ("mandatory", json!("true")),
        ("on_error", json!("NOT_LOADED")),
        ("on_fire", json!(["send_mail"])),
        ("on_fire", json!("publish_event")),
        ("overrides", json!(["NOT_LOADED"])),
        ("counter_scope", json!("lab.count")),
        ("counter_scope", json!("lab.unknown")),
        ("requires", json!({"profiles": ["mcp"]})),
        ("requires", json!({"facts": ["lab.unknown"]})),
        ("requires", json!({"tools": []})),
        ("transform", json!({"action": "redact", "target": "content"})),
        ("detector", json!({"ref": "detector://noop"})),
        ("copy", json!({"message": "x"})),
        ("copy", json!({"what": 1})),
        ("copy", json!({"what": "{{ lab.unknown }}"})),
        ("references", json!([])),
        ("status", json!("draft")),
        ("related", json!([{"id": "GONE", "type": "replaced"}])),
        ("severity", json!("high")),
        ("x_note", json!(1)),
        ("copy", nothing.clone()),
        ("when", nothing),
    ];
    let index = random.below(faults.len());
    if let Some((name, value)) = faults.into_iter().nth(index) {
        set(rule, name, value);
    }
}

fn set(rule: &mut Value, name: &str, value: Value) {
    if let Some(members) = rule.as_object_mut() {
        members.insert(name.to_owned(), value);
    }
}
