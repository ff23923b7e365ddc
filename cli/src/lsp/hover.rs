//! What is meant by what the pointer rests on.

use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind};
use oar_engine::document::rule::{Action, Effect, Enforcement, Kind};
use oar_engine::load::Vocabulary;

use super::cursor::{Cursor, Place, View};
use super::expression::{Token, in_copy, token};
use super::schema::Part;
use super::{diagnostics, facts, outline};
use crate::clause;
use crate::rules::is_counter_reader;
use crate::words::{action_about, effect_about, enforcement_about, kind_about};

/// What there is to say about the place.
pub(super) fn hover(view: &View<'_>, offset: usize) -> Option<Hover> {
    let cursor = Cursor::at(view, offset)?;
    let value = told(view, &cursor)?;
    let text = view.text.as_str();
    let range =
        cursor.span.map(|span| view.text.range(diagnostics::meant(text, span), view.encoding));
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
    Some(Hover { contents, range })
}

fn told(view: &View<'_>, cursor: &Cursor) -> Option<String> {
    let words = cursor.words();
    match (&cursor.place, words.as_slice()) {
        (Place::Name(name, _), ["selector"]) => Some(facts::named(view, name)?.told()),
        (Place::Name(name, _), ["enforcement"]) => rule(view, cursor, name),
        (Place::Name(..), _) => member(view, cursor),
        (Place::Text(text, at), ["when"]) => {
            in_condition(view, cursor, text, *at).or_else(|| member(view, cursor))
        }
        (Place::Text(text, at), ["copy", _]) => {
            let named = in_copy(text, *at).and_then(|range| facts::named(view, text.get(range)?));
            named.map(|own| own.told()).or_else(|| member(view, cursor))
        }
        (Place::Text(text, _), _) => {
            let own = word(view, cursor, text);
            match (own, member(view, cursor)) {
                (Some(own), Some(member)) => Some(format!("{own}\n\n---\n\n{member}")),
                (own, member) => own.or(member),
            }
        }
        (Place::Other, []) => None,
        (Place::Other, _) => member(view, cursor),
    }
}

/// What a member is for, and the clause about it.
fn member(view: &View<'_>, cursor: &Cursor) -> Option<String> {
    let kind = view.document_kind();
    let pointer = cursor.pointer();
    let mut path: Vec<&str> = cursor.path.iter().map(String::as_str).collect();
    if let Place::Name(name, _) = &cursor.place {
        path.push(name);
    }
    // An item is what its list is for.
    let is_item = |token: &&str| token.bytes().all(|b| b.is_ascii_digit());
    let items = path.iter().rev().take_while(|token| is_item(token)).count();
    let list = path.get(..path.len() - items).unwrap_or_default();
    let part = Part::at(kind, list.iter().copied())?;
    let words = Part::at(kind, path.iter().copied()).map(Part::words).unwrap_or_default();
    let names = path.iter().filter(|token| !token.bytes().all(|b| b.is_ascii_digit()));
    let name = names.copied().collect::<Vec<_>>().join(".");
    if name.is_empty() {
        return None;
    }
    let mut text = format!("**`{name}`**");
    text += &format!(" {}", part.about().unwrap_or_default());
    if let Some(default) = part.default() {
        text += &format!("\n\nLeft out, it is `{default}`.");
    }
    if !words.is_empty() {
        let words: Vec<String> = words.iter().map(|own| format!("`{own}`")).collect();
        text += &format!("\n\nOne of {}.", words.join(", "));
    }
    // The clause that every document is held against a schema says nothing of the member.
    let clause = kind.clause(&pointer);
    if let Some(summary) = clause::summary(clause).filter(|_| clause != "OAR-CONF-1") {
        text += &format!("\n\n{clause}: {summary}");
    }
    Some(text)
}

/// What a name or a string of a condition means.
fn in_condition(view: &View<'_>, cursor: &Cursor, text: &str, at: usize) -> Option<String> {
    match token(text, at)? {
        Token::Name(range) => Some(facts::named(view, text.get(range)?)?.told()),
        Token::Text(range, Some(function)) if is_counter_reader(function) => {
            rule(view, cursor, text.get(range)?)
        }
        Token::Text(..) => None,
    }
}

fn rule(view: &View<'_>, cursor: &Cursor, reference: &str) -> Option<String> {
    let rules = outline::rules(view);
    let namespace = cursor.root.get("namespace").and_then(|own| own.as_str());
    let bare = view.kind == crate::input::Kind::Config;
    outline::find(&rules, reference, namespace, bare).map(|own| outline::about(&own.rule))
}

/// What a word means in its member.
fn word(view: &View<'_>, cursor: &Cursor, text: &str) -> Option<String> {
    let about = |about: &str| Some(format!("**`{text}`** {about}"));
    let vocabulary = Vocabulary::get();
    match cursor.words().as_slice() {
        ["anchor"] | ["anchors", _] | ["anchors", "core", _] => {
            let anchor = vocabulary.anchors.iter().find(|own| own.name == text)?;
            about(&anchor.moment)
        }
        ["effect"] => about(effect_about(Effect::parse(text)?)),
        ["kind"] => about(kind_about(Kind::parse(text)?)),
        ["enforcement"] | ["enforcement", _] => about(enforcement_about(Enforcement::parse(text)?)),
        ["on_fire"] => about(action_about(Action::parse(text)?)),
        ["on_error"] => match text {
            "fail_closed" => about("A rule that fails blocks."),
            "fail_open" => about("A rule that fails does nothing."),
            _ => rule(view, cursor, text),
        },
        ["overrides"] | ["related", "id"] | ["disable"] => rule(view, cursor, text),
        ["profiles"] | ["requires", "profiles"] => {
            let profile = vocabulary.profile(text)?;
            let names: Vec<String> =
                profile.names.iter().map(|own| format!("`{}`", own.name)).collect();
            about(&format!("{} Its names: {}.", profile.about, names.join(", ")))
        }
        ["requires", "facts"] | ["counter_scope"] | ["transform", "target"] => {
            Some(facts::named(view, text)?.told())
        }
        _ => None,
    }
}
