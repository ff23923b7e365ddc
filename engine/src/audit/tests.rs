use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value as Json, json};

use super::{AuditRecord, Broken, Chain, Redaction};
use crate::fixtures::{load, rule};
use crate::observe::{
    Detector, DetectorFailure, FactProvider, FactValue, Observations, Occurrence, ProviderFailure,
};
use crate::{Host, RuleSet, Session, ToolCall};

/// Provides one fact and one call, and fails at another fact.
struct Provides;

impl FactProvider for Provides {
    fn fact(&self, name: &str, _: &Occurrence<'_>) -> Result<Option<FactValue>, ProviderFailure> {
        match name {
            "acme.int" => Ok(Some(7_i64.into())),
            "acme.double" => Err(ProviderFailure::new("canary-5f1c")),
            _ => Ok(None),
        }
    }

    fn call(
        &self,
        name: &str,
        _: oar_expr::Value<'_>,
        _: &Occurrence<'_>,
    ) -> Result<Option<FactValue>, ProviderFailure> {
        Ok((name == "acme.ask").then(|| 4_i64.into()))
    }
}

struct Detects;

impl Detector for Detects {
    fn observe(&self, _: &Occurrence<'_>) -> Result<Observations, DetectorFailure> {
        Ok(Observations::new().with("acme.string", "canary-5f1c"))
    }
}

/// Rules that ask for everything, some of which fails.
fn rules() -> RuleSet {
    let asks = |id: &str, names: &[&str], when: &str| {
        rule(id, json!({"requires": {"facts": names}, "when": when, "on_error": "fail_open"}))
    };
    let detector = |id: &str, reference: &str| {
        rule(
            id,
            json!({"kind": "detector", "detector": {"ref": reference}, "on_error": "fail_open",
                "requires": {"facts": ["acme.string"]}, "when": "acme.string == 'canary-5f1c'"}),
        )
    };
    load(
        &[],
        vec![
            detector("A", "detector://fixture"),
            detector("B", "detector://error"),
            asks("C", &["acme.bool"], "acme.bool"),
            asks("D", &["acme.int", "acme.ask"], "acme.int == 7 && acme.ask('canary-5f1c') == 4"),
            asks("E", &["acme.double"], "acme.double > 1.0"),
            asks("F", &["acme.list"], "size(acme.list) == 2"),
            asks("G", &["acme.map"], "'canary-5f1c' in acme.map"),
        ],
    )
    .unwrap()
    .rules
}

fn time() -> std::time::SystemTime {
    UNIX_EPOCH + Duration::from_millis(1_796_086_800_125)
}

fn record(rules: &RuleSet, redaction: &Redaction) -> AuditRecord {
    let host = Host::new().provider(Provides).detector("detector://fixture", Detects);
    let arguments = serde_json::Map::from_iter([("deep".into(), json!([["canary-5f1c"]]))]);
    let (list, map) = (json!(["canary-5f1c", "b"]), json!({"canary-5f1c": {"x": [1]}}));
    let mut occurrence = rules.occurrence("tool.pre_invoke").unwrap();
    occurrence.fact("acme.bool", "no bool").unwrap();
    occurrence.fact("acme.list", &list).unwrap();
    occurrence.fact("acme.map", map).unwrap();
    occurrence.content("canary-5f1c");
    occurrence.tool_call(ToolCall::new("canary-5f1c", &arguments));
    occurrence.recent_activity(["canary-5f1c"]);
    let mut session = Session::new("s1");
    let outcome = host.decide(&mut session, &occurrence);
    AuditRecord::new(&outcome, session.id(), time(), redaction)
}

#[test]
fn a_record_tells_everything_and_is_decided_again() {
    let rules = rules();
    let record = record(&rules, &Redaction::none());
    let written = serde_json::to_value(&record).unwrap();
    let wanted = json!({
        "time": "2026-12-01T01:00:00.125Z", "session": "s1", "anchor": "tool.pre_invoke",
        "rule_set": rules.digest(), "configuration": rules.configuration_digest(),
        "decision": "warn", "rule": "t/D",
        "applied": ["t/C:errored", "t/D:fired", "t/E:errored", "t/F:fired", "t/G:fired", "t/A:fired",
            "t/B:errored"],
        "facts": {"acme.bool": null, "acme.list": ["canary-5f1c", "b"],
            "acme.map": {"canary-5f1c": {"x": [1]}}},
        "provided": [{"name": "acme.int", "value": 7}, {"name": "acme.double", "failed": true},
            {"name": "acme.ask", "argument": "canary-5f1c", "value": 4}],
        "detected": [{"detector": "detector://error", "failed": true},
            {"detector": "detector://fixture", "facts": {"acme.string": "canary-5f1c"}}],
        "content": "canary-5f1c",
        "tool_call": {"name": "canary-5f1c", "arguments": {"deep": [["canary-5f1c"]]}},
        "recent_activity": ["canary-5f1c"],
    });
    let sorted = |mut value: Json| {
        let own = value["provided"].as_array_mut().unwrap();
        own.sort_by_key(|own| own["name"].to_string());
        value
    };
    assert_eq!(sorted(written.clone()), sorted(wanted));

    let read: AuditRecord = serde_json::from_value(written).unwrap();
    assert_eq!(read, record);
    assert!(!format!("{record:?}").contains("canary"), "{record:?}");
    let (occurrence, unknown) = read.occurrence(&rules).unwrap();
    let host = read.host(&Host::new());
    let mut session = Session::new("s1");
    let outcome = host.decide(&mut session, &occurrence);
    let again = AuditRecord::new(&outcome, "s1", time(), &Redaction::none());
    assert_eq!((again, unknown), (record, 0));
}

#[test]
fn a_redacted_record_names_what_it_leaves_out() {
    let rules = rules();
    let all = record(&rules, &Redaction::all());
    let text = serde_json::to_string(&all).unwrap();
    assert!(!text.contains("canary"), "{text}");
    assert!(all.is_redacted());
    for pointer in [
        "/facts/acme.bool",
        "/facts/acme.list",
        "/facts/acme.map",
        "/detected/1/facts/acme.string",
        "/content",
        "/tool_call/name",
        "/tool_call/arguments",
        "/recent_activity",
    ] {
        assert!(all.redacted.iter().any(|own| own == pointer), "{pointer}: {:?}", all.redacted);
    }
    assert_eq!(all.redacted.iter().filter(|own| own.starts_with("/provided/")).count(), 3);
    assert_eq!(all.applied, record(&rules, &Redaction::none()).applied);

    let some = record(&rules, &Redaction::none().fact("acme.ask").content().arguments());
    assert_eq!(some.redacted.len(), 4, "{:?}", some.redacted);
    assert_eq!(some.provided.iter().filter(|own| own.value.is_some()).count(), 1);
    let kept = record(&rules, &Redaction::all().keep_tools());
    assert_eq!(kept.tool_call.unwrap().name.unwrap(), "canary-5f1c");
    assert_eq!(kept.recent_activity.unwrap(), ["canary-5f1c"]);
}

/// However deep an argument nests, it is copied without a stack of that depth.
#[test]
fn what_nests_too_deep_is_cut() {
    let mut deep = json!(1);
    for _ in 0..100_000 {
        deep = Json::Array(vec![deep]);
    }
    let value = FactValue::from(json!({"deep": 1}));
    assert_eq!(value.to_json(), json!({"deep": 1}));
    let rules = load(&[], vec![rule("A", json!({}))]).unwrap().rules;
    let arguments =
        crate::observe::JsonMap::new(serde_json::Map::from_iter([("deep".into(), deep)]));
    let mut occurrence = rules.occurrence("tool.pre_invoke").unwrap();
    occurrence.tool_call(ToolCall::new("t", arguments.as_object()));
    let (host, mut session) = (Host::new(), Session::new("s"));
    let outcome = host.decide(&mut session, &occurrence);
    let record = AuditRecord::new(&outcome, "s", time(), &Redaction::none());
    assert!(serde_json::to_string(&record).unwrap().len() < 1_500);
}

#[test]
fn the_schema_is_that_of_the_record() {
    let schema: Json =
        serde_json::from_str(include_str!("../../../schema/audit.schema.json")).unwrap();
    let members: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    let rules = rules();
    let mut chain = Chain::new();
    let mut found = std::collections::BTreeSet::new();
    for redaction in [Redaction::none(), Redaction::all()] {
        let line = chain.link(&record(&rules, &redaction)).unwrap();
        let value: Json = serde_json::from_str(&line).unwrap();
        found.extend(value.as_object().unwrap().keys().cloned());
        #[cfg(feature = "schema")]
        {
            let validator = jsonschema::validator_for(&schema).unwrap();
            let faults: Vec<String> =
                validator.iter_errors(&value).map(|fault| fault.to_string()).collect();
            assert!(faults.is_empty(), "{faults:?}");
        }
    }
    assert_eq!(found.iter().collect::<Vec<_>>(), members);
}

fn chain(count: usize) -> Vec<String> {
    let mut chain = Chain::new();
    (0..count).map(|n| chain.link(&json!({"anchor": "a", "n": n})).unwrap()).collect()
}

fn verify(chain: &mut Chain, lines: &[String]) -> Vec<(usize, String)> {
    let lines = lines.iter().enumerate();
    let broken = lines.flat_map(|(at, line)| {
        chain.verify(line.as_bytes()).into_iter().map(move |own| (at, own.to_string()))
    });
    broken.collect()
}

#[test]
fn whatever_is_done_to_a_chain_is_found() {
    let lines = chain(5);
    assert!(lines[0].starts_with(r#"{"sequence":1,"previous":"","anchor":"a","#), "{}", lines[0]);
    let mut verified = Chain::new();
    assert!(verify(&mut verified, &lines).is_empty());
    let head = verified.last().map(|(_, hash)| hash.to_owned()).unwrap();
    assert!(verified.end(&head).is_none() && verified.seen() == 5);
    assert_eq!(verified.end("x"), Some(Broken::Head { hash: head.clone() }));

    // Every byte counts, blanks as well: it is the bytes that are hashed.
    for at in 0..lines[2].len() {
        let mut changed = lines.clone();
        let mut bytes = changed[2].clone().into_bytes();
        bytes[at] = if bytes[at] == b'0' { b'1' } else { b'0' };
        changed[2] = String::from_utf8(bytes).unwrap();
        assert!(!verify(&mut Chain::new(), &changed).is_empty(), "byte {at}");
    }
    let broken = |lines: &[String]| verify(&mut Chain::new(), lines);
    let spaced = [lines[0].replace(",\"anchor\"", ", \"anchor\"")];
    assert_eq!(broken(&spaced), [(0, "record 1 was changed".to_owned())]);
    // A second member of a name that counts would be read by others.
    let twice = [lines[0].replace("\"anchor\"", "\"sequence\":1,\"anchor\"")];
    assert_eq!(broken(&twice), [(0, "this record has no place in a chain".to_owned())]);
    let without = [&lines[..2], &lines[4..]].concat();
    assert_eq!(broken(&without), [(2, "records 3 to 4 are missing before this one".to_owned())]);
    let mut moved = lines.clone();
    moved.swap(2, 3);
    let told = broken(&moved);
    assert_eq!(told[0].1, "record 3 is missing before this one");
    assert_eq!(told[1].1, "record 3 stands behind record 4");
    let again = [&lines[..2], &lines[1..2]].concat();
    assert_eq!(broken(&again), [(2, "record 2 stands here again".to_owned())]);
    assert_eq!(broken(&["[]".to_owned()]), [(0, "this is no JSON object".to_owned())]);

    // One that was made anew has another hash than the next one names.
    let mut forged = Chain::resume(lines[0].as_bytes()).unwrap();
    let mut replaced = lines.clone();
    replaced[1] = forged.link(&json!({"anchor": "b"})).unwrap();
    let told = broken(&replaced);
    assert_eq!(told, [(2, "the record before record 3 is another than it names".to_owned())]);
}

#[test]
fn a_chain_goes_on_behind_its_last_record() {
    let lines = chain(3);
    let mut resumed = Chain::resume(lines[2].as_bytes()).unwrap();
    let fourth = resumed.link(&json!({})).unwrap();
    let all = [lines.clone(), vec![fourth.clone()]].concat();
    assert!(verify(&mut Chain::new(), &all).is_empty());
    // A log of its own that goes on from another one.
    let third = Chain::resume(lines[2].as_bytes()).unwrap();
    let hash = third.last().map(|(_, hash)| hash.to_owned()).unwrap();
    assert!(Chain::after(hash).verify(fourth.as_bytes()).is_empty());
    assert_eq!(Chain::after("other").verify(fourth.as_bytes()).len(), 1);
    assert!(Chain::resume(b"{}").is_none() && Chain::resume(b"").is_none());
    assert!(Chain::new().link(&json!([1])).is_err());
}
