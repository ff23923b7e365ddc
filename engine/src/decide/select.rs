//! Which rules an occurrence selects ([OAR-SEL-1]…[OAR-SEL-7]), in the order of evaluation.

use std::ops::Deref;

use oar_expr::Value;
use smallvec::SmallVec;

use super::facts::{Facts, Known};
use super::failure::Fault;
use super::{Failure, order};
use crate::load::{Clause, ClauseTable, Rule};

/// Selected ranks.
///
/// They stay in the index when they stand there just so, which is the usual case.
pub(crate) enum Selected<'r> {
    Filed(&'r [u32]),
    Gathered(SmallVec<[u32; 16]>),
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

/// Selects the rules of the occurrence's anchor and puts them into the order of evaluation.
pub(crate) fn select<'r>(
    facts: &Facts<'r>,
    known: &Known<'_>,
    faults: &mut Faults,
) -> Selected<'r> {
    let Some(index) = facts.occurrence.index() else { return Selected::Filed(&[]) };
    let mut candidates = Candidates { first: &[], more: SmallVec::new(), exact: true };
    candidates.add(&index.always, true);
    for table in &index.tables {
        candidates.of_table(facts, known, table);
    }
    let mut selected = candidates.verified(facts, faults);
    if index.orders {
        let mut ranks = SmallVec::from_slice(&selected);
        order::suppressors_first(facts.rules, &mut ranks);
        selected = Selected::Gathered(ranks);
    }
    selected
}

/// Rules that may be selected, from one list of the index or from several.
struct Candidates<'r> {
    first: &'r [u32],
    /// All of them once there is a second list, not in order.
    more: SmallVec<[u32; 16]>,
    /// Whether each of them is selected without a further look at its clauses.
    exact: bool,
}

impl<'r> Candidates<'r> {
    fn add(&mut self, ranks: &'r [u32], exact: bool) {
        if ranks.is_empty() {
            return;
        }
        self.exact &= exact;
        if self.first.is_empty() {
            self.first = ranks;
            return;
        }
        if self.more.is_empty() {
            self.more.extend_from_slice(self.first);
        }
        self.more.extend_from_slice(ranks);
    }

    /// The rules of a table that the fact's value may select.
    fn of_table(&mut self, facts: &Facts<'r>, known: &Known<'_>, table: &'r ClauseTable) {
        let value = match known.get(table.slot) {
            Some(value) => Ok(value),
            None if facts.is_at_hand(table.slot) => facts.observed(table.slot),
            // A provider is not asked yet: another clause may rule the rules out ([OAR-FACT-11]).
            None => return self.add(&table.all, false),
        };
        let mut filed = |value: &str| {
            if let Some(posting) = table.by_value.get(value) {
                self.add(&posting.ranks, posting.exact);
            }
        };
        match value {
            Ok(Value::String(value)) => filed(value),
            Ok(Value::StringList(list)) => {
                for index in 0..list.len() {
                    list.get(index).into_iter().for_each(&mut filed);
                }
            }
            _ => self.add(&table.all, false),
        }
    }

    /// In base order, each once, and only those whose clauses all match.
    fn verified(self, facts: &Facts<'_>, faults: &mut Faults) -> Selected<'r> {
        if self.exact && self.more.is_empty() {
            return Selected::Filed(self.first);
        }
        let mut ranks = self.more;
        if ranks.is_empty() {
            ranks.extend_from_slice(self.first);
        } else {
            ranks.sort_unstable();
            ranks.dedup();
        }
        if !self.exact {
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
