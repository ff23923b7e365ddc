//! The host that the targets assume: the facts of the generated fixtures, and what it observes.

use std::sync::LazyLock;

use oar_engine::diagnostic::{Diagnostic, render};
use oar_expr::{Symbol, Symbols, Type};
use serde_json::{Map, Value, json};

use crate::bytes::Bytes;
use crate::reference::facts::{Counters, Moment};
use crate::reference::host::Host;

/// The facts: a name, its type as a capability document writes it, and as conditions have it.
pub(crate) const FACTS: [(&str, &str, Type); 16] = [
    ("lab.flag", "bool", Type::Bool),
    ("lab.open", "bool", Type::Bool),
    ("lab.count", "int", Type::Int),
    ("lab.total", "int", Type::Int),
    ("lab.ratio", "double", Type::Double),
    ("lab.score", "double", Type::Double),
    ("lab.name", "string", Type::String),
    ("lab.path", "string", Type::String),
    ("lab.tags", "list<string>", Type::StringList),
    ("lab.labels", "map<string,string>", Type::StringMap),
    ("lab.spans", "list<map>", Type::MapList),
    ("lab.marks", "list<map>", Type::MapList),
    ("lab.record", "map", Type::Map),
    ("anchor", "string", Type::String),
    ("fire_count", "int", Type::Int),
    ("breaker_count", "int", Type::Int),
];

/// The functions: name, signature, argument and result.
pub(crate) const FUNCTIONS: [(&str, &str, Type, Type); 4] = [
    ("lab.known", "(string) -> bool", Type::String, Type::Bool),
    ("lab.rank", "(string) -> int", Type::String, Type::Int),
    ("lab.weight", "(int) -> double", Type::Int, Type::Double),
    ("lab.title", "(bool) -> string", Type::Bool, Type::String),
];

/// The capability document.
pub(crate) fn capability() -> Value {
    let facts = FACTS.iter().filter(|(name, ..)| name.starts_with("lab."));
    let facts = facts.map(|(name, ty, _)| json!({"name": name, "type": ty}));
    let functions = FUNCTIONS.iter().map(|(name, ty, ..)| json!({"name": name, "type": ty}));
    json!({
        "oar_capability_version": "1.0",
        "host": "lab",
        "anchors": {
            "core": {"tool.pre_invoke": "tool.pre_invoke", "model.output": "model.output"},
            "unsupported": [
                "tool.handler", "tool.post_invoke", "agent.post_turn", "agent.finalize",
                "model.input", "model.tool_result"
            ]
        },
        "profiles": ["tool"],
        "activity_window": 4,
        "detectors": ["detector://noop", "detector://error", "detector://fixture"],
        "expression_nodes_max": 256,
        "supports_transform": true,
        "host_facts": facts.chain(functions).collect::<Vec<_>>(),
    })
}

/// The same host for the naive engine.
pub(crate) fn host() -> &'static Host {
    static HOST: LazyLock<Host> = LazyLock::new(|| {
        let mut capability = capability();
        // The conditions of these targets know the facts above and no others.
        capability["profiles"] = json!([]);
        Host::of(&capability)
    });
    &HOST
}

/// The names, as the compiler of conditions asks for them; a slot is a place in the tables.
pub(crate) struct Declared;

impl Symbols for Declared {
    fn symbol(&self, name: &str) -> Option<Symbol> {
        let slot = |place: usize| u32::try_from(place).unwrap();
        if let Some(place) = FACTS.iter().position(|(own, ..)| *own == name) {
            return Some(Symbol::Fact { slot: slot(place), ty: FACTS[place].2 });
        }
        if let Some(place) = FUNCTIONS.iter().position(|(own, ..)| *own == name) {
            let (_, _, parameter, result) = FUNCTIONS[place];
            return Some(Symbol::Function { slot: slot(place), parameter, result });
        }
        let which = ["fire_count_of", "breaker_count_of"].iter().position(|own| *own == name)?;
        Some(Symbol::Reference { slot: slot(which), result: Type::Int })
    }

    fn names(&self, visit: &mut dyn FnMut(&str)) {
        FACTS.iter().for_each(|(name, ..)| visit(name));
        FUNCTIONS.iter().for_each(|(name, ..)| visit(name));
        ["fire_count_of", "breaker_count_of"].into_iter().for_each(visit);
    }
}

const TEXTS: [&str; 12] = [
    "",
    "a",
    "read",
    "Read",
    "a b",
    "é",
    "e\u{301}",
    "日本",
    "\u{1f600}",
    "\u{ffff}",
    "\u{10000}z",
    "/etc/passwd",
];

const INTS: [i64; 10] =
    [0, 1, -1, 2, 7, 256, 9_007_199_254_740_993, i64::MAX, i64::MIN, i64::MIN + 1];

/// Values for some of the facts and functions, of their types.
pub(crate) fn observations(bytes: &mut Bytes<'_>) -> Map<String, Value> {
    let facts = FACTS.iter().filter(|(name, ..)| name.starts_with("lab."));
    let facts = facts.map(|(name, _, ty)| (*name, *ty));
    let functions = FUNCTIONS.iter().map(|(name, _, _, result)| (*name, *result));
    let mut observed = Map::new();
    for (name, ty) in facts.chain(functions) {
        if bytes.below(4) > 0 {
            observed.insert(name.to_owned(), value(bytes, ty));
        }
    }
    observed
}

fn text(bytes: &mut Bytes<'_>) -> &'static str {
    TEXTS[bytes.below(TEXTS.len())]
}

fn value(bytes: &mut Bytes<'_>, ty: Type) -> Value {
    let mut members = |of: Type| -> Value {
        let members = (0..bytes.below(4)).map(|_| {
            let key = TEXTS[bytes.below(TEXTS.len())].to_owned();
            let value = match of {
                Type::Int => json!(INTS[bytes.below(INTS.len())]),
                _ => json!(TEXTS[bytes.below(TEXTS.len())]),
            };
            (key, value)
        });
        Value::Object(members.collect())
    };
    match ty {
        Type::StringMap | Type::Map => members(Type::String),
        Type::MapList => {
            let mut list = Vec::new();
            for _ in 0..2 {
                list.push(members(Type::Int));
            }
            Value::Array(list)
        }
        Type::Bool => json!(bytes.below(2) == 1),
        Type::Int => match bytes.below(3) {
            0 => json!(bytes.word().cast_signed()),
            _ => json!(INTS[bytes.below(INTS.len())]),
        },
        Type::Double => {
            let double = f64::from_bits(bytes.word());
            json!(if double.is_finite() { double } else { 0.5 })
        }
        Type::StringList => (0..bytes.below(4)).map(|_| json!(text(bytes))).collect(),
        _ => json!(text(bytes)),
    }
}

/// What every diagnostic must be like: one line, a known clause, places that are in the text.
pub(crate) fn check(diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        let line = diagnostic.to_string();
        assert!(!line.contains('\n'), "more than one line: {line:?}");
        let related = diagnostic.related().iter().map(|related| &related.location);
        for location in diagnostic.location().into_iter().chain(related) {
            let text = location.file.text();
            assert!(text.get(location.span.range()).is_some(), "no place in the text: {line}");
        }
        let _ = render::concise(diagnostic);
        let _ = render::full(diagnostic);
        let _ = render::json(diagnostic);
    }
}

/// An occurrence at which the host observed nothing else, in a session that begins.
pub(crate) fn moment(facts: Map<String, Value>) -> Moment<'static> {
    Moment {
        host: host(),
        rules: &[],
        anchor: "tool.pre_invoke",
        facts,
        detector_facts: None,
        call: None,
        content: None,
        window: Vec::new(),
        before: Counters::new(),
    }
}
