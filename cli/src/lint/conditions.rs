//! Conditions, or parts of them, that always come to the same.

use oar_expr::{BinaryOperator, NodeKind, UnaryOperator};

use super::set::Rule;
use super::{Findings, Lint, Set};
use crate::rules::{Condition, Term};

pub(super) const CONSTANT_CONDITION: Lint = Lint {
    name: "constant-condition",
    summary: "a condition, or a part of it, that always or never holds",
    run: constant,
};

pub(super) const IMPOSSIBLE_COMPARISON: Lint = Lint {
    name: "impossible-comparison",
    summary: "a comparison that always or never holds, whatever the host observes",
    run: impossible,
};

/// Longer conditions are left alone: telling would take too long.
const NODES: usize = 1_000;

/// A part of a condition that always comes to the same.
struct Constant {
    node: usize,
    value: bool,
}

fn constant(set: &Set<'_>, findings: &mut Findings) {
    for rule in &set.rules {
        let Some(condition) = &rule.condition else { continue };
        let found = constants(set, rule, condition);
        for constant in &found {
            let Some(node) = condition.ast.nodes().get(constant.node) else { continue };
            if is_test(node.kind) {
                continue;
            }
            let whole = constant.node + 1 == condition.ast.nodes().len();
            let place = rule.place_in_condition(node.span);
            let text = condition.slice(node.span);
            let finding = match (node.kind, constant.value) {
                // What stands in for another rule fires by that rule's name alone.
                (NodeKind::Bool(false), _) if whole && is_substitute(set, rule) => continue,
                (NodeKind::Bool(true), _) if whole => {
                    findings.at(place, "the condition always holds").help("leave `when` out")
                }
                (NodeKind::Bool(false), _) if whole => findings
                    .at(place, format!("rule `{}` never fires", rule.name))
                    .help("write `enforcement: off` for a rule that is not to run"),
                (_, true) => findings.at(place, format!("`{text}` always holds")),
                (_, false) => findings.at(place, format!("`{text}` never holds")),
            };
            findings.push(finding);
        }
        if found.is_empty() {
            beside_the_selector(set, rule, findings);
        }
    }
}

fn impossible(set: &Set<'_>, findings: &mut Findings) {
    for rule in &set.rules {
        let Some(condition) = &rule.condition else { continue };
        for constant in constants(set, rule, condition) {
            let Some(node) = condition.ast.nodes().get(constant.node) else { continue };
            if is_test(node.kind) {
                let text = condition.slice(node.span);
                let how = if constant.value { "always" } else { "never" };
                let place = rule.place_in_condition(node.span);
                findings.push(findings.at(place, format!("`{text}` {how} holds")));
            }
        }
    }
}

/// The smallest parts that are constant, in the order of the text.
fn constants(set: &Set<'_>, rule: &Rule<'_>, condition: &Condition<'_>) -> Vec<Constant> {
    let nodes = condition.ast.nodes();
    let mut found: Vec<Constant> = Vec::new();
    if nodes.len() > NODES {
        return found;
    }
    for (at, (node, term)) in nodes.iter().zip(&rule.terms).enumerate() {
        if !is_bool(node.kind) && at + 1 != nodes.len() {
            continue;
        }
        let inner = found.iter().filter_map(|constant| nodes.get(constant.node));
        if inner.clone().any(|inner| inner.span.start >= node.span.start) {
            // A part of it was told already.
            continue;
        }
        let value =
            match (set.possible(rule, &[(*term, true)]), set.possible(rule, &[(*term, false)])) {
                (true, true) => continue,
                (holds, _) => holds,
            };
        found.push(Constant { node: at, value });
    }
    found
}

/// Whether a node is a bool for sure; a name may be one.
fn is_bool(kind: NodeKind) -> bool {
    match kind {
        NodeKind::Bool(_) => false,
        NodeKind::Unary { operator, .. } => operator == UnaryOperator::Not,
        NodeKind::Binary { operator, .. } => {
            matches!(operator, BinaryOperator::And | BinaryOperator::Or) || is_relation(operator)
        }
        _ => false,
    }
}

fn is_relation(operator: BinaryOperator) -> bool {
    use BinaryOperator as B;
    matches!(
        operator,
        B::Equal | B::NotEqual | B::Less | B::LessEqual | B::Greater | B::GreaterEqual | B::In
    )
}

/// Whether a node tests one thing, rather than putting tests together.
fn is_test(kind: NodeKind) -> bool {
    matches!(kind, NodeKind::Binary { operator, .. } if is_relation(operator))
}

fn is_substitute(set: &Set<'_>, rule: &Rule<'_>) -> bool {
    set.rules.iter().any(|other| {
        let reference = other.written.text("on_error");
        reference.is_some_and(|reference| other.written.qualify(reference) == rule.name)
    })
}

/// A condition that the selector has decided already.
fn beside_the_selector(set: &Set<'_>, rule: &Rule<'_>, findings: &mut Findings) {
    let Some(whole) = rule.whole() else { return };
    if matches!(set.term(whole), Some(Term::Bool(_))) || rule.terms.len() > NODES {
        return;
    }
    let selected = set.selected(rule);
    if selected.is_empty() || !set.possible(rule, &selected) {
        return;
    }
    let with = |value| [&*selected, &[(whole, value)]].concat();
    let how = match (set.possible(rule, &with(true)), set.possible(rule, &with(false))) {
        (true, true) => return,
        (holds, _) if holds => "always",
        _ => "never",
    };
    let message = format!("the condition {how} holds for what the selector lets through");
    let selector = rule.written.place_of("selector");
    let finding = findings.at(rule.written.place_of("when"), message);
    findings.push(finding.relate(selector, "the selector"));
}
