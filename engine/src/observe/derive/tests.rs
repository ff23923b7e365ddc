//! What the engine observes itself, and what it keeps out of it.

use serde_json::{Value as Json, json};

use crate::decide::Host;
use crate::fixtures::{load, rule};
use crate::load::RuleSet;
use crate::observe::{Occurrence, ToolCall};
use crate::state::Session;

const PROFILES: [&str; 3] = ["tool", "content", "content-provenance"];

/// One rule whose copy and conditions show what the engine derived.
fn show(more: Json) -> RuleSet {
    let mut members = json!({
        "requires": {"profiles": PROFILES},
        "copy": {"what": "{{ tool }}|{{ tool_args_fingerprint }}|{{ content_length }}|{{ content_segment_count }}|{{ content_contains_untrusted }}"},
    });
    members.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    load(&PROFILES, vec![rule("SHOW", members)]).unwrap().rules
}

fn observe<'a>(rules: &'a RuleSet, prepare: impl FnOnce(&mut Occurrence<'a>)) -> (String, String) {
    let mut occurrence = rules.occurrence("tool.pre_invoke").unwrap();
    prepare(&mut occurrence);
    let host = Host::new();
    let outcome = host.decide(&mut Session::new("s"), &occurrence);
    let copy = outcome.report().copy.unwrap_or_default();
    let applied = outcome.trace().map(|entry| entry.to_string()).collect::<Vec<_>>().join(" ");
    (copy.get("what").cloned().unwrap_or_default(), applied)
}

/// [OAR-FACT-5]: the same call and content are observed alike, whatever rules are loaded.
#[test]
fn what_the_engine_observes_depends_on_call_and_content_alone() {
    let arguments = json!({"path": "/etc/passwd"});
    let plain = show(json!({}));
    let strict = show(json!({"effect": "block", "mandatory": true, "when": "tool == 'read'"}));
    let run = |rules| {
        observe(rules, |occurrence| {
            occurrence.tool_call(ToolCall::new("read", arguments.as_object().unwrap()));
            occurrence.content("x");
        })
        .0
    };
    assert_eq!(run(&plain), run(&strict));
    assert!(run(&plain).starts_with("read|"));
}

/// [OAR-FACT-7]: counts and lengths as they are, at any size.
#[test]
fn what_the_engine_observes_holds_no_threshold() {
    let rules = show(json!({}));
    for length in [0_usize, 1, 4095, 4096, 100_000] {
        let content = "é".repeat(length);
        let (copy, _) = observe(&rules, |occurrence| {
            occurrence.content(&content);
        });
        assert_eq!(copy, format!("||{length}|0|false"));
    }
}

/// [OAR-FACT-9]: a typed argument is reported when it is there and of the type, else the zero.
#[test]
fn functions_of_a_tool_call_report_its_arguments_and_nothing_else() {
    let arguments =
        json!({"s": "text", "i": -3, "b": true, "big": 1e30, "f": 5.0, "n": null, "l": ["x"]});
    for (when, fires) in [
        ("tool_arg_string('s') == 'text'", true),
        ("tool_arg_int('i') == -3", true),
        ("tool_arg_bool('b')", true),
        (
            "tool_arg_string('i') == '' && tool_arg_string('n') == '' && tool_arg_string('l') == ''",
            true,
        ),
        ("tool_arg_int('s') == 0 && tool_arg_int('big') == 0 && tool_arg_int('f') == 0", true),
        ("tool_arg_bool('s') || tool_arg_bool('missing')", false),
        ("size(tool_args) == 7 && 'n' in tool_args && !('missing' in tool_args)", true),
    ] {
        let rules = show(json!({"when": when}));
        let (_, applied) = observe(&rules, |occurrence| {
            occurrence.tool_call(ToolCall::new("t", arguments.as_object().unwrap()));
        });
        assert_eq!(applied == "t/SHOW:fired", fires, "{when}: {applied}");
    }
}

#[test]
fn segments_are_counted_and_their_trust_is_read_from_the_lists() {
    let rules = show(json!({}));
    let tiers = vec!["trusted", "untrusted"];
    let roles = vec!["user", "tool"];
    let (copy, _) = observe(&rules, |occurrence| {
        occurrence
            .fact("content_trust_tiers", &tiers)
            .unwrap()
            .fact("content_roles", &roles)
            .unwrap();
    });
    assert_eq!(copy, "||0|2|true");
    let short = vec!["user"];
    let (_, applied) = observe(&rules, |occurrence| {
        occurrence
            .fact("content_trust_tiers", &tiers)
            .unwrap()
            .fact("content_roles", &short)
            .unwrap();
    });
    assert_eq!(applied, "t/SHOW:errored", "lists of different lengths have no common one");
}
