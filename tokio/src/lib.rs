//! An asynchronous front of `oar-engine` for hosts that run on tokio.
//!
//! The engine decides without waiting. [`AsyncHost::prepare`] asks [`Occurrence::needs`] what may
//! be consumed, fetches all of it at once, each answer within its deadline, and gives back a
//! [`Prepared`] occurrence, which then decides synchronously. It is a crate of its own because the
//! engine should not know of any runtime: everything here uses its public API, and another
//! runtime can do the same.
//!
//! **Cancellation.** [`prepare`](AsyncHost::prepare) only reads; dropping it at any await changes
//! nothing. [`Prepared::decide`] has no await: once it has begun it runs to its end.
//!
//! ```
//! use oar_engine::load::CapabilityBuilder;
//! use oar_engine::observe::{FactValue, Occurrence, ProviderFailure};
//! use oar_engine::{Host, Loader, Session, Source};
//! use oar_tokio::{AsyncFactProvider, AsyncHost, Answer};
//! use std::time::Duration;
//!
//! struct Directory;
//!
//! impl AsyncFactProvider for Directory {
//!     fn fact<'a>(&'a self, name: &'a str, _: &'a Occurrence<'_>) -> Answer<'a> {
//!         Box::pin(async move {
//!             tokio::time::sleep(Duration::from_millis(1)).await; // a query
//!             Ok((name == "acme.owner").then(|| "root".into()))
//!         })
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let capability = CapabilityBuilder::new("acme")
//!     .core_anchor("tool.pre_invoke", "before_tool")
//!     .fact("acme.owner", "string", "Who owns the repository at hand.");
//! let rule = r#"{"oar": "1.0", "id": "ROOT", "kind": "policy", "anchor": "tool.pre_invoke",
//!   "requires": {"facts": ["acme.owner"]}, "when": "acme.owner == 'root'", "effect": "block"}"#;
//! let loader = Loader::new(capability.source()).rules(Source::json("root.json", rule));
//! let rules = loader.load()?.rules;
//! let host = AsyncHost::new(Host::new())
//!     .provider(Directory)
//!     .deadline(Duration::from_secs(1))
//!     .deadline_of("acme.owner", Duration::from_millis(200));
//!
//! let occurrence = rules.occurrence("before_tool")?;
//! let prepared = host.prepare(&occurrence).await;
//! let mut session = Session::new("session-1");
//! assert_eq!(prepared.decide(&mut session).decision().name(), "block");
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

/// The examples of the pages on embedding.
#[cfg(doctest)]
#[doc = include_str!("../../docs/embedding.md")]
#[doc = include_str!("../../docs/embedding-state.md")]
mod page {}

mod fetch;
mod host;
mod store;

pub use host::{AsyncDetector, AsyncFactProvider, AsyncHost, Prepared};
pub use store::{AsyncCounterStore, Bridged};

use std::pin::Pin;

#[cfg(doc)]
use oar_engine::observe::Occurrence;
use oar_engine::observe::{DetectorFailure, FactValue, Observations, ProviderFailure};

/// What a provider will answer.
pub type Answer<'a> = Waiting<'a, Result<Option<FactValue>, ProviderFailure>>;

/// What a detector will report.
pub type Report<'a> = Waiting<'a, Result<Observations, DetectorFailure>>;

/// A future that may move between threads.
pub type Waiting<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
