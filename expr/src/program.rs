//! The compiled form of a condition: a flat, typed, slot-resolved list of instructions.
//!
//! An instruction is 16 bytes, literals lie in one buffer, places in a side table, so that a set
//! of ten thousand rules stays small. `compile` builds it, `eval` runs it, and [`Program`] is what
//! a rule keeps of its condition.

use crate::ast::Ast;
use crate::check::check;
use crate::error::{Error, ErrorKind};
use crate::lexer::offset;
use crate::signatures::{Arithmetic, Comparison};
use crate::{Span, Symbols, Type, fold, parse};

/// What a condition may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most nodes: the engine's `expression_nodes_max` ([OAR-EXPR-17]).
    pub nodes: u32,
    /// The most bytes of text; parentheses and white space add bytes but no nodes.
    pub bytes: u32,
    /// The most errors reported for one condition, at least one.
    pub errors: usize,
}

/// The least that the standard lets an engine accept, and room for text.
impl Default for Limits {
    fn default() -> Self {
        Self { nodes: 256, bytes: 4 << 20, errors: 64 }
    }
}

/// A condition that has been checked and compiled; it cannot fail on types.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) code: Box<[Instruction]>,
    pub(crate) text: Box<str>,
    pub(crate) pieces: Box<[Piece]>,
    pub(crate) places: Box<[Place]>,
    uses: Box<[Use]>,
    references: Box<[Reference]>,
    node_count: u32,
    constant: Option<bool>,
}

/// What runs of a program, wherever it lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code<'p> {
    pub(crate) instructions: &'p [Instruction],
    /// The literals that instructions point into.
    pub(crate) text: &'p str,
    /// The members of constant lists.
    pub(crate) pieces: &'p [Piece],
    /// Where what can raise stands, by the key of its instruction.
    pub(crate) places: &'p [Place],
}

/// A name that a condition mentions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// The number that the symbol table gave it.
    pub slot: u32,
    /// What it is.
    pub kind: UseKind,
    /// Where the name stands.
    pub span: Span,
}

/// What a used name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UseKind {
    /// [`Symbol::Fact`](crate::Symbol::Fact)
    Fact,
    /// [`Symbol::Function`](crate::Symbol::Function)
    Function,
    /// [`Symbol::Reference`](crate::Symbol::Reference)
    Reference,
}

/// A call of a [`Symbol::Reference`](crate::Symbol::Reference) function, to be resolved at load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The number that the symbol table gave the function.
    pub slot: u32,
    /// The decoded literal.
    pub argument: Box<str>,
    /// Where the call stands.
    pub span: Span,
    /// Where the literal stands, quotes included.
    pub argument_span: Span,
}

/// Compiles a condition against the declared names.
///
/// # Errors
/// One syntax error, or that the condition is over a limit, or all type errors in source order
/// up to `limits.errors`.
///
/// # Examples
/// See the [crate documentation](crate).
pub fn compile(
    source: &str,
    symbols: &dyn Symbols,
    limits: &Limits,
) -> Result<Program, Vec<Error>> {
    let (ast, checked) = checked(source, symbols, limits)?;
    Ok(assemble(&ast, checked))
}

/// Everything that is done to a condition before it is compiled or explained: its bounds, its
/// syntax, its nodes and its types, in that order.
pub(crate) fn checked(
    source: &str,
    symbols: &dyn Symbols,
    limits: &Limits,
) -> Result<(Ast, crate::check::Checked), Vec<Error>> {
    let whole = Span::new(0, offset(source.len()));
    if source.len() > limits.bytes as usize {
        let kind = ErrorKind::TooLong { bytes: source.len(), limit: limits.bytes };
        return Err(vec![Error::new(kind, whole)]);
    }
    let ast = parse(source).map_err(|error| vec![error])?;
    let count = ast.node_count();
    if count > limits.nodes as usize {
        let kind = ErrorKind::TooManyNodes { count, limit: limits.nodes };
        return Err(vec![Error::new(kind, whole)]);
    }
    let checked = check(source, &ast, symbols, limits.errors)?;
    Ok((ast, checked))
}

fn assemble(ast: &Ast, checked: crate::check::Checked) -> Program {
    let constants = fold::fold(ast, &checked);
    let constant = match constants.get(ast.root().index()) {
        Some(Some(fold::Constant::Bool(value))) => Some(*value),
        _ => None,
    };
    let output = crate::compile::compile(ast, &checked, &constants);
    Program {
        code: output.code.into(),
        text: output.text.into(),
        pieces: output.pieces.into(),
        places: output.places.into(),
        uses: checked.uses.into(),
        references: checked.references.into(),
        node_count: offset(ast.node_count()),
        constant,
    }
}

impl Program {
    /// Every fact and function that the condition mentions, in source order, also where
    /// short-circuiting or folding skips it.
    #[must_use]
    pub fn uses(&self) -> &[Use] {
        &self.uses
    }

    /// The calls of reference functions, in source order; a [`Host`](crate::Host) is asked for
    /// them by their index here.
    #[must_use]
    pub fn references(&self) -> &[Reference] {
        &self.references
    }

    /// The nodes of the tree before folding ([OAR-EXPR-20]).
    #[must_use]
    pub fn node_count(&self) -> u32 {
        self.node_count
    }

    /// The value of a condition that needs no host at all.
    #[must_use]
    pub fn constant(&self) -> Option<bool> {
        self.constant
    }

    /// The bytes that the program holds on the heap.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        let arguments: usize = self.references.iter().map(|call| call.argument.len()).sum();
        size_of_val(&*self.code)
            + self.text.len()
            + size_of_val(&*self.pieces)
            + size_of_val(&*self.places)
            + size_of_val(&*self.uses)
            + size_of_val(&*self.references)
            + arguments
    }

    pub(crate) fn code(&self) -> Code<'_> {
        Code {
            instructions: &self.code,
            text: &self.text,
            pieces: &self.pieces,
            places: &self.places,
        }
    }
}

impl<'p> Code<'p> {
    pub(crate) fn literal(&self, piece: Piece) -> &'p str {
        self.text.get(piece.start as usize..piece.end as usize).unwrap_or_default()
    }

    #[inline]
    pub(crate) fn bytes(&self, piece: Piece) -> &'p [u8] {
        self.text.as_bytes().get(piece.start as usize..piece.end as usize).unwrap_or_default()
    }

    pub(crate) fn list(&self, list: Pieces) -> &'p [Piece] {
        self.pieces.get(list.start as usize..list.end as usize).unwrap_or_default()
    }
}

/// A literal: a range of [`Program::text`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// A constant list: a range of [`Program::pieces`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pieces {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// Where an instruction's text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Twice the index of the instruction, plus one for the operation of an instruction that
    /// also reads a fact.
    pub(crate) key: u32,
    pub(crate) span: Span,
}

/// A string test against a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextTest {
    Compare(Comparison),
    StartsWith,
    EndsWith,
    /// With the place of the needle's rarest byte.
    Contains(u8),
}

/// One step of the evaluator. It works on four accumulators: a flag, a number, a text and an
/// aggregate, and on a stack for what must wait.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Instruction {
    // Loads into the accumulator of the type.
    Flag(bool),
    IntLiteral(i64),
    DoubleLiteral(f64),
    TextLiteral(Piece),
    ListLiteral(Pieces),
    BoolFact {
        slot: u32,
        not: bool,
    },
    IntFact {
        slot: u32,
    },
    DoubleFact {
        slot: u32,
    },
    TextFact {
        slot: u32,
    },
    AggregateFact {
        slot: u32,
        ty: Type,
    },
    /// Calls with the accumulator of type `parameter`.
    Call {
        slot: u32,
        parameter: Type,
        result: Type,
        not: bool,
    },
    CallLiteral {
        slot: u32,
        argument: Piece,
        result: Type,
        not: bool,
    },
    Reference {
        index: u32,
        result: Type,
        not: bool,
    },
    SizeFact {
        slot: u32,
        ty: Type,
    },
    SizeText,
    SizeAggregate,

    // Moves an accumulator to the stack.
    SaveFlag,
    SaveNumber,
    SaveText,
    SaveAggregate,

    // Arithmetic on the number; `…Pair` takes its left operand from the stack.
    NegateInt,
    NegateDouble,
    Promote,
    IntPair(Arithmetic),
    IntBy {
        operation: Arithmetic,
        literal: i64,
    },
    IntByFact {
        operation: Arithmetic,
        slot: u32,
    },
    DoublePair(Arithmetic),
    DoubleBy {
        operation: Arithmetic,
        literal: f64,
    },
    DoubleByFact {
        operation: Arithmetic,
        slot: u32,
    },
    Concatenate,
    ConcatenateLiteral(Piece),

    // Tests, which set the flag. `Compare…Pair` takes its left operand from the stack.
    CompareFlagPair {
        not: bool,
    },
    CompareIntPair(Comparison),
    CompareInt {
        comparison: Comparison,
        literal: i64,
    },
    CompareIntFact {
        comparison: Comparison,
        slot: u32,
        literal: i64,
    },
    CompareSizeFact {
        comparison: Comparison,
        ty: Type,
        slot: u32,
        literal: i64,
    },
    CompareReference {
        comparison: Comparison,
        index: u32,
        literal: i64,
    },
    CompareDoublePair(Comparison),
    CompareDouble {
        comparison: Comparison,
        literal: f64,
    },
    CompareDoubleFact {
        comparison: Comparison,
        slot: u32,
        literal: f64,
    },
    /// The text on the stack against the text as the needle.
    TextPair {
        test: TextTest,
        not: bool,
    },
    Text {
        test: TextTest,
        needle: Piece,
        not: bool,
    },
    TextOfFact {
        test: TextTest,
        slot: u32,
        needle: Piece,
        not: bool,
    },
    /// The text in a constant list.
    InSet {
        set: Pieces,
        not: bool,
    },
    FactInSet {
        slot: u32,
        set: Pieces,
        not: bool,
    },
    /// A literal in an aggregate.
    LiteralIn {
        literal: Piece,
        not: bool,
    },
    LiteralInFact {
        literal: Piece,
        slot: u32,
        ty: Type,
        not: bool,
    },
    /// The text on the stack in the aggregate.
    InPair {
        not: bool,
    },

    // Aggregates.
    /// Makes a list of as many saved members.
    Build {
        members: u32,
    },
    /// The aggregate on the stack by the number or by the text.
    IndexByInt,
    IndexByText,
    /// The aggregate by a literal.
    IndexByIntLiteral(i64),
    IndexByTextLiteral(Piece),

    // Jumps to an instruction.
    Jump(u32),
    JumpIf {
        flag: bool,
        target: u32,
    },
}
