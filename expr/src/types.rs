//! The types of the condition language ([OAR-FACT-22], [OAR-EXPR-7]).

use std::fmt;
use std::str::FromStr;

/// A type that a fact, a function result or an expression can have ([OAR-FACT-22]).
///
/// ```
/// use oar_expr::Type;
/// assert_eq!("list<string>".parse(), Ok(Type::StringList));
/// assert_eq!(Type::StringMap.to_string(), "map<string,string>");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `bool`
    Bool,
    /// `int`: a 64-bit signed integer.
    Int,
    /// `double`: a finite binary64.
    Double,
    /// `string`: a sequence of Unicode code points.
    String,
    /// `list<string>`
    StringList,
    /// `map<string,string>`
    StringMap,
    /// `list<map>`
    MapList,
    /// `map`: members of mixed types, so it cannot be indexed ([OAR-EXPR-19]).
    Map,
}

impl Type {
    /// Every type, in the order of the standard's list.
    pub const ALL: [Self; 8] = [
        Self::Bool,
        Self::Int,
        Self::Double,
        Self::String,
        Self::StringList,
        Self::StringMap,
        Self::MapList,
        Self::Map,
    ];

    /// The type as the standard spells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Double => "double",
            Self::String => "string",
            Self::StringList => "list<string>",
            Self::StringMap => "map<string,string>",
            Self::MapList => "list<map>",
            Self::Map => "map",
        }
    }

    /// Whether a function may take or return it: `bool`, `int`, `double` or `string` ([OAR-FACT-27]).
    #[must_use]
    pub const fn is_scalar(self) -> bool {
        matches!(self, Self::Bool | Self::Int | Self::Double | Self::String)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The text is none of the types of [OAR-FACT-22].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownType;

impl FromStr for Type {
    type Err = UnknownType;

    fn from_str(text: &str) -> Result<Self, UnknownType> {
        Self::ALL.into_iter().find(|ty| ty.name() == text).ok_or(UnknownType)
    }
}
