//! `oar eval`.

use serde_json::{Value, json};

use crate::run::{Directory, oar};
use crate::snapshot::{root, snapshot};

const PUSH: &str = r#"{"anchor": "tool.pre_invoke", "facts": {"example.coder.branch": "main"},
  "tool_call": {"name": "shell", "arguments": {"command": "git push"}}}"#;

fn eval(arguments: &str, input: &str) -> crate::run::Ran {
    oar(&root(), &format!("eval --rules examples/coding-basics {arguments}"), input)
}

#[test]
fn an_outcome_is_written_row_by_row() {
    let ran = eval("-", PUSH);
    snapshot("eval-nudge", &ran.out);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
}

#[test]
fn a_transform_shows_the_lines_that_changed() {
    let content = "one\ntwo\nthree\nTOKEN=abc123 done\nfive\nsix\nseven\n";
    let input = json!({
        "anchor": "model.tool_result",
        "content": content,
        "detector_facts": {"secret_matches": [{"start": 20, "end": 26}]},
    });
    let ran = eval("-", &input.to_string());
    snapshot("eval-transform", &ran.out);
}

#[test]
fn a_list_is_one_session_unless_it_says_otherwise() {
    let call = r#"{anchor: tool.pre_invoke, tool_call: {name: shell, arguments: {command: make}}}"#;
    let other = call.replace("{anchor", "{session: other, anchor");
    let list = format!("[{call}, {call}, {call}, {other}]");
    let ran = eval("-", &list);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let decisions: Vec<&str> = ran.out.lines().filter(|l| l.starts_with("decision")).collect();
    assert_eq!(
        decisions,
        [
            "decision    none",
            "decision    none",
            "decision    warn by example.coding/SLOW_DOWN",
            "decision    none"
        ]
    );
    assert!(ran.out.contains("\noccurrence 4 at `tool.pre_invoke`, session `other`\n"));
}

#[test]
fn json_is_the_report_of_the_standard() {
    let ran = eval("--json -", PUSH);
    let report: Value = serde_json::from_str(&ran.out).expect("json");
    assert_eq!(report["decision"], "nudge");
    assert_eq!(report["rule"], "example.coding/NO_PUSH_TO_MAIN");
    let ran = eval("--json -", &format!("[{PUSH}, {PUSH}]"));
    let reports: Value = serde_json::from_str(&ran.out).expect("json");
    assert_eq!(reports.as_array().map(Vec::len), Some(2));
}

#[test]
fn a_block_has_an_exit_code_when_asked_for() {
    let force = PUSH.replace("git push", "git push -f");
    assert_eq!(eval("-", &force).code, 0);
    assert_eq!(eval("--exit-code -", &force).code, 4);
    assert_eq!(eval("--exit-code -", PUSH).code, 0);
}

#[test]
fn what_an_occurrence_cannot_hold_is_shown_at_its_place() {
    let text = "anchor: tool.pre_invok\nfact: {}\n\
                facts: {session_postur: a, fire_count: 1}\ntool_call: {arguments: {}}\n";
    let ran = eval("-", text);
    snapshot("eval-bad-occurrence", &ran.err);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    assert_eq!(eval("nowhere.yaml", "").code, 3);
    assert_eq!(eval("", "").code, 2);
}

#[test]
fn rules_that_do_not_load_are_told_as_check_tells_them() {
    let directory = Directory::with(&[
        ("capability.yaml", crate::check::CAPABILITY),
        ("r.yaml", "oar: '1.0'\nid: R\nkind: policy\nanchor: tool.pre_invoke\neffect: stop\n"),
        ("o.yaml", "anchor: tool.pre_invoke\n"),
    ]);
    let ran = directory.oar("eval --rules . o.yaml");
    assert!(ran.err.contains("error[OAR-DOC-11]: "), "{}", ran.err);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    let ran = directory.oar("eval --rules r.yaml o.yaml");
    let missing = "error: no capability document: name the host's with `--capability`\n";
    assert_eq!((ran.code, ran.err.as_str()), (2, missing));
}

#[test]
fn the_stream_answers_line_by_line_and_goes_on_after_a_bad_one() {
    let call = r#"{"id": 1, "anchor": "tool.pre_invoke", "tool_call": {"name": "shell", "arguments": {"command": "make"}}}"#;
    let lines = [
        call,
        &call.replace("\"id\": 1", "\"id\": \"two\""),
        r#"{"id": 3, "anchor": "nowhere"}"#,
        "{not json",
        "",
        &call.replace("\"id\": 1, ", ""),
        r#"{"end_session": "session", "id": 4}"#,
        r#"{"end_session": 1}"#,
        call,
    ];
    let ran = eval("--stream", &(lines.join("\n") + "\n"));
    let answers: Vec<Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).expect("json")).collect();
    let schema = std::fs::read_to_string(root().join("schema/stream.schema.json")).expect("schema");
    let schema: Value = serde_json::from_str(&schema).expect("json");
    let definitions = |name: &str| {
        let mut schema = schema.clone();
        schema["$ref"] = format!("#/$defs/{name}").into();
        schema.as_object_mut().expect("an object").remove("oneOf");
        jsonschema::validator_for(&schema).expect("a schema")
    };
    let (question, answer) = (definitions("occurrence"), definitions("answer"));
    for found in &answers {
        assert!(answer.is_valid(found), "{found}");
    }
    assert!(question.is_valid(&serde_json::from_str(call).expect("json")));
    assert!(!question.is_valid(&json!({"anchor": "a", "fact": {}})));
    assert_eq!(answers.len(), 8);
    assert_eq!(answers[5], json!({"id": 4, "ended": "session"}));
    assert_eq!(answers[6], json!({"error": "`end_session` is of kind number, not string"}));
    assert_eq!(answers[7]["report"]["decision"], "none", "the session was forgotten");
    assert_eq!(answers[0]["id"], 1);
    assert_eq!(answers[1]["id"], "two");
    assert_eq!(answers[2], json!({"id": 3, "error": "the host declares no anchor `nowhere`"}));
    assert!(answers[3]["error"].is_string() && answers[3].get("id").is_none());
    // The bad lines took no part in the session.
    assert_eq!(answers[4]["report"]["decision"], "warn");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
}

/// The clients of the documentation, as a host in another language would start them.
#[test]
fn clients_in_python_and_node_embed_the_engine() {
    for (program, client) in [("python3", "client.py"), ("node", "client.mjs")] {
        let output = std::process::Command::new(program)
            .arg(root().join("examples/clients").join(client))
            .current_dir(root())
            .env("OAR", env!("CARGO_BIN_EXE_oar"))
            .output();
        let output = match output {
            Ok(output) => output,
            // Visible in the log of a machine without the language.
            Err(error) => {
                eprintln!("SKIPPED {client}: {program}: {error}");
                continue;
            }
        };
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(text, "block by example.coding/NO_FORCED_PUSH\n", "{client}: {errors}");
    }
}
