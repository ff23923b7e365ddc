//! A counting allocator: calls, and bytes that are held, of the thread that asks.
//!
//! The counts are thread-local cells, so that counting costs a nanosecond and two threads do not
//! share a cache line. The published crates that count would change what is measured:
//! `allocation-counter` 0.8 turns each `realloc` into an allocation and a copy, `stats_alloc` 0.1
//! counts in atomics that all threads share.

#![expect(
    unsafe_code,
    reason = "the trait of an allocator is unsafe; this one passes every call on"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
    static HELD: Cell<i64> = const { Cell::new(0) };
}

/// The system's allocator, counted.
pub struct Counting;

fn note(calls: u64, bytes: i64) {
    // A thread that is ending allocates without a count.
    let _gone = CALLS.try_with(|own| own.set(own.get() + calls));
    let _gone = HELD.try_with(|own| own.set(own.get() + bytes));
}

fn bytes(size: usize) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(1, bytes(layout.size()));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        note(0, -bytes(layout.size()));
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(1, bytes(size) - bytes(layout.size()));
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Allocations of this thread so far.
pub fn calls() -> u64 {
    CALLS.with(Cell::get)
}

/// Bytes that this thread allocated and has not freed.
pub fn held() -> i64 {
    HELD.with(Cell::get)
}
