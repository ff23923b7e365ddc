//! Writes records: what was observed and decided, by which rules, in one chain.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::time::SystemTime;

use oar_engine::Outcome;
use oar_engine::audit::{AuditRecord, Chain, Redaction};

use crate::input;
use crate::moment::Moment;
use crate::output::Trouble;

/// A log that is appended to.
pub(crate) struct Recorder {
    file: File,
    name: String,
    chain: Chain,
}

/// The longest record whose chain is gone on with.
const LONGEST: u64 = 16 << 20;

impl Recorder {
    /// Opens a log, or begins one.
    ///
    /// # Errors
    /// When it cannot be opened, another process writes it, or its last record is in no chain.
    pub(crate) fn open(path: &Path) -> Result<Self, Trouble> {
        let name = input::shown(path);
        let trouble =
            |error: std::io::Error| Trouble::Io(format!("cannot write the log `{name}`: {error}"));
        let mut file =
            OpenOptions::new().create(true).append(true).read(true).open(path).map_err(trouble)?;
        // Two that go on from the same record would make two chains.
        file.try_lock().map_err(|_| {
            Trouble::Io(format!("cannot write the log `{name}`: another process writes it"))
        })?;
        let size = file.metadata().map_err(trouble)?.len();
        let from = size.saturating_sub(LONGEST);
        file.seek(SeekFrom::Start(from)).map_err(trouble)?;
        let mut tail = Vec::new();
        file.read_to_end(&mut tail).map_err(trouble)?;
        let end = tail.trim_ascii_end();
        let last = end.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        let chain = match (last.is_empty(), Chain::resume(last)) {
            (true, _) => Chain::default(),
            (false, Some(chain)) => chain,
            (false, None) => {
                let message = format!("the last record of `{name}` is in no chain to go on with");
                return Err(Trouble::Io(message));
            }
        };
        Ok(Self { file, name, chain })
    }

    /// Appends a record.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn record(&mut self, moment: &Moment, outcome: &Outcome<'_>) -> Result<(), Trouble> {
        let now = SystemTime::now();
        let mut record = AuditRecord::new(outcome, moment.session(), now, &Redaction::none());
        moment.add_reported(&mut record);
        let failed =
            |reason: String| Trouble::Io(format!("cannot write the log `{}`: {reason}", self.name));
        let line = self.chain.link(&record).map_err(|error| failed(error.to_string()))?;
        let written = self.file.write_all(format!("{line}\n").as_bytes());
        written.map_err(|error| failed(error.to_string()))
    }
}
