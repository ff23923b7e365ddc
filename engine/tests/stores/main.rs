//! One contract for all stores, run against each: what `CounterStore` and `ActivityStore` promise.
#![cfg(feature = "testing")]

mod contract;
mod faults;
mod interleaving;
mod memory;
#[cfg(feature = "redis")]
mod redis;
#[cfg(feature = "sqlite")]
mod sqlite;
