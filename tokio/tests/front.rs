//! The asynchronous front as a host uses it.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may stop, and hosts may panic here"
)]

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use oar_engine::document::rule::Action;
use oar_engine::load::CapabilityBuilder;
use oar_engine::observe::{FactValue, Observations, Occurrence, ProviderFailure};
use oar_engine::state::{
    CounterChange, CounterKey, CounterStore, Counters, EventError, MemoryCounters, StoreError,
};
use oar_engine::{Host, Loader, RuleSet, Session, Source, ToolCall};
use oar_tokio::{
    Answer, AsyncCounterStore, AsyncDetector, AsyncFactProvider, AsyncHost, Bridged, Report,
};
use serde_json::json;

/// Rules at `tool.pre_invoke`, each with what it needs.
fn load(rules: serde_json::Value) -> RuleSet {
    let capability = CapabilityBuilder::new("acme")
        .every_core_anchor()
        .profile("tool")
        .detector("detector://own")
        .fact("acme.a", "string", "One.")
        .fact("acme.b", "string", "Two.")
        .fact("acme.risk", "(string) -> int", "Three.")
        .fact("acme.found", "bool", "Four.");
    let base = json!({"oar": "1.0", "kind": "policy", "anchor": "tool.pre_invoke", "effect": "warn",
        "on_error": "fail_open",
        "requires": {"profiles": ["tool"], "facts": ["acme.a", "acme.b", "acme.risk", "acme.found"]}});
    let rules: Vec<serde_json::Value> = rules
        .as_array()
        .expect("a list")
        .iter()
        .map(|more| {
            let mut rule = base.clone();
            for (name, value) in more.as_object().expect("an object") {
                rule[name] = value.clone();
            }
            rule
        })
        .collect();
    let loader = Loader::new(capability.source()).rules(Source::value("rules", json!(rules)));
    loader.load().unwrap_or_else(|error| panic!("{error}")).rules
}

#[derive(Clone, Default)]
struct Asked {
    count: Arc<AtomicUsize>,
}

impl AsyncFactProvider for Asked {
    fn fact<'a>(&'a self, name: &'a str, _: &'a Occurrence<'_>) -> Answer<'a> {
        Box::pin(async move {
            self.count.fetch_add(1, Ordering::Relaxed);
            match name {
                "acme.a" => {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    Ok(Some("a".into()))
                }
                "acme.b" => {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    panic!("no directory")
                }
                _ => Err(ProviderFailure::new("nobody knows")),
            }
        })
    }

    fn call<'a>(
        &'a self,
        name: &'a str,
        argument: &'a FactValue,
        _: &'a Occurrence<'_>,
    ) -> Answer<'a> {
        Box::pin(async move {
            self.count.fetch_add(1, Ordering::Relaxed);
            tokio::task::yield_now().await;
            let FactValue::String(text) = argument else { panic!("{name}") };
            Ok(Some(i64::try_from(text.len()).expect("short").into()))
        })
    }
}

struct Finds(Duration);

impl AsyncDetector for Finds {
    fn observe<'a>(&'a self, _: &'a Occurrence<'_>) -> Report<'a> {
        Box::pin(async move {
            tokio::time::sleep(self.0).await;
            Ok(Observations::new().with("acme.found", true))
        })
    }
}

/// The trace, with the reason of a failure.
async fn decide(rules: &RuleSet, host: &AsyncHost, tool: &str) -> String {
    let arguments = serde_json::Map::new();
    let mut occurrence = rules.occurrence("tool.pre_invoke").expect("it is declared");
    occurrence.tool_call(ToolCall::new(tool, &arguments));
    let prepared = host.prepare(&occurrence).await;
    let mut session = Session::new("s");
    let outcome = prepared.decide(&mut session);
    let told = outcome.trace().map(|entry| match entry.failure {
        Some(failure) => format!("{entry} ({failure})"),
        None => entry.to_string(),
    });
    told.collect::<Vec<_>>().join(" ")
}

#[tokio::test(start_paused = true)]
async fn everything_needed_is_fetched_at_once_and_failures_stay_with_their_rules() {
    let rules = load(json!([
        {"id": "A", "when": "acme.a == 'a'"},
        {"id": "B", "when": "acme.b == 'b'"},
        {"id": "C", "when": "acme.risk('four') == 4"},
        {"id": "D", "kind": "detector", "detector": {"ref": "detector://own"}, "when": "acme.found"},
        {"id": "E", "when": "acme.a == 'a'", "selector": {"tool": ["other"]}},
    ]));
    let provider = Asked::default();
    let host = AsyncHost::new(Host::new())
        .provider(provider.clone())
        .detector("detector://own", Finds(Duration::from_millis(100)));
    let start = tokio::time::Instant::now();
    assert_eq!(
        decide(&rules, &host, "write").await,
        "A:fired B:errored (`acme.b` could not be produced: it panicked) \
         C:fired D:fired"
    );
    // Three waits of 100 ms, one after another, would be 300.
    assert!(start.elapsed() < Duration::from_millis(150), "{:?}", start.elapsed());
    // `acme.found` is asked for as well: whether the detector reports it is not known beforehand.
    assert_eq!(provider.count.load(Ordering::Relaxed), 4);
}

#[tokio::test(start_paused = true)]
async fn each_answer_has_its_deadline() {
    let rules = load(json!([
        {"id": "A", "when": "acme.a == 'a'"},
        {"id": "D", "kind": "detector", "detector": {"ref": "detector://own"}, "when": "acme.found"},
    ]));
    let host = AsyncHost::new(Host::new())
        .provider(Asked::default())
        .detector("detector://own", Finds(Duration::from_secs(60)))
        .deadline(Duration::from_millis(20))
        .deadline_of("acme.a", Duration::from_millis(200));
    assert_eq!(
        decide(&rules, &host, "write").await,
        "A:fired D:errored (`detector://own` failed: there is no answer after 20 ms)"
    );
    let host = host.deadline_of("acme.a", Duration::from_millis(99));
    assert!(
        decide(&rules, &host, "write").await.starts_with(
            "A:errored (`acme.a` could not be produced: there is no answer after 99 ms)"
        )
    );
}

/// An argument that a condition works out can only be asked for in its turn.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worked_out_argument_is_waited_for_in_place() {
    let rules = load(json!([{"id": "A", "when": "acme.risk(tool) == 5"}]));
    let host = AsyncHost::new(Host::new()).provider(Asked::default());
    assert_eq!(decide(&rules, &host, "write").await, "A:fired");
}

#[tokio::test]
async fn a_runtime_of_one_thread_cannot_wait_in_place() {
    let rules = load(json!([{"id": "A", "when": "acme.risk(tool) == 5"}]));
    let host = AsyncHost::new(Host::new()).provider(Asked::default());
    assert_eq!(
        decide(&rules, &host, "write").await,
        "A:errored (`acme.risk` could not be produced: it can only be waited for in a runtime of \
         several threads)"
    );
}

/// A store that waits before it does anything, and can be looked into.
#[derive(Clone)]
struct Slow(Arc<MemoryCounters>, Duration);

type Here<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

impl AsyncCounterStore for Slow {
    fn read<'a>(
        &'a self,
        session: &'a str,
        keys: &'a [CounterKey<'a>],
        values: &'a mut [Counters],
    ) -> Here<'a, Result<(), StoreError>> {
        Box::pin(async move { self.0.read(session, keys, values) })
    }

    fn apply<'a>(
        &'a self,
        session: &'a str,
        key: CounterKey<'a>,
        actions: &'a [Action],
        publish: &'a mut dyn FnMut() -> Result<(), EventError>,
    ) -> Here<'a, Result<CounterChange, StoreError>> {
        Box::pin(async move {
            tokio::time::sleep(self.1).await;
            self.0.apply(session, key, actions, publish)
        })
    }
}

fn count(store: &MemoryCounters, rule: &str) -> i64 {
    let mut values = [Counters::default()];
    let read = store.read("s", &[CounterKey { rule, scope: None }], &mut values);
    read.expect("memory can be read");
    let [value] = values;
    value.fire_count
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_waits_has_a_deadline_too() {
    let rules = load(json!([{"id": "A", "on_fire": ["increment_counter"]}]));
    for (takes, trace, after) in [
        (1, "A:fired", 1),
        (500, "A:errored (a side-effect could not be applied: there is no answer after 200 ms)", 0),
    ] {
        let store = Slow(Arc::default(), Duration::from_millis(takes));
        let bridged = Bridged::new(store.clone(), Duration::from_millis(200));
        let host = AsyncHost::new(Host::new().counters(bridged));
        assert_eq!(decide(&rules, &host, "write").await, trace);
        assert_eq!(count(&store.0, "A"), after);
    }
}

/// Dropping the future at any of its awaits leaves no trace; the next one decides as if nothing
/// had been.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelling_at_any_await_leaves_nothing_behind() {
    struct Steps;
    impl AsyncFactProvider for Steps {
        fn fact<'a>(&'a self, _: &'a str, _: &'a Occurrence<'_>) -> Answer<'a> {
            Box::pin(async {
                for _ in 0..5 {
                    tokio::task::yield_now().await;
                }
                Ok(Some("a".into()))
            })
        }
    }
    let rules = load(json!([
        {"id": "A", "when": "acme.a == 'a'", "on_fire": ["increment_counter"]},
    ]));
    let store = Slow(Arc::default(), Duration::ZERO);
    let bridged = Bridged::new(store.clone(), Duration::from_secs(5));
    let host = AsyncHost::new(Host::new().counters(bridged)).provider(Steps);
    let mut finished = 0;
    for polls in 1..10 {
        let occurrence = rules.occurrence("tool.pre_invoke").expect("it is declared");
        let mut future = Box::pin(host.prepare(&occurrence));
        let mut left = polls;
        let prepared = std::future::poll_fn(|context| {
            left -= 1;
            match future.as_mut().poll(context) {
                std::task::Poll::Ready(prepared) => std::task::Poll::Ready(Some(prepared)),
                std::task::Poll::Pending if left == 0 => std::task::Poll::Ready(None),
                std::task::Poll::Pending => std::task::Poll::Pending,
            }
        })
        .await;
        if let Some(prepared) = prepared {
            let mut session = Session::new("s");
            assert_eq!(prepared.decide(&mut session).trace().count(), 1);
            finished += 1;
        }
        assert_eq!(count(&store.0, "A"), finished, "after {polls} polls");
    }
    assert!((1..9).contains(&finished), "{finished}");
}

/// Preparing is a future that a runtime may move between threads.
#[tokio::test]
async fn the_future_may_move_between_threads() {
    fn moves<T: Send>(value: T) -> T {
        value
    }
    let rules = Arc::new(load(json!([{"id": "A", "when": "acme.a == 'a'"}])));
    let host = AsyncHost::new(Host::new()).provider(Asked::default());
    let start = Instant::now();
    let task = tokio::spawn(moves(async move {
        let occurrence = rules.occurrence("tool.pre_invoke").expect("it is declared");
        let prepared = host.prepare(&occurrence).await;
        let mut session = Session::new("s");
        prepared.decide(&mut session).decision()
    }));
    assert_eq!(task.await.expect("it ran").name(), "warn");
    assert!(start.elapsed() < Duration::from_secs(5));
}
