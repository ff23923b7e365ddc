//! The rules that did not load: naming one of them is no second fault.

use std::collections::HashSet;

use crate::document::source::Reading;

/// What is known of the rules that did not load.
#[derive(Debug, Default)]
pub(super) struct Failed {
    /// The qualified identifiers, as far as they can be told.
    names: HashSet<String>,
    /// Whether a source could not be read to its end, so that any rule may be among what is lost.
    lost: bool,
}

impl Failed {
    /// Takes up a rule that failed; one without an identifier may be any.
    pub(super) fn add(&mut self, name: Option<String>) {
        self.names.extend(name);
    }

    /// Notes whether a reading lost documents: what was refused there lies in none of those read.
    pub(super) fn reading(&mut self, reading: &Reading) {
        let places = reading.diagnostics.iter().filter_map(|diagnostic| diagnostic.location());
        self.lost |= places.map(|place| place.span.start).any(|at| {
            let holds = |span: oar_expr::Span| span.start <= at && at <= span.end;
            !reading.documents.iter().any(|document| holds(document.root.span))
        });
    }

    /// Whether the rule of this qualified identifier failed, or may have.
    pub(super) fn covers(&self, name: &str) -> bool {
        self.lost || self.names.contains(name)
    }

    /// The same for a reference that may leave out the namespace ([OAR-CFG-4]).
    pub(super) fn covers_reference(&self, reference: &str) -> bool {
        let bare = |name: &String| name.rsplit('/').next() == Some(reference);
        self.covers(reference) || self.names.iter().any(bare)
    }
}
