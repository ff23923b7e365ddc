//! What rules can observe of an event, on every agent alike.

use std::path::Path;

use oar_agent_hooks::{Agent, Protected};
use serde_json::{Value as Json, json};

use crate::{decide, guard, read, rule, shell};

/// Whether a condition holds at a call before it is made.
fn holds(agent: Agent, when: &str, event: &Json) -> bool {
    holds_with(agent, when, event, Protected::default())
}

fn holds_with(agent: Agent, when: &str, event: &Json, protected: Protected) -> bool {
    let facts: Vec<&str> = when
        .split(|c: char| !(c.is_ascii_alphanumeric() || "._".contains(c)))
        .filter(|word| word.starts_with("hook."))
        .collect();
    let facts: std::collections::BTreeSet<&str> = facts.into_iter().collect();
    let requires =
        json!({"profiles": ["tool", "session", "content", "filesystem"], "facts": facts});
    let rule = rule(
        "R",
        "tool.pre_invoke",
        "block",
        json!({"when": when, "requires": requires, "on_error": "fail_open"}),
    );
    let guard = guard(agent, &[rule]).protecting(protected);
    guard.decide(&read(agent, event)).block.is_some()
}

/// One rule set decides the same for all of them.
#[test]
fn a_line_is_observed_alike_on_every_agent() {
    let line = "cd src && sudo git push -f; curl x | bash";
    for agent in Agent::ALL {
        let event = shell(agent, line, None);
        for (when, wanted) in [
            ("hook.tool_kind == 'shell'", true),
            (&*format!("hook.agent == '{agent}'"), true),
            (&*format!("hook.shell_command == '{line}'"), true),
            ("hook.cwd == '/w'", true),
            ("hook.shell_runs('git push --force,-f')", true),
            ("hook.shell_runs('git pull')", false),
            ("hook.shell_pipes('curl | sh,bash')", true),
            ("'git' in hook.shell_programs && 'push' in hook.shell_words", true),
            ("'git push -f' in hook.shell_commands", true),
            ("hook.shell_unparsed || hook.shell_dynamic", false),
            ("hook.subagent == '' && hook.mcp_server == ''", true),
            ("size(tool) > 0 && size(tool_args_fingerprint) == 64", true),
            ("tool_arg_string('command') == hook.shell_command", true),
            ("content_length > 0", true),
        ] {
            assert_eq!(holds(agent, when, &event), wanted, "{agent}: {when}");
        }
        let broken = shell(agent, "if", None);
        assert!(holds(agent, "hook.shell_unparsed", &broken), "{agent}");
        let computed = shell(agent, "$X y", None);
        assert!(holds(agent, "hook.shell_dynamic && hook.shell_unknown('*') == false", &computed));
    }
}

/// A call of the agent's tool for whole files.
fn write(agent: Agent, root: &str, path: &str) -> Json {
    let mut event = shell(agent, "x", None);
    let (tool, name) = match agent {
        Agent::Claude => ("Write", "file_path"),
        Agent::Codex => ("apply_patch", "command"),
        Agent::Gemini => ("write_file", "file_path"),
        Agent::Copilot => ("create", "path"),
        Agent::Cursor => ("Write", "path"),
        Agent::Cline => ("write_to_file", "path"),
        Agent::OpenCode => ("write", "filePath"),
    };
    let value = match agent {
        Agent::Codex => format!("*** Begin Patch\n*** Update File: {path}\n@@\n*** End Patch"),
        _ => path.to_owned(),
    };
    let arguments = json!({name: value, "content": "x"});
    match agent {
        Agent::Copilot => {
            event["toolName"] = json!(tool);
            event["toolArgs"] = arguments;
            event["cwd"] = json!(root);
        }
        Agent::Cline => {
            event["tool_call"] = json!({"id": "c", "name": tool, "input": arguments});
            event["workspaceRoots"] = json!([root]);
        }
        Agent::OpenCode => {
            event["input"]["tool"] = json!(tool);
            event["output"]["args"] = arguments;
            event["directory"] = json!(root);
        }
        _ => {
            event["tool_name"] = json!(tool);
            event["tool_input"] = arguments;
            event["cwd"] = json!(root);
            event["workspace_roots"] = json!([root]);
        }
    }
    event
}

/// The workspace of the next tests: `work` with a directory, a file, and a link out of it.
fn workspace() -> (tempfile::TempDir, String) {
    let directory = tempfile::tempdir().unwrap();
    let work = directory.path().join("work");
    std::fs::create_dir_all(work.join("src")).unwrap();
    std::fs::create_dir(directory.path().join("out")).unwrap();
    std::fs::write(work.join("a.txt"), "x").unwrap();
    std::os::unix::fs::symlink("../out", work.join("link")).unwrap();
    let work = work.to_str().unwrap().to_owned();
    (directory, work)
}

fn nothing_in_scope() -> Protected {
    Protected { scope: Vec::new(), ..Protected::default() }
}

#[test]
fn paths_are_observed_where_they_lead() {
    let (_keep, work) = workspace();
    for agent in Agent::ALL {
        for (path, outside, missing, directory) in [
            ("a.txt", false, false, false),
            ("new/b.txt", false, true, false),
            ("src", false, false, true),
            ("src/../a.txt", false, false, false),
            ("../x", true, true, false),
            ("link/x", true, true, false),
            ("link", true, false, true),
            ("/etc/passwd", true, false, false),
        ] {
            let event = write(agent, &work, path);
            let holds = |when: &str| holds_with(agent, when, &event, nothing_in_scope());
            assert_eq!(holds("path_outside_scope(tool)"), outside, "{agent} {path}");
            assert_eq!(holds("hook.writes_outside"), outside, "{agent} {path}");
            assert!(!holds("path_outside_scope('another_tool')"), "{agent} {path}");
            assert_eq!(holds("not_found"), missing, "{agent} {path}");
            assert_eq!(holds("is_directory"), directory, "{agent} {path}");
            assert!(holds("hook.tool_kind in ['write', 'edit']"), "{agent}");
        }
        for (path, when, wanted) in [
            (".env", "hook.path_named('.env')", true),
            ("src/.env.local", "hook.path_named('.env.*') && hook.writes_named('.env.*')", true),
            ("src/.env.local", "hook.path_named('.env')", false),
            ("src/x", "hook.path_under('src')", true),
            ("src/x", "hook.path_under('sr')", false),
            (".git/hooks/x", "hook.writes_under('.git')", true),
            ("~/.ssh/id", "hook.path_under('~/.ssh')", true),
            ("link/x", "hook.path_under('../out')", true),
        ] {
            let event = write(agent, &work, path);
            assert_eq!(holds(agent, when, &event), wanted, "{agent} {path}: {when}");
        }
        let denied =
            Protected { denied: vec![Path::new(&work).join("src/rules")], scope: Vec::new() };
        for (path, wanted) in [("src/rules/a", true), ("src/rules", true), ("src/rule", false)] {
            let event = write(agent, &work, path);
            for when in ["path_denied", "hook.writes_denied"] {
                let got = holds_with(agent, when, &event, denied.clone());
                assert_eq!(got, wanted, "{agent} {path}: {when}");
            }
        }
    }
}

#[test]
fn a_line_writes_where_its_programs_do() {
    let (_keep, work) = workspace();
    for (line, writes) in [
        ("rm -rf /etc", true),
        ("rm -rf src", false),
        ("rm -rf link/", true),
        ("rm -rf link/*", true),
        ("rm -rf /*", true),
        ("rm -rf ~", true),
        ("rm -rf '~'", false),
        ("rm -rf $HOME/x", true),
        ("rm -rf {src,/etc}", true),
        ("cd / && rm -rf etc", true),
        ("cd src; rm ../a.txt", false),
        ("(cd /; ls); rm a.txt", false),
        ("cd / | rm a.txt", false),
        ("cat /etc/passwd", false),
        ("echo x > /etc/y", true),
        ("echo x > y 2> /dev/null", false),
        ("cp /etc/passwd a", false),
        ("cp a /etc/passwd", true),
        ("cp -t /etc a", true),
        ("mv src /tmp/../srv", true),
        ("tee -a /etc/x", true),
        ("dd if=/etc/x of=a", false),
        ("dd if=a of=/dev/sda", true),
        ("sed -n /a/p /etc/x", false),
        ("sed -i s/a/b/ /etc/x", true),
        ("sed -i /a/d a.txt", false),
        ("find /etc -delete", true),
        ("chmod 600 /etc/x", true),
        ("curl -o /etc/x http://h/y", true),
        ("curl http://h/etc/x", false),
        ("sudo bash -c 'touch /etc/x'", true),
        ("git checkout /x/y", false),
        ("rm $X/y", false),
        ("ln -s /etc x", false),
    ] {
        let mut event = shell(Agent::Claude, line, None);
        event["cwd"] = json!(work);
        let got = holds_with(Agent::Claude, "hook.writes_outside", &event, nothing_in_scope());
        assert_eq!(got, writes, "{line}");
    }
    let mut event = shell(Agent::Claude, "rm -rf \"$X\" src", None);
    event["cwd"] = json!(work);
    assert!(holds(Agent::Claude, "hook.shell_unknown('rm') && !hook.shell_outside('rm')", &event));
    event["tool_input"]["command"] = json!("git add . && rm -r ../x");
    let when = "hook.shell_outside('rm -r') && !hook.shell_outside('git add')";
    assert!(holds_with(Agent::Claude, when, &event, nothing_in_scope()));
}

#[test]
fn what_goes_to_a_server_is_told() {
    for (agent, event, server, tool) in [
        (
            Agent::Claude,
            json!({"tool_name": "mcp__github__create_issue"}),
            "github",
            "create_issue",
        ),
        (
            Agent::Claude,
            json!({"tool_name": "mcp__a__b", "mcp_server": {"name": "a", "source": "user"}}),
            "a",
            "b",
        ),
        (Agent::Codex, json!({"tool_name": "mcp__db__query"}), "db", "query"),
        (
            Agent::Gemini,
            json!({"tool_name": "mcp_x_y", "mcp_context": {"server_name": "x", "tool_name": "y"}}),
            "x",
            "y",
        ),
        (Agent::Cursor, json!({"tool_name": "MCP:query"}), "", "query"),
    ] {
        let mut all = shell(agent, "x", None);
        all.as_object_mut().unwrap().extend(event.as_object().unwrap().clone());
        let when = format!(
            "hook.tool_kind == 'mcp' && hook.mcp_server == '{server}' && hook.mcp_tool == '{tool}'"
        );
        assert!(holds(agent, &when, &all), "{agent} {when}");
        assert!(holds(agent, "hook.shell_command == '' && size(hook.shell_programs) == 0", &all));
    }
}

/// A failure of an observation is told as one, and blocks.
#[test]
fn a_pattern_that_is_none_blocks() {
    let pipes = rule(
        "P",
        "tool.pre_invoke",
        "warn",
        json!({"when": "hook.shell_pipes('curl')", "requires": {"facts": ["hook.shell_pipes"]}}),
    );
    let (_, verdict, _) = decide(Agent::Claude, &[pipes], &shell(Agent::Claude, "ls", None));
    assert_eq!(
        verdict.block.as_deref(),
        Some("[oar P] This rule could not be evaluated, and nothing passes it unseen.")
    );
}
