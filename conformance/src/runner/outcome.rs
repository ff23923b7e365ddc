//! What became of each fixture, and of the run.

use std::time::Duration;

use crate::compare::{Difference, compare};
use crate::fixture::{Entry, InvalidFixture};

use super::Answer;

/// What became of one fixture. The kinds stay apart: a crash is no failed assertion, and a skip no
/// pass.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Everything asserted holds.
    Passed,
    /// Something asserted does not hold.
    Failed(Vec<Difference>),
    /// The engine cannot adopt what the fixture assumes.
    Skipped(String),
    /// The engine ended, or never started.
    Crashed(String),
    /// The engine gave no answer in time.
    TimedOut(Duration),
    /// The engine gave no proper answer.
    ProtocolError(String),
    /// It is no fixture.
    Invalid(InvalidFixture),
}

/// The kinds of [`Outcome`], in the order in which a summary counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// See [`Outcome::Passed`].
    Passed,
    /// See [`Outcome::Failed`].
    Failed,
    /// See [`Outcome::Skipped`].
    Skipped,
    /// See [`Outcome::Crashed`].
    Crashed,
    /// See [`Outcome::TimedOut`].
    TimedOut,
    /// See [`Outcome::ProtocolError`].
    ProtocolError,
    /// See [`Outcome::Invalid`].
    Invalid,
}

impl Kind {
    /// Every kind, in order.
    pub const ALL: [Self; 7] = [
        Self::Passed,
        Self::Failed,
        Self::Skipped,
        Self::Crashed,
        Self::TimedOut,
        Self::ProtocolError,
        Self::Invalid,
    ];

    /// Its name in sentences.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::Crashed => "crashed",
            Self::TimedOut => "timed out",
            Self::ProtocolError => "protocol error",
            Self::Invalid => "invalid fixture",
        }
    }

    /// Its name in machine-readable reports.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::TimedOut => "timed_out",
            Self::ProtocolError => "protocol_error",
            Self::Invalid => "invalid",
            other => other.name(),
        }
    }
}

impl Outcome {
    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Passed => Kind::Passed,
            Self::Failed(_) => Kind::Failed,
            Self::Skipped(_) => Kind::Skipped,
            Self::Crashed(_) => Kind::Crashed,
            Self::TimedOut(_) => Kind::TimedOut,
            Self::ProtocolError(_) => Kind::ProtocolError,
            Self::Invalid(_) => Kind::Invalid,
        }
    }

    /// What `answer` means for the fixture of `entry`; there is none to what is no fixture.
    pub(super) fn of(entry: &Entry, answer: Option<&Answer>) -> Self {
        let (fixture, answer) = match (entry, answer) {
            (Entry::Fixture(fixture), Some(answer)) => (fixture, answer),
            (Entry::Fixture(_), None) => return Self::Crashed("there is no answer".to_owned()),
            (Entry::Invalid(invalid), _) => return Self::Invalid(invalid.clone()),
        };
        match answer {
            Answer::Report { .. } | Answer::Rejected { .. } => match compare(fixture, answer) {
                differences if differences.is_empty() => Self::Passed,
                differences => Self::Failed(differences),
            },
            Answer::Skipped { reason } => Self::Skipped(reason.clone()),
            Answer::Crashed { detail } => Self::Crashed(detail.clone()),
            Answer::TimedOut { limit } => Self::TimedOut(*limit),
            Answer::ProtocolError { detail } => Self::ProtocolError(detail.clone()),
        }
    }

    /// Why, in one line, where there is no list of differences.
    #[must_use]
    pub fn reason(&self) -> Option<String> {
        match self {
            Self::Passed | Self::Failed(_) => None,
            Self::Skipped(reason) => Some(reason.clone()),
            Self::Crashed(detail) | Self::ProtocolError(detail) => Some(detail.clone()),
            Self::TimedOut(limit) => Some(format!("no answer within {}", seconds(*limit))),
            Self::Invalid(invalid) => invalid.problems.first().map(ToString::to_string),
        }
    }
}

/// A time as a person writes it: `10 s`, `0.5 s`.
pub(crate) fn seconds(time: Duration) -> String {
    format!("{} s", (time.as_secs_f64() * 1000.0).round() / 1000.0)
}

/// One fixture and what became of it.
#[derive(Debug)]
pub struct Verdict {
    /// Its place in the corpus.
    pub entry: usize,
    /// What became of it.
    pub outcome: Outcome,
    /// What the engine answered; `None` when it was not asked.
    pub answer: Option<Answer>,
    /// How long the answer took.
    pub took: Duration,
    /// What the engine logged meanwhile; empty where it passed.
    pub log: String,
    /// Whether it was known to fail.
    pub known: bool,
    /// Whether every conforming engine must run it.
    pub baseline: bool,
}

impl Verdict {
    /// Whether it speaks against the engine: everything but a pass and a permitted skip. To skip
    /// a baseline fixture is not permitted ([OAR-CONF-35]).
    #[must_use]
    pub fn fails(&self) -> bool {
        match self.outcome.kind() {
            Kind::Passed => false,
            Kind::Skipped => self.baseline,
            _ => true,
        }
    }

    /// Whether it makes the run fail: a failure that was not known, or a known one that is none.
    #[must_use]
    pub fn is_unexpected(&self) -> bool {
        self.fails() != self.known
    }
}
