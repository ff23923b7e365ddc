//! The capability document: what the host declares, checked before any rule loads ([OAR-FACT-24]).

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use super::environment::Environment;
use super::vocabulary::{Declaration, Vocabulary};
use crate::diagnostic::{Diagnostic, suggest};
use crate::document::schema::{DocumentKind, Placed, violations};
use crate::document::source::{Node, Number, join_pointer};

/// The version of a capability document that this engine reads.
const VERSION: &str = "1.0";

/// A host's declaration, valid as [OAR-FACT-24] asks.
#[derive(Debug)]
pub struct Capability {
    pub(crate) host: Box<str>,
    /// For each core anchor of the vocabulary, its local name; `None` where it is unsupported.
    pub(crate) core_anchors: Vec<Option<Box<str>>>,
    pub(crate) host_anchors: Words,
    pub(crate) profiles: Vec<Box<str>>,
    pub(crate) detectors: Words,
    pub(crate) activity_window: usize,
    pub(crate) expression_nodes_max: u32,
    pub(crate) supports_transform: bool,
    pub(crate) environment: Arc<Environment>,
    /// Whether it stands for every host there can be, because none was described: then a name
    /// that a host may declare of its own is taken as declared.
    pub(crate) any_host: bool,
}

/// Different words in the order written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words {
    listed: Vec<Box<str>>,
    all: HashSet<Box<str>>,
}

impl Words {
    pub(crate) fn contains(&self, word: &str) -> bool {
        self.all.contains(word)
    }

    pub(crate) fn len(&self) -> usize {
        self.listed.len()
    }
}

impl<'w> FromIterator<&'w str> for Words {
    fn from_iter<I: IntoIterator<Item = &'w str>>(words: I) -> Self {
        let listed: Vec<Box<str>> = words.into_iter().map(Into::into).collect();
        Self { all: listed.iter().cloned().collect(), listed }
    }
}

impl Capability {
    /// Everything that some host can offer: what it does not have, no host has.
    pub(crate) fn of_any_host() -> Self {
        let vocabulary = Vocabulary::get();
        let anchors = vocabulary.anchors.iter();
        let profiles: Vec<Box<str>> =
            vocabulary.profiles.iter().map(|profile| profile.name.as_str().into()).collect();
        let environment = Environment::with_profiles(profiles.iter().map(|profile| &**profile));
        Self {
            host: "".into(),
            core_anchors: anchors.map(|anchor| Some(anchor.name.as_str().into())).collect(),
            host_anchors: Words::default(),
            profiles,
            detectors: Words::default(),
            activity_window: usize::MAX,
            expression_nodes_max: u32::MAX,
            supports_transform: true,
            environment: Arc::new(environment),
            any_host: true,
        }
    }

    /// The host's namespace.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The profiles that it claims, in its own order.
    pub fn profiles(&self) -> impl Iterator<Item = &str> {
        self.profiles.iter().map(|profile| &**profile)
    }

    /// The core anchors that it supports, each with its local name.
    pub fn core_anchors(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let names = Vocabulary::get().anchors.iter().map(|anchor| anchor.name.as_str());
        names.zip(&self.core_anchors).filter_map(|(name, local)| Some((name, local.as_deref()?)))
    }

    /// The anchors of its own catalogue ([OAR-PROF-5]).
    pub fn host_anchors(&self) -> impl Iterator<Item = &str> {
        self.host_anchors.listed.iter().map(|anchor| &**anchor)
    }

    /// The detector references that it resolves.
    pub fn detectors(&self) -> impl Iterator<Item = &str> {
        self.detectors.listed.iter().map(|detector| &**detector)
    }

    /// The number of recent steps that `flow` looks at ([OAR-PROF-3]).
    #[must_use]
    pub fn activity_window(&self) -> usize {
        self.activity_window
    }

    /// The largest condition that loads, in nodes ([OAR-EXPR-17]).
    #[must_use]
    pub fn expression_nodes_max(&self) -> u32 {
        self.expression_nodes_max
    }

    /// Whether the host can change content ([OAR-OPS-18]).
    #[must_use]
    pub fn supports_transform(&self) -> bool {
        self.supports_transform
    }

    /// Every name that a rule may use.
    #[must_use]
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Reads and checks a capability document.
    ///
    /// # Errors
    /// Every violation of [OAR-FACT-24], in the order of the text.
    pub(crate) fn read(document: Placed<'_>) -> Result<Self, Vec<Diagnostic>> {
        let version = document.root.get("oar_capability_version");
        if let Some(text) = version.and_then(Node::as_str)
            && text != VERSION
        {
            let message = format!(
                "`oar_capability_version` is `{text}`, which is not the one that is read here"
            );
            let diagnostic = Diagnostic::error("OAR-FACT-24", message);
            let diagnostic = diagnostic.help(format!("write `{VERSION}`"));
            return Err(vec![document.at(diagnostic, "/oar_capability_version")]);
        }
        let mut check =
            Check { document, diagnostics: violations(DocumentKind::Capability, document) };
        let core_anchors = check.anchors();
        let host_anchors = check.host_anchors();
        let profiles = check.profiles();
        let environment = check.environment(&profiles);
        let root = document.root;
        let integer = |name| root.get(name).and_then(Node::as_number).and_then(|n| n.as_u64());
        let flag = |name| root.get(name).and_then(Node::as_bool);
        let window = check.integer("activity_window", integer("activity_window"));
        let nodes = check.integer("expression_nodes_max", integer("expression_nodes_max"));
        check.finish()?;
        Ok(Self {
            host: root.get("host").and_then(Node::as_str).unwrap_or_default().into(),
            core_anchors,
            host_anchors,
            profiles,
            detectors: strings(root.get("detectors")).collect(),
            activity_window: usize::try_from(window).unwrap_or(usize::MAX),
            expression_nodes_max: u32::try_from(nodes).unwrap_or(u32::MAX),
            supports_transform: flag("supports_transform").unwrap_or_default(),
            environment: Arc::new(environment),
            any_host: false,
        })
    }
}

/// The strings of a list; what is no string the schema has complained about.
fn strings(list: Option<&Node>) -> impl Iterator<Item = &str> {
    list.and_then(Node::as_array).unwrap_or_default().iter().filter_map(Node::as_str)
}

/// What the schema cannot say, collected beside what it said.
struct Check<'d> {
    document: Placed<'d>,
    diagnostics: Vec<Diagnostic>,
}

impl<'d> Check<'d> {
    fn finish(mut self) -> Result<(), Vec<Diagnostic>> {
        if self.diagnostics.is_empty() {
            return Ok(());
        }
        self.diagnostics.sort_by_key(|diagnostic| diagnostic.location().map(|place| place.span));
        Err(self.diagnostics)
    }

    fn report(&mut self, code: &'static str, message: String, pointer: &str) {
        let diagnostic = self.document.at(Diagnostic::error(code, message), pointer);
        self.diagnostics.push(diagnostic);
    }

    fn get(&self, names: [&str; 2]) -> Option<&'d Node> {
        self.document.root.get(names[0])?.get(names[1])
    }

    /// An integer that is written as one; `16.0` passes the schema and is none ([OAR-FACT-23]).
    fn integer(&mut self, name: &str, value: Option<u64>) -> u64 {
        if value.is_none() && self.diagnostics.is_empty() {
            let code = if name == "activity_window" { "OAR-PROF-3" } else { "OAR-EXPR-17" };
            let number = self.document.root.get(name).and_then(Node::as_number);
            let message = match number.is_some_and(Number::is_integer_text) {
                true => format!("`{name}` does not fit 64 bits"),
                false => format!("`{name}` is not written as an integer"),
            };
            self.report(code, message, &join_pointer("", name));
        }
        value.unwrap_or_default()
    }

    /// The anchor profile map: every core anchor once, no local name for two ([OAR-PROF-2]).
    fn anchors(&mut self) -> Vec<Option<Box<str>>> {
        let core = self.get(["anchors", "core"]).and_then(Node::as_object);
        let unsupported: BTreeSet<&str> = strings(self.get(["anchors", "unsupported"])).collect();
        let vocabulary = Vocabulary::get();
        let mut locals: Vec<Option<Box<str>>> = Vec::new();
        for anchor in &vocabulary.anchors {
            let name = anchor.name.as_str();
            let local = core.and_then(|core| core.get(name)).and_then(Node::as_str);
            match (local, unsupported.contains(name)) {
                (Some(_), true) => {
                    let message = format!("core anchor `{name}` is both mapped and unsupported");
                    self.report("OAR-PROF-2", message, &pointer_of(name));
                }
                (None, false) if core.is_some_and(|core| core.get(name).is_none()) => {
                    let message = format!("core anchor `{name}` is neither mapped nor unsupported");
                    self.report("OAR-PROF-2", message, "/anchors");
                }
                _ => {}
            }
            if let Some(local) = local {
                self.local_anchor(name, local, &locals);
            }
            locals.push(local.map(Into::into));
        }
        locals
    }

    /// A local name stands for one core anchor and is not named like another ([OAR-PROF-1], [OAR-PROF-2]).
    fn local_anchor(&mut self, name: &str, local: &str, before: &[Option<Box<str>>]) {
        let vocabulary = Vocabulary::get();
        let earlier = before.iter().position(|earlier| earlier.as_deref() == Some(local));
        if let Some(other) = earlier.and_then(|position| vocabulary.anchors.get(position)) {
            let message =
                format!("local anchor `{local}` stands for both `{}` and `{name}`", other.name);
            self.report("OAR-PROF-2", message, &pointer_of(name));
        }
        if local != name && vocabulary.anchor(local).is_some() {
            let message =
                format!("local anchor `{local}` of `{name}` is the name of another core anchor");
            self.report("OAR-PROF-1", message, &pointer_of(name));
        }
    }

    /// The host's catalogue: nothing in it is named like a core anchor ([OAR-PROF-5]).
    fn host_anchors(&mut self) -> Words {
        let list = self.get(["anchors", "host"]);
        for (index, node) in list.and_then(Node::as_array).unwrap_or_default().iter().enumerate() {
            let Some(name) = node.as_str() else { continue };
            if Vocabulary::get().anchor(name).is_some() {
                let message = format!("host anchor `{name}` is named like a core anchor");
                self.report("OAR-PROF-5", message, &format!("/anchors/host/{index}"));
            }
        }
        strings(list).collect()
    }

    /// The claimed profiles: known ones, and detectors behind those that need them ([OAR-OPS-22]).
    fn profiles(&mut self) -> Vec<Box<str>> {
        let vocabulary = Vocabulary::get();
        let root = self.document.root;
        let detectors = root.get("detectors").and_then(Node::as_array);
        let list = root.get("profiles");
        for (index, node) in list.and_then(Node::as_array).unwrap_or_default().iter().enumerate() {
            let Some(name) = node.as_str() else { continue };
            let pointer = format!("/profiles/{index}");
            match vocabulary.profile(name) {
                None => {
                    let message = format!("profile `{name}` is not one of the standard's");
                    let known = vocabulary.profiles.iter().map(|profile| profile.name.as_str());
                    let mut diagnostic = Diagnostic::error("OAR-FACT-16", message);
                    if let Some(similar) = suggest(name, known) {
                        diagnostic = diagnostic.help(format!("did you mean `{similar}`?"));
                    }
                    self.diagnostics.push(self.document.at(diagnostic, &pointer));
                }
                Some(profile)
                    if profile.detector_backed && detectors.is_some_and(<[_]>::is_empty) =>
                {
                    let message =
                        format!("profile `{name}` is claimed, but no detector is registered");
                    self.report("OAR-OPS-22", message, &pointer);
                }
                Some(_) => {}
            }
        }
        strings(list).map(Into::into).collect()
    }

    /// The symbol table, with the host's own names under its namespace ([OAR-FACT-18], [OAR-FACT-27]).
    fn environment(&mut self, profiles: &[Box<str>]) -> Environment {
        let mut environment = Environment::with_profiles(profiles.iter().map(|profile| &**profile));
        let root = self.document.root;
        let host = root.get("host").and_then(Node::as_str).unwrap_or_default();
        let facts = root.get("host_facts").and_then(Node::as_array).unwrap_or_default();
        for (index, fact) in facts.iter().enumerate() {
            let text = |member| fact.get(member).and_then(Node::as_str);
            let (Some(name), Some(ty)) = (text("name"), text("type")) else { continue };
            // Types and spellings that are wrong the schema has named.
            let Some(declaration) = Declaration::parse(ty) else { continue };
            let pointer = format!("/host_facts/{index}/name");
            // A dotted name is one token, so that `acme.in` is no reserved word ([OAR-EXPR-24]).
            if name.strip_prefix(host).is_some_and(|rest| rest.starts_with('.')) {
                if !environment.declare_host(name, declaration) {
                    let message = format!("`{name}` is declared twice");
                    self.report("OAR-FACT-27", message, &pointer);
                }
            } else if name.contains('.') {
                let message =
                    format!("host fact `{name}` is not under the host's namespace `{host}`");
                self.report("OAR-FACT-18", message, &pointer);
            }
        }
        environment
    }
}

fn pointer_of(core_anchor: &str) -> String {
    join_pointer("/anchors/core", core_anchor)
}
