//! Counters and activity in memory: the default store, gone with the process.
//!
//! Sessions are spread over shards, and each has a lock of its own: a slow event sink holds up
//! the session whose rule publishes and no other.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::activity::ActivityStore;
use super::counters::{CounterChange, CounterKey, CounterStore, Counters, StoreError};
use super::events::EventError;
use crate::document::rule::Action;

/// As many as keep a few dozen threads apart most of the time.
const SHARDS: usize = 64;

/// Keeps the counters and the activity of all sessions in memory.
///
/// ```
/// use oar_engine::state::{CounterStore, CounterKey, Counters, MemoryStore};
/// use oar_engine::document::rule::Action;
///
/// let store = MemoryStore::new();
/// let key = CounterKey { rule: "acme/R", scope: None };
/// store.apply("s1", key, &[Action::IncrementCounter], &mut || Ok(()))?;
/// let mut values = [Counters::default()];
/// store.read("s1", &[key], &mut values)?;
/// assert_eq!(values[0].fire_count, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MemoryStore {
    shards: Box<[Mutex<Shard>]>,
    hasher: foldhash::fast::RandomState,
    counters_max: usize,
}

/// Nothing of what is held: scopes and steps are observations.
impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore")
            .field("counters_max", &self.counters_max)
            .finish_non_exhaustive()
    }
}

/// The former name of [`MemoryStore`].
pub type MemoryCounters = MemoryStore;

type Shard = HashMap<Box<str>, Arc<Mutex<Held>>>;

/// What is held of one session.
struct Held {
    rules: HashMap<Box<str>, OfRule>,
    /// How many counters `rules` holds.
    counters: usize,
    steps: VecDeque<Box<str>>,
    touched: Instant,
}

#[derive(Default)]
struct OfRule {
    unscoped: Option<Counters>,
    scoped: HashMap<Box<str>, Counters>,
}

impl Held {
    fn get(&self, key: CounterKey<'_>) -> Option<Counters> {
        let rule = self.rules.get(key.rule)?;
        match key.scope {
            None => rule.unscoped,
            Some(scope) => rule.scoped.get(scope).copied(),
        }
    }

    fn set(&mut self, key: CounterKey<'_>, value: Counters) {
        let rule = match self.rules.get_mut(key.rule) {
            Some(rule) => rule,
            None => self.rules.entry(key.rule.into()).or_default(),
        };
        let before = match key.scope {
            None => rule.unscoped.replace(value),
            Some(scope) => match rule.scoped.get_mut(scope) {
                Some(own) => Some(std::mem::replace(own, value)),
                None => rule.scoped.insert(scope.into(), value),
            },
        };
        self.counters += usize::from(before.is_none());
    }
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            hasher: foldhash::fast::RandomState::default(),
            counters_max: usize::MAX,
        }
    }

    /// The same, refusing to hold more counters of one session: a rule whose counter is one too
    /// many is errored ([OAR-FIRE-9]). Scope values may come from a model, which would fill the
    /// memory otherwise.
    #[must_use]
    pub fn counters_per_session(mut self, max: usize) -> Self {
        self.counters_max = max;
        self
    }

    /// Forgets a session that has ended.
    pub fn forget(&self, session: &str) {
        lock(self.shard(session)).remove(session);
    }

    /// Forgets the sessions that nobody has used for `idle`, and says how many they were.
    pub fn expire(&self, idle: Duration) -> usize {
        let mut forgotten = 0;
        for shard in &self.shards {
            lock(shard).retain(|_, held| {
                // One that is being used has a second owner.
                let keep = Arc::strong_count(held) > 1 || lock(held).touched.elapsed() < idle;
                forgotten += usize::from(!keep);
                keep
            });
        }
        forgotten
    }

    fn shard(&self, session: &str) -> &Mutex<Shard> {
        let hash = self.hasher.hash_one(session);
        let position = usize::try_from(hash % SHARDS as u64).unwrap_or_default();
        #[expect(clippy::indexing_slicing, reason = "a remainder of the number of shards")]
        &self.shards[position]
    }

    fn find(&self, session: &str) -> Option<Arc<Mutex<Held>>> {
        lock(self.shard(session)).get(session).map(Arc::clone)
    }

    fn find_or_begin(&self, session: &str) -> Arc<Mutex<Held>> {
        let mut shard = lock(self.shard(session));
        if let Some(held) = shard.get(session) {
            return Arc::clone(held);
        }
        let held = Held {
            rules: HashMap::new(),
            counters: 0,
            steps: VecDeque::new(),
            touched: Instant::now(),
        };
        Arc::clone(shard.entry(session.into()).or_insert(Arc::new(Mutex::new(held))))
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

/// A writer that panicked left whole values behind: each is replaced at once.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl CounterStore for MemoryStore {
    fn read(
        &self,
        session: &str,
        keys: &[CounterKey<'_>],
        values: &mut [Counters],
    ) -> Result<(), StoreError> {
        let Some(held) = self.find(session) else {
            values.fill(Counters::default());
            return Ok(());
        };
        let mut held = lock(&held);
        held.touched = Instant::now();
        for (key, value) in keys.iter().zip(values) {
            *value = held.get(*key).unwrap_or_default();
        }
        Ok(())
    }

    fn apply(
        &self,
        session: &str,
        key: CounterKey<'_>,
        actions: &[Action],
        publish: &mut dyn FnMut() -> Result<(), EventError>,
    ) -> Result<CounterChange, StoreError> {
        let held = self.find_or_begin(session);
        let mut held = lock(&held);
        let own = held.get(key);
        let before = own.unwrap_or_default();
        let after = before.after_all(actions)?;
        if own.is_none() && before != after && held.counters >= self.counters_max {
            let max = self.counters_max;
            return Err(StoreError::new(format!("the session has {max} counters already")));
        }
        publish()?;
        held.touched = Instant::now();
        if before != after {
            held.set(key, after);
        }
        Ok(CounterChange { before, after })
    }
}

impl ActivityStore for MemoryStore {
    fn recent(&self, session: &str, window: usize) -> Result<Vec<String>, StoreError> {
        let Some(held) = self.find(session) else { return Ok(Vec::new()) };
        let mut held = lock(&held);
        held.touched = Instant::now();
        let skipped = held.steps.len().saturating_sub(window);
        Ok(held.steps.iter().skip(skipped).map(|step| step.clone().into_string()).collect())
    }

    fn admit(&self, session: &str, tool: &str, window: usize) -> Result<(), StoreError> {
        let held = self.find_or_begin(session);
        let mut held = lock(&held);
        held.touched = Instant::now();
        held.steps.push_back(tool.into());
        let dropped = held.steps.len().saturating_sub(window);
        held.steps.drain(..dropped);
        Ok(())
    }
}
