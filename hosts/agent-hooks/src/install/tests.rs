//! Configurations before and after: what was there stays, and what was installed goes again.

use std::path::{Path, PathBuf};

use super::{Invocation, Place, install, installed, uninstall};
use crate::Agent;

fn invocation() -> Invocation {
    Invocation {
        program: PathBuf::from("/opt/it's here/oar"),
        arguments: vec!["--rules".to_owned(), "/etc/oar/my rules".to_owned()],
        seconds: 10,
    }
}

fn place() -> Place {
    Place::Project(PathBuf::from("/w"))
}

/// What is there before, by agent.
fn befores(agent: Agent) -> Vec<Option<&'static str>> {
    match agent {
        Agent::Claude | Agent::Gemini | Agent::Cursor => vec![
            None,
            Some("{}\n"),
            Some(
                "{\n  // mine\n  \"model\": \"x\", // stays\n  \"hooks\": {\n    \"Other\": []\n  }\n}\n",
            ),
            Some(
                "{\n    \"hooks\": {\n        \"PreToolUse\": [\n            {\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"mine.sh hooks\"}]}\n        ]\n    },\n    \"z\": [1,2],\n}\n",
            ),
        ],
        Agent::Codex => vec![
            None,
            Some(
                "# mine\nmodel = \"x\" # stays\n\n[[hooks.PreToolUse]]\nmatcher = \"Bash\"\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"mine.sh\"\n\n[tail]\na = 1\n",
            ),
        ],
        _ => vec![None],
    }
}

#[test]
fn what_is_installed_can_be_found_and_taken_out_again() {
    for agent in Agent::ALL {
        for before in befores(agent) {
            let read = |_: &Path| Ok(before.map(str::to_owned));
            let changes = install(agent, &place(), &invocation(), &read).unwrap();
            assert!(!changes.is_empty(), "{agent}");
            let after = |path: &Path| {
                let change = changes.iter().find(|change| change.path == path);
                Ok(change.and_then(|change| change.after.clone()))
            };
            let found = installed(agent, &place(), &after).unwrap();
            let events: Vec<&str> = found.iter().map(|own| own.event.as_str()).collect();
            for event in super::events(agent) {
                assert!(events.contains(event), "{agent} {event}: {events:?}");
            }
            assert_eq!(found.len(), super::events(agent).len(), "{agent}");
            let first = &found[0];
            assert_eq!(first.words[0], "/opt/it's here/oar", "{agent}");
            let tail: Vec<&str> = first.words[1..].iter().map(String::as_str).collect();
            let wanted = [
                "hooks",
                "run",
                agent.name(),
                "--event",
                &first.event,
                "--rules",
                "/etc/oar/my rules",
            ];
            assert_eq!(tail, wanted, "{agent}");
            // Twice is once.
            assert!(install(agent, &place(), &invocation(), &after).unwrap().is_empty(), "{agent}");
            for change in uninstall(agent, &place(), &after).unwrap() {
                let original = before.filter(|before| before.trim() != "{}");
                let left = change.after.as_deref();
                assert_eq!(left, original, "{agent} {}", change.path.display());
            }
        }
    }
}

#[test]
fn nothing_of_ours_is_nothing_to_uninstall() {
    for agent in Agent::ALL {
        for before in befores(agent) {
            let read = |_: &Path| Ok(before.map(str::to_owned));
            if matches!(agent, Agent::Cline | Agent::OpenCode | Agent::Copilot) && before.is_some()
            {
                continue;
            }
            assert_eq!(uninstall(agent, &place(), &read).unwrap(), [], "{agent} {before:?}");
        }
    }
}

#[test]
fn what_is_broken_or_not_ours_is_left_alone() {
    for (agent, before, message) in [
        (Agent::Claude, "{", "`/w/.claude/settings.json` is not changed: it is no JSON: "),
        (Agent::Claude, "[]", "`/w/.claude/settings.json` is not changed: it holds no JSON object"),
        (Agent::Claude, "{\"hooks\": 1}", "its `hooks` is no object"),
        (Agent::Gemini, "{\"hooks\": {\"BeforeTool\": 1}}", "its `hooks.BeforeTool` is no list"),
        (Agent::Codex, "a = ", "`/w/.codex/config.toml` is not changed: it is no TOML: "),
        (Agent::Codex, "hooks = 1", "its `hooks` is no table"),
        (Agent::OpenCode, "mine", "`/w/.opencode/plugin/oar.js` is there already and is not ours"),
    ] {
        let read = |_: &Path| Ok(Some(before.to_owned()));
        let fault = install(agent, &place(), &invocation(), &read).unwrap_err().to_string();
        assert!(fault.contains(message), "{agent} {before}: {fault}");
    }
}
