//! How rules are filed: under which clause, and in which lists literals are looked for.

use serde_json::{Value as Json, json};

use super::{AnchorIndex, Guarded, RuleSet};
use crate::fixtures::{load, rule};

fn set(rules: Vec<Json>) -> RuleSet {
    load(&["tool"], rules).unwrap().rules
}

fn anchor(rules: &RuleSet) -> &AnchorIndex {
    rules.anchors.iter().find(|anchor| &*anchor.local == "tool.pre_invoke").unwrap()
}

/// As many rules on one tool as there are conditions.
fn on_one_tool(conditions: impl IntoIterator<Item = String>) -> RuleSet {
    let rules = conditions.into_iter().enumerate().map(|(number, when)| {
        rule(
            &format!("R{number:03}"),
            json!({"requires": {"profiles": ["tool"], "facts": ["acme.string"]},
                "selector": {"tool": ["shell"]}, "when": when}),
        )
    });
    set(rules.collect())
}

fn guarded(rules: &RuleSet) -> Option<&Guarded> {
    let [table] = &*anchor(rules).tables else { return None };
    table.by_value.get("shell")?.guarded.as_deref()
}

/// Where literals are looked for: in how many texts, and how many rules are evaluated anyway.
fn searched(conditions: impl IntoIterator<Item = String>) -> Option<(usize, usize)> {
    let rules = on_one_tool(conditions);
    let guarded = guarded(&rules)?;
    Some((guarded.texts().count(), guarded.always.len()))
}

fn words(count: usize) -> impl Iterator<Item = String> {
    (0..count).map(|number| format!("contains(tool_arg_string('c'), 'word{number}')"))
}

#[test]
fn long_lists_are_searched_for_literals_and_short_ones_are_not() {
    assert_eq!(searched(words(19)), None);
    assert_eq!(searched(words(20)), Some((1, 0)));
    let elsewhere = "acme.string == 'x'".to_owned();
    assert_eq!(searched(words(20).chain([elsewhere])), Some((2, 0)));
    // What counts is how many rules the search can spare.
    let always = || ["1 == 1".to_owned()];
    assert_eq!(searched(words(19).chain(always())), None);
    assert_eq!(searched(words(20).chain(always())), Some((1, 1)));
}

#[test]
fn a_rule_of_too_many_literals_is_always_evaluated() {
    let one_of = |count: usize| {
        let members: Vec<String> = (0..count).map(|member| format!("'m{member}'")).collect();
        format!("acme.string in [{}]", members.join(", "))
    };
    assert_eq!(searched(words(20).chain([one_of(64)])), Some((2, 0)));
    assert_eq!(searched(words(20).chain([one_of(65)])), Some((1, 1)));
}

#[test]
fn beginnings_of_too_many_lengths_are_not_all_looked_for() {
    let start = |length: usize, last: char| {
        format!("starts_with(acme.string, '{}{last}')", "a".repeat(length - 1))
    };
    let lengths = |most: usize| (1..=most).map(|length| start(length, 'b'));
    assert_eq!(searched(lengths(32)), Some((1, 0)));
    // Another one of a length that is there costs no more.
    assert_eq!(searched(lengths(32).chain([start(7, 'c')])), Some((1, 0)));
    assert_eq!(searched(lengths(33)), Some((1, 1)));
}

/// A rule is filed under the clause that fewest rules share, in whichever order its clauses stand.
#[test]
fn a_rule_is_filed_under_its_rarest_clause() {
    for (common, rare) in [("acme.string", "tool"), ("tool", "acme.string")] {
        let needs = json!({"profiles": ["tool"], "facts": ["acme.string"]});
        let mut rules: Vec<Json> = (0..5)
            .map(|number| {
                rule(&format!("C{number}"), json!({"requires": needs, "selector": {common: ["x"]}}))
            })
            .collect();
        rules.push(rule("R", json!({"requires": needs, "selector": {common: ["x"], rare: ["y"]}})));
        let rules = set(rules);
        let slot = rules.environment().slot(rare).unwrap();
        let table = anchor(&rules).tables.iter().find(|table| table.slot == slot).unwrap();
        assert_eq!(table.all.ranks.len(), 1, "{rare}");
        assert_eq!(table.by_value.get("y").unwrap().ranks.len(), 1, "{rare}");
    }
}
