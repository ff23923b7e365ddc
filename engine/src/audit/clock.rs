//! What time it is, for records.

use std::sync::Arc;
use std::time::SystemTime;

/// Tells the time of records. A host replaces it to test itself, or where it has a better one.
///
/// No rule can see it: the same occurrence is decided alike at any time.
pub trait Clock: Send + Sync {
    /// The time now.
    fn now(&self) -> SystemTime;
}

/// The clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
}

/// A clock that the host holds as well.
impl<C: Clock + ?Sized> Clock for Arc<C> {
    fn now(&self) -> SystemTime {
        (**self).now()
    }
}
