//! Copy: literal text, bindings and conditionals, some of it broken.
//!
//! Kept out, since the standard does not settle it: three braces in a row, and tags whose words
//! touch.

use serde_json::{Map, Value, json};

use super::Draft;
use super::host::{FACTS, Type, capability, every_name, host_facts, observations, text};
use super::random::Random;

const MEMBERS: [&str; 6] = ["title", "what", "cause", "why", "fix", "instead"];

/// One or two rules that warn, block or nudge, with copy.
pub(super) fn draft(random: &mut Random) -> Draft {
    let loads = !random.one_in(5);
    let count = random.within(1, 2);
    let broken = if loads { count } else { random.below(count) };
    let effect = random.pick(&["warn", "nudge", "block"]);
    let rules = (0..count)
        .map(|index| {
            let copy = copy(random, index == broken);
            json!({
                "oar": "1.0", "id": format!("R{index}"), "kind": "policy",
                "anchor": "tool.pre_invoke", "effect": effect,
                "requires": {"facts": every_name()}, "copy": copy,
            })
        })
        .collect();
    let input = json!({
        "capability": capability(&json!({"host_facts": host_facts()})),
        "anchor": "tool.pre_invoke",
        "facts": observations(random),
    });
    Draft { rules, input, loads }
}

fn copy(random: &mut Random, is_broken: bool) -> Value {
    let mut copy = Map::new();
    for member in MEMBERS {
        if random.one_in(2) {
            copy.insert(member.to_owned(), template(random, 3).into());
        }
    }
    if is_broken {
        let member = random.pick(&MEMBERS);
        let text = format!("{}{}", template(random, 1), fault(random));
        copy.insert(member.to_owned(), text.into());
    }
    Value::Object(copy)
}

fn template(random: &mut Random, depth: usize) -> String {
    let mut out = String::new();
    for _ in 0..random.within(1, 3) {
        match random.below(if depth == 0 { 2 } else { 3 }) {
            0 => out.push_str(text(random)),
            1 => {
                let blank = random.pick(&["", " ", "\n", "\t "]);
                out.push_str(&format!("{{{{{blank}{}{blank}}}}}", bindable(random)));
            }
            _ => conditional(random, depth - 1, &mut out),
        }
        // Nothing that follows may join a brace.
        out.push(' ');
    }
    out
}

fn conditional(random: &mut Random, depth: usize, out: &mut String) {
    let (name, _) = random.pick(&FACTS.map(|(name, ty)| (name, Some(ty))));
    let not = if random.one_in(3) { "not " } else { "" };
    out.push_str(&format!("{{% if {not}{name} %}}{}", template(random, depth)));
    if random.one_in(2) {
        out.push_str(&format!("{{% else %}}{}", template(random, depth)));
    }
    out.push_str("{% endif %}");
}

/// A fact that can be written into text ([OAR-COPY-4]).
fn bindable(random: &mut Random) -> &'static str {
    let can = |ty: Type| !matches!(ty, Type::StringMap | Type::Maps | Type::Map);
    let names: Vec<&str> = FACTS.iter().filter(|(_, ty)| can(*ty)).map(|(name, _)| *name).collect();
    random.pick(&names)
}

/// The end of a member that no engine may load.
fn fault(random: &mut Random) -> &'static str {
    random.pick(&[
        "{{ lab.unknown }}",
        "{{ lab.labels }}",
        "{{ lab.spans }}",
        "{{ lab.record }}",
        "{{ lab.known }}",
        "{{ lab.flag",
        "{{ }}",
        "{{ 1 }}",
        "{{ lab.flag + 1 }}",
        "{% if lab.flag %}yes",
        "{% endif %}",
        "{% else %}",
        "{% if lab.unknown %}{% endif %}",
        "{% if %}{% endif %}",
        "{% if lab.flag %}{% else %}{% else %}{% endif %}",
        "{% for x in lab.tags %}{% endfor %}",
        "{% if not not lab.flag %}{% endif %}",
    ])
}
