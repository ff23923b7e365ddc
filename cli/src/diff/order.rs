//! Which rules are evaluated earlier or later than before, relative to the others.

use std::collections::{HashMap, HashSet};

use super::Side;
use crate::rules::Order;

/// A rule that comes at another place among the rules of a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Moved {
    pub(crate) anchor: String,
    pub(crate) rule: String,
    /// The rules that it came after and now comes before.
    pub(crate) now_before: Vec<String>,
    /// The rules that it came before and now comes after.
    pub(crate) now_after: Vec<String>,
}

/// The rules that moved. Those that keep their order are as many as can be, so that one rule
/// that jumps over many is one that moved, not many.
pub(super) fn moved(before: &Side, after: &Side, new_name: &dyn Fn(&str) -> String) -> Vec<Moved> {
    let earlier = Order::of(&before.rules, |rule| before.in_force(rule));
    let later = Order::of(&after.rules, |rule| after.in_force(rule));
    let mut moved = Vec::new();
    for (anchor, rules) in later.iter() {
        let old: Vec<String> = earlier.at(anchor).iter().map(|name| new_name(name)).collect();
        let place: HashMap<&str, usize> = old.iter().map(String::as_str).zip(0..).collect();
        let common: Vec<(&str, usize)> = rules
            .iter()
            .filter_map(|rule| Some((rule.as_str(), *place.get(rule.as_str())?)))
            .collect();
        let places: Vec<usize> = common.iter().map(|(_, place)| *place).collect();
        let kept = longest_rise(&places);
        for (now, (rule, was)) in common.iter().enumerate() {
            if kept.contains(&now) {
                continue;
            }
            let inverted = |later: bool| {
                let others = common.iter().enumerate();
                let others = others.filter(move |(at, (_, place))| match later {
                    true => *at > now && place < was,
                    false => *at < now && place > was,
                });
                others.map(|(_, (name, _))| (*name).to_owned()).collect()
            };
            moved.push(Moved {
                anchor: anchor.to_owned(),
                rule: (*rule).to_owned(),
                now_before: inverted(true),
                now_after: inverted(false),
            });
        }
    }
    moved
}

/// The positions of a longest rising subsequence.
fn longest_rise(values: &[usize]) -> HashSet<usize> {
    // `ends` holds, for each length, the position of the least value that ends such a run.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; values.len()];
    for (at, value) in values.iter().enumerate() {
        let length = ends.partition_point(|end| values.get(*end) < Some(value));
        if let (Some(slot), Some(earlier)) =
            (before.get_mut(at), length.checked_sub(1).and_then(|length| ends.get(length)))
        {
            *slot = Some(*earlier);
        }
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut kept = HashSet::new();
    let mut next = ends.last().copied();
    while let Some(at) = next {
        kept.insert(at);
        next = before.get(at).copied().flatten();
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_keeps_its_order_is_as_much_as_can_be() {
        let rise = |values: &[usize]| {
            let mut kept: Vec<usize> = longest_rise(values).into_iter().collect();
            kept.sort_unstable();
            kept
        };
        assert_eq!(rise(&[0, 1, 2]), [0, 1, 2]);
        assert_eq!(rise(&[3, 0, 1, 2]), [1, 2, 3]);
        assert_eq!(rise(&[1, 2, 3, 0]), [0, 1, 2]);
        assert_eq!(rise(&[]), [0_usize; 0]);
    }
}
