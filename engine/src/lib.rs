//! An engine for Open Agent Rules 1.0: load rule documents, decide occurrences, explain decisions.
#![forbid(unsafe_code)]

pub mod diagnostic;
pub mod document;
