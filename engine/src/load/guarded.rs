//! Finds the rules of a long list whose conditions may do anything but fail quietly.
//!
//! Many conditions cannot hold unless a literal occurs in a fact. For a list of many rules the
//! literals are gathered by fact: equal texts, beginnings and ends in hash tables, substrings in
//! one automaton, so that an occurrence looks at each text once and not once for each rule.
//! Rules whose condition has no such literal, or that do more than evaluate a condition, are
//! always to be evaluated. Nothing here decides: a rule that is found is evaluated as usual.

use std::collections::{BTreeMap, HashMap};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use foldhash::fast::FixedState;
use oar_expr::{Guards, Matcher, Programs, Subject};

use super::environment::Environment;
use super::rule_set::Rule;
use crate::observe::Derivation;

/// Lists of fewer rules are evaluated as quickly as they are searched.
const FEWEST: usize = 20;
/// The most bytes of literals in one list; rules beyond are always evaluated.
const MOST_BYTES: usize = 4 << 20;
/// The most lengths that beginnings, or ends, of one fact may have.
const MOST_LENGTHS: usize = 32;
/// The most literals of one rule.
const MOST_LITERALS: usize = 64;

/// The literals of a list of rules.
#[derive(Debug)]
pub(crate) struct Guarded {
    /// Every fact and function that is read before a condition has failed, ascending.
    pub(crate) reads: Box<[u32]>,
    /// Ranks that are always evaluated.
    pub(crate) always: Box<[u32]>,
    pub(crate) tested: Box<[Tested]>,
}

/// What literals are looked for in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Text {
    Fact(u32),
    Call { slot: u32, argument: Box<str> },
}

/// The literals that are looked for in one text.
#[derive(Debug, Default)]
pub(crate) struct Tested {
    text: Option<Text>,
    equal: Table,
    starts: ByLength,
    ends: ByLength,
    contained: Option<Contained>,
}

/// Ranks by literal.
#[derive(Debug, Default)]
struct Table {
    by_literal: HashMap<Box<[u8]>, Ranks, FixedState>,
    ranks: Box<[u32]>,
}

/// A range of [`Table::ranks`].
#[derive(Clone, Copy, Debug)]
struct Ranks {
    start: u32,
    end: u32,
}

/// Literals that stand at one end of a text.
#[derive(Debug, Default)]
struct ByLength {
    lengths: Box<[usize]>,
    table: Table,
}

/// Literals anywhere in a text.
#[derive(Debug)]
struct Contained {
    automaton: AhoCorasick,
    by_pattern: Box<[Ranks]>,
    ranks: Box<[u32]>,
}

/// How a literal is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Way {
    Equal,
    Start,
    End,
    Within,
}

/// Visits each literal of a test.
fn literals<'m>(matcher: &Matcher<'m>) -> Vec<(Way, &'m str)> {
    match matcher {
        Matcher::Equals(text) => vec![(Way::Equal, text)],
        Matcher::StartsWith(text) => vec![(Way::Start, text)],
        Matcher::EndsWith(text) => vec![(Way::End, text)],
        Matcher::Contains(text) => vec![(Way::Within, text)],
        Matcher::OneOf(members) => members.iter().map(|text| (Way::Equal, text)).collect(),
        // A way of testing that came later guards nothing here.
        _ => Vec::new(),
    }
}

/// Whether reading a fact or function that is at hand has no effect and cannot fail.
fn is_plain(environment: &Environment, slot: u32) -> bool {
    environment.entry(slot).is_some_and(|entry| {
        matches!(
            entry.derivation,
            None | Some(
                Derivation::Anchor
                    | Derivation::Tool
                    | Derivation::ToolArgs
                    | Derivation::ToolArgString
            )
        )
    })
}

/// What is told of rules before there is a rule set.
#[derive(Clone, Copy)]
pub(crate) struct Parts<'p> {
    /// By rank.
    pub(crate) rules: &'p [Rule],
    pub(crate) conditions: &'p Programs,
    pub(crate) environment: &'p Environment,
}

type Key<'r> = (Subject<'r>, Way, &'r str);

impl Guarded {
    /// Gathers the literals of these rules, if that is worth it.
    pub(crate) fn new(ranks: &[u32], parts: Parts<'_>) -> Option<Self> {
        if ranks.len() < FEWEST {
            return None;
        }
        let plain = |slot| is_plain(parts.environment, slot);
        let strong = |_: Subject<'_>, _: &Matcher<'_>| false;
        let condition = |rank: &u32| {
            let rule = parts.rules.get(*rank as usize).filter(|rule| rule.direct)?;
            rule.condition
        };
        let first: Vec<Option<Guards<'_>>> = ranks
            .iter()
            .map(|rank| parts.conditions.guards(condition(rank)?, &plain, &strong))
            .collect();
        // A literal that many rules share tells little; another test of theirs may tell more.
        let mut shared: HashMap<Key<'_>, usize, FixedState> = HashMap::default();
        for (subject, matcher) in first.iter().flatten().flat_map(|guards| &guards.tests) {
            for (way, literal) in literals(matcher) {
                *shared.entry((*subject, way, literal)).or_default() += 1;
            }
        }
        let most = (ranks.len() / 16).max(4);
        let weak = |subject: Subject<'_>, matcher: &Matcher<'_>| {
            let often = |key: Key<'_>| shared.get(&key).is_some_and(|count| *count > most);
            literals(matcher).into_iter().any(|(way, literal)| often((subject, way, literal)))
        };
        let mut open = Open::default();
        for (rank, first) in ranks.iter().zip(&first) {
            let Some(first) = first else {
                open.always.push(*rank);
                continue;
            };
            let better = first
                .tests
                .iter()
                .any(|(subject, matcher)| weak(*subject, matcher))
                .then(|| parts.conditions.guards(condition(rank)?, &plain, &weak))
                .flatten();
            open.file(*rank, better.as_ref().unwrap_or(first));
        }
        open.close(ranks.len())
    }

    /// What to look into, and for what.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&Text, &Tested)> {
        self.tested.iter().filter_map(|tested| Some((tested.text.as_ref()?, tested)))
    }
}

/// The ranks of the rules that look for each literal.
type RanksByLiteral = BTreeMap<(Way, Box<str>), Vec<u32>>;
/// The same of one way of looking.
type Literals = Vec<(Box<str>, Vec<u32>)>;

/// Literals that are still gathered.
#[derive(Default)]
struct Open {
    reads: Vec<u32>,
    always: Vec<u32>,
    by_text: BTreeMap<Text, RanksByLiteral>,
    lengths: BTreeMap<(Text, Way), Vec<usize>>,
    bytes: usize,
}

impl Open {
    fn file(&mut self, rank: u32, guards: &Guards<'_>) {
        let mut own = Vec::new();
        for (subject, matcher) in &guards.tests {
            let text = match *subject {
                Subject::Fact(slot) => Text::Fact(slot),
                Subject::Call { slot, argument } => Text::Call { slot, argument: argument.into() },
            };
            let found = literals(matcher);
            own.extend(found.into_iter().map(|(way, literal)| (text.clone(), way, literal)));
        }
        let bytes: usize = own.iter().map(|(.., literal)| literal.len()).sum();
        if own.len() > MOST_LITERALS || self.bytes + bytes > MOST_BYTES || !self.has_room(&own) {
            self.always.push(rank);
            return;
        }
        self.bytes += bytes;
        self.reads.extend_from_slice(&guards.reads);
        for (text, way, literal) in own {
            let ranks = self.by_text.entry(text).or_default().entry((way, literal.into()));
            ranks.or_default().push(rank);
        }
    }

    /// Whether the lengths of all beginnings and ends can be tried one by one; notes them if so.
    fn has_room(&mut self, own: &[(Text, Way, &str)]) -> bool {
        for (text, way, literal) in own {
            if !matches!(way, Way::Start | Way::End) {
                continue;
            }
            let lengths = self.lengths.entry((text.clone(), *way)).or_default();
            if !lengths.contains(&literal.len()) {
                if lengths.len() == MOST_LENGTHS {
                    return false;
                }
                lengths.push(literal.len());
            }
        }
        true
    }

    fn close(mut self, ranks: usize) -> Option<Guarded> {
        if ranks - self.always.len() < FEWEST {
            return None;
        }
        self.reads.sort_unstable();
        self.reads.dedup();
        let tested: Option<Box<[Tested]>> =
            self.by_text.into_iter().map(|(text, literals)| Tested::new(text, literals)).collect();
        Some(Guarded { reads: self.reads.into(), always: self.always.into(), tested: tested? })
    }
}

impl Tested {
    fn new(text: Text, literals: RanksByLiteral) -> Option<Self> {
        let mut tested = Self { text: Some(text), ..Self::default() };
        let mut by_way: BTreeMap<Way, Literals> = BTreeMap::new();
        for ((way, literal), ranks) in literals {
            by_way.entry(way).or_default().push((literal, ranks));
        }
        for (way, literals) in by_way {
            match way {
                Way::Equal => tested.equal = Table::new(literals),
                Way::Start => tested.starts = ByLength::new(literals),
                Way::End => tested.ends = ByLength::new(literals),
                Way::Within => tested.contained = Some(Contained::new(&literals)?),
            }
        }
        Some(tested)
    }

    /// Adds the ranks of all literals found in `text`, some of them more than once; false when
    /// there are more than `most` or the search is impossible.
    pub(crate) fn find(&self, text: &[u8], most: usize, found: &mut Vec<u32>) -> bool {
        found.extend_from_slice(self.equal.get(text));
        for length in &self.starts.lengths {
            let Some(start) = text.get(..*length) else { break };
            found.extend_from_slice(self.starts.table.get(start));
        }
        for length in &self.ends.lengths {
            let Some(from) = text.len().checked_sub(*length) else { break };
            found.extend_from_slice(self.ends.table.get(text.get(from..).unwrap_or_default()));
        }
        let Some(contained) = &self.contained else { return found.len() <= most };
        let Ok(matches) = contained.automaton.try_find_overlapping_iter(text) else { return false };
        for pattern in matches.map(|found| found.pattern()) {
            if found.len() > most {
                return false;
            }
            let Some(ranks) = contained.by_pattern.get(pattern.as_usize()) else { continue };
            found.extend_from_slice(ranks.of(&contained.ranks));
        }
        found.len() <= most
    }
}

impl Ranks {
    fn of(self, ranks: &[u32]) -> &[u32] {
        ranks.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

/// Puts lists of ranks into one.
fn pack(all: &mut Vec<u32>, ranks: &[u32]) -> Ranks {
    let place = |all: &Vec<u32>| u32::try_from(all.len()).unwrap_or(u32::MAX);
    let start = place(all);
    all.extend_from_slice(ranks);
    Ranks { start, end: place(all) }
}

impl Table {
    fn new(literals: Literals) -> Self {
        let mut all = Vec::new();
        let entry = |(literal, ranks): (Box<str>, Vec<u32>)| {
            (Box::from(literal.as_bytes()), pack(&mut all, &ranks))
        };
        let by_literal = literals.into_iter().map(entry).collect();
        Self { by_literal, ranks: all.into() }
    }

    fn get(&self, text: &[u8]) -> &[u32] {
        if self.by_literal.is_empty() {
            return &[];
        }
        self.by_literal.get(text).map(|ranks| ranks.of(&self.ranks)).unwrap_or_default()
    }
}

impl ByLength {
    fn new(literals: Literals) -> Self {
        let mut lengths: Vec<usize> = literals.iter().map(|(literal, _)| literal.len()).collect();
        lengths.sort_unstable();
        lengths.dedup();
        Self { lengths: lengths.into(), table: Table::new(literals) }
    }
}

impl Contained {
    fn new(literals: &[(Box<str>, Vec<u32>)]) -> Option<Self> {
        let mut all = Vec::new();
        let by_pattern = literals.iter().map(|(_, ranks)| pack(&mut all, ranks)).collect();
        let patterns = literals.iter().map(|(literal, _)| literal.as_bytes());
        // Of the kinds the one that is small, and quick enough.
        let kind = Some(AhoCorasickKind::ContiguousNFA);
        let automaton = AhoCorasick::builder().kind(kind).build(patterns).ok()?;
        Some(Self { automaton, by_pattern, ranks: all.into() })
    }
}
