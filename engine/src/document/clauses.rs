//! Which clause of the standard stands behind each field of each document.

use super::schema::DocumentKind;

/// The clause that a violation of `keyword` at `pointer` offends.
pub(crate) fn of(kind: DocumentKind, pointer: &str, keyword: &str) -> &'static str {
    let mut tokens = pointer.split('/').skip(1);
    let (first, second) = (tokens.next().unwrap_or_default(), tokens.next());
    match kind {
        DocumentKind::Rule => of_rule(first, second, keyword),
        DocumentKind::Capability => of_capability(first, tokens.next(), keyword),
        DocumentKind::Config => of_config(first),
    }
}

/// The clause that asks for the member `name` of the object at `pointer`.
pub(crate) fn of_required(kind: DocumentKind, pointer: &str, name: &str) -> &'static str {
    match (kind, pointer, name) {
        (DocumentKind::Rule, "", "transform") => "OAR-DOC-22",
        (DocumentKind::Rule, "", "detector") => "OAR-DOC-23",
        (DocumentKind::Rule, "", _) => "OAR-DOC-2",
        (DocumentKind::Capability, "", _) => "OAR-FACT-21",
        _ => of(kind, pointer, "required"),
    }
}

fn of_rule(field: &str, inner: Option<&str>, keyword: &str) -> &'static str {
    match (field, inner) {
        ("", _) if keyword == "additionalProperties" => "OAR-DOC-27",
        ("id", _) => "OAR-DOC-6",
        ("namespace", _) => "OAR-DOC-7",
        ("kind", _) => "OAR-DOC-10",
        ("effect", _) => "OAR-DOC-11",
        ("anchor", _) => "OAR-DOC-12",
        ("selector", Some(_)) => "OAR-SEL-1",
        ("selector", None) => "OAR-DOC-13",
        ("when", _) => "OAR-DOC-14",
        ("flow", _) => "OAR-DOC-15",
        ("enforcement", _) => "OAR-DOC-16",
        ("mandatory", _) => "OAR-DOC-17",
        ("on_error", _) => "OAR-DOC-18",
        ("on_fire", Some(_)) => "OAR-FIRE-1",
        ("on_fire", None) => "OAR-DOC-19",
        ("overrides", _) => "OAR-DOC-20",
        ("requires", _) => "OAR-DOC-21",
        ("transform", None) if keyword == "not" => "OAR-DOC-22",
        ("transform", _) => "OAR-OPS-13",
        ("detector", Some(_)) => "OAR-OPS-12",
        ("detector", None) => "OAR-DOC-23",
        ("copy", _) => "OAR-DOC-24",
        ("references", _) => "OAR-DOC-25",
        ("status", _) => "OAR-DOC-29",
        ("related", _) => "OAR-DOC-30",
        ("counter_scope", _) => "OAR-DOC-32",
        _ => "OAR-CONF-1",
    }
}

fn of_capability(field: &str, inner: Option<&str>, keyword: &str) -> &'static str {
    match (field, inner) {
        ("anchors", _) if keyword == "additionalProperties" => "OAR-PROF-1",
        ("anchors", _) => "OAR-PROF-2",
        ("host", _) | ("host_facts", Some("name")) => "OAR-FACT-18",
        ("host_facts", Some("type")) => "OAR-FACT-22",
        ("profiles", _) => "OAR-FACT-16",
        ("activity_window", _) => "OAR-PROF-3",
        ("detectors", _) => "OAR-OPS-12",
        ("expression_nodes_max", _) => "OAR-EXPR-17",
        _ => "OAR-FACT-24",
    }
}

fn of_config(field: &str) -> &'static str {
    match field {
        "disable" => "OAR-CFG-2",
        "enforcement" => "OAR-CFG-3",
        _ => "OAR-CFG-1",
    }
}

/// How the value at `pointer` must be spelled, as advice.
pub(crate) fn spelling(kind: DocumentKind, pointer: &str) -> &'static str {
    let field = pointer.rsplit('/').find(|token| !token.bytes().all(|b| b.is_ascii_digit()));
    match (kind, field.unwrap_or_default()) {
        (DocumentKind::Rule, "id") if !pointer.starts_with("/related") => {
            "capital letters, digits and underscores, beginning with a letter"
        }
        (_, "namespace" | "host") => {
            "lower-case letters, digits and hyphens, in parts joined by dots, such as `acme.security`"
        }
        (_, "anchor" | "core" | "unsupported") => {
            "lower-case words joined by dots, such as `tool.pre_invoke`"
        }
        (_, "on_error") => {
            "accepted: `fail_closed`, `fail_open`, or a rule such as `acme/FALLBACK`"
        }
        (_, "ref" | "detectors") => "written `detector://name`",
        (_, "facts" | "counter_scope" | "selector") => "the name of a fact, such as `tool`",
        (_, "name") => "the host's namespace, a dot and a name, such as `acme.tenant_tier`",
        (_, "type") => {
            "accepted: `bool`, `int`, `double`, `string`, `list<string>`, `map<string,string>`, \
             `list<map>`, `map`, or a function such as `(string) -> bool`"
        }
        (_, "oar" | "oar_config" | "oar_capability_version") => "written \"1.0\"",
        _ => "a rule's bare id such as `FALLBACK`, or its qualified one such as `acme/FALLBACK`",
    }
}
