//! Counters that are kept where one must wait for them.

use std::pin::Pin;
use std::time::Duration;

use oar_engine::document::rule::Action;
use oar_engine::state::{
    CounterChange, CounterKey, CounterStore, Counters, EventError, StoreError,
};

use crate::fetch::wait;

/// A future that stays on its thread.
type Here<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Keeps counters asynchronously, as [`CounterStore`] does synchronously.
pub trait AsyncCounterStore: Send + Sync {
    /// Reads the counters of several keys of one session at one moment; absent ones are zero.
    fn read<'a>(
        &'a self,
        session: &'a str,
        keys: &'a [CounterKey<'a>],
        values: &'a mut [Counters],
    ) -> Here<'a, Result<(), StoreError>>;

    /// Applies the actions of one rule as a unit, and calls `publish` once as
    /// [`CounterStore::apply`] says. A future that is dropped before it is done, because its
    /// deadline has passed, must leave all of the actions applied or none.
    fn apply<'a>(
        &'a self,
        session: &'a str,
        key: CounterKey<'a>,
        actions: &'a [Action],
        publish: &'a mut dyn FnMut() -> Result<(), EventError>,
    ) -> Here<'a, Result<CounterChange, StoreError>>;
}

/// An asynchronous store that the engine can use: it waits in the thread that decides.
///
/// Other tasks of that thread move on to another meanwhile, so it needs a runtime of several
/// threads; in one of a single thread every operation fails. An operation that is not done by the
/// deadline has failed, and the rule that wanted it is errored ([OAR-FIRE-9]): whether a remote
/// store that answers too late has applied the actions cannot be known here.
#[derive(Debug)]
pub struct Bridged<S> {
    store: S,
    deadline: Duration,
}

impl<S: AsyncCounterStore> Bridged<S> {
    /// `store`, each operation of which must be done within `deadline`.
    #[must_use]
    pub fn new(store: S, deadline: Duration) -> Self {
        Self { store, deadline }
    }
}

impl<S: AsyncCounterStore> CounterStore for Bridged<S> {
    fn read(
        &self,
        session: &str,
        keys: &[CounterKey<'_>],
        values: &mut [Counters],
    ) -> Result<(), StoreError> {
        let read = wait(self.deadline, self.store.read(session, keys, values));
        read.unwrap_or_else(|reason| Err(StoreError::new(reason)))
    }

    fn apply(
        &self,
        session: &str,
        key: CounterKey<'_>,
        actions: &[Action],
        publish: &mut dyn FnMut() -> Result<(), EventError>,
    ) -> Result<CounterChange, StoreError> {
        let apply = wait(self.deadline, self.store.apply(session, key, actions, publish));
        apply.unwrap_or_else(|reason| Err(StoreError::new(reason)))
    }
}
