//! The chain of records: each carries a number, the hash of the one before it and its own.
//!
//! A record is one line of JSON that begins with `sequence` and `previous` and ends with
//! `,"hash":"` 64 hexadecimal digits `"}`. The hash is the SHA-256 of the bytes before that end,
//! just as they were written: to verify one, nobody has to write JSON the way somebody else did.
//! So a record that is changed has another hash than it says, and one that is taken out or moved
//! leaves a gap in what the next one says. Who can write the whole log can make a new chain: keep
//! the last hash where they cannot write.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::observe::hexadecimal;

/// A chain while it is written or verified.
///
/// To go on with a log, [`resume`](Self::resume) behind its last line; to verify one, give every
/// line to [`verify`](Self::verify) and ask for the [`end`](Self::end).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chain {
    /// The number and the hash of the last record.
    last: Option<(u64, String)>,
    /// What the first record must name.
    after: Option<String>,
    seen: u64,
}

/// What is wrong with a record of a chain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Broken {
    /// The line is no record at all.
    #[error("this is no JSON object")]
    NoRecord,
    /// It has no number and no hashes.
    #[error("this record has no place in a chain")]
    NotChained,
    /// Its bytes are not those that were hashed.
    #[error("record {sequence} was changed")]
    Changed {
        /// The number of the record.
        sequence: u64,
    },
    /// Records were taken out before this one.
    #[error("{} missing before this one", span(*from, *to))]
    Missing {
        /// The first of them.
        from: u64,
        /// The last of them.
        to: u64,
    },
    /// It stands behind one that came later.
    #[error("record {sequence} stands behind record {after}")]
    Moved {
        /// The number of the record.
        sequence: u64,
        /// The number of the one before it.
        after: u64,
    },
    /// It has the number of the one before it.
    #[error("record {sequence} stands here again")]
    Repeated {
        /// The number of the record.
        sequence: u64,
    },
    /// The numbers fit and the hashes do not: the one before was replaced.
    #[error("the record before record {sequence} is another than it names")]
    Replaced {
        /// The number of the record.
        sequence: u64,
    },
    /// The log does not end with the record that it should end with.
    #[error("the last record has hash {hash}, which is not the one expected")]
    Head {
        /// The hash of the last record.
        hash: String,
    },
}

fn span(from: u64, to: u64) -> String {
    if from == to { format!("record {from} is") } else { format!("records {from} to {to} are") }
}

/// A record that cannot be written as a JSON object.
#[derive(Debug, thiserror::Error)]
#[error("the record is no JSON object")]
pub struct LinkError;

/// A record as it is linked; the hash follows when the rest is written.
#[derive(Serialize)]
struct Linked<'a, R> {
    sequence: u64,
    previous: &'a str,
    #[serde(flatten)]
    record: &'a R,
}

/// What a record says about its place.
#[derive(Deserialize)]
struct Place {
    sequence: u64,
    previous: String,
    hash: String,
}

fn hash(text: &[u8]) -> String {
    hexadecimal(&Sha256::digest(text))
}

/// The end of a record, behind what is hashed.
fn end(hash: &str) -> String {
    format!(",\"hash\":\"{hash}\"}}")
}

impl Chain {
    /// A chain without a record.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A chain whose first record must follow the one with this hash: a log that goes on from
    /// another one. It may begin with any number.
    #[must_use]
    pub fn after(hash: impl Into<String>) -> Self {
        Self { after: Some(hash.into()), ..Self::default() }
    }

    /// Takes up a chain behind its last line, to go on with it; `None` when that is no record of
    /// a chain.
    #[must_use]
    pub fn resume(line: &[u8]) -> Option<Self> {
        let place: Place = serde_json::from_slice(line).ok()?;
        Some(Self { last: Some((place.sequence, place.hash)), ..Self::default() })
    }

    /// The number and the hash of the last record.
    #[must_use]
    pub fn last(&self) -> Option<(u64, &str)> {
        self.last.as_ref().map(|(sequence, hash)| (*sequence, hash.as_str()))
    }

    /// How many records were linked or verified.
    #[must_use]
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// Makes a record the next of the chain: its line, without the line break. `record` is
    /// anything that is written as a JSON object, [`AuditRecord`](super::AuditRecord) or not;
    /// the names `sequence`, `previous` and `hash` are the chain's own.
    ///
    /// Should the line not get into the log, go on with the chain as it was before: link in a
    /// clone, and keep that when the line is written.
    ///
    /// # Errors
    /// When it is no JSON object.
    pub fn link<R: Serialize>(&mut self, record: &R) -> Result<String, LinkError> {
        let sequence = self.last.as_ref().map_or(1, |(sequence, _)| sequence.saturating_add(1));
        let previous = self.last.as_ref().map(|(_, hash)| hash).or(self.after.as_ref());
        let previous = previous.map(String::as_str).unwrap_or_default();
        let linked = Linked { sequence, previous, record };
        let mut line = serde_json::to_string(&linked).map_err(|_| LinkError)?;
        line.pop();
        let own = hash(line.as_bytes());
        line.push_str(&end(&own));
        self.last = Some((sequence, own));
        self.seen += 1;
        Ok(line)
    }

    /// Verifies the next line: everything that is wrong with it.
    pub fn verify(&mut self, line: &[u8]) -> Vec<Broken> {
        let line = line.trim_ascii();
        let place = match serde_json::from_slice::<Place>(line) {
            Ok(place) => place,
            Err(error) if line.starts_with(b"{") && error.is_data() => {
                return vec![Broken::NotChained];
            }
            Err(_) => return vec![Broken::NoRecord],
        };
        self.seen += 1;
        let Place { sequence, previous, hash: said } = place;
        let mut broken = Vec::new();
        let hashed = line.strip_suffix(end(&said).as_bytes());
        let changed = hashed.is_none_or(|text| hash(text) != said);
        if changed {
            broken.push(Broken::Changed { sequence });
        }
        let (last, expected) = match (&self.last, &self.after) {
            (Some((last, hash)), _) => (*last, hash.as_str()),
            (None, Some(after)) => (sequence.saturating_sub(1), after.as_str()),
            (None, None) => (0, ""),
        };
        let next = last.saturating_add(1);
        if sequence == next {
            if !changed && expected != previous {
                broken.push(Broken::Replaced { sequence });
            }
        } else if sequence == last {
            broken.push(Broken::Repeated { sequence });
        } else if sequence < last {
            broken.push(Broken::Moved { sequence, after: last });
            // The others are held against those that stand in their order.
            return broken;
        } else {
            broken.push(Broken::Missing { from: next, to: sequence - 1 });
        }
        self.last = Some((sequence, said));
        broken
    }

    /// Verifies the end: whether the last record is the one with the hash `head`. Without it
    /// nobody can tell whether the end is missing.
    #[must_use]
    pub fn end(&self, head: &str) -> Option<Broken> {
        let last = self.last().map(|(_, hash)| hash).unwrap_or_default();
        (!head.eq_ignore_ascii_case(last)).then(|| Broken::Head { hash: last.to_owned() })
    }
}
