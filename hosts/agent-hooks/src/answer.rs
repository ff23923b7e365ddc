//! What is to be answered, in words that no agent owns, and the answer as an agent reads it.

use crate::json::Out;

/// What the rules of an event's moments decided together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Why the event is blocked, for the model to read; never empty.
    pub block: Option<String>,
    /// The parts of the content after a transform, as many as the content has.
    pub content: Option<Vec<String>>,
    /// What the model is told.
    pub nudges: Vec<String>,
    /// What the person is told.
    pub warnings: Vec<String>,
}

impl Verdict {
    /// A refusal that no rule decided: something went wrong.
    #[must_use]
    pub fn refused(reason: &str) -> Self {
        let reason = match reason.trim() {
            "" => "the guard of this session failed",
            reason => reason,
        };
        Self { block: Some(format!("[oar] {reason}")), ..Self::default() }
    }

    /// Whether there is nothing to say.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self == &Self::default()
    }

    /// The nudges as one text.
    #[must_use]
    pub(crate) fn nudge(&self) -> Option<String> {
        joined(&self.nudges)
    }

    /// The warnings as one text.
    #[must_use]
    pub(crate) fn warning(&self) -> Option<String> {
        joined(&self.warnings)
    }
}

/// Texts as one, each on lines of its own.
pub(crate) fn joined(texts: &[String]) -> Option<String> {
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// What a hook writes and how it ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// For standard output.
    pub stdout: String,
    /// For standard error.
    pub stderr: String,
    /// The exit code.
    pub exit: u8,
}

impl Answer {
    /// Nothing to say.
    #[must_use]
    pub fn silent() -> Self {
        Self::default()
    }

    /// A JSON object, or nothing where it has no members.
    pub(crate) fn json(value: Out) -> Self {
        if value.is_empty() {
            return Self::silent();
        }
        Self { stdout: value.text(), ..Self::default() }
    }
}
