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
