//! The index that turns an occurrence into the rules it selects ([OAR-SEL-7]).
//!
//! Each rule with a selector is filed under one of its clauses, the one that splits the
//! anchor's rules best, so that an occurrence touches the rules whose clause has its value and
//! no others. Rules without a selector are always candidates. A rule with an empty clause
//! ([OAR-SEL-6]) or one that is off ([OAR-EVAL-11]) is filed nowhere.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::guarded::{Guarded, Parts};
use super::rule_set::Rule;
use crate::document::rule::Enforcement;

/// The rules of one anchor.
#[derive(Debug)]
pub(crate) struct AnchorIndex {
    /// The host-local name.
    pub(crate) local: Box<str>,
    /// What the fact `anchor` reads there: the core name where there is one.
    pub(crate) fact: Box<str>,
    /// Whether it is `tool.pre_invoke`, where admitted calls become steps ([OAR-PROF-9]).
    pub(crate) admits_calls: bool,
    /// Rules that are always candidates.
    pub(crate) always: Filed,
    pub(crate) tables: Box<[ClauseTable]>,
}

/// Rules filed under the values of one fact.
#[derive(Debug)]
pub(crate) struct ClauseTable {
    pub(crate) slot: u32,
    pub(crate) by_value: HashMap<Box<str>, Filed, FixedState>,
    /// All rules filed here: the candidates when the value cannot be told beforehand.
    pub(crate) all: Filed,
}

/// Rules that become candidates together.
#[derive(Debug, Default)]
pub(crate) struct Filed {
    /// Ascending.
    pub(crate) ranks: Box<[u32]>,
    /// Whether each of them is selected without a further look at its clauses.
    pub(crate) exact: bool,
    /// Whether one of them names another rule in `overrides`, so that the order may change.
    pub(crate) orders: bool,
    /// Whether one of them reads a counter.
    pub(crate) reads_counters: bool,
    /// Tells which of them need no evaluation.
    pub(crate) guarded: Option<Box<Guarded>>,
}

impl Filed {
    fn new(ranks: Vec<u32>, exact: bool, rules: &[Rule]) -> Self {
        let any = |test: fn(&Rule) -> bool| {
            ranks.iter().any(|rank| rules.get(*rank as usize).is_some_and(test))
        };
        Self {
            orders: any(|rule| !rule.overrides().is_empty()),
            reads_counters: any(|rule| !rule.counters_read().is_empty()),
            ranks: ranks.into(),
            exact,
            guarded: None,
        }
    }

    fn guard(&mut self, parts: Parts<'_>) {
        self.guarded = Guarded::new(&self.ranks, parts).map(Box::new);
    }
}

impl AnchorIndex {
    pub(crate) fn new(local: &str, fact: &str, admits_calls: bool) -> Self {
        Self {
            local: local.into(),
            fact: fact.into(),
            admits_calls,
            always: Filed::default(),
            tables: Box::default(),
        }
    }

    /// Files the rules of these ranks, which are ascending.
    pub(crate) fn fill(&mut self, ranks: &[u32], rules: &[Rule]) {
        let live = |rank: &&u32| {
            rules.get(**rank as usize).is_some_and(|rule| {
                rule.enforcement != Enforcement::Off
                    && rule.selector.iter().all(|clause| !clause.values.is_empty())
            })
        };
        let live: Vec<u32> = ranks.iter().filter(live).copied().collect();
        let weights = weigh(&live, rules);
        let mut always = Vec::new();
        let mut tables: Vec<OpenTable> = Vec::new();
        for &rank in &live {
            let Some(rule) = rules.get(rank as usize) else { continue };
            let weight = |clause: &&super::rule_set::Clause| -> usize {
                let of = |value| weights.get(&(clause.slot, value)).copied().unwrap_or_default();
                clause.values.iter().map(|value| of(&**value)).sum()
            };
            let Some(clause) = rule.selector.iter().min_by_key(weight) else {
                always.push(rank);
                continue;
            };
            let position = match tables.iter().position(|table| table.slot == clause.slot) {
                Some(position) => position,
                None => {
                    tables.push(OpenTable { slot: clause.slot, ..OpenTable::default() });
                    tables.len() - 1
                }
            };
            let Some(table) = tables.get_mut(position) else { continue };
            table.all.push(rank);
            for value in &clause.values {
                let (ranks, further) = table.by_value.entry(value.clone()).or_default();
                ranks.push(rank);
                *further |= rule.selector.len() > 1;
            }
        }
        self.always = Filed::new(always, true, rules);
        self.tables = tables.into_iter().map(|table| table.close(rules)).collect();
    }

    /// Gathers the literals of long lists.
    pub(crate) fn guard(&mut self, parts: Parts<'_>) {
        self.always.guard(parts);
        for table in &mut self.tables {
            // Each list on its own, so that the order in which they are taken is of no account.
            table.by_value.values_mut().for_each(|filed| filed.guard(parts));
        }
    }
}

/// A table that rules are still filed in.
#[derive(Default)]
struct OpenTable {
    slot: u32,
    /// With whether a rule has a further clause.
    by_value: HashMap<Box<str>, (Vec<u32>, bool)>,
    all: Vec<u32>,
}

impl OpenTable {
    fn close(self, rules: &[Rule]) -> ClauseTable {
        let filed = |(value, (ranks, further)): (Box<str>, (Vec<u32>, bool))| {
            (value, Filed::new(ranks, !further, rules))
        };
        let by_value = self.by_value.into_iter().map(filed).collect();
        ClauseTable { slot: self.slot, by_value, all: Filed::new(self.all, false, rules) }
    }
}

/// How many rules name each value of each fact.
fn weigh<'r>(ranks: &[u32], rules: &'r [Rule]) -> HashMap<(u32, &'r str), usize> {
    let mut weights = HashMap::new();
    for &rank in ranks {
        for clause in rules.get(rank as usize).map(|rule| &*rule.selector).unwrap_or_default() {
            for value in &clause.values {
                *weights.entry((clause.slot, &**value)).or_default() += 1;
            }
        }
    }
    weights
}
