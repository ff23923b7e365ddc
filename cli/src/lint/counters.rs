//! Counters that cannot do what a rule waits for.

use std::collections::{BTreeMap, BTreeSet};

use oar_engine::diagnostic::Location;
use oar_engine::document::rule::{Action, Enforcement};

use super::set::Rule;
use super::{Findings, Lint, Set};
use crate::rules::{Term, names};

pub(super) const SELF_GATING: Lint = Lint {
    name: "self-gating",
    summary: "a rule that waits for a counter that only it, or a rule waiting for it, advances",
    run: self_gating,
};

pub(super) const UNREAD_COUNTER: Lint = Lint {
    name: "unread-counter",
    summary: "a counter that is kept and that no rule reads",
    run: unread,
};

pub(super) const STILL_COUNTER: Lint = Lint {
    name: "still-counter",
    summary: "a counter that is read and that no rule advances",
    run: still,
};

/// Which of a rule's two counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Which {
    Fire,
    Breaker,
}

impl Which {
    fn increment(self) -> Action {
        match self {
            Self::Fire => Action::IncrementCounter,
            Self::Breaker => Action::IncrementBreaker,
        }
    }

    fn reset(self) -> Action {
        match self {
            Self::Fire => Action::ResetCounter,
            Self::Breaker => Action::ResetBreaker,
        }
    }

    /// The fact or function that reads it.
    fn of(name: &str) -> Option<(Self, bool)> {
        Some(match name {
            "fire_count" => (Self::Fire, false),
            "breaker_count" => (Self::Breaker, false),
            "fire_count_of" => (Self::Fire, true),
            "breaker_count_of" => (Self::Breaker, true),
            _ => return None,
        })
    }
}

/// A counter: the rule that keeps it, and which.
type Counter = (String, Which);

/// A place where a counter is read.
struct Read {
    counter: Counter,
    place: Location,
    /// The term that reads it, in a condition.
    term: Option<u32>,
}

/// What a rule reads in its condition and its copy.
fn reads(set: &Set<'_>, rule: &Rule<'_>) -> Vec<Read> {
    let mut reads = Vec::new();
    if let Some(condition) = &rule.condition {
        for (node, term) in condition.ast.nodes().iter().zip(&rule.terms) {
            let counter = match set.term(*term) {
                Some(Term::Name(name)) => match Which::of(&name) {
                    Some((which, false)) => (rule.name.clone(), which),
                    _ => continue,
                },
                Some(Term::Call(name, arguments)) => {
                    let Some((which, true)) = Which::of(&name) else { continue };
                    let argument = arguments.first().and_then(|argument| set.term(*argument));
                    let Some(Term::String(other)) = argument else { continue };
                    (other, which)
                }
                _ => continue,
            };
            let place = rule.place_in_condition(node.span);
            reads.push(Read { counter, place, term: Some(*term) });
        }
    }
    for member in rule.written.object("copy").into_iter().flat_map(|copy| copy.iter()) {
        for named in names(member.node.as_str().unwrap_or_default()) {
            if let Some((which, false)) = Which::of(named.name) {
                let mut place = rule.written.place(&member.node, &format!("/copy/{}", member.name));
                place.span = member.node.span_within(&rule.written.file, named.range.clone());
                reads.push(Read { counter: (rule.name.clone(), which), place, term: None });
            }
        }
    }
    reads
}

fn does(rule: &Rule<'_>, action: Action) -> bool {
    rule.written.list("on_fire").any(|(name, _)| name == action.name())
}

/// Whether the actions of a rule are applied when it fires ([OAR-FIRE-2]).
fn acts(rule: &Rule<'_>) -> bool {
    rule.in_force == Enforcement::Enforce
}

/// Rules whose condition cannot hold while the counters that it reads stand at zero, and whose
/// counters stay there until it holds ([OAR-FIRE-11]).
fn self_gating(set: &Set<'_>, findings: &mut Findings) {
    let read: Vec<Vec<Read>> = set.rules.iter().map(|rule| reads(set, rule)).collect();
    let mut fires: BTreeSet<&str> = BTreeSet::new();
    let mut waiting: Vec<usize> =
        (0..set.rules.len()).filter(|at| set.rules.get(*at).is_some_and(acts)).collect();
    // Those that began to fire in the last round; `None` before the first.
    let mut fresh: Option<BTreeSet<&str>> = None;
    while fresh.as_ref().is_none_or(|fresh| !fresh.is_empty()) {
        let advanced = |(keeper, which): &Counter| {
            let keeper = set.get(keeper).filter(|keeper| does(keeper, which.increment()));
            keeper.is_some_and(|keeper| fires.contains(&*keeper.name))
        };
        let mut begun = BTreeSet::new();
        waiting.retain(|at| {
            let (Some(rule), Some(read)) = (set.rules.get(*at), read.get(*at)) else {
                return false;
            };
            let concerned =
                |fresh: &BTreeSet<&str>| read.iter().any(|read| fresh.contains(&*read.counter.0));
            if !fresh.as_ref().is_none_or(concerned) {
                return true;
            }
            let zero = |read: &Read| Some(goal_of_zero(set, read.term?));
            let still = read.iter().filter(|read| !advanced(&read.counter));
            let mut goals: Vec<_> = still.filter_map(zero).collect();
            goals.extend(rule.whole().map(|whole| (whole, true)));
            let can = set.possible(rule, &goals);
            if can {
                begun.insert(&*rule.name);
            }
            !can
        });
        fires.extend(&begun);
        fresh = Some(begun);
    }
    for at in waiting {
        let (Some(rule), Some(read)) = (set.rules.get(at), read.get(at)) else { continue };
        let otherwise = rule.whole().is_some_and(|whole| set.possible(rule, &[(whole, true)]));
        // What nobody advances at all is told by another lint.
        let gate = read.iter().filter(|read| read.term.is_some()).find(|read| {
            let (keeper, which) = &read.counter;
            let keeper = set.get(keeper);
            keeper
                .is_some_and(|k| acts(k) && does(k, which.increment()) && !fires.contains(&*k.name))
        });
        let Some(gate) = gate.filter(|_| otherwise) else { continue };
        let keeper = &gate.counter.0;
        let finding = if *keeper == rule.name {
            let message =
                format!("rule `{keeper}` waits for a counter that only its own firing advances");
            findings.at(gate.place.clone(), message)
        } else {
            let message = format!(
                "rule `{}` waits for a counter of `{keeper}`, which waits for a counter itself, \
                 and neither can begin",
                rule.name
            );
            findings.at(gate.place.clone(), message)
        };
        let help = "let one rule count, without waiting, and another read its counter with \
                    `fire_count_of`";
        findings.push(finding.help(help));
    }
}

/// That the counter which a term reads is zero.
fn goal_of_zero(set: &Set<'_>, term: u32) -> (u32, bool) {
    let zero = set.number(Term::Int(0));
    (set.number(Term::Binary("==", term, zero)), true)
}

fn unread(set: &Set<'_>, findings: &mut Findings) {
    let read: BTreeSet<Counter> =
        set.rules.iter().flat_map(|rule| reads(set, rule)).map(|read| read.counter).collect();
    for rule in set.rules.iter().filter(|rule| rule.in_force != Enforcement::Off) {
        for which in [Which::Fire, Which::Breaker] {
            let own = (rule.name.clone(), which);
            let mut actions = rule.written.list("on_fire").enumerate();
            let kept = actions.find(|(_, (name, _))| {
                *name == which.increment().name() || *name == which.reset().name()
            });
            let Some((at, (_, node))) = kept.filter(|_| !read.contains(&own)) else { continue };
            let place = rule.written.place(node, &format!("/on_fire/{at}"));
            let (word, reader) = words(which);
            let message = format!("no rule reads the {word} of `{}`", rule.name);
            let help = format!(
                "read it with `{reader}(\"{}\")`, or leave the action out",
                rule.written.id()
            );
            findings.push(findings.at(place, message).help(help));
        }
    }
}

fn words(which: Which) -> (&'static str, &'static str) {
    match which {
        Which::Fire => ("counter", "fire_count_of"),
        Which::Breaker => ("breaker", "breaker_count_of"),
    }
}

fn still(set: &Set<'_>, findings: &mut Findings) {
    for rule in set.rules.iter().filter(|rule| rule.in_force != Enforcement::Off) {
        let mut told: BTreeMap<Counter, ()> = BTreeMap::new();
        for read in reads(set, rule) {
            if told.insert(read.counter.clone(), ()).is_some() {
                continue;
            }
            let (name, which) = &read.counter;
            // A rule that does not load has been complained about.
            let Some(keeper) = set.get(name) else { continue };
            let (word, _) = words(*which);
            let finding = if !does(keeper, which.increment()) {
                let message = format!("nothing advances the {word} of `{name}`, which stays 0");
                let help = format!("add `on_fire: [{}]` to `{name}`", which.increment().name());
                findings.at(read.place, message).help(help)
            } else if !acts(keeper) {
                let message = format!(
                    "`{name}` is in {} mode and does not advance its {word}, which stays 0",
                    keeper.in_force.name()
                );
                findings.at(read.place, message).help(format!("set `{name}` to `enforce`"))
            } else {
                continue;
            };
            findings.push(finding);
        }
    }
}
