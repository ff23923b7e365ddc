//! JSON of agents, in and out: order, shape and digits stay as they were.
//!
//! What comes in is read by the engine's reader, which keeps the text of numbers and refuses
//! repeated members. What goes out is put together here; [`write`] writes a value again with
//! other texts in the place of some of its strings.

use oar_engine::document::source::{
    Format, Node, Object, ReadLimits, SourceFile, Step, Value, read, walk,
};

use crate::Fault;

/// An event larger than this is refused.
const BYTES_MAX: usize = 64 << 20;

/// Reads one JSON value.
pub(crate) fn parse(bytes: &[u8]) -> Result<Node, Fault> {
    let unread = |message: &str| Fault::new(format!("the event is no JSON: {message}"));
    let file = SourceFile::from_bytes("event", bytes, Some(Format::Json))
        .map_err(|diagnostic| unread(diagnostic.message()))?;
    let limits = ReadLimits { bytes: BYTES_MAX, ..ReadLimits::default() };
    let mut reading = read(&file, &limits);
    if let Some(diagnostic) = reading.diagnostics.first() {
        return Err(unread(diagnostic.message()));
    }
    match reading.documents.pop() {
        Some(document) if reading.documents.is_empty() => Ok(document.root),
        _ => Err(unread("one object is wanted")),
    }
}

/// Reads an event: one JSON object.
pub(crate) fn event(bytes: &[u8]) -> Result<Object, Fault> {
    object(parse(bytes)?).ok_or_else(|| Fault::new("the event is no JSON object"))
}

pub(crate) fn object(node: Node) -> Option<Object> {
    match node.into_value() {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

/// Members of an event by name.
pub(crate) trait Members {
    /// A string that has to be there.
    fn text(&self, name: &str) -> Result<&str, Fault>;
    /// A string that may be missing or null.
    fn text_or_empty(&self, name: &str) -> Result<&str, Fault>;
    /// A boolean that may be missing.
    fn flag(&self, name: &str) -> Result<bool, Fault>;
    /// An object that has to be there.
    fn object(&self, name: &str) -> Result<&Object, Fault>;
    /// The strings of a list that may be missing.
    fn texts(&self, name: &str) -> Result<Vec<&str>, Fault>;
}

impl Members for Object {
    fn text(&self, name: &str) -> Result<&str, Fault> {
        let found = self.get(name).and_then(Node::as_str);
        found.filter(|text| !text.is_empty()).ok_or_else(|| Fault::member(name, "a text"))
    }

    fn text_or_empty(&self, name: &str) -> Result<&str, Fault> {
        match self.get(name).map(|node| &node.value) {
            None | Some(Value::Null) => Ok(""),
            Some(Value::String(text)) => Ok(text.as_str()),
            Some(_) => Err(Fault::member(name, "a text")),
        }
    }

    fn flag(&self, name: &str) -> Result<bool, Fault> {
        match self.get(name).map(|node| &node.value) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(Fault::member(name, "true or false")),
        }
    }

    fn object(&self, name: &str) -> Result<&Object, Fault> {
        let found = self.get(name).and_then(Node::as_object);
        found.ok_or_else(|| Fault::member(name, "an object"))
    }

    fn texts(&self, name: &str) -> Result<Vec<&str>, Fault> {
        match self.get(name).map(|node| &node.value) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Array(items)) => items
                .iter()
                .map(|item| item.as_str().ok_or_else(|| Fault::member(name, "a list of texts")))
                .collect(),
            Some(_) => Err(Fault::member(name, "a list of texts")),
        }
    }
}

/// Writes a value; `replaced` gives another text for a string, by its position among the
/// strings of the value.
pub(crate) fn write<'t>(root: &Node, replaced: impl Fn(usize) -> Option<&'t str>) -> String {
    let mut text = String::new();
    let mut strings = 0;
    let mut begun = false;
    let comma = |text: &mut String, begun: &mut bool| {
        if *begun {
            text.push(',');
        }
        *begun = false;
    };
    walk(root, |step| match step {
        Step::Name(member) => {
            comma(&mut text, &mut begun);
            quote(&mut text, &member.name);
            text.push(':');
        }
        Step::Open(node) => {
            comma(&mut text, &mut begun);
            text.push(if node.as_array().is_some() { '[' } else { '{' });
        }
        Step::Close(node) => {
            text.push(if node.as_array().is_some() { ']' } else { '}' });
            begun = true;
        }
        Step::Scalar(node) => {
            comma(&mut text, &mut begun);
            match &node.value {
                Value::Bool(true) => text.push_str("true"),
                Value::Bool(false) => text.push_str("false"),
                Value::Number(number) => text.push_str(number.as_str()),
                Value::String(own) => {
                    quote(&mut text, replaced(strings).unwrap_or(own.as_str()));
                    strings += 1;
                }
                _ => text.push_str("null"),
            }
            begun = true;
        }
    });
    text
}

/// Writes a JSON string.
pub(crate) fn quote(text: &mut String, value: &str) {
    text.push('"');
    for c in value.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            // A line separator is a line break to some readers of lines.
            c if c < ' ' || matches!(c, '\u{7f}' | '\u{2028}' | '\u{2029}') => {
                text.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => text.push(c),
        }
    }
    text.push('"');
}

/// JSON to be written, members in the order given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Out {
    /// A string.
    Text(String),
    /// `true` or `false`.
    Flag(bool),
    /// JSON that is written already.
    Raw(String),
    /// An object.
    Object(Vec<(&'static str, Out)>),
}

impl Out {
    /// An object without members.
    pub(crate) fn object() -> Self {
        Self::Object(Vec::new())
    }

    /// The same with a member.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<Self>) -> Self {
        if let Self::Object(members) = &mut self {
            members.push((name, value.into()));
        }
        self
    }

    /// The same with a member if there is a value.
    pub(crate) fn maybe(self, name: &'static str, value: Option<impl Into<Self>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Whether it is an object without members.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::Object(members) if members.is_empty())
    }

    /// The JSON. Answers are a few levels deep, whatever the event was.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) {
        match self {
            Self::Text(value) => quote(text, value),
            Self::Flag(flag) => text.push_str(if *flag { "true" } else { "false" }),
            Self::Raw(raw) => text.push_str(raw),
            Self::Object(members) => {
                text.push('{');
                for (position, (name, value)) in members.iter().enumerate() {
                    if position > 0 {
                        text.push(',');
                    }
                    quote(text, name);
                    text.push(':');
                    value.write(text);
                }
                text.push('}');
            }
        }
    }
}

impl From<String> for Out {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Out {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<bool> for Out {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}
