//! Another sink, written in a thread of its own.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::memory::KeptEvent;
use super::{AuditSink, EventSink};
use crate::audit::AuditRecord;
use crate::decide::guarded;
use crate::state::{Event, EventError};

/// A bounded queue before a slow sink: deciding does not wait for it.
///
/// What does not fit is refused at once, and so is everything while the sink behind fails: what is
/// in the queue then is tried again until it is taken. [`close`](Self::close) writes what is left
/// and says what could not be written; dropping closes as well. What is in the queue when the
/// process is killed is lost, although it counts as taken.
///
/// ```
/// use oar_engine::sink::{EventSink, MemorySink, Queued};
/// use oar_engine::document::rule::Effect;
/// use oar_engine::state::Event;
///
/// let memory = MemorySink::new();
/// let queued = Queued::new(memory.clone(), 1_000)?;
/// let event = Event { rule: "acme/R", anchor: "before_tool", effect: Effect::Warn, session: "s" };
/// queued.publish(&[event])?;
/// queued.close()?;
/// assert_eq!(memory.take_events().len(), 1);
/// assert!(queued.publish(&[event]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Queued {
    /// `None` once it is closed.
    sender: Mutex<Option<SyncSender<Unit>>>,
    writer: Mutex<Option<JoinHandle<()>>>,
    state: Arc<State>,
}

/// What is written together.
enum Unit {
    Events(Vec<KeptEvent>),
    Record(Box<AuditRecord>),
}

/// What the writer tells.
#[derive(Default)]
struct State {
    /// Why the sink does not take what is in the queue.
    failing: Mutex<Option<String>>,
    closing: AtomicBool,
    lost: AtomicUsize,
}

/// How long the writer waits before it tries again.
const PAUSE: Duration = Duration::from_millis(100);

impl Queued {
    /// A queue of at most `capacity` units before `sink`. A unit is the events of one rule at one
    /// occurrence, or a record.
    ///
    /// # Errors
    /// When no thread can be made.
    pub fn new(
        sink: impl EventSink + AuditSink + 'static,
        capacity: usize,
    ) -> Result<Self, EventError> {
        let (sender, receiver) = sync_channel(capacity.max(1));
        let state = Arc::<State>::default();
        let own = Arc::clone(&state);
        let writer = std::thread::Builder::new().name("oar-sink".to_owned());
        let writer = writer.spawn(move || own.write(&sink, &receiver));
        let writer =
            writer.map_err(|error| EventError::new(format!("no thread could be made: {error}")))?;
        let (sender, writer) = (Mutex::new(Some(sender)), Mutex::new(Some(writer)));
        Ok(Self { sender, writer, state })
    }

    /// Takes nothing more, and waits until everything is written.
    ///
    /// # Errors
    /// When something could not be written, which is lost then.
    pub fn close(&self) -> Result<(), EventError> {
        self.state.closing.store(true, Ordering::Release);
        drop(lock(&self.sender).take());
        // A second caller waits for the first.
        let mut writer = lock(&self.writer);
        if let Some(writer) = writer.take() {
            writer.thread().unpark();
            let _panics_are_caught = writer.join();
        }
        match self.state.lost.load(Ordering::Acquire) {
            0 => Ok(()),
            lost => {
                let reason = lock(&self.state.failing).clone().unwrap_or_default();
                Err(EventError::new(format!("lost, in the queue: {lost}; {reason}")))
            }
        }
    }

    fn put(&self, unit: Unit) -> Result<(), EventError> {
        if let Some(reason) = &*lock(&self.state.failing) {
            return Err(EventError::new(format!("the writer fails: {reason}")));
        }
        match &*lock(&self.sender) {
            None => Err(EventError::new("the queue is closed")),
            Some(sender) => sender.try_send(unit).map_err(|error| match error {
                TrySendError::Full(_) => EventError::new("the queue is full"),
                TrySendError::Disconnected(_) => EventError::new("the writer has ended"),
            }),
        }
    }
}

impl State {
    fn write<S: EventSink + AuditSink>(&self, sink: &S, receiver: &Receiver<Unit>) {
        for unit in receiver {
            while let Err(reason) = unit.write(sink) {
                *lock(&self.failing) = Some(reason);
                if self.closing.load(Ordering::Acquire) {
                    self.lost.fetch_add(1, Ordering::AcqRel);
                    break;
                }
                std::thread::park_timeout(PAUSE);
            }
            if self.lost.load(Ordering::Acquire) == 0 {
                *lock(&self.failing) = None;
            }
        }
    }
}

impl Unit {
    fn write<S: EventSink + AuditSink>(&self, sink: &S) -> Result<(), String> {
        let write = || match self {
            Self::Events(events) => {
                sink.publish(&events.iter().map(KeptEvent::as_event).collect::<Vec<_>>())
            }
            Self::Record(record) => sink.record(record),
        };
        guarded(write)?.map_err(|error| error.to_string())
    }
}

/// What a thread that panicked left is whole: each change is one assignment.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Queued {
    fn drop(&mut self) {
        // Who has to know calls `close` before.
        let _closed = self.close();
    }
}

impl fmt::Debug for Queued {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queued")
            .field("failing", &*lock(&self.state.failing))
            .finish_non_exhaustive()
    }
}

impl EventSink for Queued {
    fn publish(&self, events: &[Event<'_>]) -> Result<(), EventError> {
        self.put(Unit::Events(events.iter().map(KeptEvent::of).collect()))
    }
}

impl AuditSink for Queued {
    fn record(&self, record: &AuditRecord) -> Result<(), EventError> {
        self.put(Unit::Record(Box::new(record.clone())))
    }
}
