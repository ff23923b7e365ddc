//! What every store promises. `stores` opens another handle to the same data each time, as
//! another process of the host would.

use std::sync::Barrier;
use std::thread;

use oar_engine::document::rule::Action::{
    self, IncrementBreaker, IncrementCounter, PublishEvent, ResetBreaker, ResetCounter,
};
use oar_engine::state::{
    ActivityStore, CounterKey, CounterStore, Counters, EventError, StoreError,
};

pub(crate) trait Store: CounterStore + ActivityStore {}
impl<S: CounterStore + ActivityStore> Store for S {}

type Open<'o> = &'o (dyn Fn() -> Box<dyn Store> + Sync);

/// Everything, on fresh sessions.
pub(crate) fn holds(open: Open<'_>) {
    actions_in_order(&*open());
    keys_are_apart(&*open());
    a_refused_event_changes_nothing(&*open());
    events_go_out_once_and_before(&*open());
    a_counter_that_would_overflow_changes_nothing(&*open());
    the_window_keeps_the_newest(&*open());
    survives_another_handle(open);
    no_increment_is_lost(open);
    a_reset_and_an_increment_race(open);
    a_rule_is_never_seen_by_halves(open);
}

pub(crate) fn key<'a>(rule: &'a str, scope: Option<&'a str>) -> CounterKey<'a> {
    CounterKey { rule, scope }
}

pub(crate) fn read(store: &dyn Store, session: &str, key: CounterKey<'_>) -> (i64, i64) {
    try_read(store, session, key).unwrap()
}

pub(crate) fn try_read(
    store: &dyn Store,
    session: &str,
    key: CounterKey<'_>,
) -> Result<(i64, i64), StoreError> {
    let mut values = [Counters { fire_count: -1, breaker_count: -1 }];
    store.read(session, &[key], &mut values)?;
    Ok((values[0].fire_count, values[0].breaker_count))
}

fn apply(store: &dyn Store, session: &str, key: CounterKey<'_>, actions: &[Action]) -> (i64, i64) {
    let change = store.apply(session, key, actions, &mut || Ok(())).unwrap();
    (change.after.fire_count, change.after.breaker_count)
}

fn actions_in_order(store: &dyn Store) {
    let r = key("t/R", None);
    let steps: [(&[Action], (i64, i64)); 6] = [
        (&[IncrementCounter], (1, 0)),
        (&[IncrementCounter, IncrementCounter, IncrementBreaker], (3, 1)),
        (&[ResetCounter, IncrementCounter], (1, 1)),
        (&[IncrementCounter, ResetCounter, ResetBreaker], (0, 0)),
        (&[ResetCounter], (0, 0)),
        (&[IncrementBreaker, PublishEvent, IncrementBreaker], (0, 2)),
    ];
    assert_eq!(read(store, "order", r), (0, 0));
    let mut before = (0, 0);
    for (actions, after) in steps {
        let change = store.apply("order", r, actions, &mut || Ok(())).unwrap();
        assert_eq!((change.before.fire_count, change.before.breaker_count), before, "{actions:?}");
        assert_eq!((change.after.fire_count, change.after.breaker_count), after, "{actions:?}");
        assert_eq!(read(store, "order", r), after, "{actions:?}");
        before = after;
    }
}

/// [OAR-FIRE-5], [OAR-FIRE-10], and names with everything that a store's own spelling uses.
fn keys_are_apart(store: &dyn Store) {
    let sessions = ["apart", "", "{apart}", "apart}", "apart:counters", "%7Bapart%7D", "ä\0 \n'"];
    let keys = [
        key("t/R", None),
        key("t/R", Some("")),
        key("t/R", Some("x")),
        key("t/R", Some("x\0y")),
        key("t/R", Some("{x}#'\"")),
        key("t/R#x", None),
        key("R", None),
    ];
    let mut count = 0;
    let mut wanted = Vec::new();
    for session in sessions {
        for key in keys {
            count += 1;
            for _ in 0..count {
                apply(store, session, key, &[IncrementCounter]);
            }
            wanted.push(count);
        }
    }
    let mut found = Vec::new();
    for session in sessions {
        let mut values = [Counters::default(); 7];
        store.read(session, &keys, &mut values).unwrap();
        found.extend(values.map(|value| value.fire_count));
    }
    assert_eq!(found, wanted);
}

/// [OAR-FIRE-9]
fn a_refused_event_changes_nothing(store: &dyn Store) {
    let r = key("t/R", None);
    apply(store, "refused", r, &[IncrementCounter]);
    let refuse = &mut || Err(EventError::new("the stream is closed"));
    let actions = [IncrementCounter, PublishEvent, IncrementBreaker];
    let error = store.apply("refused", r, &actions, refuse).unwrap_err();
    assert!(error.to_string().contains("the stream is closed"), "{error}");
    assert_eq!(read(store, "refused", r), (1, 0));
    assert_eq!(apply(store, "refused", r, &actions), (2, 1));
}

fn events_go_out_once_and_before(store: &dyn Store) {
    let r = key("t/R", None);
    let mut published = 0;
    let mut publish = || {
        published += 1;
        Ok(())
    };
    store.apply("events", r, &[IncrementCounter, PublishEvent], &mut publish).unwrap();
    assert_eq!(published, 1);
}

fn a_counter_that_would_overflow_changes_nothing(store: &dyn Store) {
    // No store counts to 2^63 in a test; the arithmetic that all of them share refuses.
    let full = Counters { fire_count: i64::MAX, breaker_count: 0 };
    let error = full.after_all(&[IncrementBreaker, IncrementCounter]).unwrap_err();
    assert_eq!(error.to_string(), "a counter would pass 64 bits");
    assert_eq!(read(store, "overflow", key("t/R", None)), (0, 0));
}

/// [OAR-PROF-9]
fn the_window_keeps_the_newest(store: &dyn Store) {
    assert!(store.recent("window", 3).unwrap().is_empty());
    for step in ["a", "b", "b", "c", "d"] {
        store.admit("window", step, 3).unwrap();
    }
    assert_eq!(store.recent("window", 3).unwrap(), ["b", "c", "d"]);
    assert_eq!(store.recent("window", 2).unwrap(), ["c", "d"]);
    assert_eq!(store.recent("window", 9).unwrap(), ["b", "c", "d"]);
    assert!(store.recent("another", 3).unwrap().is_empty());
}

fn survives_another_handle(open: Open<'_>) {
    let (one, other) = (open(), open());
    let r = key("t/R", Some("x"));
    apply(&*one, "handles", r, &[IncrementCounter]);
    one.admit("handles", "read", 4).unwrap();
    drop(one);
    assert_eq!(apply(&*other, "handles", r, &[IncrementCounter]), (2, 0));
    assert_eq!(other.recent("handles", 4).unwrap(), ["read"]);
}

fn no_increment_is_lost(open: Open<'_>) {
    const THREADS: usize = 8;
    const EACH: usize = 50;
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let store = open();
                for turn in 0..EACH {
                    apply(&*store, "lost", key("t/R", None), &[IncrementCounter]);
                    store.admit("lost", "step", 1000).unwrap();
                    let own = format!("own{}", turn % 3);
                    apply(&*store, &own, key("t/R", None), &[IncrementBreaker]);
                }
            });
        }
    });
    let store = open();
    let all = THREADS * EACH;
    assert_eq!(read(&*store, "lost", key("t/R", None)), (all as i64, 0));
    assert_eq!(store.recent("lost", 1000).unwrap().len(), all);
    let own = (0..3).map(|own| read(&*store, &format!("own{own}"), key("t/R", None)).1);
    assert_eq!(own.sum::<i64>(), all as i64);
}

/// A reset and an increment that race end as one of the two orders.
fn a_reset_and_an_increment_race(open: Open<'_>) {
    for round in 0..20 {
        let session = format!("race{round}");
        let store = open();
        apply(&*store, &session, key("t/R", None), &[IncrementCounter, IncrementCounter]);
        let barrier = Barrier::new(2);
        thread::scope(|scope| {
            for action in [ResetCounter, IncrementCounter] {
                let (barrier, session) = (&barrier, &session);
                scope.spawn(move || {
                    let store = open();
                    barrier.wait();
                    apply(&*store, session, key("t/R", None), &[action]);
                });
            }
        });
        let (end, _) = read(&*store, &session, key("t/R", None));
        assert!(end == 0 || end == 1, "{end}");
    }
}

/// A reader sees all the actions of a rule or none of them.
fn a_rule_is_never_seen_by_halves(open: Open<'_>) {
    thread::scope(|scope| {
        scope.spawn(|| {
            let store = open();
            for _ in 0..100 {
                let both = [IncrementCounter, PublishEvent, IncrementBreaker];
                apply(&*store, "halves", key("t/R", None), &both);
            }
        });
        let store = open();
        let mut seen = 0;
        while seen < 100 {
            let (fire, breaker) = read(&*store, "halves", key("t/R", None));
            assert_eq!(fire, breaker);
            assert!(fire >= seen, "{fire} after {seen}");
            seen = fire;
            thread::yield_now();
        }
    });
}
