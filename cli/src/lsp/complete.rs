//! What can stand at the cursor.

use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionTextEdit, Documentation, MarkupContent,
    MarkupKind, TextEdit,
};
use oar_engine::document::rule::{Action, Effect, Enforcement, Kind as RuleKind};
use oar_engine::document::schema::DocumentKind;
use oar_engine::document::source::{Format, Node};
use oar_engine::load::{Capability, Vocabulary};
use oar_expr::{Span, Type};

use super::cursor::{Cursor, Place, View};
use super::expression::{Token, in_copy, token, typed};
use super::facts::{Named, builtins, declared};
use super::fix::text_edit;
use super::schema::Part;
use super::{outline, repair, requires};
use crate::input::Kind;
use crate::rules::{Written, is_counter_reader};
use crate::words::{action_about, effect_about, enforcement_about, kind_about};

/// Something that can stand there.
struct Choice {
    label: String,
    /// What it is, in a word or two.
    detail: String,
    about: String,
    kind: CompletionItemKind,
    /// The profile that the rule has to require for it.
    profile: Option<String>,
}

impl Choice {
    fn word(label: &str, about: &str) -> Self {
        let (label, about) = (label.to_owned(), about.to_owned());
        let kind = CompletionItemKind::ENUM_MEMBER;
        Self { label, detail: String::new(), about, kind, profile: None }
    }

    fn name(own: Named) -> Self {
        let kind = match own.fact {
            Some(_) => CompletionItemKind::VARIABLE,
            None => CompletionItemKind::FUNCTION,
        };
        let detail = format!("{}, {}", own.signature, own.tier.replace('`', ""));
        Self { label: own.name, detail, about: own.about, kind, profile: own.profile }
    }

    fn rule(rule: &Written, namespace: Option<&str>) -> Self {
        // A rule of the same namespace is named without it.
        let bare = rule.text("namespace") == namespace;
        let label = if bare { rule.id().to_owned() } else { rule.name() };
        let detail = format!("{}, {}", rule.kind(), rule.effect());
        let kind = CompletionItemKind::REFERENCE;
        Self { label, detail, about: outline::about(rule), kind, profile: None }
    }
}

/// How a choice is written where the cursor is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// The name of a member, with what goes behind it.
    Member,
    /// A string, in quotes where the format asks for them.
    Scalar,
    /// A part of a string.
    Part,
}

/// Everything that can stand at a byte.
pub(super) fn complete(view: &View<'_>, offset: usize) -> Option<Vec<CompletionItem>> {
    let cursor = repair::cursor(view.text.as_str(), offset, view.format)?;
    let (form, before, choices) = choices(view, &cursor)?;
    // What a rule requires can be added to where its document can be read.
    let whole = match choices.iter().any(|own| own.profile.is_some()) {
        true => Cursor::in_whole(view, offset),
        false => None,
    };
    let items = choices.into_iter().enumerate().map(|(at, own)| {
        let also = own.profile.clone().and_then(|profile| {
            let needed = !requires_profile(&cursor, &profile, &own.label);
            let edit = also_required(view, &cursor, whole.as_ref()?, offset, &profile);
            edit.filter(|_| needed)
        });
        CompletionItem {
            sort_text: Some(format!("{at:04}")),
            additional_text_edits: also,
            ..item(view, offset, form, &before, own)
        }
    });
    Some(items.collect())
}

/// The choices, how they are written, and what of them is typed already.
fn choices(view: &View<'_>, cursor: &Cursor) -> Option<(Form, String, Vec<Choice>)> {
    let words = cursor.words();
    let namespace = cursor.root.get("namespace").and_then(Node::as_str);
    match &cursor.place {
        Place::Name(name, at) => {
            let before = name.get(..*at)?.to_owned();
            Some((Form::Member, before, members(view, cursor, &words)))
        }
        Place::Text(text, at) if words == ["when"] => match token(text, *at) {
            Some(Token::Text(range, Some(function))) if is_counter_reader(function) => {
                let before = text.get(range.start..*at)?.to_owned();
                Some((Form::Part, before, rules(view, namespace)))
            }
            Some(Token::Text(..)) => None,
            _ => {
                let before = text.get(typed(text, *at)?)?.to_owned();
                let names = declared(view).into_iter().chain(builtins());
                Some((Form::Part, before, names.map(Choice::name).collect()))
            }
        },
        Place::Text(text, at) if matches!(words.as_slice(), ["copy", _]) => {
            let range = in_copy(text, *at)?;
            let written = [Type::Bool, Type::Int, Type::Double, Type::String, Type::StringList];
            let facts = facts(view, &written);
            Some((Form::Part, text.get(range.start..*at)?.to_owned(), facts))
        }
        Place::Text(text, at) => {
            let before = text.get(..*at)?.to_owned();
            let path = cursor.path.iter().map(String::as_str);
            let part = Part::at(view.document_kind(), path);
            if part.is_some_and(Part::is_object) {
                return Some((Form::Member, before, members(view, cursor, &words)));
            }
            Some((Form::Scalar, before, scalars(view, &words, namespace, part)))
        }
        Place::Other => None,
    }
}

/// The members that an object can still have.
fn members(view: &View<'_>, cursor: &Cursor, words: &[&str]) -> Vec<Choice> {
    let object = cursor.path.iter().try_fold(&cursor.root, |node, token| match node.as_array() {
        Some(items) => items.get(token.parse::<usize>().ok()?),
        None => node.get(token),
    });
    let has = |name: &str| object.is_some_and(|object| object.get(name).is_some());
    let own = match (view.document_kind(), words) {
        (DocumentKind::Rule, ["selector"]) => facts(view, &[Type::String, Type::StringList]),
        (DocumentKind::Config, ["enforcement"]) => rules(view, None),
        (kind, _) => {
            // An empty file may become any of the three.
            let kinds = match cursor.path.is_empty() && cursor.root.as_object().is_none() {
                true => vec![kind, DocumentKind::Capability, DocumentKind::Config],
                false => vec![kind],
            };
            let mut found: Vec<Choice> = Vec::new();
            for kind in kinds {
                let path = cursor.path.iter().map(String::as_str);
                let part = Part::at(kind, path);
                for (name, part) in part.into_iter().flat_map(Part::members) {
                    let about = part.about().unwrap_or_default();
                    let detail = match part.words().as_slice() {
                        [] => part.kind().to_owned(),
                        words => words.join(" | "),
                    };
                    let kind = CompletionItemKind::PROPERTY;
                    let choice = Choice { detail, kind, ..Choice::word(name, about) };
                    if found.iter().all(|own| own.label != choice.label) {
                        found.push(choice);
                    }
                }
            }
            found
        }
    };
    own.into_iter().filter(|own| !has(&own.label)).collect()
}

/// The strings that can stand somewhere.
fn scalars(
    view: &View<'_>,
    words: &[&str],
    namespace: Option<&str>,
    part: Option<Part>,
) -> Vec<Choice> {
    let vocabulary = Vocabulary::get();
    let host = view.capability();
    let moment = |name: &str| {
        let anchor = vocabulary.anchors.iter().find(|own| own.name == name);
        anchor.map_or("A moment of this host's own.", |own| &own.moment).to_owned()
    };
    match (view.document_kind(), words) {
        (DocumentKind::Rule, ["anchor"]) => {
            let names: Vec<&str> = match host {
                Some(host) => {
                    host.core_anchors().map(|(core, _)| core).chain(host.host_anchors()).collect()
                }
                None => vocabulary.anchors.iter().map(|own| own.name.as_str()).collect(),
            };
            names.into_iter().map(|name| Choice::word(name, &moment(name))).collect()
        }
        (DocumentKind::Rule, ["effect"]) => {
            Effect::ALL.iter().map(|own| Choice::word(own.name(), effect_about(*own))).collect()
        }
        (DocumentKind::Rule, ["kind"]) => {
            RuleKind::ALL.iter().map(|own| Choice::word(own.name(), kind_about(*own))).collect()
        }
        (DocumentKind::Rule, ["enforcement"]) | (DocumentKind::Config, ["enforcement", _]) => {
            let all = Enforcement::ALL.iter();
            all.map(|own| Choice::word(own.name(), enforcement_about(*own))).collect()
        }
        (DocumentKind::Rule, ["on_fire"]) => {
            Action::ALL.iter().map(|own| Choice::word(own.name(), action_about(*own))).collect()
        }
        (DocumentKind::Rule, ["on_error"]) => {
            let mut all = vec![
                Choice::word("fail_closed", "A rule that fails blocks."),
                Choice::word("fail_open", "A rule that fails does nothing."),
            ];
            all.extend(rules(view, namespace));
            all
        }
        (DocumentKind::Rule, ["overrides"] | ["related", "id"]) => rules(view, namespace),
        (DocumentKind::Config, ["disable"]) => rules(view, None),
        (DocumentKind::Rule, ["requires", "profiles"])
        | (DocumentKind::Capability, ["profiles"]) => {
            let claimed: Option<Vec<&str>> = match view.document_kind() {
                DocumentKind::Rule => host.map(|host| Capability::profiles(host).collect()),
                _ => None,
            };
            let has = |name: &str| claimed.as_ref().is_none_or(|own| own.contains(&name));
            let profiles = vocabulary.profiles.iter().filter(|own| has(&own.name));
            profiles.map(|own| Choice::word(&own.name, &own.about)).collect()
        }
        (DocumentKind::Rule, ["requires", "facts"]) => {
            let names = declared(view).into_iter().filter(|own| own.tier != "core tier");
            names.map(Choice::name).collect()
        }
        (DocumentKind::Rule, ["counter_scope"]) => facts(view, &[Type::String]),
        (DocumentKind::Rule, ["transform", "target"]) => {
            let mut all = vec![Choice::word("content", "The whole content.")];
            all.extend(facts(view, &[Type::MapList]));
            all
        }
        (DocumentKind::Rule, ["detector", "ref"]) => {
            let names: Vec<&str> = match host {
                Some(host) => host.detectors().collect(),
                None => vocabulary.detectors.iter().map(String::as_str).collect(),
            };
            names.into_iter().map(|name| Choice::word(name, "")).collect()
        }
        (DocumentKind::Capability, ["detectors"]) => {
            vocabulary.detectors.iter().map(|name| Choice::word(name, "")).collect()
        }
        (DocumentKind::Capability, ["anchors", ..]) => {
            let anchors = vocabulary.anchors.iter();
            anchors.map(|own| Choice::word(&own.name, &own.moment)).collect()
        }
        _ => match part {
            Some(part) if part.kind() == "boolean" => {
                vec![Choice::word("true", ""), Choice::word("false", "")]
            }
            Some(part) if words.last() == Some(&"type") && part.words().is_empty() => {
                Type::ALL.iter().map(|own| Choice::word(&own.to_string(), "")).collect()
            }
            Some(part) => part.words().into_iter().map(|own| Choice::word(own, "")).collect(),
            None => Vec::new(),
        },
    }
}

/// The facts of some types.
fn facts(view: &View<'_>, types: &[Type]) -> Vec<Choice> {
    let fits = |own: &Named| own.fact.is_some_and(|ty| types.contains(&ty));
    declared(view).into_iter().filter(fits).map(Choice::name).collect()
}

/// The rules of the pack, as a rule of a namespace names them.
fn rules(view: &View<'_>, namespace: Option<&str>) -> Vec<Choice> {
    let rules = outline::rules(view);
    rules.iter().map(|own| Choice::rule(&own.rule, namespace)).collect()
}

fn item(view: &View<'_>, offset: usize, form: Form, before: &str, own: Choice) -> CompletionItem {
    let text = view.text.as_str();
    // What is typed is replaced; where it is written in another way than it reads, it stays.
    let typed = text.get(..offset).is_some_and(|text| text.ends_with(before));
    let start = if typed { offset - before.len() } else { offset };
    let quoted = text.get(..start).is_some_and(|text| text.ends_with(['"', '\'']));
    let behind = text.get(offset..).unwrap_or_default();
    let new = match (form, view.format, quoted) {
        (Form::Part, ..) | (_, _, true) => own.label.clone(),
        (Form::Member, format, false) => {
            let rest =
                behind.trim_start_matches(|c: char| c.is_alphanumeric() || "_.-\"".contains(c));
            let colon =
                if rest.trim_start_matches([' ', '\t']).starts_with(':') { "" } else { ": " };
            match format {
                Format::Json => format!("\"{}\"{colon}", own.label),
                Format::Yaml => format!("{}{colon}", own.label),
            }
        }
        (Form::Scalar, Format::Json, false) if matches!(&*own.label, "true" | "false") => {
            own.label.clone()
        }
        (Form::Scalar, Format::Json, false) => format!("\"{}\"", own.label),
        (Form::Scalar, Format::Yaml, false) => match &*own.label {
            "true" | "false" => own.label.clone(),
            label => crate::new::scalar(label),
        },
    };
    let position = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let span = Span::new(position(start), position(offset));
    let about = MarkupContent { kind: MarkupKind::Markdown, value: own.about };
    CompletionItem {
        text_edit: Some(CompletionTextEdit::Edit(text_edit(view.text, view.encoding, (span, new)))),
        detail: (!own.detail.is_empty()).then_some(own.detail),
        kind: Some(own.kind),
        documentation: (!about.value.is_empty()).then_some(Documentation::MarkupContent(about)),
        filter_text: Some(own.label.clone()),
        label: own.label,
        ..CompletionItem::default()
    }
}

/// Whether the rule reaches a name of a profile already (OAR-FACT-20).
fn requires_profile(cursor: &Cursor, profile: &str, name: &str) -> bool {
    let lists = |member: &str, wanted: &str| {
        let list = cursor.root.get("requires").and_then(|own| own.get(member)?.as_array());
        list.is_some_and(|list| list.iter().any(|own| own.as_str() == Some(wanted)))
    };
    lists("profiles", profile) || lists("facts", name)
}

/// The profile of a name that is chosen is required along with it.
fn also_required(
    view: &View<'_>,
    cursor: &Cursor,
    whole: &Cursor,
    offset: usize,
    profile: &str,
) -> Option<Vec<TextEdit>> {
    if view.kind != Kind::Rules || cursor.words().first() == Some(&"requires") {
        return None;
    }
    let edit = requires::add(view, whole, "profiles", profile)?;
    // It must not meet what is typed.
    let apart = edit.0.end as usize + 1 < offset || offset + 1 < edit.0.start as usize;
    apart.then(|| vec![text_edit(view.text, view.encoding, edit)])
}
