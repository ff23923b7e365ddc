//! The short form: one line, as compilers write it.

use super::full::position;
use super::title;
use super::visible::visible;
use crate::diagnostic::Diagnostic;

/// `file:line:column: error[CODE] message`, without a line break.
#[must_use]
pub fn concise(diagnostic: &Diagnostic) -> String {
    let place = match diagnostic.location() {
        Some(location) => position(location) + ": ",
        None => String::new(),
    };
    format!("{place}{} {}", title(diagnostic), visible(diagnostic.message()))
}
