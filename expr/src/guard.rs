//! The string tests that a condition cannot hold without.
//!
//! An engine that knows which literals occur in the facts of a moment need not evaluate a
//! condition none of whose literals does. That is sound only when the evaluation would have gone
//! by with nothing but `false` to show for it: so the walk here follows every way through the
//! code that is open while the tests fail, and gives up at anything that may raise.

use crate::Type;
use crate::atoms::{Literals, Matcher, Subject};
use crate::program::{Code, Instruction, Program, TextTest};
use crate::signatures::Comparison;

/// Tests of which one has to hold for the condition to do anything but fail quietly.
#[derive(Clone, Debug, Default)]
pub struct Guards<'p> {
    /// Each is a test of a fact, or of a call with a literal; none is negated.
    pub tests: Vec<(Subject<'p>, Matcher<'p>)>,
    /// Every fact and function that is read while none of them holds, ascending.
    pub reads: Vec<u32>,
}

/// What is known of a flag.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flag {
    Is(bool),
    Either,
}

impl Flag {
    fn may_be(self, value: bool) -> bool {
        self != Self::Is(!value)
    }
}

/// A place in the code, and what is known there.
#[derive(Clone, Copy, PartialEq)]
struct State<'p> {
    next: usize,
    flag: Flag,
    /// What the text accumulator holds, where it is a fact or a call.
    text: Option<Subject<'p>>,
}

impl Program {
    /// The guards of the condition, if it has any.
    ///
    /// `plain` says of a fact or function that reading it has no effect and cannot fail; only
    /// such are read before the condition has failed. `weak` says of a test that it is no good
    /// as a guard, since it holds too often; it is then taken to hold or not.
    #[must_use]
    pub fn guards(
        &self,
        plain: &dyn Fn(u32) -> bool,
        weak: &dyn Fn(Subject<'_>, &Matcher<'_>) -> bool,
    ) -> Option<Guards<'_>> {
        self.code().guards(plain, weak)
    }
}

impl<'p> Code<'p> {
    pub(crate) fn guards(
        self,
        plain: &dyn Fn(u32) -> bool,
        weak: &dyn Fn(Subject<'_>, &Matcher<'_>) -> bool,
    ) -> Option<Guards<'p>> {
        let mut walk = Walk { program: self, plain, weak, guards: Guards::default() };
        let mut open = vec![State { next: 0, flag: Flag::Is(false), text: None }];
        let mut seen = Vec::new();
        // Code only goes forward, so the ways end; there must not be too many of them.
        let limit = 4 * self.instructions.len() + 4;
        while let Some(state) = open.pop() {
            if seen.contains(&state) {
                continue;
            }
            if seen.len() == limit {
                return None;
            }
            seen.push(state);
            match self.instructions.get(state.next) {
                None if state.flag == Flag::Is(false) => {}
                None => return None,
                Some(instruction) => walk.step(*instruction, state, &mut open)?,
            }
        }
        let mut guards = walk.guards;
        guards.reads.sort_unstable();
        guards.reads.dedup();
        Some(guards)
    }
}

struct Walk<'p, 'w> {
    program: Code<'p>,
    plain: &'w dyn Fn(u32) -> bool,
    weak: &'w dyn Fn(Subject<'_>, &Matcher<'_>) -> bool,
    guards: Guards<'p>,
}

impl<'p> Walk<'p, '_> {
    /// One instruction on; `None` when it may raise or is none of those that are followed.
    fn step(
        &mut self,
        instruction: Instruction,
        state: State<'p>,
        open: &mut Vec<State<'p>>,
    ) -> Option<()> {
        let mut after = State { next: state.next + 1, ..state };
        match instruction {
            Instruction::Jump(target) => after.next = target as usize,
            Instruction::JumpIf { flag, target } => {
                if state.flag.may_be(flag) {
                    let next = target as usize;
                    open.push(State { next, flag: Flag::Is(flag), ..state });
                }
                if !state.flag.may_be(!flag) {
                    return Some(());
                }
                after.flag = Flag::Is(!flag);
            }
            Instruction::Flag(value) => after.flag = Flag::Is(value),
            Instruction::BoolFact { slot, .. }
            | Instruction::CompareIntFact { slot, .. }
            | Instruction::CompareDoubleFact { slot, .. }
            | Instruction::CompareSizeFact { slot, .. }
            | Instruction::LiteralInFact { slot, .. } => {
                self.read(slot)?;
                after.flag = Flag::Either;
            }
            Instruction::TextFact { slot } => {
                self.read(slot)?;
                after.text = Some(Subject::Fact(slot));
            }
            Instruction::CallLiteral { slot, argument, result: Type::String, .. } => {
                self.read(slot)?;
                let argument = self.program.literal(argument);
                after.text = Some(Subject::Call { slot, argument });
            }
            Instruction::TextOfFact { test, slot, needle, not } => {
                self.read(slot)?;
                let needle = self.program.literal(needle);
                after.flag = self.test(Subject::Fact(slot), test, needle, not);
            }
            Instruction::Text { test, needle, not } => {
                let needle = self.program.literal(needle);
                after.flag = self.test(state.text?, test, needle, not);
            }
            Instruction::FactInSet { slot, set, not } => {
                self.read(slot)?;
                let members = Literals::new(self.program, set);
                after.flag = self.guard(Subject::Fact(slot), Matcher::OneOf(members), not);
            }
            Instruction::InSet { set, not } => {
                let members = Literals::new(self.program, set);
                after.flag = self.guard(state.text?, Matcher::OneOf(members), not);
            }
            _ => return None,
        }
        open.push(after);
        Some(())
    }

    fn read(&mut self, slot: u32) -> Option<()> {
        (self.plain)(slot).then(|| self.guards.reads.push(slot))
    }

    fn test(&mut self, subject: Subject<'p>, test: TextTest, needle: &'p str, not: bool) -> Flag {
        let matcher = match test {
            TextTest::Compare(Comparison::Equal) => Matcher::Equals(needle),
            TextTest::Compare(Comparison::NotEqual) => {
                return self.guard(subject, Matcher::Equals(needle), !not);
            }
            TextTest::Compare(_) => return Flag::Either,
            // What every text has is no guard.
            _ if needle.is_empty() => return Flag::Is(!not),
            TextTest::StartsWith => Matcher::StartsWith(needle),
            TextTest::EndsWith => Matcher::EndsWith(needle),
            TextTest::Contains(_) => Matcher::Contains(needle),
        };
        self.guard(subject, matcher, not)
    }

    /// The flag while the test does not hold.
    fn guard(&mut self, subject: Subject<'p>, matcher: Matcher<'p>, not: bool) -> Flag {
        if (self.weak)(subject, &matcher) {
            return Flag::Either;
        }
        self.guards.tests.push((subject, matcher));
        Flag::Is(not)
    }
}
