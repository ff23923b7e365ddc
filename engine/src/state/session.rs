//! A session: its name, and the activity window of [OAR-PROF-9].

use std::collections::VecDeque;

/// One conversation of a host with an agent.
///
/// Its counters live in the store under its name; the recent steps live here.
#[derive(Clone, Debug, Default)]
pub struct Session {
    id: String,
    steps: VecDeque<String>,
}

impl Session {
    /// A session that has just begun.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), steps: VecDeque::new() }
    }

    /// Its name.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The tools whose calls were admitted, oldest first, as many as the window holds.
    pub fn recent_activity(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator {
        self.steps.iter().map(String::as_str)
    }

    /// Takes up the recent steps of a session that is continued, oldest first.
    pub fn restore_activity<S: Into<String>>(&mut self, steps: impl IntoIterator<Item = S>) {
        self.steps = steps.into_iter().map(Into::into).collect();
    }

    /// Appends the step of an admitted call and drops what the window no longer holds.
    pub(crate) fn admit(&mut self, tool: &str, window: usize) {
        if window == 0 {
            self.steps.clear();
            return;
        }
        while self.steps.len() >= window {
            self.steps.pop_front();
        }
        self.steps.push_back(tool.to_owned());
    }
}
