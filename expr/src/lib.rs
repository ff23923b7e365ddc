//! The condition language of Open Agent Rules 1.0 (Appendix A of the standard).
//!
//! This crate turns the text of a condition into a typed program and evaluates it over facts
//! that a host lends. It knows nothing of rule documents, anchors or effects.
//!
//! [`compile`] does everything that can fail on the text: it parses, counts nodes, checks types
//! against the declared names ([`Symbols`]), folds constants and emits a [`Program`]. What is
//! left for [`Program::evaluate`] are values: it asks a [`Host`] for facts as it needs them and
//! yields a bool or a [`Raise`]. No step recurses on the text, so a condition may be as deep as
//! its length allows.
//!
//! # Examples
//! ```
//! use oar_expr::{Host, Limits, Scalar, Stack, Symbol, Symbols, Type, Value, compile};
//!
//! /// Declares one fact and one function.
//! struct Declared;
//!
//! impl Symbols for Declared {
//!     fn symbol(&self, name: &str) -> Option<Symbol> {
//!         match name {
//!             "tool" => Some(Symbol::Fact { slot: 0, ty: Type::String }),
//!             "tool_arg_string" => {
//!                 let (parameter, result) = (Type::String, Type::String);
//!                 Some(Symbol::Function { slot: 1, parameter, result })
//!             }
//!             _ => None,
//!         }
//!     }
//!     fn names(&self, visit: &mut dyn FnMut(&str)) {
//!         visit("tool");
//!         visit("tool_arg_string");
//!     }
//! }
//!
//! /// Knows one call of a tool.
//! struct Call;
//!
//! impl Host<'static> for Call {
//!     type Error = &'static str;
//!     fn fact(&mut self, _slot: u32) -> Result<Value<'static>, Self::Error> {
//!         Ok(Value::String("read"))
//!     }
//!     fn call(&mut self, _slot: u32, argument: Value<'_>) -> Result<Scalar<'static>, Self::Error> {
//!         match argument {
//!             Value::String("path") => Ok(Scalar::String("/etc/passwd".into())),
//!             _ => Ok(Scalar::String("".into())),
//!         }
//!     }
//!     fn reference(&mut self, _index: u32) -> Result<Value<'static>, Self::Error> {
//!         Err("no rule declares a counter")
//!     }
//! }
//!
//! let condition = r#"tool == "read" && starts_with(tool_arg_string("path"), "/etc/")"#;
//! let program = compile(condition, &Declared, &Limits::default()).unwrap();
//! assert_eq!(program.node_count(), 8);
//! assert_eq!(program.evaluate(&mut Call, &mut Stack::new()), Ok(true));
//!
//! let errors = compile("toool == 1", &Declared, &Limits::default()).unwrap_err();
//! assert_eq!(errors[0].to_string(), "unknown name `toool`");
//! assert_eq!(errors[0].help().as_deref(), Some("did you mean `tool`?"));
//! ```
#![forbid(unsafe_code)]

mod arithmetic;
mod ast;
mod atoms;
mod check;
mod compile;
mod error;
mod eval;
mod explain;
mod fold;
mod guard;
mod host;
mod lexer;
mod parser;
mod program;
mod programs;
mod search;
mod signatures;
mod span;
mod suggest;
mod symbols;
mod types;
mod value;

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a span that cuts a character shall fail the test")]
mod tests;

pub use ast::{Ast, BinaryOperator, Children, Node, NodeId, NodeKind, UnaryOperator};
pub use atoms::{Literals, Matcher, StringTest, Subject};
pub use error::{Error, ErrorKind, NumberForm, Related};
pub use eval::Stack;
pub use explain::{CameTo, Explanation, Seen, explain};
pub use guard::Guards;
pub use host::{Host, Raise, RaiseKind, Scalar};
pub use parser::parse;
pub use program::{Limits, Program, Reference, Use, UseKind, compile};
pub use programs::{ProgramId, Programs};
pub use span::Span;
pub use suggest::closest;
pub use symbols::{Symbol, Symbols};
pub use types::{Type, UnknownType};
pub use value::{Map, MapList, Member, StringList, Value};
