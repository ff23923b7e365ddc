//! The host's event stream ([OAR-FIRE-7]).

use std::sync::Arc;

use serde::Serialize;

use crate::document::rule::Effect;

/// One record of `publish_event` ([OAR-FIRE-7]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// The qualified identifier of the rule.
    pub rule: &'a str,
    /// The host-local anchor of the occurrence.
    pub anchor: &'a str,
    /// The effect of the rule.
    pub effect: Effect,
    /// The session.
    pub session: &'a str,
}

/// Takes the records of `publish_event`. [`sink`](crate::sink) has some.
pub trait EventSink: Send + Sync {
    /// Takes the records of one rule at one occurrence, of which there are several where its
    /// `on_fire` repeats `publish_event`: all of them or none.
    ///
    /// # Errors
    /// When they are refused: the declaring rule is errored ([OAR-FIRE-9]).
    fn publish(&self, events: &[Event<'_>]) -> Result<(), EventError>;
}

/// A sink that the host holds as well.
impl<S: EventSink + ?Sized> EventSink for Arc<S> {
    fn publish(&self, events: &[Event<'_>]) -> Result<(), EventError> {
        (**self).publish(events)
    }
}

/// The sink of a host without an event stream: the records of an occurrence are in its outcome,
/// and go nowhere else.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoEventStream;

impl EventSink for NoEventStream {
    fn publish(&self, _: &[Event<'_>]) -> Result<(), EventError> {
        Ok(())
    }
}

/// A sink refused what it was given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct EventError {
    reason: String,
}

impl EventError {
    /// An error for the given reason.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}

impl Serialize for Event<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut record = serializer.serialize_struct("Event", 3)?;
        record.serialize_field("rule", self.rule)?;
        record.serialize_field("anchor", self.anchor)?;
        record.serialize_field("effect", self.effect.name())?;
        record.end()
    }
}
