//! The loader: every document in, one rule set or every fault out.

use std::collections::HashSet;
use std::fmt;

use sha2::{Digest, Sha256};

use super::capability::Capability;
use super::config::{Config, Names};
use super::draft::{self, Draft};
use super::failed::Failed;
use super::guarded::Parts;
use super::resolve::{Resolved, resolve};
use super::rule_set::{Digests, Rule, RuleSet};
use super::select::AnchorIndex;
use super::source::Source;
use crate::diagnostic::{Diagnostic, Severity};
use crate::document::names;
use crate::document::rule::RuleDocument;
use crate::document::schema::{DocumentKind, Placed, violations};
use crate::document::source::{Node, ReadLimits, Reading};
use crate::document::version;
use crate::observe::hexadecimal;

/// Loads a rule set for a host.
///
/// ```
/// use oar_engine::{Loader, Source};
/// # let capability = r#"{"oar_capability_version": "1.0", "host": "acme",
/// #   "anchors": {"core": {"tool.pre_invoke": "tool.pre_invoke"}, "unsupported": [
/// #     "tool.handler", "tool.post_invoke", "agent.post_turn", "agent.finalize",
/// #     "model.input", "model.output", "model.tool_result"]},
/// #   "profiles": [], "activity_window": 0, "detectors": [],
/// #   "expression_nodes_max": 256, "supports_transform": false}"#;
/// let rule = r#"{"oar": "1.0", "id": "R", "kind": "policy", "anchor": "tool.pre_invoke",
///                "effect": "block", "when": "fire_cuont > 1"}"#;
/// let error = Loader::new(Source::json("capability.json", capability))
///     .rules(Source::json("rule.json", rule))
///     .load()
///     .unwrap_err();
/// assert_eq!(error.diagnostics()[0].code(), "OAR-FACT-3");
/// ```
#[derive(Clone, Debug)]
pub struct Loader {
    capability: Source,
    pub(super) rules: Vec<Source>,
    configs: Vec<Source>,
    pub(super) limits: ReadLimits,
    rules_max: usize,
    guarded: bool,
}

/// A rule set and what is worth saying about it.
#[derive(Debug)]
pub struct Loaded {
    /// The rules.
    pub rules: RuleSet,
    /// Warnings, such as a rule that is never selected ([OAR-SEL-6]).
    pub warnings: Vec<Diagnostic>,
}

/// Where a load failed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The capability document.
    Capability,
    /// The rules, alone or together.
    Rules,
    /// The configuration.
    Config,
}

/// Why nothing was loaded: every fault of every document, at least one.
#[derive(Debug)]
pub struct LoadError {
    phase: Phase,
    diagnostics: Vec<Diagnostic>,
    sound: usize,
}

impl LoadError {
    /// The faults of each document in the order given, then those between rules, then those of
    /// the configurations; warnings come along.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The faults, to keep.
    #[must_use]
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
    }

    /// Where the load failed first.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// How many rules had no fault of their own.
    #[must_use]
    pub fn sound_rules(&self) -> usize {
        self.sound
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for diagnostic in &self.diagnostics {
            if diagnostic.severity() == Severity::Error {
                write!(f, "{separator}{diagnostic}")?;
                separator = "\n";
            }
        }
        Ok(())
    }
}

impl std::error::Error for LoadError {}

/// How many rules load unless the host says otherwise; far more than people write.
const RULES_MAX: usize = 100_000;

impl Loader {
    /// A loader for the host that this capability document describes.
    #[must_use]
    pub fn new(capability: Source) -> Self {
        Self {
            capability,
            rules: Vec::new(),
            configs: Vec::new(),
            limits: ReadLimits::default(),
            rules_max: RULES_MAX,
            guarded: true,
        }
    }

    /// The same, with rules: a document, an array, or a stream ([OAR-DOC-31]).
    #[must_use]
    pub fn rules(mut self, rules: Source) -> Self {
        self.rules.push(rules);
        self
    }

    /// The same, with a configuration; later ones win ([OAR-CFG-7]).
    #[must_use]
    pub fn config(mut self, config: Source) -> Self {
        self.configs.push(config);
        self
    }

    /// The same, with other bounds on what is read.
    #[must_use]
    pub fn limits(mut self, limits: ReadLimits) -> Self {
        self.limits = limits;
        self
    }

    /// The same, loading at most so many rules: 100,000 unless it is said here. Documents with
    /// more do not load.
    #[must_use]
    pub fn rules_max(mut self, rules: usize) -> Self {
        self.rules_max = rules;
        self
    }

    /// The digest of everything that is loaded: 64 hexadecimal digits.
    ///
    /// It is of the text of the documents in their order, without the names of their files, so
    /// that two hosts with the same documents tell the same digest.
    #[must_use]
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        self.capability.hash(b'c', &mut hash);
        self.rules.iter().for_each(|source| source.hash(b'r', &mut hash));
        self.configs.iter().for_each(|source| source.hash(b'o', &mut hash));
        hexadecimal(&hash.finalize())
    }

    fn digests(&self) -> Digests {
        let mut configs = Sha256::new();
        self.configs.iter().for_each(|source| source.hash(b'o', &mut configs));
        let configs = hexadecimal(&configs.finalize());
        Digests { all: self.digest().into(), configs: configs.into() }
    }

    /// The same, evaluating every selected rule one by one. Nothing but the time it takes is
    /// different, which is what tests hold it against.
    #[doc(hidden)]
    #[must_use]
    pub fn one_by_one(mut self) -> Self {
        self.guarded = false;
        self
    }

    /// Loads everything.
    ///
    /// # Errors
    /// Every fault that was found. A capability document that is not valid is reported alone:
    /// there is no host to hold the rules against ([OAR-FACT-24]).
    pub fn load(&self) -> Result<Loaded, LoadError> {
        let capability = read_capability(&self.capability, &self.limits)
            .map_err(|diagnostics| LoadError { phase: Phase::Capability, diagnostics, sound: 0 })?;
        let readings: Vec<Reading> = self.rules.iter().map(|s| s.read(&self.limits)).collect();
        let mut diagnostics = Vec::new();
        let mut gathered = Gathered::default();
        for reading in &readings {
            gathered.reading(reading, &capability, &mut diagnostics);
        }
        let Gathered { drafts, failed } = gathered;
        let sound = drafts.len();
        if sound > self.rules_max {
            let message = format!("{sound} rules are loaded, and {} are allowed", self.rules_max);
            diagnostics.push(Diagnostic::error("limit", message));
            return Err(LoadError { phase: Phase::Rules, diagnostics, sound });
        }
        let Resolved { mut rules, conditions, anchors } =
            resolve(drafts, &failed, &capability, &mut diagnostics);
        let rule_faults = errors(&diagnostics);
        configure(&self.configs, &self.limits, &failed, &mut rules, &mut diagnostics);
        if errors(&diagnostics) > 0 {
            let phase = if rule_faults > 0 { Phase::Rules } else { Phase::Config };
            return Err(LoadError { phase, diagnostics, sound });
        }
        let mut anchors = index(&capability, &rules, &anchors);
        if self.guarded {
            let parts = Parts {
                rules: &rules,
                conditions: &conditions,
                environment: &capability.environment,
            };
            anchors.iter_mut().for_each(|index| index.guard(parts));
        }
        Ok(Loaded {
            rules: RuleSet::new(capability, rules, conditions, anchors, self.digests()),
            warnings: diagnostics,
        })
    }
}

/// Reads the one capability document of a source.
///
/// # Errors
/// Everything that is wrong with it.
pub(super) fn read_capability(
    source: &Source,
    limits: &ReadLimits,
) -> Result<Capability, Vec<Diagnostic>> {
    let reading = source.read(limits);
    if !reading.diagnostics.is_empty() {
        return Err(reading.diagnostics);
    }
    match reading.documents.as_slice() {
        [document] => Capability::read(Placed {
            root: &document.root,
            file: &reading.file,
            prefix: &document.pointer_prefix,
            item: None,
        }),
        documents => {
            let message =
                format!("{} documents, where one capability document is wanted", documents.len());
            Err(vec![Diagnostic::error("OAR-FACT-24", message)])
        }
    }
}

/// Applies the configurations in their order.
pub(super) fn configure(
    configs: &[Source],
    limits: &ReadLimits,
    failed: &Failed,
    rules: &mut [Rule],
    diagnostics: &mut Vec<Diagnostic>,
) {
    if configs.is_empty() {
        return;
    }
    let names = Names::new(rules);
    for source in configs {
        let reading = source.read(limits);
        diagnostics.extend_from_slice(&reading.diagnostics);
        for document in &reading.documents {
            if !reading.is_sound(document.root.span) {
                continue;
            }
            let prefix = &document.pointer_prefix;
            let (root, file) = (&document.root, &reading.file);
            match Config::read(Placed { root, file, prefix, item: None }) {
                Ok(config) => config.apply(&names, failed, rules, diagnostics),
                Err(faults) => diagnostics.extend(faults),
            }
        }
    }
}

pub(super) fn errors(diagnostics: &[Diagnostic]) -> usize {
    diagnostics.iter().filter(|diagnostic| diagnostic.severity() == Severity::Error).count()
}

/// The rules that passed on their own, and the names of those that did not.
#[derive(Default)]
pub(super) struct Gathered<'d> {
    pub(super) drafts: Vec<Draft<'d>>,
    pub(super) failed: Failed,
}

impl<'d> Gathered<'d> {
    /// Every rule of a source; each member of a collection stands on its own ([OAR-DOC-31]).
    pub(super) fn reading(
        &mut self,
        reading: &'d Reading,
        capability: &Capability,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        diagnostics.extend_from_slice(&reading.diagnostics);
        self.failed.reading(reading);
        for document in &reading.documents {
            let prefix = &*document.pointer_prefix;
            let place = |root, item| Placed { root, file: &reading.file, prefix, item };
            match document.root.as_array() {
                None => self.rule(reading, place(&document.root, None), capability, diagnostics),
                Some(members) => {
                    for (position, member) in members.iter().enumerate() {
                        let placed = place(member, Some(position));
                        self.rule(reading, placed, capability, diagnostics);
                    }
                }
            }
        }
    }

    fn rule(
        &mut self,
        reading: &'d Reading,
        placed: Placed<'d>,
        capability: &Capability,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let sound = reading.is_sound(placed.root.span);
        let draft = sound.then(|| Self::draft(placed, capability, diagnostics)).flatten();
        match draft {
            Some(draft) => self.drafts.push(draft),
            None => self.failed.add(identity(placed.root)),
        }
    }

    fn draft(
        placed: Placed<'d>,
        capability: &Capability,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Draft<'d>> {
        if let Err(diagnostic) = check_version(placed) {
            diagnostics.push(diagnostic);
            return None;
        }
        match RuleDocument::read(placed.root) {
            Some(document) => draft::compile(placed, document, capability, diagnostics),
            None => {
                diagnostics.extend(explain(placed));
                None
            }
        }
    }
}

/// The version before anything else ([OAR-CONF-2]); an absent one is left to the schema.
fn check_version(placed: Placed<'_>) -> Result<(), Diagnostic> {
    if placed.root.as_object().is_none() {
        let message =
            format!("a rule is an object, and this is {}", article(placed.root.kind_name()));
        return Err(placed.at(Diagnostic::error("OAR-DOC-31", message), ""));
    }
    let Some(text) = placed.root.get("oar").and_then(Node::as_str) else { return Ok(()) };
    version::check(text).map_err(|error| {
        let message = format!("`oar` is `{text}`, which {}", error.reason());
        placed.at(Diagnostic::error(error.clause(), message), "/oar")
    })
}

fn article(noun: &str) -> String {
    match noun {
        "null" => noun.to_owned(),
        "array" | "object" => format!("an {noun}"),
        _ => format!("a {noun}"),
    }
}

/// Why a document does not fit the schema.
fn explain(placed: Placed<'_>) -> Vec<Diagnostic> {
    let mut diagnostics = violations(DocumentKind::Rule, placed);
    if diagnostics.is_empty() {
        // The reader and the schema disagree; a document that one of them refuses does not load.
        let message = "the document does not fit the schema of a rule";
        diagnostics.push(placed.at(Diagnostic::error("OAR-CONF-1", message), ""));
    }
    diagnostics
}

/// The qualified identifier of a document that failed, as far as it can be told.
pub(super) fn identity(root: &Node) -> Option<String> {
    let id = root.get("id").and_then(Node::as_str)?;
    let namespace = root.get("namespace").and_then(Node::as_str);
    Some(names::qualified(namespace, id))
}

/// Files the rules under the anchors that the host declares.
fn index(capability: &Capability, rules: &[Rule], anchors: &[Box<str>]) -> Vec<AnchorIndex> {
    let mut indexes: Vec<AnchorIndex> = capability
        .core_anchors()
        .map(|(core, local)| AnchorIndex::new(local, core, core == "tool.pre_invoke"))
        .collect();
    // A name that stands in both is one moment, which rules may name either way.
    let locals: HashSet<&str> = capability.core_anchors().map(|(_, local)| local).collect();
    let own = capability.host_anchors().filter(|own| !locals.contains(own));
    indexes.extend(own.map(|own| AnchorIndex::new(own, own, false)));
    let mut by_anchor: std::collections::HashMap<&str, Vec<u32>> = std::collections::HashMap::new();
    for (rank, anchor) in (0_u32..).zip(anchors) {
        by_anchor.entry(anchor).or_default().push(rank);
    }
    for index in &mut indexes {
        let ranks = by_anchor.remove(&*index.local).unwrap_or_default();
        index.fill(&ranks, rules);
    }
    debug_assert!(by_anchor.is_empty(), "every rule's anchor is one that the host declares");
    indexes
}
