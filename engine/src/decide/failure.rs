//! Why a rule could not be evaluated: the closed list of [OAR-OPS-3].

use std::fmt;

use oar_expr::{RaiseKind, Span};

use crate::state::StoreError;

/// Why a rule could not be evaluated.
///
/// Its text names facts, never their values.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// The condition raised ([OAR-EXPR-13], [OAR-EXPR-14], [OAR-EXPR-15]).
    Raised {
        /// Where in the condition.
        span: Span,
        /// What happened.
        reason: String,
    },
    /// A value was not of its declared type ([OAR-FACT-26]).
    WrongType {
        /// The fact or function.
        name: String,
    },
    /// A provider could not produce a value.
    Provider {
        /// The fact or function.
        name: String,
        /// What the provider said.
        reason: String,
    },
    /// A detector failed or is not registered.
    Detector {
        /// Its reference.
        reference: String,
        /// What it said.
        reason: String,
    },
    /// A span has no well-formed range ([OAR-OPS-19]).
    MalformedSpan {
        /// The fact that carries the spans.
        name: String,
        /// Its position in the list.
        index: usize,
    },
    /// The counters could not be read.
    Counters {
        /// What the store said.
        reason: String,
    },
    /// A side-effect could not be applied ([OAR-FIRE-9]).
    SideEffect {
        /// What the store or the event stream said.
        reason: String,
    },
}

impl Failure {
    /// The clause of the standard that makes it one.
    #[must_use]
    pub fn clause(&self) -> &'static str {
        match self {
            Self::Raised { .. } | Self::Provider { .. } | Self::Detector { .. } => "OAR-OPS-3",
            Self::WrongType { .. } => "OAR-FACT-26",
            Self::MalformedSpan { .. } => "OAR-OPS-19",
            Self::Counters { .. } | Self::SideEffect { .. } => "OAR-FIRE-9",
        }
    }

    /// Where in the condition it happened, for a condition that raised.
    #[must_use]
    pub fn span(&self) -> Option<Span> {
        match self {
            Self::Raised { span, .. } => Some(*span),
            _ => None,
        }
    }

    pub(crate) fn raised(raise: oar_expr::Raise<Fault>) -> Fault {
        match raise.kind {
            RaiseKind::Host(fault) => fault,
            kind => Box::new(Self::Raised { span: raise.span, reason: kind.to_string() }),
        }
    }
}

/// A failure on its way: one pointer, so that the results of what is asked most stay small.
pub(crate) type Fault = Box<Failure>;

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Counters { reason: error.to_string() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Raised { reason, .. } => f.write_str(reason),
            Self::WrongType { name } => {
                write!(f, "the value of `{name}` is not of its declared type")
            }
            Self::Provider { name, reason } => {
                write!(f, "`{name}` could not be produced: {reason}")
            }
            Self::Detector { reference, reason } => write!(f, "`{reference}` failed: {reason}"),
            Self::MalformedSpan { name, index } => {
                write!(f, "member {index} of `{name}` has no well-formed `start` and `end`")
            }
            Self::Counters { reason } => write!(f, "the counters could not be read: {reason}"),
            Self::SideEffect { reason } => {
                write!(f, "a side-effect could not be applied: {reason}")
            }
        }
    }
}

impl std::error::Error for Failure {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every kind: what it says, under which clause, and whether it has a place in the condition.
    #[test]
    fn each_failure_has_a_clause_and_a_text() {
        let text = |text: &str| text.to_owned();
        let span = Span::new(4, 9);
        let raised = |kind| *Failure::raised(oar_expr::Raise { span, kind });
        let wrong = Box::new(Failure::WrongType { name: text("tool") });
        for (failure, clause, place, message) in [
            (raised(RaiseKind::DivisionByZero), "OAR-OPS-3", Some(span), "division by zero"),
            (
                raised(RaiseKind::Host(wrong)),
                "OAR-FACT-26",
                None,
                "the value of `tool` is not of its declared type",
            ),
            (
                Failure::Provider { name: text("tool"), reason: text("gone") },
                "OAR-OPS-3",
                None,
                "`tool` could not be produced: gone",
            ),
            (
                Failure::Detector { reference: text("detector://x"), reason: text("gone") },
                "OAR-OPS-3",
                None,
                "`detector://x` failed: gone",
            ),
            (
                Failure::MalformedSpan { name: text("secret_matches"), index: 2 },
                "OAR-OPS-19",
                None,
                "member 2 of `secret_matches` has no well-formed `start` and `end`",
            ),
            (
                StoreError::new("gone").into(),
                "OAR-FIRE-9",
                None,
                "the counters could not be read: gone",
            ),
            (
                Failure::SideEffect { reason: text("full") },
                "OAR-FIRE-9",
                None,
                "a side-effect could not be applied: full",
            ),
        ] {
            assert_eq!(failure.to_string(), message);
            assert_eq!((failure.clause(), failure.span()), (clause, place), "{message}");
        }
    }
}
