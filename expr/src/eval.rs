//! Runs a program over the values that a host lends.
//!
//! One loop over flat instructions: four accumulators in local variables, and a stack for the
//! left operands that must wait. The stack is the caller's and is used again, so that a run
//! allocates nothing unless strings are concatenated.

use std::borrow::Cow;
use std::marker::PhantomData;

use crate::arithmetic::{self, Fault};
use crate::compile::SORTED_ABOVE;
use crate::host::{Host, Raise, RaiseKind, Scalar};
use crate::lexer::offset;
use crate::program::{Code, Instruction, Piece, Pieces, Place, Program, TextTest};
use crate::signatures::Comparison;
use crate::value::{Map, MapList, Member, StringList};
use crate::{Span, Type, Value, search};

/// Room for intermediate values, to be used for one evaluation after the other.
#[derive(Debug, Default)]
pub struct Stack {
    numbers: Vec<i64>,
    /// Both are empty between evaluations; only their room is kept.
    saved: Vec<Saved<'static>>,
    members: Vec<Saved<'static>>,
}

impl Stack {
    /// An empty stack.
    #[must_use]
    pub const fn new() -> Self {
        Self { numbers: Vec::new(), saved: Vec::new(), members: Vec::new() }
    }

    #[cfg(test)]
    pub(crate) fn capacities(&self) -> [usize; 3] {
        [self.numbers.capacity(), self.saved.capacity(), self.members.capacity()]
    }
}

/// A text or an aggregate that waits.
#[derive(Clone, Debug)]
enum Saved<'a> {
    Text(Cow<'a, str>),
    Aggregate(Aggregate<'a>),
}

/// A list or a map.
#[derive(Clone, Copy, Debug)]
enum Aggregate<'a> {
    Strings(&'a dyn StringList),
    Map(&'a dyn Map),
    Maps(&'a dyn MapList),
    /// A constant list of the program.
    Constant(Pieces),
    /// A list literal whose members had to be computed: a range of the machine's members.
    Built {
        start: u32,
        end: u32,
    },
}

impl Program {
    /// Evaluates the condition.
    ///
    /// # Errors
    /// When an operation raises or the host cannot give a value; the span is that of the node
    /// it happened at.
    ///
    /// # Examples
    /// See the [crate documentation](crate).
    pub fn evaluate<'p, 'a: 'p, H: Host<'a>>(
        &'p self,
        host: &mut H,
        stack: &mut Stack,
    ) -> Result<bool, Raise<H::Error>> {
        self.code().evaluate(host, stack)
    }
}

impl<'p> Code<'p> {
    #[inline]
    pub(crate) fn evaluate<'a: 'p, H: Host<'a>>(
        self,
        host: &mut H,
        stack: &mut Stack,
    ) -> Result<bool, Raise<H::Error>> {
        let mut state = State { next: 0, flag: false, number: 0 };
        match self.plain(host, &mut state) {
            Ok(true) => Ok(state.flag),
            Ok(false) => self.evaluate_rest(host, stack, &mut state),
            Err(stop) => Err(self.raise(state.next, stop)),
        }
    }

    /// Evaluates from where a machine is needed.
    #[inline(never)]
    fn evaluate_rest<'a: 'p, H: Host<'a>>(
        self,
        host: &mut H,
        stack: &mut Stack,
        state: &mut State,
    ) -> Result<bool, Raise<H::Error>> {
        let Stack { numbers, saved, members } = stack;
        // A run that raised leaves its numbers behind.
        numbers.clear();
        let mut machine = Machine {
            program: self,
            host,
            numbers,
            saved: Vec::new(),
            members: Vec::new(),
            text: Cow::Borrowed(""),
            aggregate: Aggregate::Constant(Pieces { start: 0, end: 0 }),
            host_values: PhantomData,
        };
        // Giving the room back costs more than looking whether it is needed.
        let saves =
            |own: &Instruction| matches!(own, Instruction::SaveText | Instruction::SaveAggregate);
        if !self.instructions.iter().any(saves) {
            return machine.run(state);
        }
        machine.saved = std::mem::take(saved);
        machine.members = std::mem::take(members);
        let result = machine.run(state);
        *saved = recycle(machine.saved);
        *members = recycle(machine.members);
        result
    }

    /// Runs on as long as no instruction needs more than a flag, a number and the host; whether
    /// it came to the end. In most conditions that is all of them, and no machine is needed.
    #[inline]
    fn plain<'a, H: Host<'a>>(
        &self,
        host: &mut H,
        state: &mut State,
    ) -> Result<bool, Stop<H::Error>> {
        while let Some(instruction) = self.instructions.get(state.next) {
            state.next += 1;
            match *instruction {
                Instruction::Jump(target) => state.next = target as usize,
                Instruction::JumpIf { flag: on, target } => {
                    if state.flag == on {
                        state.next = target as usize;
                    }
                }
                Instruction::TextOfFact { test, slot, needle, not } => {
                    let text = text_of(host, slot)?;
                    state.flag = text_test(test, text, self.bytes(needle)) != not;
                }
                Instruction::FactInSet { slot, set, not } => {
                    let text = text_of(host, slot)?;
                    state.flag = in_set(*self, text, set) != not;
                }
                Instruction::CompareIntFact { comparison, slot, literal } => {
                    state.flag = comparison.holds(int_of(host, slot)?, literal);
                }
                Instruction::CompareDoubleFact { comparison, slot, literal } => {
                    state.flag = comparison.holds(double_of(host, slot)?, literal);
                }
                Instruction::BoolFact { slot, not } => match host.fact(slot) {
                    Ok(Value::Bool(value)) => state.flag = value != not,
                    other => return Err(unexpected(other)),
                },
                Instruction::CompareSizeFact { comparison, ty, slot, literal } => {
                    state.flag = comparison.holds(size_of_fact(host, slot, ty)?, literal);
                }
                Instruction::CompareReference { comparison, index, literal } => {
                    match host.reference(index) {
                        Ok(Value::Int(value)) => state.flag = comparison.holds(value, literal),
                        other => return Err(unexpected(other)),
                    }
                }
                Instruction::CompareInt { comparison, literal } => {
                    state.flag = comparison.holds(state.number, literal);
                }
                Instruction::CompareDouble { comparison, literal } => {
                    state.flag = comparison.holds(from_bits(state.number), literal);
                }
                Instruction::IntFact { slot } => state.number = int_of(host, slot)?,
                Instruction::DoubleFact { slot } => state.number = bits(double_of(host, slot)?),
                Instruction::IntBy { operation, literal } => {
                    state.number = arithmetic::int(operation, state.number, literal)?;
                }
                Instruction::IntByFact { operation, slot } => {
                    let right = int_of(host, slot)?;
                    state.number = arithmetic::int(operation, state.number, right)
                        .map_err(Stop::at_operation)?;
                }
                Instruction::DoubleBy { operation, literal } => {
                    let left = from_bits(state.number);
                    state.number = bits(arithmetic::double(operation, left, literal)?);
                }
                Instruction::DoubleByFact { operation, slot } => {
                    let right = double_of(host, slot)?;
                    let left = from_bits(state.number);
                    let value =
                        arithmetic::double(operation, left, right).map_err(Stop::at_operation)?;
                    state.number = bits(value);
                }
                Instruction::NegateInt => state.number = arithmetic::negate_int(state.number)?,
                Instruction::NegateDouble => state.number = bits(-from_bits(state.number)),
                Instruction::Promote => state.number = bits(arithmetic::promote(state.number)),
                Instruction::Flag(value) => state.flag = value,
                Instruction::IntLiteral(value) => state.number = value,
                Instruction::DoubleLiteral(value) => state.number = bits(value),
                Instruction::SizeFact { slot, ty } => state.number = size_of_fact(host, slot, ty)?,
                _ => {
                    state.next -= 1;
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Finds the place of the instruction before `next`, which has stopped.
    #[cold]
    #[inline(never)]
    fn raise<E>(&self, next: usize, stop: Stop<E>) -> Raise<E> {
        let key = offset(next.saturating_sub(1)) * 2 + u32::from(stop.operation);
        let place = self
            .places
            .binary_search_by_key(&key, |place| place.key)
            .ok()
            .and_then(|index| self.places.get(index));
        let span = place.map_or(Span::new(0, 0), |Place { span, .. }| *span);
        Raise { span, kind: stop.kind }
    }
}

/// Empties a vector for values of another lifetime; the room stays, since the standard library
/// collects in place.
fn recycle(mut saved: Vec<Saved<'_>>) -> Vec<Saved<'static>> {
    if saved.capacity() == 0 {
        return Vec::new();
    }
    saved.clear();
    saved.into_iter().map_while(|_| None).collect()
}

/// Where a run stands.
#[derive(Clone, Copy)]
struct State {
    /// The next instruction.
    next: usize,
    flag: bool,
    /// An int, or the bits of a double.
    number: i64,
}

/// Why the machine stopped.
struct Stop<E> {
    kind: RaiseKind<E>,
    /// Whether it was the operation of an instruction that also reads a fact.
    operation: bool,
}

impl<E> From<RaiseKind<E>> for Stop<E> {
    fn from(kind: RaiseKind<E>) -> Self {
        Self { kind, operation: false }
    }
}

impl<E> From<Fault> for Stop<E> {
    fn from(fault: Fault) -> Self {
        let kind = match fault {
            Fault::DivisionByZero => RaiseKind::DivisionByZero,
            Fault::IntOverflow => RaiseKind::IntOverflow,
            Fault::NonFinite => RaiseKind::NonFinite,
        };
        kind.into()
    }
}

impl<E> Stop<E> {
    fn at_operation(fault: Fault) -> Self {
        Self { operation: true, ..fault.into() }
    }
}

/// What a call yields for the accumulators that are local variables.
enum Yield {
    Flag(bool),
    Number(i64),
    /// It went to the text or to the aggregate.
    None,
}

struct Machine<'m, 'p, 'a, H> {
    program: Code<'p>,
    host: &'m mut H,
    numbers: &'m mut Vec<i64>,
    saved: Vec<Saved<'p>>,
    members: Vec<Saved<'p>>,
    text: Cow<'p, str>,
    aggregate: Aggregate<'p>,
    /// What the host lends outlives what the program lends.
    host_values: PhantomData<&'a ()>,
}

#[inline]
fn text_of<'a, H: Host<'a>>(host: &mut H, slot: u32) -> Result<&'a [u8], Stop<H::Error>> {
    match host.fact(slot) {
        Ok(Value::String(text)) => Ok(text.as_bytes()),
        other => Err(unexpected(other)),
    }
}

#[inline]
fn int_of<'a, H: Host<'a>>(host: &mut H, slot: u32) -> Result<i64, Stop<H::Error>> {
    match host.fact(slot) {
        Ok(Value::Int(value)) => Ok(value),
        other => Err(unexpected(other)),
    }
}

#[inline]
fn double_of<'a, H: Host<'a>>(host: &mut H, slot: u32) -> Result<f64, Stop<H::Error>> {
    match host.fact(slot) {
        // With NaN, an inverted comparison would not be the opposite (OAR-FACT-23).
        Ok(Value::Double(value)) if value.is_finite() => Ok(value),
        other => Err(unexpected(other)),
    }
}

fn size_of_fact<'a, H: Host<'a>>(host: &mut H, slot: u32, ty: Type) -> Result<i64, Stop<H::Error>> {
    if ty == Type::String {
        return match host.fact(slot) {
            Ok(Value::String(text)) => Ok(count(text.chars().count())),
            other => Err(unexpected(other)),
        };
    }
    Ok(count(size(aggregate_of(host, slot, ty)?)))
}

fn aggregate_of<'a, H: Host<'a>>(
    host: &mut H,
    slot: u32,
    ty: Type,
) -> Result<Aggregate<'a>, Stop<H::Error>> {
    match (host.fact(slot), ty) {
        (Ok(Value::StringList(list)), Type::StringList) => Ok(Aggregate::Strings(list)),
        (Ok(Value::StringMap(map)), Type::StringMap) | (Ok(Value::Map(map)), Type::Map) => {
            Ok(Aggregate::Map(map))
        }
        (Ok(Value::MapList(list)), Type::MapList) => Ok(Aggregate::Maps(list)),
        (other, _) => Err(unexpected(other)),
    }
}

fn bits(value: f64) -> i64 {
    value.to_bits().cast_signed()
}

fn from_bits(bits: i64) -> f64 {
    f64::from_bits(bits.cast_unsigned())
}

impl<'p, 'a: 'p, H: Host<'a>> Machine<'_, 'p, 'a, H> {
    /// Runs to the end of the code.
    fn run(&mut self, state: &mut State) -> Result<bool, Raise<H::Error>> {
        match self.steps(state) {
            Ok(flag) => Ok(flag),
            Err(stop) => Err(self.program.raise(state.next, stop)),
        }
    }

    /// The loop; `state.next` is the instruction behind the one it stopped at.
    #[inline]
    fn steps(&mut self, state: &mut State) -> Result<bool, Stop<H::Error>> {
        let program = self.program;
        while !program.plain(self.host, state)? {
            let Some(instruction) = program.instructions.get(state.next) else { break };
            state.next += 1;
            // An int, or the bits of a double.
            let State { mut flag, mut number, .. } = *state;
            match *instruction {
                Instruction::Text { test, needle, not } => {
                    let needle = program.bytes(needle);
                    flag = text_test(test, self.text.as_bytes(), needle) != not;
                }
                Instruction::InSet { set, not } => {
                    flag = in_set(program, self.text.as_bytes(), set) != not;
                }
                Instruction::IntPair(operation) => {
                    let left = self.pop_number();
                    number = arithmetic::int(operation, left, number)?;
                }
                Instruction::DoublePair(operation) => {
                    let left = from_bits(self.pop_number());
                    let right = from_bits(number);
                    number = bits(arithmetic::double(operation, left, right)?);
                }
                Instruction::CompareIntPair(comparison) => {
                    let left = self.pop_number();
                    flag = comparison.holds(left, number);
                }
                Instruction::CompareDoublePair(comparison) => {
                    let left = from_bits(self.pop_number());
                    flag = comparison.holds(left, from_bits(number));
                }
                Instruction::CompareFlagPair { not } => {
                    let left = self.pop_number() != 0;
                    flag = (left == flag) != not;
                }
                Instruction::TextLiteral(piece) => {
                    self.text = Cow::Borrowed(program.literal(piece));
                }
                Instruction::ListLiteral(list) => self.aggregate = Aggregate::Constant(list),
                Instruction::SaveFlag => self.numbers.push(i64::from(flag)),
                Instruction::SaveNumber => self.numbers.push(number),
                Instruction::TextFact { slot } => match self.host.fact(slot) {
                    Ok(Value::String(text)) => self.text = Cow::Borrowed(text),
                    other => return Err(unexpected(other)),
                },
                Instruction::LiteralInFact { literal, slot, ty, not } => {
                    let aggregate = aggregate_of(self.host, slot, ty)?;
                    flag = self.holds(aggregate, program.literal(literal)) != not;
                }
                Instruction::CallLiteral { slot, argument, result, not } => {
                    let argument = Value::String(program.literal(argument));
                    let value = self.host.call(slot, argument).map_err(RaiseKind::Host)?;
                    match self.result(value, result)? {
                        Yield::Flag(value) => flag = value != not,
                        Yield::Number(value) => number = value,
                        Yield::None => {}
                    }
                }
                Instruction::Reference { index, result, not } => {
                    let value = self.host.reference(index).map_err(RaiseKind::Host)?;
                    match self.reference(value, result)? {
                        Yield::Flag(value) => flag = value != not,
                        Yield::Number(value) => number = value,
                        Yield::None => {}
                    }
                }
                // What is left is rare or works on memory, so its call does not count.
                other => (flag, number) = self.rare(other, flag, number)?,
            }
            (state.flag, state.number) = (flag, number);
        }
        Ok(state.flag)
    }

    #[inline(never)]
    fn rare(
        &mut self,
        instruction: Instruction,
        mut flag: bool,
        mut number: i64,
    ) -> Result<(bool, i64), Stop<H::Error>> {
        let program = self.program;
        match instruction {
            Instruction::AggregateFact { slot, ty } => {
                self.aggregate = aggregate_of(self.host, slot, ty)?;
            }
            Instruction::Call { slot, parameter, result, not } => {
                let argument = match parameter {
                    Type::Bool => Value::Bool(flag),
                    Type::Int => Value::Int(number),
                    Type::Double => Value::Double(from_bits(number)),
                    _ => Value::String(&self.text),
                };
                let value = self.host.call(slot, argument).map_err(RaiseKind::Host)?;
                match self.result(value, result)? {
                    Yield::Flag(value) => flag = value != not,
                    Yield::Number(value) => number = value,
                    Yield::None => {}
                }
            }
            Instruction::SizeText => number = count(self.text.chars().count()),
            Instruction::SizeAggregate => number = count(size(self.aggregate)),
            Instruction::SaveText => {
                let text = std::mem::replace(&mut self.text, Cow::Borrowed(""));
                self.saved.push(Saved::Text(text));
            }
            Instruction::SaveAggregate => self.saved.push(Saved::Aggregate(self.aggregate)),
            Instruction::Concatenate => {
                let mut left = self.pop_text();
                append(&mut left, &self.text);
                self.text = left;
            }
            Instruction::ConcatenateLiteral(piece) => {
                append(&mut self.text, program.literal(piece));
            }
            Instruction::TextPair { test, not } => {
                let left = self.pop_text();
                flag = text_test(test, left.as_bytes(), self.text.as_bytes()) != not;
            }
            Instruction::LiteralIn { literal, not } => {
                flag = self.holds(self.aggregate, program.literal(literal)) != not;
            }
            Instruction::InPair { not } => {
                let text = self.pop_text();
                flag = self.holds(self.aggregate, &text) != not;
            }
            Instruction::Build { members } => {
                let first = self.saved.len().saturating_sub(members as usize);
                let start = offset(self.members.len());
                self.members.extend(self.saved.drain(first..));
                self.aggregate = Aggregate::Built { start, end: offset(self.members.len()) };
            }
            Instruction::IndexByInt => {
                let aggregate = self.pop_aggregate();
                self.index(aggregate, number)?;
            }
            Instruction::IndexByIntLiteral(index) => self.index(self.aggregate, index)?,
            Instruction::IndexByText => {
                let aggregate = self.pop_aggregate();
                let key = std::mem::replace(&mut self.text, Cow::Borrowed(""));
                self.key(aggregate, &key)?;
            }
            Instruction::IndexByTextLiteral(piece) => {
                self.key(self.aggregate, program.literal(piece))?;
            }
            // All others are in `run`.
            _ => {}
        }
        Ok((flag, number))
    }

    #[inline]
    fn result(&mut self, value: Scalar<'p>, ty: Type) -> Result<Yield, Stop<H::Error>> {
        match (value, ty) {
            (Scalar::Bool(value), Type::Bool) => return Ok(Yield::Flag(value)),
            (Scalar::Int(value), Type::Int) => return Ok(Yield::Number(value)),
            (Scalar::Double(value), Type::Double) if value.is_finite() => {
                return Ok(Yield::Number(bits(value)));
            }
            (Scalar::String(value), Type::String) => self.text = value,
            _ => return Err(RaiseKind::WrongType.into()),
        }
        Ok(Yield::None)
    }

    fn reference(&mut self, value: Value<'p>, ty: Type) -> Result<Yield, Stop<H::Error>> {
        let value = match value {
            Value::Bool(value) => Scalar::Bool(value),
            Value::Int(value) => Scalar::Int(value),
            Value::Double(value) => Scalar::Double(value),
            Value::String(value) => Scalar::String(Cow::Borrowed(value)),
            aggregate => {
                self.aggregate = match (aggregate, ty) {
                    (Value::StringList(list), Type::StringList) => Aggregate::Strings(list),
                    (Value::StringMap(map), Type::StringMap) | (Value::Map(map), Type::Map) => {
                        Aggregate::Map(map)
                    }
                    (Value::MapList(list), Type::MapList) => Aggregate::Maps(list),
                    _ => return Err(RaiseKind::WrongType.into()),
                };
                return Ok(Yield::None);
            }
        };
        self.result(value, ty)
    }

    // The compiler pairs every pop with a push of the same kind; the fallbacks are never used.

    fn pop_number(&mut self) -> i64 {
        self.numbers.pop().unwrap_or_default()
    }

    fn pop_text(&mut self) -> Cow<'p, str> {
        match self.saved.pop() {
            Some(Saved::Text(text)) => text,
            _ => Cow::Borrowed(""),
        }
    }

    fn pop_aggregate(&mut self) -> Aggregate<'p> {
        match self.saved.pop() {
            Some(Saved::Aggregate(aggregate)) => aggregate,
            _ => Aggregate::Constant(Pieces { start: 0, end: 0 }),
        }
    }

    fn built(&self, start: u32, end: u32) -> &[Saved<'p>] {
        self.members.get(start as usize..end as usize).unwrap_or_default()
    }

    /// `in`: a member of a list, or a key of a map (OAR-EXPR-12).
    fn holds(&self, aggregate: Aggregate<'p>, text: &str) -> bool {
        match aggregate {
            Aggregate::Map(map) => map.contains_key(text),
            Aggregate::Strings(list) => (0..list.len()).any(|index| list.get(index) == Some(text)),
            Aggregate::Constant(list) => {
                self.program.list(list).iter().any(|piece| self.program.literal(*piece) == text)
            }
            Aggregate::Built { start, end } => self
                .built(start, end)
                .iter()
                .any(|member| matches!(member, Saved::Text(member) if member == text)),
            Aggregate::Maps(_) => false,
        }
    }

    /// A negative index raises like one that is too large (OAR-EXPR-21).
    fn index(&mut self, aggregate: Aggregate<'p>, index: i64) -> Result<(), Stop<H::Error>> {
        let member = usize::try_from(index).ok().and_then(|index| match aggregate {
            Aggregate::Strings(list) => list.get(index).map(|text| Saved::Text(text.into())),
            Aggregate::Maps(list) => {
                list.get(index).map(|map| Saved::Aggregate(Aggregate::Map(map)))
            }
            Aggregate::Constant(list) => {
                let piece = self.program.list(list).get(index)?;
                Some(Saved::Text(self.program.literal(*piece).into()))
            }
            Aggregate::Built { start, end } => self.built(start, end).get(index).cloned(),
            Aggregate::Map(_) => None,
        });
        match member {
            Some(Saved::Text(text)) => self.text = text,
            Some(Saved::Aggregate(aggregate)) => self.aggregate = aggregate,
            None => return Err(RaiseKind::IndexOutOfRange.into()),
        }
        Ok(())
    }

    fn key(&mut self, aggregate: Aggregate<'p>, key: &str) -> Result<(), Stop<H::Error>> {
        let Aggregate::Map(map) = aggregate else { return Err(RaiseKind::WrongType.into()) };
        match map.get(key) {
            Some(Member::String(text)) => self.text = Cow::Borrowed(text),
            Some(_) => return Err(RaiseKind::WrongType.into()),
            None => return Err(RaiseKind::KeyAbsent.into()),
        }
        Ok(())
    }
}

#[cold]
fn unexpected<E>(value: Result<Value<'_>, E>) -> Stop<E> {
    match value {
        Ok(_) => RaiseKind::WrongType.into(),
        Err(error) => RaiseKind::Host(error).into(),
    }
}

fn size(aggregate: Aggregate<'_>) -> usize {
    match aggregate {
        Aggregate::Strings(list) => list.len(),
        Aggregate::Map(map) => map.len(),
        Aggregate::Maps(list) => list.len(),
        Aggregate::Constant(Pieces { start, end }) | Aggregate::Built { start, end } => {
            end.saturating_sub(start) as usize
        }
    }
}

fn count(members: usize) -> i64 {
    i64::try_from(members).unwrap_or(i64::MAX)
}

fn append(text: &mut Cow<'_, str>, more: &str) {
    if !more.is_empty() {
        text.to_mut().push_str(more);
    }
}

#[inline]
fn text_test(test: TextTest, text: &[u8], needle: &[u8]) -> bool {
    match test {
        TextTest::Compare(Comparison::Equal) => text == needle,
        TextTest::Compare(comparison) => comparison.holds(text, needle),
        TextTest::StartsWith => text.starts_with(needle),
        TextTest::EndsWith => text.ends_with(needle),
        TextTest::Contains(rare) => search::contains(text, needle, rare),
    }
}

#[inline]
fn in_set(program: Code<'_>, text: &[u8], set: Pieces) -> bool {
    let pieces = program.list(set);
    if pieces.len() > SORTED_ABOVE {
        return pieces.binary_search_by(|piece| program.bytes(*piece).cmp(text)).is_ok();
    }
    let same = |piece: &Piece| {
        (piece.end - piece.start) as usize == text.len() && program.bytes(*piece) == text
    };
    pieces.iter().any(same)
}
