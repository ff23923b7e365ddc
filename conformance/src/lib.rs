//! Fixtures and a runner that tell whether an engine conforms to Open Agent Rules 1.0.
//!
//! A [`fixture::Corpus`] is put to a [`runner::Engine`] by [`runner::run`]; [`compare`] holds each
//! answer against what the fixture asserts, and [`report`] tells people and machines what came of
//! it. The engine is ours, in this process, or any program that speaks the lines of [`adapter`].
//!
//! ```
//! use oar_conformance::fixture::Corpus;
//! use oar_conformance::in_process::InProcess;
//! use oar_conformance::runner::{Claim, Options, run};
//!
//! let corpus = Corpus::read(&["corpus/eval-block-outranks-an-earlier-warn.json".into()])?;
//! let options = Options::default();
//! let run = run(&corpus, &InProcess, &options, &|_done, _all| {}).map_err(|u| u.cause)?;
//! assert!(run.is_success());
//! assert!(Claim::of(&run, &options.selection).is_supported());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
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
