//! The schemas hold still, and the quick reader accepts what they accept.

use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use super::{DocumentKind, Placed, violations};
use crate::document::rule::RuleDocument;
use crate::document::source::{Format, Node, SourceFile};

const KINDS: [DocumentKind; 3] =
    [DocumentKind::Rule, DocumentKind::Capability, DocumentKind::Config];

/// A schema without its prose.
fn bare(schema: &Json) -> Json {
    match schema {
        Json::Object(members) => {
            let kept =
                members.iter().filter(|(name, value)| *name != "description" || !value.is_string());
            Json::Object(kept.map(|(name, value)| (name.clone(), bare(value))).collect())
        }
        Json::Array(items) => items.iter().map(bare).collect(),
        other => other.clone(),
    }
}

/// [OAR-VER-2], [OAR-VER-3]: what a published version accepts does not change.
#[test]
fn the_schemas_of_1_0_are_frozen() {
    let digests = KINDS.map(|kind| {
        let schema = bare(&serde_json::from_str(kind.schema()).unwrap());
        let digest = Sha256::digest(schema.to_string());
        digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect::<String>()
    });
    assert_eq!(digests, ["85751d12", "92b1d31d", "8b11808a"]);
}

#[test]
fn every_schema_names_its_version() {
    for kind in KINDS {
        let schema: Json = serde_json::from_str(kind.schema()).unwrap();
        let id = schema["$id"].as_str().unwrap();
        assert!(id.ends_with(":1.0"), "{id}");
    }
}

fn explain(document: &Json) -> Vec<String> {
    let root = Node::from_json(document);
    let file = SourceFile::new("rule.json", "", Format::Json);
    let placed = Placed { root: &root, file: &file, prefix: "", item: None };
    violations(DocumentKind::Rule, placed).iter().map(ToString::to_string).collect()
}

/// A valid rule that has every member.
fn full() -> Json {
    json!({
        "oar": "1.0", "id": "A1_B", "namespace": "acme.sec-1", "kind": "detector",
        "anchor": "tool.pre_invoke", "selector": {"tool": ["a", "b"], "acme.x": []},
        "when": "true", "flow": ["a", "a"], "effect": "transform", "enforcement": "off",
        "mandatory": true, "on_error": "acme/FALLBACK", "on_fire": ["publish_event", "publish_event"],
        "overrides": ["B", "acme/B"], "requires": {"profiles": ["tool"], "facts": ["acme.x"]},
        "transform": {"action": "annotate", "target": "content", "replacement": ""},
        "detector": {"ref": "detector://a-1"}, "copy": {"title": "", "what": "x", "cause": "x",
            "why": "x", "fix": "x", "instead": "x"}, "references": {"owasp": ["LLM01"], "none": []},
        "status": "test", "related": [{"id": "OLD", "type": "renamed"}], "counter_scope": "tool",
        "x-acme-1": {"any": [null]}
    })
}

/// Values that fit some field and not others.
fn values() -> Vec<Json> {
    let mut values = vec![
        json!(null),
        json!(true),
        json!(0),
        json!(1.5),
        json!([]),
        json!({}),
        json!([[]]),
        json!([{}]),
        json!([1]),
        json!([""]),
        json!(["a"]),
        json!(["A"]),
        json!(["a", "a"]),
        json!(["A", "A"]),
        json!(["increment_counter"]),
        json!({"": ["a"]}),
        json!({"tool": ["a", "a"]}),
        json!({"tool": [""]}),
        json!({"tool": "a"}),
        json!({"a-b": ["a"]}),
        json!({"a.b": ["a"]}),
        json!({"a..b": ["a"]}),
        json!({"profiles": ["a", "a"]}),
        json!({"facts": ["a b"]}),
        json!({"fact": []}),
        json!({"action": "redact", "target": "x"}),
        json!({"action": "replace", "target": "x"}),
        json!({"action": "replace", "target": "x", "replacement": 1}),
        json!({"action": "mask", "target": "x"}),
        json!({"action": "redact"}),
        json!({"action": "redact", "target": "x", "more": 1}),
        json!({"ref": "detector://x"}),
        json!({"ref": "detector://X"}),
        json!({"ref": "detector://-x"}),
        json!({"ref": "detector://x", "more": 1}),
        json!({"what": 1}),
        json!({"whats": "x"}),
        json!({"what": "x"}),
        json!({"a": ["x"]}),
        json!({"a": [""]}),
        json!({"a": "x"}),
        json!([{"id": "A", "type": "similar"}]),
        json!([{"id": "A", "type": "alike"}]),
        json!([{"id": "a", "type": "similar"}]),
        json!([{"type": "similar"}]),
        json!([{"id": "A", "type": "similar", "x": 1}]),
    ];
    let words = [
        "",
        "a",
        "A",
        "A_1",
        "1A",
        "a.b",
        "a..b",
        ".a",
        "a.",
        "a-b",
        "-a",
        "a-",
        "A/B",
        "a/B",
        "a/b",
        "a/B/C",
        "/B",
        "a/",
        "a.b/C_D",
        "1.0",
        "01.0",
        "1.1",
        "1.0\n",
        "A\n",
        "a\n",
        "é",
        "policy",
        "schema",
        "block",
        "transform",
        "off",
        "monitor",
        "fail_open",
        "fail_closed",
        "stable",
        "x y",
        "tool.pre_invoke",
        "Tool.pre",
        "tool.1",
        "_a",
        "a_",
        "a1.b2",
        "detector://x",
    ];
    values.extend(words.map(Json::from));
    values
}

/// The reader that decides and the schema that explains accept the same documents.
#[test]
fn the_reader_and_the_schema_accept_the_same_documents() {
    let mut compared = 0;
    let mut agree = |document: &Json| {
        let node = Node::from_json(document);
        let read = RuleDocument::read(&node).is_some();
        let explained = explain(document);
        // A version that the schema knows and the engine does not is refused before either.
        let version = document["oar"]
            .as_str()
            .is_none_or(|text| crate::document::version::check(text).is_ok());
        if version {
            assert_eq!(read, explained.is_empty(), "{document}: {explained:?}");
            compared += 1;
        }
    };
    let full = full();
    agree(&full);
    let members: Vec<String> = full.as_object().unwrap().keys().cloned().collect();
    for member in &members {
        let mut without = full.clone();
        without.as_object_mut().unwrap().remove(member);
        agree(&without);
        for value in values() {
            let mut changed = full.clone();
            changed[member] = value;
            agree(&changed);
        }
    }
    for name in ["x-a", "x-A", "x-", "x-a-", "x--a", "x-a-b1", "y-a", "emit", "Oar", "x-é"] {
        let mut more = full.clone();
        more[name] = json!(1);
        agree(&more);
    }
    for document in values() {
        agree(&document);
    }
    for (kind, effect) in [("policy", "transform"), ("detector", "warn"), ("policy", "warn")] {
        for dropped in [&[][..], &["transform"], &["detector"], &["transform", "detector"]] {
            let mut changed = full.clone();
            changed["kind"] = kind.into();
            changed["effect"] = effect.into();
            for member in dropped {
                changed.as_object_mut().unwrap().remove(*member);
            }
            agree(&changed);
        }
    }
    assert!(compared > 2000, "{compared}");
}

#[test]
fn a_violation_names_field_and_word() {
    for (member, value, message) in [
        ("emit", json!(1), "OAR-DOC-27: `emit` is not a field of a rule"),
        ("id", json!("lower"), "OAR-DOC-6: `lower` is not spelled as `id` must be"),
        ("kind", json!("heuristic"), "OAR-DOC-10: `heuristic` is not a value of `kind`"),
        ("mandatory", json!("yes"), "OAR-DOC-17: `mandatory` is a string, not a boolean"),
        ("flow", json!([]), "OAR-DOC-15: `flow` is an empty list"),
        ("flow", json!([""]), "OAR-DOC-15: `flow` holds an empty string"),
        ("overrides", json!(["B", "B"]), "OAR-DOC-20: `overrides` holds `B` twice"),
        ("on_fire", json!(["send_email"]), "OAR-FIRE-1: `send_email` is not a value of `on_fire`"),
        (
            "selector",
            json!({"a b": []}),
            "OAR-DOC-13: `a b` is not a name that `selector` can hold",
        ),
        ("selector", json!({"tool": null}), "OAR-SEL-1: `selector.tool` is null, not an array"),
        ("copy", json!({"whats": ""}), "OAR-DOC-24: `whats` is not a field of `copy`"),
        ("on_error", json!("give up"), "OAR-DOC-18: `give up` is not a value of `on_error`"),
        (
            "effect",
            json!("warn"),
            "OAR-DOC-22: `transform` is given, but `effect` is not `transform`",
        ),
    ] {
        let mut document = full();
        document[member] = value;
        assert_eq!(explain(&document), [message]);
    }
    let mut document = full();
    document.as_object_mut().unwrap().remove("effect");
    assert!(explain(&document).contains(&"OAR-DOC-2: `effect` is missing".to_owned()));
}

#[cfg(feature = "schema")]
/// What a judge has to say of a document, in no particular order.
fn said(
    judge: fn(DocumentKind, &Json) -> Option<Vec<super::Violation>>,
    kind: DocumentKind,
    document: &Json,
) -> Vec<String> {
    let root = Node::from_json(document);
    let file = SourceFile::new("d.json", "", Format::Json);
    let placed = Placed { root: &root, file: &file, prefix: "", item: None };
    let found = judge(kind, &root.to_json()).unwrap();
    let told = super::told(kind, placed, &found);
    let mut told: Vec<String> =
        told.iter().map(|own| format!("{own} ({})", own.advice().unwrap_or_default())).collect();
    told.sort();
    told
}

/// The judge of our own finds what the `jsonschema` crate finds, and says it alike.
#[test]
#[cfg(feature = "schema")]
fn both_judges_say_the_same() {
    let capability = json!({
        "oar_capability_version": "1.0", "host": "acme", "anchors": {
            "core": {"tool.pre_invoke": "before_tool"}, "unsupported": ["model.input"],
            "host": ["acme_render"]},
        "profiles": ["tool"], "activity_window": 4, "detectors": ["detector://noop"],
        "expression_nodes_max": 256, "supports_transform": true,
        "host_facts": [{"name": "acme.x", "type": "(string) -> int", "observation": "x"}]
    });
    let config = json!({"oar_config": "1.0", "disable": ["A"], "enforcement": {"a/B": "off"}});
    let mut values = values();
    values.extend([
        json!(256),
        json!(255),
        json!(256.0),
        json!(-1),
        json!(1e300),
        json!("(int) -> bool"),
        json!("(map) -> bool"),
        json!("acme.x"),
        json!("acme.x-y"),
        json!({"A": "off"}),
        json!({"a": "off"}),
        json!({"A": "loud"}),
        json!(["tool.pre_invoke"]),
        json!([{"name": "acme.x", "type": "map"}]),
        json!([{"name": "x", "type": "maps"}]),
        json!([{"nam": "x"}]),
        json!({"core": {}}),
        json!({"core": {"tool.invoke": "a"}}),
        json!({"core": {"tool.pre_invoke": "A"}, "host": ["a", "a"]}),
        json!("10.20"),
        json!("1."),
    ]);
    let mut compared = 0;
    let mut agree = |kind, document: &Json| {
        let own = said(super::own::judge, kind, document);
        assert_eq!(own, said(super::judge::judge, kind, document), "{document}");
        compared += own.len();
    };
    for (kind, full) in [
        (DocumentKind::Rule, full()),
        (DocumentKind::Capability, capability),
        (DocumentKind::Config, config),
    ] {
        agree(kind, &full);
        let members: Vec<String> = full.as_object().unwrap().keys().cloned().collect();
        for member in &members {
            let mut without = full.clone();
            without.as_object_mut().unwrap().remove(member);
            agree(kind, &without);
            without["x-new"] = json!(1);
            without["new"] = json!(1);
            agree(kind, &without);
            for value in &values {
                let mut changed = full.clone();
                changed[member] = value.clone();
                agree(kind, &changed);
            }
        }
        values.iter().for_each(|value| agree(kind, value));
    }
    assert!(compared > 1_000, "{compared}");
}

/// A pattern that the schemas use and our judge does not know would match nothing.
#[test]
fn the_judge_of_our_own_knows_every_keyword_and_pattern() {
    const KNOWN: &[&str] = &[
        "$ref",
        "type",
        "enum",
        "const",
        "allOf",
        "anyOf",
        "if",
        "then",
        "else",
        "pattern",
        "minLength",
        "minimum",
        "minItems",
        "uniqueItems",
        "items",
        "required",
        "properties",
        "propertyNames",
        "patternProperties",
        "additionalProperties",
        "description",
        "default",
        "title",
        "$schema",
        "$id",
        "$defs",
    ];
    fn walk(schema: &Json, names: bool, visit: &mut dyn FnMut(&str, &Json)) {
        if let Json::Array(items) = schema {
            items.iter().for_each(|item| walk(item, false, visit));
        }
        for (name, value) in schema.as_object().into_iter().flatten() {
            if !names {
                visit(name, value);
            }
            let inner = matches!(name.as_str(), "properties" | "patternProperties" | "$defs");
            if names || !matches!(name.as_str(), "enum" | "const" | "required") {
                walk(value, inner && !names, visit);
            }
        }
    }
    for kind in KINDS {
        let schema: Json = serde_json::from_str(kind.schema()).unwrap();
        walk(&schema, false, &mut |keyword, value| {
            assert!(KNOWN.contains(&keyword), "{keyword}");
            // `minLength` and `minItems` are taken to mean "not empty".
            if keyword.starts_with("min") && keyword != "minimum" {
                assert_eq!(value, 1, "{keyword}");
            }
        });
    }
}
