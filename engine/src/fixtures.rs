//! Documents that the unit tests of this crate share.

use serde_json::{Value as Json, json};

use crate::load::{LoadError, Loaded, Loader, Source};

/// A capability document with every core anchor under its own name, the profiles given, the
/// reserved detectors, a window of 4, transforms, and a host fact of each type.
pub(crate) fn capability(profiles: &[&str]) -> Json {
    let anchors = crate::load::Vocabulary::get().anchors.iter();
    let core: serde_json::Map<String, Json> =
        anchors.map(|anchor| (anchor.name.clone(), anchor.name.clone().into())).collect();
    json!({
        "oar_capability_version": "1.0",
        "host": "acme",
        "anchors": {"core": core, "host": ["acme_render"]},
        "profiles": profiles,
        "activity_window": 4,
        "detectors": ["detector://noop", "detector://error", "detector://fixture"],
        "expression_nodes_max": 1024,
        "supports_transform": true,
        "host_facts": [
            {"name": "acme.bool", "type": "bool"},
            {"name": "acme.int", "type": "int"},
            {"name": "acme.double", "type": "double"},
            {"name": "acme.string", "type": "string"},
            {"name": "acme.list", "type": "list<string>"},
            {"name": "acme.labels", "type": "map<string,string>"},
            {"name": "acme.spans", "type": "list<map>"},
            {"name": "acme.map", "type": "map"},
            {"name": "acme.ask", "type": "(string) -> int"},
            {"name": "acme.weigh", "type": "(double) -> bool"},
        ],
    })
}

/// A rule of the namespace `t`, with the members of `more` over its defaults.
pub(crate) fn rule(id: &str, more: Json) -> Json {
    let mut rule = json!({"oar": "1.0", "namespace": "t", "id": id, "kind": "policy",
        "anchor": "tool.pre_invoke", "effect": "warn"});
    if let (Some(rule), Json::Object(more)) = (rule.as_object_mut(), more) {
        rule.extend(more);
    }
    rule
}

/// Loads rules for [`capability`].
pub(crate) fn load(profiles: &[&str], rules: Vec<Json>) -> Result<Loaded, LoadError> {
    Loader::new(Source::value("capability", capability(profiles)))
        .rules(Source::value("rules", Json::Array(rules)))
        .load()
}
