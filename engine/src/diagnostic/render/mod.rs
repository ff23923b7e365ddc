//! Diagnostics as text for people and machines.
//!
//! [`full`] shows the place in the user's text, [`concise`] is one line that editors and `grep`
//! understand, [`json`] one object with everything. The renderers return text and leave printing
//! it to their caller. What comes from the user's files reaches no terminal as it is: characters
//! that would move the cursor, reorder or hide text are shown by their code.

mod concise;
mod full;
mod json;
mod snippet;
#[cfg(test)]
mod tests;
mod visible;

pub use concise::concise;
pub use full::{Role, full, full_with};
pub use json::json;

use super::{Diagnostic, Severity};

impl Severity {
    /// The word for it: `error` or `warning`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// `error[CODE]`
fn title(diagnostic: &Diagnostic) -> String {
    format!("{}[{}]", diagnostic.severity().as_str(), diagnostic.code())
}
