//! The chain of records: each carries a number, the hash of the one before it and its own.
//!
//! The hash is SHA-256, in hexadecimal, of the record as compact JSON with its members sorted and
//! without the member `hash`. So a record that is changed has another hash than it says, and one
//! that is taken out or moved leaves a gap in what the next one says. Who can write the whole
//! file can make a new chain: keep the last hash where they cannot write.

use std::fmt;

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// A chain while it is written or verified.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chain {
    /// The number and the hash of the last record.
    last: Option<(u64, String)>,
    /// What the first record must name.
    after: Option<String>,
    seen: u64,
}

/// What is wrong with a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    NoRecord,
    NotChained,
    Changed {
        sequence: u64,
    },
    Missing {
        from: u64,
        to: u64,
    },
    Moved {
        sequence: u64,
        after: u64,
    },
    Repeated {
        sequence: u64,
    },
    /// The numbers fit and the hashes do not: the one before was replaced.
    Replaced {
        sequence: u64,
    },
    Head {
        hash: String,
    },
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRecord => f.write_str("this is no JSON object"),
            Self::NotChained => f.write_str("this record has no place in a chain"),
            Self::Changed { sequence } => write!(f, "record {sequence} was changed"),
            Self::Missing { from, to } if from == to => {
                write!(f, "record {from} is missing before this one")
            }
            Self::Missing { from, to } => {
                write!(f, "records {from} to {to} are missing before this one")
            }
            Self::Moved { sequence, after } => {
                write!(f, "record {sequence} stands behind record {after}")
            }
            Self::Repeated { sequence } => write!(f, "record {sequence} stands here again"),
            Self::Replaced { sequence } => {
                write!(f, "the record before record {sequence} is another than it names")
            }
            Self::Head { hash } => {
                write!(f, "the last record has hash {hash}, which is not the one expected")
            }
        }
    }
}

/// The hash of a record that has none yet.
fn hash(members: &Map<String, Value>) -> String {
    let text = serde_json::to_string(members).unwrap_or_default();
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Chain {
    /// A chain that goes on from the record with this hash.
    pub(crate) fn after(hash: Option<String>) -> Self {
        Self { after: hash, ..Self::default() }
    }

    /// The number and the hash of the last record.
    pub(crate) fn last(&self) -> Option<(u64, &str)> {
        self.last.as_ref().map(|(sequence, hash)| (*sequence, hash.as_str()))
    }

    /// How many records there were.
    pub(crate) fn seen(&self) -> u64 {
        self.seen
    }

    /// Makes a record the next of the chain.
    pub(crate) fn link(&mut self, record: &mut Map<String, Value>) {
        let sequence = self.last.as_ref().map_or(1, |(sequence, _)| sequence + 1);
        let previous = self.last.as_ref().map(|(_, hash)| hash.clone()).or(self.after.take());
        record.remove("hash");
        record.insert("sequence".to_owned(), sequence.into());
        record.insert("previous".to_owned(), previous.unwrap_or_default().into());
        let own = hash(record);
        record.insert("hash".to_owned(), own.clone().into());
        self.last = Some((sequence, own));
        self.seen += 1;
    }

    /// Takes up a chain behind its last record, to go on with it.
    pub(crate) fn resume(line: &[u8]) -> Option<Self> {
        let record: Map<String, Value> = serde_json::from_slice(line).ok()?;
        let sequence = record.get("sequence")?.as_u64()?;
        let hash = record.get("hash")?.as_str()?.to_owned();
        Some(Self { last: Some((sequence, hash)), after: None, seen: 0 })
    }

    /// Verifies the next record; what is wrong with it.
    pub(crate) fn record(&mut self, line: &[u8]) -> Vec<Broken> {
        let Ok(mut record) = serde_json::from_slice::<Map<String, Value>>(line) else {
            return vec![Broken::NoRecord];
        };
        let text = |value: Option<Value>| match value {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let sequence = record.get("sequence").and_then(Value::as_u64);
        let (Some(sequence), Some(said)) = (sequence, text(record.remove("hash"))) else {
            return vec![Broken::NotChained];
        };
        self.seen += 1;
        let previous = text(record.get("previous").cloned()).unwrap_or_default();
        let mut broken = Vec::new();
        let changed = hash(&record) != said;
        if changed {
            broken.push(Broken::Changed { sequence });
        }
        let (last, expected) = match &self.last {
            Some((last, hash)) => (*last, Some(hash.as_str())),
            // A log that goes on from another one begins at any number.
            None if self.after.is_some() => (sequence.saturating_sub(1), self.after.as_deref()),
            None => (0, Some("")),
        };
        if sequence == last + 1 {
            if !changed && expected.is_some_and(|expected| expected != previous) {
                broken.push(Broken::Replaced { sequence });
            }
        } else if sequence == last {
            broken.push(Broken::Repeated { sequence });
        } else if sequence < last {
            broken.push(Broken::Moved { sequence, after: last });
            // The others are held against those that stand in their order.
            return broken;
        } else {
            broken.push(Broken::Missing { from: last + 1, to: sequence - 1 });
        }
        self.last = Some((sequence, said));
        broken
    }

    /// Verifies the end.
    pub(crate) fn end(&self, head: Option<&str>) -> Option<Broken> {
        let last = self.last.as_ref().map(|(_, hash)| hash.as_str()).unwrap_or_default();
        let other = head.is_some_and(|head| !head.eq_ignore_ascii_case(last));
        other.then(|| Broken::Head { hash: last.to_owned() })
    }
}
