//! The value of a fact at one occurrence, asked for by one rule ([OAR-FACT-11], [OAR-FACT-26]).
//!
//! A value comes from the rule's own detector, else from what the host supplied, else from its
//! provider, else from the tool call or the content, and is the zero value of its type where
//! nobody has anything to report ([OAR-FACT-25]). Each provider answer is kept for the occurrence.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};

use oar_expr::{Member, Scalar, Type, Value};
use smallvec::SmallVec;

use super::failure::Fault;
use super::guard::{guarded, timed};
use super::{Bounds, Failure};
use crate::load::{Entry, Guarded, Rule, RuleSet, Text};
use crate::observe::{
    Derivation, FactProvider, FactValue, Mistyped, Occurrence, PROVENANCE_LISTS, ProviderFailure,
    fingerprint, zero,
};
use crate::state::{CounterKey, CounterStore, Counters, StoreError};

/// What a provider answered.
type Answer = Result<Option<FactValue>, Fault>;

/// Everything that can be observed at one occurrence.
pub(crate) struct Facts<'o> {
    pub(crate) rules: &'o RuleSet,
    pub(crate) occurrence: &'o Occurrence<'o>,
    provider: Option<&'o dyn FactProvider>,
    pub(crate) bounds: &'o Bounds,
    content_length: OnceCell<usize>,
    untrusted: OnceCell<bool>,
    /// What is produced on the way; most occurrences produce nothing.
    produced: OnceCell<Box<Produced>>,
}

/// Values that were produced for one occurrence, and kept for it.
#[derive(Default)]
struct Produced {
    /// A provider's answers by slot.
    answers: Box<[OnceCell<Answer>]>,
    calls: RefCell<Vec<(u32, FactValue, Answer)>>,
    fingerprint: OnceCell<Option<String>>,
    snapshot: RefCell<Snapshot>,
}

/// The counters as they were before the occurrence, sorted by rank ([OAR-FIRE-6]).
type Snapshot = SmallVec<[(u32, Result<Counters, Fault>); 4]>;

/// Observations of one rule's detector, by slot; seen by that rule alone.
pub(crate) type Overlay = Vec<(u32, FactValue)>;

/// Where counters are read: the store, and the session's name.
#[derive(Clone, Copy)]
pub(crate) struct Ledger<'l> {
    pub(crate) store: &'l dyn CounterStore,
    pub(crate) session: &'l str,
}

impl Ledger<'_> {
    /// Reads counters; a store that panics has failed.
    fn read(&self, keys: &[CounterKey<'_>], values: &mut [Counters]) -> Result<(), StoreError> {
        let read = guarded(|| self.store.read(self.session, keys, values));
        read.unwrap_or_else(|reason| Err(StoreError::new(reason)))
    }
}

/// One rule asking for facts.
#[derive(Clone, Copy)]
pub(crate) struct Asking<'f> {
    pub(crate) facts: &'f Facts<'f>,
    pub(crate) rank: u32,
    pub(crate) overlay: Option<&'f Overlay>,
    /// Absent once the occurrence is decided: what was not read by then is not read later.
    pub(crate) ledger: Option<&'f Ledger<'f>>,
}

impl<'o> Facts<'o> {
    pub(crate) fn new(
        occurrence: &'o Occurrence<'o>,
        provider: Option<&'o dyn FactProvider>,
        bounds: &'o Bounds,
    ) -> Self {
        Self {
            rules: occurrence.rules,
            occurrence,
            provider,
            bounds,
            content_length: OnceCell::new(),
            untrusted: OnceCell::new(),
            produced: OnceCell::new(),
        }
    }

    fn produced(&self) -> &Produced {
        self.produced.get_or_init(|| {
            let slots = self.provider.map_or(0, |_| self.rules.environment().entries().len());
            let answers = (0..slots).map(|_| OnceCell::new()).collect();
            Box::new(Produced { answers, ..Produced::default() })
        })
    }

    fn entry(&self, slot: u32) -> Result<&'o Entry, Fault> {
        // A slot of the rule set always has an entry; a missing one must not read as a zero.
        let unknown = || Box::new(Failure::WrongType { name: format!("#{slot}") });
        self.rules.environment().entry(slot).ok_or_else(unknown)
    }

    /// The value of a fact that is no counter, as the occurrence has it.
    #[inline]
    pub(crate) fn observed(&self, slot: u32) -> Result<Value<'_>, Fault> {
        match self.occurrence.lent(slot) {
            Some(value) => Ok(value),
            None => self.found(slot),
        }
    }

    /// The same of a value that is not at hand in one step.
    #[inline(never)]
    fn found(&self, slot: u32) -> Result<Value<'_>, Fault> {
        let entry = self.entry(slot)?;
        let wrong = || Box::new(Failure::WrongType { name: entry.name().to_owned() });
        if let Some(value) = self.occurrence.supplied(slot) {
            return value.map_err(|Mistyped| wrong());
        }
        if let Some(value) = self.provided(slot, entry)? {
            return value.typed(entry.ty()).ok_or_else(wrong);
        }
        match entry.derivation {
            Some(derivation) => self.derived(derivation, entry),
            None => Ok(zero(entry.ty())),
        }
    }

    fn provided(&self, slot: u32, entry: &Entry) -> Result<Option<&FactValue>, Fault> {
        let Some(provider) = self.provider else { return Ok(None) };
        if entry.derivation.is_some_and(Derivation::is_core) {
            return Ok(None);
        }
        let Some(cell) = self.produced().answers.get(slot as usize) else { return Ok(None) };
        let answer = cell
            .get_or_init(|| self.answer(entry, || provider.fact(entry.name(), self.occurrence)));
        answer.as_ref().map(Option::as_ref).map_err(Clone::clone)
    }

    /// Asks the provider, within the host's bounds.
    fn answer(
        &self,
        entry: &Entry,
        ask: impl FnOnce() -> Result<Option<FactValue>, ProviderFailure>,
    ) -> Answer {
        let failed = |reason| Box::new(Failure::Provider { name: entry.name().to_owned(), reason });
        let answer = timed(self.bounds.answer_time, ask).map_err(failed)?;
        let answer = answer.map_err(|failure| failed(failure.to_string()))?;
        if let Some(value) = &answer {
            self.bounds.check_value(value).map_err(failed)?;
        }
        Ok(answer)
    }

    /// What the provider was asked and answered, where that was anything: the slot, the argument
    /// of a function, and the value or that it failed.
    pub(crate) fn answers(&self) -> Vec<(u32, Option<FactValue>, Result<FactValue, ()>)> {
        let Some(produced) = self.produced.get() else { return Vec::new() };
        let told = |answer: &Answer| match answer {
            Ok(value) => value.clone().map(Ok),
            Err(_) => Some(Err(())),
        };
        let answers = (0_u32..).zip(&*produced.answers);
        let facts = answers.filter_map(|(slot, cell)| Some((slot, None, told(cell.get()?)?)));
        let calls = produced.calls.borrow();
        let calls = calls.iter().filter_map(|(slot, argument, answer)| {
            Some((*slot, Some(argument.clone()), told(answer)?))
        });
        facts.chain(calls).collect()
    }

    /// Whether the value of a slot is at hand without asking a provider.
    pub(crate) fn is_at_hand(&self, slot: u32) -> bool {
        let core = |entry: &Entry| entry.derivation.is_some_and(Derivation::is_core);
        self.provider.is_none()
            || self.occurrence.lent(slot).is_some()
            || self.occurrence.supplied(slot).is_some()
            || self.entry(slot).is_ok_and(core)
    }

    /// What the engine works out from the tool call and the content.
    fn derived(&self, derivation: Derivation, entry: &Entry) -> Result<Value<'_>, Fault> {
        let call = self.occurrence.call.as_ref();
        Ok(match derivation {
            Derivation::Anchor => Value::String(
                self.occurrence.index().map_or(self.occurrence.anchor(), |index| &index.fact),
            ),
            Derivation::Tool => call.map_or(zero(Type::String), |call| Value::String(call.name)),
            Derivation::ToolArgs => {
                call.map_or(zero(Type::Map), |call| Value::Map(call.arguments.as_map()))
            }
            Derivation::Fingerprint => match call {
                None => zero(Type::String),
                Some(call) => {
                    let digest = self.produced().fingerprint.get_or_init(|| fingerprint(call));
                    Value::String(digest.as_deref().ok_or_else(|| {
                        let reason = "a number of the arguments is not kept by binary64".to_owned();
                        Box::new(Failure::Provider { name: entry.name().to_owned(), reason })
                    })?)
                }
            },
            Derivation::ContentLength => {
                let content = self.occurrence.content.unwrap_or_default();
                self.bounds.check_content(content).map_err(|reason| {
                    Box::new(Failure::Provider { name: entry.name().to_owned(), reason })
                })?;
                let length = *self.content_length.get_or_init(|| content.chars().count());
                Value::Int(i64::try_from(length).unwrap_or(i64::MAX))
            }
            Derivation::SegmentCount => self.segment_count(entry)?,
            Derivation::ContainsUntrusted => self.contains_untrusted()?,
            // The counters are read through `Asking`; functions are called.
            _ => zero(entry.ty()),
        })
    }

    /// The common length of the provenance lists; lists of different lengths have none.
    fn segment_count(&self, entry: &Entry) -> Result<Value<'_>, Fault> {
        let mut common = None;
        for name in PROVENANCE_LISTS {
            let Some((slot, _)) = self.rules.environment().named(name) else { continue };
            let Value::StringList(list) = self.observed(slot)? else { continue };
            // A list that the host does not publish says nothing about the others.
            if list.is_empty() {
                continue;
            }
            if *common.get_or_insert(list.len()) != list.len() {
                let reason = "the provenance lists differ in length".to_owned();
                return Err(Failure::Provider { name: entry.name().to_owned(), reason }.into());
            }
        }
        Ok(Value::Int(i64::try_from(common.unwrap_or(0)).unwrap_or(i64::MAX)))
    }

    fn contains_untrusted(&self) -> Result<Value<'_>, Fault> {
        let Some(slot) = self.rules.environment().slot("content_trust_tiers") else {
            return Ok(Value::Bool(false));
        };
        let Value::StringList(list) = self.observed(slot)? else { return Ok(Value::Bool(false)) };
        let any = || (0..list.len()).any(|index| list.get(index) == Some("untrusted"));
        Ok(Value::Bool(*self.untrusted.get_or_init(any)))
    }

    /// The result of an observation function as the occurrence has it.
    fn called(&self, slot: u32, argument: Value<'_>) -> Result<Scalar<'_>, Fault> {
        let entry = self.entry(slot)?;
        let wrong = || Box::new(Failure::WrongType { name: entry.name().to_owned() });
        if let Some(value) = self.occurrence.supplied(slot) {
            return value.ok().and_then(scalar).ok_or_else(wrong);
        }
        if let Some(value) = self.answered(slot, entry, argument)? {
            let value = value.typed(entry.ty()).and_then(scalar);
            return value.map(into_owned).ok_or_else(wrong);
        }
        let derived = entry.derivation.and_then(|d| self.tool_argument(d, argument));
        derived.or_else(|| scalar(zero(entry.ty()))).ok_or_else(wrong)
    }

    fn answered(&self, slot: u32, entry: &Entry, argument: Value<'_>) -> Answer {
        let Some(provider) = self.provider else { return Ok(None) };
        let Some(key) = FactValue::of(argument) else { return Ok(None) };
        let same = |call: &&(u32, FactValue, Answer)| call.0 == slot && call.1 == key;
        if let Some((.., answer)) = self.produced().calls.borrow().iter().find(same) {
            return answer.clone();
        }
        let answer = self.answer(entry, || provider.call(entry.name(), argument, self.occurrence));
        self.produced().calls.borrow_mut().push((slot, key, answer.clone()));
        answer
    }

    /// Adds the ranks that the literals of a list's conditions call for; false when a provider
    /// would be asked or the search does not pay.
    pub(crate) fn find(&self, guarded: &Guarded, most: usize, found: &mut Vec<u32>) -> bool {
        if !guarded.reads.iter().all(|slot| self.is_at_hand(*slot)) {
            return false;
        }
        found.extend_from_slice(&guarded.always);
        guarded.texts().all(|(text, tested)| match text {
            Text::Fact(slot) => match self.observed(*slot) {
                Ok(Value::String(text)) => tested.find(text.as_bytes(), most, found),
                _ => false,
            },
            Text::Call { slot, argument } => match self.called(*slot, Value::String(argument)) {
                Ok(Scalar::String(text)) => tested.find(text.as_bytes(), most, found),
                _ => false,
            },
        })
    }

    /// A typed argument of the tool call.
    fn tool_argument(&self, derivation: Derivation, name: Value<'_>) -> Option<Scalar<'_>> {
        let Value::String(name) = name else { return None };
        let member = self.occurrence.call.as_ref()?.arguments.as_map().get(name)?;
        match (derivation, member) {
            (Derivation::ToolArgString, Member::String(text)) => {
                Some(Scalar::String(Cow::Borrowed(text)))
            }
            (Derivation::ToolArgInt, Member::Int(value)) => Some(Scalar::Int(value)),
            (Derivation::ToolArgBool, Member::Bool(value)) => Some(Scalar::Bool(value)),
            _ => None,
        }
    }

    /// The scope value of a rule's counters; `None` for a rule without a scope ([OAR-FIRE-10]).
    ///
    /// What a detector of the rule produced is not seen here.
    pub(crate) fn scope(&self, rule: &Rule) -> Result<Option<&str>, Fault> {
        let Some(slot) = rule.scope() else { return Ok(None) };
        match self.observed(slot)? {
            Value::String(scope) => Ok(Some(scope)),
            _ => Err(Failure::WrongType { name: self.entry(slot)?.name().to_owned() }.into()),
        }
    }

    /// Reads, at one moment, the counters that the selected rules may consume and whose scope
    /// is at hand. A failing read fails the rules that consume a counter, and no others.
    pub(crate) fn take_snapshot(&self, ranks: &[u32], ledger: &Ledger<'_>) {
        let mut wanted: SmallVec<[u32; 8]> = SmallVec::new();
        for rank in ranks {
            let read = self.rules.rule(*rank).map(Rule::counters_read).unwrap_or_default();
            wanted.extend_from_slice(read);
        }
        if wanted.is_empty() {
            return;
        }
        wanted.sort_unstable();
        wanted.dedup();
        let mut keys: SmallVec<[CounterKey<'_>; 8]> = SmallVec::new();
        wanted.retain(|rank| {
            let Some(rule) = self.rules.rule(*rank) else { return false };
            let at_hand = rule.scope().is_none_or(|slot| self.is_at_hand(slot));
            // A scope that fails is found again, and reported, by the rule that consumes it.
            let Some(scope) = at_hand.then(|| self.scope(rule).ok()).flatten() else {
                return false;
            };
            keys.push(CounterKey { rule: &rule.qualified, scope });
            true
        });
        let mut values: SmallVec<[Counters; 8]> = SmallVec::new();
        values.resize(keys.len(), Counters::default());
        let result = ledger.read(&keys, &mut values);
        let mut snapshot = self.produced().snapshot.borrow_mut();
        for (rank, value) in wanted.iter().zip(values) {
            let value =
                result.as_ref().map(|()| value).map_err(|error| Box::new(error.clone().into()));
            snapshot.push((*rank, value));
        }
    }

    /// Notes what a rule's counters were before its own actions, if nothing had read them.
    pub(crate) fn note_before(&self, rank: u32, before: Counters) {
        let mut snapshot = self.produced().snapshot.borrow_mut();
        if let Err(at) = snapshot.binary_search_by_key(&rank, |(own, _)| *own) {
            snapshot.insert(at, (rank, Ok(before)));
        }
    }

    /// The counters of a rule as they were before the occurrence ([OAR-FIRE-6]).
    fn counters(&self, rank: u32, ledger: Option<&Ledger<'_>>) -> Result<Counters, Fault> {
        let find = |snapshot: &Snapshot| snapshot.binary_search_by_key(&rank, |(own, _)| *own);
        {
            let snapshot = self.produced().snapshot.borrow();
            if let Some((_, value)) = find(&snapshot).ok().and_then(|at| snapshot.get(at)) {
                return value.clone();
            }
        }
        let unread = || Failure::Counters { reason: "they were not read in time".to_owned() };
        let (ledger, rule) = ledger.zip(self.rules.rule(rank)).ok_or_else(unread)?;
        let key = CounterKey { rule: &rule.qualified, scope: self.scope(rule)? };
        let mut value = [Counters::default()];
        let result = ledger.read(&[key], &mut value);
        let [value] = value;
        let result = result.map(|()| value).map_err(|error| Box::new(error.into()));
        let mut snapshot = self.produced().snapshot.borrow_mut();
        if let Err(at) = find(&snapshot) {
            snapshot.insert(at, (rank, result.clone()));
        }
        result
    }
}

impl<'f> Asking<'f> {
    /// The value of a fact, as this rule sees it.
    #[inline(never)]
    pub(crate) fn value(&self, slot: u32) -> Result<Value<'f>, Fault> {
        let entry = self.facts.entry(slot)?;
        match entry.derivation {
            Some(Derivation::FireCount) => {
                self.own_counters().map(|own| Value::Int(own.fire_count))
            }
            Some(Derivation::BreakerCount) => {
                self.own_counters().map(|own| Value::Int(own.breaker_count))
            }
            _ => match self.reported(slot) {
                Some(value) => value
                    .typed(entry.ty())
                    .ok_or_else(|| Failure::WrongType { name: entry.name().to_owned() }.into()),
                None => self.facts.observed(slot),
            },
        }
    }

    fn own_counters(&self) -> Result<Counters, Fault> {
        self.facts.counters(self.rank, self.ledger)
    }

    fn reported(&self, slot: u32) -> Option<&'f FactValue> {
        self.overlay?.iter().find(|(own, _)| *own == slot).map(|(_, value)| value)
    }
}

impl<'f> oar_expr::Host<'f> for Asking<'f> {
    type Error = Fault;

    #[inline]
    fn fact(&mut self, slot: u32) -> Result<Value<'f>, Fault> {
        // What the rule's own detector reports comes first, and is rare.
        match self.facts.occurrence.lent(slot) {
            Some(value) if self.overlay.is_none() => Ok(value),
            _ => self.value(slot),
        }
    }

    fn call(&mut self, slot: u32, argument: Value<'_>) -> Result<Scalar<'f>, Fault> {
        let Some(value) = self.reported(slot) else { return self.facts.called(slot, argument) };
        let entry = self.facts.entry(slot)?;
        let wrong = || Box::new(Failure::WrongType { name: entry.name().to_owned() });
        value.typed(entry.ty()).and_then(scalar).ok_or_else(wrong)
    }

    fn reference(&mut self, index: u32) -> Result<Value<'f>, Fault> {
        let rule = self.facts.rules.rule(self.rank);
        let target = rule.and_then(|rule| rule.rest.as_ref()?.counter_targets.get(index as usize));
        let unknown = || Failure::Counters { reason: "the reference is not resolved".to_owned() };
        let target = target.ok_or_else(unknown)?;
        let counters = self.facts.counters(target.rank, self.ledger)?;
        Ok(Value::Int(if target.breaker { counters.breaker_count } else { counters.fire_count }))
    }
}

fn scalar(value: Value<'_>) -> Option<Scalar<'_>> {
    match value {
        Value::Bool(value) => Some(Scalar::Bool(value)),
        Value::Int(value) => Some(Scalar::Int(value)),
        Value::Double(value) => Some(Scalar::Double(value)),
        Value::String(value) => Some(Scalar::String(Cow::Borrowed(value))),
        _ => None,
    }
}

fn into_owned(value: Scalar<'_>) -> Scalar<'static> {
    match value {
        Scalar::Bool(value) => Scalar::Bool(value),
        Scalar::Int(value) => Scalar::Int(value),
        Scalar::Double(value) => Scalar::Double(value),
        Scalar::String(value) => Scalar::String(Cow::Owned(value.into_owned())),
    }
}
