//! The files that tests depend on, and waiting for one of them to change.
//!
//! Plain polling: it works on every file system, and a pack has few files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::output::Trouble;

const PAUSE: Duration = Duration::from_millis(300);

/// When each file was last written, and how long it is.
pub(super) type State = BTreeMap<PathBuf, (Option<SystemTime>, u64)>;

/// Every document below `paths`, in the order of their names.
///
/// # Errors
/// When a path does not exist or cannot be read.
pub(super) fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Trouble> {
    let mut files = Vec::new();
    let mut left: Vec<PathBuf> = paths.iter().rev().cloned().collect();
    while let Some(path) = left.pop() {
        let unreadable = |error| Trouble::unreadable(&crate::input::shown(&path), &error);
        if !path.is_dir() {
            fs::metadata(&path).map_err(unreadable)?;
            files.push(path);
            continue;
        }
        let entries = fs::read_dir(&path).map_err(unreadable)?;
        let mut inner = Vec::new();
        for entry in entries {
            let entry = entry.map_err(unreadable)?;
            let kind = entry.file_type().map_err(unreadable)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let document = [".yaml", ".yml", ".json"].iter().any(|suffix| name.ends_with(suffix));
            if !name.starts_with('.') && (kind.is_dir() || document) {
                inner.push(entry.path());
            }
        }
        inner.sort();
        left.extend(inner.into_iter().rev());
    }
    // Without `./`, which says nothing.
    let plain = |path: PathBuf| path.strip_prefix(".").map(Path::to_owned).unwrap_or(path);
    Ok(files.into_iter().map(plain).collect())
}

/// Whether a file holds cases.
pub(super) fn is_test(path: &Path) -> bool {
    path.file_name().is_some_and(|name| crate::input::is_test(&name.to_string_lossy()))
}

/// How the files are now; one that cannot be looked at is as if it were not there.
pub(super) fn state(paths: &[PathBuf]) -> State {
    let files = files(paths).unwrap_or_default();
    let look = |path: PathBuf| {
        let data = fs::metadata(&path).ok()?;
        Some((path, (data.modified().ok(), data.len())))
    };
    files.into_iter().filter_map(look).collect()
}

/// Waits until the files are no longer as they were.
pub(super) fn wait(paths: &[PathBuf], seen: &State) {
    while state(paths) == *seen {
        std::thread::sleep(PAUSE);
    }
}
