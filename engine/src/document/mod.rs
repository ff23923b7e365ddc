//! What people write: rules, capability documents and configurations, as text with places.

pub mod source;
