//! The applied-rules trace ([OAR-OPS-9]).

use std::fmt;

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

/// A rule and its outcome, as the engine keeps them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Traced {
    pub(crate) rank: u32,
    pub(crate) outcome: TraceOutcome,
}
