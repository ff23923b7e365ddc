//! A session: its name, and the activity window of [OAR-PROF-9].

use std::collections::VecDeque;
use std::fmt;

use super::activity::ActivityStore;
use super::counters::StoreError;

/// One conversation of a host with an agent.
///
/// Its counters live in the store under its name. The recent steps live here, or in the host's
/// [`ActivityStore`] where it has one; then here are only those that the store did not take.
#[derive(Clone, Default)]
pub struct Session {
    id: String,
    steps: VecDeque<String>,
    /// Steps that the store refused, oldest first.
    unrecorded: VecDeque<String>,
}

/// Its name and how many steps there are, not what they are.
impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("id", &self.id)
            .field("steps", &self.steps.len())
            .field("unrecorded", &self.unrecorded.len())
            .finish()
    }
}

impl Session {
    /// A session that has just begun.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), ..Self::default() }
    }

    /// Its name.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The tools whose calls were admitted, oldest first, as many as the window holds.
    ///
    /// Of a host with an [`ActivityStore`], ask the store.
    pub fn recent_activity(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator {
        self.steps.iter().map(String::as_str)
    }

    /// Takes up the recent steps of a session that is continued, oldest first.
    pub fn restore_activity<S: Into<String>>(&mut self, steps: impl IntoIterator<Item = S>) {
        self.steps = steps.into_iter().map(Into::into).collect();
    }

    /// The steps that the host's [`ActivityStore`] has refused so far, oldest first. They count
    /// as activity of this session; other processes do not see them.
    pub fn unrecorded_steps(&self) -> impl ExactSizeIterator<Item = &str> {
        self.unrecorded.iter().map(String::as_str)
    }

    /// Appends the step of an admitted call and drops what the window no longer holds.
    pub(crate) fn admit(&mut self, tool: &str, window: usize) {
        push(&mut self.steps, tool, window);
    }

    /// The same in a store, behind the steps that it refused before. A step that is refused
    /// stays here: it must not be lost, or a rule with a `flow` would be evaded.
    pub(crate) fn admit_to(&mut self, store: &dyn ActivityStore, tool: &str, window: usize) {
        push(&mut self.unrecorded, tool, window);
        while let Some(step) = self.unrecorded.front() {
            if store.admit(&self.id, step, window).is_err() {
                return;
            }
            self.unrecorded.pop_front();
        }
    }

    /// The steps of a store and those that it refused.
    pub(crate) fn recent_in(
        &self,
        store: &dyn ActivityStore,
        window: usize,
    ) -> Result<Vec<String>, StoreError> {
        let mut steps = store.recent(&self.id, window)?;
        steps.extend(self.unrecorded.iter().cloned());
        Ok(steps)
    }
}

fn push(steps: &mut VecDeque<String>, tool: &str, window: usize) {
    if window == 0 {
        steps.clear();
        return;
    }
    while steps.len() >= window {
        steps.pop_front();
    }
    steps.push_back(tool.to_owned());
}
