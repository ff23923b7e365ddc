//! The order of evaluation at a moment where every rule is selected ([OAR-EVAL-1], [OAR-EVAL-18]).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

use oar_engine::document::rule::Enforcement;

use super::{Rules, Written};

/// For each moment, the rules in the order of evaluation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Order(BTreeMap<String, Vec<String>>);

impl Order {
    /// The order of `rules`, where `enforcement` tells how each runs: one that is off is not
    /// selected ([OAR-EVAL-11]).
    pub(crate) fn of(rules: &Rules, enforcement: impl Fn(&Written) -> Enforcement) -> Self {
        let mut by_anchor: BTreeMap<String, Vec<&Written>> = BTreeMap::new();
        for rule in rules.iter().filter(|rule| enforcement(rule) != Enforcement::Off) {
            by_anchor.entry(rule.anchor().to_owned()).or_default().push(rule);
        }
        let order = |(anchor, rules): (String, Vec<&Written>)| (anchor, suppressors_first(&rules));
        Self(by_anchor.into_iter().map(order).collect())
    }

    /// Each moment and the rules there.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.0.iter().map(|(anchor, rules)| (anchor.as_str(), rules.as_slice()))
    }

    /// The rules of a moment.
    pub(crate) fn at(&self, anchor: &str) -> &[String] {
        self.0.get(anchor).map(Vec::as_slice).unwrap_or_default()
    }
}

/// `rules`, which are in base order, so that each comes before those that it overrides.
fn suppressors_first(rules: &[&Written]) -> Vec<String> {
    let names: Vec<String> = rules.iter().map(|rule| rule.name()).collect();
    let at: HashMap<&str, usize> = names.iter().map(String::as_str).zip(0..).collect();
    let targets = |rule: &Written| -> Vec<usize> {
        let mut targets: Vec<usize> = rule
            .list("overrides")
            .filter_map(|(reference, _)| at.get(&*rule.qualify(reference)).copied())
            .collect();
        targets.sort_unstable();
        targets.dedup();
        targets
    };
    let overrides: Vec<Vec<usize>> = rules.iter().map(|rule| targets(rule)).collect();
    let mut waiting = vec![0_usize; rules.len()];
    for target in overrides.iter().flatten() {
        if let Some(count) = waiting.get_mut(*target) {
            *count += 1;
        }
    }
    let free = waiting.iter().enumerate().filter(|(_, count)| **count == 0);
    let mut ready: BinaryHeap<Reverse<usize>> = free.map(|(rule, _)| Reverse(rule)).collect();
    let mut order = Vec::with_capacity(rules.len());
    while let Some(Reverse(rule)) = ready.pop() {
        order.extend(names.get(rule).cloned());
        for target in overrides.get(rule).into_iter().flatten() {
            let Some(count) = waiting.get_mut(*target) else { continue };
            *count = count.saturating_sub(1);
            if *count == 0 {
                ready.push(Reverse(*target));
            }
        }
    }
    order
}
