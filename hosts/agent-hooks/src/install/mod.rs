//! The agents' own configurations: our entries in, our entries out, and nothing else touched.
//!
//! Everything here is text to text; the caller reads and writes. An entry is ours when it runs
//! `hooks run AGENT`, wherever the program lies.

mod files;
mod json;
mod toml;

use std::path::{Path, PathBuf};

use crate::{Agent, Fault};

/// For whom it is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// For the person: their home directory.
    User(PathBuf),
    /// For a project: its directory.
    Project(PathBuf),
}

/// The command that the agent is to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// The program, by its absolute path.
    pub program: PathBuf,
    /// What stands behind `hooks run AGENT`, without `--event`.
    pub arguments: Vec<String>,
    /// The agent's timer, in seconds.
    pub seconds: u64,
}

/// A file and what becomes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The file.
    pub path: PathBuf,
    /// What is in it; `None` where there is none.
    pub before: Option<String>,
    /// What will be in it; `None` where it goes.
    pub after: Option<String>,
    /// Whether it is a program.
    pub executable: bool,
}

/// A command line that an agent has been told to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// The event that it runs at.
    pub event: String,
    /// The program and its arguments.
    pub words: Vec<String>,
}

/// How an agent's configuration is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// A JSON file that is shared with other settings.
    Json,
    /// A TOML file that is shared with other settings.
    Toml,
    /// Files of our own.
    Own,
}

fn kept(agent: Agent) -> Kept {
    match agent {
        Agent::Claude | Agent::Gemini | Agent::Cursor => Kept::Json,
        Agent::Codex => Kept::Toml,
        Agent::Copilot | Agent::Cline | Agent::OpenCode => Kept::Own,
    }
}

/// The events at which an agent's hook is installed: all at which something can be decided.
#[must_use]
pub fn events(agent: Agent) -> &'static [&'static str] {
    match agent {
        Agent::Claude => &[
            "PreToolUse",
            "PostToolUse",
            "UserPromptSubmit",
            "PermissionRequest",
            "ConfigChange",
            "SessionStart",
            "Stop",
            "SubagentStop",
        ],
        Agent::Codex => &[
            "PreToolUse",
            "PostToolUse",
            "UserPromptSubmit",
            "PermissionRequest",
            "SessionStart",
            "Stop",
            "SubagentStop",
        ],
        Agent::Gemini => &["BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "SessionStart"],
        Agent::Copilot => {
            &["preToolUse", "postToolUse", "permissionRequest", "agentStop", "subagentStop"]
        }
        Agent::Cursor => {
            &["preToolUse", "postToolUse", "beforeSubmitPrompt", "stop", "subagentStop"]
        }
        Agent::Cline => &["PreToolUse", "PostToolUse", "UserPromptSubmit"],
        Agent::OpenCode => &["tool.execute.before", "tool.execute.after", "chat.message"],
    }
}

/// The file, or the directory of files, that an agent's hooks stand in.
#[must_use]
pub fn location(agent: Agent, place: &Place) -> PathBuf {
    match place {
        Place::User(home) => home.join(match agent {
            Agent::Claude => ".claude/settings.json",
            Agent::Codex => ".codex/config.toml",
            Agent::Gemini => ".gemini/settings.json",
            Agent::Copilot => ".copilot/hooks/oar.json",
            Agent::Cursor => ".cursor/hooks.json",
            Agent::Cline => "Documents/Cline/Hooks",
            Agent::OpenCode => ".config/opencode/plugin/oar.js",
        }),
        Place::Project(root) => root.join(match agent {
            Agent::Claude => ".claude/settings.json",
            Agent::Codex => ".codex/config.toml",
            Agent::Gemini => ".gemini/settings.json",
            Agent::Copilot => ".github/hooks/oar.json",
            Agent::Cursor => ".cursor/hooks.json",
            Agent::Cline => ".clinerules/hooks",
            Agent::OpenCode => ".opencode/plugin/oar.js",
        }),
    }
}

/// Every file in which an agent's hooks can stand or be switched off, in a home directory and
/// a project: what a rule about edits of its own guard protects.
#[must_use]
pub fn guarded(agent: Agent, home: Option<&Path>, project: Option<&Path>) -> Vec<PathBuf> {
    let places = [
        home.map(|home| Place::User(home.to_owned())),
        project.map(|root| Place::Project(root.to_owned())),
    ];
    let mut paths: Vec<PathBuf> =
        places.iter().flatten().map(|place| location(agent, place)).collect();
    if agent == Agent::Claude {
        paths.extend(project.map(|root| root.join(".claude/settings.local.json")));
    }
    paths
}

/// What installing changes. `read` gives the text of a file, or nothing where there is none.
///
/// Entries of ours that are there are replaced, so that installing twice is installing once.
///
/// # Errors
/// When a file cannot be read, or is none that the agent would read either.
pub fn install(
    agent: Agent,
    place: &Place,
    invocation: &Invocation,
    read: &dyn Fn(&Path) -> std::io::Result<Option<String>>,
) -> Result<Vec<Change>, Fault> {
    let path = location(agent, place);
    let mut changes = match kept(agent) {
        Kept::Own => files::install(agent, &path, invocation, read)?,
        Kept::Json => {
            let before = text_of(&path, read)?;
            let after = json::install(agent, before.as_deref().unwrap_or_default(), invocation)
                .map_err(|fault| at(&path, &fault))?;
            vec![Change { path, before, after: Some(after), executable: false }]
        }
        Kept::Toml => {
            let before = text_of(&path, read)?;
            let after = toml::install(agent, before.as_deref().unwrap_or_default(), invocation)
                .map_err(|fault| at(&path, &fault))?;
            vec![Change { path, before, after: Some(after), executable: false }]
        }
    };
    changes.retain(|change| change.before != change.after);
    Ok(changes)
}

/// What uninstalling changes.
///
/// # Errors
/// As [`install`].
pub fn uninstall(
    agent: Agent,
    place: &Place,
    read: &dyn Fn(&Path) -> std::io::Result<Option<String>>,
) -> Result<Vec<Change>, Fault> {
    let path = location(agent, place);
    let mut changes = match kept(agent) {
        Kept::Own => files::uninstall(agent, &path, read)?,
        kept => {
            let Some(before) = text_of(&path, read)? else { return Ok(Vec::new()) };
            let after = match kept {
                Kept::Toml => toml::uninstall(agent, &before),
                _ => json::uninstall(agent, &before),
            };
            let after = after.map_err(|fault| at(&path, &fault))?;
            // A file in which nothing is left was made by us.
            let left = !matches!(after.trim(), "" | "{}");
            let after = (left || before.trim() == after.trim()).then_some(after);
            vec![Change { path, before: Some(before), after, executable: false }]
        }
    };
    changes.retain(|change| change.before != change.after);
    Ok(changes)
}

/// The command lines of ours that an agent has been told to run.
///
/// # Errors
/// As [`install`].
pub fn installed(
    agent: Agent,
    place: &Place,
    read: &dyn Fn(&Path) -> std::io::Result<Option<String>>,
) -> Result<Vec<Installed>, Fault> {
    let path = location(agent, place);
    match kept(agent) {
        Kept::Own => files::installed(agent, &path, read),
        kept => {
            let Some(text) = text_of(&path, read)? else { return Ok(Vec::new()) };
            let found = match kept {
                Kept::Toml => toml::installed(agent, &text),
                _ => json::installed(agent, &text),
            };
            found.map_err(|fault| at(&path, &fault))
        }
    }
}

fn text_of(
    path: &Path,
    read: &dyn Fn(&Path) -> std::io::Result<Option<String>>,
) -> Result<Option<String>, Fault> {
    read(path).map_err(|error| Fault::new(format!("cannot read `{}`: {error}", path.display())))
}

fn at(path: &Path, fault: &Fault) -> Fault {
    Fault::new(format!("`{}` is not changed: {fault}", path.display()))
}

impl Invocation {
    /// The arguments of the program at an event.
    fn words(&self, agent: Agent, event: &str) -> Vec<String> {
        let mut words: Vec<String> =
            ["hooks", "run", agent.name(), "--event", event].map(str::to_owned).to_vec();
        words.extend(self.arguments.iter().cloned());
        words
    }

    /// The whole as a line for a shell.
    fn line(&self, agent: Agent, event: &str) -> String {
        let program = quoted(&self.program.display().to_string());
        let words = self.words(agent, event);
        let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        format!("{program} {}", words.join(" "))
    }
}

/// A word as a shell reads it back.
fn quoted(word: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_./:=,@%+".contains(&b);
    match !word.is_empty() && word.bytes().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// The words of a line that [`Invocation::line`] wrote.
fn unquoted(line: &str) -> Vec<String> {
    let commands = crate::shell::Line::parse(line).commands;
    let words = commands.into_iter().next().map(|command| command.words).unwrap_or_default();
    words.into_iter().map(|word| word.text).collect()
}

/// Whether words run our hook for an agent.
fn is_ours(agent: Agent, words: &[String]) -> bool {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    words.windows(3).any(|three| three == ["hooks", "run", agent.name()])
}

#[cfg(test)]
mod tests;
