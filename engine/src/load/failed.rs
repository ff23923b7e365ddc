//! The rules that did not load: naming one of them is no second fault.

use std::collections::HashSet;

use crate::document::source::Reading;

/// What is known of the rules that did not load.
#[derive(Debug, Default)]
pub(super) struct Failed {
    /// The qualified identifiers, as far as they can be told.
    names: HashSet<String>,
    /// The same without their namespaces.
    bare: HashSet<String>,
    /// Whether a source could not be read to its end, so that any rule may be among what is lost.
    lost: bool,
}

impl Failed {
    /// Takes up a rule that failed; one without an identifier may be any.
    pub(super) fn add(&mut self, name: Option<String>) {
        let bare = name.as_ref().and_then(|name| name.rsplit('/').next());
        self.bare.extend(bare.map(str::to_owned));
        self.names.extend(name);
    }

    /// Notes whether a reading lost documents: what was refused there lies in none of those read.
    pub(super) fn reading(&mut self, reading: &Reading) {
        let places = reading.diagnostics.iter().filter_map(|diagnostic| diagnostic.location());
        self.lost |= places.map(|place| place.span.start).any(|at| {
            // The documents stand in order, and none in another.
            let before = reading.documents.partition_point(|own| own.root.span.start <= at);
            let last = before.checked_sub(1).and_then(|last| reading.documents.get(last));
            last.is_none_or(|document| at > document.root.span.end)
        });
    }

    /// Whether the rule of this qualified identifier failed, or may have.
    pub(super) fn covers(&self, name: &str) -> bool {
        self.lost || self.names.contains(name)
    }

    /// The same for a reference that may leave out the namespace ([OAR-CFG-4]).
    pub(super) fn covers_reference(&self, reference: &str) -> bool {
        self.covers(reference) || self.bare.contains(reference)
    }
}
