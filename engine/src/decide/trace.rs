//! The applied-rules trace ([OAR-OPS-9]).

use std::fmt;

use smallvec::SmallVec;

use super::select::Selected;
use crate::document::rule::Enforcement;
use crate::load::RuleSet;

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
pub(crate) struct Trace<'o> {
    /// In the order of evaluation.
    pub(crate) selected: Selected<'o>,
    /// How many of them were reached.
    pub(crate) reached: usize,
    /// By position, ascending. Beyond those reached only what is suppressed ([OAR-OPS-10]).
    noted: SmallVec<[(u32, TraceOutcome); 8]>,
}

impl<'o> Trace<'o> {
    pub(crate) fn new(selected: Selected<'o>) -> Self {
        Self { reached: selected.len(), selected, noted: SmallVec::new() }
    }

    /// Notes what became of the rule at a position, in any order.
    pub(crate) fn note(&mut self, position: usize, outcome: TraceOutcome) {
        self.noted.push((u32::try_from(position).unwrap_or(u32::MAX), outcome));
    }

    /// Puts the notes into order, when all are taken.
    pub(crate) fn close(&mut self) {
        self.noted.sort_unstable_by_key(|(position, _)| *position);
    }

    /// Each rank and its outcome, in order.
    pub(crate) fn entries(&self, rules: &'o RuleSet) -> impl Iterator<Item = (u32, TraceOutcome)> {
        let mut noted = self.noted.iter().copied().peekable();
        let mut position = 0;
        std::iter::from_fn(move || {
            let beyond = position >= self.reached;
            let note = noted.next_if(|(own, _)| beyond || *own as usize == position);
            if beyond && note.is_none() {
                return None;
            }
            let at = note.map_or(position, |(own, _)| own as usize);
            position += 1;
            let rank = *self.selected.get(at)?;
            let passed = || match rules.rule(rank).map(|rule| rule.enforcement) {
                Some(Enforcement::Monitor) => TraceOutcome::MonitoredPassed,
                _ => TraceOutcome::Passed,
            };
            Some((rank, note.map_or_else(passed, |(_, outcome)| outcome)))
        })
    }
}
