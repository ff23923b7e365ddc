//! `oar diff`.

use crate::check::CAPABILITY;
use crate::run::{Directory, oar};
use crate::snapshot::root;

const BASE: &str = "oar: '1.0'\nid: A\nkind: policy\nanchor: tool.pre_invoke\neffect: block\n";

/// The rule with lines added, or changed where they name a member that it has.
fn rule(lines: &str) -> String {
    let mut rule = BASE.to_owned();
    for line in lines.lines() {
        let member = format!("{}:", line.split(':').next().unwrap_or_default());
        let old = BASE.lines().find(|own| own.starts_with(&member));
        match old {
            Some(old) => rule = rule.replace(old, line),
            None => rule += &format!("{line}\n"),
        }
    }
    rule
}

/// The difference between two versions.
fn diff(before: &str, after: &str) -> String {
    let directory = Directory::with(&[("a.yaml", before), ("b.yaml", after)]);
    let ran = directory.oar("diff a.yaml b.yaml");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{before}\n{after}");
    ran.out
}

/// Members before and after, and what is said: the lines of the rule, and the verdict.
const MEMBERS: &[(&str, &str, &str, &str)] = &[
    ("effect: block", "effect: warn", "effect  block -> warn", "decisions may change"),
    ("kind: policy", "kind: schema", "kind  policy -> schema", "decisions may change"),
    (
        "anchor: tool.pre_invoke",
        "anchor: tool.post_invoke",
        "anchor  tool.pre_invoke -> tool.post_invoke",
        "decisions may change",
    ),
    ("", "enforcement: monitor", "enforcement  enforce -> monitor", "decisions may change"),
    ("", "enforcement: enforce", "", "nothing changed"),
    ("", "mandatory: true", "mandatory  false -> true", "decisions may change"),
    ("", "mandatory: false", "", "nothing changed"),
    ("", "on_error: fail_open", "on_error  fail_closed -> fail_open", "decisions may change"),
    ("", "on_error: fail_closed", "", "nothing changed"),
    ("", "flow: [edit, test]", "flow  nothing -> edit, test", "decisions may change"),
    (
        "on_fire: [publish_event]",
        "on_fire: [publish_event, increment_counter]",
        "on_fire  publish_event -> publish_event, increment_counter",
        "decisions may change",
    ),
    (
        "selector: {anchor: [a, b]}",
        "selector: {anchor: [c, b]}",
        "selector.anchor  - a\n                   + c",
        "decisions may change",
    ),
    ("selector: {anchor: [a, b]}", "selector: {anchor: [b, a]}", "", "nothing changed"),
    ("", "selector: {anchor: [a]}", "selector.anchor  nothing -> a", "decisions may change"),
    ("", "selector: {}", "", "nothing changed"),
    (
        "when: fire_count > 1",
        "when: fire_count > 2",
        "when  - fire_count > 1\n        + fire_count > 2",
        "decisions may change",
    ),
    (
        "when: fire_count > 1",
        "when: \"( fire_count  > 1 )\"",
        "when  written in another way, and the same",
        "only the spelling changed",
    ),
    (
        "copy: {what: One.}",
        "copy: {what: Two.}",
        "copy.what  - One.\n             + Two.",
        "only copy changed: every decision stays the same",
    ),
    (
        "copy: {what: One.}",
        "copy: {what: \"{{ anchor }}\"}",
        "copy.what      - One.\n                 + {{ anchor }}\n  facts in copy  + anchor",
        "only copy changed: every decision stays the same",
    ),
    (
        "",
        "status: experimental",
        "status  stable -> experimental",
        "only notes changed: every decision stays the same",
    ),
    (
        "x-owner: ada",
        "x-owner: bob",
        "x-owner  ada -> bob",
        "only notes changed: every decision stays the same",
    ),
    (
        "",
        "requires: {profiles: [tool]}",
        "requires.profiles  + tool\nneeds    + profile tool for `A`",
        "only needs changed: where it still loads it decides the same",
    ),
];

#[test]
fn each_member_is_told_with_what_its_change_can_do() {
    let mut wrong = Vec::new();
    for (before, after, told, verdict) in MEMBERS {
        let out = diff(&rule(before), &rule(after));
        let fine = match told.is_empty() {
            true => out == format!("{verdict} (1 rule the same)\n"),
            false => {
                out.contains(&format!("\n  {told}\n")) && {
                    let end = format!("{verdict} (1 rule changed)\n");
                    out.ends_with(&end)
                }
            }
        };
        if !fine {
            wrong.push(format!("{before} / {after}\n{out}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_rule_that_says_so_was_renamed_and_so_is_what_refers_to_it() {
    let others = |name: &str| {
        format!(
            "---\n{}---\n{}",
            rule(&format!("id: B\noverrides: [{name}]\nwhen: fire_count_of(\"{name}\") > 1")),
            rule(&format!("id: C\non_error: {name}"))
        )
    };
    let counting = rule("on_fire: [increment_counter]");
    let before = counting.clone() + &others("A");
    let renamed = counting.replace("id: A", "id: Z\nrelated: [{id: A, type: renamed}]");
    let out = diff(&before, &(renamed.clone() + &others("Z")));
    assert_eq!(
        out,
        "\
renamed  A -> Z
  counters  begin anew, being kept under the name of the rule
changed  B, spelling only
  when  written in another way, and the same
order    C is now evaluated before `Z` at tool.pre_invoke

decisions may change (1 rule renamed, 1 changed, 1 the same)
"
    );
    // Without the word, one rule went and another came.
    let new = renamed.replace("type: renamed", "type: derived");
    let out = diff(&counting, &new);
    assert_eq!(
        out,
        "\
added    Z: policy, block at tool.pre_invoke
  related  derived A
removed  A: policy, block at tool.pre_invoke

decisions may change (1 rule added, 1 removed)
"
    );
}

#[test]
fn the_order_is_told_where_overrides_change_it() {
    let rules = |z: &str| {
        let ids = ["A", "B", "C", "D", "E"];
        let rules: Vec<String> = ids
            .iter()
            .map(|id| rule(&format!("id: {id}\neffect: warn")))
            .chain([rule(&format!("id: Z\n{z}"))])
            .collect();
        rules.join("---\n")
    };
    let out = diff(&rules(""), &rules("overrides: [A]"));
    let order = "order    A is now evaluated after `B`, `C`, `D` and 2 more at tool.pre_invoke\n";
    assert!(out.contains(order), "{out}");
    let out = diff(&rules(""), &rules("overrides: [E]"));
    assert!(out.contains("order    Z is now evaluated before `E` at tool.pre_invoke\n"), "{out}");
}

#[test]
fn packs_differ_in_what_their_configuration_and_their_host_say() {
    let other = CAPABILITY.replace("activity_window: 4", "activity_window: 8");
    let directory = Directory::with(&[
        ("a/capability.yaml", CAPABILITY),
        ("a/rules.yaml", &rule("")),
        ("a/config.yaml", "oar_config: '1.0'\nenforcement: {A: monitor}\n"),
        ("b/capability.yaml", &other),
        ("b/rules.yaml", &rule("")),
    ]);
    let ran = directory.oar("diff a b");
    assert_eq!(
        ran.out,
        "\
changed  A
  in force  monitor -> enforce
host     - activity window of 4
host     + activity window of 8

decisions may change (1 rule changed)
"
    );
    let ran = directory.oar("diff a b --exit-code");
    assert_eq!((ran.code, ran.err.as_str()), (1, ""));
    assert_eq!(directory.oar("diff a a --exit-code").code, 0);
}

#[test]
fn a_version_that_does_not_load_is_not_compared() {
    let directory = Directory::with(&[("a.yaml", BASE), ("b.yaml", &rule("when: tol == 1"))]);
    let ran = directory.oar("diff a.yaml b.yaml");
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    assert!(ran.err.starts_with("error[OAR-FACT-3]: unknown name `tol`"), "{}", ran.err);
    let ran = directory.oar("diff a.yaml nowhere.yaml");
    assert_eq!(ran.code, 3);
    let ran = oar(&root(), "diff examples examples", "");
    assert_eq!(ran.code, 2);
    assert!(ran.err.starts_with("error: `examples` holds several packs, "), "{}", ran.err);
}

#[test]
fn the_json_follows_its_schema_and_says_the_same() {
    let ran = oar(&root(), "diff docs/diff/before.yaml docs/diff/after.yaml --json", "");
    let found: serde_json::Value = serde_json::from_str(&ran.out).expect("json");
    let schema = oar(&root(), "schema diff", "").out;
    let schema = serde_json::from_str(&schema).expect("json");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let faults: Vec<String> = validator.iter_errors(&found).map(|e| e.to_string()).collect();
    assert!(faults.is_empty(), "{faults:?}");
    assert_eq!(found["changes"], "decisions");
    assert_eq!(found["changed"][1]["was"], "example.loops/SLOW");
    assert_eq!(found["order"][0]["now_before"][0], "example.loops/LOOP");
}

/// The published packs, against a copy with one rule turned down.
#[test]
fn one_change_in_a_published_pack_is_one_line() {
    let shared = root().join("../shared/packs/portable-pack");
    if !shared.is_dir() {
        eprintln!("not run: the published packs are not beside this checkout");
        return;
    }
    let directory = Directory::with(&[]);
    for entry in std::fs::read_dir(&shared).expect("a pack") {
        let path = entry.expect("readable").path();
        let text = std::fs::read_to_string(&path).expect("text");
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        directory.write(&format!("old/{name}"), &text);
        let loop_block = text.replace(">= 5'\neffect: block", ">= 5'\neffect: nudge");
        directory.write(&format!("new/{name}"), &loop_block);
    }
    let ran = directory.oar("diff old new");
    assert_eq!(
        ran.out,
        "\
changed  example.hygiene/REPEAT_LOOP_BLOCK
  effect  block -> nudge

decisions may change (1 rule changed, 6 the same)
"
    );
}
