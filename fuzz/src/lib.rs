//! What each fuzz target does with its bytes.
//!
//! A target is a function that panics when a promise is broken. libFuzzer calls it from
//! `fuzz_targets/`, and `cargo test` calls it for every seed and every crash of the past, on any
//! toolchain. `README.md` says what each of them promises and how to run it.
#![forbid(unsafe_code)]

mod adapter;
mod bytes;
mod canonical;
mod condition;
mod copy;
mod documents;
mod fixture;
mod lab;
#[path = "../../conformance/tests/reference/mod.rs"]
#[allow(dead_code, reason = "the naive engine is used in parts")]
mod reference;
pub mod seeds;
mod transforms;
mod values;

pub use adapter::adapter;
pub use canonical::canonical;
pub use condition::condition;
pub use copy::copy;
pub use documents::{json, yaml};
pub use fixture::fixture;
pub use transforms::transforms;
pub use values::values;

/// A target by its name.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: [Target; 9] = [
    ("condition", condition),
    ("values", values),
    ("json", json),
    ("yaml", yaml),
    ("fixture", fixture),
    ("copy", copy),
    ("transforms", transforms),
    ("canonical", canonical),
    ("adapter", adapter),
];
