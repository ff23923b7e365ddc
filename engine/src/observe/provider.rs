//! Facts that are produced only when a rule asks for them ([OAR-FACT-11]).

use std::fmt;
use std::sync::Arc;

use oar_expr::Value;

use super::{FactValue, Occurrence};

/// Produces facts that the host did not supply with the occurrence.
///
/// It is asked at most once for a fact, and once for a function and argument, in one
/// occurrence, and only when a condition, a selector, a scope, a transform target or copy
/// consumes the value ([OAR-FACT-11]).
///
/// ```
/// use oar_engine::observe::{FactProvider, FactValue, Occurrence, ProviderFailure};
///
/// struct Clearance;
///
/// impl FactProvider for Clearance {
///     fn fact(&self, name: &str, _: &Occurrence<'_>) -> Result<Option<FactValue>, ProviderFailure> {
///         Ok((name == "session_posture").then(|| "restricted".into()))
///     }
/// }
/// ```
pub trait FactProvider: Send + Sync {
    /// The value of the fact `name`, or `None` when there is nothing to report.
    ///
    /// # Errors
    /// When the value cannot be produced; the consuming rule's `on_error` handles it ([OAR-OPS-3]).
    fn fact(
        &self,
        name: &str,
        occurrence: &Occurrence<'_>,
    ) -> Result<Option<FactValue>, ProviderFailure>;

    /// The value of the observation function `name` for `argument`, a scalar, or `None` when
    /// there is nothing to report.
    ///
    /// # Errors
    /// As for [`fact`](Self::fact).
    fn call(
        &self,
        name: &str,
        argument: Value<'_>,
        occurrence: &Occurrence<'_>,
    ) -> Result<Option<FactValue>, ProviderFailure> {
        let _ = (name, argument, occurrence);
        Ok(None)
    }
}

/// A provider that the host holds as well.
impl<P: FactProvider + ?Sized> FactProvider for Arc<P> {
    fn fact(
        &self,
        name: &str,
        occurrence: &Occurrence<'_>,
    ) -> Result<Option<FactValue>, ProviderFailure> {
        (**self).fact(name, occurrence)
    }

    fn call(
        &self,
        name: &str,
        argument: Value<'_>,
        occurrence: &Occurrence<'_>,
    ) -> Result<Option<FactValue>, ProviderFailure> {
        (**self).call(name, argument, occurrence)
    }
}

/// A provider could not produce a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderFailure {
    reason: String,
}

impl ProviderFailure {
    /// A failure for the given reason, which appears in traces and explanations.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}

impl fmt::Display for ProviderFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for ProviderFailure {}
