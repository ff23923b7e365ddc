//! One rule document checked against the capability document and compiled ([OAR-CONF-3]…[OAR-CONF-5]).
//!
//! References to other rules stay unresolved here; `resolve` closes them over the whole set.

use std::collections::HashSet;

use oar_expr::{Limits, Program, Symbol, Symbols, Type, UseKind};

use super::calls;
use super::capability::Capability;
use super::environment::{Entry, Environment, Tier};
use super::rule_set::{Clause, Transform};
use super::template::{self, Named, Template};
use super::vocabulary::{Declaration, Vocabulary};
use crate::diagnostic::{Diagnostic, Severity, advice_is_cheap, suggest};
use crate::document::rule::{CopyMember, Kind, RuleDocument};
use crate::document::schema::Placed;
use crate::document::source::{Node, join_pointer};
use crate::observe::{Derivation, FactValue};

/// A compiled rule whose references to other rules are still names.
pub(crate) struct Draft<'d> {
    pub(crate) placed: Placed<'d>,
    pub(crate) document: RuleDocument<'d>,
    pub(crate) qualified: String,
    /// The host-local name of its anchor ([OAR-PROF-4]).
    pub(crate) local_anchor: Box<str>,
    pub(crate) selector: Vec<Clause>,
    pub(crate) program: Option<Program>,
    /// The calls of functions in it, each with its argument where that is a literal.
    pub(crate) calls: Vec<(u32, Option<FactValue>)>,
    pub(crate) scope: Option<u32>,
    pub(crate) transform: Option<Transform>,
    pub(crate) copy: Vec<(CopyMember, Template)>,
    /// Every slot it references ([OAR-FACT-11]), unsorted.
    pub(crate) references: Vec<u32>,
    /// Names of the host's own that were taken as declared, where no host was described.
    pub(crate) assumed: Vec<Box<str>>,
}

impl Draft<'_> {
    /// Whether the rule reaches a name through the core tier or its `requires` ([OAR-FACT-20]).
    pub(crate) fn reaches(&self, entry: &Entry) -> bool {
        reaches(&self.document, entry)
    }
}

fn reaches(document: &RuleDocument<'_>, entry: &Entry) -> bool {
    let by_name = || document.required_facts.contains(entry.name());
    match entry.tier() {
        Tier::Core => true,
        Tier::Host => by_name(),
        Tier::Profile(position) => {
            let profile = Vocabulary::get().profiles.get(usize::from(position));
            profile.is_some_and(|profile| document.required_profiles.contains(&profile.name))
                || by_name()
        }
    }
}

/// Checks and compiles one rule; every fault of it goes to `diagnostics`.
///
/// The answer is `None` only when the rule cannot be used further; whether the set loads is
/// decided by the diagnostics.
pub(crate) fn compile<'d>(
    placed: Placed<'d>,
    document: RuleDocument<'d>,
    capability: &Capability,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Draft<'d>> {
    let qualified = document.qualified();
    let mut compiler = Compiler {
        placed,
        document,
        capability,
        diagnostics,
        qualified,
        calls: Vec::new(),
        references: Vec::new(),
        unreached: HashSet::new(),
        assumed: HashSet::new(),
    };
    let before = compiler.diagnostics.len();
    let local_anchor = compiler.anchor();
    compiler.requires();
    let selector = compiler.selector();
    let program = compiler.condition();
    let scope = compiler.counter_scope();
    let transform = compiler.transform();
    let copy = compiler.copy();
    compiler.flow();
    compiler.detector();
    let mut own = compiler.diagnostics.iter().skip(before);
    if own.any(|diagnostic| diagnostic.severity() == Severity::Error) {
        return None;
    }
    Some(Draft {
        placed,
        local_anchor: local_anchor?,
        selector,
        program,
        calls: compiler.calls,
        scope,
        transform,
        copy,
        references: compiler.references,
        assumed: compiler.assumed.into_iter().collect(),
        qualified: compiler.qualified,
        document: compiler.document,
    })
}

struct Compiler<'d, 'c> {
    placed: Placed<'d>,
    document: RuleDocument<'d>,
    capability: &'c Capability,
    diagnostics: &'c mut Vec<Diagnostic>,
    qualified: String,
    calls: Vec<(u32, Option<FactValue>)>,
    references: Vec<u32>,
    /// Names already reported as not reached, so that one slip is one diagnostic.
    unreached: HashSet<u32>,
    assumed: HashSet<Box<str>>,
}

impl<'d> Compiler<'d, '_> {
    fn report(&mut self, diagnostic: Diagnostic, pointer: &str) {
        let diagnostic = self.placed.at(diagnostic, pointer);
        self.diagnostics.push(diagnostic);
    }

    /// Resolves the anchor through the profile map or the host's catalogue ([OAR-CONF-3]).
    fn anchor(&mut self) -> Option<Box<str>> {
        let name = self.document.anchor.as_str()?;
        if let Some(position) = Vocabulary::get().anchor(name) {
            if let Some(Some(local)) = self.capability.core_anchors.get(position) {
                return Some(local.clone());
            }
            let message = format!("core anchor `{name}` is not supported by this host");
            self.report(Diagnostic::error("OAR-PROF-4", message), "/anchor");
            return None;
        }
        let any_host = self.capability.any_host;
        if any_host || self.capability.host_anchors.contains(name) {
            return Some(name.into());
        }
        let message =
            format!("anchor `{name}` is neither a core anchor nor in the host's catalogue");
        let mut diagnostic = Diagnostic::error("OAR-PROF-5", message);
        let known = self.capability.core_anchors().map(|(core, _)| core);
        let known = known.chain(self.capability.host_anchors());
        if let Some(similar) = self.similar(name, known, self.capability.host_anchors.len()) {
            diagnostic = diagnostic.help(format!("did you mean `{similar}`?"));
        }
        self.report(diagnostic, "/anchor");
        None
    }

    /// Everything that the rule says it needs is there ([OAR-FACT-19]).
    fn requires(&mut self) {
        for (index, node) in self.document.required_profiles.nodes.iter().enumerate() {
            let Some(profile) = node.as_str() else { continue };
            if self.capability.profiles().any(|own| own == profile) {
                continue;
            }
            let missing = match self.capability.any_host {
                true => "which is not one of the standard's",
                false => "which this host does not provide",
            };
            let message =
                format!("rule `{}` requires profile `{profile}`, {missing}", self.qualified);
            let mut diagnostic = Diagnostic::error("OAR-FACT-19", message);
            let vocabulary = Vocabulary::get();
            if vocabulary.profile(profile).is_none() {
                let known = vocabulary.profiles.iter().map(|own| own.name.as_str());
                if let Some(similar) = suggest(profile, known) {
                    diagnostic = diagnostic.help(format!("did you mean `{similar}`?"));
                }
            }
            self.report(diagnostic, &format!("/requires/profiles/{index}"));
        }
        for (index, node) in self.document.required_facts.nodes.iter().enumerate() {
            let Some(fact) = node.as_str() else { continue };
            if self.capability.environment.slot(fact).is_some() || self.may_declare(fact) {
                continue;
            }
            let missing = match self.capability.any_host {
                true => "which the standard does not declare and no host can",
                false => "which this host does not provide",
            };
            let message = format!("rule `{}` requires `{fact}`, {missing}", self.qualified);
            let mut diagnostic = Diagnostic::error("OAR-FACT-19", message);
            if let Some(help) = self.unknown_help(fact) {
                diagnostic = diagnostic.help(help);
            }
            self.report(diagnostic, &format!("/requires/facts/{index}"));
        }
    }

    /// Whether `name` can be a host's own, where no host was described: it has a namespace, which
    /// is no declared name (that is an attempt at field selection).
    fn may_declare(&self, name: &str) -> bool {
        let environment = &self.capability.environment;
        let namespace = name.rsplit_once('.').map(|(namespace, _)| namespace);
        self.capability.any_host && namespace.is_some_and(|own| environment.slot(own).is_none())
    }

    /// Takes `name` as declared by the host. It must be reached all the same ([OAR-FACT-20]).
    fn assume(&mut self, name: &str, place: impl FnOnce(&Placed<'d>, Diagnostic) -> Diagnostic) {
        if !self.assumed.insert(name.into()) {
            return;
        }
        if self.document.required_facts.contains(name) {
            return;
        }
        let message = format!("`{name}` is not reached through `requires`");
        let diagnostic = Diagnostic::error("OAR-FACT-20", message)
            .help(format!("add `{name}` to `requires.facts`"));
        let diagnostic = place(&self.placed, diagnostic);
        self.diagnostics.push(diagnostic);
    }

    /// Whether an unknown name follows from a failed `requires`, which was reported already.
    fn follows(&self, name: &str) -> bool {
        let profile = Vocabulary::get().profile_of(name);
        self.document.required_facts.contains(name)
            || profile.is_some_and(|own| self.document.required_profiles.contains(&own.name))
    }

    /// The word that `word` was most likely meant to be, unless the search has become dear.
    fn similar<'k>(
        &self,
        word: &str,
        known: impl Iterator<Item = &'k str>,
        count: usize,
    ) -> Option<String> {
        advice_is_cheap(self.diagnostics.len(), count).then(|| suggest(word, known)).flatten()
    }

    /// Advice on a name that is not declared.
    fn unknown_help(&self, name: &str) -> Option<String> {
        if let Some(profile) = Vocabulary::get().profile_of(name) {
            return Some(format!(
                "`{name}` belongs to profile `{}`, which this host does not provide",
                profile.name
            ));
        }
        let known = self.capability.environment.entries().iter().map(Entry::name);
        let count = known.len();
        self.similar(name, known, count).map(|similar| format!("did you mean `{similar}`?"))
    }

    /// Notes a use of `slot`, and complains once when the rule does not reach it ([OAR-FACT-20]).
    fn uses(&mut self, slot: u32, place: impl FnOnce(&Placed<'d>, Diagnostic) -> Diagnostic) {
        self.references.push(slot);
        let Some(entry) = self.capability.environment.entry(slot) else { return };
        if reaches(&self.document, entry) || !self.unreached.insert(slot) {
            return;
        }
        let name = entry.name();
        let message = format!("`{name}` is not reached through `requires`");
        let help = match entry.tier() {
            Tier::Profile(position) => {
                let profile = Vocabulary::get().profiles.get(usize::from(position));
                let profile = profile.map(|profile| profile.name.as_str()).unwrap_or_default();
                format!("add `{profile}` to `requires.profiles`, or `{name}` to `requires.facts`")
            }
            _ => format!("add `{name}` to `requires.facts`"),
        };
        let diagnostic = Diagnostic::error("OAR-FACT-20", message).help(help);
        let diagnostic = place(&self.placed, diagnostic);
        self.diagnostics.push(diagnostic);
    }

    /// Each clause names a declared fact of type `string` or `list<string>` ([OAR-SEL-3]).
    fn selector(&mut self) -> Vec<Clause> {
        let mut clauses = Vec::new();
        for member in self.document.selector.into_iter().flat_map(|selector| selector.iter()) {
            let name = &*member.name;
            let at = |placed: &Placed<'d>, d| placed.at_member(d, "/selector", name);
            let field = FactField {
                name,
                what: "selector clause",
                wanted: &[Type::String, Type::StringList],
                undeclared: "OAR-SEL-3",
                unfit: "OAR-SEL-3",
            };
            let Some(slot) = self.fact_field(&field, at) else { continue };
            let values: Box<[Box<str>]> = member
                .node
                .as_array()
                .unwrap_or_default()
                .iter()
                .filter_map(|value| value.as_str().map(Into::into))
                .collect();
            if values.is_empty() {
                let message =
                    format!("selector clause `{name}` is empty, so the rule is never selected");
                let warning = Diagnostic::warning("OAR-SEL-6", message);
                self.diagnostics.push(at(&self.placed, warning));
            }
            clauses.push(Clause::new(slot, values));
        }
        clauses
    }

    /// Parses, counts, type-checks and compiles `when` ([OAR-CONF-5]).
    fn condition(&mut self) -> Option<Program> {
        let node = self.document.when?;
        let limits = Limits { nodes: self.capability.expression_nodes_max, ..Limits::default() };
        let text = node.as_str()?;
        let environment = &*self.capability.environment;
        let cheap = advice_is_cheap(self.diagnostics.len(), environment.entries().len());
        let compiled = match cheap {
            true => oar_expr::compile(text, environment, &limits),
            false => oar_expr::compile(text, &Unlisted(environment), &limits),
        };
        let program = match compiled {
            Ok(program) => program,
            Err(errors) => {
                for error in errors {
                    self.condition_error(node, &error);
                }
                return None;
            }
        };
        for used in program.uses() {
            self.uses(used.slot, |placed, diagnostic| {
                let span = node.span_within(placed.file, used.span.range());
                placed.point(diagnostic, span, "/when")
            });
        }
        if program.uses().iter().any(|used| used.kind == UseKind::Function) {
            self.calls = calls::literal_calls(text, &self.capability.environment);
        }
        Some(program)
    }

    fn condition_error(&mut self, node: &Node, error: &oar_expr::Error) {
        let unknown = error.unknown_name();
        if let Some(name) = unknown.filter(|name| self.may_declare(name)) {
            let start = error.span().start;
            let name_span = start..start + u32::try_from(name.len()).unwrap_or_default();
            return self.assume(name, |placed, diagnostic| {
                let span = oar_expr::Span::new(name_span.start, name_span.end);
                placed.point(diagnostic, node.span_within(placed.file, span.range()), "/when")
            });
        }
        if unknown.is_some_and(|name| self.follows(name)) {
            return;
        }
        let mut diagnostic = Diagnostic::error(error.clause(), error.to_string());
        let belongs = unknown.filter(|name| Vocabulary::get().profile_of(name).is_some());
        let help = belongs.and_then(|name| self.unknown_help(name)).or_else(|| error.help());
        if let Some(help) = help {
            diagnostic = diagnostic.help(help);
        }
        let file = self.placed.file;
        let mut diagnostic =
            self.placed.point(diagnostic, node.span_within(file, error.span().range()), "/when");
        for related in error.related() {
            let location = crate::diagnostic::Location {
                file: std::sync::Arc::clone(file),
                span: node.span_within(file, related.span.range()),
                pointer: self.placed.pointer("/when"),
            };
            diagnostic = diagnostic.relate(location, related.message);
        }
        self.diagnostics.push(diagnostic);
    }

    /// The slot of the fact that a field names, noted as used.
    ///
    /// A name of a profile that the rule requires in vain is no second fault, unless it could not
    /// stand here in any case.
    fn fact_field(
        &mut self,
        field: &FactField<'_>,
        at: impl Fn(&Placed<'d>, Diagnostic) -> Diagnostic,
    ) -> Option<u32> {
        let FactField { name, what, .. } = *field;
        let found = self.capability.environment.named(name);
        let standard = || self.follows(name).then(|| Vocabulary::get().declaration(name)).flatten();
        let declaration = found.map(|(_, entry)| entry.declaration()).or_else(standard);
        let (code, message) = match declaration {
            Some(Declaration::Fact(ty)) if field.wanted.contains(&ty) => {
                let (slot, _) = found?;
                self.uses(slot, at);
                return Some(slot);
            }
            Some(Declaration::Fact(ty)) => {
                let wanted = one_of(field.wanted);
                (field.unfit, format!("{what} `{name}` has type {ty}, not {wanted}"))
            }
            Some(Declaration::Function { .. }) => {
                (field.unfit, format!("{what} `{name}` is a function, not a fact"))
            }
            None if self.may_declare(name) => {
                self.assume(name, at);
                return None;
            }
            None if self.follows(name) => return None,
            None => (field.undeclared, format!("{what} `{name}` is no declared fact")),
        };
        let mut diagnostic = Diagnostic::error(code, message);
        if let Some(help) = self.unknown_help(name).filter(|_| declaration.is_none()) {
            diagnostic = diagnostic.help(help);
        }
        self.diagnostics.push(at(&self.placed, diagnostic));
        None
    }

    /// A declared fact of type `string` ([OAR-FIRE-10]).
    fn counter_scope(&mut self) -> Option<u32> {
        let name = self.document.counter_scope?.as_str()?;
        let field = FactField {
            name,
            what: "counter scope",
            wanted: &[Type::String],
            undeclared: "OAR-FIRE-10",
            unfit: "OAR-FIRE-10",
        };
        self.fact_field(&field, |placed, diagnostic| placed.at(diagnostic, "/counter_scope"))
    }

    /// A target that the host can change: the content, or a fact that carries spans ([OAR-OPS-14]).
    fn transform(&mut self) -> Option<Transform> {
        let document = self.document.transform.as_ref()?;
        let (action, target) = (document.action, document.target.as_str()?);
        let replacement = document.replacement.map(Into::into);
        if !self.capability.supports_transform {
            let message =
                "`effect` is `transform`, but the host declares `supports_transform` false";
            self.report(Diagnostic::error("OAR-OPS-18", message), "/effect");
        }
        if target == "content" {
            return Some(Transform { action, target: None, replacement });
        }
        let field = FactField {
            name: target,
            what: "transform target",
            wanted: &[Type::MapList],
            undeclared: "OAR-OPS-14",
            unfit: "OAR-OPS-14",
        };
        let at = |placed: &Placed<'d>, diagnostic| placed.at(diagnostic, "/transform/target");
        let slot = self.fact_field(&field, at)?;
        Some(Transform { action, target: Some(slot), replacement })
    }

    fn copy(&mut self) -> Vec<(CopyMember, Template)> {
        let mut members = Vec::new();
        for member in self.document.copy.into_iter().flat_map(|copy| copy.iter()) {
            let Some(kind) = CopyMember::parse(&member.name) else { continue };
            let Some(text) = member.node.as_str() else { continue };
            let pointer = join_pointer("/copy", &member.name);
            let parsed = template::parse(text, &mut |named| {
                self.copy_name(named, &member.node, &pointer).unwrap_or_default()
            });
            match parsed {
                Ok(template) => members.push((kind, template)),
                Err(error) => {
                    let span = member.node.span_within(self.placed.file, error.range);
                    let diagnostic = Diagnostic::error("OAR-COPY-3", error.message);
                    self.diagnostics.push(self.placed.point(diagnostic, span, &pointer));
                }
            }
        }
        members.sort_by_key(|(kind, _)| *kind as usize);
        members
    }

    /// A name in copy: a declared fact, of a type that can be written out if it is ([OAR-COPY-2], [OAR-COPY-4]).
    fn copy_name(&mut self, named: &Named<'_>, node: &Node, pointer: &str) -> Option<u32> {
        let name = named.name;
        // Finding a place scans the text: it is done for faults alone, and for the first of them.
        let exact = self.diagnostics.len() < EXACT;
        let at = |placed: &Placed<'d>, diagnostic| {
            let within = || node.span_within(placed.file, named.range.clone());
            placed.point(diagnostic, if exact { within() } else { node.span }, pointer)
        };
        let field = FactField {
            name,
            what: if named.bound { "copy binding" } else { "copy condition" },
            wanted: if named.bound { WRITTEN } else { &Type::ALL },
            undeclared: "OAR-COPY-2",
            unfit: "OAR-COPY-4",
        };
        self.fact_field(&field, at)
    }

    /// The window is as long as the flow at least ([OAR-FACT-13], [OAR-PROF-3]).
    fn flow(&mut self) {
        let steps = self.document.flow.and_then(Node::as_array).map_or(0, <[_]>::len);
        let window = self.capability.activity_window;
        if steps > window {
            let code = if window == 0 { "OAR-PROF-3" } else { "OAR-FACT-13" };
            let message =
                format!("`flow` has {steps} steps, and the host's `activity_window` is {window}");
            self.report(Diagnostic::error(code, message), "/flow");
        }
    }

    /// The host has registered the detector ([OAR-OPS-12]).
    fn detector(&mut self) {
        let Some(reference) = self.document.detector.and_then(Node::as_str) else { return };
        debug_assert!(self.document.kind == Kind::Detector, "the reader holds the two together");
        let any_host = self.capability.any_host;
        if any_host || self.capability.detectors.contains(reference) {
            return;
        }
        let message = format!("detector `{reference}` is not registered by this host");
        let mut diagnostic = Diagnostic::error("OAR-OPS-12", message);
        let (known, count) = (self.capability.detectors(), self.capability.detectors.len());
        if let Some(similar) = self.similar(reference, known, count) {
            diagnostic = diagnostic.help(format!("did you mean `{similar}`?"));
        }
        self.report(diagnostic, "/detector/ref");
    }
}

/// How many faults there may be before one in copy is told at its text as a whole.
const EXACT: usize = 1000;

/// The names of the host without a list to search for similar ones.
struct Unlisted<'e>(&'e Environment);

impl Symbols for Unlisted<'_> {
    fn symbol(&self, name: &str) -> Option<Symbol> {
        self.0.symbol(name)
    }

    fn names(&self, _: &mut dyn FnMut(&str)) {}
}

/// A field that names a fact.
struct FactField<'f> {
    name: &'f str,
    /// What messages call the field.
    what: &'f str,
    /// The types that a fact may have there.
    wanted: &'f [Type],
    /// The clause for a name that is no declared fact.
    undeclared: &'static str,
    /// The clause for a function, or a fact of another type.
    unfit: &'static str,
}

/// The types that copy can write out ([OAR-COPY-4]).
const WRITTEN: &[Type] = &[Type::Bool, Type::Int, Type::Double, Type::String, Type::StringList];

/// `string`, or `bool, int or string`.
fn one_of(types: &[Type]) -> String {
    match types {
        [] => String::new(),
        [only] => only.to_string(),
        [first @ .., last] => {
            let first: Vec<_> = first.iter().map(Type::to_string).collect();
            format!("{} or {last}", first.join(", "))
        }
    }
}

/// Whether a slot reads the rule's own counters.
pub(crate) fn is_counter(entry: Option<&Entry>) -> bool {
    let derivation = entry.and_then(|entry| entry.derivation);
    matches!(derivation, Some(Derivation::FireCount | Derivation::BreakerCount))
}
