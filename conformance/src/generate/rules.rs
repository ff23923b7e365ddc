//! Sets of rules: order, suppression, monitor mode, counters, scopes, flow, errors and
//! configuration, over several occurrences of one session.
//!
//! Kept out, since the standard does not settle it: a configuration that says two things about one
//! rule.

use serde_json::{Map, Value, json};

use super::Draft;
use super::host::capability;
use super::random::Random;

const KINDS: [&str; 3] = ["schema", "policy", "invariant"];
pub(super) const ACTIONS: [&str; 5] =
    ["increment_counter", "reset_counter", "publish_event", "increment_breaker", "reset_breaker"];
const TOOLS: [&str; 4] = ["read", "write", "grep", ""];
const WINDOW: usize = 3;

/// A rule's names.
pub(super) struct Name {
    pub(super) namespace: Option<&'static str>,
    pub(super) id: String,
}

impl Name {
    fn qualified(&self) -> String {
        match self.namespace {
            Some(namespace) => format!("{namespace}/{}", self.id),
            None => self.id.clone(),
        }
    }

    /// How a rule of this name refers to `other`; a rule with a namespace has no way to name one
    /// without ([OAR-EVAL-13]).
    pub(super) fn reference(&self, other: &Self) -> Option<String> {
        let can = other.namespace.is_some() || self.namespace.is_none();
        can.then(|| other.qualified())
    }
}

/// Two to six rules, one to five tool calls.
pub(super) fn draft(random: &mut Random) -> Draft {
    let names: Vec<Name> = (0..random.within(2, 6))
        .map(|index| Name {
            namespace: random.pick(&[None, Some("lab"), Some("a.b")]),
            id: format!("{}{index}", random.pick(&["A", "M", "Z", "B_"])),
        })
        .collect();
    let mandatory: Vec<bool> = names.iter().map(|_| random.one_in(6)).collect();
    // Suppression goes only from earlier to later in this order, and so never in a circle.
    let mut order: Vec<usize> = (0..names.len()).collect();
    random.shuffle(&mut order);
    let mut rules: Vec<Value> = Vec::new();
    for (place, &index) in order.iter().enumerate() {
        let Some(name) = names.get(index) else { continue };
        let may = |other: &&usize| mandatory.get(**other) == Some(&false);
        let later: Vec<usize> = order.iter().skip(place + 1).filter(may).copied().collect();
        let mut rule = rule(random, name, &names);
        if mandatory.get(index) == Some(&true) {
            set(&mut rule, "mandatory", json!(true));
        }
        let suppressed: Vec<String> = later
            .iter()
            .filter(|_| random.one_in(3))
            .filter_map(|other| name.reference(names.get(*other)?))
            .collect();
        if !suppressed.is_empty() {
            set(&mut rule, "overrides", json!(suppressed));
        }
        rules.push(rule);
    }
    random.shuffle(&mut rules);
    let loads = !random.one_in(8);
    if !loads {
        fault(random, &mut rules, &names);
    }
    let occurrences: Vec<Value> = (0..random.within(1, 5)).map(|_| occurrence(random)).collect();
    let claims = json!({"profiles": ["tool", "session"], "activity_window": WINDOW});
    let mut input = json!({
        "capability": capability(&claims),
        "session_id": random.pick(&["s1", ""]),
        "occurrences": occurrences,
    });
    if random.one_in(3) {
        set(&mut input, "config", config(random, &names, &mandatory));
    }
    Draft { rules, input, loads }
}

fn rule(random: &mut Random, name: &Name, names: &[Name]) -> Value {
    let mut rule = json!({
        "oar": "1.0", "id": name.id, "kind": random.pick(&KINDS), "anchor": "tool.pre_invoke",
        "effect": random.pick(&["block", "warn", "warn", "nudge", "nudge", "allow", "allow"]),
        // A reader of a scoped counter needs the scope's profile too, so every rule has both.
        "requires": {"profiles": ["tool", "session"]},
    });
    if let Some(namespace) = name.namespace {
        set(&mut rule, "namespace", json!(namespace));
    }
    if !random.one_in(4) {
        set(&mut rule, "when", when(random, name, names).into());
    }
    if random.one_in(3) {
        let tools: Vec<&str> =
            TOOLS.into_iter().filter(|t| !t.is_empty() && random.one_in(2)).collect();
        set(&mut rule, "selector", json!({"tool": tools}));
    }
    if random.one_in(5) {
        let steps: Vec<&str> = (0..random.within(1, WINDOW))
            .map(|_| random.pick(&["read", "write", "grep"]))
            .collect();
        set(&mut rule, "flow", json!(steps));
    }
    if random.one_in(5) {
        set(&mut rule, "enforcement", json!(random.pick(&["monitor", "off", "enforce"])));
    }
    let actions: Vec<&str> = (0..random.below(4)).map(|_| random.pick(&ACTIONS)).collect();
    set(&mut rule, "on_fire", json!(actions));
    if random.one_in(3) {
        let scope = random.pick(&["tool", "session_posture", "tool_args_fingerprint"]);
        set(&mut rule, "counter_scope", json!(scope));
    }
    let substitute = reference(random, name, names);
    let on_error = random.pick(&["fail_closed".to_owned(), "fail_open".to_owned(), substitute]);
    set(&mut rule, "on_error", json!(on_error));
    if random.one_in(3) {
        set(
            &mut rule,
            "copy",
            json!({"what": "{{ tool }} at {{ anchor }}, {{ fire_count }} before"}),
        );
    }
    rule
}

/// A rule of the set, itself perhaps, as `name` refers to it.
pub(super) fn reference(random: &mut Random, name: &Name, names: &[Name]) -> String {
    let index = random.below(names.len());
    names.get(index).and_then(|other| name.reference(other)).unwrap_or_else(|| name.qualified())
}

fn when(random: &mut Random, name: &Name, names: &[Name]) -> String {
    let count = random.below(4);
    let other = reference(random, name, names);
    match random.below(10) {
        0 => format!("fire_count >= {count}"),
        1 => format!("breaker_count < {count}"),
        2 | 3 => format!("fire_count_of('{other}') >= {count}"),
        4 => format!("breaker_count_of('{other}') == {count}"),
        5 => format!("tool == '{}'", random.pick(&TOOLS)),
        6 => format!("tool_arg_int('n') > {count}"),
        // Raises when the counter stands just there.
        7 => format!("{count} / (fire_count - {count}) == 0"),
        8 => format!("1 / (tool_arg_int('n') - {}) >= 0", count % 3),
        _ => "session_posture != ''".to_owned(),
    }
}

fn occurrence(random: &mut Random) -> Value {
    let mut occurrence = json!({
        "anchor": random.pick(&["tool.pre_invoke", "tool.pre_invoke", "tool.pre_invoke", "model.output"]),
        "facts": {"session_posture": random.pick(&["", "build"])},
    });
    if !random.one_in(5) {
        let name = random.pick(&["read", "write", "grep"]);
        let arguments = json!({"n": random.below(3), "path": random.pick(&["/etc", "é", ""])});
        set(&mut occurrence, "tool_call", json!({"name": name, "arguments": arguments}));
    }
    if random.one_in(6) {
        let steps: Vec<&str> =
            (0..random.below(WINDOW + 1)).map(|_| random.pick(&["read", "write"])).collect();
        set(&mut occurrence, "recent_activity", json!(steps));
    }
    occurrence
}

/// One or two documents, each with at most one statement about a rule, none against a mandatory
/// one.
fn config(random: &mut Random, names: &[Name], mandatory: &[bool]) -> Value {
    (0..random.within(1, 2))
        .map(|_| {
            let (mut disable, mut enforcement) = (Vec::new(), Map::new());
            for (name, mandatory) in names.iter().zip(mandatory) {
                if *mandatory || !random.one_in(3) {
                    continue;
                }
                if random.one_in(2) {
                    disable.push(name.qualified());
                } else {
                    let mode = random.pick(&["enforce", "monitor", "off"]);
                    enforcement.insert(name.qualified(), json!(mode));
                }
            }
            json!({"oar_config": "1.0", "disable": disable, "enforcement": enforcement})
        })
        .collect()
}

/// Makes the set one that no engine may load.
fn fault(random: &mut Random, rules: &mut Vec<Value>, names: &[Name]) {
    let at = random.below(rules.len());
    let Some(first) = rules.get(at).cloned() else { return };
    let own = names.iter().map(Name::qualified).find(|name| {
        let id = first.get("id").and_then(Value::as_str).unwrap_or_default();
        name.rsplit('/').next() == Some(id)
    });
    let own = own.unwrap_or_default();
    match random.below(5) {
        0 => rules.push(first),
        1 => {
            rules.iter_mut().take(1).for_each(|rule| set(rule, "overrides", json!(["NOT_LOADED"])))
        }
        2 => rules.iter_mut().take(1).for_each(|rule| {
            set(rule, "when", json!("fire_count_of('lab/NOT_LOADED') > 0"));
        }),
        3 => rules.iter_mut().take(1).for_each(|rule| set(rule, "on_error", json!("NOT_LOADED"))),
        // A rule that suppresses itself is the shortest circle.
        _ => rules
            .iter_mut()
            .filter(|rule| **rule == first)
            .for_each(|rule| set(rule, "overrides", json!([own]))),
    }
}

pub(super) fn set(object: &mut Value, name: &str, value: Value) {
    if let Some(members) = object.as_object_mut() {
        members.insert(name.to_owned(), value);
    }
}
