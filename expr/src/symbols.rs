//! What names mean: the table that a condition is checked against ([OAR-FACT-2], [OAR-FACT-27]).

use crate::Type;

/// What a declared name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    /// A plain fact.
    Fact {
        /// The number by which the host is asked for it.
        slot: u32,
        /// Its declared type.
        ty: Type,
    },
    /// An observation function with one parameter.
    Function {
        /// The number by which the host is asked for it.
        slot: u32,
        /// The type of its argument, a scalar.
        parameter: Type,
        /// The type of its result, a scalar.
        result: Type,
    },
    /// A function whose argument must be a string literal, so that the caller can resolve it
    /// once at load ([OAR-FIRE-11]).
    Reference {
        /// The number by which the host is asked for it.
        slot: u32,
        /// The type of its result.
        result: Type,
    },
}

/// A table of declared names. Facts and functions share it ([OAR-FACT-2]).
pub trait Symbols {
    /// What `name` stands for, or `None` when it is not declared.
    fn symbol(&self, name: &str) -> Option<Symbol>;

    /// Calls `visit` with every declared name, in a fixed order, for suggestions.
    fn names(&self, visit: &mut dyn FnMut(&str));
}
