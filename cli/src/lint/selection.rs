//! Rules that no occurrence reaches.

use std::collections::{BTreeSet, HashSet};

use oar_engine::document::rule::{Effect, Enforcement};
use oar_engine::document::source::{Node, join_pointer};

use super::set::Rule;
use super::{Findings, Lint, Set};
use crate::output::listed;
use crate::rules::Term;

pub(super) const NEVER_SELECTED: Lint = Lint {
    name: "never-selected",
    summary: "a selector that nothing can match",
    run: never_selected,
};

pub(super) const IDLE_OVERRIDE: Lint = Lint {
    name: "idle-override",
    summary: "an override of a rule that is never selected together with this one",
    run: idle_override,
};

pub(super) const SHADOWED: Lint = Lint {
    name: "shadowed",
    summary: "a rule that an unconditional block always comes before",
    run: shadowed,
};

fn never_selected(set: &Set<'_>, findings: &mut Findings) {
    for rule in &set.rules {
        for clause in rule.written.object("selector").into_iter().flat_map(|object| object.iter()) {
            let fact = &*clause.name;
            let pointer = join_pointer("/selector", fact);
            let place = rule.written.place(&clause.node, &pointer);
            let values = clause.node.as_array().unwrap_or_default();
            if values.is_empty() {
                let message = format!("selector clause `{fact}` is empty, so that nothing matches");
                let help = "leave the clause out to let everything through";
                findings.push(findings.at(place, message).help(help));
                continue;
            }
            for (at, node) in values.iter().enumerate() {
                let Some(value) = node.as_str() else { continue };
                let Some(help) = never(set, rule, fact, value) else { continue };
                let place = rule.written.place(node, &format!("{pointer}/{at}"));
                let message = format!("`{fact}` is never `{value}` here");
                findings.push(findings.at(place, message).help(help));
            }
        }
    }
}

/// Why a fact never has, or holds, a value; advice.
fn never(set: &Set<'_>, rule: &Rule<'_>, fact: &str, value: &str) -> Option<String> {
    if let Some(words) = set.domain.listed(fact) {
        let similar = oar_expr::closest(value, words.iter().copied());
        return (!words.contains(&value)).then(|| match similar {
            Some(similar) => format!("did you mean `{similar}`?"),
            None => format!("it holds {}", listed(words)),
        });
    }
    let name = set.number(Term::Name(fact.to_owned()));
    let text = set.number(Term::String(value.to_owned()));
    let goal = set.number(Term::Binary("==", name, text));
    if !set.domain.is_string(fact) || set.possible(rule, &[(goal, true)]) {
        return None;
    }
    Some(match fact {
        "anchor" => {
            let anchor = set.domain.published_anchor(rule.written.anchor());
            format!("the rule is for the moment `{anchor}`, and for no other")
        }
        _ => "it is empty or 64 hexadecimal digits in lower case".to_owned(),
    })
}

fn idle_override(set: &Set<'_>, findings: &mut Findings) {
    for rule in &set.rules {
        for (at, (reference, node)) in rule.written.list("overrides").enumerate() {
            let Some(other) = set.get(&rule.written.qualify(reference)) else { continue };
            let Some(why) = apart(set, rule, other) else { continue };
            let place = rule.written.place(node, &format!("/overrides/{at}"));
            let message =
                format!("`{}` is never selected together with this rule: {why}", other.name);
            let finding = findings.at(place, message);
            let related =
                other.written.place_of(if why.contains("moment") { "anchor" } else { "selector" });
            findings.push(finding.relate(related, "the other rule's"));
        }
    }
}

/// Why two rules are never selected at one occurrence.
fn apart(set: &Set<'_>, one: &Rule<'_>, other: &Rule<'_>) -> Option<String> {
    let local = |rule: &Rule<'_>| set.domain.local_anchor(rule.written.anchor()).to_owned();
    if local(one) != local(other) {
        let anchor = other.written.anchor();
        return Some(format!("it is for another moment, `{anchor}`"));
    }
    let (own, others) = (set.selected(one), set.selected(other));
    let both = !own.is_empty() && !others.is_empty();
    let together = [own, others].concat();
    (both && !set.possible(one, &together))
        .then(|| "no occurrence matches both selectors".to_owned())
}

/// A block without a condition ends every occurrence that selects it ([OAR-EVAL-7]), so that the
/// rules behind it are for nothing.
fn shadowed(set: &Set<'_>, findings: &mut Findings) {
    let overridden: HashSet<String> = set
        .rules
        .iter()
        .flat_map(|rule| rule.written.list("overrides").map(|(name, _)| rule.written.qualify(name)))
        .collect();
    let blocks: Vec<(usize, &Rule<'_>)> = set
        .rules
        .iter()
        .enumerate()
        .filter(|(_, rule)| {
            rule.in_force == Enforcement::Enforce
                && rule.written.effect() == Effect::Block
                && rule.written.root.get("flow").is_none()
                // What runs a detector may fail instead; what another silences may not block.
                && rule.needs.detector().is_none()
                && !overridden.contains(&rule.name)
                && rule.whole().is_none_or(|whole| !set.possible(rule, &[(whole, false)]))
        })
        .collect();
    for (at, rule) in set.rules.iter().enumerate() {
        if rule.in_force == Enforcement::Off {
            continue;
        }
        let local = set.domain.local_anchor(rule.written.anchor());
        let block = blocks.iter().find(|(earlier, block)| {
            *earlier < at
                && set.domain.local_anchor(block.written.anchor()) == local
                && covers(block, rule)
        });
        let Some((_, block)) = block else { continue };
        let message =
            format!("`{}` is never reached: `{}` always blocks before it", rule.name, block.name);
        let finding = findings.at(rule.written.place_of("id"), message);
        findings
            .push(finding.relate(block.written.place_of("id"), "this blocks without a condition"));
    }
}

/// Whether every occurrence that selects `rule` selects `block`: each clause of its selector
/// lists all that the same clause of the other does.
fn covers(block: &Rule<'_>, rule: &Rule<'_>) -> bool {
    let values = |node: &Node| -> BTreeSet<String> {
        let items = node.as_array().unwrap_or_default().iter();
        items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
    };
    let clauses = block.written.object("selector").into_iter().flat_map(|object| object.iter());
    let other = rule.written.object("selector");
    clauses.into_iter().all(|clause| {
        let same = other.and_then(|object| object.get(&clause.name));
        same.is_some_and(|same| values(same).is_subset(&values(&clause.node)))
    })
}
