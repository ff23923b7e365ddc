//! The one table of what operators and built-in functions take and give.
//!
//! The checker asks it whether an operation exists; the compiler asks it again, by the same
//! operand types, which typed operation to emit. So what type-checks cannot fail on types.

use crate::Type;
use crate::ast::BinaryOperator;

/// An arithmetic operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

/// A comparison of two scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Comparison {
    /// The comparison that holds exactly when this one does not.
    pub(crate) fn inverted(self) -> Self {
        match self {
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::Less => Self::GreaterEqual,
            Self::LessEqual => Self::Greater,
            Self::Greater => Self::LessEqual,
            Self::GreaterEqual => Self::Less,
        }
    }

    /// The comparison that holds for swapped operands.
    pub(crate) fn swapped(self) -> Self {
        match self {
            Self::Equal | Self::NotEqual => self,
            Self::Less => Self::Greater,
            Self::LessEqual => Self::GreaterEqual,
            Self::Greater => Self::Less,
            Self::GreaterEqual => Self::LessEqual,
        }
    }

    /// Whether it holds between two values; for doubles that are finite.
    #[inline]
    pub(crate) fn holds<T: PartialOrd>(self, left: T, right: T) -> bool {
        match self {
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::Less => left < right,
            Self::LessEqual => left <= right,
            Self::Greater => left > right,
            Self::GreaterEqual => left >= right,
        }
    }
}

/// What a binary operator means between two types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Or,
    And,
    Int(Arithmetic),
    Double(Arithmetic),
    Concatenate,
    CompareBool(Comparison),
    CompareInt(Comparison),
    /// Also between an int and a double; then the int is promoted (OAR-EXPR-10, OAR-EXPR-11).
    CompareDouble(Comparison),
    CompareString(Comparison),
    InList,
    InMap,
}

impl Operation {
    pub(crate) fn result(self) -> Type {
        match self {
            Self::Int(_) => Type::Int,
            Self::Double(_) => Type::Double,
            Self::Concatenate => Type::String,
            _ => Type::Bool,
        }
    }
}

/// The operation of `operator` between two types, or `None` when there is none.
pub(crate) fn binary(operator: BinaryOperator, left: Type, right: Type) -> Option<Operation> {
    use Type::{Bool, Double, Int, Map, String, StringList, StringMap};
    if let Some(arithmetic) = arithmetic(operator) {
        return match (left, right) {
            (Int, Int) => Some(Operation::Int(arithmetic)),
            (Double, Double) if arithmetic != Arithmetic::Modulo => {
                Some(Operation::Double(arithmetic))
            }
            (String, String) if arithmetic == Arithmetic::Add => Some(Operation::Concatenate),
            _ => None,
        };
    }
    if let Some(comparison) = comparison(operator) {
        let equality = matches!(comparison, Comparison::Equal | Comparison::NotEqual);
        return match (left, right) {
            (Int, Int) => Some(Operation::CompareInt(comparison)),
            (Double | Int, Double | Int) => Some(Operation::CompareDouble(comparison)),
            (String, String) => Some(Operation::CompareString(comparison)),
            (Bool, Bool) if equality => Some(Operation::CompareBool(comparison)),
            _ => None,
        };
    }
    match (operator, left, right) {
        (BinaryOperator::Or, Bool, Bool) => Some(Operation::Or),
        (BinaryOperator::And, Bool, Bool) => Some(Operation::And),
        (BinaryOperator::In, String, StringList) => Some(Operation::InList),
        (BinaryOperator::In, String, Map | StringMap) => Some(Operation::InMap),
        _ => None,
    }
}

fn arithmetic(operator: BinaryOperator) -> Option<Arithmetic> {
    Some(match operator {
        BinaryOperator::Add => Arithmetic::Add,
        BinaryOperator::Subtract => Arithmetic::Subtract,
        BinaryOperator::Multiply => Arithmetic::Multiply,
        BinaryOperator::Divide => Arithmetic::Divide,
        BinaryOperator::Modulo => Arithmetic::Modulo,
        _ => return None,
    })
}

fn comparison(operator: BinaryOperator) -> Option<Comparison> {
    Some(match operator {
        BinaryOperator::Equal => Comparison::Equal,
        BinaryOperator::NotEqual => Comparison::NotEqual,
        BinaryOperator::Less => Comparison::Less,
        BinaryOperator::LessEqual => Comparison::LessEqual,
        BinaryOperator::Greater => Comparison::Greater,
        BinaryOperator::GreaterEqual => Comparison::GreaterEqual,
        _ => return None,
    })
}

/// What `operand[subscript]` yields (OAR-EXPR-13).
pub(crate) fn index(operand: Type, subscript: Type) -> Option<Type> {
    match (operand, subscript) {
        (Type::StringMap, Type::String) | (Type::StringList, Type::Int) => Some(Type::String),
        (Type::MapList, Type::Int) => Some(Type::Map),
        _ => None,
    }
}

/// The type of a list literal by that of its members (OAR-EXPR-21).
pub(crate) fn list(member: Type) -> Option<Type> {
    match member {
        Type::String => Some(Type::StringList),
        Type::Map => Some(Type::MapList),
        _ => None,
    }
}

/// The four functions of the language; there is no fifth (OAR-EXPR-16).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    Size,
    StartsWith,
    EndsWith,
    Contains,
}

impl Builtin {
    pub(crate) const ALL: [Self; 4] =
        [Self::Size, Self::StartsWith, Self::EndsWith, Self::Contains];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::StartsWith => "starts_with",
            Self::EndsWith => "ends_with",
            Self::Contains => "contains",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|builtin| builtin.name() == name)
    }

    pub(crate) fn arity(self) -> u32 {
        if self == Self::Size { 1 } else { 2 }
    }

    pub(crate) fn accepts(self, argument: Type) -> bool {
        match self {
            Self::Size => !matches!(argument, Type::Bool | Type::Int | Type::Double),
            _ => argument == Type::String,
        }
    }

    pub(crate) fn parameter(self) -> &'static str {
        if self == Self::Size { "a string, a list or a map" } else { "string" }
    }

    pub(crate) fn result(self) -> Type {
        if self == Self::Size { Type::Int } else { Type::Bool }
    }
}
