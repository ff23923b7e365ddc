//! Values and their types (section 5.2).

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The types a fact can have ([OAR-FACT-22]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Bool,
    Int,
    Double,
    Text,
    Texts,
    TextMap,
    Maps,
    Map,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Val {
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(String),
    Texts(Vec<String>),
    TextMap(BTreeMap<String, String>),
    Maps(Vec<Map<String, Value>>),
    Map(Map<String, Value>),
}

/// That a value could not be had, or that a condition raised: one of the cases of [OAR-OPS-3].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Failure;

impl Type {
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "bool" => Self::Bool,
            "int" => Self::Int,
            "double" => Self::Double,
            "string" => Self::Text,
            "list<string>" => Self::Texts,
            "map<string,string>" => Self::TextMap,
            "list<map>" => Self::Maps,
            "map" => Self::Map,
            _ => return None,
        })
    }

    pub(crate) fn is_scalar(self) -> bool {
        matches!(self, Self::Bool | Self::Int | Self::Double | Self::Text)
    }

    /// What a fact is that nobody reported ([OAR-FACT-25]).
    pub(crate) fn zero(self) -> Val {
        match self {
            Self::Bool => Val::Bool(false),
            Self::Int => Val::Int(0),
            Self::Double => Val::Double(0.0),
            Self::Text => Val::Text(String::new()),
            Self::Texts => Val::Texts(Vec::new()),
            Self::TextMap => Val::TextMap(BTreeMap::new()),
            Self::Maps => Val::Maps(Vec::new()),
            Self::Map => Val::Map(Map::new()),
        }
    }

    /// `value` as a value of this type, if it is one ([OAR-FACT-23], [OAR-FACT-26]).
    pub(crate) fn read(self, value: &Value) -> Result<Val, Failure> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let map = |value: &Value| value.as_object().cloned();
        let found = match self {
            Self::Bool => value.as_bool().map(Val::Bool),
            Self::Int => value.as_i64().map(Val::Int),
            Self::Double => value.as_f64().filter(|d| d.is_finite()).map(Val::Double),
            Self::Text => text(value).map(Val::Text),
            Self::Texts => {
                value.as_array().and_then(|a| a.iter().map(text).collect()).map(Val::Texts)
            }
            Self::TextMap => value.as_object().and_then(|members| {
                let members = members.iter().map(|(k, v)| Some((k.clone(), text(v)?)));
                members.collect::<Option<_>>().map(Val::TextMap)
            }),
            Self::Maps => value.as_array().and_then(|a| a.iter().map(map).collect()).map(Val::Maps),
            Self::Map => map(value).map(Val::Map),
        };
        found.ok_or(Failure)
    }
}

impl Val {
    pub(crate) fn is_zero(&self) -> bool {
        match self {
            Self::Bool(b) => !b,
            Self::Int(i) => *i == 0,
            Self::Double(d) => *d == 0.0,
            Self::Text(t) => t.is_empty(),
            Self::Texts(list) => list.is_empty(),
            Self::TextMap(map) => map.is_empty(),
            Self::Maps(list) => list.is_empty(),
            Self::Map(map) => map.is_empty(),
        }
    }
}

/// The decimal form of [OAR-COPY-10]. `{}` of Rust writes the shortest digits that round-trip,
/// without an exponent; of two that are equally close it takes the greater one, and we the even.
pub(crate) fn decimal(value: f64) -> String {
    if value == 0.0 {
        return "0.0".to_owned();
    }
    let text = format!("{value}");
    let even = lower_of_a_tie(value, &text).filter(|lower| {
        let is_even = lower.trim_end_matches(['.', '0']).ends_with(['2', '4', '6', '8']);
        is_even && lower.parse() == Ok(value)
    });
    let text = even.unwrap_or(text);
    if text.contains('.') { text } else { format!("{text}.0") }
}

/// When `value` lies halfway between `text` and the decimal below of as many digits, that decimal.
fn lower_of_a_tie(value: f64, text: &str) -> Option<String> {
    let significant = |text: &str| -> String {
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        digits.trim_matches('0').to_owned()
    };
    let exact = format!("{value:.1080}");
    let exact = exact.trim_end_matches('0').trim_end_matches('.');
    let is_tie = significant(exact).len() == significant(text).len() + 1
        && significant(exact).ends_with('5');
    if !is_tie {
        return None;
    }
    let last = exact.rfind('5')?;
    let (before, after) = (exact.get(..last)?, exact.get(last + 1..)?);
    let is_whole = !before.contains('.');
    Some(format!("{before}{}{after}", if is_whole { "0" } else { "" }))
}
