//! What is counted while a log is replayed; the counts of several threads add up.

use std::collections::BTreeMap;

use oar_engine::decide::TraceOutcome;
use oar_engine::{Decision, Outcome, RuleSet};

use super::record::Record;
use super::timeline::Timeline;

/// How often each outcome of a trace came, in the order of [`OUTCOMES`].
pub(super) type Outcomes = [u64; 7];

/// The outcomes of a trace.
pub(super) const OUTCOMES: [TraceOutcome; 7] = [
    TraceOutcome::Fired,
    TraceOutcome::Passed,
    TraceOutcome::Errored,
    TraceOutcome::Suppressed,
    TraceOutcome::MonitoredFired,
    TraceOutcome::MonitoredPassed,
    TraceOutcome::MonitoredErrored,
];

/// The decisions, the least first.
pub(super) const DECISIONS: [Decision; 5] =
    [Decision::None, Decision::Warn, Decision::Nudge, Decision::Transform, Decision::Block];

/// What one rule set did.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub(super) decisions: [u64; 5],
    pub(super) rules: BTreeMap<String, Outcomes>,
    /// Facts of records that the rule set does not declare.
    pub(super) unknown_facts: u64,
}

impl Tally {
    /// With every rule of a set, so that those that are never reached are told too.
    pub(super) fn of(rules: &RuleSet) -> Self {
        let zero = rules.rules().map(|rule| (rule.qualified().to_owned(), Outcomes::default()));
        Self { rules: zero.collect(), ..Self::default() }
    }

    pub(super) fn count(&mut self, outcome: &Outcome<'_>) {
        let decision = outcome.decision();
        let at = DECISIONS.iter().position(|own| *own == decision).unwrap_or_default();
        if let Some(count) = self.decisions.get_mut(at) {
            *count += 1;
        }
        for entry in outcome.trace() {
            let at = OUTCOMES.iter().position(|own| *own == entry.outcome);
            let counts = self.rules.get_mut(entry.rule);
            if let Some(count) = counts.zip(at).and_then(|(counts, at)| counts.get_mut(at)) {
                *count += 1;
            }
        }
    }

    fn add(&mut self, other: Self) {
        for (own, more) in self.decisions.iter_mut().zip(other.decisions) {
            *own += more;
        }
        for (rule, counts) in other.rules {
            let own = self.rules.entry(rule).or_default();
            own.iter_mut().zip(counts).for_each(|(own, more)| *own += more);
        }
        self.unknown_facts += other.unknown_facts;
    }
}

/// A decision and the rule that it names.
pub(super) type Verdict = (String, Option<String>);

/// A place in the log.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Sample {
    pub(super) line: u64,
    pub(super) time: Option<i64>,
    pub(super) session: String,
    pub(super) anchor: String,
    pub(super) tool: Option<String>,
}

/// Decisions that come out otherwise, by what they were and are.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes {
    pub(super) compared: u64,
    pub(super) changed: u64,
    pub(super) by: BTreeMap<(Verdict, Verdict), (u64, Vec<Sample>)>,
}

impl Changes {
    fn compare(&mut self, before: Verdict, after: Verdict, record: &Record, keep: usize) -> bool {
        if before == after {
            self.compared += 1;
            return false;
        }
        self.change(before, after, record, keep);
        true
    }

    fn change(&mut self, before: Verdict, after: Verdict, record: &Record, keep: usize) {
        self.compared += 1;
        self.changed += 1;
        let (count, samples) = self.by.entry((before, after)).or_default();
        *count += 1;
        if samples.len() < keep {
            samples.push(Sample {
                line: record.line,
                time: record.time,
                session: record.own.session.clone(),
                anchor: record.own.anchor.clone(),
                tool: record.tool().map(str::to_owned),
            });
        }
    }

    fn add(&mut self, other: Self, keep: usize) {
        self.compared += other.compared;
        self.changed += other.changed;
        for (change, (count, samples)) in other.by {
            let own = self.by.entry(change).or_default();
            own.0 += count;
            own.1.extend(samples);
            // The first of the log, whoever replayed them.
            own.1.sort();
            own.1.truncate(keep);
        }
    }
}

/// Everything that is counted.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    pub(super) keep: usize,
    pub(super) occurrences: u64,
    pub(super) sessions: u64,
    pub(super) ended: u64,
    /// Records of which something was left out.
    pub(super) redacted: u64,
    pub(super) first: Option<i64>,
    pub(super) last: Option<i64>,
    /// Occurrences at moments that the host does not declare.
    pub(super) elsewhere: BTreeMap<String, u64>,
    /// The rule set of each record that tells it.
    pub(super) decided_by: BTreeMap<String, u64>,
    pub(super) main: Tally,
    pub(super) other: Option<Tally>,
    /// The decisions of the other rule set.
    pub(super) against: Changes,
    /// The decisions of old, of all records and of those that these very rules decided.
    pub(super) recorded: Changes,
    pub(super) same_rules: Changes,
    pub(super) timeline: Timeline,
}

/// What a decision was.
pub(super) fn verdict(outcome: &Outcome<'_>) -> Verdict {
    (outcome.decision().name().to_owned(), outcome.rule().map(str::to_owned))
}

impl Counts {
    /// Counts an occurrence.
    pub(super) fn occurrence(
        &mut self,
        record: &Record,
        outcome: &Outcome<'_>,
        other: Option<Verdict>,
        digest: &str,
    ) {
        self.occurrences += 1;
        self.first = self.first.min(record.time).or(record.time).or(self.first);
        self.last = self.last.max(record.time);
        self.main.count(outcome);
        let keep = self.keep;
        let changed = match other {
            Some(other) => self.against.compare(verdict(outcome), other, record, keep),
            None => false,
        };
        self.timeline.count(record, outcome.decision(), changed);
        let set = &record.own.rule_set;
        if !set.is_empty() {
            match self.decided_by.get_mut(set) {
                Some(count) => *count += 1,
                None => drop(self.decided_by.insert(set.clone(), 1)),
            }
        }
        if record.is_decided() {
            let same_set = *set == digest;
            match then_and_now(record, outcome) {
                None => {
                    self.recorded.compared += 1;
                    self.same_rules.compared += u64::from(same_set);
                }
                Some((then, now)) => {
                    if same_set {
                        self.same_rules.change(then.clone(), now.clone(), record, keep);
                    }
                    self.recorded.change(then, now, record, keep);
                }
            }
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.occurrences += other.occurrences;
        self.sessions += other.sessions;
        self.ended += other.ended;
        self.redacted += other.redacted;
        self.first = [self.first, other.first].into_iter().flatten().min();
        self.last = self.last.max(other.last);
        for (anchor, count) in other.elsewhere {
            *self.elsewhere.entry(anchor).or_default() += count;
        }
        for (set, count) in other.decided_by {
            *self.decided_by.entry(set).or_default() += count;
        }
        self.main.add(other.main);
        match (&mut self.other, other.other) {
            (Some(own), Some(more)) => own.add(more),
            (own @ None, more) => *own = more,
            (Some(_), None) => {}
        }
        let keep = self.keep;
        self.against.add(other.against, keep);
        self.recorded.add(other.recorded, keep);
        self.same_rules.add(other.same_rules, keep);
        self.timeline.add(&other.timeline);
    }
}

/// The decision of old and that of now, where they are not the same.
fn then_and_now(record: &Record, outcome: &Outcome<'_>) -> Option<(Verdict, Verdict)> {
    let own = &record.own;
    let same_decision = own.decision == outcome.decision().name();
    // A line that is no record of this engine is held to what it says.
    let same_rule = own.rule.is_none() || own.rule.as_deref() == outcome.rule();
    let untraced = own.applied.is_empty() && own.rule_set.is_empty();
    let traced = untraced || same_trace(&own.applied, outcome);
    if same_decision && same_rule && traced {
        return None;
    }
    let now = verdict(outcome);
    let mut then = (own.decision.clone(), own.rule.clone());
    if same_decision && then.1.is_none() {
        then.1.clone_from(&now.1);
    }
    if then == now {
        // Where the trace alone differs, that is what is told.
        then.0.push_str(" with another trace");
    }
    Some((then, now))
}

fn same_trace(applied: &[String], outcome: &Outcome<'_>) -> bool {
    let mut entries = outcome.trace();
    let same = |old: &String| {
        entries.next().is_some_and(|entry| {
            let outcome = old.strip_prefix(entry.rule).and_then(|rest| rest.strip_prefix(':'));
            outcome == Some(entry.outcome.name())
        })
    };
    applied.iter().all(same) && entries.next().is_none()
}
