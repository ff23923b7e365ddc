//! The order of evaluation ([OAR-EVAL-1], [OAR-EVAL-18]).

use super::rule::Rule;

pub(crate) fn order(mut selected: Vec<&Rule>) -> Vec<&Rule> {
    let rank = |rule: &Rule| {
        let kinds = ["schema", "policy", "invariant", "detector"];
        kinds.iter().position(|kind| rule.is("kind", kind)).unwrap()
    };
    selected.sort_by(|a, b| {
        rank(a).cmp(&rank(b)).then_with(|| a.qualified.chars().cmp(b.qualified.chars()))
    });
    let mut order = Vec::new();
    while !selected.is_empty() {
        let is_free = |rule: &Rule| !selected.iter().any(|other| other.overrides(rule));
        let next = selected.iter().position(|rule| is_free(rule));
        order.push(selected.remove(next.expect("suppression has no cycle")));
    }
    order
}
