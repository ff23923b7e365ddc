//! Writes records: what was observed and decided, by which rules, in one chain.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use oar_engine::Outcome;
use serde_json::{Map, Value};

use super::chain::Chain;
use crate::input;
use crate::moment::Moment;
use crate::output::Trouble;
use crate::replay::time;

/// A log that is appended to.
pub(crate) struct Recorder {
    file: File,
    name: String,
    rule_set: String,
    chain: Chain,
}

/// The longest record whose chain is gone on with.
const LONGEST: u64 = 16 << 20;

impl Recorder {
    /// Opens a log, or begins one. `rule_set` is the digest of what decides.
    ///
    /// # Errors
    /// When it cannot be opened, another process writes it, or its last record is in no chain.
    pub(crate) fn open(path: &Path, rule_set: String) -> Result<Self, Trouble> {
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
        Ok(Self { file, name, rule_set, chain })
    }

    /// Appends a record.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn record(&mut self, moment: &Moment, outcome: &Outcome<'_>) -> Result<(), Trouble> {
        let mut record = match &moment.written {
            Value::Object(members) => members.clone(),
            _ => Map::new(),
        };
        let mut add = |name: &str, value: Value| drop(record.insert(name.to_owned(), value));
        add("time", time::now().into());
        add("rule_set", self.rule_set.clone().into());
        add("decision", outcome.decision().name().into());
        add("rule", outcome.rule().into());
        let applied: Vec<String> = outcome.trace().map(|entry| entry.to_string()).collect();
        add("applied", applied.into());
        self.chain.link(&mut record);
        let line = format!("{}\n", Value::Object(record));
        self.file
            .write_all(line.as_bytes())
            .map_err(|error| Trouble::Io(format!("cannot write the log `{}`: {error}", self.name)))
    }
}
