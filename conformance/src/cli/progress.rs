//! A bar on standard error.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// A bar on standard error, while a run takes long and somebody looks on.
pub(crate) struct Progress {
    since: Instant,
    is_watched: bool,
}

impl Progress {
    /// Shorter runs are over before a bar could be read.
    const PATIENCE: Duration = Duration::from_millis(500);
    const WIDTH: usize = 40;

    pub(crate) fn new() -> Self {
        Self { since: Instant::now(), is_watched: io::stderr().is_terminal() }
    }

    pub(crate) fn show(&self, done: usize, all: usize) {
        if !self.is_watched || self.since.elapsed() < Self::PATIENCE {
            return;
        }
        let full = done * Self::WIDTH / all.max(1);
        let bar = format!("{}{}", "#".repeat(full), "-".repeat(Self::WIDTH.saturating_sub(full)));
        // A bar that cannot be shown is not missed.
        let _ = write!(io::stderr(), "\r[{bar}] {done}/{all}");
    }

    pub(crate) fn clear(&self) {
        if self.is_watched {
            let _ = write!(io::stderr(), "\r\u{1b}[K");
        }
    }
}
