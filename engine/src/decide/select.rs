//! Which rules an occurrence selects ([OAR-SEL-1]…[OAR-SEL-7]), in the order of evaluation.

use std::ops::Deref;

use oar_expr::Value;
use smallvec::SmallVec;

use super::facts::Facts;
use super::failure::Fault;
use super::{Failure, order};
use crate::load::{Clause, ClauseTable, Filed, Rule};

/// Selected ranks.
///
/// They stay in the index when they stand there just so, which is the usual case.
pub(crate) enum Selected<'r> {
    Filed(&'r [u32]),
    Gathered(SmallVec<[u32; 16]>),
}

impl Default for Selected<'_> {
    fn default() -> Self {
        Self::Filed(&[])
    }
}

impl Deref for Selected<'_> {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        match self {
            Self::Filed(ranks) => ranks,
            Self::Gathered(ranks) => ranks,
        }
    }
}

/// A rule whose selector could not be told: it is selected, and errored in its turn.
pub(crate) type Faults = Vec<(u32, Fault)>;

/// What an occurrence selects.
pub(crate) struct Selection<'r> {
    /// In the order of evaluation.
    pub(crate) ranks: Selected<'r>,
    /// The lists that they come from, when the order is the base order.
    pub(crate) lists: SmallVec<[&'r Filed; 4]>,
    /// Whether a selected rule may read a counter.
    pub(crate) reads_counters: bool,
}

/// Selects the rules of the occurrence's anchor and puts them into the order of evaluation.
pub(crate) fn select<'r>(facts: &Facts<'r>, faults: &mut Faults) -> Selection<'r> {
    let mut candidates = Candidates { lists: SmallVec::new() };
    if let Some(index) = facts.occurrence.index() {
        candidates.add(&index.always);
        for table in &index.tables {
            candidates.of_table(facts, table);
        }
    }
    let mut ranks = candidates.verified(facts, faults);
    let mut lists = candidates.lists;
    let reads_counters = lists.iter().any(|list| list.reads_counters);
    if lists.iter().any(|list| list.orders) && order::is_tied(facts.rules, &ranks) {
        let mut own = SmallVec::from_slice(&ranks);
        order::suppressors_first(facts.rules, &mut own);
        ranks = Selected::Gathered(own);
        lists.clear();
    }
    Selection { ranks, lists, reads_counters }
}

/// Lists of the index whose rules may be selected.
struct Candidates<'r> {
    lists: SmallVec<[&'r Filed; 4]>,
}

impl<'r> Candidates<'r> {
    fn add(&mut self, list: &'r Filed) {
        if !list.ranks.is_empty() {
            self.lists.push(list);
        }
    }

    /// The rules of a table that the fact's value may select.
    fn of_table(&mut self, facts: &Facts<'r>, table: &'r ClauseTable) {
        let value = match facts.occurrence.lent(table.slot) {
            Some(value) => Ok(value),
            None if facts.is_at_hand(table.slot) => facts.observed(table.slot),
            // A provider is not asked yet: another clause may rule the rules out ([OAR-FACT-11]).
            None => return self.add(&table.all),
        };
        let mut filed = |value: &str| {
            if let Some(list) = table.by_value.get(value) {
                self.add(list);
            }
        };
        match value {
            Ok(Value::String(value)) => filed(value),
            Ok(Value::StringList(list)) => {
                for index in 0..list.len() {
                    list.get(index).into_iter().for_each(&mut filed);
                }
            }
            _ => self.add(&table.all),
        }
    }

    /// In base order, each once, and only those whose clauses all match.
    fn verified(&self, facts: &Facts<'_>, faults: &mut Faults) -> Selected<'r> {
        let exact = self.lists.iter().all(|list| list.exact);
        let mut ranks: SmallVec<[u32; 16]> = match self.lists.as_slice() {
            [] => return Selected::Filed(&[]),
            [only] if exact => return Selected::Filed(&only.ranks),
            [only] => SmallVec::from_slice(&only.ranks),
            several => {
                let mut ranks = SmallVec::new();
                several.iter().for_each(|list| ranks.extend_from_slice(&list.ranks));
                ranks.sort_unstable();
                ranks.dedup();
                ranks
            }
        };
        if !exact {
            ranks.retain(|rank| {
                let Some(rule) = facts.rules.rule(*rank) else { return false };
                match matches(facts, rule) {
                    Ok(matched) => matched,
                    Err(fault) => {
                        faults.push((*rank, fault));
                        true
                    }
                }
            });
        }
        Selected::Gathered(ranks)
    }
}

/// Whether every clause of a rule matches.
///
/// A clause that plainly does not match decides before one whose fact fails; a provider is
/// asked only when no other clause has ruled the rule out.
fn matches(facts: &Facts<'_>, rule: &Rule) -> Result<bool, Fault> {
    let mut failed = None;
    for at_hand in [true, false] {
        for clause in rule.selector.iter().filter(|c| facts.is_at_hand(c.slot) == at_hand) {
            match clause_matches(facts, clause) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(failure) => failed = failed.or(Some(failure)),
            }
        }
    }
    failed.map_or(Ok(true), Err)
}

pub(crate) fn clause_matches(facts: &Facts<'_>, clause: &Clause) -> Result<bool, Fault> {
    let listed = |value: &str| clause.lists(value);
    Ok(match facts.observed(clause.slot)? {
        Value::String(value) => listed(value),
        Value::StringList(list) => (0..list.len()).any(|index| list.get(index).is_some_and(listed)),
        // The loader lets no other type into a selector ([OAR-SEL-3]).
        _ => return Err(Failure::WrongType { name: "selector".to_owned() }.into()),
    })
}
