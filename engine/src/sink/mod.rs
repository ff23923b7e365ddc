//! Where events and audit records go.
//!
//! A host gives [`Host::events`](crate::Host::events) an [`EventSink`] and
//! [`Host::audit`](crate::Host::audit) an [`AuditSink`]; each sink here is both.
//!
//! | sink | where things go |
//! |---|---|
//! | [`JsonLines`] | a file of JSON lines in a [`Chain`](crate::audit::Chain), rotated by size |
//! | [`MemorySink`] | memory, for tests and hosts that look themselves |
//! | `TracingSink` (feature `tracing`) | events of the `tracing` crate |
//! | [`Queued`] | another sink, written in a thread of its own |
//!
//! A sink takes what it is given or refuses it: the rule whose event is refused is errored
//! ([OAR-FIRE-9]), and an occurrence whose record is refused is blocked unless the host has said
//! otherwise ([`Unrecorded`](crate::decide::Unrecorded)). None drops anything and says nothing.

mod json_lines;
mod memory;
mod queued;
mod tail;
#[cfg(feature = "tracing")]
mod tracing;

use std::sync::Arc;

pub use json_lines::{Fsync, JsonLines, JsonLinesOptions};
pub use memory::{KeptEvent, MemorySink};
pub use queued::Queued;
#[cfg(feature = "tracing")]
pub use tracing::TracingSink;

use crate::audit::AuditRecord;
pub use crate::state::{Event, EventError, EventSink, NoEventStream};

/// Takes the record of each occurrence.
pub trait AuditSink: Send + Sync {
    /// Takes one record.
    ///
    /// # Errors
    /// When it is refused: the host must see that an occurrence has left no record.
    fn record(&self, record: &AuditRecord) -> Result<(), EventError>;
}

/// A sink that the host holds as well.
impl<S: AuditSink + ?Sized> AuditSink for Arc<S> {
    fn record(&self, record: &AuditRecord) -> Result<(), EventError> {
        (**self).record(record)
    }
}
