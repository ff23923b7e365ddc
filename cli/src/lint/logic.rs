//! Whether parts of conditions can hold together.
//!
//! A small search over the boolean structure: what must hold is taken apart until only tests of
//! single facts are left, and those of one fact are held against each other. It errs on one side
//! alone: what it calls impossible is impossible; what it cannot tell, or what would take too
//! long, counts as possible.

mod constraint;

use std::collections::HashMap;

use constraint::{Comparison, Constraint, Number, TextTest};

use super::Domain;
use crate::rules::{Term, Terms};

/// A term and whether it shall hold.
pub(crate) type Goal = (u32, bool);

/// How many goals are taken apart before the answer is "possible".
const STEPS: usize = 2_000;

pub(crate) struct Solver<'t, 'd> {
    terms: &'t mut Terms,
    domain: &'d Domain<'d>,
    /// The value of the fact `anchor`.
    anchor: &'d str,
}

/// What is left to take apart, and the tests that must hold so far.
#[derive(Clone, Default)]
struct Branch {
    goals: Vec<Goal>,
    tests: Vec<Goal>,
}

/// What a goal comes to.
enum Taken {
    /// It holds, or cannot.
    Known(bool),
    /// All of these must be.
    All(Vec<Goal>),
    /// One of these lists must be.
    Either(Vec<Goal>, Vec<Goal>),
    /// A test of something that the host observes.
    Test,
}

impl<'t, 'd> Solver<'t, 'd> {
    pub(crate) fn new(terms: &'t mut Terms, domain: &'d Domain<'d>, anchor: &'d str) -> Self {
        Self { terms, domain, anchor }
    }

    /// Whether all goals can be at once.
    pub(crate) fn possible(&mut self, goals: &[Goal]) -> bool {
        let mut open = vec![Branch { goals: goals.to_vec(), tests: Vec::new() }];
        let mut steps = 0;
        while let Some(mut branch) = open.pop() {
            loop {
                steps += 1;
                if steps > STEPS {
                    return true;
                }
                let Some(goal) = branch.goals.pop() else {
                    if self.agree(&branch.tests) {
                        return true;
                    }
                    break;
                };
                match self.take(goal) {
                    Taken::Known(true) => {}
                    Taken::Known(false) => break,
                    Taken::All(goals) => branch.goals.extend(goals),
                    Taken::Test => branch.tests.push(goal),
                    Taken::Either(one, other) => {
                        let mut second = branch.clone();
                        second.goals.extend(other);
                        open.push(second);
                        branch.goals.extend(one);
                    }
                }
            }
        }
        false
    }

    fn take(&self, (number, wanted): Goal) -> Taken {
        match self.terms.get(number) {
            Some(Term::Bool(value)) => Taken::Known(*value == wanted),
            Some(Term::Not(operand)) => Taken::All(vec![(*operand, !wanted)]),
            Some(Term::Binary(operator @ ("&&" | "||"), left, right)) => {
                // Both operands must be as wanted, or one of them is enough.
                match (*operator == "&&") == wanted {
                    true => Taken::All(vec![(*left, wanted), (*right, wanted)]),
                    false => Taken::Either(vec![(*left, wanted)], vec![(*right, wanted)]),
                }
            }
            Some(Term::Ternary(condition, first, second)) => Taken::Either(
                vec![(*condition, true), (*first, wanted)],
                vec![(*condition, false), (*second, wanted)],
            ),
            Some(Term::Binary(operator @ ("==" | "!="), left, right)) => {
                let wanted = (*operator == "==") == wanted;
                let bool = |number| match self.terms.get(number) {
                    Some(Term::Bool(value)) => Some(*value),
                    _ => None,
                };
                match (bool(*left), bool(*right)) {
                    (Some(one), Some(other)) => Taken::Known((one == other) == wanted),
                    (Some(value), None) => Taken::All(vec![(*right, value == wanted)]),
                    (None, Some(value)) => Taken::All(vec![(*left, value == wanted)]),
                    (None, None) => Taken::Test,
                }
            }
            _ => Taken::Test,
        }
    }

    /// Whether tests can all be as wanted.
    fn agree(&mut self, tests: &[Goal]) -> bool {
        let mut subjects: HashMap<u32, Constraint> = HashMap::new();
        for (number, wanted) in tests {
            if !self.add(*number, *wanted, &mut subjects) {
                return false;
            }
        }
        subjects.into_values().all(|constraint| constraint.is_possible())
    }

    /// Adds a test; false when it cannot be as wanted, whatever is observed.
    fn add(&mut self, number: u32, wanted: bool, subjects: &mut HashMap<u32, Constraint>) -> bool {
        match self.terms.get(number).cloned() {
            Some(Term::Binary("in", left, right)) => {
                self.membership(number, left, right, wanted, subjects)
            }
            Some(Term::Binary(operator, left, right)) => match Comparison::of(operator) {
                Some(comparison) => {
                    let comparison = if wanted { comparison } else { comparison.inverted() };
                    self.comparison(comparison, left, right, subjects)
                }
                None => true,
            },
            Some(Term::Call(name, arguments)) => {
                let test = TextTest::of(&name);
                match (test, arguments.as_slice()) {
                    (Some(test), [subject, needle]) => {
                        let (subject, needle) = (*subject, *needle);
                        match (self.text(subject), self.text(needle)) {
                            (Some(text), Some(needle)) => test.holds(&text, &needle) == wanted,
                            (None, Some(needle)) => {
                                self.subject(subject, subjects).test(test, needle, wanted);
                                true
                            }
                            _ => self.opaque(number, wanted, subjects),
                        }
                    }
                    _ => self.opaque(number, wanted, subjects),
                }
            }
            _ => self.opaque(number, wanted, subjects),
        }
    }

    fn opaque(
        &mut self,
        number: u32,
        wanted: bool,
        subjects: &mut HashMap<u32, Constraint>,
    ) -> bool {
        self.subject(number, subjects).is(wanted);
        true
    }

    fn comparison(
        &mut self,
        comparison: Comparison,
        left: u32,
        right: u32,
        subjects: &mut HashMap<u32, Constraint>,
    ) -> bool {
        if left == right {
            // A fact is asked for once, and doubles are finite.
            return comparison.holds_for_equals();
        }
        match (self.number_of(left), self.number_of(right)) {
            (Some(one), Some(other)) => return comparison.holds(one.order(other)),
            (None, Some(value)) => {
                self.subject(left, subjects).compare(comparison, value);
                return true;
            }
            (Some(value), None) => {
                self.subject(right, subjects).compare(comparison.swapped(), value);
                return true;
            }
            (None, None) => {}
        }
        match (self.text(left), self.text(right)) {
            (Some(one), Some(other)) => comparison.holds(one.cmp(&other)),
            (None, Some(text)) => {
                self.subject(left, subjects).compare_text(comparison, text);
                true
            }
            (Some(text), None) => {
                self.subject(right, subjects).compare_text(comparison.swapped(), text);
                true
            }
            // Two things that are observed: the same test of the same two must come out alike.
            (None, None) => {
                let (operator, swap, wanted) = comparison.canonical();
                let (one, other) = if swap { (right, left) } else { (left, right) };
                let (one, other) = match operator {
                    "==" => (one.min(other), one.max(other)),
                    _ => (one, other),
                };
                let number = self.terms.number(Term::Binary(operator, one, other));
                self.opaque(number, wanted, subjects)
            }
        }
    }

    fn membership(
        &mut self,
        number: u32,
        member: u32,
        list: u32,
        wanted: bool,
        subjects: &mut HashMap<u32, Constraint>,
    ) -> bool {
        if let (Some(text), Some(Term::Name(fact))) = (self.text(member), self.terms.get(list)) {
            // A list that the host observes, of words that are known.
            let unknown =
                self.domain.listed(fact).is_some_and(|words| !words.contains(&text.as_str()));
            return if unknown { !wanted } else { self.opaque(number, wanted, subjects) };
        }
        let Some(Term::List(members)) = self.terms.get(list).cloned() else {
            return self.opaque(number, wanted, subjects);
        };
        if members.is_empty() {
            return !wanted;
        }
        let texts: Option<Vec<String>> = members.iter().map(|own| self.text(*own)).collect();
        let numbers: Option<Vec<Number>> = members.iter().map(|own| self.number_of(*own)).collect();
        match (texts, numbers, self.text(member), self.number_of(member)) {
            (Some(texts), _, Some(text), _) => texts.contains(&text) == wanted,
            (_, Some(numbers), _, Some(value)) => {
                numbers.iter().any(|own| own.order(value).is_eq()) == wanted
            }
            (Some(texts), _, None, _) => {
                self.subject(member, subjects).among(texts, wanted);
                true
            }
            (_, Some(numbers), _, None) => {
                self.subject(member, subjects).among_numbers(&numbers, wanted);
                true
            }
            _ => self.opaque(number, wanted, subjects),
        }
    }

    /// What is said so far of something that the host observes.
    fn subject<'s>(
        &mut self,
        number: u32,
        subjects: &'s mut HashMap<u32, Constraint>,
    ) -> &'s mut Constraint {
        let name = match self.terms.get(number) {
            Some(Term::Name(name) | Term::Call(name, _)) => name.clone(),
            _ => String::new(),
        };
        subjects.entry(number).or_insert_with(|| {
            let mut constraint = Constraint::new(self.domain.is_int(&name));
            let range = self.domain.range(&name);
            if let Some(least) = range.least {
                constraint.compare(Comparison::GreaterEqual, Number::Int(least));
            }
            if let Some(greatest) = range.greatest {
                constraint.compare(Comparison::LessEqual, Number::Int(greatest));
            }
            match name.as_str() {
                "anchor" => constraint.among(vec![self.anchor.to_owned()], true),
                "tool_args_fingerprint" => constraint.must_look_like_a_fingerprint(),
                _ => {}
            }
            constraint
        })
    }

    fn text(&self, number: u32) -> Option<String> {
        match self.terms.get(number) {
            Some(Term::String(text)) => Some(text.clone()),
            _ => None,
        }
    }

    fn number_of(&self, number: u32) -> Option<Number> {
        match self.terms.get(number) {
            Some(Term::Int(value)) => Some(Number::Int(*value)),
            Some(Term::Double(bits)) => Some(Number::Double(f64::from_bits(*bits))),
            Some(Term::Negate(operand)) => match self.terms.get(*operand) {
                Some(Term::Double(bits)) => Some(Number::Double(-f64::from_bits(*bits))),
                _ => None,
            },
            _ => None,
        }
    }
}
