//! Counters that a host keeps and a command can forget.

use std::ops::Deref;
use std::sync::Arc;

use oar_engine::document::rule::Action;
use oar_engine::state::{
    CounterChange, CounterKey, CounterStore, Counters, EventError, StoreError,
};

/// A store that is held twice.
#[derive(Debug, Default)]
pub(crate) struct Shared<S>(Arc<S>);

impl<S> Shared<S> {
    pub(crate) fn new(store: S) -> Self {
        Self(Arc::new(store))
    }
}

impl<S> Clone for Shared<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S> Deref for Shared<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.0
    }
}

impl<S: CounterStore> CounterStore for Shared<S> {
    fn read(
        &self,
        session: &str,
        keys: &[CounterKey<'_>],
        values: &mut [Counters],
    ) -> Result<(), StoreError> {
        self.0.read(session, keys, values)
    }

    fn apply(
        &self,
        session: &str,
        key: CounterKey<'_>,
        actions: &[Action],
        publish: &mut dyn FnMut() -> Result<(), EventError>,
    ) -> Result<CounterChange, StoreError> {
        self.0.apply(session, key, actions, publish)
    }
}
