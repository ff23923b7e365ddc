//! A clock that stands still until a test says otherwise.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::audit::Clock;

/// A clock that tells what a test says. Clones share the time.
///
/// ```
/// use oar_engine::audit::{Clock, rfc3339};
/// use oar_engine::testing::ScriptedClock;
/// use std::time::Duration;
///
/// let clock = ScriptedClock::at_unix(1_796_086_800);
/// assert_eq!(rfc3339(clock.now()), "2026-12-01T01:00:00.000Z");
/// clock.advance(Duration::from_secs(90));
/// assert_eq!(rfc3339(clock.now()), "2026-12-01T01:01:30.000Z");
/// ```
#[derive(Clone, Debug)]
pub struct ScriptedClock(Arc<Mutex<SystemTime>>);

impl ScriptedClock {
    /// A clock at this time.
    #[must_use]
    pub fn new(time: SystemTime) -> Self {
        Self(Arc::new(Mutex::new(time)))
    }

    /// A clock so many seconds after the beginning of 1970.
    #[must_use]
    pub fn at_unix(seconds: u64) -> Self {
        Self::new(UNIX_EPOCH + Duration::from_secs(seconds))
    }

    /// Lets time pass.
    pub fn advance(&self, by: Duration) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += by;
    }

    /// Goes to another time, back as well.
    pub fn set(&self, time: SystemTime) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = time;
    }
}

impl Clock for ScriptedClock {
    fn now(&self) -> SystemTime {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
