//! A rule set that can be replaced while sessions run.
//!
//! Rule sets are immutable. What changes is which one is in force, behind a [`RuleSetHandle`]:
//! whoever decides takes the set that is in force and keeps it for the whole occurrence. A set
//! that does not load changes nothing, and the handle says so until one does.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::SystemTime;

use super::loader::{LoadError, Loader};
use super::rule_set::RuleSet;
use crate::diagnostic::Diagnostic;

/// The rule set in force, shared by all sessions of a host.
///
/// [`current`](Self::current) costs a read lock that is held for the copy of an `Arc`; loading
/// happens outside every lock. Counters are kept by qualified identifier, so they survive.
///
/// ```
/// # use oar_engine::{Loader, RuleSetHandle, Source};
/// # let capability = r#"{"oar_capability_version": "1.0", "host": "acme",
/// #   "anchors": {"core": {"tool.pre_invoke": "tool.pre_invoke"}, "unsupported": [
/// #     "tool.handler", "tool.post_invoke", "agent.post_turn", "agent.finalize",
/// #     "model.input", "model.output", "model.tool_result"]},
/// #   "profiles": [], "activity_window": 0, "detectors": [],
/// #   "expression_nodes_max": 256, "supports_transform": false}"#;
/// # let loader = |when: &str| Loader::new(Source::json("capability.json", capability))
/// #   .rules(Source::value("rule.json", serde_json::json!({"oar": "1.0", "id": "R",
/// #     "kind": "policy", "anchor": "tool.pre_invoke", "effect": "block", "when": when})));
/// let handle = RuleSetHandle::load(&loader("fire_count > 3"))?;
/// let first = handle.current();
/// assert!(handle.reload(&loader("fire_cuont > 2")).is_err());
///
/// let status = handle.status();
/// assert_eq!(status.digest, loader("fire_count > 3").digest());
/// let refused = status.refused.unwrap();
/// assert_eq!(refused.digest, loader("fire_cuont > 2").digest());
/// assert_eq!(refused.diagnostics[0].code(), "OAR-FACT-3");
///
/// handle.reload(&loader("fire_count > 2"))?;
/// assert!(handle.status().refused.is_none());
/// handle.roll_back();
/// assert!(std::sync::Arc::ptr_eq(&handle.current(), &first));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RuleSetHandle {
    /// The set that deciding takes; always the one of `state.live`.
    current: RwLock<Arc<RuleSet>>,
    state: Mutex<State>,
    /// Held from the beginning of a reload to its end, so that of two reloads the later one,
    /// which read later, has the last word.
    reloading: Mutex<()>,
}

/// One set, and since when it has been in force.
#[derive(Clone)]
struct Live {
    rules: Arc<RuleSet>,
    digest: String,
    since: SystemTime,
    warnings: Arc<[Diagnostic]>,
}

struct State {
    live: Live,
    displaced: Option<Live>,
    refused: Option<Refusal>,
}

/// What a handle says about itself.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HandleStatus {
    /// The digest of the documents in force, as [`Loader::digest`] tells it.
    pub digest: String,
    /// Since when they have been in force.
    pub since: SystemTime,
    /// How many rules are in force, those that are off included.
    pub rules: usize,
    /// What was worth saying when they were loaded.
    pub warnings: Arc<[Diagnostic]>,
    /// The digest of the documents that [`RuleSetHandle::roll_back`] would bring back.
    pub displaced: Option<String>,
    /// The newest documents, when they are not in force because they do not load.
    pub refused: Option<Refusal>,
}

/// Documents that did not load, so that older ones are still in force.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Refusal {
    /// Their digest; empty where they could not be read at all.
    pub digest: String,
    /// What is wrong with them.
    pub diagnostics: Arc<[Diagnostic]>,
    /// Since when the newest documents have not been in force: the first refusal in a row.
    pub since: SystemTime,
    /// How many refusals in a row.
    pub attempts: u64,
}

impl fmt::Display for HandleStatus {
    /// A line for an operator; the diagnostics are not in it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "in force: {} ({} rules)", short(&self.digest), self.rules)?;
        match &self.refused {
            None => Ok(()),
            Some(refused) => {
                let faults = refused.diagnostics.len();
                write!(f, "; NOT in force: {} ({faults} diagnostics)", short(&refused.digest))
            }
        }
    }
}

fn short(digest: &str) -> &str {
    match digest.get(..12) {
        Some(start) => start,
        None => "unreadable",
    }
}

impl RuleSetHandle {
    /// A handle to the set that `loader` loads.
    ///
    /// # Errors
    /// When it does not load: there is nothing to fall back on.
    pub fn load(loader: &Loader) -> Result<Self, LoadError> {
        let live = Live::load(loader)?;
        Ok(Self {
            current: RwLock::new(Arc::clone(&live.rules)),
            state: Mutex::new(State { live, displaced: None, refused: None }),
            reloading: Mutex::new(()),
        })
    }

    /// The set in force. An occurrence borrows from it, and so sees one set from start to end;
    /// take it anew for the next occurrence.
    #[must_use]
    pub fn current(&self) -> Arc<RuleSet> {
        // A poisoned lock holds a whole set: writing one is a single assignment.
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Loads other documents and puts them in force; the set that they displace is kept for
    /// [`roll_back`](Self::roll_back). Documents that are in force already change nothing but
    /// that they are no longer refused.
    ///
    /// # Errors
    /// When they do not load. The old set stays in force, and [`status`](Self::status) names the
    /// refused documents until others load.
    pub fn reload(&self, loader: &Loader) -> Result<Arc<RuleSet>, LoadError> {
        let _one_at_a_time = self.reloading.lock().unwrap_or_else(PoisonError::into_inner);
        let digest = loader.digest();
        {
            let mut state = self.state();
            if state.live.digest == digest {
                state.refused = None;
                return Ok(Arc::clone(&state.live.rules));
            }
        }
        match Live::load(loader) {
            Ok(live) => {
                let rules = Arc::clone(&live.rules);
                self.put(&mut self.state(), live);
                Ok(rules)
            }
            Err(error) => {
                self.refuse(digest, error.diagnostics());
                Err(error)
            }
        }
    }

    /// Puts the displaced set back in force, for as long as there is one. The set that it
    /// displaces is kept in turn, so that a second call undoes the first.
    ///
    /// Refused documents are still refused afterwards.
    pub fn roll_back(&self) -> Option<Arc<RuleSet>> {
        let mut state = self.state();
        let mut back = state.displaced.take()?;
        back.since = SystemTime::now();
        let rules = Arc::clone(&back.rules);
        let refused = state.refused.take();
        self.put(&mut state, back);
        state.refused = refused;
        Some(rules)
    }

    /// What is in force, and what is not although it is newer.
    #[must_use]
    pub fn status(&self) -> HandleStatus {
        let state = self.state();
        HandleStatus {
            digest: state.live.digest.clone(),
            since: state.live.since,
            rules: state.live.rules.len(),
            warnings: Arc::clone(&state.live.warnings),
            displaced: state.displaced.as_ref().map(|live| live.digest.clone()),
            refused: state.refused.clone(),
        }
    }

    /// Notes documents that were not put in force.
    pub(crate) fn refuse(&self, digest: String, diagnostics: &[Diagnostic]) {
        let mut state = self.state();
        let (since, attempts) = match &state.refused {
            Some(earlier) => (earlier.since, earlier.attempts.saturating_add(1)),
            None => (SystemTime::now(), 1),
        };
        let diagnostics = diagnostics.into();
        state.refused = Some(Refusal { digest, diagnostics, since, attempts });
    }

    /// Puts a set in force; the caller holds the state, so that the two always agree.
    fn put(&self, state: &mut State, live: Live) {
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&live.rules);
        state.displaced = Some(std::mem::replace(&mut state.live, live));
        state.refused = None;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Live {
    fn load(loader: &Loader) -> Result<Self, LoadError> {
        let loaded = loader.load()?;
        Ok(Self {
            digest: loaded.rules.digest().to_owned(),
            rules: Arc::new(loaded.rules),
            since: SystemTime::now(),
            warnings: loaded.warnings.into(),
        })
    }
}

impl fmt::Debug for RuleSetHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RuleSetHandle").field("status", &self.status()).finish()
    }
}
