//! How far a replay is, on a terminal.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A bar on standard error, where that is a terminal.
pub(crate) struct Progress {
    shown: bool,
    /// How many bytes of the file there are, and how many were read.
    size: Option<u64>,
    read: Arc<AtomicU64>,
    next: Instant,
}

/// How wide the bar is.
const WIDTH: u64 = 30;

impl Progress {
    pub(crate) fn new(size: Option<u64>, read: Arc<AtomicU64>) -> Self {
        Self { shown: std::io::stderr().is_terminal(), size, read, next: Instant::now() }
    }

    pub(crate) fn line(&mut self, lines: u64) {
        // Looking at the clock for every line would cost more than it tells.
        if !self.shown || !lines.is_multiple_of(1024) || Instant::now() < self.next {
            return;
        }
        self.next = Instant::now() + Duration::from_millis(100);
        let mut text = String::from("\r");
        if let Some(size) = self.size.filter(|size| *size > 0) {
            let read = self.read.load(Ordering::Relaxed).min(size);
            let done = WIDTH * read / size;
            let bar: String = (0..WIDTH).map(|at| if at < done { '#' } else { '.' }).collect();
            // Writing to a string cannot fail.
            let _ = write!(text, "[{bar}] {:3}% ", 100 * read / size);
        }
        let _ = write!(text, "{lines} lines");
        // A bar that cannot be shown is no reason to stop.
        drop(std::io::stderr().write_all(text.as_bytes()));
    }

    /// Takes the bar away.
    pub(crate) fn done(&self) {
        if self.shown {
            drop(std::io::stderr().write_all(b"\r\x1b[K"));
        }
    }
}
