//! Events and records as events of the `tracing` crate (feature `tracing`).

use super::AuditSink;
use crate::audit::AuditRecord;
use crate::state::{Event, EventError, EventSink};

/// Hands events and records to the subscriber of the program.
///
/// Events have the target `oar::event`, records `oar::audit`; a block is a warning, everything
/// else information. No observed value is among the fields, redacted or not. A subscriber cannot
/// refuse: what must not be lost goes to another sink.
///
/// ```
/// use oar_engine::{Host, audit::Redaction, sink::TracingSink};
/// let host = Host::new().events(TracingSink).audit(TracingSink, Redaction::all());
/// # let _ = host;
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct TracingSink;

impl EventSink for TracingSink {
    fn publish(&self, events: &[Event<'_>]) -> Result<(), EventError> {
        for event in events {
            tracing::info!(
                target: "oar::event",
                rule = event.rule,
                anchor = event.anchor,
                effect = event.effect.name(),
                session = event.session,
                "a rule has published an event"
            );
        }
        Ok(())
    }
}

impl AuditSink for TracingSink {
    fn record(&self, record: &AuditRecord) -> Result<(), EventError> {
        macro_rules! tell {
            ($level:ident) => {
                tracing::$level!(
                    target: "oar::audit",
                    session = record.session,
                    anchor = record.anchor,
                    decision = record.decision,
                    rule = record.rule,
                    rule_set = record.rule_set,
                    configuration = record.configuration,
                    applied = record.applied.join(" "),
                    "an occurrence was decided"
                )
            };
        }
        if record.decision == "block" {
            tell!(warn)
        } else {
            tell!(info)
        }
        Ok(())
    }
}
