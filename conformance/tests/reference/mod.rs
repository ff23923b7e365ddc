//! A second engine, written from the text of the standard and from `spec/notes.md` alone.
//!
//! It is plain recursive Rust over `serde_json` values: no slots, no index, no compiled program,
//! no sharing, and it calls nothing of the engine. It should be obviously right rather than fast,
//! so that a disagreement with the engine is worth a look. What it does not judge is the shape of
//! documents and their capability document: it takes those as sound, and judges the text of
//! conditions and of copy.

pub(crate) mod check;
pub(crate) mod copy;
pub(crate) mod evaluate;
pub(crate) mod facts;
pub(crate) mod fingerprint;
pub(crate) mod host;
pub(crate) mod order;
pub(crate) mod rule;
pub(crate) mod run;
pub(crate) mod select;
pub(crate) mod syntax;
pub(crate) mod transform;
pub(crate) mod value;
