//! The host that generated fixtures assume, and what it observes.

use serde_json::{Map, Value, json};

use super::random::Random;

/// A type of fact, or of what a condition yields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Type {
    #[default]
    Bool,
    Int,
    Double,
    String,
    Strings,
    StringMap,
    Maps,
    Map,
}

/// The facts of the host, one or two of each type.
pub(super) const FACTS: [(&str, Type); 13] = [
    ("lab.flag", Type::Bool),
    ("lab.open", Type::Bool),
    ("lab.count", Type::Int),
    ("lab.total", Type::Int),
    ("lab.ratio", Type::Double),
    ("lab.score", Type::Double),
    ("lab.name", Type::String),
    ("lab.path", Type::String),
    ("lab.tags", Type::Strings),
    ("lab.labels", Type::StringMap),
    ("lab.spans", Type::Maps),
    ("lab.marks", Type::Maps),
    ("lab.record", Type::Map),
];

/// Its observation functions: name, argument, result.
pub(super) const FUNCTIONS: [(&str, Type, Type); 4] = [
    ("lab.known", Type::String, Type::Bool),
    ("lab.rank", Type::String, Type::Int),
    ("lab.weight", Type::Int, Type::Double),
    ("lab.title", Type::Bool, Type::String),
];

/// Texts that are easy to count, cut or compare wrongly. None has a control character or a brace.
pub(super) const TEXTS: [&str; 14] = [
    "",
    "a",
    "read",
    "Read",
    "/etc/passwd",
    "a b",
    "é",
    "e\u{301}",
    "日本",
    "\u{1f600}",
    "\u{1f469}\u{200d}\u{1f680}",
    "שלום",
    "\u{ffff}",
    "\u{10000}z",
];

const INTS: [i64; 12] =
    [0, 1, -1, 2, 7, -7, 256, 1_000_000, 9_007_199_254_740_993, i64::MAX, i64::MIN, i64::MAX - 1];

const DOUBLES: [f64; 11] =
    [0.0, -0.0, 0.5, -2.5, 0.1, 1.0, 3.0, 1e-7, 1.5e300, -1.5e300, 9_007_199_254_740_992.0];

impl Type {
    /// As a capability document writes it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Double => "double",
            Self::String => "string",
            Self::Strings => "list<string>",
            Self::StringMap => "map<string,string>",
            Self::Maps => "list<map>",
            Self::Map => "map",
        }
    }
}

pub(super) fn int(random: &mut Random) -> i64 {
    random.pick(&INTS)
}

pub(super) fn double(random: &mut Random) -> f64 {
    random.pick(&DOUBLES)
}

pub(super) fn text(random: &mut Random) -> &'static str {
    random.pick(&TEXTS)
}

/// A value of the type.
pub(super) fn value(random: &mut Random, ty: Type) -> Value {
    match ty {
        Type::Bool => json!(random.one_in(2)),
        Type::Int => json!(int(random)),
        Type::Double => json!(double(random)),
        Type::String => json!(text(random)),
        Type::Strings => (0..random.below(4)).map(|_| json!(text(random))).collect(),
        Type::StringMap => members(random, |random| json!(text(random))),
        Type::Maps => {
            (0..random.below(3)).map(|_| members(random, |random| json!(int(random)))).collect()
        }
        Type::Map => members(random, |random| {
            let ty = random.pick(&[Type::Bool, Type::Int, Type::String, Type::Strings]);
            value(random, ty)
        }),
    }
}

fn members(random: &mut Random, mut value: impl FnMut(&mut Random) -> Value) -> Value {
    let mut members = Map::new();
    for _ in 0..random.below(4) {
        members.insert(text(random).to_owned(), value(random));
    }
    Value::Object(members)
}

/// Some of the host's facts, and results for some of its functions. The rest is zero.
pub(super) fn observations(random: &mut Random) -> Value {
    let mut facts = Map::new();
    let functions = FUNCTIONS.iter().map(|(name, _, result)| (*name, *result));
    for (name, ty) in FACTS.into_iter().chain(functions) {
        if !random.one_in(4) {
            facts.insert(name.to_owned(), value(random, ty));
        }
    }
    Value::Object(facts)
}

/// A capability document with `claims` beside what every document has.
pub(super) fn capability(claims: &Value) -> Value {
    let mut document = json!({
        "oar_capability_version": "1.0",
        "host": "lab",
        "anchors": {
            "core": {"tool.pre_invoke": "tool.pre_invoke", "model.output": "model.output"},
            "unsupported": [
                "tool.handler", "tool.post_invoke", "agent.post_turn", "agent.finalize",
                "model.input", "model.tool_result"
            ]
        },
        "profiles": [],
        "activity_window": 0,
        "detectors": [],
        "expression_nodes_max": 256,
        "supports_transform": false,
    });
    if let (Some(document), Some(claims)) = (document.as_object_mut(), claims.as_object()) {
        document.extend(claims.clone());
    }
    document
}

/// The declarations of all facts and functions of the host.
pub(super) fn host_facts() -> Value {
    let facts = FACTS.iter().map(|(name, ty)| json!({"name": name, "type": ty.name()}));
    let functions = FUNCTIONS.iter().map(|(name, argument, result)| {
        json!({"name": name, "type": format!("({}) -> {}", argument.name(), result.name())})
    });
    facts.chain(functions).collect()
}

/// The names of all facts and functions of the host, for `requires`.
pub(super) fn every_name() -> Vec<&'static str> {
    let functions = FUNCTIONS.iter().map(|(name, _, _)| *name);
    FACTS.iter().map(|(name, _)| *name).chain(functions).collect()
}
