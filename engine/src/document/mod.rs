//! What people write: rules, capability documents and configurations, as text with places.

pub(crate) mod clauses;
pub(crate) mod names;
pub mod rule;
pub mod schema;
pub mod source;
pub(crate) mod version;
