//! Where that is written which a reference means.

use lsp_types::Location;
use oar_engine::document::source::{Node, ReadLimits};
use oar_expr::Span;

use super::buffer::Text;
use super::cursor::{Cursor, Place, View, moved};
use super::expression::{Token, in_copy, token};
use super::outline;
use crate::input::Kind;
use crate::rules::is_counter_reader;

/// The place of the rule, or of the host's fact, that is referred to.
pub(super) fn define(view: &View<'_>, offset: usize) -> Option<Location> {
    let cursor = Cursor::at(view, offset)?;
    let words = cursor.words();
    match (&cursor.place, words.as_slice()) {
        (Place::Name(name, _), ["enforcement"]) if view.kind == Kind::Config => {
            rule(view, &cursor, name)
        }
        (Place::Text(text, _), ["overrides" | "on_error" | "disable"] | ["related", "id"]) => {
            rule(view, &cursor, text)
        }
        (Place::Text(text, at), ["when"]) => match token(text, *at)? {
            Token::Text(range, Some(function)) if is_counter_reader(function) => {
                rule(view, &cursor, text.get(range)?)
            }
            Token::Text(..) => None,
            Token::Name(range) => fact(view, text.get(range)?),
        },
        (Place::Text(text, at), ["copy", _]) => fact(view, text.get(in_copy(text, *at)?)?),
        (Place::Name(name, _), ["selector"]) => fact(view, name),
        (Place::Text(text, _), ["requires", "facts"] | ["counter_scope"]) => fact(view, text),
        (Place::Text(text, _), ["transform", "target"]) => fact(view, text),
        _ => None,
    }
}

fn rule(view: &View<'_>, cursor: &Cursor, reference: &str) -> Option<Location> {
    let rules = outline::rules(view);
    let namespace = cursor.root.get("namespace").and_then(Node::as_str);
    let found = outline::find(&rules, reference, namespace, view.kind == Kind::Config)?;
    let (file, span) = (&found.rule.file, found.rule.root.get("id")?.span);
    match file.name() == view.name {
        true => location(view, file.name(), view.text.as_str(), moved(span, found.start)),
        false => location(view, file.name(), file.text(), span),
    }
}

/// Where the host declares a fact of its own.
fn fact(view: &View<'_>, name: &str) -> Option<Location> {
    let inputs = view.found.into_iter().flat_map(|found| &found.pack.capabilities);
    for reading in inputs.map(|input| input.source.read(&ReadLimits::default())) {
        for document in &reading.documents {
            let facts = document.root.get("host_facts").and_then(Node::as_array);
            let mut names = facts.into_iter().flatten().filter_map(|fact| fact.get("name"));
            if let Some(found) = names.find(|own| own.as_str() == Some(name)) {
                return location(view, reading.file.name(), reading.file.text(), found.span);
            }
        }
    }
    None
}

fn location(view: &View<'_>, name: &str, text: &str, span: Span) -> Option<Location> {
    let uri = view.workspace.address(name)?;
    Some(Location { uri, range: Text::new(text.to_owned()).range(span, view.encoding) })
}
