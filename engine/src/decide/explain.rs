//! Why each rule did what it did at one occurrence.
//!
//! The occurrence is decided as always; what is told here is worked out afterwards from the same
//! observations. A condition is evaluated a second time by the explaining evaluator, which comes
//! to the same result.

use oar_expr::{Explanation, Limits, Seen, Value};

use super::evaluate::Record;
use super::facts::{Asking, Facts};
use super::outcome::Outcome;
use super::select::{Faults, select};
use super::trace::TraceOutcome;
use super::{Failure, Host};
use crate::document::rule::Enforcement;
use crate::load::{OnError, Rule, RuleTexts, RuleView};
use crate::observe::Occurrence;
use crate::state::Session;

/// Why a rule did what it did.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RuleExplanation<'o> {
    /// The rule.
    pub rule: RuleView<'o>,
    /// What became of it.
    pub end: End<'o>,
    /// Its place in the order of evaluation, and in the base order of the selected rules, both
    /// counted from 0; `None` for a rule that is not selected ([OAR-EVAL-1], [OAR-EVAL-18]).
    pub places: Option<(usize, usize)>,
    /// Its selector, clause by clause.
    pub selector: Vec<ClauseExplanation<'o>>,
    /// Its flow, for a rule that was evaluated and has one.
    pub flow: Option<FlowExplanation<'o>>,
    /// Its condition, for a rule whose condition was evaluated.
    pub condition: Option<ConditionExplanation<'o>>,
    /// Why it could not be evaluated, where it could not.
    pub failure: Option<&'o Failure>,
    /// What happens then: `fail_closed`, `fail_open`, or the rule that stands in.
    pub on_error: &'o str,
    /// The rules that it suppresses when it fires.
    pub overrides: Vec<&'o str>,
    /// The host's own name for the moment of the rule.
    pub anchor: &'o str,
}

/// What became of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum End<'o> {
    /// It is for another moment.
    OtherAnchor,
    /// It is off ([OAR-CFG-2]).
    Off,
    /// A clause of its selector did not match.
    NotSelected,
    /// The occurrence ended with another rule before its turn came ([OAR-EVAL-4]).
    NotReached {
        /// The rule that ended it.
        after: &'o str,
    },
    /// A rule that fired suppressed it ([OAR-EVAL-14]).
    Suppressed {
        /// The rule that did.
        by: &'o str,
    },
    /// It was evaluated, and its trace says this.
    Traced(TraceOutcome),
}

/// One clause of a selector ([OAR-SEL-1]).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClauseExplanation<'o> {
    /// The fact.
    pub fact: &'o str,
    /// The values that match.
    pub wanted: Vec<&'o str>,
    /// The value it had.
    pub value: Result<Seen, Box<Failure>>,
    /// Whether it matched.
    pub matched: bool,
}

/// The flow of a rule against the recent activity ([OAR-FACT-12]).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FlowExplanation<'o> {
    /// Each step with its position in the window, as far as they were found in order.
    pub steps: Vec<(&'o str, Option<usize>)>,
    /// The recent activity that counts, oldest first.
    pub window: Vec<String>,
}

impl FlowExplanation<'_> {
    /// Whether every step was found.
    #[must_use]
    pub fn matched(&self) -> bool {
        self.steps.iter().all(|(_, found)| found.is_some())
    }
}

/// A condition and what its parts came to.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConditionExplanation<'o> {
    /// The text, as it reads without the quoting of its document.
    pub text: &'o str,
    /// The tree and the values; its places are in `text`.
    pub explanation: Explanation<Box<Failure>>,
}

impl Host {
    /// Decides one occurrence as [`decide`](Self::decide) does, and tells of every rule why it
    /// did what it did: in the order of evaluation, then those that were not selected.
    ///
    /// It evaluates every condition twice and allocates freely: it is for people, not for the
    /// way of every call.
    pub fn explain<'o>(
        &'o self,
        session: &mut Session,
        occurrence: &'o Occurrence<'_>,
        texts: &'o RuleTexts,
        tell: impl FnOnce(&Outcome<'o>, &[RuleExplanation<'_>]),
    ) {
        let capability = occurrence.rules.capability();
        let window: Vec<String> = match &occurrence.activity {
            Some(explicit) => {
                let skipped = explicit.len().saturating_sub(capability.activity_window());
                explicit.iter().skip(skipped).map(|step| (*step).to_owned()).collect()
            }
            None => match self.activity.as_deref() {
                // A rule that could not read it is errored, and its explanation says so.
                Some(store) => {
                    session.recent_in(store, capability.activity_window()).unwrap_or_default()
                }
                None => session.recent_activity().map(str::to_owned).collect(),
            },
        };
        let outcome = self.decide(session, occurrence);
        let explainer =
            Explainer { facts: outcome.facts(), record: outcome.record(), texts, window: &window };
        let rules = explainer.all();
        tell(&outcome, &rules);
    }
}

struct Explainer<'o> {
    facts: &'o Facts<'o>,
    record: &'o Record<'o>,
    texts: &'o RuleTexts,
    window: &'o [String],
}

impl<'o> Explainer<'o> {
    fn all(&self) -> Vec<RuleExplanation<'o>> {
        let selected = select(self.facts, &mut Faults::new()).ranks;
        let mut base = selected.to_vec();
        base.sort_unstable();
        let place = |rank: &u32| {
            let position = selected.iter().position(|own| own == rank)?;
            Some((position, base.iter().position(|own| own == rank)?))
        };
        let others = (0_u32..).take(self.facts.rules.len()).filter(|rank| !base.contains(rank));
        let ranks: Vec<u32> = selected.iter().copied().chain(others).collect();
        ranks.iter().filter_map(|rank| self.one(*rank, place(rank))).collect()
    }

    fn name(&self, rank: u32) -> &'o str {
        self.facts.rules.rule(rank).map(|rule| &*rule.qualified).unwrap_or_default()
    }

    fn one(&self, rank: u32, places: Option<(usize, usize)>) -> Option<RuleExplanation<'o>> {
        let rule = self.facts.rules.rule(rank)?;
        let mut entries = self.record.trace.entries(self.facts.rules);
        let traced = entries.find(|(own, ..)| *own == rank).map(|(.., outcome)| outcome);
        let end = self.end(rank, rule, places.is_some(), traced);
        let evaluated = matches!(end, End::Traced(_));
        let here = !matches!(end, End::OtherAnchor | End::Off);
        let flow = evaluated.then(|| self.flow(rule)).flatten();
        let passed_by_flow = flow.as_ref().is_some_and(|flow| !flow.matched());
        let failure = self.record.more().failures.iter().find(|(own, _)| *own == rank);
        let failure = failure.map(|(_, failure)| failure);
        // What failed before the condition left it unevaluated.
        let before = failure.is_some_and(|failure| self.is_before_condition(rule, failure));
        let condition =
            (evaluated && !passed_by_flow && !before).then(|| self.condition(rank, rule)).flatten();
        Some(RuleExplanation {
            rule: RuleView(rule),
            end,
            places,
            selector: if here { self.selector(rule) } else { Vec::new() },
            flow,
            condition,
            failure: failure.map(|fault| &**fault),
            on_error: match rule.on_error {
                OnError::FailClosed => "fail_closed",
                OnError::FailOpen => "fail_open",
                OnError::Substitute(substitute) => self.name(substitute),
            },
            overrides: rule.overrides().iter().map(|target| self.name(*target)).collect(),
            anchor: self.anchor(rule),
        })
    }

    fn anchor(&self, rule: &Rule) -> &'o str {
        let text = self.texts.get(&rule.qualified);
        text.map(|text| text.local_anchor(self.facts.rules.capability())).unwrap_or_default()
    }

    fn end(
        &self,
        rank: u32,
        rule: &'o Rule,
        selected: bool,
        traced: Option<TraceOutcome>,
    ) -> End<'o> {
        let suppressor = || {
            let mut fired = self.record.trace.fired();
            let overrides = |own: &u32| {
                self.facts.rules.rule(*own).is_some_and(|r| r.overrides().contains(&rank))
            };
            fired.find(overrides).map(|own| self.name(own)).unwrap_or_default()
        };
        match traced {
            Some(TraceOutcome::Suppressed) => End::Suppressed { by: suppressor() },
            Some(outcome) => End::Traced(outcome),
            None if selected => {
                // The last that was evaluated; what is suppressed behind it was not.
                let ended = self.record.trace.entries(self.facts.rules);
                let last =
                    ended.filter(|(.., outcome)| *outcome != TraceOutcome::Suppressed).last();
                End::NotReached {
                    after: last.map(|(_, rule, _)| &*rule.qualified).unwrap_or_default(),
                }
            }
            None if self.anchor(rule) != self.facts.occurrence.anchor() => End::OtherAnchor,
            None if rule.enforcement == Enforcement::Off => End::Off,
            None => End::NotSelected,
        }
    }

    fn selector(&self, rule: &'o Rule) -> Vec<ClauseExplanation<'o>> {
        let clause = |clause: &'o crate::load::Clause| {
            let value = self.facts.observed(clause.slot).map(seen);
            let listed = |text: &String| clause.values.iter().any(|own| **own == **text);
            Some(ClauseExplanation {
                fact: self.facts.rules.environment().entry(clause.slot)?.name(),
                wanted: clause.values.iter().map(|value| &**value).collect(),
                matched: match &value {
                    Ok(Seen::String(text)) => listed(text),
                    Ok(Seen::List(texts)) => texts.iter().any(listed),
                    _ => false,
                },
                value,
            })
        };
        rule.selector.iter().filter_map(clause).collect()
    }

    fn flow(&self, rule: &'o Rule) -> Option<FlowExplanation<'o>> {
        let flow = rule.rest.as_ref().map(|rest| &*rest.flow).filter(|flow| !flow.is_empty())?;
        let mut from = 0;
        let mut missed = false;
        let mut steps = Vec::new();
        for step in flow {
            let rest = self.window.iter().enumerate().skip(from);
            let found = rest.filter(|_| !missed).find(|(_, seen)| ***seen == **step);
            missed = found.is_none();
            let position = found.map(|(position, _)| position);
            from = position.map_or(from, |position| position + 1);
            steps.push((&**step, position));
        }
        Some(FlowExplanation { steps, window: self.window.to_vec() })
    }

    /// Whether a failure is of the selector, of the detector or of a supplied value.
    fn is_before_condition(&self, rule: &Rule, failure: &Failure) -> bool {
        match failure {
            Failure::Detector { .. } => true,
            Failure::WrongType { .. } => {
                let occurrence = self.facts.occurrence;
                rule.references.iter().any(|slot| occurrence.is_wrong(*slot))
                    || self.selector_fails(rule)
            }
            _ => self.selector_fails(rule),
        }
    }

    fn selector_fails(&self, rule: &Rule) -> bool {
        rule.selector.iter().any(|clause| self.facts.observed(clause.slot).is_err())
    }

    fn condition(&self, rank: u32, rule: &Rule) -> Option<ConditionExplanation<'o>> {
        let text = self.texts.get(&rule.qualified)?.when()?;
        let overlays =
            self.record.more().overlays.iter().chain(&self.record.more().passing_overlays);
        let overlay = overlays.into_iter().find(|(own, _)| *own == rank);
        let overlay = overlay.map(|(_, overlay)| overlay);
        let mut asking = Asking { facts: self.facts, rank, overlay, ledger: None };
        let environment = self.facts.rules.environment();
        let capability = self.facts.rules.capability();
        let limits = Limits { nodes: capability.expression_nodes_max(), ..Limits::default() };
        // A loaded rule's condition has no error.
        let explanation = oar_expr::explain(text, environment, &limits, &mut asking).ok()?;
        Some(ConditionExplanation { text, explanation })
    }
}

fn seen(value: Value<'_>) -> Seen {
    match value {
        Value::Bool(value) => Seen::Bool(value),
        Value::Int(value) => Seen::Int(value),
        Value::Double(value) => Seen::Double(value),
        Value::String(text) => Seen::String(text.to_owned()),
        Value::StringList(list) => {
            let members = (0..list.len()).filter_map(|index| list.get(index));
            Seen::List(members.map(str::to_owned).collect())
        }
        Value::StringMap(map) | Value::Map(map) => Seen::Map(map.len()),
        Value::MapList(list) => Seen::Maps(list.len()),
    }
}
