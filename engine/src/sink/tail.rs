//! The end of a log that is gone on with.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};

/// How much is read at once, from the end.
const STEP: u64 = 1 << 16;

/// The end of a file, from the beginning of its last line; blank lines behind that count to it.
pub(super) struct Tail {
    /// Where the last line begins.
    pub(super) begins: u64,
    pub(super) text: Vec<u8>,
}

/// Reads as much of the end as the last line takes.
pub(super) fn tail(file: &mut File) -> io::Result<Tail> {
    let mut begins = file.metadata()?.len();
    let mut text = Vec::new();
    loop {
        let length = text.trim_ascii_end().len();
        let line_break = text.iter().take(length).rposition(|byte| *byte == b'\n');
        if let Some(at) = line_break {
            text.drain(..=at);
            begins += at as u64 + 1;
            return Ok(Tail { begins, text });
        }
        if begins == 0 {
            return Ok(Tail { begins, text });
        }
        let from = begins.saturating_sub(STEP);
        file.seek(SeekFrom::Start(from))?;
        let mut more = Vec::new();
        file.by_ref().take(begins - from).read_to_end(&mut more)?;
        more.append(&mut text);
        (begins, text) = (from, more);
    }
}
