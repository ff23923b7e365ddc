//! Conditions: typed expressions over the facts of every type, some of them broken.
//!
//! Kept out, since the standard does not settle it: the remainder of a division by a negative
//! number, white space other than blanks, surrogates written as escapes.

use serde_json::{Value, json};

use super::Draft;
use super::host::{
    FACTS, FUNCTIONS, Type, capability, double, every_name, host_facts, int, observations, text,
};
use super::random::Random;

const RULES: usize = 4;
const DEPTH: usize = 4;

/// Several rules, each with its own condition; a condition that raises passes its rule over, so
/// that every condition leaves its mark in the trace.
pub(super) fn draft(random: &mut Random) -> Draft {
    let loads = !random.one_in(5);
    let broken = if loads { RULES } else { random.below(RULES) };
    let rules = (0..RULES)
        .map(|index| {
            let mut condition = condition(random, DEPTH);
            if index == broken {
                condition = damage(random, &condition);
            }
            json!({
                "oar": "1.0", "id": format!("R{index}"), "kind": "policy",
                "anchor": "tool.pre_invoke", "effect": "allow", "on_error": "fail_open",
                "requires": {"facts": every_name()}, "when": condition,
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

/// A sound condition.
pub(super) fn condition(random: &mut Random, depth: usize) -> String {
    expression(random, Type::Bool, depth)
}

/// An expression of type `ty`, at most `depth` deep. Whatever is not a single token stands in
/// parentheses, which count as no nodes.
fn expression(random: &mut Random, ty: Type, depth: usize) -> String {
    if depth == 0 || random.one_in(6) {
        return leaf(random, ty);
    }
    let deeper = depth - 1;
    if random.one_in(8) {
        let choice = expression(random, Type::Bool, deeper);
        let (yes, no) = (expression(random, ty, deeper), expression(random, ty, deeper));
        return format!("({choice} ? {yes} : {no})");
    }
    if let Some(call) = call(random, ty, deeper).filter(|_| random.one_in(4)) {
        return call;
    }
    match ty {
        Type::Bool => boolean(random, deeper),
        Type::Int => integer(random, deeper),
        Type::Double if random.one_in(5) => format!("-{}", operand(random, ty, deeper)),
        Type::Double => {
            let operator = random.pick(&["+", "-", "*", "/"]);
            binary(random, operator, ty, ty, deeper)
        }
        Type::String => string(random, deeper),
        Type::Map => {
            let list = fact(random, Type::Maps);
            format!("{list}[{}]", expression(random, Type::Int, deeper))
        }
        _ => leaf(random, ty),
    }
}

fn boolean(random: &mut Random, depth: usize) -> String {
    match random.below(9) {
        0 => format!("!{}", operand(random, Type::Bool, depth)),
        1 | 2 => binary(random, "&&", Type::Bool, Type::Bool, depth),
        3 | 4 => binary(random, "||", Type::Bool, Type::Bool, depth),
        5 => {
            let operator = random.pick(&["<", "<=", ">", ">=", "==", "!="]);
            let number = |random: &mut Random| random.pick(&[Type::Int, Type::Double]);
            let (left, right) = (number(random), number(random));
            binary(random, operator, left, right, depth)
        }
        6 => {
            let operator = random.pick(&["<", "<=", ">", ">=", "==", "!="]);
            binary(random, operator, Type::String, Type::String, depth)
        }
        7 => {
            let holder = random.pick(&[Type::Strings, Type::StringMap, Type::Map]);
            binary(random, "in", Type::String, holder, depth)
        }
        _ => {
            let name = random.pick(&["starts_with", "ends_with", "contains"]);
            let (a, b) =
                (expression(random, Type::String, depth), expression(random, Type::String, depth));
            format!("{name}({a}, {b})")
        }
    }
}

fn integer(random: &mut Random, depth: usize) -> String {
    match random.below(7) {
        0 => format!("-{}", operand(random, Type::Int, depth)),
        1 => {
            let of =
                random.pick(&[Type::String, Type::Strings, Type::StringMap, Type::Maps, Type::Map]);
            format!("size({})", expression(random, of, depth))
        }
        2 => {
            let left = operand(random, Type::Int, depth);
            format!("({left} % {})", random.within(0, 9))
        }
        _ => {
            let operator = random.pick(&["+", "-", "*", "/"]);
            binary(random, operator, Type::Int, Type::Int, depth)
        }
    }
}

fn string(random: &mut Random, depth: usize) -> String {
    match random.below(3) {
        0 => {
            let map = fact(random, Type::StringMap);
            format!("{map}[{}]", expression(random, Type::String, depth))
        }
        1 => {
            let list = leaf(random, Type::Strings);
            format!("{list}[{}]", expression(random, Type::Int, depth))
        }
        _ => binary(random, "+", Type::String, Type::String, depth),
    }
}

fn binary(random: &mut Random, operator: &str, left: Type, right: Type, depth: usize) -> String {
    let (left, right) = (operand(random, left, depth), operand(random, right, depth));
    format!("({left} {operator} {right})")
}

/// An expression that can stand beside any operator.
fn operand(random: &mut Random, ty: Type, depth: usize) -> String {
    let expression = expression(random, ty, depth);
    if expression.starts_with(['-', '!']) { format!("({expression})") } else { expression }
}

/// A call of a function of the host that yields `ty`.
fn call(random: &mut Random, ty: Type, depth: usize) -> Option<String> {
    let (name, argument, _) = FUNCTIONS.into_iter().find(|(_, _, result)| *result == ty)?;
    Some(format!("{name}({})", expression(random, argument, depth)))
}

fn fact(random: &mut Random, ty: Type) -> String {
    let names: Vec<&str> =
        FACTS.iter().filter(|(_, own)| *own == ty).map(|(name, _)| *name).collect();
    random.pick(&names).to_owned()
}

fn leaf(random: &mut Random, ty: Type) -> String {
    if !random.one_in(3) {
        return fact(random, ty);
    }
    match ty {
        Type::Bool => random.pick(&["true", "false"]).to_owned(),
        Type::Int => match int(random) {
            negative if negative < 0 => format!("({negative})"),
            other => other.to_string(),
        },
        Type::Double => decimal(double(random)),
        Type::String => literal(random),
        Type::Strings => {
            let members: Vec<String> = (0..random.within(1, 3)).map(|_| literal(random)).collect();
            format!("[{}]", members.join(", "))
        }
        Type::StringMap | Type::Maps | Type::Map => fact(random, ty),
    }
}

/// A double in the notation of conditions, which has no exponents.
fn decimal(value: f64) -> String {
    let text = format!("{:.1}", value.abs().min(1e15));
    if value.is_sign_negative() { format!("(-{text})") } else { text }
}

/// A string literal in either quotes, with some characters written as escapes.
fn literal(random: &mut Random) -> String {
    let quote = random.pick(&['"', '\'']);
    let mut out = String::from(quote);
    for c in text(random).chars() {
        let code = u32::from(c);
        if c == quote || c == '\\' {
            out.push('\\');
            out.push(c);
        } else if code < 0x1_0000 && random.one_in(4) {
            out.push_str(&format!("\\u{code:04x}"));
        } else {
            out.push(c);
        }
    }
    if random.one_in(6) {
        out.push_str(random.pick(&["\\n", "\\t", "\\r", "\\\\", "\\\"", "\\'"]));
    }
    out.push(quote);
    out
}

/// A condition that no engine may load, made from a sound one.
fn damage(random: &mut Random, sound: &str) -> String {
    let faults: [&dyn Fn(&str) -> String; 20] = [
        &|c| format!("{c} &&"),
        &|c| format!("({c}"),
        &|c| format!("{c})"),
        &|c| format!("{c} && lab.unknown"),
        &|c| format!("{c} && lab.flag == null"),
        &|c| format!("{c} && lab.count == 'x'"),
        &|c| format!("{c} && lab.count + lab.ratio == 1.0"),
        &|c| format!("{c} && 1 < 2 < 3"),
        &|c| format!("{c} && lab.tags == lab.tags"),
        &|c| format!("{c} && size([]) == 0"),
        &|c| format!("{c} && lab.record['a'] == 'b'"),
        &|c| format!("{c} && !!lab.flag"),
        &|c| format!("{c} && --1 == 1"),
        &|c| format!("{c} && '\\x' == ''"),
        &|c| format!("{c} // no comment"),
        &|c| format!("{c} && lab.name.size == 1"),
        &|c| format!("{c} && 9223372036854775808 > 0"),
        &|c| format!("{c} ? 1 : 2"),
        &|c| format!("{c} && matches(lab.name, 'a')"),
        &|c| format!("{c} && 1.0 % 2.0 == 1.0"),
    ];
    let index = random.below(faults.len());
    faults.get(index).map_or_else(|| "(".to_owned(), |fault| fault(sound))
}

/// A condition that is broken somewhere, for other families.
pub(super) fn broken(random: &mut Random) -> Value {
    let sound = condition(random, 2);
    damage(random, &sound).into()
}
