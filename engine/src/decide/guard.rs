//! Calls into the host's code: a panic or an answer that comes too late is its failure.
//!
//! A detector, a provider, a store or a sink that panics must not take the occurrence with it:
//! the rule that asked is errored, and its `on_error` handles it ([OAR-OPS-3], [OAR-FIRE-9]).
//! Where a program is built to abort on panic there is nothing to catch.
//!
//! What a panic says is not told: an `unwrap` quotes the value that it stumbled over, and a failure
//! goes into traces and audits. The panic hook of the program has the text and the place.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Runs `work`; the answer is a reason where it panicked.
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    // Nothing of the engine is half changed while the host's code runs: answers are kept, and
    // counters noted, after it has returned.
    catch_unwind(AssertUnwindSafe(work)).map_err(discard)
}

/// The same for code with an allotted time. The time is looked at when it returns: a call on
/// this thread cannot be broken off, and an answer that is too late is none.
pub(crate) fn timed<T>(allotted: Option<Duration>, work: impl FnOnce() -> T) -> Result<T, String> {
    let Some(allotted) = allotted else { return guarded(work) };
    let start = Instant::now();
    let answer = guarded(work)?;
    let taken = start.elapsed();
    if taken > allotted {
        let (taken, allotted) = (taken.as_millis(), allotted.as_millis());
        return Err(format!("it took {taken} ms, and {allotted} ms are allotted"));
    }
    Ok(answer)
}

/// Drops what a panic carried. It is the host's, so that its drop may panic as well; what that
/// carries is left alone.
fn discard(payload: Box<dyn Any + Send>) -> String {
    if let Err(another) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(another);
    }
    "it panicked".to_owned()
}
