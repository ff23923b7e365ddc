//! Text with places: JSON and YAML read into one tree whose every node knows where it stands.
//!
//! Everything that people write comes through here, so that a diagnostic can point into the
//! user's own file. The rest of the engine sees [`Node`]s only and never asks which format
//! they came from.

mod file;
mod node;

pub use file::{Format, LineColumn, SourceFile};
pub use node::{Member, Node, Number, Object, Text, Value};
