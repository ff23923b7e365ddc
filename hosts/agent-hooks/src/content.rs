//! The text of an event: the strings of a JSON value, one after the other, and the way back.
//!
//! Rules see the strings as one content. What a transform makes of it is put back string by
//! string, so that the value keeps its shape, its order and its numbers.

use oar_engine::document::source::{Node, Step, Value, walk};

use crate::json;

/// The text of an event and the value that it comes from.
#[derive(Clone, Debug)]
pub struct Content {
    text: String,
    /// Code points of each part.
    lengths: Vec<usize>,
    /// Which string of the value each part is.
    strings: Vec<usize>,
    /// Which strings of the value are bytes.
    bytes: Vec<usize>,
    value: Node,
}

/// A picture of one transparent point: what stands in the place of one that is withheld.
const POINT: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/// Members whose strings say what a value is, not what it tells: an agent refuses a value in
/// which they were changed, and delivers the one from before.
const STRUCTURE: [&str; 12] = [
    "type",
    "mode",
    "status",
    "role",
    "kind",
    "mimeType",
    "mime_type",
    "media_type",
    "mediaType",
    "resultType",
    "result_type",
    "encoding",
];

/// Members that hold bytes of a picture or the like as text.
const BYTES: [&str; 3] = ["base64", "data", "blob"];

impl Content {
    /// The strings of a value.
    #[must_use]
    pub fn of(value: Node) -> Self {
        let mut found = Vec::new();
        let mut names: Vec<Option<&str>> = Vec::new();
        let mut name = None;
        let mut bytes = Vec::new();
        let mut strings = 0;
        walk(&value, |step| match step {
            Step::Name(member) => name = Some(&*member.name),
            Step::Open(node) => {
                // The items of a list are told by the list's name.
                let own = if node.as_array().is_some() { name.take() } else { None };
                names.push(own);
                name = None;
            }
            Step::Close(_) => {
                names.pop();
            }
            Step::Scalar(node) => {
                let own = name.take().or_else(|| names.last().copied().flatten());
                if let Value::String(text) = &node.value {
                    let text = text.as_str();
                    match own {
                        Some(own) if is_structure(own, text) => {}
                        Some(own) if is_bytes(own, text) => bytes.push(strings),
                        _ => found.push((strings, text)),
                    }
                    strings += 1;
                }
            }
        });
        let text: String = found.iter().map(|(_, part)| *part).collect();
        let lengths = found.iter().map(|(_, part)| part.chars().count()).collect();
        let strings = found.iter().map(|(string, _)| *string).collect();
        Self { text, lengths, strings, bytes, value }
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The code points of each part of the text.
    #[must_use]
    pub fn lengths(&self) -> &[usize] {
        &self.lengths
    }

    /// The value that it comes from.
    #[must_use]
    pub fn value(&self) -> &Node {
        &self.value
    }

    /// Whether it comes from a string alone.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.value.as_str().is_some()
    }

    /// The value as JSON, with other texts in the place of its parts.
    #[must_use]
    pub fn with_parts(&self, parts: &[String]) -> String {
        json::write(&self.value, |string| {
            let position = self.strings.binary_search(&string).ok()?;
            parts.get(position).map(String::as_str)
        })
    }

    /// The value as JSON with every text replaced by `text`: what is delivered in the place of
    /// a result that is withheld. Texts that are empty stay so; pictures become a point.
    #[must_use]
    pub fn withheld(&self, text: &str) -> String {
        let mut first = true;
        let part = |length: &usize| match length {
            0 => String::new(),
            _ if std::mem::take(&mut first) => text.to_owned(),
            _ => String::new(),
        };
        let parts: Vec<String> = self.lengths.iter().map(part).collect();
        json::write(&self.value, |string| {
            if self.bytes.binary_search(&string).is_ok() {
                return Some(POINT);
            }
            let position = self.strings.binary_search(&string).ok()?;
            parts.get(position).map(String::as_str)
        })
    }
}

/// A word, so that no text hides under such a name.
fn is_structure(name: &str, text: &str) -> bool {
    STRUCTURE.contains(&name) && text.len() <= 64 && !text.chars().any(char::is_whitespace)
}

fn is_bytes(name: &str, text: &str) -> bool {
    let coded = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'-' | b'_');
    BYTES.contains(&name) && text.len() >= 256 && text.bytes().all(coded)
}
