//! The conditions of a whole rule set, packed into one place.
//!
//! A decision runs a handful of conditions out of thousands. Side by side their instructions and
//! literals take few cache lines, and no allocation of their own.

use crate::host::{Host, Raise};
use crate::program::{Code, Instruction, Piece, Pieces, Place, Program};
use crate::{Guards, Matcher, Stack, Subject};

/// Many programs.
///
/// ```
/// use oar_expr::{Limits, Programs, compile};
/// # struct Nothing;
/// # impl oar_expr::Symbols for Nothing {
/// #     fn symbol(&self, _: &str) -> Option<oar_expr::Symbol> { None }
/// #     fn names(&self, _: &mut dyn FnMut(&str)) {}
/// # }
/// # impl<'a> oar_expr::Host<'a> for Nothing {
/// #     type Error = ();
/// #     fn fact(&mut self, _: u32) -> Result<oar_expr::Value<'a>, ()> { Err(()) }
/// #     fn call(&mut self, _: u32, _: oar_expr::Value<'_>) -> Result<oar_expr::Scalar<'a>, ()> { Err(()) }
/// #     fn reference(&mut self, _: u32) -> Result<oar_expr::Value<'a>, ()> { Err(()) }
/// # }
/// let program = compile("1 < 2", &Nothing, &Limits::default()).unwrap();
/// let mut programs = Programs::new();
/// let id = programs.push(&program).unwrap();
/// assert_eq!(programs.evaluate(id, &mut Nothing, &mut oar_expr::Stack::new()), Ok(true));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Programs {
    instructions: Vec<Instruction>,
    text: String,
    pieces: Vec<Piece>,
    places: Vec<Place>,
}

/// One of the programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramId {
    instructions: (u32, u32),
    places: (u32, u32),
}

impl Programs {
    /// No programs.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            instructions: Vec::new(),
            text: String::new(),
            pieces: Vec::new(),
            places: Vec::new(),
        }
    }

    /// Adds what runs of a program; `None` when there is no room: everything together has fewer
    /// than 4 Gi instructions, places, members of lists and bytes of literals.
    pub fn push(&mut self, program: &Program) -> Option<ProgramId> {
        let code = program.code();
        let end = |own: usize, more: usize| u32::try_from(own.checked_add(more)?).ok();
        let instructions = end(self.instructions.len(), code.instructions.len())?;
        let places = end(self.places.len(), code.places.len())?;
        end(self.text.len(), code.text.len())?;
        end(self.pieces.len(), code.pieces.len())?;
        let by = Shift { text: end(self.text.len(), 0)?, pieces: end(self.pieces.len(), 0)? };
        let id = ProgramId {
            instructions: (end(self.instructions.len(), 0)?, instructions),
            places: (end(self.places.len(), 0)?, places),
        };
        self.instructions.extend(code.instructions.iter().map(|own| own.shifted(by)));
        self.text.push_str(code.text);
        self.pieces.extend(code.pieces.iter().map(|own| own.shifted(by)));
        self.places.extend_from_slice(code.places);
        Some(id)
    }

    /// Gives back the room that no program takes.
    pub fn shrink(&mut self) {
        self.instructions.shrink_to_fit();
        self.text.shrink_to_fit();
        self.pieces.shrink_to_fit();
        self.places.shrink_to_fit();
    }

    /// Evaluates one of the conditions, as [`Program::evaluate`] does.
    ///
    /// # Errors
    /// When an operation raises or the host cannot give a value.
    #[inline]
    pub fn evaluate<'p, 'a: 'p, H: Host<'a>>(
        &'p self,
        id: ProgramId,
        host: &mut H,
        stack: &mut Stack,
    ) -> Result<bool, Raise<H::Error>> {
        self.code(id).evaluate(host, stack)
    }

    /// The guards of one of the conditions, as [`Program::guards`] tells them.
    #[must_use]
    pub fn guards(
        &self,
        id: ProgramId,
        plain: &dyn Fn(u32) -> bool,
        weak: &dyn Fn(Subject<'_>, &Matcher<'_>) -> bool,
    ) -> Option<Guards<'_>> {
        self.code(id).guards(plain, weak)
    }

    #[inline]
    fn code(&self, id: ProgramId) -> Code<'_> {
        let (start, end) = id.instructions;
        let (first, last) = id.places;
        Code {
            instructions: self.instructions.get(start as usize..end as usize).unwrap_or_default(),
            text: &self.text,
            pieces: &self.pieces,
            places: self.places.get(first as usize..last as usize).unwrap_or_default(),
        }
    }
}

/// How far literals and lists move when they are put behind others.
#[derive(Clone, Copy)]
struct Shift {
    text: u32,
    pieces: u32,
}

impl Piece {
    fn shifted(self, by: Shift) -> Self {
        Self { start: self.start + by.text, end: self.end + by.text }
    }
}

impl Pieces {
    fn shifted(self, by: Shift) -> Self {
        Self { start: self.start + by.pieces, end: self.end + by.pieces }
    }
}

impl Instruction {
    /// The same with its literals and lists moved. Jumps stay: they count from the start of
    /// their own program.
    fn shifted(mut self, by: Shift) -> Self {
        match &mut self {
            Self::TextLiteral(piece)
            | Self::CallLiteral { argument: piece, .. }
            | Self::ConcatenateLiteral(piece)
            | Self::Text { needle: piece, .. }
            | Self::TextOfFact { needle: piece, .. }
            | Self::LiteralIn { literal: piece, .. }
            | Self::LiteralInFact { literal: piece, .. }
            | Self::IndexByTextLiteral(piece) => *piece = piece.shifted(by),
            Self::ListLiteral(list)
            | Self::InSet { set: list, .. }
            | Self::FactInSet { set: list, .. } => *list = list.shifted(by),
            Self::Flag(_)
            | Self::IntLiteral(_)
            | Self::DoubleLiteral(_)
            | Self::BoolFact { .. }
            | Self::IntFact { .. }
            | Self::DoubleFact { .. }
            | Self::TextFact { .. }
            | Self::AggregateFact { .. }
            | Self::Call { .. }
            | Self::Reference { .. }
            | Self::SizeFact { .. }
            | Self::SizeText
            | Self::SizeAggregate
            | Self::SaveFlag
            | Self::SaveNumber
            | Self::SaveText
            | Self::SaveAggregate
            | Self::NegateInt
            | Self::NegateDouble
            | Self::Promote
            | Self::IntPair(_)
            | Self::IntBy { .. }
            | Self::IntByFact { .. }
            | Self::DoublePair(_)
            | Self::DoubleBy { .. }
            | Self::DoubleByFact { .. }
            | Self::Concatenate
            | Self::CompareFlagPair { .. }
            | Self::CompareIntPair(_)
            | Self::CompareInt { .. }
            | Self::CompareIntFact { .. }
            | Self::CompareSizeFact { .. }
            | Self::CompareReference { .. }
            | Self::CompareDoublePair(_)
            | Self::CompareDouble { .. }
            | Self::CompareDoubleFact { .. }
            | Self::TextPair { .. }
            | Self::InPair { .. }
            | Self::Build { .. }
            | Self::IndexByInt
            | Self::IndexByText
            | Self::IndexByIntLiteral(_)
            | Self::Jump(_)
            | Self::JumpIf { .. } => {}
        }
        self
    }
}
