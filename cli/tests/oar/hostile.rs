//! Hostile input at the command line: refused by name, with the code that says so, and without
//! showing what it should not.

use std::process::{Command, Stdio};

use super::run::Directory;

const RULE: &str = "oar: '1.0'\nid: R\nkind: policy\nanchor: tool.pre_invoke\neffect: warn\n";

/// One file, what `oar check` must say of it in a line, and how it ends.
#[test]
fn each_hostile_file_is_refused_by_name() {
    let laughs: String = (1..30)
        .map(|n| format!("x-a{n}: &a{n} [{}]\n", format!("*a{},", n - 1).repeat(9)))
        .collect();
    let deep = |open: &str| format!("{RULE}x-a: {}\n", open.repeat(100_000));
    let cases = [
        ("empty.yaml", String::new(), "1:1: error[OAR-DOC-1] the text holds no document"),
        (
            "twice.yaml",
            format!("{RULE}\"eff\\u0065ct\": block\n"),
            "6:1: error[OAR-DOC-1] member `effect` is given twice",
        ),
        (
            "bomb.yaml",
            format!("x-a0: &a0 [1]\n{laughs}{RULE}"),
            "error[limit] anchors and aliases stand for more than 100000 values",
        ),
        ("brackets.yaml", deep("["), "6:261: error[limit] more than 255 brackets in one another"),
        (
            "braces.yaml",
            deep("{a: "),
            "error[limit] more than 128 arrays and objects in one another",
        ),
        (
            "key.yaml",
            format!("{RULE}{}: 1\n", "k".repeat(100_000)),
            "6:1: error[OAR-DOC-1] a key goes on behind 1024 characters, the most that YAML reads",
        ),
        (
            "tab.yaml",
            format!("{RULE}when:\ttrue\n"),
            "6:6: error[OAR-DOC-1] a tab stands behind the `:` of a member",
        ),
        (
            "twice.json",
            r#"{"oar": "1.0", "o\u0061r": "1.0"}"#.to_owned(),
            "1:16: error[OAR-DOC-1] member `oar` is given twice",
        ),
        (
            "comma.json",
            "{},".to_owned(),
            "1:3: error[OAR-DOC-1] found `,` where the end of the text must stand",
        ),
        (
            "blank.json",
            "{\u{a0}}".to_owned(),
            "1:2: error[OAR-DOC-1] found `<U+00A0>` where a member name in `\"` must stand",
        ),
        (
            "joined.yaml",
            RULE.replace("effect", "effec\u{200d}t"),
            "5:1: error[OAR-DOC-27] `effec<U+200D>t` is not a field of a rule",
        ),
        (
            "wide.yaml",
            RULE.replace("warn", "warn\u{a0}"),
            "5:9: error[OAR-DOC-11] `warn<U+00A0>` is not a value of `effect`",
        ),
    ];
    for (name, text, wanted) in cases {
        let directory = Directory::with(&[(name, &text)]);
        let ran = directory.oar(&format!("check --format concise {name}"));
        assert!(ran.out.contains(wanted), "{name}: {}", ran.out);
        assert_eq!(ran.code, 1, "{name}");
    }
}

/// What is to be quoted is quoted as it was written.
#[test]
fn a_word_that_must_be_quoted_keeps_its_spelling() {
    for (word, member) in
        [("TRUE", "id"), ("0x1F", "namespace"), ("0o17", "when"), ("1.50", "when")]
    {
        let text = format!("{}{member}: {word}\n", RULE.replace(&format!("{member}: R\n"), ""));
        let directory = Directory::with(&[("r.yaml", &text)]);
        let ran = directory.oar("check r.yaml");
        assert!(
            ran.out.contains(&format!("= help: write it in quotes: `\"{word}\"`")),
            "{}",
            ran.out
        );
    }
}

/// `oar check bad | head -1` under `pipefail` must not pass.
#[test]
fn a_reader_that_goes_away_does_not_change_the_verdict() {
    let faulty: String = (0..2000)
        .map(|n| format!("---\n{}when: tol\n", RULE.replace("id: R", &format!("id: R{n}"))))
        .collect();
    let directory = Directory::with(&[("r.yaml", &faulty)]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_oar"))
        .args(["check", "r.yaml"])
        .current_dir(directory.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("oar starts");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("oar ends").code(), Some(1));
}

const CANARY: &str = "canary-5f1c";

const CAPABILITY: &str = "oar_capability_version: '1.0'\nhost: acme\nanchors:\n  core: {tool.pre_invoke: before}\n  \
    unsupported: [tool.handler, tool.post_invoke, agent.post_turn, agent.finalize, model.input,\n    \
    model.output, model.tool_result]\nprofiles: [tool]\nactivity_window: 4\n\
    detectors: ['detector://fixture']\nexpression_nodes_max: 256\nsupports_transform: true\nhost_facts:\n  \
    - {name: acme.text, type: string}\n  - {name: acme.list, type: list<string>}\n  \
    - {name: acme.labels, type: 'map<string,string>'}\n  - {name: acme.ask, type: (string) -> string}\n";

const RULES: &str = "oar: '1.0'\nid: A\nkind: policy\nanchor: tool.pre_invoke\neffect: warn\n\
    requires: {profiles: [tool], facts: [acme.text, acme.list, acme.labels, acme.ask]}\n\
    when: acme.text != '' && acme.list[0] + acme.labels['a'] != '' && acme.ask(acme.text) != '' && tool_arg_string('p') != ''\n\
    ---\noar: '1.0'\nid: B\nkind: policy\nanchor: tool.pre_invoke\neffect: warn\non_error: fail_open\n\
    requires: {facts: [acme.text, acme.labels]}\nselector: {acme.text: [canary-5f1c]}\nwhen: acme.labels[acme.text] == ''\n\
    ---\noar: '1.0'\nid: C\nkind: policy\nanchor: tool.pre_invoke\neffect: warn\nflow: [a, b]\n\
    requires: {facts: [acme.text]}\nselector: {acme.text: [other]}\n";

fn occurrence() -> String {
    format!(
        "anchor: before\nfacts:\n  acme.text: {CANARY}\n  acme.list: [{CANARY}]\n  \
         acme.labels: {{a: {CANARY}, {CANARY}x: b}}\n  acme.ask: {CANARY}\ncontent: {CANARY}\n\
         tool_call: {{name: {CANARY}, arguments: {{p: {CANARY}, {CANARY}: 1}}}}\nrecent_activity: [{CANARY}]\n"
    )
}

/// Without being asked, the commands show no value that was observed; `explain` is asked to.
#[test]
fn values_show_where_they_are_asked_for_and_nowhere_else() {
    // The rule `B` names the canary as well, which is its author's text and no observation.
    let rules = RULES.replace("[canary-5f1c]", "[other, x]");
    let occurrence = occurrence();
    let wrong = occurrence.replace("acme.text: canary-5f1c", "acme.text: [canary-5f1c, 1]");
    let files = [
        ("capability.yaml", CAPABILITY),
        ("rules.yaml", &rules),
        ("o.yaml", &occurrence),
        ("wrong.yaml", &wrong),
    ];
    let directory = Directory::with(&files);
    let documents = "--rules rules.yaml --capability capability.yaml";
    for command in [
        "check rules.yaml --capability capability.yaml".to_owned(),
        format!("eval {documents} wrong.yaml"),
        format!("explain --redact {documents} o.yaml"),
        format!("explain --redact {documents} --rule A --rule B --rule C o.yaml"),
        format!("explain --redact {documents} --rule A --rule B --rule C wrong.yaml"),
    ] {
        let ran = directory.oar(&command);
        assert!(!ran.out.is_empty(), "{command}: {}", ran.err);
        assert!(
            !ran.out.contains(CANARY) && !ran.err.contains(CANARY),
            "{command}: {} {}",
            ran.out,
            ran.err
        );
    }
    let shown = directory.oar(&format!("explain {documents} o.yaml"));
    assert!(shown.out.contains(CANARY), "{}", shown.out);
    // The content is what is to be delivered.
    let report = directory.oar(&format!("eval --json {documents} o.yaml"));
    let mut report: serde_json::Value = serde_json::from_str(&report.out).expect("a report");
    assert_eq!(report["content"], CANARY);
    report["content"] = "".into();
    assert!(!report.to_string().contains(CANARY), "{report}");
}

/// Under `--redact` a faulty occurrence is told without its lines.
#[test]
fn redacted_faults_do_not_quote_the_occurrence() {
    let faulty = format!("{}faks: {{a: {CANARY}}}\n", occurrence());
    let files = [("capability.yaml", CAPABILITY), ("rules.yaml", RULES), ("o.yaml", &*faulty)];
    let directory = Directory::with(&files);
    let command = "explain --rules rules.yaml --capability capability.yaml o.yaml";
    let shown = directory.oar(command);
    assert!(shown.err.contains(CANARY), "{}", shown.err);
    let redacted = directory.oar(&format!("{command} --redact"));
    assert!(redacted.err.contains("`faks` is no member of an occurrence"), "{}", redacted.err);
    assert!(!redacted.err.contains(CANARY), "{}", redacted.err);
    assert_eq!((shown.code, redacted.code), (1, 1));
}
