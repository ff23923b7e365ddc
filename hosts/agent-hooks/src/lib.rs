//! Coding agents as hosts of Open Agent Rules: seven hook systems, one rule set.
//!
//! An agent calls a hook with an event in JSON and acts on the answer. For each agent there are
//! two pure functions: [`Adapter::read`] makes an [`Event`] of the bytes, which a [`Guard`]
//! decides against its rules, and [`Adapter::answer`] makes bytes and an exit code of the
//! [`Verdict`]. Whatever goes wrong ends in [`Adapter::deny`], the agent's own way to say no.
//!
//! The library does no input or output of its own but the file system observations that rules
//! ask for; `oar hooks` is the program around it.
//!
//! ```
//! use oar_agent_hooks::{Agent, Guard, load};
//! use oar_engine::{Host, Source};
//!
//! let rule = r#"{"oar": "1.0", "id": "NO_FORCE", "kind": "policy", "anchor": "tool.pre_invoke",
//!   "requires": {"facts": ["hook.shell_runs"]}, "effect": "block",
//!   "when": "hook.shell_runs('git push --force,-f')", "copy": {"instead": "Open a pull request."}}"#;
//! let event = br#"{"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/w",
//!   "tool_name": "Bash", "tool_input": {"command": "cd x && sudo git push -f"}}"#;
//!
//! let loaded = load(Agent::Claude, vec![Source::json("rule.json", rule)], vec![])?;
//! let guard = Guard::new(loaded.rules, Host::new());
//! let adapter = Agent::Claude.adapter();
//! let event = adapter.read(event)?;
//! let verdict = guard.decide(&event);
//! let answer = adapter.answer(&event, &verdict);
//! assert_eq!(answer.exit, 0);
//! assert_eq!(answer.stdout, r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"[oar NO_FORCE] Open a pull request."}}"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod agent;
pub mod agents;
mod answer;
mod content;
mod documents;
mod event;
mod facts;
mod guard;
pub mod install;
mod json;
mod kinds;
mod load;
mod matrix;
mod patch;
mod paths;
mod secrets;
pub mod shell;

pub use agent::{Adapter, Agent, UnknownAgent};
pub use answer::{Answer, Verdict};
pub use content::Content;
pub use documents::Documents;
pub use event::{Call, Event, Fault, Moment, Stage};
pub use facts::observing;
pub use guard::{Decided, Guard};
pub use kinds::{TABLE_VERSION, ToolKind};
pub use load::{HOST, Protected, Refused, capability, load};
pub use matrix::{FailureMode, Reach, Row, rows};
pub use secrets::TokenShapes;
