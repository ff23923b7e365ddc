//! The findings of a check for machines.

mod github;
mod junit;
mod sarif;

use oar_engine::diagnostic::render;
use serde_json::{Value, json};

use super::Found;
use crate::output::Output;

pub(super) use github::github;
pub(super) use junit::junit;
pub(super) use sarif::sarif;

/// One object: every finding, and for each pack what is sound (`schema/check.schema.json`).
pub(super) fn json(found: &[Found], output: &mut Output) {
    let diagnostics: Vec<Value> =
        found.iter().flat_map(Found::diagnostics).map(render::json).collect();
    let packs: Vec<Value> = found.iter().map(pack).collect();
    output.line(&format!("{:#}", json!({"diagnostics": diagnostics, "packs": packs})));
}

fn pack(found: &Found) -> Value {
    let rules = found.checked.rules().iter().map(|rule| {
        json!({
            "rule": rule.name(),
            "file": rule.location().file.name(),
            "pointer": rule.location().pointer,
            "sound": rule.is_sound(),
        })
    });
    json!({
        "directory": found.pack.directory.as_deref().map(crate::input::shown),
        "host": found.checked.capability().map(|capability| capability.host()),
        "rules": rules.collect::<Vec<_>>(),
    })
}
