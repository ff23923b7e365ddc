//! The string tests of a program, for an engine that wants to share them between conditions.
//!
//! A rule set asks the same questions of the same facts many times over. This view shows which
//! string tests a condition makes and which of them it cannot hold without; it changes nothing.

use crate::program::{Code, Instruction, Pieces, Program, TextTest};
use crate::signatures::Comparison;

/// A test of a fact or of the result of a call against literals.
#[derive(Clone, Debug)]
pub struct StringTest<'p> {
    /// What is tested.
    pub subject: Subject<'p>,
    /// Against what.
    pub matcher: Matcher<'p>,
    /// Whether the condition asks for the opposite.
    pub negated: bool,
    /// Whether the condition can hold only if this test does (or, negated, does not).
    pub required: bool,
    /// How many instructions stand before it; when none does, nothing is asked before the test.
    pub position: u32,
}

/// What a string test looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subject<'p> {
    /// The fact with this number.
    Fact(u32),
    /// A call of a function with a literal.
    Call {
        /// The number of the function.
        slot: u32,
        /// The literal.
        argument: &'p str,
    },
}

/// What a string test looks for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Matcher<'p> {
    /// `==`
    Equals(&'p str),
    /// `starts_with`
    StartsWith(&'p str),
    /// `ends_with`
    EndsWith(&'p str),
    /// `contains`
    Contains(&'p str),
    /// `in` a list of literals.
    OneOf(Literals<'p>),
}

/// The members of a list of literals, in no particular order.
#[derive(Clone, Debug)]
pub struct Literals<'p> {
    code: Code<'p>,
    list: Pieces,
}

impl<'p> Literals<'p> {
    pub(crate) fn new(code: Code<'p>, list: Pieces) -> Self {
        Self { code, list }
    }

    /// The members.
    pub fn iter(&self) -> impl Iterator<Item = &'p str> + use<'p> {
        let code = self.code;
        code.list(self.list).iter().map(move |piece| code.literal(*piece))
    }
}

impl Program {
    /// The string tests against literals, in the order in which they would be evaluated.
    pub fn string_tests(&self) -> impl Iterator<Item = StringTest<'_>> + use<'_> {
        let code = self.code();
        let end = code.instructions.len();
        let mut call = None;
        // Instructions before this one may be jumped over by a condition that still can hold.
        let mut joined = 0;
        code.instructions.iter().enumerate().filter_map(move |(position, instruction)| {
            let called = call.take();
            let (subject, matcher, negated) = match *instruction {
                // To the end with a false flag: the condition fails, which skips nothing that counts.
                Instruction::JumpIf { flag: false, target } if target as usize == end => {
                    return None;
                }
                Instruction::JumpIf { target, .. } | Instruction::Jump(target) => {
                    // From the end there is no way back to a test.
                    let target = target as usize;
                    joined = joined.max(if target == end { usize::MAX } else { target });
                    return None;
                }
                Instruction::CallLiteral { slot, argument, .. } => {
                    call = Some(Subject::Call { slot, argument: code.literal(argument) });
                    return None;
                }
                Instruction::TextOfFact { test, slot, needle, not } => {
                    let (matcher, negated) = matcher(test, code.literal(needle), not)?;
                    (Subject::Fact(slot), matcher, negated)
                }
                Instruction::Text { test, needle, not } => {
                    let (matcher, negated) = matcher(test, code.literal(needle), not)?;
                    (called?, matcher, negated)
                }
                Instruction::FactInSet { slot, set, not } => {
                    (Subject::Fact(slot), Matcher::OneOf(Literals::new(code, set)), not)
                }
                Instruction::InSet { set, not } => {
                    (called?, Matcher::OneOf(Literals::new(code, set)), not)
                }
                _ => return None,
            };
            // A test is required when it is always reached and a jump or the end takes its flag.
            let decides = match code.instructions.get(position + 1) {
                None => true,
                Some(Instruction::JumpIf { flag: false, target }) => *target as usize == end,
                _ => false,
            };
            let required = position >= joined && decides;
            let position = crate::lexer::offset(position);
            Some(StringTest { subject, matcher, negated, required, position })
        })
    }
}

fn matcher(test: TextTest, needle: &str, not: bool) -> Option<(Matcher<'_>, bool)> {
    Some(match test {
        TextTest::Compare(Comparison::Equal) => (Matcher::Equals(needle), not),
        TextTest::Compare(Comparison::NotEqual) => (Matcher::Equals(needle), !not),
        TextTest::Compare(_) => return None,
        TextTest::StartsWith => (Matcher::StartsWith(needle), not),
        TextTest::EndsWith => (Matcher::EndsWith(needle), not),
        TextTest::Contains(_) => (Matcher::Contains(needle), not),
    })
}
