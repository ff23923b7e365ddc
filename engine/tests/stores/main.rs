//! One contract for all stores, run against each: what `CounterStore` and `ActivityStore` promise.
#![cfg(feature = "testing")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test may stop; which parts do depends on the features"
)]

mod contract;
mod faults;
mod interleaving;
mod memory;
#[cfg(feature = "redis")]
mod redis;
#[cfg(feature = "redis-tls")]
mod redis_tls;
#[cfg(feature = "sqlite")]
mod sqlite;
