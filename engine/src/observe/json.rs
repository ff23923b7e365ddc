//! JSON objects lent to conditions as maps, from `serde_json` or from a document of ours.

use oar_expr::{Map, Member};
use serde_json::Value as Json;

use crate::document::source::{Node, Number, Object, Value};

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

    fn get(&self, key: &str) -> Option<Member<'_>> {
        self.0.get(key).map(member_of_json)
    }
}

impl Map for Object {
    fn len(&self) -> usize {
        self.iter().count()
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
        Value::Bool(value) => Member::Bool(*value),
        Value::String(text) => Member::String(text.as_str()),
        Value::Number(number) => member_of_number(number),
        Value::Null | Value::Array(_) | Value::Object(_) => Member::Other,
    }
}

fn member_of_number(number: &Number) -> Member<'static> {
    match (number.as_i64(), number.as_f64()) {
        (Some(value), _) => Member::Int(value),
        (None, Some(value)) => Member::Double(value),
        (None, None) => Member::Other,
    }
}
