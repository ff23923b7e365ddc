//! The values that a host supplies with an occurrence, found by slot in one step.
//!
//! A value is held against the declared type once, when it comes in, and is kept in the form that
//! conditions read. Few values take no heap allocation.

use arrayvec::ArrayVec;
use oar_expr::{Type, Value};
use serde_json::Value as Json;

use super::fact::{FactValue, Supplied, typed_lent};
use super::json::written;

/// The supplied values of one occurrence.
#[derive(Clone, Debug, Default)]
pub(super) struct Given<'a> {
    /// One more than the position of the first value whose slot has this remainder, or 0.
    heads: [u32; Given::HEADS],
    first: ArrayVec<Fact<'a>, { Given::FIRST }>,
    more: Option<Box<More<'a>>>,
}

/// What few occurrences have.
#[derive(Clone, Debug, Default)]
struct More<'a> {
    /// Those behind the first.
    facts: Vec<Fact<'a>>,
    /// Values that were handed over, with the types that they are read as.
    owned: Vec<(Type, FactValue)>,
}

#[derive(Clone, Copy, Debug)]
struct Fact<'a> {
    slot: u32,
    /// One more than the position of the next value whose slot has the same remainder, or 0.
    next: u32,
    held: Held<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Held<'a> {
    /// Of the declared type.
    Lent(Value<'a>),
    /// Of the declared type, by its place among the owned values.
    Owned(u32),
    /// Of another type than the declared one.
    Wrong,
}

/// A supplied value is of another type than the declared one ([OAR-FACT-26]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mistyped;

impl<'a> Given<'a> {
    /// How many values are held without a heap allocation.
    const FIRST: usize = 6;
    /// A host's facts have slots that follow one another, so few of them share a remainder.
    const HEADS: usize = 16;

    /// Keeps `value` for a slot of type `ty`, in place of an earlier one; false when it is of
    /// another type.
    pub(super) fn put(&mut self, slot: u32, ty: Type, value: Supplied<'a>) -> bool {
        let held = match value {
            Supplied::Lent(value) => typed_lent(value, ty).map_or(Held::Wrong, Held::Lent),
            Supplied::Owned(value) if value.typed(ty).is_none() => Held::Wrong,
            Supplied::Owned(value) => {
                let owned = &mut self.more.get_or_insert_default().owned;
                owned.push((ty, value));
                Held::Owned(number(owned.len() - 1))
            }
        };
        let right = !matches!(held, Held::Wrong);
        // The end of its chain, or the value that it replaces.
        let mut last = None;
        let mut at = self.head(slot);
        while let Some(fact) = self.at_mut(at) {
            if fact.slot == slot {
                fact.held = held;
                return right;
            }
            (last, at) = (Some(at), fact.next);
        }
        let fact = Fact { slot, next: 0, held };
        let position = match self.first.try_push(fact) {
            Ok(()) => self.first.len(),
            Err(_) => {
                let facts = &mut self.more.get_or_insert_default().facts;
                facts.push(fact);
                Self::FIRST + facts.len()
            }
        };
        let link = match last {
            Some(last) => self.at_mut(last).map(|fact| &mut fact.next),
            None => self.heads.get_mut(slot as usize % Self::HEADS),
        };
        if let Some(link) = link {
            *link = number(position);
        }
        right
    }

    /// The value of a slot, if it was supplied.
    pub(super) fn get(&self, slot: u32) -> Option<Result<Value<'_>, Mistyped>> {
        let mut at = self.head(slot);
        loop {
            let fact = self.at(at)?;
            if fact.slot == slot {
                return Some(self.value(fact.held));
            }
            at = fact.next;
        }
    }

    /// The value of a slot as JSON, if it was supplied: null for one of another type, and `None`
    /// for a map whose names are not told.
    pub(super) fn written(&self, slot: u32) -> Option<Option<Json>> {
        let mut at = self.head(slot);
        loop {
            let fact = self.at(at)?;
            if fact.slot == slot {
                return Some(match fact.held {
                    Held::Lent(value) => written(value),
                    Held::Owned(place) => {
                        let owned = self.more.as_ref().and_then(|m| m.owned.get(place as usize));
                        owned.map(|(_, value)| value.to_json())
                    }
                    Held::Wrong => Some(Json::Null),
                });
            }
            at = fact.next;
        }
    }

    /// The value of a slot, if it was lent and is of the declared type; that is most often so.
    #[inline]
    pub(super) fn lent(&self, slot: u32) -> Option<Value<'a>> {
        let fact = self.first.get((self.head(slot) as usize).wrapping_sub(1))?;
        match fact.held {
            Held::Lent(value) if fact.slot == slot => Some(value),
            _ => None,
        }
    }

    #[inline]
    fn head(&self, slot: u32) -> u32 {
        self.heads.get(slot as usize % Self::HEADS).copied().unwrap_or_default()
    }

    /// The fact whose position is one less than `at`.
    fn at(&self, at: u32) -> Option<&Fact<'a>> {
        let position = (at as usize).checked_sub(1)?;
        match position.checked_sub(Self::FIRST) {
            None => self.first.get(position),
            Some(position) => self.more.as_ref()?.facts.get(position),
        }
    }

    fn at_mut(&mut self, at: u32) -> Option<&mut Fact<'a>> {
        let position = (at as usize).checked_sub(1)?;
        match position.checked_sub(Self::FIRST) {
            None => self.first.get_mut(position),
            Some(position) => self.more.as_mut()?.facts.get_mut(position),
        }
    }

    fn value(&self, held: Held<'a>) -> Result<Value<'_>, Mistyped> {
        match held {
            Held::Lent(value) => Ok(value),
            Held::Owned(place) => {
                let owned = self.more.as_ref().and_then(|more| more.owned.get(place as usize));
                owned.and_then(|(ty, value)| value.lent_as(*ty)).ok_or(Mistyped)
            }
            Held::Wrong => Err(Mistyped),
        }
    }
}

/// No more values than slots, of which there are fewer than `u32::MAX`.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use oar_expr::{Type, Value};

    use super::{Given, Mistyped};
    use crate::observe::{FactValue, Supplied};

    fn int(given: &Given<'_>, slot: u32) -> Option<i64> {
        match given.get(slot) {
            Some(Ok(Value::Int(value))) => Some(value),
            other => {
                assert!(other.is_none(), "slot {slot}: {other:?}");
                None
            }
        }
    }

    #[test]
    fn every_value_is_found_whatever_its_slot() {
        // Slots that share a remainder, and more of them than lie in the first few.
        let slots: Vec<u32> = (0..40).flat_map(|n| [n, n * 16 + 1000, n * 48 + 9]).collect();
        let mut given = Given::default();
        for (turn, slot) in slots.iter().enumerate() {
            assert!(given.put(*slot, Type::Int, (turn as i64).into()), "{slot}");
        }
        for (turn, slot) in slots.iter().enumerate() {
            // The last one counts.
            let last = slots.iter().rposition(|own| own == slot).unwrap();
            assert_eq!(int(&given, *slot), Some(last as i64), "{turn}");
        }
        for slot in (0..3000).filter(|slot| !slots.contains(slot)) {
            assert_eq!(int(&given, slot), None, "{slot}");
        }
    }

    #[test]
    fn lent_and_owned_replace_one_another() {
        let mut given = Given::default();
        assert!(given.put(3, Type::String, "lent".into()));
        assert!(matches!(given.lent(3), Some(Value::String("lent"))));
        assert!(given.put(3, Type::String, Supplied::Owned(FactValue::from("owned"))));
        assert!(given.lent(3).is_none());
        assert!(matches!(given.get(3), Some(Ok(Value::String("owned")))));
        assert!(!given.put(3, Type::String, 1_i64.into()));
        assert_eq!(given.get(3).map(|value| value.err()), Some(Some(Mistyped)));
        assert!(given.put(3, Type::Double, 1_i64.into()));
        assert!(matches!(given.lent(3), Some(Value::Double(1.0))), "an int is a double there");
    }
}
