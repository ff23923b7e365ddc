//! Documents to a [`RuleSet`]: everything that can be refused is refused here ([OAR-CONF-1]…[OAR-CONF-7]).
//!
//! The [`Loader`] reads capability document, rules and configurations, collects every fault of
//! every document, and answers with a set that cannot fail later for any of them.

mod calls;
mod capability;
mod check;
mod config;
mod describe;
mod draft;
mod environment;
mod failed;
mod guarded;
mod handle;
#[cfg(test)]
mod indexed;
mod loader;
mod resolve;
mod rule_set;
mod select;
mod source;
mod template;
#[cfg(test)]
mod tests;
mod texts;
#[cfg(test)]
mod told;
mod vocabulary;
#[cfg(feature = "watch")]
mod watch;

pub use capability::Capability;
pub use check::{Checked, CheckedRule, Checker, Needs};
pub use describe::CapabilityBuilder;
pub use environment::{Entry, Environment, Tier};
pub(crate) use guarded::{Guarded, Text};
pub use handle::{HandleStatus, Refusal, RuleSetHandle};
pub use loader::{LoadError, Loaded, Loader, Phase};
pub(crate) use rule_set::{Clause, OnError, Rule, Transform};
pub use rule_set::{RuleSet, RuleView, UnknownAnchor};
pub(crate) use select::{AnchorIndex, ClauseTable, Filed};
pub use source::Source;
pub(crate) use template::{Step, Template};
pub use texts::{RuleText, RuleTexts};
pub use vocabulary::{CoreAnchor, Declaration, Name, Profile, Vocabulary};
#[cfg(feature = "watch")]
pub use watch::{Places, Watcher};
