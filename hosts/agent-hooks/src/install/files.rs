//! Files of our own: Copilot CLI, Cline, OpenCode.

use std::path::{Path, PathBuf};

use super::{Change, Installed, Invocation, events, is_ours, text_of, unquoted};
use crate::json::{Out, quote};
use crate::{Agent, Fault};

type Read<'r> = &'r dyn Fn(&Path) -> std::io::Result<Option<String>>;

/// A line that every file of ours has.
const MARK: &str = "oar hooks install";

const PLUGIN: &str = include_str!("plugin.js");

/// What is to stand in the files: the path, the text, and whether it is a program.
fn wanted(agent: Agent, path: &Path, invocation: &Invocation) -> Vec<(PathBuf, String, bool)> {
    match agent {
        Agent::Cline => events(agent)
            .iter()
            .map(|event| {
                let text = format!(
                    "#!/bin/sh\n# Written by `oar hooks install cline`.\nexec {}\n",
                    invocation.line(agent, event)
                );
                (path.join(event), text, true)
            })
            .collect(),
        Agent::Copilot => vec![(path.to_owned(), copilot(invocation), false)],
        _ => vec![(path.to_owned(), plugin(invocation), false)],
    }
}

fn copilot(invocation: &Invocation) -> String {
    let hook = |event: &&str| {
        let line = format!("exec {}", invocation.line(Agent::Copilot, event));
        let hook = Out::object()
            .with("type", "command")
            .with("bash", line)
            .with("timeoutSec", Out::Raw(invocation.seconds.to_string()));
        format!("    \"{event}\": [\n      {}\n    ]", hook.text())
    };
    let hooks: Vec<String> = events(Agent::Copilot).iter().map(hook).collect();
    format!(
        "{{\n  \"version\": 1,\n  \"description\": \"Written by `oar hooks install copilot`.\",\n  \"hooks\": {{\n{}\n  }}\n}}\n",
        hooks.join(",\n")
    )
}

fn plugin(invocation: &Invocation) -> String {
    let text = |value: &str| {
        let mut quoted = String::new();
        quote(&mut quoted, value);
        quoted
    };
    let words: Vec<String> = invocation.arguments.iter().map(|word| text(word)).collect();
    PLUGIN
        .replace("\"@PROGRAM@\"", &text(&invocation.program.display().to_string()))
        .replace("\"@WORDS@\"", &format!("[{}]", words.join(", ")))
        .replace("\"@MILLISECONDS@\"", &(invocation.seconds * 1000).to_string())
}

pub(super) fn install(
    agent: Agent,
    path: &Path,
    invocation: &Invocation,
    read: Read<'_>,
) -> Result<Vec<Change>, Fault> {
    let mut changes = Vec::new();
    for (path, after, executable) in wanted(agent, path, invocation) {
        let before = text_of(&path, read)?;
        if before.as_ref().is_some_and(|text| !text.contains(MARK)) {
            let message = format!("`{}` is there already and is not ours", path.display());
            return Err(Fault::new(message));
        }
        changes.push(Change { path, before, after: Some(after), executable });
    }
    Ok(changes)
}

fn paths(agent: Agent, path: &Path) -> Vec<(String, PathBuf)> {
    match agent {
        Agent::Cline => {
            events(agent).iter().map(|event| ((*event).to_owned(), path.join(event))).collect()
        }
        _ => vec![(String::new(), path.to_owned())],
    }
}

pub(super) fn uninstall(agent: Agent, path: &Path, read: Read<'_>) -> Result<Vec<Change>, Fault> {
    let mut changes = Vec::new();
    for (_, path) in paths(agent, path) {
        if let Some(before) = text_of(&path, read)?
            && before.contains(MARK)
        {
            changes.push(Change { path, before: Some(before), after: None, executable: false });
        }
    }
    Ok(changes)
}

pub(super) fn installed(
    agent: Agent,
    path: &Path,
    read: Read<'_>,
) -> Result<Vec<Installed>, Fault> {
    let mut found = Vec::new();
    for (event, path) in paths(agent, path) {
        let Some(text) = text_of(&path, read)? else { continue };
        if !text.contains(MARK) {
            continue;
        }
        match agent {
            Agent::Cline => {
                let line = text.lines().find_map(|line| line.strip_prefix("exec "));
                found.extend(line.map(|line| Installed { event, words: unquoted(line) }));
            }
            Agent::Copilot => found.extend(copilot_lines(&text)?),
            _ => found.extend(plugin_words(&text)),
        }
    }
    found.retain(|own| is_ours(agent, &own.words));
    Ok(found)
}

fn copilot_lines(text: &str) -> Result<Vec<Installed>, Fault> {
    let value: serde_json::Value = serde_json::from_str(text)
        .map_err(|error| Fault::new(format!("it is no JSON: {error}")))?;
    let hooks = value.get("hooks").and_then(serde_json::Value::as_object);
    let mut found = Vec::new();
    for (event, list) in hooks.into_iter().flatten() {
        for hook in list.as_array().into_iter().flatten() {
            let line = hook.get("bash").and_then(serde_json::Value::as_str).unwrap_or_default();
            let line = line.strip_prefix("exec ").unwrap_or(line);
            found.push(Installed { event: event.clone(), words: unquoted(line) });
        }
    }
    Ok(found)
}

/// The plugin runs one program for all of its events.
fn plugin_words(text: &str) -> Vec<Installed> {
    let constant = |name: &str| {
        let begin = format!("const {name} = ");
        let line = text.lines().find_map(|line| line.strip_prefix(&begin))?;
        serde_json::from_str::<serde_json::Value>(line).ok()
    };
    let program = constant("PROGRAM").and_then(|value| value.as_str().map(str::to_owned));
    let words = constant("WORDS").and_then(|value| value.as_array().cloned()).unwrap_or_default();
    let words = words.iter().filter_map(|word| word.as_str().map(str::to_owned));
    let Some(program) = program else { return Vec::new() };
    let words: Vec<String> = words.collect();
    let one = |event: &&str| {
        let mut all = vec![program.clone()];
        let fixed = ["hooks", "run", Agent::OpenCode.name(), "--event", event];
        all.extend(fixed.map(str::to_owned));
        all.extend(words.iter().cloned());
        Installed { event: (*event).to_owned(), words: all }
    };
    events(Agent::OpenCode).iter().map(one).collect()
}
