//! What an occurrence was and what was decided, as a record that can be kept.
//!
//! An [`AuditRecord`] holds when and where an occurrence was, what was observed, and what the
//! rules of which digest decided. `schema/audit.schema.json` is its published form. A [`Chain`]
//! makes of records a log in which a line that is changed, dropped or moved is found; a record
//! that was not redacted can be decided again ([`AuditRecord::occurrence`]).
//!
//! ```
//! # use oar_engine::{Host, Loader, Session, Source, load::CapabilityBuilder};
//! # let capability = CapabilityBuilder::new("acme").core_anchor("tool.pre_invoke", "before_tool")
//! #   .fact("acme.owner", "string", "Who owns it.");
//! # let rule = r#"{"oar": "1.0", "id": "OWNED", "kind": "policy", "anchor": "tool.pre_invoke",
//! #   "requires": {"facts": ["acme.owner"]}, "when": "acme.owner == 'ann'", "effect": "warn"}"#;
//! # let rules = Loader::new(capability.source()).rules(Source::json("r", rule)).load()?.rules;
//! use oar_engine::audit::{AuditRecord, Chain, Redaction};
//!
//! let (host, mut session) = (Host::new(), Session::new("session-1"));
//! let mut occurrence = rules.occurrence("before_tool")?;
//! occurrence.fact("acme.owner", "ann")?;
//! let outcome = host.decide(&mut session, &occurrence);
//!
//! let now = std::time::SystemTime::now();
//! let record = AuditRecord::new(&outcome, session.id(), now, &Redaction::none());
//! assert_eq!((&*record.decision, &record.facts["acme.owner"]), ("warn", &"ann".into()));
//!
//! let mut chain = Chain::new();
//! let (first, second) = (chain.link(&record)?, chain.link(&record)?);
//! let mut verified = Chain::new();
//! assert!(verified.verify(first.as_bytes()).is_empty());
//! let changed = second.replace("ann", "bob");
//! assert_eq!(verified.verify(changed.as_bytes())[0].to_string(), "record 2 was changed");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod chain;
mod clock;
mod record;
mod redaction;
mod replay;
#[cfg(test)]
mod tests;

pub use chain::{Broken, Chain, LinkError};
pub use clock::{Clock, SystemClock};
pub use record::{AuditRecord, Detected, Provided, RecordedCall, rfc3339};
pub use redaction::Redaction;
