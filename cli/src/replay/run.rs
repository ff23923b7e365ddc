//! Reading the log and deciding it: one thread reads, several decide, each its own sessions.
//!
//! A session belongs to one thread, so that its occurrences are decided in the order of the log.
//! Lines go over in batches through bounded channels: what is kept is the open sessions and a few
//! thousand lines, however long the log is.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::io::BufRead;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use oar_engine::state::MemoryCounters;
use oar_engine::{Host, RuleSet, Session};

use super::progress::Progress;
use super::record::{Line, Record, look};
use super::tally::{Counts, Tally, Verdict, verdict};
use crate::output::Trouble;

/// A rule set to decide with, and its digest.
pub(super) struct Set {
    pub(super) rules: RuleSet,
    pub(super) digest: String,
}

/// A line that could not be replayed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fault {
    pub(super) line: u64,
    pub(super) message: String,
}

/// What came of a log.
#[derive(Debug, Default)]
pub(super) struct Replayed {
    pub(super) counts: Counts,
    pub(super) lines: u64,
    /// Lines of a record that are at no moment.
    pub(super) others: u64,
    pub(super) faulty: u64,
    /// The first few.
    pub(super) faults: Vec<Fault>,
}

/// How many bytes of lines go over at once, at least one line.
const BATCH: usize = 64 << 10;
/// How many batches wait for a thread.
const WAITING: usize = 8;
/// How many faults are told one by one.
const FAULTS: usize = 5;

/// Lines that go over together.
#[derive(Default)]
struct Batch {
    text: Vec<u8>,
    lines: Vec<Sent>,
}

/// A line of a batch.
struct Sent {
    line: u64,
    /// Where it ends in the text of the batch.
    end: usize,
    what: What,
}

/// What a line is to whoever decides it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Occurrence,
    /// One that says what the reserved detector reports.
    Reporting,
    /// The name of a session that has ended.
    End,
}

impl Batch {
    fn push(&mut self, line: u64, text: &[u8], what: What) {
        self.text.extend_from_slice(text);
        self.lines.push(Sent { line, end: self.text.len(), what });
    }
}

/// Replays a log.
///
/// # Errors
/// When it cannot be read to its end.
pub(super) fn replay(
    sets: (&Set, Option<&Set>),
    log: &mut dyn BufRead,
    keep: usize,
    threads: usize,
    progress: &mut Progress,
) -> Result<Replayed, Trouble> {
    let mut replayed = Replayed::default();
    let result = thread::scope(|scope| {
        let (mut senders, mut workers) = (Vec::new(), Vec::new());
        for _ in 0..threads.max(1) {
            let (sender, receiver) = sync_channel(WAITING);
            senders.push((sender, Batch::default()));
            workers.push(scope.spawn(move || Worker::new(sets, keep).run(&receiver)));
        }
        let read = distribute(log, &mut senders, &mut replayed, progress);
        drop(senders);
        for worker in workers {
            match worker.join() {
                Ok((counts, faults)) => {
                    replayed.counts.keep = keep;
                    replayed.counts.add(counts);
                    replayed.faulty += faults.0;
                    replayed.faults.extend(faults.1);
                }
                Err(_) => return Err(Trouble::Io("a thread of the replay broke off".to_owned())),
            }
        }
        read
    });
    replayed.faults.sort();
    replayed.faults.truncate(FAULTS);
    result.map(|()| replayed)
}

type Sender = (SyncSender<Batch>, Batch);

fn distribute(
    log: &mut dyn BufRead,
    senders: &mut [Sender],
    replayed: &mut Replayed,
    progress: &mut Progress,
) -> Result<(), Trouble> {
    let hash = RandomState::new();
    let mut text = Vec::new();
    loop {
        text.clear();
        let length = log.read_until(b'\n', &mut text).map_err(|error| {
            Trouble::Io(format!("cannot read the log behind line {}: {error}", replayed.lines))
        })?;
        if length == 0 {
            break;
        }
        replayed.lines += 1;
        if text.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let (session, what) = match look(&text) {
            Line::Occurrence(session, false) => (session, What::Occurrence),
            Line::Occurrence(session, true) => (session, What::Reporting),
            Line::End(session) => (session, What::End),
            Line::Other => {
                replayed.others += 1;
                continue;
            }
            Line::Faulty(message) => {
                replayed.faulty += 1;
                if replayed.faults.len() < FAULTS {
                    replayed.faults.push(Fault { line: replayed.lines, message });
                }
                continue;
            }
        };
        let many = u64::try_from(senders.len()).unwrap_or(1);
        let at = usize::try_from(hash.hash_one(&*session) % many).unwrap_or_default();
        if let Some((sender, batch)) = senders.get_mut(at) {
            let own = if what == What::End { session.as_bytes() } else { &text };
            batch.push(replayed.lines, own, what);
            if batch.text.len() >= BATCH {
                // A thread that broke off is told of when it is joined.
                drop(sender.send(std::mem::take(batch)));
            }
        }
        progress.line(replayed.lines);
    }
    for (sender, batch) in senders {
        drop(sender.send(std::mem::take(batch)));
    }
    progress.done();
    Ok(())
}

/// A rule set with the sessions of one thread.
struct Seat<'s> {
    set: &'s Set,
    host: Host,
    counters: Arc<MemoryCounters>,
    sessions: HashMap<String, Session>,
}

impl<'s> Seat<'s> {
    fn new(set: &'s Set) -> Self {
        let counters = Arc::new(MemoryCounters::new());
        let host = Host::new().counters(Arc::clone(&counters));
        Self { set, host, counters, sessions: HashMap::new() }
    }

    fn end(&mut self, session: &str) -> bool {
        self.counters.forget(session);
        self.sessions.remove(session).is_some()
    }

    /// Decides a record; `seen` is shown the outcome.
    fn decide<T>(
        &mut self,
        record: &Record,
        seen: impl FnOnce(&oar_engine::Outcome<'_>, u64) -> T,
    ) -> Result<T, String> {
        let own = &record.own;
        let (occurrence, unknown) =
            own.occurrence(&self.set.rules).map_err(|error| error.to_string())?;
        if !self.sessions.contains_key(&own.session) {
            self.sessions.insert(own.session.clone(), Session::new(&*own.session));
        }
        let Some(session) = self.sessions.get_mut(&own.session) else {
            return Err("the session is gone".to_owned());
        };
        let answering = record.host(&self.host, &self.set.rules);
        let outcome = answering.as_ref().unwrap_or(&self.host).decide(session, &occurrence);
        Ok(seen(&outcome, unknown))
    }
}

struct Worker<'s> {
    main: Seat<'s>,
    other: Option<Seat<'s>>,
    counts: Counts,
    faulty: u64,
    faults: Vec<Fault>,
}

impl<'s> Worker<'s> {
    fn new((main, other): (&'s Set, Option<&'s Set>), keep: usize) -> Self {
        let counts = Counts {
            keep,
            main: Tally::of(&main.rules),
            other: other.map(|other| Tally::of(&other.rules)),
            ..Counts::default()
        };
        let (main, other) = (Seat::new(main), other.map(Seat::new));
        Self { main, other, counts, faulty: 0, faults: Vec::new() }
    }

    fn run(mut self, receiver: &Receiver<Batch>) -> (Counts, (u64, Vec<Fault>)) {
        for batch in receiver {
            let mut start = 0;
            for sent in &batch.lines {
                let text = batch.text.get(start..sent.end).unwrap_or_default();
                start = sent.end;
                match sent.what {
                    What::End => self.end(&String::from_utf8_lossy(text)),
                    what => self.line(sent.line, text, what == What::Reporting),
                }
            }
        }
        (self.counts, (self.faulty, self.faults))
    }

    fn end(&mut self, session: &str) {
        self.counts.ended += u64::from(self.main.end(session));
        if let Some(other) = &mut self.other {
            other.end(session);
        }
    }

    fn line(&mut self, line: u64, text: &[u8], reports: bool) {
        let read = Record::read(line, text, reports);
        let decided = read.and_then(|record| self.decide(&record));
        if let Err(message) = decided {
            self.faulty += 1;
            if self.faults.len() < FAULTS {
                self.faults.push(Fault { line, message });
            }
        }
    }

    fn decide(&mut self, record: &Record) -> Result<(), String> {
        let Self { main, other, counts, .. } = self;
        let verdict: Option<Verdict> = match other {
            None => None,
            Some(other) => Some(other.decide(record, |outcome, unknown| {
                if let Some(tally) = &mut counts.other {
                    tally.count(outcome);
                    tally.unknown_facts += unknown;
                }
                verdict(outcome)
            })?),
        };
        let own = &record.own;
        let new = !main.sessions.contains_key(&own.session);
        if main.set.rules.anchor(&own.anchor).is_err() {
            *counts.elsewhere.entry(own.anchor.clone()).or_default() += 1;
        }
        counts.redacted += u64::from(own.is_redacted());
        let digest = &main.set.digest;
        main.decide(record, |outcome, unknown| {
            counts.main.unknown_facts += unknown;
            counts.occurrence(record, outcome, verdict, digest);
        })?;
        counts.sessions += u64::from(new);
        Ok(())
    }
}
