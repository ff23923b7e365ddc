//! The applied-rules trace ([OAR-OPS-9]).

use std::fmt;

use smallvec::SmallVec;

use super::select::Selected;
use crate::document::rule::Enforcement;
use crate::load::{Rule, RuleSet};

/// What became of a selected rule ([OAR-OPS-9]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TraceOutcome {
    /// It fired and acts.
    Fired,
    /// Its flow or its condition did not match.
    Passed,
    /// It could not be evaluated.
    Errored,
    /// Another rule that fired overrules it.
    Suppressed,
    /// It would have fired.
    MonitoredFired,
    /// It would have passed.
    MonitoredPassed,
    /// It could not be evaluated, which has no consequence under monitor ([OAR-EVAL-10]).
    MonitoredErrored,
}

impl TraceOutcome {
    /// The word for it in traces.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fired => "fired",
            Self::Passed => "passed",
            Self::Errored => "errored",
            Self::Suppressed => "suppressed",
            Self::MonitoredFired => "monitored_fired",
            Self::MonitoredPassed => "monitored_passed",
            Self::MonitoredErrored => "monitored_errored",
        }
    }
}

impl fmt::Display for TraceOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One line of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceEntry<'o> {
    /// The qualified identifier of the rule.
    pub rule: &'o str,
    /// What became of it.
    pub outcome: TraceOutcome,
    /// Why it could not be evaluated, where it could not.
    pub failure: Option<&'o super::Failure>,
}

impl fmt::Display for TraceEntry<'_> {
    /// The spelling of [OAR-CONF-21]: `<qualified id>:<outcome>`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.rule, self.outcome)
    }
}

/// The trace as the engine keeps it: most selected rules pass, so only the others are noted.
#[derive(Default)]
pub(crate) struct Trace<'o> {
    /// In the order of evaluation.
    pub(crate) selected: Selected<'o>,
    /// How many of them were reached.
    pub(crate) reached: usize,
    /// By position, ascending. Beyond those reached only what is suppressed ([OAR-OPS-10]).
    noted: SmallVec<[Note; 6]>,
}

/// A position and what became of the rule there.
#[derive(Clone, Copy)]
struct Note {
    position: u32,
    outcome: TraceOutcome,
}

impl<'o> Trace<'o> {
    pub(crate) fn new(selected: Selected<'o>) -> Self {
        Self { reached: selected.len(), selected, noted: SmallVec::new() }
    }

    /// Notes what became of the rule at a position, in any order.
    pub(crate) fn note(&mut self, position: usize, outcome: TraceOutcome) {
        let position = u32::try_from(position).unwrap_or(u32::MAX);
        self.noted.push(Note { position, outcome });
    }

    /// Puts the notes into order, when all are taken.
    pub(crate) fn close(&mut self) {
        self.noted.sort_unstable_by_key(|note| note.position);
    }

    /// The ranks of the enforced rules that fired, in order.
    pub(crate) fn fired(&self) -> impl Iterator<Item = u32> {
        let fired = self.noted.iter().filter(|note| note.outcome == TraceOutcome::Fired);
        fired.filter_map(|note| self.selected.get(note.position as usize).copied())
    }

    /// Each rule that was reached, with its rank and its outcome, in order.
    pub(crate) fn entries(
        &self,
        rules: &'o RuleSet,
    ) -> impl Iterator<Item = (u32, &'o Rule, TraceOutcome)> {
        let mut noted = self.noted.iter();
        let mut note = noted.next();
        let mut next = 0;
        std::iter::from_fn(move || {
            let beyond = next >= self.reached;
            let found = note.filter(|own| beyond || own.position as usize == next);
            if found.is_some() {
                note = noted.next();
            } else if beyond {
                return None;
            }
            let position = found.map_or(next, |own| own.position as usize);
            next += 1;
            let rank = *self.selected.get(position)?;
            let rule = rules.rule(rank)?;
            let passed = match rule.enforcement {
                Enforcement::Monitor => TraceOutcome::MonitoredPassed,
                _ => TraceOutcome::Passed,
            };
            Some((rank, rule, found.map_or(passed, |own| own.outcome)))
        })
    }
}
