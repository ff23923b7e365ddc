//! The fingerprint of a tool call ([OAR-FACT-28]).
//!
//! A SHA-256 over canonical JSON. The writer keeps its own stack: arguments come from a model
//! and may be nested as deeply as their reader allowed.

use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use super::canonical::write_double;
use super::occurrence::{Arguments, ToolCall};
use crate::document::source::{Node, Number, Value};

/// What stands before the canonical JSON in the digest's input.
const DOMAIN: &[u8] = b"oar-tool-1.0\0";

/// The lowercase hexadecimal digest of the call, or `None` when a number of its arguments is
/// not kept by binary64, so that no fingerprint can be produced ([OAR-FACT-28]).
pub(crate) fn fingerprint(call: &ToolCall<'_>) -> Option<String> {
    let mut digest = Sha256::new().chain_update(DOMAIN);
    let mut text = String::from("[");
    write_string(&mut text, call.name);
    text.push(',');
    write_canonical(&mut text, call.arguments.root(), &mut |text| digest.update(text))?;
    text.push(']');
    Some(hexadecimal(&digest.chain_update(text).finalize()))
}

/// How much text is gathered before the digest takes it. `1e308` is written with 311 digits: the
/// canonical text of a large call must never be there as a whole.
const GATHERED: usize = 16 << 10;

/// Bytes in lowercase hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    let mut hex = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        for nibble in [byte >> 4, byte & 15] {
            hex.extend(char::from_digit(u32::from(nibble), 16));
        }
    }
    hex
}

/// One JSON value, wherever it is held.
#[derive(Clone, Copy)]
pub(crate) enum Tree<'a> {
    Object(&'a serde_json::Map<String, Json>),
    Json(&'a Json),
    Members(&'a crate::document::source::Object),
    Node(&'a Node),
}

impl Arguments<'_> {
    fn root(&self) -> Tree<'_> {
        match self {
            Self::Json(map) => Tree::Object(map.0),
            Self::Document(object) => Tree::Members(object),
        }
    }
}

/// What is still to be written, innermost last.
enum Step<'a> {
    Tree(Tree<'a>),
    Key(&'a str),
    Text(&'static str),
}

/// Appends the canonical JSON of `root`: keys by code point, no white space, doubles in
/// their canonical form.
fn write_canonical(out: &mut String, root: Tree<'_>, take: &mut dyn FnMut(&str)) -> Option<()> {
    let mut steps = vec![Step::Tree(root)];
    while let Some(step) = steps.pop() {
        if out.len() > GATHERED {
            take(out);
            out.clear();
        }
        match step {
            Step::Text(text) => out.push_str(text),
            Step::Key(key) => {
                write_string(out, key);
                out.push(':');
            }
            Step::Tree(tree) => write_tree(out, tree, &mut steps)?,
        }
    }
    Some(())
}

fn write_tree<'a>(out: &mut String, tree: Tree<'a>, steps: &mut Vec<Step<'a>>) -> Option<()> {
    match tree {
        Tree::Object(object) => {
            push_object(steps, object.iter().map(|(k, v)| (k.as_str(), Tree::Json(v))).collect());
        }
        Tree::Members(object) => {
            let members = object.iter().map(|m| (&*m.name, Tree::Node(&m.node))).collect();
            push_object(steps, members);
        }
        Tree::Json(value) => match value {
            Json::Null => out.push_str("null"),
            Json::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Json::Number(number) => write_double(out, json_number(number)?),
            Json::String(text) => write_string(out, text),
            Json::Array(items) => push_array(steps, items.iter().map(Tree::Json)),
            Json::Object(object) => steps.push(Step::Tree(Tree::Object(object))),
        },
        Tree::Node(node) => match &node.value {
            Value::Null => out.push_str("null"),
            Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Value::Number(number) => write_double(out, document_number(number)?),
            Value::String(text) => write_string(out, text.as_str()),
            Value::Array(items) => push_array(steps, items.iter().map(Tree::Node)),
            Value::Object(object) => steps.push(Step::Tree(Tree::Members(object))),
        },
    }
    Some(())
}

fn push_array<'a>(steps: &mut Vec<Step<'a>>, items: impl DoubleEndedIterator<Item = Tree<'a>>) {
    steps.push(Step::Text("]"));
    let mut separator = false;
    for item in items.rev() {
        if separator {
            steps.push(Step::Text(","));
        }
        steps.push(Step::Tree(item));
        separator = true;
    }
    steps.push(Step::Text("["));
}

fn push_object<'a>(steps: &mut Vec<Step<'a>>, mut members: Vec<(&'a str, Tree<'a>)>) {
    // UTF-8 orders as its code points do.
    members.sort_unstable_by_key(|(key, _)| *key);
    steps.push(Step::Text("}"));
    let mut separator = false;
    for (key, value) in members.into_iter().rev() {
        if separator {
            steps.push(Step::Text(","));
        }
        steps.push(Step::Tree(value));
        steps.push(Step::Key(key));
        separator = true;
    }
    steps.push(Step::Text("{"));
}

/// Appends `text` quoted, with only the quotation mark, the backslash and the control
/// characters below U+0020 escaped.
fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for char in text.chars() {
        match char {
            '"' | '\\' => out.extend(['\\', char]),
            '\0'..='\u{1f}' => {
                out.push_str("\\u00");
                for nibble in [u32::from(char) >> 4, u32::from(char) & 15] {
                    out.extend(char::from_digit(nibble, 16));
                }
            }
            _ => out.push(char),
        }
    }
    out.push('"');
}

/// The binary64 of a number that `serde_json` read; `None` when an integer loses its value.
fn json_number(number: &serde_json::Number) -> Option<f64> {
    if number.is_i64() || number.is_u64() {
        return integer(&number.to_string());
    }
    number.as_f64().filter(|value| value.is_finite())
}

/// The binary64 of a number of a document; `None` when an integer loses its value.
fn document_number(number: &Number) -> Option<f64> {
    if number.is_integer_text() { integer(number.as_str()) } else { number.as_f64() }
}

/// The binary64 that an integer converts to, if it has exactly that value.
fn integer(text: &str) -> Option<f64> {
    let value: f64 = text.parse().ok()?;
    let digits = text.strip_prefix('-').unwrap_or(text).trim_start_matches('0');
    // A finite double prints as all the digits of its exact value.
    let exact = format!("{:.0}", value.abs());
    (value.is_finite() && exact.trim_start_matches('0') == digits).then_some(value)
}
