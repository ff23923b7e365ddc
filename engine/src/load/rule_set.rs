//! The loaded rules in the form that deciding needs: slots, ranks and indexes, nothing by name.
//!
//! A rule's rank is its place in the base order of [OAR-EVAL-1], so a sorted list of ranks is a
//! list of rules in that order. Everything here is immutable and shared between threads.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};

use oar_expr::{ProgramId, Programs};

use super::capability::Capability;
use super::environment::Environment;
use super::select::AnchorIndex;
use super::template::Template;
use crate::document::rule::{Action, CopyMember, Effect, Enforcement, Kind, TransformAction};
use crate::observe::{Anchor, FactId, FactValue, Occurrence};

/// The rules of a host, loaded and checked, ready to decide occurrences.
///
/// It is immutable, `Send` and `Sync`; share it by `Arc`.
#[derive(Debug)]
pub struct RuleSet {
    pub(crate) capability: Capability,
    /// By rank.
    pub(crate) rules: Box<[Rule]>,
    /// The conditions, in the order of the ranks.
    pub(crate) conditions: Programs,
    pub(crate) anchors: Box<[AnchorIndex]>,
    pub(crate) anchor_by_name: HashMap<Box<str>, u32>,
    /// Tells its handles from those of another set.
    pub(crate) stamp: u64,
    digests: Digests,
}

/// The digests of the documents of a set.
#[derive(Clone, Debug)]
pub(crate) struct Digests {
    /// Of all of them.
    pub(crate) all: Box<str>,
    /// Of the configurations.
    pub(crate) configs: Box<str>,
}

/// One rule.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) qualified: Box<str>,
    /// Where the bare identifier begins in `qualified`.
    pub(crate) id_start: u32,
    pub(crate) kind: Kind,
    pub(crate) effect: Effect,
    /// What the author declared.
    pub(crate) declared: Enforcement,
    /// What is in force, configuration applied ([OAR-CFG-3]).
    pub(crate) enforcement: Enforcement,
    pub(crate) mandatory: bool,
    /// Whether nothing comes before its condition: no flow and no detector.
    pub(crate) direct: bool,
    pub(crate) on_error: OnError,
    pub(crate) condition: Option<ProgramId>,
    pub(crate) selector: Box<[Clause]>,
    /// Every slot that the rule references ([OAR-FACT-11]), its counter readers' scopes included.
    pub(crate) references: Box<[u32]>,
    pub(crate) rest: Option<Box<Rest>>,
}

/// What few rules have.
#[derive(Debug, Default)]
pub(crate) struct Rest {
    pub(crate) flow: Box<[Box<str>]>,
    pub(crate) on_fire: Box<[Action]>,
    /// The ranks that it suppresses ([OAR-EVAL-13]), ascending.
    pub(crate) overrides: Box<[u32]>,
    pub(crate) transform: Option<Transform>,
    pub(crate) detector: Option<Box<str>>,
    /// What the condition names, where there is a detector to report it.
    pub(crate) condition_names: Box<[u32]>,
    pub(crate) scope: Option<u32>,
    /// For each reference of the condition, whose counter it reads ([OAR-FIRE-11]).
    pub(crate) counter_targets: Box<[CounterTarget]>,
    /// The ranks whose counters its condition or copy may read.
    pub(crate) counters_read: Box<[u32]>,
    /// The calls of functions in the condition, each with its argument where that is a literal.
    pub(crate) calls: Box<[(u32, Option<FactValue>)]>,
    pub(crate) copy: Box<[(CopyMember, Template)]>,
}

/// What happens when a rule cannot be evaluated ([OAR-DOC-18]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnError {
    FailClosed,
    FailOpen,
    /// A block in the name of the rule of this rank ([OAR-OPS-5]).
    Substitute(u32),
}

/// One clause of a selector ([OAR-SEL-1]).
#[derive(Debug)]
pub(crate) struct Clause {
    pub(crate) slot: u32,
    /// As written.
    pub(crate) values: Box<[Box<str>]>,
    /// The positions of the values, sorted by value; only where there are many.
    sorted: Box<[u32]>,
}

impl Clause {
    /// Up to here comparing with every value is as fast as a search.
    const FEW: usize = 16;

    pub(crate) fn new(slot: u32, values: Box<[Box<str>]>) -> Self {
        let many = if values.len() > Self::FEW { values.len() } else { 0 };
        let mut sorted: Box<[u32]> = (0_u32..).take(many).collect();
        sorted.sort_unstable_by_key(|at| values.get(*at as usize));
        Self { slot, values, sorted }
    }

    /// Whether `value` is one of the values.
    pub(crate) fn lists(&self, value: &str) -> bool {
        if self.sorted.is_empty() {
            return self.values.iter().any(|own| **own == *value);
        }
        let of = |at: &u32| self.values.get(*at as usize).map(|own| &**own);
        self.sorted.binary_search_by(|at| of(at).cmp(&Some(value))).is_ok()
    }
}

/// Which counter a counter reader reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CounterTarget {
    pub(crate) rank: u32,
    pub(crate) breaker: bool,
}

/// A rule's change of the content ([OAR-OPS-13]).
#[derive(Debug)]
pub(crate) struct Transform {
    pub(crate) action: TransformAction,
    /// The slot of the fact that carries the spans; `None` for the whole content ([OAR-OPS-14]).
    pub(crate) target: Option<u32>,
    pub(crate) replacement: Option<Box<str>>,
}

/// An anchor that the capability document does not declare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownAnchor(pub String);

impl std::fmt::Display for UnknownAnchor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the host declares no anchor `{}`", self.0)
    }
}

impl std::error::Error for UnknownAnchor {}

impl Rule {
    /// The bare identifier ([OAR-EVAL-9]).
    pub(crate) fn id(&self) -> &str {
        self.qualified.get(self.id_start as usize..).unwrap_or_default()
    }

    pub(crate) fn overrides(&self) -> &[u32] {
        self.rest.as_ref().map(|rest| &*rest.overrides).unwrap_or_default()
    }

    pub(crate) fn on_fire(&self) -> &[Action] {
        self.rest.as_ref().map(|rest| &*rest.on_fire).unwrap_or_default()
    }

    pub(crate) fn copy(&self) -> &[(CopyMember, Template)] {
        self.rest.as_ref().map(|rest| &*rest.copy).unwrap_or_default()
    }

    pub(crate) fn transform(&self) -> Option<&Transform> {
        self.rest.as_ref()?.transform.as_ref()
    }

    /// The slot of the fact that scopes its counters ([OAR-FIRE-10]).
    pub(crate) fn scope(&self) -> Option<u32> {
        self.rest.as_ref()?.scope
    }

    pub(crate) fn counters_read(&self) -> &[u32] {
        self.rest.as_ref().map(|rest| &*rest.counters_read).unwrap_or_default()
    }
}

static NEXT_STAMP: AtomicU64 = AtomicU64::new(1);

impl RuleSet {
    /// Builds the indexes over `rules`, which are in base order.
    pub(crate) fn new(
        capability: Capability,
        rules: Vec<Rule>,
        conditions: Programs,
        anchors: Vec<AnchorIndex>,
        digests: Digests,
    ) -> Self {
        let by_name = |(position, anchor): (usize, &AnchorIndex)| {
            (anchor.local.clone(), u32::try_from(position).unwrap_or(u32::MAX))
        };
        Self {
            capability,
            rules: rules.into(),
            conditions,
            anchor_by_name: anchors.iter().enumerate().map(by_name).collect(),
            anchors: anchors.into(),
            stamp: NEXT_STAMP.fetch_add(1, Ordering::Relaxed),
            digests,
        }
    }

    /// What the host declared.
    #[must_use]
    pub fn capability(&self) -> &Capability {
        &self.capability
    }

    /// The digest of everything that was loaded, as [`Loader::digest`](crate::Loader::digest)
    /// tells it.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digests.all
    }

    /// The digest of the configurations alone, in their order.
    #[must_use]
    pub fn configuration_digest(&self) -> &str {
        &self.digests.configs
    }

    /// Every name that a rule may use.
    #[must_use]
    pub fn environment(&self) -> &Environment {
        &self.capability.environment
    }

    /// The number of rules, those that are off included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether no rule is loaded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// A handle to the moment with the host-local name `name` ([OAR-CONF-29]).
    ///
    /// # Errors
    /// When the capability document declares no such anchor.
    pub fn anchor(&self, name: &str) -> Result<Anchor, UnknownAnchor> {
        let index = self.anchor_by_name.get(name).copied();
        index.map(|index| Anchor { index, stamp: self.stamp }).ok_or(UnknownAnchor(name.to_owned()))
    }

    /// A handle to a fact or function, to supply it without a look-up by name.
    #[must_use]
    pub fn fact(&self, name: &str) -> Option<FactId> {
        self.environment().slot(name).map(|slot| FactId { slot, stamp: self.stamp })
    }

    /// An occurrence at the moment with the host-local name `anchor`.
    ///
    /// # Errors
    /// When the capability document declares no such anchor.
    pub fn occurrence(&self, anchor: &str) -> Result<Occurrence<'_>, UnknownAnchor> {
        let index = self.anchor_by_name.get(anchor);
        index
            .and_then(|index| self.anchors.get(*index as usize))
            .map(|index| Occurrence::at(self, index))
            .ok_or_else(|| UnknownAnchor(anchor.to_owned()))
    }

    /// Each rule: its qualified identifier, effect and effective enforcement, in base order.
    pub fn rules(&self) -> impl Iterator<Item = RuleView<'_>> {
        self.rules.iter().map(RuleView)
    }

    /// The references of the detectors that the rules run, each once, in order; rules that are off
    /// run none. [`Host::unregistered`](crate::Host::unregistered) tells which of them a host lacks.
    #[must_use]
    pub fn detectors(&self) -> Vec<&str> {
        let on = self.rules().filter(|rule| rule.enforcement() != Enforcement::Off);
        let distinct: BTreeSet<&str> = on.filter_map(|rule| rule.detector()).collect();
        distinct.into_iter().collect()
    }

    pub(crate) fn rule(&self, rank: u32) -> Option<&Rule> {
        self.rules.get(rank as usize)
    }
}

/// A loaded rule, to look at.
#[derive(Clone, Copy, Debug)]
pub struct RuleView<'r>(pub(crate) &'r Rule);

impl<'r> RuleView<'r> {
    /// The qualified identifier ([OAR-DOC-8]).
    #[must_use]
    pub fn qualified(&self) -> &'r str {
        &self.0.qualified
    }

    /// The bare identifier.
    #[must_use]
    pub fn id(&self) -> &'r str {
        self.0.id()
    }

    /// Where it stands in the order ([OAR-EVAL-1]).
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// What it does when it fires.
    #[must_use]
    pub fn effect(&self) -> Effect {
        self.0.effect
    }

    /// How it runs, configuration applied ([OAR-CFG-2], [OAR-CFG-3]).
    #[must_use]
    pub fn enforcement(&self) -> Enforcement {
        self.0.enforcement
    }

    /// Whether nothing may disable, downgrade or suppress it ([OAR-OPS-7]).
    #[must_use]
    pub fn mandatory(&self) -> bool {
        self.0.mandatory
    }

    /// The detector that it runs.
    #[must_use]
    pub fn detector(&self) -> Option<&'r str> {
        self.0.rest.as_ref()?.detector.as_deref()
    }
}
