//! Every way in which a condition can fail to load, and the words for it.
//!
//! An [`Error`] owns its text, so it can outlive the condition. The message says what was found
//! and what is accepted; advice is kept apart in [`Error::help`], so that a tool that looks for
//! a word in the message never finds it in a suggestion.

use std::fmt;

use crate::{Span, Type};

/// Why a condition does not load, and where.
///
/// ```
/// let error = oar_expr::parse("a < b < c").unwrap_err();
/// assert_eq!(error.clause(), "OAR-EXPR-4");
/// assert_eq!(error.to_string(), "a relation takes one relational operator, `<` is a second");
/// assert_eq!(error.span().range(), 6..7);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    span: Span,
    help: Option<Box<str>>,
    related: Option<Related>,
}

/// Another place in the condition that has to do with an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Related {
    /// Where.
    pub span: Span,
    /// What is there.
    pub message: &'static str,
}

/// A way to write a number that the language does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NumberForm {
    /// `1e5`
    Exponent,
    /// `0x10`
    Hexadecimal,
    /// `1u`
    Unsigned,
    /// `.5`, `5.`, `1.2.3`
    Point,
    /// `12abc`, `1_000`
    Other,
}

/// What is wrong with a condition. The example of each kind triggers it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Nothing but white space.
    Empty,
    /// The text is longer than [`Limits::bytes`](crate::Limits::bytes).
    TooLong {
        /// Its length in bytes.
        bytes: usize,
        /// The limit.
        limit: u32,
    },
    /// `true // always`
    Comment,
    /// `a @ b`
    Character {
        /// The character.
        character: char,
    },
    /// `a & b`
    HalfOperator {
        /// What stands there.
        found: &'static str,
        /// The operator that begins like it.
        meant: &'static str,
    },
    /// `tool == "a`
    Unterminated,
    /// A string with a raw line break in it.
    LineBreak,
    /// `"\x41" == tool`
    Escape {
        /// The escape as written.
        escape: String,
    },
    /// `"\ud800" == tool`
    Surrogate {
        /// The escape as written.
        escape: String,
    },
    /// `1e5 > 0`
    Number {
        /// The number as written.
        text: String,
        /// What it looks like.
        form: NumberForm,
    },
    /// `a ||`
    Unexpected {
        /// The token as written; `None` at the end of the condition.
        found: Option<String>,
        /// What would be accepted there.
        expected: &'static str,
    },
    /// `a < b < c`
    SecondRelation {
        /// The second operator.
        operator: &'static str,
    },
    /// `!!a`
    SecondUnary {
        /// The second operator.
        operator: &'static str,
    },
    /// `size(tags).count == 1`
    FieldSelection,
    /// More nodes than [`Limits::nodes`](crate::Limits::nodes).
    TooManyNodes {
        /// The nodes counted.
        count: usize,
        /// The limit.
        limit: u32,
    },
    /// `9223372036854775808 > 0`
    IntRange {
        /// The literal as written.
        literal: String,
    },
    /// A double literal that rounds to an infinity.
    DoubleRange {
        /// The literal as written.
        literal: String,
    },
    /// `ghost == 1`
    UnknownName {
        /// The whole name.
        name: String,
    },
    /// `matches(tool, "x")`
    UnknownFunction {
        /// The whole name.
        name: String,
    },
    /// `size > 1`
    NotCalled {
        /// The function.
        name: String,
        /// Whether the language defines it.
        builtin: bool,
    },
    /// `tool("x")`
    NotAFunction {
        /// The fact.
        name: String,
        /// Its type.
        ty: Type,
    },
    /// `size(a, b) == 1`
    Arity {
        /// The function.
        function: String,
        /// The number of arguments it takes.
        expected: u32,
        /// The number of arguments given.
        found: usize,
        /// Whether the language defines it.
        builtin: bool,
    },
    /// `starts_with(tool, 1)`
    Argument {
        /// The function.
        function: String,
        /// What it takes there.
        expected: &'static str,
        /// What it was given.
        found: Type,
        /// Whether the language defines it.
        builtin: bool,
    },
    /// `fire_count_of(tool) > 0`
    NotALiteral {
        /// The function.
        function: String,
    },
    /// `tool && true`, `!tool`
    Logic {
        /// The operator.
        operator: &'static str,
        /// The type of the operand.
        found: Type,
    },
    /// `tool ? true : false`
    TernaryCondition {
        /// The type of the condition.
        found: Type,
    },
    /// `(a ? 1 : "x") == 1`
    TernaryBranches {
        /// The type of the first branch.
        first: Type,
        /// The type of the second branch.
        second: Type,
    },
    /// `1 + 2.5 > 0.0`
    Arithmetic {
        /// The operator.
        operator: &'static str,
        /// The type of the left operand.
        left: Type,
        /// The type of the right operand.
        right: Type,
    },
    /// `-tool == 1`
    Negation {
        /// The type of the operand.
        found: Type,
    },
    /// `tool < 1`
    Ordering {
        /// The operator.
        operator: &'static str,
        /// The type of the left operand.
        left: Type,
        /// The type of the right operand.
        right: Type,
    },
    /// `tool == 1`
    Equality {
        /// The operator.
        operator: &'static str,
        /// The type of the left operand.
        left: Type,
        /// The type of the right operand.
        right: Type,
    },
    /// `tags == tags`
    AggregateEquality {
        /// The operator.
        operator: &'static str,
        /// The type of the left operand.
        left: Type,
        /// The type of the right operand.
        right: Type,
    },
    /// `1 in tags`
    Membership {
        /// The type of the left operand.
        left: Type,
        /// The type of the right operand.
        right: Type,
    },
    /// `tool_args["path"] == "/etc"`
    MapIndex {
        /// The operand as written, when it is a name.
        name: Option<String>,
    },
    /// `tags["a"] == "b"`
    Index {
        /// The type of the operand.
        operand: Type,
        /// The type of the subscript.
        subscript: Type,
    },
    /// `tool in []`
    EmptyList,
    /// `tool in ["a", 1]`
    ListMembers {
        /// The type of the first member.
        first: Type,
        /// The type of the member that differs.
        other: Type,
    },
    /// `size([1, 2]) == 2`
    ListType {
        /// The type of the members.
        member: Type,
    },
    /// `tool`
    NotBool {
        /// The type of the condition.
        found: Type,
    },
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, span: Span) -> Self {
        Self { kind, span, help: None, related: None }
    }

    pub(crate) fn relate(mut self, span: Span, message: &'static str) -> Self {
        self.related = Some(Related { span, message });
        self
    }

    pub(crate) fn advise(mut self, help: Option<String>) -> Self {
        self.help = help.map(String::into_boxed_str);
        self
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// The name that is not declared, when that is what is wrong.
    #[must_use]
    pub fn unknown_name(&self) -> Option<&str> {
        match &self.kind {
            ErrorKind::UnknownName { name } | ErrorKind::UnknownFunction { name } => Some(name),
            _ => None,
        }
    }

    /// The part of the condition that is wrong.
    #[must_use]
    pub fn span(&self) -> Span {
        self.span
    }

    /// The clause of the standard that refuses it; `limit` for a limit of this engine alone.
    #[must_use]
    pub fn clause(&self) -> &'static str {
        self.kind.clause()
    }

    /// Advice, if there is any.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        match &self.help {
            Some(help) => Some(help.to_string()),
            None => self.kind.help().map(str::to_owned),
        }
    }

    /// Other places that matter, such as the bracket that was never closed.
    #[must_use]
    pub fn related(&self) -> &[Related] {
        self.related.as_slice()
    }
}

impl std::error::Error for Error {}

/// The message alone; the clause is [`Error::clause`].
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl ErrorKind {
    fn clause(&self) -> &'static str {
        match self {
            Self::TooLong { .. } => "limit",
            Self::Empty
            | Self::Character { .. }
            | Self::HalfOperator { .. }
            | Self::Unterminated
            | Self::LineBreak
            | Self::Number { .. }
            | Self::Unexpected { .. }
            | Self::SecondUnary { .. } => "OAR-EXPR-1",
            Self::FieldSelection => "OAR-EXPR-2",
            Self::Escape { .. } | Self::Surrogate { .. } => "OAR-EXPR-3",
            Self::SecondRelation { .. } => "OAR-EXPR-4",
            Self::Comment => "OAR-EXPR-6",
            Self::Logic { .. } | Self::TernaryCondition { .. } | Self::TernaryBranches { .. } => {
                "OAR-EXPR-8"
            }
            Self::Arithmetic { .. } | Self::Negation { .. } => "OAR-EXPR-9",
            Self::Ordering { .. } => "OAR-EXPR-10",
            Self::Equality { .. } => "OAR-EXPR-11",
            Self::Membership { .. } => "OAR-EXPR-12",
            Self::Index { .. } => "OAR-EXPR-13",
            Self::NotCalled { builtin: true, .. }
            | Self::Arity { builtin: true, .. }
            | Self::Argument { builtin: true, .. } => "OAR-EXPR-16",
            Self::TooManyNodes { .. } => "OAR-EXPR-17",
            Self::MapIndex { .. } => "OAR-EXPR-19",
            Self::IntRange { .. }
            | Self::DoubleRange { .. }
            | Self::AggregateEquality { .. }
            | Self::EmptyList
            | Self::ListMembers { .. }
            | Self::ListType { .. } => "OAR-EXPR-21",
            Self::UnknownName { .. } | Self::UnknownFunction { .. } => "OAR-FACT-3",
            Self::NotCalled { .. }
            | Self::NotAFunction { .. }
            | Self::Arity { .. }
            | Self::Argument { .. }
            | Self::NotBool { .. } => "OAR-FACT-4",
            Self::NotALiteral { .. } => "OAR-FIRE-11",
        }
    }

    fn help(&self) -> Option<&'static str> {
        Some(match self {
            Self::Comment => "put remarks beside the condition, for instance in a YAML comment",
            Self::Character { character: '“' | '”' | '„' | '‘' | '’' | '«' | '»' } => {
                "a string stands in plain `\"` or `'` quotes"
            }
            Self::Character { character } if character.is_alphabetic() => {
                "names are made of ASCII letters, digits and `_`"
            }
            Self::HalfOperator { meant: "&&", .. } => "did you mean `&&`?",
            Self::HalfOperator { meant: "||", .. } => "did you mean `||`?",
            Self::HalfOperator { .. } => "did you mean `==`?",
            Self::LineBreak => "write a line break as `\\n`",
            Self::Escape { .. } => {
                "the escapes are `\\\\`, `\\\"`, `\\'`, `\\n`, `\\r`, `\\t` and `\\u` with four hexadecimal digits"
            }
            Self::Surrogate { .. } => {
                "a code point above U+FFFF is the character itself, or two such escapes, the high half first"
            }
            Self::Number { form: NumberForm::Exponent, .. } => "write the digits out",
            Self::Number { form: NumberForm::Hexadecimal, .. } => "write the number in decimal",
            Self::Number { form: NumberForm::Unsigned, .. } => {
                "every int is signed and has no suffix"
            }
            Self::Number { form: NumberForm::Point, .. } => {
                "a double has digits on both sides of one point"
            }
            Self::Unexpected { found: Some(found), .. } => match found.as_str() {
                "and" => "did you mean `&&`?",
                "or" => "did you mean `||`?",
                "not" => "did you mean `!`?",
                _ => return None,
            },
            Self::SecondRelation { .. } => "join two relations with `&&`",
            Self::SecondUnary { .. } => "put the inner one into parentheses",
            Self::FieldSelection => {
                "a dotted name is one name without white space; a member of a map<string,string> is reached with `[\"key\"]`"
            }
            Self::IntRange { .. } => {
                "an int is at least `-9223372036854775808` and at most `9223372036854775807`"
            }
            Self::NotCalled { .. } => "give it its argument in parentheses",
            Self::NotALiteral { .. } => {
                "the rule is looked up when the rules load, so its name must stand there in quotes"
            }
            Self::Arithmetic { operator: "%", left: Type::Double, .. }
            | Self::Arithmetic { operator: "%", right: Type::Double, .. } => "`%` takes two int",
            Self::Arithmetic { left: Type::Int, right: Type::Double, .. }
            | Self::Arithmetic { left: Type::Double, right: Type::Int, .. } => {
                "an int becomes a double only in a comparison"
            }
            Self::MapIndex { .. } => {
                "its members have no declared type: test a key with `in`, read a member through an observation function"
            }
            Self::AggregateEquality { .. } => "compare members, or `size(..)`",
            _ => return None,
        })
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "the condition is empty, expected a bool expression"),
            Self::TooLong { bytes, limit } => {
                write!(f, "the condition is {bytes} bytes long, the limit is {limit}")
            }
            Self::Comment => write!(f, "a comment is not part of the language"),
            Self::Character { character } => character_message(f, *character),
            Self::HalfOperator { found, .. } => write!(f, "`{found}` is not an operator"),
            Self::Unterminated => write!(f, "the string is not closed"),
            Self::LineBreak => write!(f, "a string cannot hold a raw line break"),
            Self::Escape { escape } => write!(f, "`{escape}` is not an escape"),
            Self::Surrogate { escape } => {
                write!(f, "`{escape}` is one half of a surrogate pair and no code point")
            }
            Self::Number { text, form } => match form {
                NumberForm::Exponent => {
                    write!(f, "`{text}` has an exponent, expected plain digits")
                }
                NumberForm::Hexadecimal => {
                    write!(f, "`{text}` is hexadecimal, expected decimal digits")
                }
                NumberForm::Unsigned => {
                    write!(f, "`{text}` has an unsigned suffix, expected digits")
                }
                NumberForm::Point | NumberForm::Other => {
                    write!(f, "`{text}` is not a number, expected an int or a double")
                }
            },
            Self::Unexpected { found: Some(found), expected } => {
                write!(f, "found `{found}`, expected {expected}")
            }
            Self::Unexpected { found: None, expected } => {
                write!(f, "found the end of the condition, expected {expected}")
            }
            Self::SecondRelation { operator } => {
                write!(f, "a relation takes one relational operator, `{operator}` is a second")
            }
            Self::SecondUnary { operator } => {
                write!(f, "an operand takes one unary operator, `{operator}` is a second")
            }
            Self::FieldSelection => write!(f, "found `.`, there is no field selection"),
            Self::TooManyNodes { count, limit } => {
                write!(f, "the condition has {count} nodes, `expression_nodes_max` is {limit}")
            }
            Self::IntRange { literal } => write!(f, "`{literal}` does not fit a 64-bit int"),
            Self::DoubleRange { literal } => write!(f, "`{literal}` is too large for a double"),
            Self::UnknownName { name } => write!(f, "unknown name `{name}`"),
            Self::UnknownFunction { name } => write!(f, "unknown function `{name}`"),
            Self::NotCalled { name, .. } => {
                write!(f, "`{name}` is a function, expected a call of it")
            }
            Self::NotAFunction { name, ty } => {
                write!(f, "`{name}` is a fact of type {ty}, not a function")
            }
            Self::Arity { function, expected, found, .. } => {
                let plural = if *expected == 1 { "" } else { "s" };
                write!(f, "`{function}` takes {expected} argument{plural}, found {found}")
            }
            Self::Argument { function, expected, found, .. } => {
                write!(f, "`{function}` takes {expected} here, found {found}")
            }
            Self::NotALiteral { function } => {
                write!(f, "`{function}` takes a string literal, found another expression")
            }
            Self::Logic { operator, found } => write!(f, "`{operator}` takes bool, found {found}"),
            Self::TernaryCondition { found } => {
                write!(f, "the condition of `?` must be bool, found {found}")
            }
            Self::TernaryBranches { first, second } => {
                write!(f, "the branches of `?` must have one type, found {first} and {second}")
            }
            Self::Arithmetic { operator, left, right } => {
                write!(f, "`{operator}` cannot combine {left} with {right}")
            }
            Self::Negation { found } => write!(f, "`-` takes int or double, found {found}"),
            Self::Ordering { operator, left, right } | Self::Equality { operator, left, right } => {
                write!(f, "`{operator}` cannot compare {left} with {right}")
            }
            Self::AggregateEquality { operator, left, right } => {
                write!(f, "`{operator}` cannot compare {left} with {right}, both are aggregates")
            }
            Self::Membership { left, right } => write!(
                f,
                "`in` takes a string and a list<string> or a map, found {left} and {right}"
            ),
            Self::MapIndex { name: Some(name) } => {
                write!(f, "`{name}` is a map and cannot be indexed")
            }
            Self::MapIndex { name: None } => write!(f, "a map cannot be indexed"),
            Self::Index { operand, subscript } => match index_by(*operand) {
                Some(by) => write!(f, "{operand} is indexed by {by}, found {subscript}"),
                None => write!(f, "{operand} cannot be indexed, here by {subscript}"),
            },
            Self::EmptyList => write!(f, "`[]` has no type, expected at least one member"),
            Self::ListMembers { first, other } => {
                write!(f, "the members of a list must have one type, found {first} and {other}")
            }
            Self::ListType { member } => {
                write!(f, "a list cannot hold {member}, expected string or map members")
            }
            Self::NotBool { found } => write!(f, "a condition must be bool, found {found}"),
        }
    }
}

fn index_by(operand: Type) -> Option<Type> {
    match operand {
        Type::StringList | Type::MapList => Some(Type::Int),
        Type::StringMap => Some(Type::String),
        _ => None,
    }
}

/// Names a character so that it can be told from its look-alikes, also when it is invisible.
fn character_message(f: &mut fmt::Formatter<'_>, character: char) -> fmt::Result {
    let code = u32::from(character);
    if character.is_ascii_graphic() && character != '`' {
        write!(f, "unexpected character `{character}`")
    } else if character.is_alphanumeric() || is_visible(character) {
        write!(f, "unexpected character `{character}` (U+{code:04X})")
    } else {
        write!(f, "unexpected character U+{code:04X}")
    }
}

/// Whether a character surely leaves ink on its own and does not reorder its neighbours.
fn is_visible(character: char) -> bool {
    matches!(u32::from(character), 0xA1..=0xAC | 0xAE..=0x2FF | 0x2010..=0x2027 | 0x2030..=0x205E
        | 0x20A0..=0x20C0 | 0x2100..=0x2BFF | 0x3001..=0x303F | 0xFF01..=0xFFEE | 0x1F300..=0x1FAFF)
        && !character.is_whitespace()
}
