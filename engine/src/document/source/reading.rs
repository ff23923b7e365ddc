//! What comes of reading a source: its documents, and what was refused on the way.

use std::sync::Arc;

use oar_expr::Span;

use super::{Node, ReadLimits, SourceFile};
use crate::diagnostic::{Diagnostic, Location};

/// The clause that lets a document be written in any way that maps to JSON without loss.
pub(super) const REPRESENTABLE: &str = "OAR-DOC-1";
/// The code of a bound of ours, which no clause of the standard asks for.
pub(super) const LIMIT: &str = "limit";

/// One document of a source.
#[derive(Clone, Debug)]
pub struct Document {
    /// Its value.
    pub root: Node,
    /// The pointer from the root of its file: empty, or `/1` for the second document of a
    /// stream.
    pub pointer_prefix: String,
}

/// A source that was read.
///
/// A slip that leaves the structure clear, such as a repeated member, does not end the reading:
/// the documents are there as far as they could be read, so that everything else that is wrong
/// with them can be reported too. They must not be loaded while there are diagnostics.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The file it was read from.
    pub file: Arc<SourceFile>,
    /// The documents in their order.
    pub documents: Vec<Document>,
    /// What was refused, in the order of the text; all of it errors.
    pub diagnostics: Vec<Diagnostic>,
}

impl Reading {
    /// Whether nothing within `span` was refused, so that what stands there is what was written.
    #[must_use]
    pub fn is_sound(&self, span: Span) -> bool {
        !self.diagnostics.iter().filter_map(Diagnostic::location).any(|location| {
            span.start <= location.span.start && location.span.start < span.end.max(span.start + 1)
        })
    }

    /// The documents, if nothing was refused.
    ///
    /// # Errors
    /// Everything that was refused.
    pub fn into_result(self) -> Result<Vec<Document>, Vec<Diagnostic>> {
        if self.diagnostics.is_empty() { Ok(self.documents) } else { Err(self.diagnostics) }
    }
}

/// Collects what a reader refuses, up to the limit.
pub(super) struct Report<'a> {
    file: &'a Arc<SourceFile>,
    most: usize,
    diagnostics: Vec<Diagnostic>,
    /// Whether more was refused than is reported.
    full: bool,
}

impl<'a> Report<'a> {
    pub(super) fn new(file: &'a Arc<SourceFile>, limits: &ReadLimits) -> Self {
        let most = limits.diagnostics.max(1);
        Self { file, most, diagnostics: Vec::new(), full: false }
    }

    /// Whether another diagnostic would still be reported.
    pub(super) fn has_room(&self) -> bool {
        !self.full
    }

    pub(super) fn push(&mut self, fault: Fault, pointer: String) {
        if self.full {
            return;
        }
        self.full = self.diagnostics.len() >= self.most;
        let fault = match self.full {
            true => Fault::limit(fault.span, format!("more than {} errors", self.most)),
            false => fault,
        };
        self.diagnostics.push(fault.into_diagnostic(self.file, pointer));
    }

    /// What was refused, in the order of the text.
    pub(super) fn into_diagnostics(mut self) -> Vec<Diagnostic> {
        // That there were more stays at the end.
        let sorted = self.diagnostics.len() - usize::from(self.full);
        let place = |d: &Diagnostic| d.location().map(|location| location.span);
        if let Some(sorted) = self.diagnostics.get_mut(..sorted) {
            sorted.sort_by_key(place);
        }
        self.diagnostics
    }
}

/// Something refused, before it is known which file and value it stands in.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) code: &'static str,
    pub(super) span: Span,
    pub(super) message: String,
    pub(super) help: Option<String>,
    pub(super) related: Option<(Span, &'static str)>,
}

impl Fault {
    pub(super) fn new(span: Span, message: impl Into<String>) -> Self {
        Self { code: REPRESENTABLE, span, message: message.into(), help: None, related: None }
    }

    pub(super) fn limit(span: Span, message: impl Into<String>) -> Self {
        Self { code: LIMIT, ..Self::new(span, message) }
    }

    pub(super) fn repeated(name: &str, again: Span, first: Span) -> Self {
        Self::new(again, format!("member `{name}` is given twice"))
            .relate(first, "first given here")
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(super) fn relate(mut self, span: Span, message: &'static str) -> Self {
        self.related = Some((span, message));
        self
    }

    fn into_diagnostic(self, file: &Arc<SourceFile>, pointer: String) -> Diagnostic {
        let mut diagnostic = Diagnostic::error(self.code, self.message);
        if let Some(help) = self.help {
            diagnostic = diagnostic.help(help);
        }
        if let Some((span, message)) = self.related {
            let location = Location { file: Arc::clone(file), span, pointer: pointer.clone() };
            diagnostic = diagnostic.relate(location, message);
        }
        diagnostic.at(file, self.span, pointer)
    }
}
