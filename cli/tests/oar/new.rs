//! `oar new`: what it makes is accepted by `oar check` and `oar test`.

use crate::run::{Directory, Ran};

fn fine(ran: &Ran) {
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
}

fn is_accepted(directory: &Directory, path: &str) {
    fine(&directory.oar(&format!("check --lint {path}")));
    fine(&directory.oar(&format!("test {path}")));
}

#[test]
fn a_pack_is_whole() {
    let directory = Directory::with(&[]);
    let ran = directory.oar("new pack acme --host acme.agent --namespace acme.rules");
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (
            0,
            "wrote acme/capability.yaml\nwrote acme/first-rule.yaml\nwrote acme/first-rule.test.yaml\n"
        )
    );
    is_accepted(&directory, "acme");
    // The one case fires the rule, the other does not.
    let cases = directory.read("acme/first-rule.test.yaml");
    assert!(cases.contains("expect: {decision: block, rule: acme.rules/FIRST_RULE}"), "{cases}");
    assert!(cases.contains("expect: none"), "{cases}");
}

#[test]
fn rules_of_every_kind_effect_and_moment_load() {
    let directory = Directory::with(&[]);
    fine(&directory.oar(
        "new capability --host acme --anchor tool.pre_invoke --anchor model.input --anchor agent.post_turn --anchor own.moment --profile tool --profile content --profile secrets --transform",
    ));
    let mut number = 0;
    for anchor in ["tool.pre_invoke", "model.input", "agent.post_turn", "own.moment"] {
        for effect in ["block", "warn", "nudge", "allow", "transform"] {
            for kind in ["policy", "detector"] {
                number += 1;
                let id = format!("RULE_{number}");
                let options = format!("--anchor {anchor} --effect {effect} --kind {kind}");
                fine(&directory.oar(&format!("new rule {id} {options}")));
                fine(&directory.oar(&format!("new test {id}")));
            }
        }
    }
    fine(&directory.oar("check ."));
    fine(&directory.oar("test ."));
}

#[test]
fn a_rule_without_a_pack_is_held_against_every_host() {
    let directory = Directory::with(&[]);
    for anchor in ["tool.post_invoke", "model.output", "agent.finalize"] {
        let id = anchor.to_ascii_uppercase().replace('.', "_");
        fine(&directory.oar(&format!("new rule {id} --anchor {anchor} --effect warn")));
    }
    fine(&directory.oar("check ."));
}

#[test]
fn a_rule_below_a_pack_belongs_to_it_and_takes_its_namespace() {
    let directory = Directory::with(&[]);
    fine(&directory.oar("new pack acme --host acme --namespace acme.rules"));
    fine(
        &directory
            .oar("new rule SECOND --anchor tool.pre_invoke --effect nudge --pack acme/more/rules"),
    );
    let rule = directory.read("acme/more/rules/second.yaml");
    assert!(rule.contains("namespace: acme.rules\n"), "{rule}");
    fine(&directory.oar("new test acme.rules/SECOND --pack acme/more"));
    is_accepted(&directory, "acme");
}

#[test]
fn cases_are_made_for_every_rule_of_the_examples() {
    for pack in ["coding-basics", "mcp-gateway", "content-safety"] {
        let directory = Directory::with(&[]);
        let examples = crate::snapshot::root().join("examples").join(pack);
        for entry in std::fs::read_dir(examples).expect("readable") {
            let path = entry.expect("readable").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            if !name.contains(".test.") {
                directory.write(&name, &std::fs::read_to_string(path).expect("text"));
            }
        }
        let report: serde_json::Value =
            serde_json::from_str(&directory.oar("check . --format json").out).expect("a report");
        let rules = report["packs"][0]["rules"].as_array().expect("rules");
        assert!(rules.len() >= 6, "{pack}");
        for rule in rules {
            fine(&directory.oar(&format!("new test {}", rule["rule"].as_str().expect("a name"))));
        }
        fine(&directory.oar("test ."));
    }
}

#[test]
fn what_would_not_load_is_not_written() {
    let directory = Directory::with(&[]);
    fine(&directory.oar("new pack acme --host acme"));
    for (arguments, code, said) in [
        ("rule no-good --anchor tool.pre_invoke --effect warn", 1, "OAR-DOC-6"),
        ("rule A --anchor model.input --effect warn --pack acme", 1, "OAR-"),
        ("rule A --anchor tool.pre_invoke --effect transform --pack acme", 1, "OAR-OPS-18"),
        ("rule FIRST_RULE --anchor tool.pre_invoke --effect warn --pack acme/deep", 1, "OAR-DOC-9"),
        ("rule A --anchor tool.pre_invoke --effect wrn", 2, "possible values"),
        ("rule A --effect warn", 2, "`--anchor` is missing, and there is no terminal to ask at"),
        ("rule --anchor model.input --effect warn", 2, "the rule's name is missing"),
        ("pack", 2, "the directory is missing"),
        ("capability", 2, "`--host` is missing"),
        ("capability --host No_Good", 1, "OAR-FACT-18"),
        ("capability --host acme --profile tol", 1, "did you mean `tool`?"),
        ("test FIRST --pack acme", 2, "the pack has no rule `FIRST`"),
        ("test FIRST", 2, "lies in no pack with rules"),
        ("rule A --anchor tool.pre_invoke --effect warn --force --print", 2, "cannot be used with"),
    ] {
        let ran = directory.oar(&format!("new {arguments}"));
        assert_eq!(ran.code, code, "{arguments}: {}", ran.err);
        assert!(ran.err.contains(said), "{arguments}: {}", ran.err);
    }
    let files = std::fs::read_dir(directory.path()).expect("readable").count();
    assert_eq!(files, 1, "nothing but the pack");
    assert_eq!(std::fs::read_dir(directory.path().join("acme")).expect("readable").count(), 3);
}

#[test]
fn nothing_is_written_over_unless_it_is_forced() {
    let directory = Directory::with(&[("capability.yaml", "mine\n")]);
    let ran = directory.oar("new capability --host acme");
    assert_eq!(ran.err, "error: `capability.yaml` is there already; `--force` writes over it\n");
    assert_eq!((ran.code, directory.read("capability.yaml").as_str()), (2, "mine\n"));
    let printed = directory.oar("new capability --host acme --print");
    assert_eq!(directory.read("capability.yaml"), "mine\n");
    fine(&directory.oar("new capability --host acme --force"));
    assert_eq!(directory.read("capability.yaml"), printed.out);
    // Of several files one is enough.
    let directory = Directory::with(&[("acme/first-rule.yaml", "mine\n")]);
    assert_eq!(directory.oar("new pack acme --host acme").code, 2);
    assert!(!directory.path().join("acme/capability.yaml").exists());
    fine(&directory.oar("new pack acme --host acme --force"));
    is_accepted(&directory, "acme");
}

/// A person at a terminal is asked for what is missing.
#[cfg(unix)]
#[test]
fn a_terminal_is_asked() {
    use rexpect::reader::Options;
    use rexpect::session::spawn_with_options;

    let directory = Directory::with(&[]);
    let start = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_oar"));
        command.args(arguments).current_dir(directory.path()).env("TERM", "xterm");
        let options = Options::new().timeout_ms(Some(60_000)).strip_ansi_escape_codes(true);
        spawn_with_options(command, options).expect("a terminal")
    };
    let press = |session: &mut rexpect::session::PtySession, keys: &str| {
        session.send(keys).expect("sent");
        session.flush().expect("sent");
    };
    let mut session = start(&["new", "capability"]);
    session.exp_string("the host's namespace").expect("a question");
    session.send_line("Not This").expect("sent");
    session.exp_string("lower-case letters").expect("what is wanted");
    press(&mut session, "\u{15}");
    session.send_line("acme").expect("sent");
    session.exp_string("the moments at which it asks").expect("a question");
    press(&mut session, "\r");
    session.exp_string("the facts that it provides").expect("a question");
    press(&mut session, "\r");
    session.exp_string("wrote capability.yaml").expect("the file");
    session.exp_eof().expect("the end");

    let mut session = start(&["new", "rule"]);
    session.exp_string("name, such as NO_FORCED_PUSH").expect("a question");
    session.send_line("NO_SHELL").expect("sent");
    session.exp_string("the moment it is about").expect("a question");
    press(&mut session, "\r");
    session.exp_string("what follows when it fires").expect("a question");
    // The second one.
    press(&mut session, "\u{1b}[B");
    press(&mut session, "\r");
    session.exp_string("wrote no-shell.yaml").expect("the file");
    session.exp_eof().expect("the end");
    assert!(directory.read("no-shell.yaml").contains("effect: warn\n"));

    let mut session = start(&["new", "test"]);
    session.exp_string("the rule to test").expect("a question");
    press(&mut session, "\r");
    session.exp_string("wrote no-shell.test.yaml").expect("the file");
    session.exp_eof().expect("the end");
    is_accepted(&directory, ".");

    // Whoever breaks off gets nothing written.
    let mut session = start(&["new", "rule", "BROKEN_OFF"]);
    session.exp_string("the moment it is about").expect("a question");
    press(&mut session, "\u{3}");
    session.exp_eof().expect("the end");
    assert!(!directory.path().join("broken-off.yaml").exists());
}
