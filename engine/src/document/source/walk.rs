//! Everything that goes over a whole tree: clone, drop, conversion from and to `serde_json`.
//!
//! None of it recurses, so that a tree of any depth is handled on a small stack.

use std::{fmt, mem, slice};

use oar_expr::Span;

use super::build::Builder;
use super::{Member, Node, Number, Text, Value};

/// A step of the way over a tree, in the order written.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// The name of the member whose value comes next.
    Name(&'a Member),
    /// A value that holds no others.
    Scalar(&'a Node),
    /// An array or object begins.
    Open(&'a Node),
    /// It ends.
    Close(&'a Node),
}

enum Rest<'a> {
    Root(&'a Node),
    Items(&'a Node, slice::Iter<'a, Node>),
    Members(&'a Node, slice::Iter<'a, Member>),
}

/// Goes over a tree in the order written, at any depth on a small stack.
///
/// ```
/// use oar_engine::document::source::{Node, Step, walk};
///
/// let node = Node::from_json(&serde_json::json!({"a": [1, 2]}));
/// let mut seen = String::new();
/// walk(&node, |step| match step {
///     Step::Name(member) => seen.push_str(&member.name),
///     Step::Scalar(node) => seen.push_str(&node.to_json().to_string()),
///     Step::Open(_) => seen.push('<'),
///     Step::Close(_) => seen.push('>'),
/// });
/// assert_eq!(seen, "<a<12>>");
/// ```
pub fn walk<'a>(root: &'a Node, mut step: impl FnMut(Step<'a>)) {
    let mut open = vec![Rest::Root(root)];
    while let Some(top) = open.last_mut() {
        let node = match top {
            Rest::Root(node) => {
                let node = *node;
                open.pop();
                node
            }
            Rest::Items(parent, items) => match items.next() {
                Some(node) => node,
                None => {
                    step(Step::Close(parent));
                    open.pop();
                    continue;
                }
            },
            Rest::Members(parent, members) => match members.next() {
                Some(member) => {
                    step(Step::Name(member));
                    &member.node
                }
                None => {
                    step(Step::Close(parent));
                    open.pop();
                    continue;
                }
            },
        };
        match &node.value {
            Value::Array(items) => {
                step(Step::Open(node));
                open.push(Rest::Items(node, items.iter()));
            }
            Value::Object(object) => {
                step(Step::Open(node));
                open.push(Rest::Members(node, object.iter()));
            }
            _ => step(Step::Scalar(node)),
        }
    }
}

impl Clone for Node {
    fn clone(&self) -> Self {
        let mut builder = Builder::default();
        walk(self, |step| match step {
            Step::Name(member) => builder.name(member.name.clone(), member.name_span),
            // No array or object comes this way, so the value's own clone is flat.
            Step::Scalar(node) => builder.push(Self::new(node.span, node.value.clone())),
            Step::Open(node) if node.as_object().is_some() => builder.open_object(node.span.start),
            Step::Open(node) => builder.open_array(node.span.start),
            Step::Close(node) => drop(builder.close(node.span.end)),
        });
        builder.finish().unwrap_or_else(|| Self::new(self.span, Value::Null))
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let mut waiting = Vec::new();
        take_nested(self, &mut waiting);
        while let Some(mut node) = waiting.pop() {
            take_nested(&mut node, &mut waiting);
        }
    }
}

/// Moves those children of `node` that hold others to `waiting`. When there are none it neither
/// moves nor allocates.
fn take_nested(node: &mut Node, waiting: &mut Vec<Node>) {
    let holds = |child: &Node| match &child.value {
        Value::Array(items) => !items.is_empty(),
        Value::Object(object) => !object.is_empty(),
        _ => false,
    };
    match &mut node.value {
        Value::Array(items) if items.iter().any(holds) => {
            waiting.extend(mem::take(items).into_iter().filter(holds));
        }
        Value::Object(object) if object.iter().any(|m| holds(&m.node)) => {
            let members = object.take_members().into_iter();
            waiting.extend(members.map(|m| m.node).filter(holds));
        }
        _ => {}
    }
}

/// As compact JSON, for the messages of tests.
impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to_json())
    }
}

/// A `serde_json` value under construction.
enum Json {
    Array(Vec<serde_json::Value>),
    Object(serde_json::Map<String, serde_json::Value>, String),
}

impl Node {
    /// The same value for `serde_json`. A number that it cannot hold becomes the nearest one
    /// that it can.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        let mut open: Vec<Json> = Vec::new();
        let mut root = serde_json::Value::Null;
        walk(self, |step| {
            let done = match step {
                Step::Name(member) => {
                    if let Some(Json::Object(_, name)) = open.last_mut() {
                        *name = String::from(&*member.name);
                    }
                    return;
                }
                Step::Open(node) if node.as_object().is_some() => {
                    return open.push(Json::Object(serde_json::Map::new(), String::new()));
                }
                Step::Open(_) => return open.push(Json::Array(Vec::new())),
                Step::Close(_) => match open.pop() {
                    Some(Json::Array(items)) => items.into(),
                    Some(Json::Object(members, _)) => members.into(),
                    None => return,
                },
                Step::Scalar(node) => match &node.value {
                    Value::Bool(b) => (*b).into(),
                    Value::Number(number) => number.to_json().into(),
                    Value::String(text) => text.as_str().into(),
                    Value::Null | Value::Array(_) | Value::Object(_) => serde_json::Value::Null,
                },
            };
            match open.last_mut() {
                Some(Json::Array(items)) => items.push(done),
                Some(Json::Object(members, name)) => {
                    members.insert(mem::take(name), done);
                }
                None => root = done,
            }
        });
        root
    }

    /// The tree of a value that the host holds. All its spans are `0..0`.
    #[must_use]
    pub fn from_json(value: &serde_json::Value) -> Self {
        enum Rest<'a> {
            Root(&'a serde_json::Value),
            Items(slice::Iter<'a, serde_json::Value>),
            Members(serde_json::map::Iter<'a>),
        }
        let nowhere = Span::default();
        let mut builder = Builder::default();
        let mut open = vec![Rest::Root(value)];
        while let Some(top) = open.last_mut() {
            let next = match top {
                Rest::Root(value) => {
                    let value = *value;
                    open.pop();
                    Some(value)
                }
                Rest::Items(items) => items.next(),
                Rest::Members(members) => members.next().map(|(name, value)| {
                    builder.name(name.as_str(), nowhere);
                    value
                }),
            };
            let scalar = match next {
                None => {
                    open.pop();
                    builder.close(0);
                    continue;
                }
                Some(serde_json::Value::Array(items)) => {
                    builder.open_array(0);
                    open.push(Rest::Items(items.iter()));
                    continue;
                }
                Some(serde_json::Value::Object(members)) => {
                    builder.open_object(0);
                    open.push(Rest::Members(members.iter()));
                    continue;
                }
                Some(serde_json::Value::Null) => Value::Null,
                Some(serde_json::Value::Bool(b)) => Value::Bool(*b),
                Some(serde_json::Value::Number(number)) => {
                    Value::Number(Number::new(number.to_string()))
                }
                Some(serde_json::Value::String(text)) => Value::String(Text::new(text.as_str())),
            };
            builder.push(Self::new(nowhere, scalar));
        }
        builder.finish().unwrap_or_else(|| Self::new(nowhere, Value::Null))
    }
}
