//! The condition language of Open Agent Rules 1.0 (Appendix A of the standard).
//!
//! This crate turns the text of a condition into a typed program and evaluates it over facts
//! that a host lends. It knows nothing of rule documents, anchors or effects.
#![forbid(unsafe_code)]

mod span;
mod symbols;
mod types;
mod value;

pub use span::Span;
pub use symbols::{Symbol, Symbols};
pub use types::{Type, UnknownType};
pub use value::{Map, MapList, Member, StringList, Value};
