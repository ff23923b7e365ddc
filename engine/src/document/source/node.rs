//! The tree that both formats are read into.

use oar_expr::Span;

use super::{Number, Object};

/// One value of a document and the place where it stands.
///
/// Cloning, dropping and converting a node take no stack space by depth. A node cannot be taken
/// apart by moving its fields; [`Node::into_value`] does that.
pub struct Node {
    /// Where it stands in the file; a string with its quotes.
    pub span: Span,
    /// What it is.
    pub value: Value,
}

/// What a node is.
#[derive(Clone, Debug)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as its text.
    Number(Number),
    /// A string.
    String(Text),
    /// An array.
    Array(Vec<Node>),
    /// An object.
    Object(Object),
}

/// A decoded string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text(Box<str>);

impl Text {
    pub(super) fn new(text: impl Into<Box<str>>) -> Self {
        Self(text.into())
    }

    /// The characters that the string stands for, escapes decoded.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Value {
    /// The word for its kind: `null`, `boolean`, `number`, `string`, `array` or `object`.
    #[must_use]
    pub fn kind_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
        }
    }
}

impl Node {
    /// A node of `value` that stands at `span`.
    #[must_use]
    pub fn new(span: Span, value: Value) -> Self {
        Self { span, value }
    }

    /// Whether it is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self.value, Value::Null)
    }

    /// Its value, if it is `true` or `false`.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        if let Value::Bool(b) = self.value { Some(b) } else { None }
    }

    /// The number, if it is one.
    #[must_use]
    pub fn as_number(&self) -> Option<&Number> {
        if let Value::Number(number) = &self.value { Some(number) } else { None }
    }

    /// The decoded string, if it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        if let Value::String(text) = &self.value { Some(text.as_str()) } else { None }
    }

    /// Its items, if it is an array.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Self]> {
        if let Value::Array(items) = &self.value { Some(items) } else { None }
    }

    /// The object, if it is one.
    #[must_use]
    pub fn as_object(&self) -> Option<&Object> {
        if let Value::Object(object) = &self.value { Some(object) } else { None }
    }

    /// The value of the member `name`, if this is an object that has it.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        self.as_object()?.get(name)
    }

    /// The word for its kind: `null`, `boolean`, `number`, `string`, `array` or `object`.
    #[must_use]
    pub fn kind_name(&self) -> &'static str {
        self.value.kind_name()
    }

    /// Its value, without the place.
    #[must_use]
    pub fn into_value(mut self) -> Value {
        std::mem::replace(&mut self.value, Value::Null)
    }
}
