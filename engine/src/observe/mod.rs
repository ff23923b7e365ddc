//! What the host saw: the occurrence, its facts, and who produces the ones it did not supply.
//!
//! Values are lent where that is cheap and owned where a provider made them. Nothing here knows
//! of conditions or effects; `decide` asks for the value of a slot and gets a value of the
//! declared type or a failure.

mod canonical;
mod derive;
mod detector;
mod fact;
mod fingerprint;
mod given;
mod json;
mod occurrence;
mod provider;
mod typed;

pub use canonical::canonical_double;
pub(crate) use canonical::write_double;
pub(crate) use derive::{Derivation, PROVENANCE_LISTS, derivation};
pub use detector::{
    Detector, DetectorFailure, Detectors, ErrorDetector, NoopDetector, Observations,
};
pub(crate) use fact::zero;
pub use fact::{FactValue, Supplied};
pub(crate) use fingerprint::{fingerprint, hexadecimal};
pub(crate) use given::Mistyped;
pub use json::JsonMap;
pub use occurrence::{Anchor, FactId, Occurrence, SupplyError, ToolCall};
pub use provider::{FactProvider, ProviderFailure};
pub use typed::{BindError, Binding, FactField, FactType, Facts};
