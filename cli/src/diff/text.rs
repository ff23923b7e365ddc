//! The difference for people.

use std::collections::BTreeSet;

use oar_engine::document::rule::Enforcement;
use serde_json::Value;

use super::compare::{Alone, Change, Changed, Class, Difference};
use super::host::HostChange;
use super::order::Moved;
use crate::output::{ASIDE, BAD, DOUBT, GOOD, HEAD, Output, counted, listed, styled};

/// How many names a line tells before it counts the rest.
const FEW: usize = 3;

pub(super) fn write(difference: &Difference, output: &mut Output) {
    for rule in &difference.added {
        output.line(&format!("{}    {}", styled(GOOD, "added"), described(rule)));
        for (relation, other) in &rule.related {
            output.line(&styled(ASIDE, &format!("  related  {relation} {other}")));
        }
    }
    for rule in &difference.removed {
        output.line(&format!("{}  {}", styled(BAD, "removed"), described(rule)));
    }
    for rule in &difference.changed {
        changed(rule, output);
    }
    for moved in &difference.moved {
        order(moved, output);
    }
    for (title, changes) in [("needs", &difference.needs), ("host", &difference.host)] {
        for change in changes {
            host(title, change, output);
        }
    }
    if difference.class().is_some() {
        output.text("\n");
    }
    output.line(&verdict(difference));
}

fn described(rule: &Alone) -> String {
    let run = match rule.in_force {
        Enforcement::Enforce => String::new(),
        Enforcement::Monitor => ", monitored".to_owned(),
        Enforcement::Off => ", off".to_owned(),
    };
    let name = styled(HEAD, &rule.name);
    format!("{name}: {}, {} at {}{run}", rule.kind, rule.effect, rule.anchor)
}

fn changed(rule: &Changed, output: &mut Output) {
    let name = styled(HEAD, &rule.name);
    match &rule.was {
        Some(was) => {
            output.line(&format!("{}  {was} -> {name}", styled(DOUBT, "renamed")));
            if rule.counts {
                let note = "  counters  begin anew, being kept under the name of the rule";
                output.line(&styled(ASIDE, note));
            }
        }
        None => {
            output.line(&format!("{}  {name}{}", styled(DOUBT, "changed"), scope(&rule.changes)))
        }
    }
    let width = rule.changes.iter().map(|change| change.member.len()).max().unwrap_or_default();
    for change in &rule.changes {
        for (at, line) in lines(change).into_iter().enumerate() {
            let member = if at == 0 { change.member.as_str() } else { "" };
            output.line(&format!("  {member:<width$}  {line}"));
        }
    }
}

/// That a rule decides as it did, where that is so.
fn scope(changes: &[Change]) -> &'static str {
    match changes.iter().map(|change| change.class).max() {
        Some(Class::Spelling) => ", spelling only",
        Some(Class::Notes) => ", notes only",
        Some(Class::Copy) if changes.iter().all(|change| change.class == Class::Copy) => {
            ", copy only"
        }
        Some(Class::Copy) => ", copy and notes only",
        Some(Class::Needs | Class::Decisions) | None => "",
    }
}

fn lines(change: &Change) -> Vec<String> {
    if change.class == Class::Spelling {
        return vec!["written in another way, and the same".to_owned()];
    }
    let set = change.member.starts_with("selector.")
        || change.member.starts_with("requires.")
        || ["overrides", "facts in copy"].contains(&change.member.as_str());
    match (&change.before, &change.after) {
        (Value::Array(before), Value::Array(after)) if set => {
            let (before, after): (BTreeSet<&str>, BTreeSet<&str>) = (texts(before), texts(after));
            let gone = before.difference(&after).map(|name| minus(name));
            gone.chain(after.difference(&before).map(|name| plus(name))).collect()
        }
        (before, after) if is_text(&change.member) => {
            let mut lines = Vec::new();
            let mut side = |value: &Value, mark: &dyn Fn(&str) -> String| {
                let text = value.as_str().unwrap_or_default();
                lines.extend(text.lines().map(mark));
            };
            side(before, &minus);
            side(after, &plus);
            lines
        }
        (before, after) => vec![format!("{} -> {}", plain(before), plain(after))],
    }
}

fn is_text(member: &str) -> bool {
    member == "when" || member.starts_with("copy.")
}

fn texts(values: &[Value]) -> BTreeSet<&str> {
    values.iter().filter_map(Value::as_str).collect()
}

fn minus(text: &str) -> String {
    styled(BAD, &format!("- {text}"))
}

fn plus(text: &str) -> String {
    styled(GOOD, &format!("+ {text}"))
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) if items.is_empty() => "nothing".to_owned(),
        Value::Array(items) if items.iter().all(Value::is_string) => texts_in_order(items),
        other => other.to_string(),
    }
}

fn texts_in_order(items: &[Value]) -> String {
    items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
}

fn order(moved: &Moved, output: &mut Output) {
    let mut parts = Vec::new();
    for (word, others) in [("before", &moved.now_before), ("after", &moved.now_after)] {
        if !others.is_empty() {
            parts.push(format!("{word} {}", some(others)));
        }
    }
    let anchor = styled(ASIDE, &format!("at {}", moved.anchor));
    let rule = styled(HEAD, &moved.rule);
    let parts = parts.join(" and ");
    output.line(&format!("{}    {rule} is now evaluated {parts} {anchor}", styled(DOUBT, "order")));
}

/// A few names, and how many more there are.
fn some(names: &[String]) -> String {
    let more = names.len().saturating_sub(FEW);
    if more == 0 {
        return listed(names);
    }
    let few: Vec<String> = names.iter().take(FEW).map(|name| format!("`{name}`")).collect();
    format!("{} and {more} more", few.join(", "))
}

fn host(title: &str, change: &HostChange, output: &mut Output) {
    let title = format!("{:<8}", title);
    for name in &change.gone {
        output.line(&format!("{title} {}", minus(&format!("{} {name}", change.what))));
    }
    for name in &change.new {
        let rules = change.rules.get(name).map(|rules| format!(" for {}", some(rules)));
        let rules = styled(ASIDE, &rules.unwrap_or_default());
        output.line(&format!("{title} {}{rules}", plus(&format!("{} {name}", change.what))));
    }
}

fn verdict(difference: &Difference) -> String {
    let renamed = difference.changed.iter().filter(|rule| rule.was.is_some()).count();
    let changed = difference.changed.len() - renamed;
    let mut parts = Vec::new();
    for (number, what) in [
        (difference.added.len(), "added"),
        (difference.removed.len(), "removed"),
        (renamed, "renamed"),
        (changed, "changed"),
    ] {
        if number > 0 {
            parts.push(match parts.is_empty() {
                true => format!("{} {what}", counted(number, "rule")),
                false => format!("{number} {what}"),
            });
        }
    }
    if difference.same > 0 {
        parts.push(match parts.is_empty() {
            true => format!("{} the same", counted(difference.same, "rule")),
            false => format!("{} the same", difference.same),
        });
    }
    let copy = difference.classes().contains(&Class::Copy);
    let verdict = match difference.class() {
        None => styled(GOOD, "nothing changed"),
        Some(Class::Spelling) => styled(GOOD, "only the spelling changed"),
        Some(Class::Notes) => styled(GOOD, "only notes changed: every decision stays the same"),
        Some(Class::Copy) => styled(GOOD, "only copy changed: every decision stays the same"),
        Some(Class::Needs) => {
            let what = if copy { "needs and copy" } else { "needs" };
            let text = format!("only {what} changed: where it still loads it decides the same");
            styled(GOOD, &text)
        }
        Some(Class::Decisions) => styled(DOUBT, "decisions may change"),
    };
    format!("{verdict} ({})", parts.join(", "))
}
