//! What outlives an occurrence: the session, its counters and the event stream.

mod counters;
mod events;
mod memory;
mod session;

pub use counters::{CounterChange, CounterKey, CounterStore, Counters, StoreError};
pub use events::{Event, EventError, EventSink, NoEventStream};
pub use memory::MemoryCounters;
pub use session::Session;
