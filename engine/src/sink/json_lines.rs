//! Events and records as lines of JSON in a file, in one chain.

use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::AuditSink;
use super::tail::{Tail, tail};
use crate::audit::{AuditRecord, Chain, Clock, SystemClock, rfc3339};
use crate::state::{Event, EventError, EventSink};

/// When what was written is forced to the disk. A process that is killed loses nothing under any
/// of them; a power cut can lose what was not forced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fsync {
    /// When the operating system likes.
    Never,
    /// Before each event or record counts as taken.
    #[default]
    Each,
    /// With every so many lines, and at the end.
    Every(u32),
    /// With the first line after so long, and at the end. Nothing is forced while nothing is
    /// written.
    Interval(Duration),
}

/// How a [`JsonLines`] file is written.
#[derive(Clone)]
pub struct JsonLinesOptions {
    fsync: Fsync,
    rotation: Option<(u64, usize)>,
    shared: bool,
    clock: Arc<dyn Clock>,
}

impl fmt::Debug for JsonLinesOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonLinesOptions")
            .field("fsync", &self.fsync)
            .field("rotation", &self.rotation)
            .field("shared", &self.shared)
            .finish_non_exhaustive()
    }
}

impl Default for JsonLinesOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl JsonLinesOptions {
    /// Each line is forced to the disk, in one file that grows, which no other process writes.
    #[must_use]
    pub fn new() -> Self {
        let clock = Arc::new(SystemClock);
        Self { fsync: Fsync::Each, rotation: None, shared: false, clock }
    }

    /// When lines are forced to the disk.
    #[must_use]
    pub fn fsync(mut self, fsync: Fsync) -> Self {
        self.fsync = fsync;
        self
    }

    /// Begins a new file before one would hold more than `bytes`, and keeps `kept` old ones:
    /// `NAME.1` is the newest of them. A line that is longer has a file of its own. The chain goes
    /// on from file to file.
    #[must_use]
    pub fn rotate(mut self, bytes: u64, kept: usize) -> Self {
        self.rotation = Some((bytes, kept));
        self
    }

    /// Lets other processes write the same file: it is locked for each line and not for as long as
    /// it is open, and the chain is taken up behind what others have written. Such a file is not
    /// rotated.
    #[must_use]
    pub fn shared(mut self) -> Self {
        self.shared = true;
        self
    }

    /// What tells the time of events. Records bring theirs.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }
}

/// A file of JSON lines: events, audit records and whatever else a host has.
///
/// The lines are one [`Chain`], so that `oar log verify` finds what was changed; audit records can
/// be replayed with `oar replay`. What is written together gets into the file together, or not
/// at all. A last line that a power cut has torn is taken away when the file is opened again.
///
/// ```
/// use oar_engine::sink::{EventSink, Fsync, JsonLines, JsonLinesOptions};
/// use oar_engine::document::rule::Effect;
/// use oar_engine::state::Event;
/// use std::time::Duration;
///
/// let directory = tempfile::tempdir()?;
/// let path = directory.path().join("events.jsonl");
/// let options = JsonLinesOptions::new().rotate(64 << 20, 8).fsync(Fsync::Interval(Duration::from_secs(1)));
/// let sink = JsonLines::with(&path, options)?;
/// let event = Event { rule: "acme/R", anchor: "before_tool", effect: Effect::Warn, session: "s" };
/// sink.publish(&[event])?;
/// assert!(std::fs::read_to_string(&path)?.contains(r#""published":{"rule":"acme/R","#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct JsonLines {
    path: PathBuf,
    options: JsonLinesOptions,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    file: File,
    chain: Chain,
    /// The bytes of the file as far as this sink knows them.
    length: u64,
    /// Lines that were not forced to the disk yet.
    unforced: u32,
    forced: Instant,
    /// Why nothing can be written any more.
    broken: Option<String>,
}

/// An event as it is written. Its anchor lies deeper than that of an occurrence, for which it
/// must not be taken.
#[derive(Serialize)]
struct Line<'a> {
    time: String,
    session: &'a str,
    published: Event<'a>,
}

impl JsonLines {
    /// Opens a file, or makes it.
    ///
    /// # Errors
    /// When it cannot be opened, another process writes it, or its last line is in no chain.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, EventError> {
        Self::with(path, JsonLinesOptions::new())
    }

    /// The same with options.
    ///
    /// # Errors
    /// As [`open`](Self::open), and for a shared file that is to be rotated.
    pub fn with(path: impl AsRef<Path>, options: JsonLinesOptions) -> Result<Self, EventError> {
        let path = path.as_ref().to_owned();
        let name = path.display();
        if options.shared && options.rotation.is_some() {
            return Err(EventError::new(format!("`{name}` is shared, and cannot be rotated")));
        }
        let mut file = opened(&path).map_err(|error| told(&path, &error))?;
        if !options.shared {
            // Two that go on from the same line would make two chains.
            file.try_lock().map_err(|error| match error {
                TryLockError::WouldBlock => {
                    EventError::new(format!("`{name}`: another process writes it"))
                }
                TryLockError::Error(error) => told(&path, &error),
            })?;
        }
        let (chain, length) = match options.shared {
            // Others may be in the middle of a line; it is looked at with the lock in hand.
            true => (Chain::new(), 0),
            false => taken_up(&path, &mut file)?,
        };
        let inner =
            Inner { file, chain, length, unforced: 0, forced: Instant::now(), broken: None };
        Ok(Self { path, options, inner: Mutex::new(inner) })
    }

    /// Writes lines, all of them or none. They are written as JSON objects, without the members
    /// `sequence`, `previous` and `hash`, which the chain adds.
    ///
    /// # Errors
    /// When they cannot be written; nothing was changed then. Where even that cannot be made sure
    /// of, everything that follows is refused.
    pub fn append<R: Serialize>(&self, lines: &[R]) -> Result<(), EventError> {
        let mut inner = self.lock();
        if let Some(reason) = &inner.broken {
            return Err(EventError::new(reason.as_str()));
        }
        if !self.options.shared {
            return inner.append(self, lines);
        }
        inner.file.lock().map_err(|error| told(&self.path, &error))?;
        let written = inner.append_shared(self, lines);
        // The lock goes with the file at the latest.
        let _unlocked = inner.file.unlock();
        written
    }

    /// Forces what was written to the disk.
    ///
    /// # Errors
    /// When it cannot be.
    pub fn sync(&self) -> Result<(), EventError> {
        let mut inner = self.lock();
        inner.force().map_err(|error| told(&self.path, &error))
    }

    /// Whatever a thread that panicked left: the file is as long as `length` says, or broken.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for JsonLines {
    fn drop(&mut self) {
        let mut inner = self.lock();
        if self.options.fsync != Fsync::Never && inner.unforced > 0 {
            // Who has to know calls `sync` before.
            let _forced = inner.force();
        }
    }
}

impl Inner {
    /// Goes on behind what other processes have written.
    fn append_shared<R: Serialize>(
        &mut self,
        sink: &JsonLines,
        lines: &[R],
    ) -> Result<(), EventError> {
        let length = self.file.metadata().map_err(|error| told(&sink.path, &error))?.len();
        if length != self.length {
            (self.chain, self.length) = taken_up(&sink.path, &mut self.file)?;
        }
        self.append(sink, lines)
    }

    fn append<R: Serialize>(&mut self, sink: &JsonLines, lines: &[R]) -> Result<(), EventError> {
        let mut chain = self.chain.clone();
        let mut text = String::new();
        for line in lines {
            text += &chain.link(line).map_err(|error| EventError::new(error.to_string()))?;
            text.push('\n');
        }
        let more = text.len() as u64;
        if let Some((most, kept)) = sink.options.rotation
            && self.length > 0
            && self.length.saturating_add(more) > most
        {
            self.rotate(sink, kept).map_err(|error| told(&sink.path, &error))?;
        }
        let unforced = self.unforced.saturating_add(u32::try_from(lines.len()).unwrap_or(u32::MAX));
        let force = match sink.options.fsync {
            Fsync::Never => false,
            Fsync::Each => true,
            Fsync::Every(count) => unforced >= count,
            Fsync::Interval(interval) => self.forced.elapsed() >= interval,
        };
        let written = self.file.write_all(text.as_bytes());
        let written = written.and_then(|()| if force { self.force() } else { Ok(()) });
        if let Err(error) = written {
            // What is there of them must not stay: the rule that published them is errored.
            if let Err(worse) = self.file.set_len(self.length) {
                self.broken = Some(format!("`{}` is torn: {worse}", sink.path.display()));
            }
            return Err(told(&sink.path, &error));
        }
        self.unforced = if force { 0 } else { unforced };
        self.length += more;
        self.chain = chain;
        Ok(())
    }

    fn force(&mut self) -> io::Result<()> {
        self.file.sync_data()?;
        (self.unforced, self.forced) = (0, Instant::now());
        Ok(())
    }

    /// Puts the file away as the newest of the old ones, and begins another.
    fn rotate(&mut self, sink: &JsonLines, kept: usize) -> io::Result<()> {
        if sink.options.fsync != Fsync::Never {
            self.force()?;
        }
        let old = |number: usize| {
            let mut name = sink.path.as_os_str().to_owned();
            name.push(format!(".{number}"));
            PathBuf::from(name)
        };
        let absent_is_fine = |done: io::Result<()>| match done {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
        if kept == 0 {
            std::fs::remove_file(&sink.path)?;
        } else {
            for number in (1..kept).rev() {
                absent_is_fine(std::fs::rename(old(number), old(number + 1)))?;
            }
            std::fs::rename(&sink.path, old(1))?;
        }
        let begin = || {
            let file = opened(&sink.path)?;
            file.try_lock().map_err(io::Error::from)?;
            Ok(file)
        };
        match begin() {
            Ok(file) => {
                (self.file, self.length) = (file, 0);
                Ok(())
            }
            Err(error) => {
                self.broken = Some(format!("`{}` is put away: {error}", sink.path.display()));
                Err(error)
            }
        }
    }
}

fn opened(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).read(true).open(path)
}

fn told(path: &Path, error: &io::Error) -> EventError {
    EventError::new(format!("`{}`: {error}", path.display()))
}

/// How a line of a chain begins. Whatever else a file ends with is not ours to cut off.
const BEGIN: &[u8] = br#"{"sequence":"#;

/// The chain of a file, and its length. A last line without an end was never taken by anyone: it is
/// cut off, or ended where it is whole.
fn taken_up(path: &Path, file: &mut File) -> Result<(Chain, u64), EventError> {
    let failed = |error: io::Error| told(path, &error);
    let Tail { begins, text } = tail(file).map_err(failed)?;
    let line = text.trim_ascii_end();
    let ended = text.ends_with(b"\n");
    let chain = Chain::resume(line);
    match (line.is_empty(), chain) {
        (true, _) if begins == 0 => Ok((Chain::new(), text.len() as u64)),
        (_, Some(chain)) => {
            let mut length = begins + text.len() as u64;
            if !ended {
                file.write_all(b"\n").map_err(failed)?;
                length += 1;
            }
            Ok((chain, length))
        }
        (_, None) if !ended && line.starts_with(BEGIN) => {
            file.set_len(begins).map_err(failed)?;
            // What is before it is a whole line, or nothing.
            taken_up(path, file)
        }
        (_, None) => {
            let reason = "the last line is in no chain to go on with";
            Err(EventError::new(format!("`{}`: {reason}", path.display())))
        }
    }
}

impl EventSink for JsonLines {
    fn publish(&self, events: &[Event<'_>]) -> Result<(), EventError> {
        let time = rfc3339(self.options.clock.now());
        let lines = events.iter();
        let lines = lines.map(|event| Line {
            time: time.clone(),
            session: event.session,
            published: *event,
        });
        self.append(&lines.collect::<Vec<_>>())
    }
}

impl AuditSink for JsonLines {
    fn record(&self, record: &AuditRecord) -> Result<(), EventError> {
        self.append(&[record])
    }
}
