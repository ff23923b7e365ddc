//! Inputs made to be dear, each in any size: what the tests bound and the table measures.
//!
//! An [`Attack`] makes its input of a size and hands back the work that is measured. The work
//! says in a few words what came of it, so that a quick wrong answer is no good one.

mod conditions;
mod content;
mod documents;
mod rules;

use oar_engine::load::CapabilityBuilder;
use oar_engine::{LoadError, Loaded, Loader, Source};

/// What is measured; it says what came of it.
pub(crate) type Work = Box<dyn FnOnce() -> String>;

/// A way to make the engine work.
pub(crate) struct Attack {
    pub(crate) name: &'static str,
    /// The size that the table starts with: it also takes twice and four times as much.
    pub(crate) size: usize,
    pub(crate) unit: &'static str,
    pub(crate) prepare: fn(usize) -> Work,
    /// What must come of it, at any size: `{n}` stands for the size.
    pub(crate) ends: &'static str,
}

/// Every attack.
pub(crate) fn all() -> Vec<Attack> {
    [conditions::all(), documents::all(), rules::all(), content::all()]
        .into_iter()
        .flatten()
        .collect()
}

/// Whether `told` is what the attack must end in.
pub(crate) fn is_expected(attack: &Attack, size: usize, told: &str) -> bool {
    told.contains(&attack.ends.replace("{n}", &size.to_string()))
}

/// A host with everything, whose conditions may be as large as it takes.
pub(crate) fn capability() -> CapabilityBuilder {
    ["tool", "session", "content", "secrets", "content-provenance"]
        .into_iter()
        .fold(CapabilityBuilder::new("acme").every_core_anchor(), CapabilityBuilder::profile)
        .detector("detector://noop")
        .activity_window(1000)
        .expression_nodes_max(4_000_000)
        .supports_transform()
        .fact("acme.text", "string", "A text.")
        .fact("acme.words", "list<string>", "Some words.")
        .fact("acme.spans", "list<map>", "Spans.")
        .fact("acme.rank", "(int) -> int", "A rank.")
}

/// What a load ends with: how many rules there are, or the first fault and how many there are.
pub(crate) fn told(result: Result<Loaded, LoadError>) -> String {
    match result {
        Ok(loaded) => format!("{} rules", loaded.rules.len()),
        Err(error) => {
            let faults = error.diagnostics().len();
            let first = error.diagnostics().first().map(ToString::to_string).unwrap_or_default();
            format!("{faults} faults: {}", first.chars().take(120).collect::<String>())
        }
    }
}

/// The work of loading rules from a source.
pub(crate) fn load(rules: Source) -> Work {
    let loader = Loader::new(capability().source()).rules(rules);
    Box::new(move || told(loader.load()))
}

/// A rule in JSON with the members of `more` behind its own.
pub(crate) fn rule(id: &str, more: &str) -> String {
    format!(
        r#"{{"oar": "1.0", "id": "{id}", "kind": "policy", "anchor": "tool.pre_invoke", "effect": "warn"{more}}}"#
    )
}

/// The rule of YAML, in block style, behind which members can stand.
pub(crate) const YAML: &str =
    "oar: '1.0'\nid: R\nkind: policy\nanchor: tool.pre_invoke\neffect: warn\n";
