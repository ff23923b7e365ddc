//! Counters ([OAR-FIRE-3]…[OAR-FIRE-5]) and the trait of what keeps them.

use std::fmt;
use std::sync::Arc;

use super::events::EventError;
use crate::document::rule::Action;

/// The two counters of a rule, a session and a scope value ([OAR-FIRE-5]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// What `fire_count` reads.
    pub fire_count: i64,
    /// What `breaker_count` reads.
    pub breaker_count: i64,
}

impl Counters {
    /// The counters after one action ([OAR-FIRE-4]), or `None` when one would pass 64 bits.
    #[must_use]
    pub fn after(self, action: Action) -> Option<Self> {
        let Self { fire_count, breaker_count } = self;
        Some(match action {
            Action::IncrementCounter => Self { fire_count: fire_count.checked_add(1)?, ..self },
            Action::ResetCounter => Self { fire_count: 0, ..self },
            Action::IncrementBreaker => {
                Self { breaker_count: breaker_count.checked_add(1)?, ..self }
            }
            Action::ResetBreaker => Self { breaker_count: 0, ..self },
            Action::PublishEvent => self,
        })
    }

    /// The counters after all the actions of a rule, in order ([OAR-FIRE-8]).
    ///
    /// # Errors
    /// When a counter would pass 64 bits.
    pub fn after_all(self, actions: &[Action]) -> Result<Self, StoreError> {
        actions
            .iter()
            .try_fold(self, |counters, action| counters.after(*action))
            .ok_or_else(|| StoreError::new("a counter would pass 64 bits"))
    }
}

/// Which counters: those of a rule, in a session, under a scope value if the rule has a scope.
///
/// A rule with a scope whose value is the empty string and a rule without one have different
/// counters ([OAR-FIRE-10]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CounterKey<'a> {
    /// The qualified identifier of the rule.
    pub rule: &'a str,
    /// The value of the rule's `counter_scope`; `None` for a rule that declares none.
    pub scope: Option<&'a str>,
}

impl fmt::Display for CounterKey<'_> {
    /// The spelling of [OAR-CONF-33]: `<qualified id>` or `<qualified id>#<scope value>`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.rule)?;
        self.scope.map_or(Ok(()), |scope| write!(f, "#{scope}"))
    }
}

/// What the actions of a rule did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterChange {
    /// The counters before.
    pub before: Counters,
    /// The counters after.
    pub after: Counters,
}

/// Keeps counters between occurrences.
///
/// A store is shared by all sessions and threads of a host. Sessions are named by the host.
pub trait CounterStore: Send + Sync {
    /// Reads the counters of several keys of one session at one moment; absent ones are zero.
    /// `values` is as long as `keys`.
    ///
    /// # Errors
    /// When the store cannot be read: every rule that consumes one of the counters is errored.
    fn read(
        &self,
        session: &str,
        keys: &[CounterKey<'_>],
        values: &mut [Counters],
    ) -> Result<(), StoreError>;

    /// Applies the counter actions of one firing rule as a unit: all of them or none, without
    /// losing what others apply meanwhile.
    ///
    /// `publish` emits the rule's events. The store calls it once, when it is certain of the new
    /// values and before it makes them visible; if it fails, nothing is changed ([OAR-FIRE-9]).
    ///
    /// # Errors
    /// When the actions cannot be applied; nothing was changed then.
    fn apply(
        &self,
        session: &str,
        key: CounterKey<'_>,
        actions: &[Action],
        publish: &mut dyn FnMut() -> Result<(), EventError>,
    ) -> Result<CounterChange, StoreError>;
}

/// A store that the host holds as well, to forget sessions, say.
impl<S: CounterStore + ?Sized> CounterStore for Arc<S> {
    fn read(
        &self,
        session: &str,
        keys: &[CounterKey<'_>],
        values: &mut [Counters],
    ) -> Result<(), StoreError> {
        (**self).read(session, keys, values)
    }

    fn apply(
        &self,
        session: &str,
        key: CounterKey<'_>,
        actions: &[Action],
        publish: &mut dyn FnMut() -> Result<(), EventError>,
    ) -> Result<CounterChange, StoreError> {
        (**self).apply(session, key, actions, publish)
    }
}

/// A store could not do what was asked; the declaring rule's `on_error` handles it ([OAR-FIRE-9]).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct StoreError {
    reason: String,
}

impl StoreError {
    /// An error for the given reason.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}

impl From<EventError> for StoreError {
    fn from(error: EventError) -> Self {
        Self::new(error.to_string())
    }
}
