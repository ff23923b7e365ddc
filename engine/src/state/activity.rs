//! The activity window ([OAR-PROF-9]) where it outlives a process, and the trait of what keeps it.

use std::sync::Arc;

use super::counters::StoreError;

/// Keeps the recent steps of sessions, so that a session survives a restart and is shared by
/// the processes of a host.
///
/// A host without one keeps the steps in the [`Session`](super::Session) alone.
pub trait ActivityStore: Send + Sync {
    /// The most recent `window` steps of a session, oldest first.
    ///
    /// # Errors
    /// When they cannot be read: every selected rule with a `flow` is errored.
    fn recent(&self, session: &str, window: usize) -> Result<Vec<String>, StoreError>;

    /// Appends the step of an admitted call, and drops what a window of this size no longer holds.
    ///
    /// # Errors
    /// When it cannot be appended; nothing was changed then. The session keeps the step and
    /// appends it when the store can be written again.
    fn admit(&self, session: &str, tool: &str, window: usize) -> Result<(), StoreError>;
}

/// A store that the host holds as well.
impl<S: ActivityStore + ?Sized> ActivityStore for Arc<S> {
    fn recent(&self, session: &str, window: usize) -> Result<Vec<String>, StoreError> {
        (**self).recent(session, window)
    }

    fn admit(&self, session: &str, tool: &str, window: usize) -> Result<(), StoreError> {
        (**self).admit(session, tool, window)
    }
}
