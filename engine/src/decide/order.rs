//! The order of evaluation: base order, and suppressors first ([OAR-EVAL-1], [OAR-EVAL-18]).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::load::RuleSet;

/// Whether one of the selected ranks, which are in base order, suppresses another.
pub(crate) fn is_tied(rules: &RuleSet, selected: &[u32]) -> bool {
    let overrides = |rank: u32| rules.rule(rank).map(|rule| rule.overrides()).unwrap_or_default();
    selected
        .iter()
        .any(|rank| overrides(*rank).iter().any(|target| selected.binary_search(target).is_ok()))
}

/// Puts the selected ranks, which are in base order, into the order of evaluation.
///
/// While any is left, the next is the first in base order among those whose suppressors have all
/// been taken. Monitored suppressors count: the order does not depend on enforcement.
pub(crate) fn suppressors_first(rules: &RuleSet, selected: &mut [u32]) {
    let overrides = |rank: u32| rules.rule(rank).map(|rule| rule.overrides()).unwrap_or_default();
    let base = selected.to_vec();
    let mut waiting = vec![0_usize; base.len()];
    for rank in &base {
        for target in overrides(*rank) {
            if let Some(count) = base.binary_search(target).ok().and_then(|at| waiting.get_mut(at))
            {
                *count += 1;
            }
        }
    }
    let free = base.iter().zip(&waiting).filter(|(_, count)| **count == 0);
    let mut ready: BinaryHeap<Reverse<u32>> = free.map(|(rank, _)| Reverse(*rank)).collect();
    let mut places = selected.iter_mut();
    while let Some(Reverse(rank)) = ready.pop() {
        if let Some(place) = places.next() {
            *place = rank;
        }
        for target in overrides(rank) {
            let Some(count) = base.binary_search(target).ok().and_then(|at| waiting.get_mut(at))
            else {
                continue;
            };
            *count -= 1;
            if *count == 0 {
                ready.push(Reverse(*target));
            }
        }
    }
}
