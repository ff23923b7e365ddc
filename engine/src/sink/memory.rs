//! Events and records in memory.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::AuditSink;
use crate::audit::AuditRecord;
use crate::document::rule::Effect;
use crate::state::{Event, EventError, EventSink};

/// An event that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptEvent {
    /// The qualified identifier of the rule.
    pub rule: String,
    /// The host-local anchor of the occurrence.
    pub anchor: String,
    /// The effect of the rule.
    pub effect: Effect,
    /// The session.
    pub session: String,
}

impl KeptEvent {
    /// A copy of an event.
    #[must_use]
    pub fn of(event: &Event<'_>) -> Self {
        Self {
            rule: event.rule.to_owned(),
            anchor: event.anchor.to_owned(),
            effect: event.effect,
            session: event.session.to_owned(),
        }
    }

    /// The event as it was.
    #[must_use]
    pub fn as_event(&self) -> Event<'_> {
        Event {
            rule: &self.rule,
            anchor: &self.anchor,
            effect: self.effect,
            session: &self.session,
        }
    }
}

/// Keeps events and records until somebody takes them. Clones share what is kept.
///
/// ```
/// use oar_engine::sink::{EventSink, MemorySink};
/// use oar_engine::document::rule::Effect;
/// use oar_engine::state::Event;
///
/// let sink = MemorySink::holding(1);
/// let event = Event { rule: "acme/R", anchor: "before_tool", effect: Effect::Warn, session: "s" };
/// sink.publish(&[event])?;
/// assert_eq!(sink.publish(&[event]).unwrap_err().to_string(), "it holds 1 already");
/// assert_eq!(sink.take_events()[0].rule, "acme/R");
/// sink.publish(&[event])?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct MemorySink {
    kept: Arc<Mutex<Kept>>,
    most: usize,
}

#[derive(Debug, Default)]
struct Kept {
    events: Vec<KeptEvent>,
    records: Vec<AuditRecord>,
}

impl MemorySink {
    /// A sink that holds whatever it is given.
    #[must_use]
    pub fn new() -> Self {
        Self::holding(usize::MAX)
    }

    /// A sink that refuses what would make more than `most` events or more than `most` records.
    #[must_use]
    pub fn holding(most: usize) -> Self {
        Self { kept: Arc::default(), most }
    }

    /// The events, oldest first, which are not kept any longer.
    pub fn take_events(&self) -> Vec<KeptEvent> {
        std::mem::take(&mut self.lock().events)
    }

    /// The records, oldest first, which are not kept any longer.
    pub fn take_records(&self) -> Vec<AuditRecord> {
        std::mem::take(&mut self.lock().records)
    }

    fn room(&self, held: usize, more: usize) -> Result<(), EventError> {
        if held.saturating_add(more) > self.most {
            return Err(EventError::new(format!("it holds {held} already")));
        }
        Ok(())
    }

    /// What a thread that panicked left is whole: each change is one call of a `Vec`.
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for MemorySink {
    fn default() -> Self {
        Self::new()
    }
}

impl EventSink for MemorySink {
    fn publish(&self, events: &[Event<'_>]) -> Result<(), EventError> {
        let mut kept = self.lock();
        self.room(kept.events.len(), events.len())?;
        kept.events.extend(events.iter().map(KeptEvent::of));
        Ok(())
    }
}

impl AuditSink for MemorySink {
    fn record(&self, record: &AuditRecord) -> Result<(), EventError> {
        let mut kept = self.lock();
        self.room(kept.records.len(), 1)?;
        kept.records.push(record.clone());
        Ok(())
    }
}
