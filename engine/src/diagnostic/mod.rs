//! The one shape of every complaint about a document.
//!
//! Loading collects [`Diagnostic`]s and never prints; [`render`] turns them into text for people
//! and machines.

pub mod render;
mod suggest;

use std::fmt::{self, Write as _};
use std::sync::Arc;

use oar_expr::Span;

use crate::document::source::SourceFile;
pub(crate) use suggest::{advice_is_cheap, suggest};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The document loads all the same.
    Warning,
    /// The document, or the set it belongs to, does not load.
    Error,
}

/// A place in a file.
#[derive(Clone, Debug)]
pub struct Location {
    /// The file.
    pub file: Arc<SourceFile>,
    /// The bytes meant.
    pub span: Span,
    /// The JSON pointer of the value meant, from the root of its file (`/1/when` is the
    /// condition of the second document); empty for the whole.
    pub pointer: String,
}

/// Another place that has to do with a diagnostic, such as "first declared here".
#[derive(Clone, Debug)]
pub struct Related {
    /// Where.
    pub location: Location,
    /// What is there.
    pub message: String,
}

/// One complaint: what is wrong, where, and by which clause of the standard.
///
/// Its `Display` is the clause and the message alone, without file, help or suggestion.
#[derive(Clone, Debug)]
pub struct Diagnostic(Box<Complaint>);

/// Boxed, so that a result that may hold a diagnostic stays small.
#[derive(Clone, Debug)]
struct Complaint {
    severity: Severity,
    code: &'static str,
    message: String,
    location: Option<Location>,
    related: Vec<Related>,
    help: Option<String>,
}

impl Diagnostic {
    /// An error under the clause `code`, such as `OAR-DOC-9`.
    #[must_use]
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message.into())
    }

    /// A warning under the clause `code`.
    #[must_use]
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message.into())
    }

    fn new(severity: Severity, code: &'static str, message: String) -> Self {
        let related = Vec::new();
        Self(Box::new(Complaint { severity, code, message, location: None, related, help: None }))
    }

    /// The same, pointing at `span` of `file`.
    #[must_use]
    pub fn at(mut self, file: &Arc<SourceFile>, span: Span, pointer: impl Into<String>) -> Self {
        self.0.location = Some(Location { file: Arc::clone(file), span, pointer: pointer.into() });
        self
    }

    /// The same, with another place that matters.
    #[must_use]
    pub fn relate(mut self, location: Location, message: impl Into<String>) -> Self {
        self.0.related.push(Related { location, message: message.into() });
        self
    }

    /// The same, with advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    /// Whether it keeps the document from loading.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.0.severity
    }

    /// The clause of the standard, such as `OAR-EXPR-11`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.0.code
    }

    /// What is wrong, in one line.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Where, if it is anywhere.
    #[must_use]
    pub fn location(&self) -> Option<&Location> {
        self.0.location.as_ref()
    }

    /// Other places that matter.
    #[must_use]
    pub fn related(&self) -> &[Related] {
        &self.0.related
    }

    /// Advice, if there is any.
    #[must_use]
    pub fn advice(&self) -> Option<&str> {
        self.0.help.as_deref()
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.0.code)?;
        for char in self.0.message.chars() {
            // The user's text is kept, but a complaint stays one line.
            if char.is_control() {
                write!(f, "<U+{:04X}>", u32::from(char))?;
            } else {
                f.write_char(char)?;
            }
        }
        Ok(())
    }
}
