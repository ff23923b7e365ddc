//! Fixtures and a runner that tell whether an engine conforms to Open Agent Rules 1.0.
//!
//! A [`fixture::Corpus`] is put to a [`runner::Engine`] by [`runner::run`]; [`compare`] holds each
//! answer against what the fixture asserts, and [`report`] tells people and machines what came of
//! it. The engine is ours, in this process, or any program that speaks the lines of [`adapter`].
#![forbid(unsafe_code)]

pub mod adapter;
pub mod clauses;
pub mod compare;
pub mod coverage;
pub mod differ;
pub mod fixture;
pub mod generate;
pub mod in_process;
pub mod lint;
pub mod manifest;
pub mod report;
pub mod runner;
