//! Detectors: observers that a rule of kind `detector` runs ([OAR-OPS-11], [OAR-OPS-12]).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::{FactValue, Occurrence};

/// Observes content for one rule. It reports observations, never a verdict ([OAR-OPS-11]).
///
/// It runs when a rule that names it is selected and its flow matched; what it reports is
/// seen by that rule alone ([OAR-FACT-11]).
pub trait Detector: Send + Sync {
    /// Looks at the occurrence.
    ///
    /// # Errors
    /// When it cannot observe; the rule's `on_error` handles it ([OAR-OPS-3]).
    fn observe(&self, occurrence: &Occurrence<'_>) -> Result<Observations, DetectorFailure>;

    /// The facts it may report, where it can tell. When it fails, copy that names one of them
    /// is left out rather than rendered with a zero ([OAR-COPY-11]).
    fn reports(&self, fact: &str) -> bool {
        let _ = fact;
        false
    }
}

/// What a detector reports: values by fact name.
#[derive(Clone, Default, PartialEq)]
pub struct Observations {
    values: BTreeMap<String, FactValue>,
}

impl Observations {
    /// No findings.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same, reporting `value` for the fact `name`. A name that the capability document
    /// does not declare is a failure of the detector when the rule is evaluated.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<FactValue>) -> Self {
        self.values.insert(name.into(), value.into());
        self
    }

    /// The values, by fact name.
    pub(crate) fn into_values(self) -> BTreeMap<String, FactValue> {
        self.values
    }
}

/// The names alone: what was observed is nobody's business in a log.
impl fmt::Debug for Observations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.values.keys()).finish()
    }
}

/// A detector failed or could not be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DetectorFailure {
    reason: String,
}

impl DetectorFailure {
    /// A failure for the given reason, which appears in traces and explanations.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}

impl fmt::Display for DetectorFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for DetectorFailure {}

/// `detector://noop`: no findings, ever ([OAR-CONF-25]).
#[derive(Clone, Copy, Debug, Default)]
pub struct NoopDetector;

impl Detector for NoopDetector {
    fn observe(&self, _: &Occurrence<'_>) -> Result<Observations, DetectorFailure> {
        Ok(Observations::new())
    }
}

/// `detector://error`: always fails ([OAR-CONF-25]).
#[derive(Clone, Copy, Debug, Default)]
pub struct ErrorDetector;

impl Detector for ErrorDetector {
    fn observe(&self, _: &Occurrence<'_>) -> Result<Observations, DetectorFailure> {
        Err(DetectorFailure::new("the reserved detector `detector://error` always fails"))
    }
}

/// The detectors that a host registers, by reference.
///
/// `detector://noop`, `detector://error` and `detector://fixture` are there from the start
/// ([OAR-CONF-25]); until it is replaced, the last reports nothing.
#[derive(Clone)]
pub struct Detectors {
    by_reference: BTreeMap<String, Arc<dyn Detector>>,
}

impl Detectors {
    /// The reserved detectors alone.
    #[must_use]
    pub fn new() -> Self {
        let none = Self { by_reference: BTreeMap::new() };
        none.with("detector://noop", NoopDetector)
            .with("detector://error", ErrorDetector)
            .with("detector://fixture", NoopDetector)
    }

    /// The same, with `detector` registered under `reference`, a `detector://` URI.
    #[must_use]
    pub fn with(mut self, reference: impl Into<String>, detector: impl Detector + 'static) -> Self {
        self.by_reference.insert(reference.into(), Arc::new(detector));
        self
    }

    /// The detector registered under `reference`.
    #[must_use]
    pub fn get(&self, reference: &str) -> Option<&dyn Detector> {
        self.by_reference.get(reference).map(|detector| &**detector)
    }
}

impl Default for Detectors {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Detectors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.by_reference.keys()).finish()
    }
}
