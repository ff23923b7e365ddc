//! The published schemas, and what their violations mean in the words of a rule author.
//!
//! `schema/` is the contract ([OAR-CONF-1]); the `jsonschema` crate judges it, or a small
//! judge of our own where the feature `schema` is off. This module turns
//! each violation into one diagnostic: the clause behind the field, the offending word as the
//! document spells it, its place, and what would be accepted as help.

#[cfg(feature = "schema")]
mod judge;
#[cfg(any(test, not(feature = "schema")))]
mod own;

use std::collections::HashSet;
use std::sync::Arc;

#[cfg(feature = "schema")]
use judge::judge;
use oar_expr::Span;
#[cfg(not(feature = "schema"))]
use own::judge;
use serde_json::Value as Json;

use super::clauses;
use super::rule::{Effect, Kind};
use super::source::{Node, SourceFile, Value};
use crate::diagnostic::Diagnostic;

/// Which schema a document is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentKind {
    /// A rule.
    Rule,
    /// A capability document.
    Capability,
    /// A configuration document.
    Config,
}

impl DocumentKind {
    /// The text of the published schema.
    #[must_use]
    pub const fn schema(self) -> &'static str {
        match self {
            Self::Rule => include_str!("../../../schema/rule.schema.json"),
            Self::Capability => include_str!("../../../schema/capability.schema.json"),
            Self::Config => include_str!("../../../schema/config.schema.json"),
        }
    }

    /// The clause of the standard about the value at `pointer`, below the root of a document.
    ///
    /// ```
    /// use oar_engine::document::schema::DocumentKind;
    /// assert_eq!(DocumentKind::Rule.clause("/on_error"), "OAR-DOC-18");
    /// ```
    #[must_use]
    pub fn clause(self, pointer: &str) -> &'static str {
        clauses::of(self, pointer, "")
    }

    /// How messages call such a document.
    #[must_use]
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Capability => "capability document",
            Self::Config => "configuration document",
        }
    }
}

/// What a judge finds wrong with a value of a document.
#[derive(Debug)]
struct Violation {
    /// Where the value stands.
    pointer: String,
    wrong: Wrong,
}

/// Which keyword of a schema a value does not satisfy, and what there is to say of it.
#[derive(Debug)]
enum Wrong {
    Required(String),
    Unknown {
        names: Vec<String>,
        known: Vec<String>,
    },
    /// A member that is not named as it must be.
    Name(String),
    /// A member that may not stand there.
    Forbidden,
    Enum(Json),
    AnyOf,
    Pattern,
    /// The type that is wanted, with its article.
    Type(String),
    EmptyString,
    EmptyList,
    Repeated,
    Minimum(String),
    Other(String),
}

/// A document's root and where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed<'d> {
    pub(crate) root: &'d Node,
    pub(crate) file: &'d Arc<SourceFile>,
    /// The pointer of the document from the root of its file.
    pub(crate) prefix: &'d str,
    /// The position of the root in the document, when that is a collection ([OAR-DOC-31]).
    pub(crate) item: Option<usize>,
}

impl Placed<'_> {
    /// The pointer from the root of the file to the value at `below`.
    pub(crate) fn pointer(&self, below: &str) -> String {
        match self.item {
            Some(item) => format!("{}/{item}{below}", self.prefix),
            None => format!("{}{below}", self.prefix),
        }
    }

    /// `diagnostic` at `span`, which belongs to the value at `pointer` below the root.
    pub(crate) fn point(&self, diagnostic: Diagnostic, span: Span, pointer: &str) -> Diagnostic {
        diagnostic.at(self.file, span, self.pointer(pointer))
    }

    /// `diagnostic` at the node that `pointer` leads to, or at the root.
    pub(crate) fn at(&self, diagnostic: Diagnostic, pointer: &str) -> Diagnostic {
        let span = self.root.find(pointer).map_or(self.root.span, |node| node.span);
        self.point(diagnostic, span, pointer)
    }

    /// `diagnostic` at the name of the member `name` of the object at `pointer`.
    pub(crate) fn at_member(
        &self,
        diagnostic: Diagnostic,
        pointer: &str,
        name: &str,
    ) -> Diagnostic {
        let object = self.root.find(pointer).and_then(Node::as_object);
        let member = object.and_then(|object| object.member(name));
        let below = super::source::join_pointer(pointer, name);
        self.point(diagnostic, member.map_or(self.root.span, |member| member.name_span), &below)
    }
}

/// Every violation of the schema of `kind`; empty when the document fits.
pub(crate) fn violations(kind: DocumentKind, document: Placed<'_>) -> Vec<Diagnostic> {
    let Some(found) = judge(kind, &document.root.to_json()) else {
        let message = "the published schema of this kind of document cannot be read";
        return vec![document.at(Diagnostic::error("OAR-CONF-1", message), "")];
    };
    told(kind, document, &found)
}

/// The violations in the words of an author, in the order of the text.
fn told(kind: DocumentKind, document: Placed<'_>, found: &[Violation]) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for violation in found {
        explain(kind, document, violation, &mut diagnostics);
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.location().map(|place| place.span));
    diagnostics
}

fn explain(
    kind: DocumentKind,
    document: Placed<'_>,
    violation: &Violation,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let pointer = violation.pointer.as_str();
    let field = field(pointer);
    let clause = |keyword| clauses::of(kind, pointer, keyword);
    let node = document.root.find(pointer).unwrap_or(document.root);
    let at_value = |keyword, message: String| {
        document.at(Diagnostic::error(clause(keyword), message), pointer)
    };
    match &violation.wrong {
        Wrong::Required(name) => {
            let code = clauses::of_required(kind, pointer, name);
            let owner = if field.is_empty() { String::new() } else { format!(" in `{field}`") };
            let start = Span::new(node.span.start, node.span.end.min(node.span.start + 1));
            let message = format!("`{name}` is missing{owner}");
            diagnostics.push(document.point(Diagnostic::error(code, message), start, pointer));
        }
        Wrong::Unknown { names, known } => {
            for name in names {
                let owner = if field.is_empty() {
                    format!("a {}", kind.noun())
                } else {
                    format!("`{field}`")
                };
                let message = format!("`{name}` is not a field of {owner}");
                let diagnostic = Diagnostic::error(clause("additionalProperties"), message);
                let diagnostic = match crate::diagnostic::suggest(name, known.iter().map(|s| &**s))
                {
                    Some(similar) => diagnostic.help(format!("did you mean `{similar}`?")),
                    None => diagnostic,
                };
                diagnostics.push(document.at_member(diagnostic, pointer, name));
            }
        }
        Wrong::Name(name) => {
            let message = format!("`{name}` is not a name that `{field}` can hold");
            let diagnostic = Diagnostic::error(clause("propertyNames"), message);
            diagnostics.push(document.at_member(diagnostic, pointer, name));
        }
        Wrong::Forbidden => {
            // Whether it may stand there depends on a word that is itself wrong.
            let word = |name| document.root.get(name).and_then(Node::as_str);
            let undecided = match field.as_str() {
                "transform" => word("effect").and_then(Effect::parse).is_none(),
                "detector" => word("kind").and_then(Kind::parse).is_none(),
                _ => false,
            };
            if undecided {
                return;
            }
            let message = match field.as_str() {
                "transform" => "`transform` is given, but `effect` is not `transform`".to_owned(),
                "detector" => "`detector` is given, but `kind` is not `detector`".to_owned(),
                _ => format!("`{field}` cannot stand here"),
            };
            let (owner, name) = pointer.rsplit_once('/').unwrap_or_default();
            let diagnostic = Diagnostic::error(clause("not"), message);
            diagnostics.push(document.at_member(diagnostic, owner, name));
        }
        Wrong::Enum(options) => {
            let message = format!("{} is not a value of `{field}`", spelled(node));
            diagnostics.push(at_value("enum", message).help(accepted(options)));
        }
        Wrong::AnyOf => {
            let message = format!("{} is not a value of `{field}`", spelled(node));
            diagnostics.push(at_value("anyOf", message).help(clauses::spelling(kind, pointer)));
        }
        Wrong::Pattern => {
            let message = format!("{} is not spelled as `{field}` must be", spelled(node));
            diagnostics.push(at_value("pattern", message).help(clauses::spelling(kind, pointer)));
        }
        Wrong::Type(wanted) => {
            let message = format!(
                "{} is {}, not {}",
                if field.is_empty() {
                    format!("the {}", kind.noun())
                } else {
                    format!("`{field}`")
                },
                with_article(node.kind_name()),
                wanted,
            );
            let diagnostic = at_value("type", message);
            diagnostics.push(match retyped(node, document.file.slice(node.span), wanted) {
                Some(help) => diagnostic.help(help),
                None => diagnostic,
            });
        }
        Wrong::EmptyString => {
            diagnostics.push(at_value("minLength", format!("`{field}` holds an empty string")));
        }
        Wrong::EmptyList => {
            diagnostics.push(at_value("minItems", format!("`{field}` is an empty list")));
        }
        Wrong::Repeated => {
            let (span, word) = repeated(node);
            let message = format!("`{field}` holds {word} twice");
            let diagnostic = Diagnostic::error(clause("uniqueItems"), message);
            diagnostics.push(document.point(diagnostic, span, pointer));
        }
        Wrong::Minimum(limit) => {
            let message = format!("`{field}` is {}, below {limit}", spelled(node));
            diagnostics.push(at_value("minimum", message));
        }
        Wrong::Other(keyword) => {
            let message = format!("`{field}` does not fit `{}` of the schema", keyword);
            diagnostics.push(at_value("other", message));
        }
    }
}

/// The field that a pointer leads to, as a path of names without list positions.
fn field(pointer: &str) -> String {
    let names: Vec<_> = pointer
        .split('/')
        .skip(1)
        .filter(|token| !token.bytes().all(|b| b.is_ascii_digit()))
        .map(|token| token.replace("~1", "/").replace("~0", "~"))
        .collect();
    names.join(".")
}

/// A scalar as the document spells it; else the word for its kind.
fn spelled(node: &Node) -> String {
    match &node.value {
        Value::String(text) => format!("`{}`", text.as_str()),
        Value::Number(number) => format!("`{}`", number.as_str()),
        Value::Bool(value) => format!("`{value}`"),
        Value::Null => "`null`".to_owned(),
        Value::Array(_) | Value::Object(_) => with_article(node.kind_name()),
    }
}

fn with_article(noun: &str) -> String {
    let vowel = noun.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {noun}", if vowel { "an" } else { "a" }).replace("a null", "null")
}

/// How to write a value that is not of the kind that is wanted, where that is plain.
///
/// `written` is the value as it stands in the file: `TRUE` and `0x1F` keep their spelling in
/// quotes, and would lose it as a boolean and a number. A value that the host holds has none.
fn retyped(node: &Node, written: &str, wanted: &str) -> Option<String> {
    let quoted = |own: &str| {
        let text = if written.is_empty() { own } else { written };
        Some(format!("write it in quotes: `\"{text}\"`"))
    };
    match (&node.value, wanted) {
        (Value::String(text), "an array") => Some(format!("write a list: `[{}]`", text.as_str())),
        (Value::Bool(value), "a string") => quoted(if *value { "true" } else { "false" }),
        (Value::Number(number), "a string") => quoted(number.as_str()),
        (Value::String(text), "a boolean") => match text.as_str() {
            "yes" | "on" | "Yes" | "On" => Some("write `true`".to_owned()),
            "no" | "off" | "No" | "Off" => Some("write `false`".to_owned()),
            "true" | "false" => Some("leave out the quotes".to_owned()),
            _ => None,
        },
        _ => None,
    }
}

fn accepted(options: &Json) -> String {
    let words: Vec<_> = options.as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    format!("accepted: {}", backticked(&words))
}

fn backticked(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// The second of two equal items.
fn repeated(list: &Node) -> (Span, String) {
    let items = list.as_array().unwrap_or_default();
    let mut seen = HashSet::new();
    for item in items {
        let Some(text) = item.as_str() else { continue };
        if !seen.insert(text) {
            return (item.span, spelled(item));
        }
    }
    (list.span, "one item".to_owned())
}

#[cfg(test)]
mod tests;
