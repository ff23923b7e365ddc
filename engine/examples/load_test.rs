//! Many sessions on many threads with each store: no increment is lost, and what it costs beside
//! the store alone.
//!
//! `load_test [THREADS SESSIONS OCCURRENCES] [--stores memory,sqlite,redis]`; by default 8 threads,
//! 2,000 sessions and 200 occurrences in memory, and 200 and 50 elsewhere. `SESSIONS` is the number
//! of sessions of all threads, `OCCURRENCES` that of each session. For Redis, `OAR_REDIS_URL` names
//! a server whose keys `oar-load:*` may be written.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use oar_engine::document::rule::Action;
use oar_engine::state::{
    ActivityStore, CounterKey, CounterStore, Counters, MemoryStore, RedisOptions, RedisStore,
    SqliteOptions, SqliteStore,
};
use oar_engine::{Host, Loader, RuleSet, Session, Source, ToolCall, load::CapabilityBuilder};

type Failed = Box<dyn std::error::Error + Send + Sync>;

#[derive(Clone, Copy)]
struct Size {
    threads: usize,
    sessions: usize,
    occurrences: usize,
}

/// One rule counts every third call, another reads that and counts the rest.
const RULES: &str = "{oar: '1.0', id: THIRD, kind: policy, anchor: tool.pre_invoke, effect: warn,
  requires: {profiles: [tool]}, when: tool_arg_int('n') % 3 == 0, on_fire: [increment_counter]}
---
{oar: '1.0', id: OTHERS, kind: policy, anchor: tool.pre_invoke, effect: warn,
  requires: {profiles: [tool]}, when: tool_arg_int('n') % 3 != 0 && fire_count_of('THIRD') >= 0,
  on_fire: [increment_counter, increment_breaker]}";

const NAMES: [&str; 2] = ["THIRD", "OTHERS"];

fn rules() -> Result<RuleSet, Failed> {
    let capability = CapabilityBuilder::new("acme")
        .core_anchor("tool.pre_invoke", "before_tool")
        .profile("tool");
    let loader = Loader::new(capability.source()).rules(Source::yaml("rules.yaml", RULES));
    Ok(loader.load().map_err(|error| error.to_string())?.rules)
}

/// Each session is used by two threads, so that they meet.
fn session(thread: usize, turn: usize, size: Size) -> String {
    let each = (size.sessions / size.threads).max(1);
    format!("s{}", ((thread / 2 * 2) * each + turn % (2 * each)) % size.sessions)
}

/// Runs `work(thread, turn)` on every thread, so that all sessions together see all occurrences.
fn spread(
    size: Size,
    work: impl Fn(usize, usize) -> Result<(), Failed> + Sync,
) -> Result<Duration, Failed> {
    let turns = size.sessions * size.occurrences / size.threads;
    let began = Instant::now();
    thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (0..size.threads)
            .map(|thread| scope.spawn(move || (0..turns).try_for_each(|turn| work(thread, turn))))
            .collect();
        threads.into_iter().try_for_each(|thread| {
            thread.join().unwrap_or_else(|_| Err("a thread has panicked".into()))
        })
    })?;
    Ok(began.elapsed())
}

fn test<S>(name: &str, store: S, size: Size) -> Result<(), Failed>
where
    S: CounterStore + ActivityStore + 'static,
{
    let store = std::sync::Arc::new(store);
    let (rules, host) = (rules()?, Host::new().store(std::sync::Arc::clone(&store)));
    let fired = NAMES.map(|_| AtomicU64::new(0));
    let took = spread(size, |thread, turn| {
        let n = i64::try_from(turn)?;
        let arguments = serde_json::Map::from_iter([("n".to_owned(), n.into())]);
        let mut occurrence = rules.occurrence("before_tool")?;
        occurrence.tool_call(ToolCall::new("work", &arguments));
        let mut session = Session::new(session(thread, turn, size));
        let outcome = host.decide(&mut session, &occurrence);
        for rule in outcome.fired() {
            if let Some(at) = NAMES.iter().position(|name| *name == rule) {
                fired.get(at).map(|own| own.fetch_add(1, Ordering::Relaxed));
            }
        }
        match outcome.trace().find_map(|entry| entry.failure) {
            Some(failure) => Err(failure.to_string().into()),
            None => Ok(()),
        }
    })?;
    let fired = fired.map(AtomicU64::into_inner);
    let mut counted = [0; 2];
    for number in 0..size.sessions {
        let keys = NAMES.map(|rule| CounterKey { rule, scope: None });
        let mut values = [Counters::default(); 2];
        store.read(&format!("s{number}"), &keys, &mut values)?;
        for (sum, value) in counted.iter_mut().zip(values) {
            *sum += u64::try_from(value.fire_count)?;
        }
    }
    if counted != fired {
        return Err(format!("{name}: {fired:?} increments fired, {counted:?} counted").into());
    }
    // What an occurrence asks of its store: a snapshot, and the actions of a rule.
    let raw = spread(size, |thread, turn| {
        let session = format!("raw-{}", session(thread, turn, size));
        let key = CounterKey { rule: "RAW", scope: None };
        store.read(&session, &[key], &mut [Counters::default()])?;
        store.apply(&session, key, &[Action::IncrementCounter], &mut || Ok(()))?;
        Ok(())
    })?;
    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
    let rate = |time: Duration| fired.iter().sum::<u64>() as f64 / time.as_secs_f64();
    println!(
        "{name:<7} {} threads, {} sessions, {} occurrences each: {} increments, all counted; \
         {:.0} occurrences/s, {:.0} raw read+apply/s",
        size.threads,
        size.sessions,
        size.occurrences,
        fired.iter().sum::<u64>(),
        rate(took),
        rate(raw),
    );
    Ok(())
}

fn main() -> Result<(), Failed> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut stores = "memory,sqlite,redis".to_owned();
    if let Some(at) = arguments.iter().position(|own| own == "--stores") {
        stores = arguments.get(at + 1).cloned().ok_or("--stores names some")?;
        arguments.drain(at..at + 2);
    }
    let given = arguments.iter().map(|own| own.parse()).collect::<Result<Vec<usize>, _>>()?;
    let given = match given.as_slice() {
        [] => None,
        [threads, sessions, occurrences] if *threads > 0 && sessions >= threads => {
            Some(Size { threads: *threads, sessions: *sessions, occurrences: *occurrences })
        }
        _ => return Err("usage: load_test [THREADS SESSIONS OCCURRENCES] [--stores LIST]".into()),
    };
    let size = |sessions, occurrences| given.unwrap_or(Size { threads: 8, sessions, occurrences });
    let deadline = Duration::from_secs(60);
    for store in stores.split(',') {
        match store {
            "memory" => test(store, MemoryStore::new(), size(2_000, 200))?,
            "sqlite" => {
                let directory = tempfile::tempdir()?;
                let options = SqliteOptions::new().deadline(deadline);
                let file = SqliteStore::with(directory.path().join("oar.db"), options)?;
                test(store, file, size(200, 50))?;
            }
            "redis" => match std::env::var("OAR_REDIS_URL") {
                Ok(address) => {
                    // Another run's counters are not ours.
                    let prefix = format!("oar-load:{}:", std::process::id());
                    let options = RedisOptions::new()
                        .prefix(prefix)
                        .deadline(deadline)
                        .time_to_live(Duration::from_secs(600));
                    test(store, RedisStore::with(&address, options)?, size(200, 50))?;
                }
                Err(_) => println!("redis   skipped: OAR_REDIS_URL names no server"),
            },
            other => return Err(format!("there is no store `{other}`").into()),
        }
    }
    Ok(())
}
