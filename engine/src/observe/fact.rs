//! The value of a fact: lent by the host or made by a provider, and the check of its type.

use std::collections::BTreeMap;

use oar_expr::{Map, MapList, StringList, Type, Value};
use serde_json::Value as Json;

use super::json::{JsonMap, bounded_object};
use crate::document::source::{Node, Value as NodeValue};

/// A value that a provider, a detector or a document hands over for good.
///
/// It carries what the value *is*; whether that is what the capability document declares is
/// checked before a rule consumes it ([OAR-FACT-26]).
///
/// ```
/// use oar_engine::observe::FactValue;
/// assert_eq!(FactValue::from(serde_json::json!(["a", "b"])),
///            FactValue::StringList(vec!["a".into(), "b".into()]));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum FactValue {
    /// A `bool`.
    Bool(bool),
    /// An `int`; also a value of a `double` fact.
    Int(i64),
    /// A `double`. One that is not finite is a value of no type ([OAR-FACT-23]).
    Double(f64),
    /// A `string`.
    String(String),
    /// A `list<string>`.
    StringList(Vec<String>),
    /// A `map<string,string>`.
    StringMap(BTreeMap<String, String>),
    /// A `list<map>`.
    MapList(Vec<JsonMap>),
    /// A `map`; also a value of a `map<string,string>` fact when all its members are strings.
    Map(JsonMap),
    /// A list without members: a value of either list type.
    EmptyList,
    /// A value of no declarable type, such as null, a mixed list or a number beyond binary64.
    Untyped,
}

impl FactValue {
    /// The value as one of type `ty`, or `None` when it is not ([OAR-FACT-26]).
    #[must_use]
    pub fn typed(&self, ty: Type) -> Option<Value<'_>> {
        match (ty, self) {
            (Type::Bool, Self::Bool(value)) => Some(Value::Bool(*value)),
            (Type::Int, Self::Int(value)) => Some(Value::Int(*value)),
            (Type::Double, value) => value.finite().map(Value::Double),
            (Type::String, Self::String(value)) => Some(Value::String(value)),
            (Type::StringList, Self::StringList(value)) => Some(Value::StringList(value)),
            (Type::StringList, Self::EmptyList) => Some(Value::StringList(&NOTHING)),
            (Type::StringMap, Self::StringMap(value)) => Some(Value::StringMap(value)),
            (Type::StringMap, Self::Map(value)) => {
                value.as_object().values().all(Json::is_string).then_some(Value::StringMap(value))
            }
            (Type::MapList, Self::MapList(value)) => Some(Value::MapList(value)),
            (Type::MapList, Self::EmptyList) => Some(Value::MapList(&NOTHING)),
            (Type::Map, Self::Map(value)) => Some(Value::Map(value)),
            (Type::Map, Self::StringMap(value)) => Some(Value::Map(value)),
            _ => None,
        }
    }

    /// The same of a value that was found to be one of that type before, members and all.
    pub(super) fn lent_as(&self, ty: Type) -> Option<Value<'_>> {
        match (ty, self) {
            (Type::StringMap, Self::Map(value)) => Some(Value::StringMap(value)),
            _ => self.typed(ty),
        }
    }

    /// A scalar to keep; `None` of any other value.
    pub(crate) fn of(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Bool(value) => Some(Self::Bool(value)),
            Value::Int(value) => Some(Self::Int(value)),
            Value::Double(value) => Some(Self::Double(value)),
            Value::String(value) => Some(Self::String(value.to_owned())),
            _ => None,
        }
    }

    /// The value as JSON: null for one that has no type, and in place of what a map nests beyond
    /// 128 levels.
    ///
    /// ```
    /// use oar_engine::observe::FactValue;
    /// assert_eq!(FactValue::from(vec!["a".to_owned()]).to_json(), serde_json::json!(["a"]));
    /// ```
    #[must_use]
    pub fn to_json(&self) -> Json {
        match self {
            Self::Bool(value) => (*value).into(),
            Self::Int(value) => (*value).into(),
            Self::Double(value) => (*value).into(),
            Self::String(value) => value.as_str().into(),
            Self::StringList(value) => value.as_slice().into(),
            Self::StringMap(value) => {
                value.iter().map(|(key, own)| (key.clone(), own.clone())).collect()
            }
            Self::MapList(value) => {
                value.iter().map(|map| Json::Object(bounded_object(map.as_object()))).collect()
            }
            Self::Map(value) => Json::Object(bounded_object(value.as_object())),
            Self::EmptyList => Json::Array(Vec::new()),
            Self::Untyped => Json::Null,
        }
    }

    fn finite(&self) -> Option<f64> {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "an int is a value of a double fact")]
            Self::Int(value) => Some(*value as f64),
            Self::Double(value) => value.is_finite().then_some(*value),
            _ => None,
        }
    }
}

impl JsonMap {
    fn list(items: Vec<Json>) -> FactValue {
        if items.is_empty() {
            return FactValue::EmptyList;
        }
        if items.iter().all(Json::is_string) {
            return FactValue::StringList(items.into_iter().filter_map(into_string).collect());
        }
        if items.iter().all(Json::is_object) {
            return FactValue::MapList(items.into_iter().filter_map(into_map).collect());
        }
        super::json::drop_flat(items);
        FactValue::Untyped
    }
}

fn into_string(value: Json) -> Option<String> {
    match value {
        Json::String(value) => Some(value),
        _ => None,
    }
}

fn into_map(value: Json) -> Option<JsonMap> {
    match value {
        Json::Object(object) => Some(JsonMap::new(object)),
        _ => None,
    }
}

impl From<Json> for FactValue {
    fn from(value: Json) -> Self {
        match value {
            Json::Null => Self::Untyped,
            Json::Bool(value) => Self::Bool(value),
            Json::Number(number) => match (number.as_i64(), number.as_f64()) {
                (Some(value), _) => Self::Int(value),
                (None, Some(value)) => Self::Double(value),
                (None, None) => Self::Untyped,
            },
            Json::String(value) => Self::String(value),
            Json::Array(items) => JsonMap::list(items),
            Json::Object(object) => Self::Map(JsonMap::new(object)),
        }
    }
}

impl From<&Node> for FactValue {
    /// Reads a node of a document: integers exactly, `5.0` and `1e3` as doubles.
    fn from(node: &Node) -> Self {
        match &node.value {
            NodeValue::Number(number) => match (number.as_i64(), number.as_f64()) {
                (Some(value), _) => Self::Int(value),
                (None, Some(value)) => Self::Double(value),
                (None, None) => Self::Untyped,
            },
            _ => Self::from(node.to_json()),
        }
    }
}

macro_rules! from_plain {
    ($($source:ty => $variant:ident),* $(,)?) => {$(
        impl From<$source> for FactValue {
            fn from(value: $source) -> Self {
                Self::$variant(value.into())
            }
        }
    )*};
}
from_plain! {
    bool => Bool, i64 => Int, i32 => Int, u32 => Int, f64 => Double, String => String, &str => String,
    Vec<String> => StringList, BTreeMap<String, String> => StringMap, JsonMap => Map,
    Vec<JsonMap> => MapList,
}

/// A value that the host supplies for one occurrence, lent or owned.
///
/// Lists and maps are lent as trait objects, so a host keeps them in whatever it has.
#[derive(Clone, Debug)]
pub enum Supplied<'a> {
    /// A value that stays with the host.
    Lent(Value<'a>),
    /// A value handed over.
    Owned(FactValue),
}

/// The value as one of type `ty`, or `None` when it is not ([OAR-FACT-26]).
pub(super) fn typed_lent(value: Value<'_>, ty: Type) -> Option<Value<'_>> {
    match (ty, value) {
        (Type::Bool, Value::Bool(_))
        | (Type::Int, Value::Int(_))
        | (Type::String, Value::String(_))
        | (Type::StringList, Value::StringList(_))
        | (Type::StringMap, Value::StringMap(_))
        | (Type::MapList, Value::MapList(_))
        | (Type::Map, Value::Map(_)) => Some(value),
        (Type::Double, Value::Double(double)) => double.is_finite().then_some(value),
        #[expect(clippy::cast_precision_loss, reason = "an int is a value of a double fact")]
        (Type::Double, Value::Int(int)) => Some(Value::Double(int as f64)),
        (Type::Map, Value::StringMap(map)) => Some(Value::Map(map)),
        _ => None,
    }
}

impl<'a> From<Value<'a>> for Supplied<'a> {
    fn from(value: Value<'a>) -> Self {
        Self::Lent(value)
    }
}

impl From<FactValue> for Supplied<'_> {
    fn from(value: FactValue) -> Self {
        Self::Owned(value)
    }
}

macro_rules! supplied_lent {
    ($($source:ty => |$value:ident| $lent:expr),* $(,)?) => {$(
        impl<'a> From<$source> for Supplied<'a> {
            fn from($value: $source) -> Self {
                Self::Lent($lent)
            }
        }
    )*};
}
supplied_lent! {
    bool => |value| Value::Bool(value),
    i64 => |value| Value::Int(value),
    i32 => |value| Value::Int(value.into()),
    u32 => |value| Value::Int(value.into()),
    f64 => |value| Value::Double(value),
    &'a str => |value| Value::String(value),
    &'a String => |value| Value::String(value),
    &'a Vec<String> => |value| Value::StringList(value),
    &'a Vec<&'a str> => |value| Value::StringList(value),
    &'a BTreeMap<String, String> => |value| Value::StringMap(value),
    &'a JsonMap => |value| Value::Map(value),
    &'a Vec<JsonMap> => |value| Value::MapList(value),
}

impl From<String> for Supplied<'_> {
    fn from(value: String) -> Self {
        Self::Owned(FactValue::String(value))
    }
}

impl From<Json> for Supplied<'_> {
    fn from(value: Json) -> Self {
        Self::Owned(value.into())
    }
}

impl From<&Node> for Supplied<'_> {
    fn from(node: &Node) -> Self {
        Self::Owned(node.into())
    }
}

impl<'a> From<&'a Json> for Supplied<'a> {
    fn from(value: &'a Json) -> Self {
        match value {
            Json::String(value) => Self::Lent(Value::String(value)),
            _ => Self::Owned(value.clone().into()),
        }
    }
}

/// The list or map without members: the zero value of every aggregate type ([OAR-FACT-25]).
#[derive(Debug)]
pub(crate) struct Nothing;

/// The one [`Nothing`].
pub(crate) static NOTHING: Nothing = Nothing;

impl StringList for Nothing {
    fn len(&self) -> usize {
        0
    }

    fn get(&self, _: usize) -> Option<&str> {
        None
    }
}

impl MapList for Nothing {
    fn len(&self) -> usize {
        0
    }

    fn get(&self, _: usize) -> Option<&dyn Map> {
        None
    }
}

impl Map for Nothing {
    fn len(&self) -> usize {
        0
    }

    fn keys(&self) -> Option<Vec<&str>> {
        Some(Vec::new())
    }

    fn get(&self, _: &str) -> Option<oar_expr::Member<'_>> {
        None
    }
}

/// The zero value of a type: what a fact reads as where the host has nothing to report ([OAR-FACT-25]).
pub(crate) fn zero(ty: Type) -> Value<'static> {
    match ty {
        Type::Bool => Value::Bool(false),
        Type::Int => Value::Int(0),
        Type::Double => Value::Double(0.0),
        Type::String => Value::String(""),
        Type::StringList => Value::StringList(&NOTHING),
        Type::StringMap => Value::StringMap(&NOTHING),
        Type::MapList => Value::MapList(&NOTHING),
        Type::Map => Value::Map(&NOTHING),
    }
}
