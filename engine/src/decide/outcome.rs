//! What an occurrence resolved to, and everything that led there.

use std::fmt;

use super::Unrecorded;
use super::copy;
use super::evaluate::Record;
use super::facts::{Asking, Facts, Overlay};
use super::report::Report;
use super::trace::TraceEntry;
use super::transform::SkippedSpan;
use crate::document::rule::{Action, CopyMember, Effect, TransformAction};
use crate::load::Rule;
use crate::state::{CounterChange, CounterKey, Event};

/// The effect that an occurrence resolves to ([OAR-EVAL-6]), the weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Decision {
    /// The occurrence is allowed.
    None,
    /// An operator should see something.
    Warn,
    /// The agent should change its next step.
    Nudge,
    /// The content is changed.
    Transform,
    /// The occurrence is stopped.
    Block,
}

impl Decision {
    /// The word for it in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Warn => "warn",
            Self::Nudge => "nudge",
            Self::Transform => "transform",
            Self::Block => "block",
        }
    }

    pub(crate) fn of(effect: Effect) -> Self {
        match effect {
            Effect::Block => Self::Block,
            Effect::Warn => Self::Warn,
            Effect::Nudge => Self::Nudge,
            Effect::Transform => Self::Transform,
            Effect::Allow => Self::None,
        }
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The decision and the rule that it names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Winner {
    pub(crate) decision: Decision,
    pub(crate) rank: Option<u32>,
}

/// A side-effect that was applied.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Applied {
    pub(crate) rank: u32,
    pub(crate) action: Action,
}

/// What a rule's actions did to its counters.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) rank: u32,
    pub(crate) scope: Option<String>,
    pub(crate) change: CounterChange,
}

/// One item of `advisories` ([OAR-EVAL-20]).
#[derive(Clone, Debug)]
pub struct Advisory<'o> {
    /// The bare identifier.
    pub code: &'o str,
    /// The qualified identifier.
    pub rule: &'o str,
    /// The rule's rendered copy ([OAR-COPY-9]).
    pub copy: RenderedCopy,
}

/// Rendered copy: the members that the rule has, in the standard's order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RenderedCopy(Vec<(CopyMember, String)>);

impl RenderedCopy {
    /// A member's text.
    #[must_use]
    pub fn get(&self, member: CopyMember) -> Option<&str> {
        self.0.iter().find(|(own, _)| *own == member).map(|(_, text)| text.as_str())
    }

    /// Every member that is there.
    pub fn iter(&self) -> impl Iterator<Item = (CopyMember, &str)> {
        self.0.iter().map(|(member, text)| (*member, text.as_str()))
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The counters that a rule's actions changed, under the spelling of [OAR-CONF-33].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterReport<'o> {
    /// Which counters.
    pub key: CounterKey<'o>,
    /// What they were and are.
    pub change: CounterChange,
}

/// What one occurrence resolved to.
///
/// It borrows from the rule set and the occurrence; copy is rendered when it is asked for.
/// [`report`](Self::report) gives an owned form that serialises as section 10.2 names it.
pub struct Outcome<'o> {
    facts: Facts<'o>,
    record: Record<'o>,
    winner: Winner,
}

impl<'o> Outcome<'o> {
    /// An outcome that is still to be worked out.
    pub(super) fn open(facts: Facts<'o>) -> Self {
        let winner = Winner { decision: Decision::None, rank: None };
        Self { facts, record: Record::default(), winner }
    }

    /// What working it out reads and writes.
    pub(super) fn parts(&mut self) -> (&Facts<'o>, &mut Record<'o>) {
        (&self.facts, &mut self.record)
    }

    /// Settles the decision and the content, when every rule has been evaluated.
    pub(super) fn settle(&mut self) {
        self.winner = self.record.winner(self.facts.rules);
        // A block discards the transforms and their skips ([OAR-OPS-17], [OAR-OPS-23]).
        if self.winner.decision == Decision::Transform {
            self.record.transform(&self.facts);
        }
    }

    pub(crate) fn facts(&self) -> &Facts<'o> {
        &self.facts
    }

    pub(crate) fn record(&self) -> &Record<'o> {
        &self.record
    }

    /// What the occurrence resolves to ([OAR-EVAL-6]).
    #[must_use]
    pub fn decision(&self) -> Decision {
        self.winner.decision
    }

    fn rule_at(&self, rank: u32) -> Option<&'o Rule> {
        self.facts.rules.rule(rank)
    }

    /// The bare identifier that the decision carries, for display ([OAR-EVAL-8], [OAR-EVAL-9]).
    #[must_use]
    pub fn code(&self) -> Option<&'o str> {
        self.rule_at(self.winner.rank?).map(Rule::id)
    }

    /// The qualified identifier that the decision carries ([OAR-EVAL-19]).
    #[must_use]
    pub fn rule(&self) -> Option<&'o str> {
        self.rule_at(self.winner.rank?).map(|rule| &*rule.qualified)
    }

    /// Whether the decision is a block because a rule could not be evaluated ([OAR-OPS-3]).
    #[must_use]
    pub fn is_error_block(&self) -> bool {
        self.record.more().error_block.is_some()
    }

    /// Why the host's audit sink has refused the record of this occurrence, if it has. The
    /// decision is then a block that names no rule, unless the host has said that it stands
    /// ([`Unrecorded`](super::Unrecorded)); what rules did stands in any case.
    #[must_use]
    pub fn unrecorded(&self) -> Option<&str> {
        self.record.more().unrecorded.as_deref()
    }

    /// Notes that there is no record.
    pub(super) fn refuse_record(&mut self, reason: String, then: Unrecorded) {
        let more = self.record.more_mut();
        more.unrecorded = Some(reason);
        if then == Unrecorded::Block && self.winner.decision != Decision::Block {
            // As with any block, transforms are discarded ([OAR-OPS-17]).
            more.content = None;
            self.winner = Winner { decision: Decision::Block, rank: None };
        }
    }

    /// The applied-rules trace, in the order of evaluation ([OAR-OPS-9], [OAR-OPS-10]).
    pub fn trace(&self) -> impl Iterator<Item = TraceEntry<'_>> {
        // The failures stand in the order of the trace.
        let mut failures = self.record.more().failures.iter().peekable();
        self.record.trace.entries(self.facts.rules).map(move |(rank, rule, outcome)| {
            let failure = failures.next_if(|(own, _)| *own == rank);
            TraceEntry {
                rule: &rule.qualified,
                outcome,
                failure: failure.map(|(_, fault)| &**fault),
            }
        })
    }

    /// The qualified identifiers of the enforced rules that fired, in the order of evaluation.
    pub fn fired(&self) -> impl Iterator<Item = &'o str> {
        let rules = self.facts.rules;
        self.record.trace.fired().filter_map(|rank| Some(&*rules.rule(rank)?.qualified))
    }

    /// The rendered copy of the rule that the decision names ([OAR-COPY-7]); empty for a rule
    /// without copy, for no decision, and where an error block's copy cannot be rendered
    /// ([OAR-COPY-11]).
    #[must_use]
    pub fn copy(&self) -> RenderedCopy {
        self.winner.rank.map(|rank| self.copy_of(rank)).unwrap_or_default()
    }

    fn copy_of(&self, rank: u32) -> RenderedCopy {
        let Some(rule) = self.rule_at(rank) else { return RenderedCopy::default() };
        let overlays = &self.record.more().overlays;
        let overlay = overlays.binary_search_by_key(&rank, |(own, _)| *own).ok();
        let overlay =
            overlay.and_then(|position| overlays.get(position)).or(self.failed_overlay(rank));
        // What it says of its own detector is told of its own evaluation: in another rule's error
        // block it is that of the occurrence, whether or not it was evaluated before.
        let stands_in = self.record.more().error_block.is_some_and(|block| block.failed != rank);
        let overlay = overlay.filter(|_| !stands_in).map(|(_, overlay)| overlay);
        let asking = Asking { facts: &self.facts, rank, overlay, ledger: None };
        if self.record.more().error_block.is_some_and(|block| block.unobserved) {
            return RenderedCopy::default();
        }
        let render = |(member, template): &(CopyMember, _)| {
            copy::render(template, &asking).ok().map(|text| (*member, text))
        };
        // One member that fails leaves the whole object out.
        let members: Option<Vec<_>> = rule.copy().iter().map(render).collect();
        RenderedCopy(members.unwrap_or_default())
    }

    /// What the detector of a rule reported before the rule failed and made an error block.
    fn failed_overlay(&self, rank: u32) -> Option<&(u32, Overlay)> {
        let more = self.record.more();
        more.error_block.filter(|block| block.failed == rank)?;
        more.passing_overlays.last().filter(|(own, _)| *own == rank)
    }

    /// Every enforced rule that fired with the decision's effect, when that is nudge or warn
    /// ([OAR-EVAL-20]).
    pub fn advisories(&self) -> impl Iterator<Item = Advisory<'_>> {
        let advisory = matches!(self.winner.decision, Decision::Nudge | Decision::Warn);
        let fired = advisory.then(|| self.record.trace.fired());
        fired.into_iter().flatten().filter_map(|rank| {
            let rule = self.rule_at(rank)?;
            (Decision::of(rule.effect) == self.winner.decision).then(|| Advisory {
                code: rule.id(),
                rule: &rule.qualified,
                copy: self.copy_of(rank),
            })
        })
    }

    /// The side-effects that were applied, in order: the rule and the action ([OAR-FIRE-8]).
    pub fn on_fire(&self) -> impl Iterator<Item = (&'o str, Action)> {
        self.record
            .more()
            .applied
            .iter()
            .filter_map(|applied| Some((&*self.rule_at(applied.rank)?.qualified, applied.action)))
    }

    /// The counters that the actions wrote, in order.
    pub fn counters(&self) -> impl Iterator<Item = CounterReport<'_>> {
        self.record.more().changes.iter().filter_map(|change| {
            let rule = &*self.rule_at(change.rank)?.qualified;
            let key = CounterKey { rule, scope: change.scope.as_deref() };
            Some(CounterReport { key, change: change.change })
        })
    }

    /// The records that were published, in order ([OAR-FIRE-7]); their session is left empty.
    pub fn events(&self) -> impl Iterator<Item = Event<'_>> {
        self.record.more().events.iter().filter_map(|rank| {
            let rule = self.rule_at(*rank)?;
            let anchor = self.facts.occurrence.anchor();
            Some(Event { rule: &rule.qualified, anchor, effect: rule.effect, session: "" })
        })
    }

    /// The accumulated transforms, when the decision is transform ([OAR-OPS-15]): the rule, the
    /// action, the target's name and the replacement as the rule has it.
    pub fn transforms(&self) -> impl Iterator<Item = AccumulatedTransform<'o>> {
        let decided = self.winner.decision == Decision::Transform;
        let planned = if decided { self.record.more().transforms.as_slice() } else { &[] };
        let rules = self.facts.rules;
        planned.iter().filter_map(move |planned| {
            let rule = rules.rule(planned.rank)?;
            let transform = rule.transform()?;
            let target = match transform.target {
                None => "content",
                Some(slot) => rules.environment().entry(slot)?.name(),
            };
            Some(AccumulatedTransform {
                rule: &rule.qualified,
                action: transform.action,
                target,
                replacement: transform.replacement.as_deref(),
            })
        })
    }

    /// The spans that were not applied ([OAR-OPS-23]).
    pub fn skipped_transforms(&self) -> impl Iterator<Item = SkippedSpan<'o>> {
        let content = self.record.more().content.as_ref();
        let skipped = content.map(|content| content.skipped.as_slice());
        let rules = self.facts.rules;
        skipped.unwrap_or_default().iter().filter_map(move |(rank, range)| {
            let rule = &*rules.rule(*rank)?.qualified;
            Some(SkippedSpan { rule, start: range.start, end: range.end })
        })
    }

    /// The content to deliver: transformed when the decision is transform, else as it was.
    ///
    /// `None` where there is nothing to deliver: the occurrence has no content, or the decision
    /// is a block ([OAR-OPS-17], [OAR-PROF-10]).
    #[must_use]
    pub fn content(&self) -> Option<&str> {
        self.content_after().filter(|_| self.winner.decision != Decision::Block)
    }

    /// The content to deliver in parts, for a host that put it together from parts of these
    /// lengths in code points: a rewritten range that reaches over a boundary is rewritten in
    /// each part that it touches, and nothing moves from one part into another.
    ///
    /// `None` where the decision is not transform: the parts are to be delivered as they were,
    /// or not at all.
    #[must_use]
    pub fn content_parts(&self, lengths: &[usize]) -> Option<Vec<String>> {
        let decided = self.winner.decision == Decision::Transform;
        decided.then(|| self.record.transformed_parts(&self.facts, lengths)).flatten()
    }

    /// The content after the transforms, a block included, as [OAR-CONF-34] compares it.
    pub(crate) fn content_after(&self) -> Option<&str> {
        match &self.record.more().content {
            Some(content) => Some(&content.content),
            None => self.facts.occurrence.content,
        }
    }

    /// An owned report in the shape of section 10.2.
    #[must_use]
    pub fn report(&self) -> Report {
        Report::new(self)
    }
}

/// A transform of the accumulated list ([OAR-OPS-15]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccumulatedTransform<'o> {
    /// The qualified identifier of the rule.
    pub rule: &'o str,
    /// What it does.
    pub action: TransformAction,
    /// `content`, or the fact that carries the spans.
    pub target: &'o str,
    /// The replacement, where the rule gives one.
    pub replacement: Option<&'o str>,
}

impl fmt::Debug for Outcome<'_> {
    /// Decision and trace; no facts and no content.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let trace: Vec<String> = self.trace().map(|entry| entry.to_string()).collect();
        f.debug_struct("Outcome")
            .field("decision", &self.decision())
            .field("rule", &self.rule())
            .field("trace", &trace)
            .finish_non_exhaustive()
    }
}
