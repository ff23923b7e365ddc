//! An object: its members in the order written, and a way to find one by name.

use std::collections::BTreeSet;

use oar_expr::Span;

use super::Node;

/// A member of an object.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name, decoded.
    pub name: Box<str>,
    /// Where the name stands, quotes included.
    pub name_span: Span,
    /// Its value.
    pub node: Node,
}

/// An object: members in the order they were written, no name twice.
#[derive(Clone, Debug, Default)]
pub struct Object {
    members: Box<[Member]>,
    /// The positions of the members, sorted by name; only where there are many. Sorted rather
    /// than hashed: nobody can choose names that collide, and names are not kept twice.
    #[expect(clippy::box_collection, reason = "one word in every object, not two or three")]
    by_name: Option<Box<Vec<u32>>>,
}

/// Up to here comparing with every name is as fast as a search.
const FEW: usize = 16;

/// A member whose name was given before in the same object.
pub(super) struct Repeated {
    pub(super) first: Span,
    pub(super) again: Span,
    pub(super) name: Box<str>,
}

impl Object {
    /// The object of `members`, without those that repeat a name, which are returned beside it
    /// in the order written.
    pub(super) fn new(members: Box<[Member]>) -> (Self, Vec<Repeated>) {
        if members.len() <= FEW {
            let repeats = members
                .iter()
                .enumerate()
                .any(|(at, m)| members.iter().take(at).any(|earlier| earlier.name == m.name));
            if !repeats {
                return (Self { members, by_name: None }, Vec::new());
            }
        }
        let order = sorted(&members);
        let name = |at: &u32| members.get(*at as usize).map(|m| &*m.name);
        let repeats = order.windows(2).any(|w| matches!(w, [a, b] if name(a) == name(b)));
        if repeats {
            return Self::without_repeats(members, &order);
        }
        (Self { members, by_name: Some(Box::new(order)) }, Vec::new())
    }

    fn without_repeats(members: Box<[Member]>, order: &[u32]) -> (Self, Vec<Repeated>) {
        let mut repeated = Vec::new();
        let mut dropped = BTreeSet::new();
        let mut first: Option<&Member> = None;
        for &at in order {
            let Some(member) = members.get(at as usize) else { continue };
            match first {
                Some(first) if first.name == member.name => {
                    dropped.insert(at as usize);
                    repeated.push(Repeated {
                        first: first.name_span,
                        again: member.name_span,
                        name: member.name.clone(),
                    });
                }
                _ => first = Some(member),
            }
        }
        repeated.sort_by_key(|r| r.again);
        let kept: Box<[Member]> = members
            .into_iter()
            .enumerate()
            .filter(|(at, _)| !dropped.contains(at))
            .map(|(_, member)| member)
            .collect();
        let by_name = (kept.len() > FEW).then(|| Box::new(sorted(&kept)));
        (Self { members: kept, by_name }, repeated)
    }

    /// The value of the member `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Node> {
        self.member(name).map(|m| &m.node)
    }

    /// The member `name`.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&Member> {
        let Some(order) = &self.by_name else {
            return self.members.iter().find(|m| &*m.name == name);
        };
        let named = |at: u32| self.members.get(at as usize).map(|m| &*m.name);
        let found = order.binary_search_by(|&at| named(at).cmp(&Some(name))).ok()?;
        self.members.get(*order.get(found)? as usize)
    }

    /// Whether it has a member `name`.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.member(name).is_some()
    }

    /// The members in the order written.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The members in the order written.
    pub fn iter(&self) -> std::slice::Iter<'_, Member> {
        self.members.iter()
    }

    /// How many members it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    pub(super) fn take_members(&mut self) -> Box<[Member]> {
        self.by_name = None;
        std::mem::take(&mut self.members)
    }
}

impl<'a> IntoIterator for &'a Object {
    type Item = &'a Member;
    type IntoIter = std::slice::Iter<'a, Member>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The positions of `members` sorted by name, and by position where names are equal.
fn sorted(members: &[Member]) -> Vec<u32> {
    let mut order: Vec<u32> = (0u32..).take(members.len()).collect();
    order.sort_by_key(|&at| members.get(at as usize).map(|m| &*m.name));
    order
}
