//! Which rules an occurrence selects ([OAR-SEL-1]…[OAR-SEL-7]).

use oar_expr::Value;
use smallvec::SmallVec;

use super::Failure;
use super::facts::Facts;
use crate::load::{Clause, ClauseTable, Rule};

/// Selected ranks, in base order.
pub(crate) type Selected = SmallVec<[u32; 16]>;

/// A rule whose selector could not be told: it is selected, and errored in its turn.
pub(crate) type Faults = Vec<(u32, Failure)>;

/// Selects the rules of the occurrence's anchor.
pub(crate) fn select(facts: &Facts<'_>, selected: &mut Selected, faults: &mut Faults) {
    let Some(index) = facts.occurrence.index() else { return };
    let mut sources = 0;
    let mut gather = |ranks: &[u32]| {
        sources += usize::from(!ranks.is_empty());
        selected.extend_from_slice(ranks);
    };
    gather(&index.always);
    for table in &index.tables {
        candidates(facts, table, &mut gather);
    }
    if sources > 1 {
        selected.sort_unstable();
        selected.dedup();
    }
    selected.retain(|rank| {
        let Some(rule) = facts.rules.rule(*rank) else { return false };
        match matches(facts, rule) {
            Ok(matched) => matched,
            Err(failure) => {
                faults.push((*rank, failure));
                true
            }
        }
    });
}

/// The rules of a table that the fact's value may select.
fn candidates(facts: &Facts<'_>, table: &ClauseTable, gather: &mut impl FnMut(&[u32])) {
    // A provider is not asked yet: another clause may rule the rules out ([OAR-FACT-11]).
    let value = if facts.is_at_hand(table.slot) {
        facts.observed(table.slot)
    } else {
        return gather(&table.all);
    };
    let mut filed = |value: &str| {
        if let Some(ranks) = table.by_value.get(value) {
            gather(ranks);
        }
    };
    match value {
        Ok(Value::String(value)) => filed(value),
        Ok(Value::StringList(list)) => {
            for index in 0..list.len() {
                list.get(index).into_iter().for_each(&mut filed);
            }
        }
        _ => gather(&table.all),
    }
}

/// Whether every clause of a rule matches.
///
/// A clause that plainly does not match decides before one whose fact fails; a provider is
/// asked only when no other clause has ruled the rule out.
fn matches(facts: &Facts<'_>, rule: &Rule) -> Result<bool, Failure> {
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

fn clause_matches(facts: &Facts<'_>, clause: &Clause) -> Result<bool, Failure> {
    let listed = |value: &str| clause.values.iter().any(|own| **own == *value);
    Ok(match facts.observed(clause.slot)? {
        Value::String(value) => listed(value),
        Value::StringList(list) => (0..list.len()).any(|index| list.get(index).is_some_and(listed)),
        // The loader lets no other type into a selector ([OAR-SEL-3]).
        _ => return Err(Failure::WrongType { name: "selector".to_owned() }),
    })
}
