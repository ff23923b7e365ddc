//! `oar check --lint`, and the examples of `docs/lints.md`.

use std::fs;

use crate::check::CAPABILITY;
use crate::run::{Directory, oar};
use crate::snapshot::root;

/// What the examples leave out.
const LEFT_OUT: [(&str, &str); 5] = [
    ("oar", "oar: '1.0'"),
    ("kind", "kind: policy"),
    ("anchor", "anchor: tool.pre_invoke"),
    ("effect", "effect: block"),
    ("id", "id: R"),
];

/// A whole document of each rule of an example; nothing moves to another line of its own.
fn whole(example: &str) -> String {
    let rules: Vec<String> = example.split("---\n").map(completed).collect();
    rules.join("---\n")
}

fn completed(rule: &str) -> String {
    let mut rule = format!("{}\n", rule.trim_end());
    for (member, text) in LEFT_OUT {
        let has = rule.lines().any(|line| line.starts_with(&format!("{member}:")));
        if !has {
            rule.push_str(text);
            rule.push('\n');
        }
    }
    rule
}

fn page() -> String {
    fs::read_to_string(root().join("docs/lints.md")).expect("the page")
}

/// The name of each section and its blocks: the example that is warned about, what is said of
/// it, and the one that is fine.
fn sections(page: &str) -> Vec<(String, Vec<String>)> {
    let sections = page.split("\n## ").skip(1);
    sections
        .map(|section| {
            let (name, rest) = section.split_once('\n').expect("a heading");
            let blocks = rest.split("```").skip(1).step_by(2);
            let blocks = blocks.map(|block| block.split_once('\n').expect("a block").1.to_owned());
            (name.to_owned(), blocks.collect())
        })
        .collect()
}

/// The diagnostics of one run, without the summary.
fn found(example: &str, arguments: &str) -> String {
    let directory = Directory::with(&[("rules.yaml", &whole(example))]);
    let ran = directory.oar(&format!("check --lint rules.yaml {arguments}"));
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{example}\n{}", ran.out);
    let (found, _) = ran.out.split_once("ok: ").expect("a summary");
    found.trim_end().to_owned()
}

#[test]
fn each_lint_warns_of_its_example_and_not_of_the_other() {
    let page = page();
    let sections = sections(&page);
    let mut now = page.clone();
    for (name, blocks) in &sections {
        let [bad, said, good] = blocks.as_slice() else { panic!("{name} has three blocks") };
        let lines = found(bad, "--format concise");
        let codes: Vec<&str> =
            lines.lines().map(|line| line.split(['[', ']']).nth(1).expect("a code")).collect();
        assert!(!codes.is_empty() && codes.iter().all(|code| code == name), "{name}: {lines}");
        let text = found(bad, "") + "\n";
        let (kept, fresh) = (format!("```text\n{said}```"), format!("```text\n{text}```"));
        let at = now.find(&format!("## {name}\n")).expect("the section");
        let section = now.split_off(at).replacen(&kept, &fresh, 1);
        now.push_str(&section);
        assert_eq!(found(good, "--format concise"), "", "{name}, the example that is fine");
        // Left out, it says nothing; denied, it is an error.
        assert_eq!(
            found(bad, &format!("--allow {name} --format concise")).replace("OAR-SEL-6", ""),
            "",
            "{name} allowed"
        );
        let directory = Directory::with(&[("rules.yaml", &whole(bad))]);
        let ran = directory.oar(&format!("check --lint rules.yaml --deny {name} --format concise"));
        assert_eq!(ran.code, 1, "{name} denied");
        assert!(ran.out.contains(&format!(" error[{name}] ")), "{}", ran.out);
    }
    if std::env::var_os("BLESS").is_some() {
        fs::write(root().join("docs/lints.md"), now).expect("the page");
    } else {
        assert!(page == now, "the page shows\n{page}\nand it is\n{now}");
    }
}

#[test]
fn the_page_and_the_command_have_the_same_lints() {
    let names: Vec<String> = sections(&page()).into_iter().map(|(name, _)| name).collect();
    let directory = Directory::with(&[("r.yaml", &whole("id: R\n"))]);
    let ran = directory.oar("check --lint r.yaml --deny entirely-unknown");
    let listed = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
    let (last, before) = listed.split_last().expect("lints");
    let expected = format!(
        "error: there is no lint `entirely-unknown`: the lints are {} and {last}\n",
        before.join(", ")
    );
    assert_eq!((ran.code, ran.err), (2, expected));
    for name in &names {
        let ran = directory.oar(&format!("check --explain {name}"));
        assert!(ran.out.starts_with(&format!("{name}: ")) && ran.code == 0, "{name}: {}", ran.out);
        assert!(ran.out.contains("Fine"), "{name}: {}", ran.out);
    }
}

#[test]
fn names_are_checked_and_may_not_contradict() {
    let directory = Directory::with(&[("r.yaml", &whole("id: R\n"))]);
    for (arguments, error) in [
        (
            "--deny self-gatin",
            "error: there is no lint `self-gatin`: did you mean `self-gating`?\n",
        ),
        ("--deny shadowed --allow shadowed", "error: lint `shadowed` is both allowed and denied\n"),
    ] {
        let ran = directory.oar(&format!("check --lint r.yaml {arguments}"));
        assert_eq!((ran.code, ran.err.as_str()), (2, error));
    }
    assert_eq!(directory.oar("check r.yaml --deny shadowed").code, 2, "without --lint");
    let text = whole("id: R\nwhen: \"true\"\nmandatory: true\nenforcement: monitor\n");
    let directory = Directory::with(&[("r.yaml", &text)]);
    let ran =
        directory.oar("check --lint r.yaml --deny all --allow idle-mandatory --format concise");
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("error[constant-condition]"), "{}", ran.out);
    assert!(!ran.out.contains("idle-mandatory"), "{}", ran.out);
}

/// What the sections do not show, by lint: the rules, and the messages.
const MORE: &[(&str, &str, &[&str])] = &[
    (
        "never-selected",
        "selector: {anchor: [tool.post_invoke]}",
        &["`anchor` is never `tool.post_invoke` here"],
    ),
    ("never-selected", "selector: {anchor: [tool.pre_invoke]}", &[]),
    (
        "never-selected",
        "requires: {profiles: [tool]}\nselector: {tool: []}",
        &["selector clause `tool` is empty, so that nothing matches"],
    ),
    (
        "never-selected",
        "requires: {profiles: [tool]}\nselector: {tool_args_fingerprint: [abc]}",
        &["`tool_args_fingerprint` is never `abc` here"],
    ),
    ("never-selected", "requires: {facts: [acme.x]}\nselector: {acme.x: [anything]}", &[]),
    (
        "idle-override",
        "id: A\noverrides: [B]\n---\nid: B\nanchor: tool.post_invoke\n",
        &["`B` is never selected together with this rule: it is for another moment, \
           `tool.post_invoke`"],
    ),
    ("idle-override", "id: A\nwhen: fire_count > 0\noverrides: [B]\n---\nid: B\n", &[]),
    (
        "shadowed",
        "id: A\n---\nid: B\nwhen: fire_count > 0\n",
        &["`B` is never reached: `A` always blocks before it"],
    ),
    ("shadowed", "id: A\n---\nid: B\nanchor: tool.post_invoke\n", &[]),
    ("shadowed", "id: A\nenforcement: monitor\n---\nid: B\n", &[]),
    ("shadowed", "id: A\neffect: warn\n---\nid: B\n", &[]),
    ("shadowed", "id: A\nflow: [x]\n---\nid: B\n", &[]),
    ("shadowed", "id: A\n---\nid: B\noverrides: [A]\nwhen: fire_count > 0\n", &[]),
    ("constant-condition", "when: \"true\"", &["the condition always holds"]),
    ("constant-condition", "when: \"false\"", &["rule `R` never fires"]),
    ("constant-condition", "id: A\non_error: B\n---\nid: B\nwhen: \"false\"", &[]),
    (
        "constant-condition",
        "when: fire_count > 3 && fire_count < 3",
        &["`fire_count > 3 && fire_count < 3` never holds"],
    ),
    (
        "constant-condition",
        "when: fire_count > 3 && fire_count < 4",
        &["`fire_count > 3 && fire_count < 4` never holds"],
    ),
    ("constant-condition", "when: fire_count > 3 && fire_count < 5", &[]),
    (
        "constant-condition",
        "when: fire_count > 3 || fire_count <= 3",
        &["`fire_count > 3 || fire_count <= 3` always holds"],
    ),
    (
        "constant-condition",
        "when: fire_count > 1 && !(fire_count > 1)",
        &["`fire_count > 1 && !(fire_count > 1)` never holds"],
    ),
    (
        "constant-condition",
        "requires: {profiles: [tool]}\nwhen: 'starts_with(tool, \"a\") && tool in [\"b\", \"c\"]'",
        &["`starts_with(tool, \"a\") && tool in [\"b\", \"c\"]` never holds"],
    ),
    (
        "constant-condition",
        "requires: {profiles: [tool]}\nwhen: 'starts_with(tool, \"a\") && tool in [\"b\", \"ac\"]'",
        &[],
    ),
    (
        "constant-condition",
        "requires: {profiles: [tool]}\nwhen: 'starts_with(tool, \"abc\") && !starts_with(tool, \"ab\")'",
        &["`starts_with(tool, \"abc\") && !starts_with(tool, \"ab\")` never holds"],
    ),
    (
        "constant-condition",
        "requires: {profiles: [tool]}\nwhen: 'starts_with(tool, \"ab\") && !starts_with(tool, \"abc\")'",
        &[],
    ),
    (
        "constant-condition",
        "requires: {profiles: [filesystem]}\nwhen: path_denied && (path_denied == false || not_found) && !not_found",
        &["`path_denied && (path_denied == false || not_found) && !not_found` never holds"],
    ),
    (
        "constant-condition",
        "requires: {profiles: [filesystem]}\nwhen: 'path_denied ? not_found : is_directory'",
        &[],
    ),
    (
        "constant-condition",
        "requires: {profiles: [tool]}\nwhen: 'tool_arg_int(\"a\") < tool_arg_int(\"b\") && tool_arg_int(\"b\") <= tool_arg_int(\"a\")'",
        &[
            "`tool_arg_int(\"a\") < tool_arg_int(\"b\") && tool_arg_int(\"b\") <= tool_arg_int(\"a\")` never holds",
        ],
    ),
    (
        "constant-condition",
        "requires: {profiles: [moderation]}\nwhen: 'moderation_score(\"a\") > 0.3 && moderation_score(\"b\") < 0.3'",
        &[],
    ),
    (
        "constant-condition",
        "requires: {profiles: [moderation]}\nwhen: 'moderation_score(\"a\") > 0.3 && moderation_score(\"a\") < 0.4'",
        &[],
    ),
    (
        "constant-condition",
        "requires: {profiles: [tool]}\nselector: {tool: [a]}\nwhen: tool == \"b\"",
        &["the condition never holds for what the selector lets through"],
    ),
    ("impossible-comparison", "when: fire_count < 0", &["`fire_count < 0` never holds"]),
    ("impossible-comparison", "when: fire_count >= 0", &["`fire_count >= 0` always holds"]),
    (
        "impossible-comparison",
        "when: fire_count > -1 && fire_count != 3",
        &["`fire_count > -1` always holds"],
    ),
    ("impossible-comparison", "when: 1 == 1", &["`1 == 1` always holds"]),
    (
        "impossible-comparison",
        "when: anchor != \"tool.pre_invoke\"",
        &["`anchor != \"tool.pre_invoke\"` never holds"],
    ),
    (
        "impossible-comparison",
        "requires: {profiles: [tool]}\nwhen: tool == tool",
        &["`tool == tool` always holds"],
    ),
    (
        "impossible-comparison",
        "requires: {profiles: [tool]}\nwhen: size(tool) < 0 || tool == \"x\"",
        &["`size(tool) < 0` never holds"],
    ),
    (
        "impossible-comparison",
        "requires: {profiles: [content-provenance]}\nwhen: '\"sytem\" in content_roles'",
        &["`\"sytem\" in content_roles` never holds"],
    ),
    ("impossible-comparison", "requires: {profiles: [tool]}\nwhen: 'tool_arg_int(\"n\") < 0'", &[]),
    (
        "impossible-comparison",
        "requires: {profiles: [moderation]}\nwhen: 'moderation_score(\"x\") >= 1.0'",
        &[],
    ),
    (
        "self-gating",
        "when: fire_count >= 1\non_fire: [increment_counter]",
        &["rule `R` waits for a counter that only its own firing advances"],
    ),
    (
        "self-gating",
        "when: fire_count_of(\"R\") >= 1\non_fire: [increment_counter]",
        &["rule `R` waits for a counter that only its own firing advances"],
    ),
    ("self-gating", "when: fire_count < 1\non_fire: [increment_counter]", &[]),
    (
        "self-gating",
        "id: A\nwhen: fire_count_of(\"B\") > 0\non_fire: [increment_counter]\n---\nid: B\nwhen: fire_count_of(\"A\") > 0\non_fire: [increment_counter]",
        &[
            "rule `A` waits for a counter of `B`, which waits for a counter itself, and neither can begin",
            "rule `B` waits for a counter of `A`, which waits for a counter itself, and neither can begin",
        ],
    ),
    (
        "self-gating",
        "id: A\nwhen: fire_count_of(\"B\") > 0\non_fire: [increment_counter]\n---\nid: B\nwhen: fire_count_of(\"A\") == 0\non_fire: [increment_counter]",
        &[],
    ),
    ("unread-counter", "on_fire: [increment_counter]", &["no rule reads the counter of `R`"]),
    ("unread-counter", "on_fire: [publish_event]", &[]),
    ("unread-counter", "on_fire: [reset_breaker]", &["no rule reads the breaker of `R`"]),
    (
        "still-counter",
        "when: breaker_count > 0",
        &["nothing advances the breaker of `R`, which stays 0"],
    ),
    (
        "still-counter",
        "effect: warn\ncopy: {what: \"{{ fire_count }}\"}",
        &["nothing advances the counter of `R`, which stays 0"],
    ),
    ("open-mandatory-block", "mandatory: true\non_error: fail_open\neffect: warn", &[]),
    ("idle-mandatory", "mandatory: true\nenforcement: \"off\"", &["`R` is mandatory and is off"]),
    ("unused-requirement", "requires: {profiles: [tool]}\nflow: [edit]", &[]),
    (
        "secret-in-copy",
        "requires: {facts: [acme.tokens_used]}\ncopy: {what: \"{{ acme.tokens_used }}\"}",
        &[],
    ),
    (
        "secret-in-copy",
        "requires: {facts: [secret.count]}\ncopy: {what: \"{{ secret.count }}\"}",
        &[],
    ),
];

#[test]
fn lints_tell_near_misses_apart() {
    let mut wrong = Vec::new();
    for (lint, rules, expected) in MORE {
        let found = found(rules, "--format concise");
        let mark = format!("warning[{lint}] ");
        let messages: Vec<&str> =
            found.lines().filter_map(|line| Some(line.split_once(&mark)?.1)).collect();
        if messages != *expected {
            wrong.push(format!("{lint}: {rules}\n  wanted {expected:?}\n  found {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The words that a finding points at.
#[test]
fn findings_stand_at_their_place_within_the_condition() {
    let text = whole(
        "id: R\nrequires: {profiles: [tool]}\nwhen: \"tool == \\\"x\\\" ||\\\n  size(tool) < 0\"\n",
    );
    let directory = Directory::with(&[("rules.yaml", &text)]);
    let ran = directory.oar("check --lint rules.yaml --format json");
    let found: serde_json::Value = serde_json::from_str(&ran.out).expect("json");
    let span = &found["diagnostics"][0]["span"];
    let at = |name: &str| usize::try_from(span[name].as_u64().expect("a number")).expect("small");
    assert_eq!(text.get(at("start")..at("end")), Some("size(tool) < 0"));
    assert_eq!(found["diagnostics"][0]["pointer"], "/when");
}

/// What a configuration does counts, and so does what a host calls its moments.
#[test]
fn the_configuration_and_the_host_are_considered() {
    let rules = whole(
        "id: A\nrequires: {profiles: [tool]}\nwhen: policy_denied\non_error: B\n---\nid: B\nwhen: \"false\"\n",
    );
    let directory = Directory::with(&[
        (
            "capability.yaml",
            &CAPABILITY.replace(
                "core: {tool.pre_invoke: tool.pre_invoke,",
                "core: {tool.pre_invoke: before,",
            ),
        ),
        ("rules.yaml", &rules),
        ("config.yaml", "oar_config: '1.0'\ndisable: [B]\n"),
        ("more.yaml", &whole("id: C\nwhen: anchor == 'before'\n")),
    ]);
    let ran = directory.oar("check --lint . --format concise");
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(
        lines,
        [
            "more.yaml:2:7: warning[impossible-comparison] `anchor == 'before'` never holds",
            "rules.yaml:4:11: warning[off-substitute] `B` stands in for `A` and is off",
            "ok: .: for host `acme`, 3 rules are sound; 2 warnings",
        ],
    );
}

/// Machine formats carry what lints find.
#[test]
fn every_format_names_the_lint() {
    let text = whole("id: R\nwhen: fire_count < 0\n");
    let directory = Directory::with(&[("rules.yaml", &text)]);
    for (format, sign) in [
        ("json", "\"code\": \"impossible-comparison\""),
        ("github", "title=impossible-comparison"),
        ("sarif", "\"ruleId\": \"impossible-comparison\""),
    ] {
        let ran = directory.oar(&format!("check --lint rules.yaml --format {format}"));
        assert!(ran.out.contains(sign), "{format}: {}", ran.out);
    }
    let ran = directory.oar("check --lint rules.yaml --format sarif");
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("json");
    let about = &report["runs"][0]["tool"]["driver"]["rules"][0]["shortDescription"]["text"];
    assert_eq!(about, "a comparison that always or never holds, whatever the host observes");
    let ran = directory.oar("check --lint rules.yaml --deny all --format junit");
    assert!(ran.out.contains("failures=\"1\"") && ran.code == 1, "{}", ran.out);
}

/// The examples of this repository and the published packs.
#[test]
fn what_others_wrote_is_not_drowned_in_warnings() {
    let ran = oar(&root(), "check --lint examples --format concise", "");
    let warned: Vec<&str> = ran.out.lines().filter(|line| line.contains(" warning[")).collect();
    assert_eq!(warned, [""; 0]);
    let shared = root().join("../shared/packs");
    if !shared.is_dir() {
        eprintln!("not run: the published packs are not beside this checkout");
        return;
    }
    let ran = oar(&shared, "check --lint portable-pack --format concise", "");
    assert_eq!(ran.out, "ok: portable-pack: for host `example.gateway`, 7 rules are sound\n");
}
