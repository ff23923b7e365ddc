//! Evaluates the selected rules in order, and stops where the standard says so.

use std::cell::{OnceCell, RefCell};
use std::collections::HashSet;

use oar_expr::{Member, Stack, Value};
use smallvec::{SmallVec, smallvec};

use super::facts::{Asking, Facts, Ledger, Overlay};
use super::failure::Fault;
use super::guard::{guarded, timed};
use super::outcome::{Applied, Change, Decision, Outcome, Winner};
use super::select::{Faults, Selection, select};
use super::trace::{Trace, TraceOutcome};
use super::transform::{self, Planned, Range};
use super::{Failure, Host};
use crate::document::rule::{Action, Effect, Enforcement};
use crate::load::{Filed, OnError, Rule};
use crate::observe::{Derivation, FactValue, Occurrence};
use crate::state::{CounterKey, Event, EventError, Session, StoreError};

thread_local! {
    /// Kept between the decisions of a thread.
    static ROOM: RefCell<Room> = const { RefCell::new(Room::new()) };
}

/// Room for intermediate values.
struct Room {
    stack: Stack,
    /// Ranks that are to be evaluated.
    found: Vec<u32>,
    /// How many occurrences were searched for literals.
    searches: u64,
}

impl Room {
    const fn new() -> Self {
        Self { stack: Stack::new(), found: Vec::new(), searches: 0 }
    }
}

/// Decides one occurrence.
pub(crate) fn run<'o>(
    host: &'o Host,
    session: &Session,
    occurrence: &'o Occurrence<'_>,
) -> Outcome<'o> {
    let mut outcome = Outcome::open(Facts::new(occurrence, host.provider.as_deref(), &host.bounds));
    let (facts, record) = outcome.parts();
    let mut faults = Faults::new();
    let Selection { ranks, lists, reads_counters } = select(facts, &mut faults);
    let ledger = Ledger { store: &*host.counters, session: session.id() };
    if reads_counters {
        facts.take_snapshot(&ranks, &ledger);
    }
    record.trace = Trace::new(ranks);
    let calm = faults.is_empty() && !occurrence.wrong;
    let activity = OnceCell::new();
    let mut run = Run { host, session, activity, facts, ledger: &ledger, faults, calm, record };
    let lists = if calm { &*lists } else { &[] };
    // A provider may decide an occurrence of its own: then the room is in use, and new one serves.
    ROOM.with(|room| match room.try_borrow_mut() {
        Ok(mut room) => run.all(lists, &mut room),
        Err(_) => run.all(lists, &mut Room::new()),
    });
    outcome.settle();
    outcome
}

/// How many occurrences on this thread were searched for literals, so that only the rules found
/// were evaluated: a test of the search must know that there was one.
#[doc(hidden)]
#[must_use]
pub fn searches() -> u64 {
    ROOM.with(|room| room.try_borrow().map_or(0, |room| room.searches))
}

/// What an occurrence leaves behind.
#[derive(Default)]
pub(crate) struct Record<'o> {
    pub(crate) trace: Trace<'o>,
    /// What most occurrences have nothing of.
    more: Option<Box<More>>,
}

/// What few occurrences leave behind.
#[derive(Default)]
pub(crate) struct More {
    pub(crate) failures: Vec<(u32, Fault)>,
    /// A block in the name of a rule that could not be evaluated ([OAR-OPS-3], [OAR-OPS-5]).
    pub(crate) error_block: Option<ErrorBlock>,
    pub(crate) applied: Vec<Applied>,
    pub(crate) changes: Vec<Change>,
    /// The ranks of the rules whose events were published, once for each record.
    pub(crate) events: Vec<u32>,
    pub(crate) transforms: Vec<Planned>,
    /// What the transforms made of the content, when the decision is transform.
    pub(crate) content: Option<transform::Applied>,
    /// What the detectors of fired rules reported, for their copy; sorted by rank.
    pub(crate) overlays: Vec<(u32, Overlay)>,
    /// The same of rules that did not fire, for explanations and for the copy of an error block.
    pub(crate) passing_overlays: Vec<(u32, Overlay)>,
    /// The last observation that a rule's own detector failed to make.
    unobserved: Option<Unobserved>,
    /// Why the host's audit sink has refused the record.
    pub(crate) unrecorded: Option<String>,
}

/// What the detector of the rule of this rank did not observe: the facts that it reported with a
/// wrong type, or, where there are none, all of its facts.
struct Unobserved {
    rank: u32,
    wrong: Vec<u32>,
}

/// A block that an error made.
#[derive(Clone, Copy)]
pub(crate) struct ErrorBlock {
    /// The rule that could not be evaluated.
    pub(crate) failed: u32,
    /// The rule whose identifiers the decision carries.
    pub(crate) named: u32,
    /// Whether its copy names what the failed rule's detector did not observe ([OAR-COPY-11]).
    pub(crate) unobserved: bool,
}

/// What an occurrence without any of it leaves.
static NO_MORE: More = More {
    failures: Vec::new(),
    error_block: None,
    applied: Vec::new(),
    changes: Vec::new(),
    events: Vec::new(),
    transforms: Vec::new(),
    content: None,
    overlays: Vec::new(),
    passing_overlays: Vec::new(),
    unobserved: None,
    unrecorded: None,
};

struct Run<'r, 'o> {
    host: &'r Host,
    session: &'r Session,
    /// The recent steps of the host's store, once a flow has asked for them.
    activity: OnceCell<Result<Vec<String>, Fault>>,
    facts: &'r Facts<'o>,
    ledger: &'r Ledger<'r>,
    /// Rules whose selector failed.
    faults: Faults,
    /// Whether no selector failed and no supplied value is of a wrong type.
    calm: bool,
    record: &'r mut Record<'o>,
}

/// How one evaluation ended.
enum Verdict {
    Fired,
    Passed,
}

/// Whether the occurrence goes on.
#[derive(PartialEq, Eq)]
enum Flow {
    On,
    Stop,
}

/// The ranks that rules which fired suppress ([OAR-EVAL-14]).
#[derive(Default)]
struct Suppressed {
    few: SmallVec<[u32; 8]>,
    /// All of them once there are more.
    many: HashSet<u32>,
}

impl Suppressed {
    fn add(&mut self, ranks: &[u32]) {
        if self.many.is_empty() && self.few.len() + ranks.len() <= self.few.inline_size() {
            self.few.extend_from_slice(ranks);
            return;
        }
        self.many.extend(self.few.drain(..));
        self.many.extend(ranks);
    }

    fn is_empty(&self) -> bool {
        self.few.is_empty() && self.many.is_empty()
    }

    fn contains(&self, rank: u32) -> bool {
        self.few.contains(&rank) || (!self.many.is_empty() && self.many.contains(&rank))
    }
}

impl Run<'_, '_> {
    /// Evaluates the selected rules until one stops the occurrence.
    fn all(&mut self, lists: &[&Filed], room: &mut Room) {
        let Room { stack, found, searches } = room;
        let mut suppressed = Suppressed::default();
        if lists.iter().any(|list| list.guarded.is_some()) && self.find(lists, found) {
            *searches += 1;
            for rank in &*found {
                // A rank of a list may be one that another clause of its rule has ruled out.
                let Ok(position) = self.record.trace.selected.binary_search(rank) else { continue };
                if self.at(position, *rank, &mut suppressed, stack) == Flow::Stop {
                    break;
                }
            }
        } else {
            for position in 0..self.record.trace.selected.len() {
                let Some(rank) = self.record.trace.selected.get(position).copied() else { break };
                if self.at(position, rank, &mut suppressed, stack) == Flow::Stop {
                    break;
                }
            }
        }
        // A suppressed rule is traced although it is never reached ([OAR-OPS-10]).
        if !suppressed.is_empty() {
            for position in 0..self.record.trace.selected.len() {
                let rank = self.record.trace.selected.get(position);
                if rank.is_some_and(|rank| suppressed.contains(*rank)) {
                    self.trace(position, TraceOutcome::Suppressed);
                }
            }
        }
        self.record.trace.close();
    }

    /// Finds the ranks, in order, whose conditions may do anything but fail quietly; false when
    /// all of them are to be evaluated.
    fn find(&self, lists: &[&Filed], found: &mut Vec<u32>) -> bool {
        found.clear();
        // Beyond that the search costs more than it saves.
        let most = self.record.trace.selected.len() / 2;
        for list in lists {
            match &list.guarded {
                None => found.extend_from_slice(&list.ranks),
                Some(guarded) if !self.facts.find(guarded, most, found) => {
                    return false;
                }
                Some(_) => {}
            }
        }
        if found.len() > most {
            return false;
        }
        found.sort_unstable();
        found.dedup();
        true
    }

    fn trace(&mut self, position: usize, outcome: TraceOutcome) {
        self.record.trace.note(position, outcome);
    }

    /// Evaluates the rule at a position, unless another suppresses it.
    fn at(
        &mut self,
        position: usize,
        rank: u32,
        suppressed: &mut Suppressed,
        stack: &mut Stack,
    ) -> Flow {
        let Some(rule) = self.facts.rules.rule(rank) else { return Flow::On };
        if suppressed.contains(rank) {
            return Flow::On;
        }
        let flow = self.one(position, rank, rule, suppressed, stack);
        if flow == Flow::Stop {
            self.record.trace.reached = position + 1;
        }
        flow
    }

    /// Evaluates one rule and lets it act.
    fn one(
        &mut self,
        position: usize,
        rank: u32,
        rule: &Rule,
        suppressed: &mut Suppressed,
        stack: &mut Stack,
    ) -> Flow {
        let monitored = rule.enforcement == Enforcement::Monitor;
        match self.evaluate(rank, rule, monitored, stack) {
            Ok(Verdict::Passed) => Flow::On,
            Ok(Verdict::Fired) if monitored => {
                self.trace(position, TraceOutcome::MonitoredFired);
                Flow::On
            }
            Ok(Verdict::Fired) => {
                self.trace(position, TraceOutcome::Fired);
                suppressed.add(rule.overrides());
                // [OAR-EVAL-4]; a transform does not stop the occurrence ([OAR-EVAL-5]).
                if rule.effect == Effect::Block { Flow::Stop } else { Flow::On }
            }
            Err(failure) => {
                let outcome =
                    if monitored { TraceOutcome::MonitoredErrored } else { TraceOutcome::Errored };
                self.trace(position, outcome);
                self.errored(rank, rule, monitored, failure)
            }
        }
    }

    /// A rule that could not be evaluated goes the way of its `on_error` ([OAR-OPS-3]…[OAR-OPS-5]).
    fn errored(&mut self, rank: u32, rule: &Rule, monitored: bool, failure: Fault) -> Flow {
        self.record.more_mut().failures.push((rank, failure));
        if monitored {
            return Flow::On;
        }
        let named = match rule.on_error {
            OnError::FailOpen => return Flow::On,
            OnError::FailClosed => rank,
            OnError::Substitute(substitute) => substitute,
        };
        let unobserved = self.names_unobserved(rank, rule, named);
        self.record.more_mut().error_block = Some(ErrorBlock { failed: rank, named, unobserved });
        self.read_for_copy(named);
        Flow::Stop
    }

    /// Whether the copy of the rule `named` names what the detector of `rule` failed to observe:
    /// a fact of the wrong type; or, when the detector failed altogether, a fact that the host did
    /// not supply and that detectors observe or this one says that it reports ([OAR-COPY-11]).
    /// The detectors of other rules do not matter, and for another rule's copy what the host
    /// supplied is there ([OAR-FACT-11]).
    fn names_unobserved(&self, rank: u32, rule: &Rule, named: u32) -> bool {
        let failed = self.record.more().unobserved.as_ref().filter(|own| own.rank == rank);
        let Some((failed, copied)) = failed.zip(self.facts.rules.rule(named)) else { return false };
        let reference = rule.rest.as_ref().and_then(|rest| rest.detector.as_deref());
        let detector = reference.and_then(|reference| self.host.detectors.get(reference));
        // A detector that cannot even tell what it reports may report anything.
        let reports =
            |name: &str| detector.is_some_and(|own| guarded(|| own.reports(name)).unwrap_or(true));
        let mut slots = copied.copy().iter().flat_map(|(_, template)| template.slots());
        slots.any(|slot| {
            let is_supplied = self.facts.occurrence.supplied(slot).is_some();
            if !failed.wrong.is_empty() {
                return failed.wrong.contains(&slot) && (!is_supplied || named == rank);
            }
            let entry = self.facts.rules.environment().entry(slot);
            !is_supplied
                && entry.is_some_and(|entry| entry.detector_backed || reports(entry.name()))
        })
    }

    /// Reads what the copy of an error block names, while the counters can still be read.
    /// What fails here is found again when the copy is rendered, and leaves it out ([OAR-COPY-11]).
    fn read_for_copy(&self, named: u32) {
        let Some(rule) = self.facts.rules.rule(named) else { return };
        let asking = self.asking(named, None);
        for slot in rule.copy().iter().flat_map(|(_, template)| template.slots()) {
            let _unavailable = asking.value(slot).is_err();
        }
    }

    fn asking<'a>(&'a self, rank: u32, overlay: Option<&'a Overlay>) -> Asking<'a> {
        Asking { facts: self.facts, rank, overlay, ledger: Some(self.ledger) }
    }

    /// Whether a rule fires; when it does, everything that firing entails has been done.
    fn evaluate(
        &mut self,
        rank: u32,
        rule: &Rule,
        monitored: bool,
        stack: &mut Stack,
    ) -> Result<Verdict, Fault> {
        let mut overlay = None;
        // Most rules of most occurrences are a condition and nothing before it.
        if !(self.calm && rule.direct) {
            match self.before_condition(rank, rule)? {
                Some(observed) => overlay = observed,
                None => return Ok(Verdict::Passed),
            }
        }
        if let Some(condition) = rule.condition {
            let mut asking = self.asking(rank, overlay.as_ref());
            let conditions = &self.facts.rules.conditions;
            let holds = conditions.evaluate(condition, &mut asking, stack).map_err(Failure::raised);
            if holds != Ok(true) {
                if let Some(overlay) = overlay {
                    self.record.more_mut().passing_overlays.push((rank, overlay));
                }
                return holds.map(|_| Verdict::Passed);
            }
        }
        let fired = self.fire(rank, rule, monitored, overlay.as_ref());
        if let Some(overlay) = overlay.filter(|overlay| !overlay.is_empty()) {
            let more = self.record.more_mut();
            if fired.is_ok() {
                let place = more.overlays.partition_point(|(own, _)| *own < rank);
                more.overlays.insert(place, (rank, overlay));
            } else {
                more.passing_overlays.push((rank, overlay));
            }
        }
        fired.map(|()| Verdict::Fired)
    }

    /// What comes before a rule's condition: its flow, its selector's failure, its detector, and
    /// the supplied values that it references. `None` when the flow does not match.
    #[inline(never)]
    fn before_condition(
        &mut self,
        rank: u32,
        rule: &Rule,
    ) -> Result<Option<Option<Overlay>>, Fault> {
        if !self.flow_matches(rule)? {
            return Ok(None);
        }
        // Selection left them in base order.
        let fault = self.faults.binary_search_by_key(&rank, |(own, _)| *own).ok();
        if let Some((_, fault)) = fault.and_then(|position| self.faults.get(position)) {
            return Err(fault.clone());
        }
        let overlay = self.detect(rank, rule)?;
        if let Err(fault) = self.check_supplied(rule) {
            // It was found all the same, and the copy of an error block may tell it.
            self.record.more_mut().passing_overlays.extend(overlay.map(|found| (rank, found)));
            return Err(fault);
        }
        Ok(Some(overlay))
    }

    /// Whether the steps appear in order in the recent activity ([OAR-FACT-12]).
    ///
    /// A store that cannot tell the activity is a provider that fails ([OAR-OPS-3]).
    fn flow_matches(&self, rule: &Rule) -> Result<bool, Fault> {
        let Some(rest) = rule.rest.as_ref().filter(|rest| !rest.flow.is_empty()) else {
            return Ok(true);
        };
        let window = self.facts.rules.capability().activity_window();
        let mut steps = rest.flow.iter().peekable();
        let mut step = |seen: &str| {
            steps.next_if(|step| ***step == *seen);
        };
        // Of more steps than the declared window the most recent count.
        match (&self.facts.occurrence.activity, self.host.activity.as_deref()) {
            (Some(explicit), _) => {
                let skipped = explicit.len().saturating_sub(window);
                explicit.iter().skip(skipped).for_each(|seen| step(seen));
            }
            (None, Some(store)) => {
                let read = || {
                    let read = guarded(|| self.session.recent_in(store, window));
                    let read = read.unwrap_or_else(|reason| Err(StoreError::new(reason)));
                    read.map_err(activity_unread)
                };
                let kept = self.activity.get_or_init(read).as_ref().map_err(Clone::clone)?;
                let skipped = kept.len().saturating_sub(window);
                kept.iter().skip(skipped).for_each(|seen| step(seen));
            }
            (None, None) => {
                let own = self.session.recent_activity();
                let skipped = own.len().saturating_sub(window);
                own.skip(skipped).for_each(step);
            }
        }
        Ok(steps.peek().is_none())
    }

    /// Runs the rule's detector and checks what it reports ([OAR-OPS-11]).
    fn detect(&mut self, rank: u32, rule: &Rule) -> Result<Option<Overlay>, Fault> {
        let Some(reference) = rule.rest.as_ref().and_then(|rest| rest.detector.as_deref()) else {
            return Ok(None);
        };
        let result = self.observe(reference);
        if result.is_err() {
            self.record.more_mut().unobserved = Some(Unobserved { rank, wrong: Vec::new() });
        }
        let overlay = result?;
        let entry = |slot: u32| self.facts.rules.environment().entry(slot);
        let is_wrong = |(slot, value): &&(u32, FactValue)| {
            entry(*slot).is_some_and(|entry| value.typed(entry.ty()).is_none())
        };
        let consumed = overlay
            .iter()
            .filter(is_wrong)
            .find(|(slot, _)| consumes_reported(rule, *slot))
            .and_then(|(slot, _)| entry(*slot));
        if let Some(consumed) = consumed {
            // Another rule's copy, where it stands in for this one's, may name another of them.
            let wrong = overlay.iter().filter(is_wrong).map(|(slot, _)| *slot).collect();
            let failure = Failure::WrongType { name: consumed.name().to_owned() };
            let more = self.record.more_mut();
            more.unobserved = Some(Unobserved { rank, wrong });
            // What it reported beside that was found, and the copy of an error block may tell it.
            more.passing_overlays.push((rank, overlay));
            return Err(failure.into());
        }
        Ok(Some(overlay))
    }

    fn observe(&self, reference: &str) -> Result<Overlay, Fault> {
        let failed = |reason: String| {
            Box::new(Failure::Detector { reference: reference.to_owned(), reason })
        };
        let detector = self.host.detectors.get(reference);
        let detector = detector.ok_or_else(|| failed("it is not registered".to_owned()))?;
        let bounds = self.facts.bounds;
        if let Some(content) = self.facts.occurrence.content {
            bounds.check_content(content).map_err(failed)?;
        }
        let observations = timed(bounds.answer_time, || detector.observe(self.facts.occurrence));
        let observations = observations.map_err(failed)?;
        let observations = observations.map_err(|failure| failed(failure.to_string()))?;
        let mut overlay = Overlay::new();
        for (name, value) in observations.into_values() {
            bounds
                .check_value(&value)
                .map_err(|reason| failed(format!("it reports `{name}`, and {reason}")))?;
            match self.facts.rules.environment().named(&name) {
                Some((slot, entry)) if !entry.derivation.is_some_and(Derivation::is_core) => {
                    overlay.push((slot, value));
                }
                _ => {
                    return Err(failed(format!(
                        "it reports `{name}`, which is no fact of the host"
                    )));
                }
            }
        }
        Ok(overlay)
    }

    /// A supplied value of the wrong type fails every rule that references it ([OAR-FACT-26]).
    fn check_supplied(&self, rule: &Rule) -> Result<(), Fault> {
        let occurrence = self.facts.occurrence;
        if !occurrence.wrong {
            return Ok(());
        }
        match rule.references.iter().find(|slot| occurrence.is_wrong(**slot)) {
            None => Ok(()),
            Some(slot) => {
                let entry = self.facts.rules.environment().entry(*slot);
                let name = entry.map(crate::load::Entry::name).unwrap_or_default().to_owned();
                Err(Failure::WrongType { name }.into())
            }
        }
    }

    /// Everything that firing entails: spans and copy are checked, then the actions applied as a
    /// unit. If any of it fails, the rule has not fired ([OAR-FIRE-9], [OAR-OPS-19]).
    fn fire(
        &mut self,
        rank: u32,
        rule: &Rule,
        monitored: bool,
        overlay: Option<&Overlay>,
    ) -> Result<(), Fault> {
        let asking = self.asking(rank, overlay);
        if rule.transform().is_some() {
            let content = self.facts.occurrence.content.unwrap_or_default();
            let bound = self.facts.bounds.check_content(content);
            bound.map_err(|reason| Failure::Provider { name: "content".to_owned(), reason })?;
        }
        let ranges = match rule.transform().and_then(|transform| transform.target) {
            Some(slot) => Some(spans(&asking, slot)?),
            None => None,
        };
        for slot in rule.copy().iter().flat_map(|(_, template)| template.slots()) {
            asking.value(slot)?;
        }
        if monitored {
            return Ok(());
        }
        self.act(rank, rule)?;
        if rule.effect == Effect::Transform {
            self.record.more_mut().transforms.push(Planned { rank, ranges });
        }
        Ok(())
    }

    /// Applies the rule's `on_fire` actions as one unit ([OAR-FIRE-8], [OAR-FIRE-9]).
    fn act(&mut self, rank: u32, rule: &Rule) -> Result<(), Fault> {
        let actions = rule.on_fire();
        if actions.is_empty() {
            return Ok(());
        }
        let side_effect = |reason: String| Box::new(Failure::SideEffect { reason });
        let event = Event {
            rule: &rule.qualified,
            anchor: self.facts.occurrence.anchor(),
            effect: rule.effect,
            session: self.ledger.session,
        };
        let events = actions.iter().filter(|action| **action == Action::PublishEvent).count();
        let all: SmallVec<[Event<'_>; 2]> = smallvec![event; events];
        let mut published = false;
        let mut publish = || {
            if published {
                return Err(EventError::new("its events were published before"));
            }
            if !all.is_empty() {
                let publish = || self.host.events.publish(&all);
                guarded(publish).unwrap_or_else(|reason| Err(EventError::new(reason)))?;
            }
            published = true;
            Ok(())
        };
        if events == actions.len() {
            publish().map_err(|error| side_effect(error.to_string()))?;
        } else {
            let scope = self.facts.scope(rule)?;
            let key = CounterKey { rule: &rule.qualified, scope };
            let apply = || self.ledger.store.apply(self.ledger.session, key, actions, &mut publish);
            let change = guarded(apply).map_err(side_effect)?;
            let change = change.map_err(|error| side_effect(error.to_string()))?;
            // A store that keeps the counters and drops the events has not applied the unit.
            if events > 0 && !published {
                return Err(side_effect("the store did not publish the events".to_owned()));
            }
            self.facts.note_before(rank, change.before);
            let scope = scope.map(str::to_owned);
            self.record.more_mut().changes.push(Change { rank, scope, change });
        }
        let more = self.record.more_mut();
        more.events.extend(std::iter::repeat_n(rank, events));
        more.applied.extend(actions.iter().map(|action| Applied { rank, action: *action }));
        Ok(())
    }
}

/// Whether the rule consumes what its own detector reports of a fact. Its selector and its
/// counter scope do not see that.
fn consumes_reported(rule: &Rule, slot: u32) -> bool {
    let condition = rule.rest.as_ref().map(|rest| &*rest.condition_names).unwrap_or_default();
    let mut copy = rule.copy().iter().flat_map(|(_, template)| template.slots());
    condition.contains(&slot)
        || rule.transform().is_some_and(|transform| transform.target == Some(slot))
        || copy.any(|used| used == slot)
}

fn activity_unread(error: StoreError) -> Fault {
    Failure::Provider { name: "recent activity".to_owned(), reason: error.to_string() }.into()
}

/// The ranges of a `list<map>` fact; one without a well-formed range is a failure ([OAR-OPS-19]).
fn spans(asking: &Asking<'_>, slot: u32) -> Result<Vec<Range>, Fault> {
    let entry = asking.facts.rules.environment().entry(slot);
    let name = || entry.map(crate::load::Entry::name).unwrap_or_default().to_owned();
    let Value::MapList(list) = asking.value(slot)? else {
        return Err(Failure::WrongType { name: name() }.into());
    };
    let bound = asking.facts.bounds.check_spans(list.len());
    bound.map_err(|reason| Failure::Provider { name: name(), reason })?;
    let mut ranges = Vec::with_capacity(list.len());
    for index in 0..list.len() {
        let offset = |key| match list.get(index)?.get(key)? {
            Member::Int(value) => u64::try_from(value).ok(),
            _ => None,
        };
        match (offset("start"), offset("end")) {
            (Some(start), Some(end)) if start <= end => ranges.push(Range { start, end }),
            _ => return Err(Failure::MalformedSpan { name: name(), index }.into()),
        }
    }
    Ok(ranges)
}

impl Record<'_> {
    pub(crate) fn more(&self) -> &More {
        self.more.as_deref().unwrap_or(&NO_MORE)
    }

    pub(super) fn more_mut(&mut self) -> &mut More {
        self.more.get_or_insert_default()
    }

    /// What the occurrence resolves to ([OAR-EVAL-6], [OAR-EVAL-19]).
    pub(crate) fn winner(&self, rules: &crate::load::RuleSet) -> Winner {
        if let Some(ErrorBlock { named, .. }) = self.more().error_block {
            return Winner { decision: Decision::Block, rank: Some(named) };
        }
        // The first that fired of the strongest effect that fired.
        let mut winner = Winner { decision: Decision::None, rank: None };
        for rank in self.trace.fired() {
            let decision = rules.rule(rank).map(|rule| Decision::of(rule.effect));
            if let Some(decision) = decision.filter(|own| *own > winner.decision) {
                winner = Winner { decision, rank: Some(rank) };
            }
        }
        winner
    }

    /// Applies the accumulated transforms to the content ([OAR-OPS-16]).
    pub(crate) fn transform(&mut self, facts: &Facts<'_>) {
        let Some(content) = facts.occurrence.content else { return };
        let planned = self.more().transforms.iter().filter_map(|planned| {
            let rule = facts.rules.rule(planned.rank)?;
            Some((rule.transform()?, planned))
        });
        let applied = transform::apply(content, planned);
        self.more_mut().content = Some(applied);
    }

    /// The same for content that is put together from parts of these lengths in code points.
    pub(crate) fn transformed_parts(
        &self,
        facts: &Facts<'_>,
        lengths: &[usize],
    ) -> Option<Vec<String>> {
        let content = facts.occurrence.content?;
        let planned = self.more().transforms.iter().filter_map(|planned| {
            let rule = facts.rules.rule(planned.rank)?;
            Some((rule.transform()?, planned))
        });
        Some(transform::apply_to_parts(content, lengths, planned))
    }
}
