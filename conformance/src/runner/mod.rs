//! Puts the fixtures of a corpus to an engine and judges the answers.
//!
//! [`run`] gives the fixtures to as many workers as it is told, each with an engine of its own;
//! the verdicts come back in the order of the corpus whatever finished first. What an engine may
//! be is the business of [`Engine`]; [`external`] drives programs, [`crate::in_process`] our own.

mod answer;
mod claim;
pub mod external;
mod known;
mod outcome;
mod select;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::fixture::{Corpus, Entry};

pub use answer::{About, Answer, Engine, Engines, Phase};
pub use claim::{Claim, common_cause};
pub use known::{KnownFailures, render as render_known_failures};
pub use outcome::{Kind, Outcome, Verdict};
pub use select::Selection;

pub(crate) use outcome::seconds;

/// How to run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How many engines work at once; 0 is taken as 1.
    pub jobs: usize,
    /// Which fixtures to run.
    pub selection: Selection,
    /// Which fixtures are known to fail.
    pub known: Option<KnownFailures>,
}

/// A finished run.
#[derive(Debug)]
pub struct Run<'a> {
    /// What was run.
    pub corpus: &'a Corpus,
    /// What became of each selected fixture, in the order of the corpus.
    pub verdicts: Vec<Verdict>,
    /// What the engine is called.
    pub engine: String,
    /// What the engine told about itself.
    pub about: Option<About>,
    /// How long all of it took.
    pub took: Duration,
    /// Known failures that name no fixture of the corpus.
    pub unknown_failures: Vec<String>,
}

/// A run that was given up: the engine never answered anything.
#[derive(Debug)]
pub struct Unusable {
    /// Why, in one line.
    pub cause: String,
    /// What the engine logged.
    pub log: String,
}

/// An engine that has never answered is given up after so many time limits, since hundreds of
/// them would say no more and take hours.
const SILENCES: usize = 3;

/// The same for one that ends or says no proper answer, which takes less time.
const FAULTS: usize = 10;

/// Puts the selected fixtures of `corpus` to engines started by `engines`. `progress` is told how
/// many are done, and of how many.
///
/// # Errors
/// When the engine has never answered anything, and failed often enough to show that it will not.
pub fn run<'a>(
    corpus: &'a Corpus,
    engines: &dyn Engines,
    options: &Options,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Run<'a>, Unusable> {
    let start = Instant::now();
    let selected: Vec<usize> = (0..)
        .zip(&corpus.entries)
        .filter(|(_, entry)| options.selection.takes(entry))
        .map(|(index, _)| index)
        .collect();
    let selected = scatter(&selected);
    let shared = Shared {
        corpus,
        selected: &selected,
        progress,
        next: AtomicUsize::new(0),
        done: AtomicUsize::new(0),
        silences: AtomicUsize::new(0),
        faults: AtomicUsize::new(0),
        has_answered: AtomicBool::new(false),
        found: Mutex::new(Found::default()),
    };
    thread::scope(|scope| {
        for _ in 0..options.jobs.clamp(1, selected.len().max(1)) {
            scope.spawn(|| shared.work(engines));
        }
    });
    let is_unusable = shared.is_unusable() && shared.done.load(Ordering::Relaxed) < selected.len();
    let mut found = shared.found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.verdicts.sort_by_key(|verdict| verdict.entry);
    if is_unusable {
        let count = found.verdicts.len();
        let fault = found.verdicts.into_iter().find(|verdict| is_fault(verdict.outcome.kind()));
        let (cause, log) = fault
            .map(|verdict| (verdict.outcome.reason().unwrap_or_default(), verdict.log))
            .unwrap_or_default();
        let cause = format!(
            "given up after {count} fixtures without any answer from `{}`: {cause}",
            engines.name()
        );
        return Err(Unusable { cause, log });
    }
    let mut run = Run {
        corpus,
        verdicts: found.verdicts,
        engine: engines.name(),
        about: found.about,
        took: start.elapsed(),
        unknown_failures: Vec::new(),
    };
    if let Some(known) = &options.known {
        known.mark(&mut run);
    }
    Ok(run)
}

/// What the workers share.
struct Shared<'a> {
    corpus: &'a Corpus,
    selected: &'a [usize],
    progress: &'a (dyn Fn(usize, usize) + Sync),
    next: AtomicUsize,
    done: AtomicUsize,
    silences: AtomicUsize,
    faults: AtomicUsize,
    has_answered: AtomicBool,
    found: Mutex<Found>,
}

#[derive(Default)]
struct Found {
    verdicts: Vec<Verdict>,
    about: Option<About>,
}

impl Shared<'_> {
    fn work(&self, engines: &dyn Engines) {
        let mut engine = None;
        while !self.is_unusable() {
            let next = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(&index) = self.selected.get(next) else { break };
            let Some(entry) = self.corpus.entries.get(index) else { break };
            let verdict =
                judge(engine.get_or_insert_with(|| engines.start()).as_mut(), index, entry);
            let kind = verdict.outcome.kind();
            if is_fault(kind) {
                self.faults.fetch_add(1, Ordering::Relaxed);
                self.silences.fetch_add((kind == Kind::TimedOut).into(), Ordering::Relaxed);
            } else if kind != Kind::Invalid {
                self.has_answered.store(true, Ordering::Relaxed);
            }
            let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
            let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            found.verdicts.push(verdict);
            if found.about.is_none() {
                found.about = engine.as_ref().and_then(|engine| engine.about());
            }
            drop(found);
            (self.progress)(done, self.selected.len());
        }
    }

    fn is_unusable(&self) -> bool {
        !self.has_answered.load(Ordering::Relaxed)
            && (self.silences.load(Ordering::Relaxed) >= SILENCES
                || self.faults.load(Ordering::Relaxed) >= FAULTS)
    }
}

/// Whether the engine gave no answer at all.
fn is_fault(kind: Kind) -> bool {
    matches!(kind, Kind::Crashed | Kind::TimedOut | Kind::ProtocolError)
}

/// The same fixtures in an order that goes through all of the corpus from the start: what is alike
/// stands together in a corpus, and an engine that cannot do one thing should not be taken for
/// one that can do nothing. The order is always the same.
fn scatter(selected: &[usize]) -> Vec<usize> {
    let count = selected.len();
    let mut step = (count * 5 / 8).max(1);
    while !is_coprime(step, count) {
        step += 1;
    }
    (0..count).filter_map(|nth| selected.get((nth * step) % count).copied()).collect()
}

fn is_coprime(mut a: usize, mut b: usize) -> bool {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a == 1
}

/// Puts one fixture to `engine`; `index` is its place in the corpus. What is no fixture is not
/// asked.
pub fn judge(engine: &mut dyn Engine, index: usize, entry: &Entry) -> Verdict {
    let start = Instant::now();
    let answer = entry.fixture().map(|fixture| engine.run(&fixture.question));
    let took = start.elapsed();
    let outcome = Outcome::of(entry, answer.as_ref());
    let is_silent = matches!(outcome.kind(), Kind::Passed | Kind::Skipped | Kind::Invalid);
    let log = if is_silent { String::new() } else { engine.log() };
    let baseline = entry.fixture().is_some_and(|fixture| fixture.baseline);
    Verdict { entry: index, outcome, answer, took, log, known: false, baseline }
}

impl<'a> Run<'a> {
    /// The fixture, or what is none, that `verdict` is about.
    #[must_use]
    pub fn entry(&self, verdict: &Verdict) -> Option<&'a Entry> {
        self.corpus.entries.get(verdict.entry)
    }

    /// How many fixtures came to `kind`.
    #[must_use]
    pub fn count(&self, kind: Kind) -> usize {
        self.verdicts.iter().filter(|verdict| verdict.outcome.kind() == kind).count()
    }

    /// Whether every fixture came to what it was expected to, known failures taken into account.
    /// A run of nothing is no success.
    #[must_use]
    pub fn is_success(&self) -> bool {
        !self.verdicts.is_empty()
            && self.unknown_failures.is_empty()
            && !self.verdicts.iter().any(Verdict::is_unexpected)
    }

    /// What the engine is called in reports: what it says of itself, or else how it was started.
    #[must_use]
    pub fn engine_name(&self) -> String {
        self.about.as_ref().map_or_else(|| self.engine.clone(), ToString::to_string)
    }
}
