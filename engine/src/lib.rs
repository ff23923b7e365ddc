//! An engine for Open Agent Rules 1.0: load rule documents, decide occurrences, explain decisions.
//!
//! A [`Loader`] turns a capability document, rules and configurations into a [`RuleSet`]; a
//! [`Host`] decides an [`Occurrence`] against it, within a [`Session`]. Loading can fail, with
//! [`Diagnostic`](diagnostic::Diagnostic)s that point into the documents; deciding cannot.
//!
//! ```
//! use oar_engine::{Host, Loader, Session, Source, ToolCall};
//!
//! let capability = r#"
//! oar_capability_version: "1.0"
//! host: acme
//! anchors:
//!   core: {tool.pre_invoke: tool.pre_invoke}
//!   unsupported: [tool.handler, tool.post_invoke, agent.post_turn, agent.finalize,
//!                 model.input, model.output, model.tool_result]
//! profiles: [tool]
//! activity_window: 0
//! detectors: []
//! expression_nodes_max: 256
//! supports_transform: false"#;
//! let rule = r#"{"oar": "1.0", "id": "NO_ETC", "kind": "policy", "anchor": "tool.pre_invoke",
//!   "requires": {"profiles": ["tool"]}, "selector": {"tool": ["write"]},
//!   "when": "starts_with(tool_arg_string('path'), '/etc/')", "effect": "block"}"#;
//!
//! let loader = Loader::new(Source::yaml("capability.yaml", capability));
//! let rules = loader.rules(Source::json("no-etc.json", rule)).load()?.rules;
//! let (host, mut session) = (Host::new(), Session::new("session-1"));
//! let arguments = serde_json::Map::from_iter([("path".into(), "/etc/passwd".into())]);
//! let mut occurrence = rules.occurrence("tool.pre_invoke")?;
//! occurrence.tool_call(ToolCall::new("write", &arguments));
//! let outcome = host.decide(&mut session, &occurrence);
//! assert_eq!(outcome.decision().name(), "block");
//! assert_eq!(outcome.trace().map(|e| e.to_string()).collect::<Vec<_>>(), ["NO_ETC:fired"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

pub mod audit;
pub mod decide;
pub mod diagnostic;
pub mod document;
#[cfg(test)]
mod fixtures;
pub mod load;
pub mod observe;
pub mod sink;
pub mod state;
#[cfg(feature = "opentelemetry")]
pub mod telemetry;
#[cfg(feature = "testing")]
pub mod testing;

#[cfg(feature = "derive")]
pub use oar_derive::Facts;

pub use decide::{Decision, Host, Outcome, Report};
pub use load::{LoadError, Loaded, Loader, RuleSet, RuleSetHandle, Source};
pub use observe::{Anchor, FactId, Occurrence, ToolCall};
pub use state::{MemoryCounters, MemoryStore, Session};

/// The example of the project's README compiles.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
