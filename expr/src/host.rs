//! What a program asks of the one who runs it, and how a run can fail.

use std::borrow::Cow;
use std::fmt;

use crate::{Span, Value};

/// Lends the values that a condition is about. `'a` is how long they live.
///
/// A program asks for nothing that short-circuiting skips ([OAR-EXPR-5]), but may ask for the
/// same fact more than once.
pub trait Host<'a> {
    /// Why the host cannot give a value.
    type Error;

    /// The value of the fact with this number, of its declared type.
    ///
    /// # Errors
    /// When the value cannot be produced.
    fn fact(&mut self, slot: u32) -> Result<Value<'a>, Self::Error>;

    /// The result of the function with this number, of its declared type.
    ///
    /// # Errors
    /// When the value cannot be produced.
    fn call(&mut self, slot: u32, argument: Value<'_>) -> Result<Scalar<'a>, Self::Error>;

    /// The result of [`Program::references`](crate::Program::references)`[index]`.
    ///
    /// # Errors
    /// When the value cannot be produced.
    fn reference(&mut self, index: u32) -> Result<Value<'a>, Self::Error>;
}

/// The result of a function ([OAR-FACT-27]).
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar<'a> {
    /// A `bool`.
    Bool(bool),
    /// An `int`.
    Int(i64),
    /// A `double`; finite.
    Double(f64),
    /// A `string`.
    String(Cow<'a, str>),
}

/// Why an evaluation has no result, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raise<E> {
    /// The node that raised.
    pub span: Span,
    /// What happened.
    pub kind: RaiseKind<E>,
}

/// What can happen when a checked condition runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RaiseKind<E> {
    /// A division or a remainder by zero ([OAR-EXPR-14]).
    DivisionByZero,
    /// An int beyond 64 bits ([OAR-EXPR-15]).
    IntOverflow,
    /// A double that is not finite ([OAR-EXPR-14]).
    NonFinite,
    /// A map without the key asked for ([OAR-EXPR-13]).
    KeyAbsent,
    /// A list without the index asked for ([OAR-EXPR-13]).
    IndexOutOfRange,
    /// The host gave a value of another type than declared, or a double that is not finite
    /// ([OAR-FACT-26]).
    WrongType,
    /// The host could not give the value.
    Host(E),
}

impl<E> RaiseKind<E> {
    /// The clause of the standard that makes it raise.
    #[must_use]
    pub const fn clause(&self) -> &'static str {
        match self {
            Self::DivisionByZero | Self::NonFinite => "OAR-EXPR-14",
            Self::IntOverflow => "OAR-EXPR-15",
            Self::KeyAbsent | Self::IndexOutOfRange => "OAR-EXPR-13",
            Self::WrongType => "OAR-FACT-26",
            Self::Host(_) => "OAR-OPS-3",
        }
    }
}

impl<E: fmt::Display> fmt::Display for RaiseKind<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DivisionByZero => f.write_str("division by zero"),
            Self::IntOverflow => f.write_str("the int does not fit 64 bits"),
            Self::NonFinite => f.write_str("the double is not finite"),
            Self::KeyAbsent => f.write_str("the map has no such key"),
            Self::IndexOutOfRange => f.write_str("the list has no such index"),
            Self::WrongType => f.write_str("the value is not of its declared type"),
            Self::Host(error) => error.fmt(f),
        }
    }
}

impl<E: fmt::Display> fmt::Display for Raise<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl<E: fmt::Debug + fmt::Display> std::error::Error for Raise<E> {}
