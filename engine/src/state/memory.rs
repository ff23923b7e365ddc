//! Counters in memory: the default store, gone with the process.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::counters::{CounterChange, CounterKey, CounterStore, Counters, StoreError};
use super::events::EventError;
use crate::document::rule::Action;

/// Keeps the counters of all sessions in memory.
#[derive(Debug, Default)]
pub struct MemoryCounters {
    sessions: Mutex<Sessions>,
}

type Sessions = HashMap<String, HashMap<OwnedKey, Counters>>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct OwnedKey {
    rule: String,
    scope: Option<String>,
}

impl From<CounterKey<'_>> for OwnedKey {
    fn from(key: CounterKey<'_>) -> Self {
        Self { rule: key.rule.to_owned(), scope: key.scope.map(str::to_owned) }
    }
}

impl MemoryCounters {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets the counters of a session that has ended.
    pub fn forget(&self, session: &str) {
        self.lock().remove(session);
    }

    /// A writer that panicked left whole values behind: each is replaced at once.
    fn lock(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CounterStore for MemoryCounters {
    fn read(
        &self,
        session: &str,
        keys: &[CounterKey<'_>],
        values: &mut [Counters],
    ) -> Result<(), StoreError> {
        let sessions = self.lock();
        let counters = sessions.get(session);
        for (key, value) in keys.iter().zip(values) {
            let found = counters.and_then(|counters| counters.get(&OwnedKey::from(*key)));
            *value = found.copied().unwrap_or_default();
        }
        Ok(())
    }

    fn apply(
        &self,
        session: &str,
        key: CounterKey<'_>,
        actions: &[Action],
        publish: &mut dyn FnMut() -> Result<(), EventError>,
    ) -> Result<CounterChange, StoreError> {
        let mut sessions = self.lock();
        let key = OwnedKey::from(key);
        let own = sessions.get(session).and_then(|counters| counters.get(&key));
        let before = own.copied().unwrap_or_default();
        let after = before.after_all(actions)?;
        publish()?;
        if before != after {
            sessions.entry(session.to_owned()).or_default().insert(key, after);
        }
        Ok(CounterChange { before, after })
    }
}
