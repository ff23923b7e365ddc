//! A log as text, whether it is compressed or not.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;

use crate::input;
use crate::output::Trouble;

/// A log that is open.
pub(crate) struct Log {
    pub(crate) text: Box<dyn BufRead>,
    /// The bytes of the file, where it is one.
    pub(crate) size: Option<u64>,
    /// How many of them were read.
    pub(crate) read: Arc<AtomicU64>,
}

/// How gzip begins.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Opens a log; `-` is standard input.
///
/// # Errors
/// When it cannot be opened.
pub(crate) fn open(path: &Path) -> Result<Log, Trouble> {
    let name = input::shown(path);
    let unreadable = |error: io::Error| Trouble::unreadable(&name, &error);
    let read = Arc::new(AtomicU64::new(0));
    let (file, size): (Box<dyn Read>, _) = match name.as_str() {
        "-" => (Box::new(io::stdin()), None),
        _ => {
            let file = File::open(path).map_err(unreadable)?;
            let about = file.metadata().map_err(unreadable)?;
            if about.is_dir() {
                return Err(unreadable(io::ErrorKind::IsADirectory.into()));
            }
            (Box::new(file), about.is_file().then_some(about.len()))
        }
    };
    let counted = Counted { file, read: Arc::clone(&read) };
    let mut plain = BufReader::with_capacity(1 << 16, counted);
    let gzip = plain.fill_buf().map_err(unreadable)?.starts_with(&GZIP);
    let text: Box<dyn BufRead> = match gzip {
        // A log that is appended to may be several of them.
        true => Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(plain))),
        false => Box::new(plain),
    };
    Ok(Log { text, size, read })
}

/// Counts what is read.
struct Counted {
    file: Box<dyn Read>,
    read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.file.read(buffer)?;
        self.read.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}
