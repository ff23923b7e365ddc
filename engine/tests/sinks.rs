//! Where events and audit records go: files, queues, `tracing`, and what happens when one refuses.
#![cfg(feature = "testing")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may stop")]

use std::path::Path;
use std::sync::{Arc, Barrier, Condvar, Mutex};
use std::time::Duration;

use oar_engine::audit::{AuditRecord, Chain, Redaction};
use oar_engine::decide::Unrecorded;
use oar_engine::document::rule::Effect;
use oar_engine::sink::{
    AuditSink, Event, EventError, EventSink, Fsync, JsonLines, JsonLinesOptions, MemorySink, Queued,
};
use oar_engine::state::{CounterKey, CounterStore, Counters};
use oar_engine::testing::{Fault, FaultyStore, Operation, ScriptedClock};
use oar_engine::{Host, Loader, RuleSet, Session, Source, ToolCall, load::CapabilityBuilder};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

fn rules() -> RuleSet {
    let capability = CapabilityBuilder::new("acme")
        .core_anchor("tool.pre_invoke", "before_tool")
        .profile("tool")
        .activity_window(4);
    let rule = json!({"oar": "1.0", "id": "R", "kind": "policy", "anchor": "tool.pre_invoke",
        "effect": "warn", "on_error": "fail_open", "requires": {"profiles": ["tool"]},
        "selector": {"tool": ["send"]},
        "on_fire": ["publish_event", "increment_counter", "publish_event"]});
    Loader::new(capability.source()).rules(Source::value("rule", rule)).load().unwrap().rules
}

/// The decision at a call of `tool`, the trace, and why there is no record.
fn decide(
    host: &Host,
    rules: &RuleSet,
    session: &mut Session,
    tool: &str,
) -> (String, Vec<String>, Option<String>) {
    let arguments = serde_json::Map::new();
    let mut occurrence = rules.occurrence("before_tool").unwrap();
    occurrence.tool_call(ToolCall::new(tool, &arguments));
    let outcome = host.decide(session, &occurrence);
    let trace = outcome.trace().map(|entry| entry.to_string()).collect();
    (outcome.decision().to_string(), trace, outcome.unrecorded().map(str::to_owned))
}

fn event() -> Event<'static> {
    Event { rule: "t/R", anchor: "before_tool", effect: Effect::Warn, session: "s" }
}

/// The lines of a file, which are one chain behind `after`.
fn lines(path: &Path, after: Option<&str>) -> (Vec<Json>, String) {
    let text = std::fs::read_to_string(path).unwrap();
    let mut chain = after.map_or_else(Chain::new, Chain::after);
    for line in text.lines() {
        assert_eq!(chain.verify(line.as_bytes()), [], "{line}");
    }
    let last = chain.last().map(|(_, hash)| hash.to_owned()).unwrap_or_default();
    (text.lines().map(|line| serde_json::from_str(line).unwrap()).collect(), last)
}

#[test]
fn events_and_records_of_a_host_are_one_chain_at_the_time_of_its_clock() {
    let (rules, directory) = (rules(), TempDir::new().unwrap());
    let path = directory.path().join("log.jsonl");
    let clock = ScriptedClock::at_unix(1_796_086_800);
    let options = JsonLinesOptions::new().clock(clock.clone());
    let sink = Arc::new(JsonLines::with(&path, options).unwrap());
    let host = Host::new()
        .events(Arc::clone(&sink))
        .audit(Arc::clone(&sink), Redaction::none())
        .clock(clock.clone());
    let mut session = Session::new("s1");
    assert_eq!(decide(&host, &rules, &mut session, "send").0, "warn");
    clock.advance(Duration::from_millis(1_500));
    assert_eq!(decide(&host, &rules, &mut session, "read").0, "none");
    let (lines, _) = lines(&path, None);
    let published = json!({"rule": "R", "anchor": "before_tool", "effect": "warn"});
    for line in &lines[..2] {
        assert_eq!((&line["published"], &line["session"]), (&published, &json!("s1")));
        assert_eq!(line["anchor"], Json::Null, "an event is no occurrence");
        assert_eq!(line["time"], "2026-12-01T01:00:00.000Z");
    }
    let record: AuditRecord = serde_json::from_value(lines[2].clone()).unwrap();
    assert_eq!((&*record.decision, record.applied), ("warn", vec!["R:fired".to_owned()]));
    assert_eq!(record.rule_set, rules.digest());
    assert_eq!(record.tool_call.unwrap().name.unwrap(), "send");
    assert_eq!(lines[3]["time"], "2026-12-01T01:00:01.500Z");
    assert_eq!(lines.len(), 4);
}

#[test]
fn a_file_is_gone_on_with_and_what_is_torn_is_taken_away() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("log.jsonl");
    let append = || JsonLines::open(&path).unwrap().publish(&[event()]);
    append().unwrap();
    append().unwrap();
    let whole = std::fs::read(&path).unwrap();
    // The power went in the middle of a line, at every place.
    for torn in ["{\"sequence\":", "{\"sequence\":3,\"previous\":\"x"] {
        std::fs::write(&path, [&whole[..], torn.as_bytes()].concat()).unwrap();
        append().unwrap();
        assert_eq!(lines(&path, None).0.len(), 3);
        std::fs::write(&path, torn).unwrap();
        append().unwrap();
        assert_eq!(lines(&path, None).0.len(), 1);
    }
    // Only the line break is missing.
    std::fs::write(&path, whole.trim_ascii_end()).unwrap();
    append().unwrap();
    assert_eq!(lines(&path, None).0.len(), 3);
    // Whatever else is there is nobody's to cut off.
    for text in ["dear diary", "dear diary\n", "{}\n", "a\n{\"sequence\":\n"] {
        std::fs::write(&path, text).unwrap();
        let error = JsonLines::open(&path).unwrap_err().to_string();
        assert!(error.ends_with("the last line is in no chain to go on with"), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
    // A line that is longer than what is read at once.
    std::fs::write(&path, "").unwrap();
    let long = "x".repeat(200_000);
    JsonLines::open(&path).unwrap().append(&[json!({"long": long})]).unwrap();
    append().unwrap();
    assert_eq!(lines(&path, None).0.len(), 2);
}

#[test]
fn one_process_writes_a_file_unless_it_is_shared() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("log.jsonl");
    let sink = JsonLines::open(&path).unwrap();
    let error = JsonLines::open(&path).unwrap_err().to_string();
    assert!(error.ends_with("another process writes it"), "{error}");
    drop(sink);
    let shared = || JsonLinesOptions::new().fsync(Fsync::Never).shared();
    assert!(JsonLines::with(&path, shared().rotate(1, 1)).is_err());
    let barrier = Barrier::new(4);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                barrier.wait();
                for _ in 0..25 {
                    // As a process that is started for each event does.
                    let sink = JsonLines::with(&path, shared()).unwrap();
                    sink.publish(&[event(), event()]).unwrap();
                    sink.publish(&[event()]).unwrap();
                }
            });
        }
    });
    assert_eq!(lines(&path, None).0.len(), 300);
}

#[test]
fn a_file_is_rotated_by_size_and_the_chain_goes_on() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("log.jsonl");
    for fsync in [Fsync::Never, Fsync::Each, Fsync::Every(3), Fsync::Interval(Duration::ZERO)] {
        let options = JsonLinesOptions::new().fsync(fsync).rotate(1_000, 2);
        let sink = JsonLines::with(&path, options).unwrap();
        for _ in 0..20 {
            sink.publish(&[event()]).unwrap();
        }
        sink.sync().unwrap();
    }
    let old = |number: usize| directory.path().join(format!("log.jsonl.{number}"));
    assert!(old(1).exists() && old(2).exists() && !old(3).exists());
    let before = std::fs::read_to_string(old(2)).unwrap();
    let first: Json = serde_json::from_str(before.lines().next().unwrap()).unwrap();
    let mut last = first["previous"].as_str().unwrap().to_owned();
    for path in [old(2), old(1), path.clone()] {
        assert!(std::fs::metadata(&path).unwrap().len() <= 1_000);
        let (lines, head) = lines(&path, Some(&last));
        assert!(!lines.is_empty());
        last = head;
    }
    // What is longer than a file may be has one of its own, and of none is anything kept.
    let options = JsonLinesOptions::new().rotate(10, 0);
    drop(JsonLines::with(&path, options.clone()).map(|sink| sink.publish(&[event()]).unwrap()));
    assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 1);
    assert!(!directory.path().join("log.jsonl.0").exists());
}

/// `/dev/full` takes nothing: what would have been half of a unit is not there.
#[test]
#[cfg(target_os = "linux")]
fn a_disk_that_is_full_refuses() {
    let Ok(sink) = JsonLines::open("/dev/full") else {
        eprintln!("SKIPPED: this system has no /dev/full that can be locked");
        return;
    };
    let rules = rules();
    let host = Host::new().events(sink);
    let told = decide(&host, &rules, &mut Session::new("s"), "send");
    assert_eq!((told.0.as_str(), told.1), ("none", vec!["R:errored".to_owned()]));
}

/// [OAR-FIRE-9]: a rule that repeats `publish_event` publishes all or nothing, and counts no more.
#[test]
fn the_events_of_a_rule_are_one_unit() {
    let rules = rules();
    let (sink, store) = (MemorySink::holding(3), FaultyStore::new());
    let host = Host::new().events(sink.clone()).store(store.clone());
    let mut session = Session::new("s");
    assert_eq!(decide(&host, &rules, &mut session, "send").1, ["R:fired"]);
    assert_eq!(decide(&host, &rules, &mut session, "send").1, ["R:errored"]);
    assert_eq!(sink.take_events().len(), 2);
    let mut values = [Counters::default()];
    let key = CounterKey { rule: "R", scope: None };
    store.memory().read("s", &[key], &mut values).unwrap();
    assert_eq!(values[0].fire_count, 1);
}

#[test]
fn an_occurrence_without_a_record_does_not_pass() {
    let rules = rules();
    for fault in [Fault::Fails, Fault::Late(Duration::ZERO), Fault::Panics] {
        for unrecorded in [Unrecorded::Block, Unrecorded::Stands] {
            let store = FaultyStore::new();
            store.at(Operation::Record, 2, fault);
            let host = Host::new()
                .store(store.clone())
                .events(store.clone())
                .audit(store.clone(), Redaction::all())
                .unrecorded(unrecorded);
            let mut session = Session::new("s");
            assert_eq!(decide(&host, &rules, &mut session, "send").2, None);
            let (decision, trace, reason) = decide(&host, &rules, &mut session, "send");
            let stands = unrecorded == Unrecorded::Stands;
            assert_eq!(decision, if stands { "warn" } else { "block" }, "{fault:?}");
            assert!(reason.is_some());
            // What the rule did stands, and a call that is blocked is no step.
            assert_eq!((trace, store.published().len()), (vec!["R:fired".to_owned()], 4));
            let steps = oar_engine::state::ActivityStore::recent(store.memory(), "s", 4).unwrap();
            assert_eq!(steps.len(), if stands { 2 } else { 1 });
            assert_eq!(decide(&host, &rules, &mut session, "read").2, None);
            let told = store.records();
            assert_eq!(told.iter().map(|own| &*own.decision).collect::<Vec<_>>(), ["warn", "none"]);
        }
    }
}

/// A sink that waits until it is let go.
#[derive(Clone, Default)]
struct Gate(Arc<(Mutex<bool>, Condvar)>, MemorySink);

impl Gate {
    fn open(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }

    fn wait(&self) {
        let open = self.0.0.lock().unwrap();
        drop(self.0.1.wait_while(open, |open| !*open).unwrap());
    }
}

impl EventSink for Gate {
    fn publish(&self, events: &[Event<'_>]) -> Result<(), EventError> {
        self.wait();
        self.1.publish(events)
    }
}

impl AuditSink for Gate {
    fn record(&self, record: &AuditRecord) -> Result<(), EventError> {
        self.wait();
        self.1.record(record)
    }
}

#[test]
fn a_queue_refuses_what_it_has_no_room_for_and_writes_the_rest() {
    let (gate, rules) = (Gate::default(), rules());
    let queued = Arc::new(Queued::new(gate.clone(), 2).unwrap());
    let host = Host::new().events(Arc::clone(&queued));
    let mut session = Session::new("s");
    let mut fired = 0;
    // One unit is in the hands of the writer at the most, two wait.
    let refused = loop {
        let (_, trace, _) = decide(&host, &rules, &mut session, "send");
        if trace == ["R:errored"] {
            break queued.publish(&[event()]).unwrap_err().to_string();
        }
        fired += 1;
        assert!(fired <= 3);
    };
    assert_eq!(refused, "the queue is full");
    gate.open();
    queued.close().unwrap();
    assert_eq!(gate.1.take_events().len(), 2 * fired);
    assert_eq!(queued.publish(&[event()]).unwrap_err().to_string(), "the queue is closed");
    assert_eq!(decide(&host, &rules, &mut session, "send").1, ["R:errored"]);
}

#[test]
fn a_queue_whose_writer_fails_refuses_until_it_has_written_what_it_took() {
    for fault in [Fault::Fails, Fault::Panics] {
        let store = FaultyStore::new();
        store.always(Operation::Publish, fault);
        let queued = Queued::new(store.clone(), 10).unwrap();
        queued.publish(&[event()]).unwrap();
        wait_for(|| (store.asked(Operation::Publish) >= 2).then_some(()));
        let told = queued.publish(&[event()]).unwrap_err().to_string();
        assert!(told.starts_with("the writer fails: "), "{told}");
        store.heal();
        wait_for(|| queued.publish(&[event()]).ok());
        queued.close().unwrap();
        assert_eq!(store.published().len(), 2);

        store.always(Operation::Publish, fault);
        let queued = Queued::new(store.clone(), 10).unwrap();
        queued.publish(&[event()]).unwrap();
        let told = queued.close().unwrap_err().to_string();
        assert!(told.starts_with("lost, in the queue: 1; "), "{told}");
        assert_eq!(store.published().len(), 2);
    }
}

fn wait_for<T>(mut done: impl FnMut() -> Option<T>) -> T {
    for _ in 0..6_000 {
        if let Some(done) = done() {
            return done;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("nothing came of it in 30 s");
}

#[test]
fn dropping_a_queue_writes_what_it_took() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("log.jsonl");
    let (rules, file) = (rules(), JsonLines::open(&path).unwrap());
    let host = Host::new().audit(Queued::new(file, 1_000).unwrap(), Redaction::all());
    let mut session = Session::new("s");
    for _ in 0..100 {
        assert_eq!(decide(&host, &rules, &mut session, "read").2, None);
    }
    drop(host);
    assert_eq!(lines(&path, None).0.len(), 100);
}
