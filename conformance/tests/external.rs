//! The runner against engines that do one thing wrong each (`tests/fakes`).
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "this is test code"
)]

mod common;

use std::time::{Duration, Instant};

use common::{capability, corpus, fixture};
use oar_conformance::fixture::Corpus;
use oar_conformance::runner::external::External;
use oar_conformance::runner::{
    Claim, Kind, KnownFailures, Options, Run, Selection, common_cause, render_known_failures, run,
};
use serde_json::json;

/// Long enough for an interpreter to start on a busy machine, where it has to answer something.
const LIMIT: f64 = 4.0;

fn fake(name: &str, limit: f64) -> External {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fakes");
    External::new(format!("python3 '{directory}/{name}.py'"), Duration::from_secs_f64(limit))
}

/// Fixtures `a`, `b` and `c`, which pass with an engine that always decides `none`.
fn three() -> Corpus {
    corpus(&["a", "b", "c"].map(|id| fixture(id, json!({"decision": "none"}))))
}

fn outcomes(run: &Run<'_>) -> Vec<String> {
    let outcome = |verdict: &oar_conformance::runner::Verdict| {
        let id = run.entry(verdict).unwrap().id();
        let kind = verdict.outcome.kind().name();
        match verdict.outcome.reason() {
            Some(reason) => format!("{id} {kind}: {reason}"),
            None => format!("{id} {kind}"),
        }
    };
    run.verdicts.iter().map(outcome).collect()
}

fn ran(corpus: &Corpus, name: &str, limit: f64) -> Vec<String> {
    let run = run(corpus, &fake(name, limit), &Options::default(), &|_, _| {}).unwrap();
    outcomes(&run)
}

#[test]
fn an_engine_that_answers_is_judged_by_its_answers() {
    let mut fixtures = ["a", "b"].map(|id| fixture(id, json!({"decision": "none"}))).to_vec();
    fixtures.push(fixture("c", json!({"decision": "block"})));
    let corpus = corpus(&fixtures);
    assert_eq!(ran(&corpus, "none", 10.0), ["a passed", "b passed", "c failed"]);
}

#[test]
fn a_slow_engine_is_ended_and_started_anew() {
    let start = Instant::now();
    let outcomes = ran(&three(), "slow", LIMIT);
    assert_eq!(outcomes, ["a passed", "b timed out: no answer within 4 s", "c passed"]);
    assert!(start.elapsed() < Duration::from_secs(20), "nobody waits for the sleeper");
}

#[test]
fn a_crash_is_told_apart_and_shows_the_log() {
    let corpus = three();
    let run = run(&corpus, &fake("crash", 10.0), &Options::default(), &|_, _| {}).unwrap();
    assert_eq!(
        outcomes(&run),
        ["a passed", "b crashed: the engine ended: exit status 7", "c passed"]
    );
    assert_eq!(run.verdicts[1].log, "out of luck\n");
    assert_eq!(run.verdicts[2].log, "");
}

#[test]
fn garbled_and_misnumbered_lines_are_protocol_errors() {
    assert_eq!(
        ran(&three(), "bad_json", 10.0)[1],
        "b protocol error: the line is not JSON (key must be a string at line 1 column 2): \
         {decision: none} "
    );
    assert_eq!(
        ran(&three(), "wrong_id", 10.0)[1],
        "b protocol error: the answer is to `a`, not to `b`"
    );
    // Whoever comes next gets the stray line; then a new engine begins.
    assert_eq!(
        ran(&three(), "twice", 10.0),
        ["a passed", "b protocol error: the answer is to `a`, not to `b`", "c passed"]
    );
}

#[test]
fn the_engine_never_sees_what_is_expected() {
    let mut moments = fixture("many", json!({"decision": "none"}));
    moments["input"] = json!({"capability": capability(), "occurrences": [
        {"anchor": "tool.pre_invoke", "expected": {"decision": "none"}},
        {"anchor": "tool.pre_invoke"}
    ]});
    let corpus = corpus(&[fixture("a", json!({"decision": "none"})), moments]);
    assert_eq!(ran(&corpus, "peeks", 10.0), ["a passed", "many passed"]);
}

#[test]
fn an_engine_that_a_handshake_ends_is_started_without_one() {
    assert_eq!(ran(&three(), "strict", 10.0), ["a passed", "b passed", "c passed"]);
}

#[test]
fn the_handshake_tells_who_answers_and_a_baseline_skip_fails() {
    let corpus = three();
    let run = run(&corpus, &fake("skips", 10.0), &Options::default(), &|_, _| {}).unwrap();
    assert_eq!(run.engine_name(), "skipper 0.1");
    assert_eq!(outcomes(&run), ["a passed", "b skipped: b is not my letter", "c passed"]);
    assert!(!run.is_success(), "`b` is baseline");
    let claim = Claim::of(&run, &Selection::default());
    assert_eq!(claim.sentence(), "no claim of conformance: 1 skipped that every engine must run");
}

#[test]
fn a_skip_that_is_allowed_is_no_failure_and_must_be_named_by_the_claim() {
    let mut b = fixture("b", json!({"decision": "none"}));
    b["input"]["capability"]["profiles"] = json!(["tool"]);
    let corpus = corpus(&[fixture("a", json!({"decision": "none"})), b]);
    let run = run(&corpus, &fake("skips", 10.0), &Options::default(), &|_, _| {}).unwrap();
    assert!(run.is_success());
    assert_eq!(
        Claim::of(&run, &Selection::default()).sentence(),
        "this run supports a claim of conformance that names the 1 skipped"
    );
    let part = Selection { baseline: true, ..Selection::default() };
    assert_eq!(
        Claim::of(&run, &part).sentence(),
        "no claim of conformance: only a part of the corpus was run"
    );
}

#[test]
fn an_engine_that_never_answers_is_given_up() {
    let ids: Vec<String> = (0..40).map(|n| format!("f{n}")).collect();
    let many: Vec<_> = ids.iter().map(|id| fixture(id, json!({"decision": "none"}))).collect();
    let many = corpus(&many);
    let given_up =
        |name, limit| run(&many, &fake(name, limit), &Options::default(), &|_, _| {}).unwrap_err();
    let silent = given_up("silent", 0.3);
    assert!(silent.cause.starts_with("given up after 3 fixtures"), "{}", silent.cause);
    assert!(silent.cause.ends_with("no answer within 0.3 s"), "{}", silent.cause);
    let dead = given_up("dead", 10.0);
    assert!(dead.cause.starts_with("given up after 10 fixtures"), "{}", dead.cause);
    assert!(dead.cause.ends_with("the engine ended: exit status 3"), "{}", dead.cause);
    assert_eq!(dead.log, "no licence found\n");
}

#[test]
fn one_cause_of_all_failures_is_said_once() {
    let corpus = three();
    let run = run(&corpus, &fake("dead", 10.0), &Options::default(), &|_, _| {}).unwrap();
    assert_eq!(
        common_cause(&run).as_deref(),
        Some("all 3 fixtures: crashed: the engine ended: exit status 3")
    );
}

#[test]
fn an_engine_that_stops_reading_stops_nobody() {
    // More than a pipe holds.
    let mut large = fixture("a", json!({"decision": "none"}));
    large["input"]["facts"] = json!({"tool": "x".repeat(1 << 20)});
    let start = Instant::now();
    assert_eq!(ran(&corpus(&[large]), "deaf", LIMIT), ["a timed out: no answer within 4 s"]);
    assert!(start.elapsed() < Duration::from_secs(15));
}

#[test]
fn what_a_stuck_engine_started_ends_with_it() {
    let start = Instant::now();
    let outcomes = ran(&corpus(&[fixture("a", json!({}))]), "parent", 0.5);
    assert_eq!(outcomes, ["a timed out: no answer within 0.5 s"]);
    assert!(start.elapsed() < Duration::from_secs(15), "its child held the pipes open");
}

#[test]
fn the_order_of_verdicts_does_not_depend_on_the_workers() {
    let ids: Vec<String> = (10..50).map(|n| format!("f{n}")).collect();
    let many: Vec<_> = ids.iter().map(|id| fixture(id, json!({"decision": "none"}))).collect();
    let corpus = corpus(&many);
    let options = Options { jobs: 3, ..Options::default() };
    let run = run(&corpus, &fake("none", 10.0), &options, &|_, _| {}).unwrap();
    let order: Vec<_> = run.verdicts.iter().map(|v| run.entry(v).unwrap().id()).collect();
    assert_eq!(order, ids);
    assert_eq!(run.count(Kind::Passed), 40);
}

#[test]
fn known_failures_must_still_fail() {
    let fixtures = [("a", "none"), ("b", "block"), ("c", "block")]
        .map(|(id, decision)| fixture(id, json!({"decision": decision})));
    let corpus = corpus(&fixtures);
    let with = |list: &str| {
        let known = Some(KnownFailures::parse(list));
        let options = Options { known, ..Options::default() };
        run(&corpus, &fake("none", 10.0), &options, &|_, _| {}).unwrap()
    };
    let exact = with("# two of them\nb  # failed\n\n c\n");
    assert!(exact.is_success());
    let list = render_known_failures(&exact);
    assert_eq!(list.lines().skip(1).collect::<Vec<_>>(), ["b  # failed", "c  # failed"]);
    assert!(with(&list).is_success());
    assert!(!with("b").is_success(), "`c` fails and is not known");
    assert!(!with("a\nb\nc").is_success(), "`a` passes and is known to fail");
    let unknown = with("b\nc\nd");
    assert!(!unknown.is_success());
    assert_eq!(unknown.unknown_failures, ["d"]);
}
