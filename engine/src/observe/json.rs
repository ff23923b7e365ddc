//! JSON objects lent to conditions as maps, from `serde_json` or from a document of ours.

use oar_expr::{Map, Member, Value};
use serde_json::Value as Json;

use crate::document::source::{Node, Number, Object, Value as NodeValue};

/// A `serde_json` object, owned or lent, read as a `map` fact.
///
/// ```
/// use oar_engine::observe::JsonMap;
/// use oar_expr::{Map, Member};
/// let arguments = serde_json::json!({"depth": 3});
/// let map = JsonMap::new(arguments.as_object().unwrap().clone());
/// assert_eq!(map.get("depth"), Some(Member::Int(3)));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JsonMap(serde_json::Map<String, Json>);

impl JsonMap {
    /// The object as a map fact.
    #[must_use]
    pub fn new(object: serde_json::Map<String, Json>) -> Self {
        Self(object)
    }

    /// The object itself.
    #[must_use]
    pub fn as_object(&self) -> &serde_json::Map<String, Json> {
        &self.0
    }
}

/// However deep the maker of a value nested it, dropping it takes no stack.
impl Drop for JsonMap {
    fn drop(&mut self) {
        if self.0.values().any(holds) {
            drop_flat(std::mem::take(&mut self.0).into_iter().map(|(_, value)| value).collect());
        }
    }
}

/// As deep as the reader of JSON goes. What nests deeper is no value of any type, and copying or
/// writing it would take a stack that nobody has.
const LEVELS: usize = 128;

/// A copy of an object, with null in place of what nests too deep.
pub(crate) fn bounded_object(
    object: &serde_json::Map<String, Json>,
) -> serde_json::Map<String, Json> {
    object.iter().map(|(key, value)| (key.clone(), bounded(value, LEVELS))).collect()
}

fn bounded(value: &Json, levels: usize) -> Json {
    match (value, levels.checked_sub(1)) {
        (Json::Array(items), Some(left)) => items.iter().map(|item| bounded(item, left)).collect(),
        (Json::Object(members), Some(left)) => {
            members.iter().map(|(key, own)| (key.clone(), bounded(own, left))).collect()
        }
        (Json::Array(_) | Json::Object(_), None) => Json::Null,
        (scalar, _) => scalar.clone(),
    }
}

/// A value that conditions read, as JSON; `None` where the names of a map are not told. Members
/// of a map that conditions cannot read are null.
pub(crate) fn written(value: Value<'_>) -> Option<Json> {
    Some(match value {
        Value::Bool(value) => value.into(),
        Value::Int(value) => value.into(),
        Value::Double(value) => value.into(),
        Value::String(value) => value.into(),
        Value::StringList(list) => (0..list.len()).filter_map(|at| list.get(at)).collect(),
        Value::StringMap(map) | Value::Map(map) => written_map(map)?,
        Value::MapList(list) => {
            let maps = (0..list.len()).filter_map(|at| list.get(at)).map(written_map);
            Json::Array(maps.collect::<Option<_>>()?)
        }
    })
}

fn written_map(map: &dyn Map) -> Option<Json> {
    let member = |key: &str| match map.get(key) {
        Some(Member::Bool(value)) => value.into(),
        Some(Member::Int(value)) => value.into(),
        Some(Member::Double(value)) => value.into(),
        Some(Member::String(value)) => value.into(),
        Some(Member::Other) | None => Json::Null,
    };
    Some(map.keys()?.into_iter().map(|key| (key.to_owned(), member(key))).collect())
}

/// Drops values without recursion, as `serde_json`'s own drop does not.
pub(super) fn drop_flat(mut waiting: Vec<Json>) {
    while let Some(value) = waiting.pop() {
        match value {
            Json::Array(items) => waiting.extend(items.into_iter().filter(holds)),
            Json::Object(members) => {
                waiting.extend(members.into_iter().map(|(_, own)| own).filter(holds));
            }
            _ => {}
        }
    }
}

fn holds(value: &Json) -> bool {
    match value {
        Json::Array(items) => !items.is_empty(),
        Json::Object(members) => !members.is_empty(),
        _ => false,
    }
}

impl Map for JsonMap {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn keys(&self) -> Option<Vec<&str>> {
        Some(self.0.keys().map(String::as_str).collect())
    }

    fn get(&self, key: &str) -> Option<Member<'_>> {
        self.0.get(key).map(member_of_json)
    }
}

/// A borrowed `serde_json` object, read as a map.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LentMap<'a>(pub(crate) &'a serde_json::Map<String, Json>);

impl Map for LentMap<'_> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn keys(&self) -> Option<Vec<&str>> {
        Some(self.0.keys().map(String::as_str).collect())
    }

    fn get(&self, key: &str) -> Option<Member<'_>> {
        self.0.get(key).map(member_of_json)
    }
}

impl Map for Object {
    fn len(&self) -> usize {
        self.iter().count()
    }

    fn keys(&self) -> Option<Vec<&str>> {
        Some(self.iter().map(|member| &*member.name).collect())
    }

    fn get(&self, key: &str) -> Option<Member<'_>> {
        Object::get(self, key).map(member_of_node)
    }
}

fn member_of_json(value: &Json) -> Member<'_> {
    match value {
        Json::Bool(value) => Member::Bool(*value),
        Json::String(value) => Member::String(value),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(value), _) => Member::Int(value),
            (None, Some(value)) if value.is_finite() => Member::Double(value),
            _ => Member::Other,
        },
        Json::Null | Json::Array(_) | Json::Object(_) => Member::Other,
    }
}

fn member_of_node(node: &Node) -> Member<'_> {
    match &node.value {
        NodeValue::Bool(value) => Member::Bool(*value),
        NodeValue::String(text) => Member::String(text.as_str()),
        NodeValue::Number(number) => member_of_number(number),
        NodeValue::Null | NodeValue::Array(_) | NodeValue::Object(_) => Member::Other,
    }
}

fn member_of_number(number: &Number) -> Member<'static> {
    match (number.as_i64(), number.as_f64()) {
        (Some(value), _) => Member::Int(value),
        (None, Some(value)) => Member::Double(value),
        (None, None) => Member::Other,
    }
}
