//! `oar hooks`: what an agent would get, whatever goes wrong.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use oar_engine::document::rule::Action;
use oar_engine::state::{CounterKey, CounterStore, Counters, SqliteStore};
use serde_json::{Value as Json, json};

use crate::snapshot::root;

const BLOCK: &str = r#"
oar: "1.0"
id: NO_FORCE
kind: policy
anchor: tool.pre_invoke
requires: {facts: [hook.shell_runs]}
when: hook.shell_runs("git push --force,-f")
effect: block
copy: {instead: Open a pull request.}
---
oar: "1.0"
id: TALLY
kind: schema
anchor: tool.pre_invoke
effect: allow
on_fire: [increment_counter]
"#;

/// A directory with rules, a home and a state of its own.
struct Place {
    directory: tempfile::TempDir,
}

impl Place {
    fn new(rules: &str) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        std::fs::write(directory.path().join("rules.yaml"), rules).expect("the rules");
        Self { directory }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_oar"));
        command
            .args(arguments.split_whitespace())
            .current_dir(self.directory.path())
            .env("HOME", self.directory.path())
            .env("OAR_STATE_DIR", self.path("state"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn start(&self, arguments: &str) -> Child {
        self.command(arguments).spawn().expect("the program")
    }

    fn run(&self, arguments: &str, event: &str) -> Output {
        let mut child = self.start(arguments);
        if let Some(mut stdin) = child.stdin.take() {
            drop(stdin.write_all(event.as_bytes()));
        }
        child.wait_with_output().expect("the program ends")
    }

    /// What a hook answers, which is one JSON object or nothing, with exit code 0.
    fn hook(&self, arguments: &str, event: &str) -> Json {
        let ran = self.run(&format!("hooks {arguments}"), event);
        assert_eq!(ran.status.code(), Some(0), "{arguments}");
        let text = String::from_utf8(ran.stdout).expect("a text");
        if text.is_empty() { json!({}) } else { serde_json::from_str(&text).expect(&text) }
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.path("state/hooks.log")).unwrap_or_default()
    }
}

fn event(line: &str) -> String {
    json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/w", "tool_name": "Bash",
        "tool_input": {"command": line}})
    .to_string()
}

fn reason(answer: &Json) -> &str {
    let own = &answer["hookSpecificOutput"];
    match own["permissionDecision"].as_str() {
        Some("deny") => own["permissionDecisionReason"].as_str().unwrap_or_default(),
        _ => "",
    }
}

#[test]
fn a_call_is_denied_or_let_pass() {
    let place = Place::new(BLOCK);
    let run = "run claude --rules rules.yaml";
    let answer = place.hook(run, &event("cd x; git push -f"));
    assert_eq!(reason(&answer), "[oar NO_FORCE] Open a pull request.");
    assert_eq!(place.hook(run, &event("git push")), json!({}));
    assert_eq!(place.log(), "");
}

/// Every failure that there can be is a deny with a reason, in the agent's own form, and the
/// log has it.
#[test]
fn whatever_fails_is_a_deny() {
    let fine = &event("ls");
    let cut = fine.get(..40).expect("a part");
    for (arguments, rules, event, wanted) in [
        ("--rules rules.yaml", "oar: nonsense", &**fine, "the rules do not load: "),
        ("--rules rules.yaml", "oar: '1.0'\nid: A\n b", fine, "the rules do not load: "),
        ("--rules gone.yaml", BLOCK, fine, "cannot read `gone.yaml`"),
        ("--rules empty", BLOCK, fine, "no rules"),
        ("--rules rules.yaml", BLOCK, cut, "the event is no JSON"),
        ("--rules rules.yaml", BLOCK, "", "the event is no JSON"),
        ("--rules rules.yaml", BLOCK, "[]", "the event is no JSON object"),
        ("--rules rules.yaml", BLOCK, "{\"hook_event_name\": \"PreToolUse\"}", "`session_id`"),
        (
            "--rules rules.yaml --state rules.yaml",
            BLOCK,
            fine,
            "the state `rules.yaml` cannot be opened",
        ),
        ("--rules rules.yaml --nonsense", BLOCK, fine, "--nonsense"),
        ("", BLOCK, fine, "--rules"),
        ("--rules rules.yaml --deadline-ms 0", BLOCK, fine, "deadline"),
        (
            "--rules rules.yaml --record gone/x",
            BLOCK,
            fine,
            "the record `gone/x` cannot be written",
        ),
    ] {
        let place = Place::new(rules);
        std::fs::create_dir(place.path("empty")).expect("a directory");
        let answer = place.hook(&format!("run claude {arguments}"), event);
        assert!(reason(&answer).contains(wanted), "{arguments}: {answer}");
        assert!(place.log().contains("\"message\""), "{arguments}: {}", place.log());
        // The same for an event after the call: the result is not delivered.
        let after = place.hook(&format!("run claude {arguments} --event PostToolUse"), "{");
        assert_eq!(after["decision"], "block", "{arguments}: {after}");
        assert_eq!(after["continue"], false, "{arguments}: {after}");
    }
}

#[test]
fn an_agent_that_is_not_known_is_refused() {
    let place = Place::new(BLOCK);
    let ran = place.run("hooks run claud --rules rules.yaml", "{}");
    assert_eq!(ran.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&ran.stderr).contains("claud"));
}

/// An event that never ends, and a state that another process holds.
#[test]
fn what_hangs_is_answered_at_the_deadline() {
    let place = Place::new(BLOCK);
    let begun = Instant::now();
    let mut child = place.start("hooks run claude --rules rules.yaml --deadline-ms 300");
    let stdin = child.stdin.take();
    let ran = child.wait_with_output().expect("the program ends");
    drop(stdin);
    let answer: Json = serde_json::from_slice(&ran.stdout).expect("an answer");
    assert!(reason(&answer).contains("deadline"), "{answer}");

    let state = place.path("held.db");
    let store = SqliteStore::open(&state).expect("a store");
    let key = CounterKey { rule: "X", scope: None };
    let held = store.apply("s", key, &[Action::IncrementCounter], &mut || {
        let answer = place
            .hook("run claude --rules rules.yaml --state held.db --deadline-ms 6000", &event("ls"));
        // The store says no before the deadline, at the latest to the rule that counts.
        let told = reason(&answer);
        assert!(told.contains("[oar TALLY]") || told.contains("locked"), "{answer}");
        Ok(())
    });
    held.expect("the store is held");
    assert!(begun.elapsed() < Duration::from_secs(20));
}

#[test]
fn who_asks_for_it_gets_it_open_and_told() {
    let place = Place::new("oar: nonsense");
    let run = "run claude --rules rules.yaml --fail-open";
    for input in [&*event("ls"), "{"] {
        let answer = place.hook(run, input);
        assert_eq!(reason(&answer), "");
        let told = answer["systemMessage"].as_str().expect("a message");
        assert!(told.contains("NOT GUARDED") && told.contains("--fail-open"), "{told}");
    }
    let place = Place::new(BLOCK);
    let answer = place.hook(run, &event("ls"));
    let told = answer["systemMessage"].as_str().expect("a message");
    assert!(told.contains("--fail-open"), "{told}");
    assert!(reason(&place.hook(run, &event("git push -f"))).contains("NO_FORCE"));
}

/// Sixty-four processes on one session: every one of them counts, and each call is a step.
#[test]
fn parallel_hooks_lose_nothing() {
    let place = Place::new(BLOCK);
    let children: Vec<Child> = (0..64)
        .map(|_| {
            let mut child =
                place.start("hooks run claude --rules rules.yaml --state s.db --deadline-ms 90000");
            let mut stdin = child.stdin.take().expect("an input");
            stdin.write_all(event("ls").as_bytes()).expect("the event");
            child
        })
        .collect();
    for child in children {
        let ran = child.wait_with_output().expect("the program ends");
        assert_eq!(String::from_utf8_lossy(&ran.stdout), "");
    }
    let store = SqliteStore::open(place.path("s.db")).expect("a store");
    let mut values = [Counters::default()];
    let key = CounterKey { rule: "TALLY", scope: None };
    store.read("claude:s", &[key], &mut values).expect("the counters");
    assert_eq!(values[0].fire_count, 64);
}

#[test]
fn a_record_has_what_was_decided() {
    let place = Place::new(BLOCK);
    let run = "run claude --rules rules.yaml --record r.jsonl";
    place.hook(run, &event("git push -f secret-word"));
    place.hook(&format!("{run} --redact"), &event("ls other-word"));
    place.hook("record claude --to r.jsonl", &event("ls third-word"));
    let text = std::fs::read_to_string(place.path("r.jsonl")).expect("the record");
    let lines: Vec<Json> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!((&lines[0]["decision"], &lines[0]["rule"]), (&json!("block"), &json!("NO_FORCE")));
    assert_eq!(lines[0]["tool_call"]["arguments"]["command"], "git push -f secret-word");
    assert_eq!(
        (&lines[1]["decision"], &lines[1]["tool_call"]["name"]),
        (&json!("none"), &json!("Bash"))
    );
    assert!(!lines[1].to_string().contains("other-word"), "{}", lines[1]);
    assert_eq!((&lines[2]["event"], lines[2].get("decision")), (&json!("PreToolUse"), None));
}

/// The guard keeps a call from changing what belongs to it.
#[test]
fn the_guard_knows_what_is_its_own() {
    let rule = r#"
oar: "1.0"
id: OWN
kind: policy
anchor: tool.pre_invoke
requires: {facts: [hook.writes_denied]}
when: hook.writes_denied
effect: block
"#;
    let place = Place::new(rule);
    let here = place.directory.path().canonicalize().expect("a path");
    for (path, denied) in [
        ("rules.yaml", true),
        ("state/state.db", true),
        (".claude/settings.json", true),
        (".claude/settings.local.json", true),
        ("~/.claude/settings.json", true),
        (env!("CARGO_BIN_EXE_oar"), true),
        ("src/main.rs", false),
    ] {
        let event = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": here,
            "tool_name": "Write", "tool_input": {"file_path": path, "content": ""}});
        let answer = place.hook("run claude --rules rules.yaml", &event.to_string());
        assert_eq!(!reason(&answer).is_empty(), denied, "{path}: {answer}");
    }
}

/// From nothing to a guarded agent and back, for each of them.
#[test]
fn it_is_installed_checked_and_taken_out() {
    let place = Place::new(BLOCK);
    let text = |ran: &Output| String::from_utf8_lossy(&ran.stdout).into_owned();
    for agent in ["claude", "codex", "gemini", "copilot", "cursor", "cline", "opencode"] {
        let files = || -> Vec<PathBuf> {
            let mut found = Vec::new();
            let mut left = vec![place.directory.path().to_owned()];
            while let Some(directory) = left.pop() {
                for entry in std::fs::read_dir(directory).expect("a directory") {
                    let path = entry.expect("an entry").path();
                    let state = path.starts_with(place.path("state"));
                    if path.is_dir() {
                        left.push(path)
                    } else if !state {
                        found.push(path)
                    }
                }
            }
            found.sort();
            found
        };
        let before = files();
        let dry = place.run(&format!("hooks install {agent} --rules rules.yaml --dry-run"), "");
        assert!(text(&dry).contains("+++ "), "{agent}: {}", text(&dry));
        assert_eq!(files(), before, "{agent}");
        let unchecked = place.run(&format!("hooks check {agent}"), "");
        assert_eq!(unchecked.status.code(), Some(1), "{agent}");
        assert!(text(&unchecked).contains("not installed"), "{agent}");
        let installed = place.run(&format!("hooks install {agent} --rules rules.yaml"), "");
        assert_eq!(
            installed.status.code(),
            Some(0),
            "{agent}: {}",
            String::from_utf8_lossy(&installed.stderr)
        );
        let checked = place.run(&format!("hooks check {agent}"), "");
        assert_eq!(checked.status.code(), Some(0), "{agent}: {}", text(&checked));
        assert!(text(&checked).contains("a call that is denied: it is"), "{agent}");
        assert!(text(&checked).contains("an event that is cut off: it is"), "{agent}");
        let out = place.run(&format!("hooks uninstall {agent}"), "");
        assert_eq!(out.status.code(), Some(0), "{agent}");
        assert_eq!(files(), before, "{agent}");
    }
    // Rules that do not load are not installed.
    std::fs::write(place.path("rules.yaml"), "oar: x").expect("the rules");
    let ran = place.run("hooks install claude --rules rules.yaml", "");
    assert_eq!(ran.status.code(), Some(1));
    assert!(!place.path(".claude").join("settings.json").exists());
}

/// The starter pack loads for every agent, the first week's configuration names what there is,
/// and what it has in common is what the agents' own documents say.
#[test]
fn the_starter_pack_is_for_every_agent() {
    let place = Place::new(BLOCK);
    let examples = root().join("examples");
    let pack = examples.join("coding-agent");
    let shown = |path: &Path| path.display().to_string();
    for agent in ["claude", "codex", "gemini", "copilot", "cursor", "cline", "opencode"] {
        let install = format!("hooks install {agent} --dry-run --rules {}", shown(&pack));
        for more in
            ["".to_owned(), format!(" --config {}", shown(&root().join("docs/first-week.yaml")))]
        {
            let ran = place.run(&format!("{install}{more}"), "");
            assert_eq!(
                ran.status.code(),
                Some(0),
                "{agent}{more}: {}",
                String::from_utf8_lossy(&ran.stderr)
            );
        }
        let secrets = examples.join("coding-agent-secrets");
        let ran = place.run(&format!("{install} --rules {}", shown(&secrets)), "");
        let delivered = !matches!(agent, "cursor" | "cline");
        assert_eq!(ran.status.code(), Some(i32::from(!delivered)), "{agent}");
    }
    let week = std::fs::read_to_string(root().join("docs/first-week.yaml")).expect("a file");
    let mut rules = Vec::new();
    for file in ["shell", "files", "guard", "habits"] {
        let text = std::fs::read_to_string(pack.join(format!("{file}.yaml"))).expect("a file");
        rules.extend(text.lines().filter_map(|line| Some(line.strip_prefix("id: ")?.to_owned())));
    }
    rules.retain(|rule| !matches!(&**rule, "OWN_GUARD" | "CALL_TALLY"));
    assert_eq!(rules.len(), 15);
    for rule in rules {
        assert!(week.contains(&format!("oar.starter/{rule}: monitor")), "{rule}");
    }
}

#[test]
fn the_matrix_has_every_agent() {
    let place = Place::new(BLOCK);
    let text = place.run("hooks matrix", "").stdout;
    let text = String::from_utf8(text).expect("a text");
    crate::snapshot::snapshot("hooks-matrix", &text);
    let json = place.run("hooks matrix codex --json", "").stdout;
    let json: Json = serde_json::from_slice(&json).expect("JSON");
    assert_eq!(json[0]["agents"]["codex"]["reach"], "yes");
}

/// The shell call of each agent, before it is made.
fn call_of(agent: &str, line: &str) -> Json {
    match agent {
        "claude" | "codex" | "gemini" => {
            let (name, tool) = match agent {
                "gemini" => ("BeforeTool", "run_shell_command"),
                _ => ("PreToolUse", "Bash"),
            };
            json!({"session_id": "s", "cwd": "/w", "hook_event_name": name, "tool_name": tool,
                "tool_input": {"command": line}, "permission_mode": "default", "turn_id": "u"})
        }
        "copilot" => json!({"sessionId": "s", "timestamp": 1, "cwd": "/w", "toolName": "bash",
            "toolArgs": {"command": line}}),
        "cursor" => json!({"conversation_id": "s", "hook_event_name": "preToolUse", "cwd": "/w",
            "workspace_roots": ["/w"], "tool_name": "Shell", "tool_input": {"command": line}}),
        "cline" => json!({"hookName": "tool_call", "taskId": "s", "workspaceRoots": ["/w"],
            "tool_call": {"id": "c", "name": "execute_command", "input": {"command": line}}}),
        _ => json!({"directory": "/w", "hook": "tool.execute.before",
            "input": {"tool": "bash", "sessionID": "s", "callID": "c"},
            "output": {"args": {"command": line}}}),
    }
}

/// What the hooks of any agent record is decided again as it was, and rules that did not look at
/// it then find what they ask for.
#[test]
fn what_hooks_record_is_replayed() {
    let pack = root().join("examples/coding-agent");
    for agent in ["claude", "codex", "gemini", "copilot", "cursor", "cline", "opencode"] {
        let place = Place::new(BLOCK);
        let run = format!("run {agent} --rules {} --record r.jsonl", pack.display());
        for line in ["ls", "cat notes", "git push --force", "rm -rf /", "ls", "ls", "ls", "ls"] {
            place.hook(&run, &call_of(agent, line).to_string());
        }
        assert_eq!(place.run("log verify r.jsonl", "").status.code(), Some(0), "{agent}");
        let replay = |rules: &str| -> Json {
            let ran = place.run(&format!("replay --agent {agent} {rules} --json r.jsonl"), "");
            assert_eq!(ran.status.code(), Some(0), "{agent}: {:?}", String::from_utf8(ran.stderr));
            serde_json::from_slice(&ran.stdout).expect("JSON")
        };
        let told = replay(&format!("--rules {}", pack.display()));
        assert_eq!(told["occurrences"], 8, "{agent}");
        let same = &told["recorded"]["by_these_rules"];
        assert_eq!(
            (&same["compared"], &same["changed"]),
            (&json!(8), &json!(0)),
            "{agent}: {same}"
        );
        assert!(told["counts"]["decisions"]["block"].as_u64() >= Some(2), "{agent}: {told}");
        // Rules that ask what those of the hook did not.
        let told = replay("--rules rules.yaml");
        assert_eq!(told["counts"]["decisions"]["block"], 1, "{agent}");
    }
}

/// Hooks that run at once write one chain, and what is recorded without rules is replayed too.
#[test]
fn parallel_hooks_record_one_chain() {
    let place = Place::new(BLOCK);
    let children: Vec<Child> = (0..16)
        .map(|number| {
            let mut child = match number % 2 {
                0 => place.start("hooks run claude --rules rules.yaml --record r.jsonl"),
                _ => place.start("hooks record claude --to r.jsonl"),
            };
            let mut stdin = child.stdin.take().expect("an input");
            stdin.write_all(event("git push -f").as_bytes()).expect("the event");
            child
        })
        .collect();
    for child in children {
        assert!(child.wait_with_output().expect("the program ends").status.success());
    }
    let verified = place.run("log verify r.jsonl", "");
    let verified = String::from_utf8(verified.stdout).expect("a text");
    assert!(verified.starts_with("ok: 16 records in one chain"), "{verified}");
    let ran = place.run("replay --agent claude --rules rules.yaml --json r.jsonl", "");
    let told: Json = serde_json::from_slice(&ran.stdout).expect("JSON");
    assert_eq!(told["counts"]["decisions"]["block"], 16, "{told}");
    assert_eq!(told["recorded"]["by_these_rules"]["compared"], 8, "{told}");
}

/// Nothing of what was observed is in a record that is redacted.
#[test]
fn a_redacted_record_has_no_values() {
    let place = Place::new(BLOCK);
    for command in ["run claude --rules rules.yaml --record", "record claude --to"] {
        place.hook(&format!("{command} r.jsonl --redact"), &event("git push -f canary-word"));
    }
    let end =
        json!({"hook_event_name": "SessionEnd", "session_id": "s", "cwd": "/w", "reason": "x"});
    place.hook("record claude --to r.jsonl --redact", &end.to_string());
    let text = std::fs::read_to_string(place.path("r.jsonl")).expect("the record");
    assert!(!text.contains("canary-word") && !text.contains("/w\""), "{text}");
    assert_eq!(text.lines().count(), 3);
    let ran = place.run("replay --agent claude --rules rules.yaml --json r.jsonl", "");
    let told: Json = serde_json::from_slice(&ran.stdout).expect("JSON");
    assert_eq!((&told["occurrences"], &told["left_out"]["redacted"]), (&json!(2), &json!(2)));
}
