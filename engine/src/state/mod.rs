//! What outlives an occurrence: the session, its counters and the event stream.

mod activity;
mod counters;
mod events;
mod memory;
#[cfg(feature = "redis")]
mod redis;
mod session;
#[cfg(feature = "sqlite")]
mod sqlite;

pub use activity::ActivityStore;
pub use counters::{CounterChange, CounterKey, CounterStore, Counters, StoreError};
pub use events::{Event, EventError, EventSink, NoEventStream};
pub use memory::{MemoryCounters, MemoryStore};
#[cfg(feature = "redis")]
pub use redis::{RedisOptions, RedisStore};
pub use session::Session;
#[cfg(feature = "sqlite")]
pub use sqlite::{Durability, SqliteOptions, SqliteStore};
