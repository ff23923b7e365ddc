//! `oar hooks check`: a canary through what is installed.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use oar_agent_hooks::install::{self, Installed};
use oar_agent_hooks::{Agent, FailureMode, Stage};
use serde_json::{Value as Json, json};

use super::install::{PlaceArgs, read};
use super::run::CANARY;
use crate::output::{ASIDE, BAD, DOUBT, GOOD, HEAD, Output, Trouble, Verdict, styled};

/// Whose hooks are looked at.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    place: PlaceArgs,
}

/// How often a decision is timed.
const RUNS: usize = 7;

/// How long one canary may take.
const PATIENCE: Duration = Duration::from_secs(15);

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Verdict, Trouble> {
    let agent = args.place.agent;
    let place = args.place.place()?;
    let found =
        install::installed(agent, &place, &read).map_err(|fault| Trouble::Io(fault.to_string()))?;
    output.line(&styled(
        HEAD,
        &format!("{}: {}", agent.title(), install::location(agent, &place).display()),
    ));
    let mut bad = false;
    let mut line = |output: &mut Output, good: bool, text: &str| {
        bad |= !good;
        let word = if good { styled(GOOD, "ok ") } else { styled(BAD, "bad") };
        output.line(&format!("  {word} {text}"));
    };
    let missing: Vec<&str> = install::events(agent)
        .iter()
        .copied()
        .filter(|event| !found.iter().any(|own| own.event == *event))
        .collect();
    if !missing.is_empty() {
        line(output, false, &format!("not installed at {}", missing.join(", ")));
        output.line(&format!("      run `oar hooks install {agent} --rules PATH`"));
    }
    let before = found.iter().find(|own| agent.adapter().stage(&own.event) == Stage::BeforeTool);
    if let Some(before) = before {
        let canary = canary(agent, CANARY).to_string();
        let denied = ask(before, &canary);
        line(output, denied.is_deny(), &format!("a call that is denied: {}", denied.told()));
        let truncated = canary.get(..canary.len() / 2).unwrap_or_default();
        let cut = ask(before, truncated);
        line(output, cut.is_deny(), &format!("an event that is cut off: {}", cut.told()));
        let mut times = Vec::new();
        for _ in 0..RUNS {
            times.push(ask(before, &self::canary(agent, "oar_timing").to_string()).time);
        }
        times.sort();
        let median = times.get(RUNS / 2).copied().unwrap_or_default();
        line(
            output,
            median < Duration::from_secs(1),
            &format!(
                "one decision takes {:.1} ms (median of {RUNS})",
                median.as_secs_f64() * 1000.0
            ),
        );
    }
    for mode in FailureMode::open(agent) {
        let word = styled(DOUBT, "open");
        output.line(&format!("  {word} {}: {}", mode.what, styled(ASIDE, mode.then)));
    }
    Ok(Verdict::unless(bad))
}

/// What came of a canary.
struct Asked {
    text: Result<String, String>,
    time: Duration,
}

impl Asked {
    /// Whether it is a deny in the form of an agent.
    fn is_deny(&self) -> bool {
        let Ok(text) = &self.text else { return false };
        let answer: Json = serde_json::from_str(text).unwrap_or_default();
        let at = |pointer: &str| answer.pointer(pointer).cloned().unwrap_or_default();
        at("/hookSpecificOutput/permissionDecision") == "deny"
            || at("/permissionDecision") == "deny"
            || at("/permission") == "deny"
            || at("/decision") == "deny"
            || at("/cancel") == true
            || at("/deny").is_string()
    }

    fn told(&self) -> String {
        match &self.text {
            Ok(_) if self.is_deny() => "it is".to_owned(),
            Ok(text) if text.is_empty() => "no answer".to_owned(),
            Ok(text) => format!("it is not: {text}"),
            Err(reason) => reason.clone(),
        }
    }
}

/// Runs the installed command line with an event.
fn ask(hook: &Installed, event: &str) -> Asked {
    let begun = Instant::now();
    let text = answered(hook, event);
    Asked { text, time: begun.elapsed() }
}

fn answered(hook: &Installed, event: &str) -> Result<String, String> {
    let (program, arguments) = hook.words.split_first().ok_or("the command is empty")?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("`{program}` cannot be started: {error}"))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A hook that ends before it has read everything has its reasons.
        drop(stdin.write_all(event.as_bytes()));
    }
    let begun = Instant::now();
    while child.try_wait().map_err(|error| error.to_string())?.is_none() {
        if begun.elapsed() > PATIENCE {
            drop(child.kill());
            return Err("no answer in time".to_owned());
        }
        std::thread::sleep(Duration::from_micros(200));
    }
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    match output.status.code() {
        Some(0) => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        Some(code) => Err(format!("it ends with {code}")),
        None => Err("it was killed".to_owned()),
    }
}

/// An event before a call of a tool that no agent has.
fn canary(agent: Agent, tool: &str) -> Json {
    let cwd = std::env::current_dir().unwrap_or_default();
    let session = "oar-check";
    match agent {
        Agent::Copilot => {
            json!({"sessionId": session, "cwd": cwd, "timestamp": 0, "toolName": tool, "toolArgs": {}})
        }
        Agent::Cursor => json!({"conversation_id": session, "session_id": session,
            "hook_event_name": "preToolUse", "workspace_roots": [cwd], "tool_name": tool,
            "tool_input": {}}),
        Agent::Cline => json!({"hookName": "tool_call", "taskId": session,
            "workspaceRoots": [cwd], "tool_call": {"id": "c", "name": tool, "input": {}}}),
        Agent::OpenCode => json!({"hook": "tool.execute.before", "directory": cwd,
            "input": {"tool": tool, "sessionID": session, "callID": "c"}, "output": {"args": {}}}),
        _ => json!({"session_id": session, "cwd": cwd, "tool_name": tool, "tool_input": {},
            "hook_event_name": agent.adapter().first_event()}),
    }
}
