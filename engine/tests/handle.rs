//! A rule set is replaced while sessions run: nobody sees half of a change, and what is not in
//! force is said to be so.

#![expect(clippy::expect_used, reason = "a test may stop")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use oar_engine::load::CapabilityBuilder;
use oar_engine::{Host, Loader, RuleSetHandle, Session, Source};
use serde_json::json;

/// Two rules whose copy names one version; loading fails when `sound` is false.
fn loader(version: u64, sound: bool) -> Loader {
    let capability = CapabilityBuilder::new("acme").every_core_anchor();
    let rule = |id: &str| {
        json!({"oar": "1.0", "id": id, "kind": "policy", "anchor": "tool.pre_invoke",
            "effect": "nudge", "on_fire": ["increment_counter"],
            "when": if sound { "true" } else { "no_such_fact" },
            "copy": {"what": format!("version {version}")}})
    };
    Loader::new(capability.source()).rules(Source::value("rules", json!([rule("A"), rule("B")])))
}

/// The version that an occurrence sees, from each of its two rules.
fn versions(handle: &RuleSetHandle, host: &Host, session: &mut Session) -> Vec<String> {
    let rules = handle.current();
    let occurrence = rules.occurrence("tool.pre_invoke").expect("it is declared");
    let outcome = host.decide(session, &occurrence);
    let advisories = outcome.advisories();
    advisories
        .filter_map(|own| {
            own.copy.get(oar_engine::document::rule::CopyMember::What).map(str::to_owned)
        })
        .collect()
}

/// What a handle should say, kept by the test.
#[derive(Default)]
struct Model {
    live: u64,
    displaced: Option<u64>,
    refused: Option<(u64, u64)>,
}

/// Any run of reloads, refusals and roll-backs agrees with the model.
#[test]
fn any_run_of_changes_agrees_with_the_model() {
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move |below: u64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random % below
    };
    let host = Host::new();
    for _ in 0..20 {
        let handle = RuleSetHandle::load(&loader(0, true)).expect("it is sound");
        let mut model = Model::default();
        let mut seen_refusal = None;
        for _ in 0..12 {
            let version = next(4);
            match next(4) {
                0 | 1 => {
                    handle.reload(&loader(version, true)).expect("it is sound");
                    if version != model.live {
                        model.displaced = Some(model.live);
                        model.live = version;
                    }
                    model.refused = None;
                }
                2 => {
                    assert!(handle.reload(&loader(version, false)).is_err());
                    let before = model.refused.map_or(0, |(_, attempts)| attempts);
                    model.refused = Some((version, before + 1));
                }
                _ => {
                    let back = handle.roll_back();
                    assert_eq!(back.is_some(), model.displaced.is_some());
                    if let Some(back) = model.displaced {
                        model.displaced = Some(model.live);
                        model.live = back;
                    }
                }
            }
            let status = handle.status();
            assert_eq!(status.digest, loader(model.live, true).digest());
            let displaced = model.displaced.map(|version| loader(version, true).digest());
            assert_eq!(status.displaced, displaced);
            let refused = status.refused.as_ref().map(|own| (own.digest.clone(), own.attempts));
            let wanted = model.refused.map(|(own, n)| (loader(own, false).digest(), n));
            assert_eq!(refused, wanted);
            // The time of the first refusal stays for as long as there is one.
            let since = status.refused.map(|refused| refused.since);
            if since.is_some() && seen_refusal.is_some() {
                assert_eq!(since, seen_refusal);
            }
            seen_refusal = since;
            let seen = versions(&handle, &host, &mut Session::new("s"));
            assert_eq!(seen, vec![format!("version {}", model.live); 2]);
        }
    }
}

/// Sessions decide while the set is replaced: each occurrence sees one version in all its rules,
/// nobody goes back to an older one, and no count is lost over a change.
#[test]
fn an_occurrence_sees_one_set_and_counters_survive() {
    let handle = RuleSetHandle::load(&loader(0, true)).expect("it is sound");
    let host = Host::new();
    let (done, decided) = (AtomicBool::new(false), AtomicU64::new(0));
    let counts: Vec<u64> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|worker| {
                let (handle, host, done, decided) = (&handle, &host, &done, &decided);
                scope.spawn(move || {
                    let mut session = Session::new(format!("session-{worker}"));
                    let (mut count, mut newest) = (0, 0);
                    while !done.load(Ordering::Relaxed) || count == 0 {
                        let seen = versions(handle, host, &mut session);
                        assert_eq!(seen.len(), 2);
                        assert_eq!(seen[0], seen[1]);
                        let digits = seen[0].strip_prefix("version ").expect("a version");
                        let version: u64 = digits.parse().expect("a number");
                        assert!(version >= newest, "{version} after {newest}");
                        newest = version;
                        count += 1;
                        decided.fetch_add(1, Ordering::Relaxed);
                    }
                    count
                })
            })
            .collect();
        for version in 1..=60 {
            handle.reload(&loader(version, true)).expect("it is sound");
            assert!(handle.reload(&loader(version, false)).is_err());
        }
        done.store(true, Ordering::Relaxed);
        workers.into_iter().map(|worker| worker.join().expect("no worker failed")).collect()
    });
    assert_eq!(counts.iter().sum::<u64>(), decided.load(Ordering::Relaxed));
    // Counters are kept by qualified identifier.
    let rules = handle.current();
    for (worker, count) in counts.into_iter().enumerate() {
        let occurrence = rules.occurrence("tool.pre_invoke").expect("it is declared");
        let mut session = Session::new(format!("session-{worker}"));
        let outcome = host.decide(&mut session, &occurrence);
        let after: Vec<_> = outcome.counters().map(|own| own.change.after.fire_count).collect();
        assert_eq!(after, vec![i64::try_from(count + 1).expect("few"); 2]);
    }
}

#[test]
fn a_handle_is_shared_between_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    let handle = Arc::new(RuleSetHandle::load(&loader(1, true)).expect("it is sound"));
    shared(&handle);
    let text = handle.status().to_string();
    assert!(text.starts_with("in force: ") && text.ends_with(" (2 rules)"), "{text}");
    assert!(handle.reload(&loader(1, false)).is_err());
    assert!(handle.status().to_string().contains("; NOT in force: "));
}
