//! A store and an event sink that fail when a test says so.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::audit::AuditRecord;
use crate::document::rule::Action;
use crate::sink::AuditSink;
use crate::state::{
    ActivityStore, CounterChange, CounterKey, CounterStore, Counters, Event, EventError, EventSink,
    MemoryStore, StoreError,
};

/// What a [`FaultyStore`] is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Operation {
    /// [`CounterStore::read`].
    Read,
    /// [`CounterStore::apply`].
    Apply,
    /// [`EventSink::publish`].
    Publish,
    /// [`AuditSink::record`].
    Record,
    /// [`ActivityStore::recent`].
    Recent,
    /// [`ActivityStore::admit`].
    Admit,
}

/// How it goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// It answers with an error and does nothing.
    Fails,
    /// It answers so late that a store with a deadline would have given up, and does nothing.
    Late(Duration),
    /// It panics, and does nothing.
    Panics,
}

/// A store of counters and activity, and a sink of events and records, that goes wrong when told
/// to.
///
/// Clones share everything, so a test keeps one and lends the other to a host. Underneath is a
/// [`MemoryStore`], which a test reads to see that nothing was half applied.
///
/// ```
/// use oar_engine::Host;
/// use oar_engine::testing::{Fault, FaultyStore, Operation};
///
/// let store = FaultyStore::new();
/// let host = Host::new().store(store.clone()).events(store.clone());
/// store.at(Operation::Apply, 2, Fault::Fails); // the second rule that acts is errored
/// # let _ = host;
/// assert_eq!(store.asked(Operation::Apply), 0);
/// ```
#[derive(Clone, Debug, Default)]
pub struct FaultyStore {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    memory: MemoryStore,
    script: Mutex<Script>,
}

#[derive(Debug, Default)]
struct Script {
    asked: HashMap<Operation, usize>,
    at: HashMap<(Operation, usize), Fault>,
    always: HashMap<Operation, Fault>,
    published: Vec<String>,
    records: Vec<AuditRecord>,
}

impl FaultyStore {
    /// One that works until it is told otherwise.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Goes wrong at the `nth` request of this kind from the beginning, counted from 1.
    pub fn at(&self, operation: Operation, nth: usize, fault: Fault) {
        self.script().at.insert((operation, nth), fault);
    }

    /// Goes wrong at every request of this kind from now on.
    pub fn always(&self, operation: Operation, fault: Fault) {
        self.script().always.insert(operation, fault);
    }

    /// Works again.
    pub fn heal(&self) {
        let mut script = self.script();
        script.at.clear();
        script.always.clear();
    }

    /// How many requests of this kind there were.
    #[must_use]
    pub fn asked(&self, operation: Operation) -> usize {
        self.script().asked.get(&operation).copied().unwrap_or_default()
    }

    /// The qualified identifiers of the rules whose events were taken, in order.
    #[must_use]
    pub fn published(&self) -> Vec<String> {
        self.script().published.clone()
    }

    /// The audit records that were taken, in order.
    #[must_use]
    pub fn records(&self) -> Vec<AuditRecord> {
        self.script().records.clone()
    }

    /// The store underneath, which never goes wrong.
    #[must_use]
    pub fn memory(&self) -> &MemoryStore {
        &self.inner.memory
    }

    fn script(&self) -> MutexGuard<'_, Script> {
        self.inner.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[expect(clippy::panic, reason = "a test asked for it")]
    fn meet(&self, operation: Operation) -> Result<(), StoreError> {
        let fault = {
            let mut script = self.script();
            let asked = script.asked.entry(operation).or_default();
            *asked += 1;
            let nth = *asked;
            let always = script.always.get(&operation);
            always.or_else(|| script.at.get(&(operation, nth))).copied()
        };
        match fault {
            None => Ok(()),
            Some(Fault::Fails) => Err(StoreError::new("the store is unreachable")),
            Some(Fault::Late(after)) => {
                std::thread::sleep(after);
                Err(StoreError::new("the store did not answer in time"))
            }
            Some(Fault::Panics) => panic!("the store panicked"),
        }
    }
}

impl CounterStore for FaultyStore {
    fn read(
        &self,
        session: &str,
        keys: &[CounterKey<'_>],
        values: &mut [Counters],
    ) -> Result<(), StoreError> {
        self.meet(Operation::Read)?;
        self.inner.memory.read(session, keys, values)
    }

    fn apply(
        &self,
        session: &str,
        key: CounterKey<'_>,
        actions: &[Action],
        publish: &mut dyn FnMut() -> Result<(), EventError>,
    ) -> Result<CounterChange, StoreError> {
        self.meet(Operation::Apply)?;
        self.inner.memory.apply(session, key, actions, publish)
    }
}

impl ActivityStore for FaultyStore {
    fn recent(&self, session: &str, window: usize) -> Result<Vec<String>, StoreError> {
        self.meet(Operation::Recent)?;
        self.inner.memory.recent(session, window)
    }

    fn admit(&self, session: &str, tool: &str, window: usize) -> Result<(), StoreError> {
        self.meet(Operation::Admit)?;
        self.inner.memory.admit(session, tool, window)
    }
}

impl EventSink for FaultyStore {
    fn publish(&self, events: &[Event<'_>]) -> Result<(), EventError> {
        self.meet(Operation::Publish).map_err(|error| EventError::new(error.to_string()))?;
        self.script().published.extend(events.iter().map(|event| event.rule.to_owned()));
        Ok(())
    }
}

impl AuditSink for FaultyStore {
    fn record(&self, record: &AuditRecord) -> Result<(), EventError> {
        self.meet(Operation::Record).map_err(|error| EventError::new(error.to_string()))?;
        self.script().records.push(record.clone());
        Ok(())
    }
}
