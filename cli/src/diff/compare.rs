//! Two versions of rules, member by member.

use std::collections::{BTreeMap, BTreeSet};

use oar_engine::document::rule::{Action, CopyMember, Enforcement};
use oar_engine::document::source::{Node, Object};
use serde_json::{Value, json};

use super::Side;
use super::host::{self, HostChange};
use super::order::{self, Moved};
use crate::rules::{Rules, Terms, Written, names};

/// What a change can do, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// It is written in another way and says the same.
    Spelling,
    /// Provenance: references, status, related rules, extensions.
    Notes,
    /// What people read.
    Copy,
    /// What a host must provide.
    Needs,
    /// Decisions, side-effects or the trace.
    Decisions,
}

impl Class {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Spelling => "spelling",
            Self::Notes => "notes",
            Self::Copy => "copy",
            Self::Needs => "needs",
            Self::Decisions => "decisions",
        }
    }
}

/// A member that changed. `Null` is an absent one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Change {
    pub(crate) member: String,
    pub(crate) class: Class,
    pub(crate) before: Value,
    pub(crate) after: Value,
}

/// A rule of both versions that differs.
#[derive(Clone, Debug)]
pub(crate) struct Changed {
    pub(crate) name: String,
    /// Its earlier name, where it was renamed.
    pub(crate) was: Option<String>,
    /// Whether it keeps counters, which a new name begins anew ([OAR-FIRE-5]).
    pub(crate) counts: bool,
    pub(crate) changes: Vec<Change>,
}

/// A rule of one version alone.
#[derive(Clone, Debug)]
pub(crate) struct Alone {
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) effect: &'static str,
    pub(crate) anchor: String,
    pub(crate) in_force: Enforcement,
    /// What it says of earlier rules: the relation and the rule ([OAR-DOC-30]).
    pub(crate) related: Vec<(String, String)>,
}

/// Everything that differs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Difference {
    pub(crate) added: Vec<Alone>,
    pub(crate) removed: Vec<Alone>,
    pub(crate) changed: Vec<Changed>,
    pub(crate) moved: Vec<Moved>,
    pub(crate) needs: Vec<HostChange>,
    pub(crate) host: Vec<HostChange>,
    pub(crate) same: usize,
}

impl Difference {
    pub(crate) fn between(before: &Side, after: &Side) -> Self {
        let renamed = renamed(&before.rules, &after.rules);
        let new_name = |old: &str| renamed.get(old).cloned().unwrap_or_else(|| old.to_owned());
        let mut difference = Self::default();
        let mut seen = BTreeSet::new();
        for rule in before.rules.iter() {
            let name = rule.name();
            let now = new_name(&name);
            let Some(later) = after.rules.get(&now) else {
                difference.removed.push(alone(rule, before));
                continue;
            };
            seen.insert(now.clone());
            let mut changes = members(rule, later, &new_name);
            in_force(rule, later, before, after, &mut changes);
            let was = (now != name).then_some(name);
            if was.is_some() {
                // That is what told of the new name.
                changes.retain(|change| change.member != "related");
            }
            if changes.is_empty() && was.is_none() {
                difference.same += 1;
                continue;
            }
            let counts =
                later.list("on_fire").any(|(action, _)| action != Action::PublishEvent.name());
            difference.changed.push(Changed { name: now, was, counts, changes });
        }
        let new = after.rules.iter().filter(|rule| !seen.contains(&rule.name()));
        difference.added = new.map(|rule| alone(rule, after)).collect();
        difference.moved = order::moved(before, after, &new_name);
        difference.needs = host::needs(before, after);
        difference.host = host::declared(before, after);
        difference
    }

    /// The worst that any change can do; `None` when nothing changed.
    pub(crate) fn class(&self) -> Option<Class> {
        let decisions = !self.added.is_empty()
            || !self.removed.is_empty()
            || !self.moved.is_empty()
            || !self.host.is_empty()
            || self.changed.iter().any(|rule| rule.was.is_some());
        if decisions {
            return Some(Class::Decisions);
        }
        let changes = self.changed.iter().flat_map(|rule| &rule.changes).map(|change| change.class);
        changes.chain((!self.needs.is_empty()).then_some(Class::Needs)).max()
    }

    /// Every class that a change of a rule has.
    pub(crate) fn classes(&self) -> BTreeSet<Class> {
        self.changed.iter().flat_map(|rule| &rule.changes).map(|change| change.class).collect()
    }
}

/// Earlier names and later ones: where a new rule says that a rule that is gone was renamed.
fn renamed(before: &Rules, after: &Rules) -> BTreeMap<String, String> {
    let mut renamed = BTreeMap::new();
    for rule in after.iter().filter(|rule| before.get(&rule.name()).is_none()) {
        for (relation, old) in related(rule) {
            let gone = before.get(&old).is_some() && after.get(&old).is_none();
            if relation == "renamed" && gone {
                renamed.entry(old).or_insert_with(|| rule.name());
            }
        }
    }
    renamed
}

/// The relation and the rule of each entry of `related`.
fn related(rule: &Written) -> Vec<(String, String)> {
    let entries = rule.root.get("related").and_then(Node::as_array).unwrap_or_default();
    let text = |entry: &Node, member| entry.get(member).and_then(Node::as_str).map(str::to_owned);
    entries
        .iter()
        .filter_map(|entry| Some((text(entry, "type")?, rule.qualify(&text(entry, "id")?))))
        .collect()
}

fn alone(rule: &Written, side: &Side) -> Alone {
    Alone {
        name: rule.name(),
        kind: rule.kind().name(),
        effect: rule.effect().name(),
        anchor: rule.anchor().to_owned(),
        in_force: side.in_force(rule),
        related: related(rule),
    }
}

/// Members compared as values, with what is meant when they are left out.
const PLAIN: [(&str, &str, Class); 12] = [
    ("kind", "", Class::Decisions),
    ("anchor", "", Class::Decisions),
    ("effect", "", Class::Decisions),
    ("enforcement", "enforce", Class::Decisions),
    ("counter_scope", "", Class::Decisions),
    ("flow", "", Class::Decisions),
    ("transform", "", Class::Decisions),
    ("detector", "", Class::Decisions),
    ("mandatory", "false", Class::Decisions),
    ("status", "stable", Class::Notes),
    ("references", "", Class::Notes),
    ("related", "", Class::Notes),
];

/// What differs between the members of two documents. `new_name` is the later name of a rule.
fn members(a: &Written, b: &Written, new_name: &dyn Fn(&str) -> String) -> Vec<Change> {
    let mut changes = Vec::new();
    for (member, default, class) in PLAIN {
        let (before, after) = (a.root.get(member), b.root.get(member));
        let (before, after) = (json_of(before), json_of(after));
        let meant = |value: &Value| match value {
            Value::Null if member == "mandatory" => Value::Bool(false),
            Value::Null if !default.is_empty() => Value::from(default),
            value => value.clone(),
        };
        let (before_meant, after_meant) = (meant(&before), meant(&after));
        if before_meant != after_meant {
            changes.push(Change {
                member: member.to_owned(),
                class,
                before: before_meant,
                after: after_meant,
            });
        }
    }
    condition(a, b, new_name, &mut changes);
    selector(a.object("selector"), b.object("selector"), &mut changes);
    references(a, b, new_name, &mut changes);
    for member in ["profiles", "facts"] {
        let set = |rule: &Written| rule.required(member).map(|(name, _)| name.to_owned()).collect();
        let (before, after): (BTreeSet<String>, BTreeSet<String>) = (set(a), set(b));
        push(
            &format!("requires.{member}"),
            Class::Needs,
            json!(before),
            json!(after),
            &mut changes,
        );
    }
    copy(a, b, &mut changes);
    extensions(a, b, &mut changes);
    changes
}

fn json_of(node: Option<&Node>) -> Value {
    node.map(Node::to_json).unwrap_or_default()
}

fn push(member: &str, class: Class, before: Value, after: Value, changes: &mut Vec<Change>) {
    if before != after {
        changes.push(Change { member: member.to_owned(), class, before, after });
    }
}

/// Conditions differ when their terms do; other blanks, quotes and parentheses are spelling.
fn condition(
    a: &Written,
    b: &Written,
    new_name: &dyn Fn(&str) -> String,
    changes: &mut Vec<Change>,
) {
    let (before, after) = (a.text("when"), b.text("when"));
    if before == after && before.is_none() {
        return;
    }
    let mut terms = Terms::default();
    let mut term = |rule: &Written, meant: &dyn Fn(&str) -> String| {
        let condition = rule.condition()?;
        terms.condition(&condition, meant).last().copied()
    };
    let one = term(a, &|reference| new_name(&a.qualify(reference)));
    let other = term(b, &|reference| b.qualify(reference));
    if one.is_some() && one == other {
        if before != after {
            push("when", Class::Spelling, json!(before), json!(after), changes);
        }
        return;
    }
    push("when", Class::Decisions, json!(before), json!(after), changes);
}

/// Clauses are lists without order; an absent one lets everything through ([OAR-SEL-5]).
fn selector(a: Option<&Object>, b: Option<&Object>, changes: &mut Vec<Change>) {
    let clauses = |object: Option<&Object>| -> BTreeMap<String, BTreeSet<String>> {
        let members = object.into_iter().flat_map(Object::iter);
        let values = |node: &Node| {
            let items = node.as_array().unwrap_or_default().iter();
            items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
        };
        members.map(|member| (member.name.to_string(), values(&member.node))).collect()
    };
    let (before, after) = (clauses(a), clauses(b));
    let facts: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for fact in facts {
        let value = |of: &BTreeMap<String, BTreeSet<String>>| {
            of.get(fact).map(|values| json!(values)).unwrap_or_default()
        };
        let (before, after) = (value(&before), value(&after));
        push(&format!("selector.{fact}"), Class::Decisions, before, after, changes);
    }
}

/// What a rule says of other rules, by what it means; and its side-effects, which have an order.
fn references(
    a: &Written,
    b: &Written,
    new_name: &dyn Fn(&str) -> String,
    changes: &mut Vec<Change>,
) {
    let before: BTreeSet<String> =
        a.list("overrides").map(|(name, _)| new_name(&a.qualify(name))).collect();
    let after: BTreeSet<String> = b.list("overrides").map(|(name, _)| b.qualify(name)).collect();
    push("overrides", Class::Decisions, json!(before), json!(after), changes);
    let on_error = |rule: &Written, named: &dyn Fn(&str) -> String| match rule.text("on_error") {
        None => "fail_closed".to_owned(),
        Some(word @ ("fail_closed" | "fail_open")) => word.to_owned(),
        Some(reference) => named(&rule.qualify(reference)),
    };
    let (before, after) = (on_error(a, new_name), on_error(b, &str::to_owned));
    push("on_error", Class::Decisions, json!(before), json!(after), changes);
    let actions = |rule: &Written| rule.list("on_fire").map(|(name, _)| json!(name)).collect();
    let (before, after): (Vec<Value>, Vec<Value>) = (actions(a), actions(b));
    push("on_fire", Class::Decisions, json!(before), json!(after), changes);
}

fn copy(a: &Written, b: &Written, changes: &mut Vec<Change>) {
    let member =
        |rule: &Written, name: &str| json_of(rule.object("copy").and_then(|c| c.get(name)));
    for name in CopyMember::ALL {
        let (before, after) = (member(a, name.name()), member(b, name.name()));
        push(&format!("copy.{}", name.name()), Class::Copy, before, after, changes);
    }
    // A fact that copy names is one that the host must produce ([OAR-FACT-11]).
    let facts = |rule: &Written| -> BTreeSet<String> {
        let texts = rule.object("copy").into_iter().flat_map(Object::iter);
        let texts = texts.filter_map(|member| member.node.as_str());
        texts.flat_map(names).map(|named| named.name.to_owned()).collect()
    };
    push("facts in copy", Class::Copy, json!(facts(a)), json!(facts(b)), changes);
}

fn extensions(a: &Written, b: &Written, changes: &mut Vec<Change>) {
    let names = |rule: &Written| -> BTreeSet<String> {
        let members = rule.root.as_object().into_iter().flat_map(Object::iter);
        members.map(|m| m.name.to_string()).filter(|name| name.starts_with("x-")).collect()
    };
    for name in names(a).union(&names(b)) {
        let (before, after) = (json_of(a.root.get(name)), json_of(b.root.get(name)));
        push(name, Class::Notes, before, after, changes);
    }
}

/// What the configuration makes of a rule, where its own words do not tell already.
fn in_force(a: &Written, b: &Written, before: &Side, after: &Side, changes: &mut Vec<Change>) {
    let (was, is) = (before.in_force(a), after.in_force(b));
    let told = (a.enforcement(), b.enforcement()) == (was, is);
    if was != is && !told {
        push("in force", Class::Decisions, json!(was.name()), json!(is.name()), changes);
    }
}
