//! What the words of a rule mean, in a line each: for whoever starts one, and for editors.

use oar_engine::document::rule::{Action, Effect, Enforcement, Kind};

/// Where a kind stands in the order of evaluation.
pub(crate) fn kind_about(kind: Kind) -> &'static str {
    match kind {
        Kind::Schema => "Evaluated first.",
        Kind::Policy => "Evaluated after rules of kind `schema`, before `invariant`.",
        Kind::Invariant => "Evaluated after rules of kind `policy`, before `detector`.",
        Kind::Detector => "Evaluated last; it runs a detector.",
    }
}

/// What a rule of an effect does when it fires.
pub(crate) fn effect_about(effect: Effect) -> &'static str {
    match effect {
        Effect::Block => "It stops what is about to happen.",
        Effect::Warn => "It tells the operator, and lets it happen.",
        Effect::Nudge => "It tells the agent, and lets it happen.",
        Effect::Allow => {
            "It decides nothing and leaves the others their say; its side-effects happen."
        }
        Effect::Transform => "It changes the content.",
    }
}

/// How a rule runs.
pub(crate) fn enforcement_about(enforcement: Enforcement) -> &'static str {
    match enforcement {
        Enforcement::Enforce => "It acts.",
        Enforcement::Monitor => "It is evaluated and recorded, and does nothing.",
        Enforcement::Off => "It is loaded and left aside.",
    }
}

/// What happens beside the effect.
pub(crate) fn action_about(action: Action) -> &'static str {
    match action {
        Action::IncrementCounter => "Adds one to `fire_count`.",
        Action::ResetCounter => "Sets `fire_count` to zero.",
        Action::PublishEvent => "Sends a record to the host's event stream.",
        Action::IncrementBreaker => "Adds one to `breaker_count`.",
        Action::ResetBreaker => "Sets `breaker_count` to zero.",
    }
}
