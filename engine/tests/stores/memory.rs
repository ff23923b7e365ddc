//! The store in memory: the contract, its bounds, and a model of it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use oar_engine::document::rule::Action;
use oar_engine::state::{ActivityStore, CounterStore, EventError, MemoryStore};
use proptest::prelude::*;

use crate::contract::{self, key};

#[test]
fn keeps_the_contract() {
    let store = Arc::new(MemoryStore::new());
    contract::holds(&|| Box::new(Arc::clone(&store)));
}

#[test]
fn a_full_session_refuses_new_counters_alone() {
    let store = MemoryStore::new().counters_per_session(2);
    let apply = |session, scope| {
        store.apply(session, key("t/R", scope), &[Action::IncrementCounter], &mut || Ok(()))
    };
    apply("s", None).unwrap();
    apply("s", Some("a")).unwrap();
    let mut published = false;
    let mut publish = || {
        published = true;
        Ok(())
    };
    let error = store.apply("s", key("t/R", Some("b")), &[Action::IncrementCounter], &mut publish);
    assert_eq!(error.unwrap_err().to_string(), "the session has 2 counters already");
    assert!(!published);
    assert_eq!(apply("s", Some("a")).unwrap().after.fire_count, 2);
    apply("another", Some("b")).unwrap();
}

#[test]
fn forgets_what_ended_and_what_is_idle() {
    let store = MemoryStore::new();
    for session in ["a", "b"] {
        store.admit(session, "read", 2).unwrap();
    }
    store.forget("a");
    assert!(store.recent("a", 2).unwrap().is_empty());
    assert_eq!(store.expire(Duration::from_secs(3600)), 0);
    assert_eq!(store.recent("b", 2).unwrap(), ["read"]);
    assert_eq!(store.expire(Duration::ZERO), 1);
    assert!(store.recent("b", 2).unwrap().is_empty());
}

#[derive(Clone, Debug)]
enum Step {
    Apply { session: u8, scope: Option<u8>, actions: Vec<Action>, refused: bool },
    Admit { session: u8, tool: u8 },
    Forget { session: u8 },
}

fn step() -> impl Strategy<Value = Step> {
    let action = prop::sample::select(vec![
        Action::IncrementCounter,
        Action::ResetCounter,
        Action::IncrementBreaker,
        Action::ResetBreaker,
        Action::PublishEvent,
    ]);
    let actions = prop::collection::vec(action, 1..4);
    prop_oneof![
        6 => (0..3_u8, prop::option::of(0..2_u8), actions, prop::bool::weighted(0.2)).prop_map(
            |(session, scope, actions, refused)| Step::Apply { session, scope, actions, refused }
        ),
        2 => (0..3_u8, 0..4_u8).prop_map(|(session, tool)| Step::Admit { session, tool }),
        1 => (0..3_u8).prop_map(|session| Step::Forget { session }),
    ]
}

proptest! {
    /// The store does what a map of counters and a list of steps would do.
    #[test]
    fn is_its_model(steps in prop::collection::vec(step(), 0..60)) {
        let store = MemoryStore::new();
        let mut counters: BTreeMap<(u8, Option<u8>), (i64, i64)> = BTreeMap::new();
        let mut activity: BTreeMap<u8, Vec<String>> = BTreeMap::new();
        for step in steps {
            match step {
                Step::Apply { session, scope, actions, refused } => {
                    let own = counters.entry((session, scope)).or_default();
                    let mut publish =
                        || if refused { Err(EventError::new("no")) } else { Ok(()) };
                    let text = scope.map(|scope| scope.to_string());
                    let key = key("t/R", text.as_deref());
                    let done = store.apply(&session.to_string(), key, &actions, &mut publish);
                    prop_assert_eq!(done.is_err(), refused);
                    if !refused {
                        for action in actions {
                            match action {
                                Action::IncrementCounter => own.0 += 1,
                                Action::ResetCounter => own.0 = 0,
                                Action::IncrementBreaker => own.1 += 1,
                                Action::ResetBreaker => own.1 = 0,
                                Action::PublishEvent => {}
                            }
                        }
                    }
                }
                Step::Admit { session, tool } => {
                    store.admit(&session.to_string(), &tool.to_string(), 3).unwrap();
                    activity.entry(session).or_default().push(tool.to_string());
                }
                Step::Forget { session } => {
                    store.forget(&session.to_string());
                    counters.retain(|(own, _), _| *own != session);
                    activity.remove(&session);
                }
            }
        }
        for session in 0..3_u8 {
            for scope in [None, Some(0), Some(1)] {
                let text = scope.map(|scope| scope.to_string());
                let found = contract::read(&store, &session.to_string(), key("t/R", text.as_deref()));
                let wanted = counters.get(&(session, scope)).copied().unwrap_or_default();
                prop_assert_eq!(found, wanted);
            }
            let kept = activity.get(&session).map(Vec::as_slice).unwrap_or_default();
            let newest = &kept[kept.len().saturating_sub(3)..];
            prop_assert_eq!(store.recent(&session.to_string(), 3).unwrap(), newest);
        }
    }
}
