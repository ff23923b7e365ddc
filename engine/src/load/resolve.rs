//! References between rules, closed over the whole set ([OAR-CONF-6]).

use std::collections::HashMap;

use oar_expr::Programs;

use super::capability::Capability;
use super::draft::{Draft, is_counter};
use super::failed::Failed;
use super::rule_set::{CounterTarget, OnError, Rest, Rule};
use crate::diagnostic::{Diagnostic, Location, suggest};
use crate::document::names::qualified;
use crate::document::rule::Enforcement;
use crate::document::source::Node;
use crate::observe::Derivation;

/// The rules in base order, each with the host-local name of its anchor.
pub(crate) struct Resolved {
    pub(crate) rules: Vec<Rule>,
    pub(crate) conditions: Programs,
    pub(crate) anchors: Vec<Box<str>>,
}

/// What the references of a set resolve to.
struct Links {
    overrides: Vec<Vec<u32>>,
    on_error: Vec<OnError>,
    counters: Vec<Vec<CounterTarget>>,
}

/// Resolves everything that one rule says of another.
///
/// `failed` holds the qualified identifiers of rules whose own documents did not load: naming
/// one is no second fault.
pub(crate) fn resolve(
    mut drafts: Vec<Draft<'_>>,
    failed: &Failed,
    capability: &Capability,
    diagnostics: &mut Vec<Diagnostic>,
) -> Resolved {
    refuse_twins(&drafts, diagnostics);
    // The base order of [OAR-EVAL-1]; strings compare by code point as their UTF-8 does.
    drafts.sort_by(|a, b| (a.document.kind, &a.qualified).cmp(&(b.document.kind, &b.qualified)));
    let by_name = ranks(&drafts);
    let links = {
        let mut resolver =
            Resolver { drafts: &drafts, by_name: &by_name, failed, capability, diagnostics };
        resolver.links()
    };
    refuse_cycles(&drafts, &links.overrides, diagnostics);
    let anchors = drafts.iter().map(|draft| draft.local_anchor.clone()).collect();
    let scopes: Vec<Option<u32>> = drafts.iter().map(|draft| draft.scope).collect();
    let mut rules = Vec::with_capacity(drafts.len());
    let mut conditions = Programs::new();
    let mut roomy = true;
    let links = links.overrides.into_iter().zip(links.on_error).zip(links.counters);
    for (rank, (draft, ((overrides, on_error), counters))) in
        (0..).zip(drafts.into_iter().zip(links))
    {
        let condition = draft.program.as_ref().and_then(|program| conditions.push(program));
        roomy &= condition.is_some() || draft.program.is_none();
        let mut rule = finish(rank, draft, overrides, on_error, counters, &scopes, capability);
        rule.condition = condition;
        rules.push(rule);
    }
    if !roomy {
        let message = "the conditions of all rules together are too long";
        diagnostics.push(Diagnostic::error("limit", message));
    }
    conditions.shrink();
    Resolved { rules, conditions, anchors }
}

/// Refuses every rule whose qualified identifier an earlier document has ([OAR-DOC-9]).
fn refuse_twins(drafts: &[Draft<'_>], diagnostics: &mut Vec<Diagnostic>) {
    let mut first: HashMap<&str, &Draft<'_>> = HashMap::with_capacity(drafts.len());
    for draft in drafts {
        let earlier = *first.entry(&draft.qualified).or_insert(draft);
        if std::ptr::eq(earlier, draft) {
            continue;
        }
        let message = format!("rule `{}` is loaded twice", draft.qualified);
        let diagnostic = draft.placed.at(Diagnostic::error("OAR-DOC-9", message), "/id");
        let location = Location {
            file: std::sync::Arc::clone(earlier.placed.file),
            span: earlier.document.id.span,
            pointer: earlier.placed.pointer("/id"),
        };
        diagnostics.push(diagnostic.relate(location, "first loaded here"));
    }
}

/// The rank of each qualified identifier.
fn ranks(drafts: &[Draft<'_>]) -> HashMap<String, u32> {
    let mut by_name = HashMap::with_capacity(drafts.len());
    for (rank, draft) in (0_u32..).zip(drafts) {
        by_name.entry(draft.qualified.clone()).or_insert(rank);
    }
    by_name
}

struct Resolver<'r, 'd> {
    drafts: &'r [Draft<'d>],
    by_name: &'r HashMap<String, u32>,
    failed: &'r Failed,
    capability: &'r Capability,
    diagnostics: &'r mut Vec<Diagnostic>,
}

impl Resolver<'_, '_> {
    fn links(&mut self) -> Links {
        let mut links = Links { overrides: Vec::new(), on_error: Vec::new(), counters: Vec::new() };
        for draft in self.drafts {
            links.overrides.push(self.overrides(draft));
            links.on_error.push(self.on_error(draft));
            links.counters.push(self.counters(draft));
        }
        links
    }

    /// The rule that `reference` of `draft` names, bare ones in its own namespace ([OAR-EVAL-13]).
    /// `Err` holds the qualified identifier of a rule that is not loaded.
    fn find(&self, draft: &Draft<'_>, reference: &str) -> Result<u32, Option<String>> {
        let name = if reference.contains('/') {
            reference.to_owned()
        } else {
            qualified(draft.document.namespace, reference)
        };
        match self.by_name.get(&name) {
            Some(rank) => Ok(*rank),
            None if self.failed.covers(&name) => Err(None),
            None => Err(Some(name)),
        }
    }

    fn missing(reference: &str, name: &str) -> String {
        if reference == name {
            format!("`{reference}` is not loaded")
        } else {
            format!("`{reference}` means `{name}`, which is not loaded")
        }
    }

    /// `diagnostic` about the rule `name` that is not loaded, with one that may be meant.
    fn advised(&self, diagnostic: Diagnostic, name: &str) -> Diagnostic {
        let id = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
        let names = || self.drafts.iter().map(|draft| draft.qualified.as_str());
        if let Some(elsewhere) = names().find(|own| id(own) == id(name)) {
            return diagnostic.help(format!("another namespace has it: `{elsewhere}`"));
        }
        match suggest(name, names()) {
            Some(similar) => diagnostic.help(format!("did you mean `{similar}`?")),
            None => diagnostic,
        }
    }

    fn overrides(&mut self, draft: &Draft<'_>) -> Vec<u32> {
        let mut ranks = Vec::new();
        for (index, node) in draft.document.overrides.iter().enumerate() {
            let Some(reference) = node.as_str() else { continue };
            let pointer = format!("/overrides/{index}");
            match self.find(draft, reference) {
                Ok(rank) => {
                    let target = self.drafts.get(rank as usize);
                    if let Some(target) = target.filter(|target| target.document.mandatory) {
                        let message = format!(
                            "rule `{}` is mandatory and cannot be overridden",
                            target.qualified
                        );
                        let diagnostic =
                            draft.placed.at(Diagnostic::error("OAR-EVAL-17", message), &pointer);
                        self.diagnostics.push(diagnostic);
                    }
                    ranks.push(rank);
                }
                Err(Some(name)) => {
                    let message = format!("override {}", Self::missing(reference, &name));
                    let diagnostic = Diagnostic::error("OAR-EVAL-13", message);
                    let diagnostic = self.advised(diagnostic, &name);
                    self.diagnostics.push(draft.placed.at(diagnostic, &pointer));
                }
                Err(None) => {}
            }
        }
        ranks.sort_unstable();
        ranks.dedup();
        ranks
    }

    fn on_error(&mut self, draft: &Draft<'_>) -> OnError {
        match draft.document.on_error.and_then(Node::as_str) {
            None | Some("fail_closed") => OnError::FailClosed,
            Some("fail_open") => OnError::FailOpen,
            Some(reference) => match self.find(draft, reference) {
                Ok(rank) => OnError::Substitute(rank),
                Err(name) => {
                    if let Some(name) = name {
                        let message = format!("on_error {}", Self::missing(reference, &name));
                        let diagnostic = Diagnostic::error("OAR-OPS-5", message);
                        let diagnostic = self.advised(diagnostic, &name);
                        self.diagnostics.push(draft.placed.at(diagnostic, "/on_error"));
                    }
                    OnError::FailClosed
                }
            },
        }
    }

    /// The counters that the condition reads of other rules ([OAR-FIRE-11]).
    fn counters(&mut self, draft: &Draft<'_>) -> Vec<CounterTarget> {
        let mut targets = Vec::new();
        let environment = &self.capability.environment;
        for reference in draft.program.iter().flat_map(oar_expr::Program::references) {
            let entry = environment.entry(reference.slot);
            let breaker = entry.and_then(|e| e.derivation) == Some(Derivation::BreakerCountOf);
            let reader = entry.map(super::Entry::name).unwrap_or_default();
            let argument = &*reference.argument;
            let fault = match self.find(draft, argument) {
                Ok(rank) => {
                    targets.push(CounterTarget { rank, breaker });
                    let message = self.unreached_scope(draft, rank);
                    message.map(|message| Diagnostic::error("OAR-FIRE-11", message))
                }
                Err(Some(name)) => {
                    let message = format!("`{reader}`: {}", Self::missing(argument, &name));
                    Some(self.advised(Diagnostic::error("OAR-FIRE-11", message), &name))
                }
                Err(None) => None,
            };
            if let (Some(diagnostic), Some(node)) = (fault, draft.document.when) {
                let span = node.span_within(draft.placed.file, reference.argument_span.range());
                self.diagnostics.push(draft.placed.point(diagnostic, span, "/when"));
            }
        }
        targets
    }

    /// The reader must itself reach the fact that scopes the counter it reads.
    fn unreached_scope(&self, reader: &Draft<'_>, target: u32) -> Option<String> {
        let target = self.drafts.get(target as usize)?;
        let entry = self.capability.environment.entry(target.scope?)?;
        (!reader.reaches(entry)).then(|| {
            format!(
                "the counter of `{}` is scoped by `{}`, which is not reached through `requires`",
                target.qualified,
                entry.name()
            )
        })
    }
}

/// Refuses sets of rules that suppress one another in a circle ([OAR-EVAL-16]).
///
/// Rules that no circle holds are taken away until none is left to take: from the front those
/// that nothing left suppresses, then from the back those that suppress nothing left.
fn refuse_cycles(drafts: &[Draft<'_>], overrides: &[Vec<u32>], diagnostics: &mut Vec<Diagnostic>) {
    let count = overrides.len();
    let mut reversed = vec![Vec::new(); count];
    for (rank, targets) in (0_u32..).zip(overrides) {
        for target in targets {
            if let Some(suppressors) = reversed.get_mut(*target as usize) {
                suppressors.push(rank);
            }
        }
    }
    let mut left = vec![true; count];
    peel(overrides, &reversed, &mut left);
    peel(&reversed, overrides, &mut left);
    let mut seen = vec![false; count];
    for start in (0_u32..).zip(&left).filter(|(_, left)| **left).map(|(rank, _)| rank) {
        if let Some(cycle) = walk(start, overrides, &left, &mut seen) {
            let names: Vec<String> = cycle
                .iter()
                .chain(cycle.first())
                .filter_map(|rank| drafts.get(*rank as usize))
                .map(|draft| format!("`{}`", draft.qualified))
                .collect();
            let Some(first) = cycle.first().and_then(|rank| drafts.get(*rank as usize)) else {
                continue;
            };
            let message = format!("overrides form a cycle: {}", names.join(" overrides "));
            diagnostics
                .push(first.placed.at(Diagnostic::error("OAR-EVAL-16", message), "/overrides"));
        }
    }
}

/// Takes away every node without an incoming edge from one that is left.
fn peel(edges: &[Vec<u32>], incoming: &[Vec<u32>], left: &mut [bool]) {
    let live = |left: &[bool], rank: &u32| left.get(*rank as usize).copied().unwrap_or_default();
    let mut degree: Vec<usize> =
        incoming.iter().map(|from| from.iter().filter(|rank| live(left, rank)).count()).collect();
    let mut ready: Vec<u32> = (0_u32..)
        .zip(&degree)
        .filter(|(rank, d)| **d == 0 && live(left, rank))
        .map(|(rank, _)| rank)
        .collect();
    while let Some(rank) = ready.pop() {
        if let Some(own) = left.get_mut(rank as usize) {
            *own = false;
        }
        for target in edges.get(rank as usize).into_iter().flatten() {
            let Some(degree) = degree.get_mut(*target as usize) else { continue };
            *degree = degree.saturating_sub(1);
            if *degree == 0 && live(left, target) {
                ready.push(*target);
            }
        }
    }
}

/// Follows edges among what is left until a node comes back; `None` when it meets an earlier walk.
fn walk(start: u32, edges: &[Vec<u32>], left: &[bool], seen: &mut [bool]) -> Option<Vec<u32>> {
    let mut position = HashMap::new();
    let mut path = Vec::new();
    let mut current = start;
    loop {
        if let Some(at) = position.get(&current) {
            return path.get(*at..).map(<[u32]>::to_vec);
        }
        let visited = seen.get_mut(current as usize)?;
        if std::mem::replace(visited, true) {
            return None;
        }
        position.insert(current, path.len());
        path.push(current);
        let next = edges.get(current as usize)?.iter();
        current = *next.clone().find(|rank| left.get(**rank as usize) == Some(&true))?;
    }
}

fn finish(
    rank: u32,
    draft: Draft<'_>,
    overrides: Vec<u32>,
    on_error: OnError,
    counters: Vec<CounterTarget>,
    scopes: &[Option<u32>],
    capability: &Capability,
) -> Rule {
    let document = draft.document;
    let mut references = draft.references;
    let target_scopes = counters.iter().filter_map(|target| *scopes.get(target.rank as usize)?);
    references.extend(target_scopes);
    references.sort_unstable();
    references.dedup();
    let mut counters_read: Vec<u32> = counters.iter().map(|target| target.rank).collect();
    if references.iter().any(|slot| is_counter(capability.environment.entry(*slot))) {
        counters_read.push(rank);
    }
    counters_read.sort_unstable();
    counters_read.dedup();
    let strings = |node: Option<&Node>| -> Box<[Box<str>]> {
        let items = node.and_then(Node::as_array).unwrap_or_default();
        items.iter().filter_map(|item| item.as_str().map(Into::into)).collect()
    };
    let condition_names = match (document.detector, &draft.program) {
        (Some(_), Some(program)) => program.uses().iter().map(|used| used.slot).collect(),
        _ => Box::default(),
    };
    let rest = Rest {
        flow: strings(document.flow),
        on_fire: document.on_fire.into(),
        overrides: overrides.into(),
        transform: draft.transform,
        detector: document.detector.and_then(Node::as_str).map(Into::into),
        condition_names,
        scope: draft.scope,
        counter_targets: counters.into(),
        counters_read: counters_read.into(),
        calls: draft.calls.into(),
        copy: draft.copy.into(),
    };
    let plain = rest.flow.is_empty()
        && rest.on_fire.is_empty()
        && rest.overrides.is_empty()
        && rest.transform.is_none()
        && rest.detector.is_none()
        && rest.scope.is_none()
        && rest.counters_read.is_empty()
        && rest.calls.is_empty()
        && rest.copy.is_empty();
    let id = document.id.as_str().unwrap_or_default().len();
    Rule {
        id_start: u32::try_from(draft.qualified.len() - id).unwrap_or_default(),
        qualified: draft.qualified.into(),
        kind: document.kind,
        effect: document.effect,
        declared: document.enforcement,
        enforcement: document.enforcement,
        mandatory: document.mandatory,
        direct: rest.flow.is_empty() && rest.detector.is_none(),
        on_error,
        condition: None,
        selector: draft.selector.into(),
        references: references.into(),
        rest: (!plain).then(|| Box::new(rest)),
    }
}

/// Whether `over` in place of `own` makes a mandatory rule weaker ([OAR-CFG-5]).
pub(crate) fn downgrades(own: Enforcement, over: Enforcement) -> bool {
    matches!(
        (own, over),
        (Enforcement::Enforce, Enforcement::Monitor | Enforcement::Off)
            | (Enforcement::Monitor, Enforcement::Off)
    )
}
