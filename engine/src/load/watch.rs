//! Reloads documents when their files change (feature `watch`).
//!
//! It polls: that needs no further crate, sees changes on every file system, network mounts
//! included, and follows a symbolic link that is swapped for another, which is how containers
//! publish configuration. A round costs a `stat` for each file.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};
use std::{fs, io, thread};

use super::handle::RuleSetHandle;
use super::loader::Loader;
use super::source::Source;
use crate::diagnostic::Diagnostic;

/// Where a host keeps its documents: each path is a file, or a directory whose `.json`, `.yaml`
/// and `.yml` files count, those of directories below it included, in the order of their paths.
/// Names that begin with a dot are passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    capability: PathBuf,
    rules: Vec<PathBuf>,
    configs: Vec<PathBuf>,
}

impl Places {
    /// The capability document is this file.
    #[must_use]
    pub fn new(capability: impl Into<PathBuf>) -> Self {
        Self { capability: capability.into(), rules: Vec::new(), configs: Vec::new() }
    }

    /// The same, with a pack of rules.
    #[must_use]
    pub fn rules(mut self, path: impl Into<PathBuf>) -> Self {
        self.rules.push(path.into());
        self
    }

    /// The same, with configurations; later ones win ([OAR-CFG-7]).
    #[must_use]
    pub fn configs(mut self, path: impl Into<PathBuf>) -> Self {
        self.configs.push(path.into());
        self
    }

    /// Reads everything.
    ///
    /// # Errors
    /// A diagnostic for each file or directory that cannot be read, under the code `io`.
    pub fn loader(&self) -> Result<Loader, Vec<Diagnostic>> {
        let mut faults = Vec::new();
        let mut read = |path: &Path| match fs::read(path) {
            Ok(bytes) => Some(Source::bytes(&path.to_string_lossy(), &bytes)),
            Err(error) => {
                faults.push(unreadable(path, &error));
                None
            }
        };
        let capability = read(&self.capability);
        let mut lists = [Vec::new(), Vec::new()];
        let mut missing = Vec::new();
        for (roots, list) in [&self.rules, &self.configs].into_iter().zip(&mut lists) {
            for root in roots {
                match files(root) {
                    Ok(files) => list.extend(files.iter().filter_map(|file| read(file))),
                    Err((path, error)) => missing.push(unreadable(&path, &error)),
                }
            }
        }
        faults.extend(missing);
        match capability {
            Some(capability) if faults.is_empty() => {
                let [rules, configs] = lists;
                let loader = rules.into_iter().fold(Loader::new(capability), Loader::rules);
                Ok(configs.into_iter().fold(loader, Loader::config))
            }
            _ => Err(faults),
        }
    }

    /// What tells one state of the files from another: where each name leads, and its size and
    /// time. What cannot be looked at is part of it too.
    fn state(&self) -> Vec<(PathBuf, Option<Seen>)> {
        let mut state = Vec::new();
        let roots = [&self.capability].into_iter().chain(&self.rules).chain(&self.configs);
        for root in roots {
            match files(root) {
                Ok(files) => state.extend(files.into_iter().map(|file| {
                    let seen = see(&file).ok();
                    (file, seen)
                })),
                Err((path, _)) => state.push((path, None)),
            }
        }
        state
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    /// The file behind every link on the way.
    target: PathBuf,
    bytes: u64,
    changed: Option<SystemTime>,
}

fn see(file: &Path) -> io::Result<Seen> {
    let data = fs::metadata(file)?;
    Ok(Seen { target: fs::canonicalize(file)?, bytes: data.len(), changed: data.modified().ok() })
}

fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
    let kind = match error.kind() {
        io::ErrorKind::NotFound => "it is not there".to_owned(),
        io::ErrorKind::PermissionDenied => "it may not be read".to_owned(),
        _ => error.to_string(),
    };
    Diagnostic::error("io", format!("`{}` cannot be read: {kind}", path.display()))
}

/// How many directories may lie inside one another: links can make circles.
const DEPTH: usize = 32;

/// The files of a place, sorted; a file stands for itself, whatever its name.
fn files(root: &Path) -> Result<Vec<PathBuf>, (PathBuf, io::Error)> {
    let at = |path: &Path, error| (path.to_owned(), error);
    if !fs::metadata(root).map_err(|error| at(root, error))?.is_dir() {
        return Ok(vec![root.to_owned()]);
    }
    let (mut files, mut left) = (Vec::new(), vec![(root.to_owned(), 0)]);
    while let Some((directory, depth)) = left.pop() {
        if depth > DEPTH {
            let error = io::Error::other(format!("more than {DEPTH} directories deep"));
            return Err((directory, error));
        }
        for entry in fs::read_dir(&directory).map_err(|error| at(&directory, error))? {
            let path = entry.map_err(|error| at(&directory, error))?.path();
            let hidden = |name: &OsStr| name.to_string_lossy().starts_with('.');
            if path.file_name().is_none_or(hidden) {
                continue;
            }
            let extension = path.extension().map(OsStr::to_ascii_lowercase);
            let document =
                extension.is_some_and(|own| own == "json" || own == "yaml" || own == "yml");
            // A link that leads nowhere is a document that cannot be read, if it is named so.
            if fs::metadata(&path).is_ok_and(|data| data.is_dir()) {
                left.push((path, depth + 1));
            } else if document {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Watches the places of a host's documents, and reloads its handle when they change.
///
/// A change is taken up when the files have been still for a while, so that a pack is not read
/// while it is being copied. What then cannot be read or does not load leaves the old set in
/// force, and [`RuleSetHandle::status`] says so. Dropping the watcher ends it.
///
/// ```no_run
/// use oar_engine::load::{Places, RuleSetHandle, Watcher};
/// use std::{sync::Arc, time::Duration};
///
/// let places = Places::new("/etc/acme/capability.yaml").rules("/etc/acme/rules");
/// let loader = places.loader().map_err(|faults| faults[0].to_string())?;
/// let handle = Arc::new(RuleSetHandle::load(&loader)?);
/// let watcher = Watcher::start(Arc::clone(&handle), places, Duration::from_secs(2))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Watcher {
    /// Dropped to end the thread.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
    rounds: Arc<Mutex<u64>>,
}

impl Watcher {
    /// Begins to watch, looking every `interval`. A change is taken up in the first round that
    /// sees the same files as the round before, so an interval or two after it.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn start(
        handle: Arc<RuleSetHandle>,
        places: Places,
        interval: Duration,
    ) -> io::Result<Self> {
        let (stop, stopped) = channel::<()>();
        let rounds = Arc::new(Mutex::new(0));
        let counted = Arc::clone(&rounds);
        let thread = thread::Builder::new().name("oar-watch".to_owned()).spawn(move || {
            // The first round loads once: the files may have changed since the handle was made.
            let (mut loaded, mut before) = (None, places.state());
            while stopped.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                let state = places.state();
                if state == before && loaded.as_ref() != Some(&state) {
                    reload(&handle, &places);
                    loaded = Some(state.clone());
                }
                before = state;
                *counted.lock().unwrap_or_else(PoisonError::into_inner) += 1;
            }
        })?;
        Ok(Self { stop: Some(stop), thread: Some(thread), rounds })
    }

    /// How often it has looked: a watcher that no longer does is no longer alive.
    #[must_use]
    pub fn rounds(&self) -> u64 {
        *self.rounds.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn reload(handle: &RuleSetHandle, places: &Places) {
    match places.loader() {
        // The handle keeps what is wrong with documents that do not load.
        Ok(loader) => drop(handle.reload(&loader)),
        Err(faults) => handle.refuse(String::new(), &faults),
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A watcher that panicked has said so on its own thread.
            drop(thread.join());
        }
    }
}
