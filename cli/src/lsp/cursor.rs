//! What stands at a place of a document: a member's name, or a string, and the way to it.

use oar_engine::document::schema::DocumentKind;
use oar_engine::document::source::{Document, Format, Node, ReadLimits, SourceFile, Value, read};
use oar_engine::load::{Capability, Checked};
use oar_expr::Span;

use super::buffer::{Encoding, Text};
use super::repair;
use super::workspace::Workspace;
use crate::check::Found;
use crate::input::Kind;

/// An open document and what it belongs to.
pub(super) struct View<'v> {
    pub(super) workspace: &'v Workspace,
    pub(super) name: String,
    pub(super) text: &'v Text,
    pub(super) encoding: Encoding,
    pub(super) format: Format,
    pub(super) kind: Kind,
    pub(super) found: Option<&'v Found>,
}

/// How a document is written: as its name says, or the client, or else its text.
pub(super) fn format(name: &str, language: &str, text: &str) -> Format {
    let told = match language {
        "json" | "jsonc" => Some(Format::Json),
        "yaml" => Some(Format::Yaml),
        _ => None,
    };
    Format::of_name(name).or(told).unwrap_or_else(|| Format::of_text(text))
}

impl View<'_> {
    /// The host of the pack, where one is described.
    pub(super) fn capability(&self) -> Option<&Capability> {
        self.found.map(|found| &found.checked).and_then(Checked::capability)
    }

    pub(super) fn document_kind(&self) -> DocumentKind {
        match self.kind {
            Kind::Capability => DocumentKind::Capability,
            Kind::Config => DocumentKind::Config,
            Kind::Rules | Kind::Other => DocumentKind::Rule,
        }
    }
}

/// What stands at a place.
#[derive(Debug)]
pub(super) struct Cursor {
    /// The rule, or the document where it is of another kind.
    pub(super) root: Node,
    /// The way from the root: to the object that has the name, or to the value.
    pub(super) path: Vec<String>,
    pub(super) place: Place,
    /// Where in the file the name or the value stands, if the document could be read.
    pub(super) span: Option<Span>,
    /// Where in the file the text begins that the spans of the root count from.
    pub(super) start: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The name of a member, and the byte of it.
    Name(String, usize),
    /// A decoded string, and the byte of it.
    Text(String, usize),
    /// Something else.
    Other,
}

impl Cursor {
    /// What stands at a byte.
    pub(super) fn at(view: &View<'_>, offset: usize) -> Option<Self> {
        let text = view.text.as_str();
        if let Some(cursor) = Self::in_whole(view, offset) {
            return Some(cursor);
        }
        // Half-typed: read up to the end of the word.
        let rest = text.get(offset..).unwrap_or_default();
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '/');
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let cursor = repair::cursor(text, offset + length, view.format)?;
        Some(cursor.moved_back(length))
    }

    /// The same where the document that the byte lies in can be read as it is.
    pub(super) fn in_whole(view: &View<'_>, offset: usize) -> Option<Self> {
        let text = view.text.as_str();
        // One document of a stream is read, not all of them.
        let (start, end) = repair::document(text, offset, view.format);
        let file = SourceFile::new(view.name.as_str(), text.get(start..end)?, view.format);
        let reading = read(&file, &ReadLimits::default());
        let at = u32::try_from(offset.checked_sub(start)?).ok()?;
        let start = u32::try_from(start).ok()?;
        let before = reading.documents.iter().take_while(|own| own.root.span.start <= at);
        let document = before.last().filter(|own| at <= own.root.span.end)?;
        let cursor = within(document, &file, at);
        let span = cursor.span.map(|span| moved(span, start));
        Some(Self { span, start, ..cursor })
    }

    fn moved_back(mut self, by: usize) -> Self {
        match &mut self.place {
            Place::Name(text, at) | Place::Text(text, at) => {
                *at = text.floor_char_boundary(at.saturating_sub(by));
            }
            Place::Other => {}
        }
        self
    }

    /// The same, with the rule for its root where the document is a list of rules.
    pub(super) fn of_rule(mut self) -> Self {
        let item = self.path.first().and_then(|token| token.parse::<usize>().ok());
        let Some(items) = self.root.as_array() else { return self };
        let root = item.and_then(|item| items.get(item)).cloned();
        self.root = root.unwrap_or_else(|| Node::new(Span::default(), Value::Null));
        if !self.path.is_empty() {
            self.path.remove(0);
        }
        self
    }

    /// The pointer of what is meant: of the member that is named, or of the value.
    pub(super) fn pointer(&self) -> String {
        let mut pointer = String::new();
        for token in &self.path {
            pointer = oar_engine::document::source::join_pointer(&pointer, token);
        }
        if let Place::Name(name, _) = &self.place {
            pointer = oar_engine::document::source::join_pointer(&pointer, name);
        }
        pointer
    }

    /// The words of the way, without the positions in lists.
    pub(super) fn words(&self) -> Vec<&str> {
        let words = self.path.iter().map(String::as_str);
        words.filter(|token| !token.bytes().all(|b| b.is_ascii_digit())).collect()
    }
}

fn within(document: &Document, file: &SourceFile, at: u32) -> Cursor {
    let covers = |span: Span| span.start <= at && at <= span.end;
    let mut path = Vec::new();
    let mut node = &document.root;
    let found = |path, place, span| {
        let root = document.root.clone();
        Cursor { root, path, place, span: Some(span), start: 0 }.of_rule()
    };
    loop {
        match &node.value {
            Value::Object(object) => {
                if let Some(member) = object.iter().find(|member| covers(member.name_span)) {
                    let length = at.saturating_sub(member.name_span.start) as usize;
                    let name = member.name.to_string();
                    let length = name.floor_char_boundary(length.min(name.len()));
                    return found(path, Place::Name(name, length), member.name_span);
                }
                match object.iter().find(|member| covers(member.node.span)) {
                    Some(member) => {
                        path.push(member.name.to_string());
                        node = &member.node;
                    }
                    None => return found(path, Place::Other, node.span),
                }
            }
            Value::Array(items) => match items.iter().enumerate().find(|(_, own)| covers(own.span))
            {
                Some((item, own)) => {
                    path.push(item.to_string());
                    node = own;
                }
                None => return found(path, Place::Other, node.span),
            },
            Value::String(text) => {
                let text = text.as_str().to_owned();
                let place = Place::Text(text.clone(), decoded(node, file, &text, at));
                return found(path, place, node.span);
            }
            _ => return found(path, Place::Other, node.span),
        }
    }
}

/// A span that counts from `start`, counted from the start of the file.
pub(super) fn moved(span: Span, start: u32) -> Span {
    Span::new(span.start.saturating_add(start), span.end.saturating_add(start))
}

/// The byte of a decoded string that a byte of the file stands for.
fn decoded(node: &Node, file: &SourceFile, text: &str, at: u32) -> usize {
    // Every question scans the string, so they are few.
    let (mut low, mut high) = (0, text.len());
    while low < high {
        let middle = text.floor_char_boundary(low + (high - low) / 2);
        let next = text.ceil_char_boundary(middle + 1);
        if node.span_within(file, middle..next).end <= at {
            low = next;
        } else {
            high = middle;
        }
    }
    low
}
