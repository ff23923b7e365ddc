//! A host's own struct as facts, held against the capability document once.

#![cfg(feature = "derive")]
#![expect(clippy::expect_used, reason = "a test may stop")]

use std::borrow::Cow;
use std::collections::BTreeMap;

use oar_engine::load::CapabilityBuilder;
use oar_engine::observe::{Binding, JsonMap, SupplyError};
use oar_engine::{Facts, Host, Loader, RuleSet, Session, Source};
use serde_json::json;

const TYPES: [(&str, &str); 9] = [
    ("acme.flag", "bool"),
    ("acme.count", "int"),
    ("acme.ratio", "double"),
    ("acme.owner", "string"),
    ("acme.labels", "list<string>"),
    ("acme.tags", "map<string,string>"),
    ("acme.raw", "map"),
    ("acme.spans", "list<map>"),
    ("acme.type", "string"),
];

fn rules(when: &str) -> RuleSet {
    let mut capability = CapabilityBuilder::new("acme").every_core_anchor().profile("session");
    for (name, ty) in TYPES {
        capability = capability.fact(name, ty, "A fact.");
    }
    let names: Vec<&str> = TYPES.iter().map(|(name, _)| *name).collect();
    let rule = json!({"oar": "1.0", "id": "R", "kind": "policy", "anchor": "tool.pre_invoke",
        "effect": "block", "when": when,
        "requires": {"profiles": ["session"], "facts": names}});
    let loader = Loader::new(capability.source()).rules(Source::value("rule", rule));
    loader.load().expect("it is sound").rules
}

#[derive(Facts)]
#[facts(prefix = "acme")]
struct All<'a> {
    flag: bool,
    count: u32,
    /// An int is a value of a double fact.
    ratio: i64,
    owner: Cow<'a, str>,
    labels: Vec<&'a str>,
    tags: BTreeMap<String, String>,
    raw: JsonMap,
    spans: Option<Vec<JsonMap>>,
    r#type: Option<&'a str>,
    #[fact("session_posture")]
    posture: String,
    #[fact(skip)]
    own: (),
}

fn all<'a>() -> All<'a> {
    All {
        flag: true,
        count: 3,
        ratio: 2,
        owner: "ann".into(),
        labels: vec!["a", "b"],
        tags: BTreeMap::from([("k".into(), "v".into())]),
        raw: JsonMap::default(),
        spans: None,
        r#type: Some("t"),
        posture: "build".into(),
        own: (),
    }
}

#[test]
fn every_field_reaches_the_condition() {
    let rules = rules(
        "acme.flag && acme.count == 3 && acme.ratio == 2.0 && acme.owner == 'ann' && 'b' in \
         acme.labels && 'k' in acme.tags && acme.type == 't' && session_posture == 'build'",
    );
    let binding = Binding::<All<'_>>::new(&rules).expect("every field is declared");
    let seen = all();
    let () = seen.own;
    let mut occurrence = rules.occurrence("tool.pre_invoke").expect("it is declared");
    binding.supply(&mut occurrence, &seen).expect("it is this set's");
    let host = Host::new();
    let outcome = host.decide(&mut Session::new("s"), &occurrence);
    assert_eq!(outcome.decision().name(), "block");
}

#[derive(Facts)]
struct Wrong {
    #[fact("acme.owner")]
    owner: i64,
    #[fact("acme.labls")]
    labels: Vec<String>,
    #[fact("acme.count")]
    ratio: f64,
    fire_count: i64,
}

#[test]
fn every_wrong_field_is_named_once_at_start() {
    let error = Binding::<Wrong>::new(&rules("true")).expect_err("no field is right");
    assert_eq!(
        error.faults(),
        [
            "`acme.owner` is declared as string, and the field is of type int",
            "`acme.labls` is not a declared fact",
            "`acme.count` is declared as int, and the field is of type double",
            "`fire_count` is observed by the engine and cannot be supplied",
        ]
    );
    let Wrong { owner, labels, ratio, fire_count } =
        Wrong { owner: 0, labels: vec![], ratio: 0.0, fire_count: 0 };
    assert_eq!((owner, labels.len(), ratio, fire_count), (0, 0, 0.0, 0));
}

#[test]
fn a_binding_is_of_one_rule_set() {
    let (one, other) = (rules("true"), rules("true"));
    let binding = Binding::<All<'_>>::new(&one).expect("every field is declared");
    assert!(binding.is_for(&one) && !binding.is_for(&other));
    let seen = all();
    let mut occurrence = other.occurrence("tool.pre_invoke").expect("it is declared");
    assert_eq!(binding.supply(&mut occurrence, &seen), Err(SupplyError::Foreign));
}
