//! The observations of an event, made when a rule asks for them ([OAR-FACT-11]).
//!
//! The line of a shell call is parsed, and paths are resolved, at most once an event.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use oar_engine::document::source::{Node, Value as Json};
use oar_engine::observe::{FactProvider, FactValue, Occurrence, ProviderFailure};
use oar_expr::Value;

use crate::paths::{Named, resolve};
use crate::shell::{Command, Line, Pattern, Word};
use crate::{Event, Protected, ToolKind, patch};

/// What can be observed of one event.
pub(crate) struct Observed {
    event: Arc<Event>,
    protected: Arc<Protected>,
    line: OnceLock<Line>,
    paths: OnceLock<Vec<Named>>,
}

/// The observations of an event, for a host that is not a [`Guard`](crate::Guard).
#[must_use]
pub fn observing(event: Event, protected: Protected) -> impl FactProvider + 'static {
    Observed::new(Arc::new(event), Arc::new(protected))
}

/// Arguments that name files, in the tools of all agents.
const PATH_ARGUMENTS: &[&str] = &[
    "absolute_path",
    "dir_path",
    "directory",
    "file",
    "filePath",
    "file_path",
    "filename",
    "new_path",
    "notebook_path",
    "old_path",
    "path",
    "relative_workspace_path",
    "target_file",
];

/// Arguments that list files.
const PATH_LISTS: &[&str] = &["file_paths", "files", "include", "paths"];

/// Arguments of a shell tool that hold its line, and those that say where it runs.
const LINES: &[&str] = &["command", "cmd", "script"];
const DIRECTORIES: &[&str] = &["cwd", "dir_path", "directory", "workdir", "working_directory"];

/// What is a file by name only.
const NO_FILES: &[&str] = &["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/tty"];

/// Which operands a program writes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writes {
    All,
    Last,
    /// All but the first, which is no file.
    AllButFirst,
    /// The value of an operand of this name, as in `of=FILE`.
    Named(&'static str),
    /// The values of these options.
    Options(&'static [&'static str]),
}

/// Programs that write to the files that they name.
const WRITERS: &[(&str, Writes)] = &[
    ("chgrp", Writes::AllButFirst),
    ("chmod", Writes::AllButFirst),
    ("chown", Writes::AllButFirst),
    ("cp", Writes::Last),
    ("curl", Writes::Options(&["-o", "--output", "--output-dir"])),
    ("dd", Writes::Named("of")),
    ("install", Writes::Last),
    ("ln", Writes::Last),
    ("mkdir", Writes::All),
    ("mkfifo", Writes::All),
    ("mv", Writes::All),
    ("patch", Writes::All),
    ("rm", Writes::All),
    ("rmdir", Writes::All),
    ("rsync", Writes::Last),
    ("scp", Writes::Last),
    ("shred", Writes::All),
    ("tee", Writes::All),
    ("touch", Writes::All),
    ("truncate", Writes::All),
    ("unlink", Writes::All),
    ("unzip", Writes::Options(&["-d"])),
    ("wget", Writes::Options(&["-O", "-P", "--output-document", "--directory-prefix"])),
];

impl Observed {
    pub(crate) fn new(event: Arc<Event>, protected: Arc<Protected>) -> Self {
        Self { event, protected, line: OnceLock::new(), paths: OnceLock::new() }
    }

    fn kind(&self) -> Option<ToolKind> {
        self.event.call.as_ref().map(|call| call.kind)
    }

    fn argument(&self, names: &[&str]) -> Option<&Node> {
        let arguments = &self.event.call.as_ref()?.arguments;
        names.iter().find_map(|name| arguments.get(name))
    }

    /// The line of a shell call; empty for any other.
    pub(crate) fn shell_command(&self) -> String {
        if self.kind() != Some(ToolKind::Shell) {
            return String::new();
        }
        match self.argument(LINES).map(|node| &node.value) {
            Some(Json::String(text)) => text.as_str().to_owned(),
            // A list of words, of which `bash -lc LINE` is the usual one.
            Some(Json::Array(words)) => {
                let words = words.iter().map(|word| quoted(word.as_str().unwrap_or_default()));
                words.collect::<Vec<_>>().join(" ")
            }
            _ => String::new(),
        }
    }

    fn line(&self) -> &Line {
        self.line.get_or_init(|| Line::parse(&self.shell_command()))
    }

    fn base(&self) -> PathBuf {
        let base = self.event.base().unwrap_or(Path::new("/")).to_owned();
        let directory = self.argument(DIRECTORIES).and_then(Node::as_str);
        match directory.filter(|_| self.kind() == Some(ToolKind::Shell)) {
            Some(directory) => base.join(crate::paths::home(directory)),
            None => base,
        }
    }

    fn paths(&self) -> &[Named] {
        self.paths.get_or_init(|| {
            let mut paths = Vec::new();
            match self.kind() {
                None => {}
                Some(ToolKind::Shell) => self.paths_of_line(&mut paths),
                Some(kind) => self.paths_of_arguments(kind, &mut paths),
            }
            paths
        })
    }

    fn paths_of_arguments(&self, kind: ToolKind, paths: &mut Vec<Named>) {
        let Some(call) = &self.event.call else { return };
        let base = self.base();
        let writes = matches!(kind, ToolKind::Write | ToolKind::Edit);
        let mut add = |path: &str| {
            let path = path.strip_prefix("file://").unwrap_or(path);
            if !path.is_empty() && !path.contains("://") {
                paths.push(Named::new(&base, path, writes, true));
            }
        };
        for member in call.arguments.iter() {
            let name = &*member.name;
            match &member.node.value {
                Json::String(text) if PATH_ARGUMENTS.contains(&name) => add(text.as_str()),
                Json::String(text) => patch::files(text.as_str()).iter().for_each(|f| add(f)),
                Json::Array(items) if PATH_LISTS.contains(&name) => {
                    for item in items {
                        let object = item.as_object().and_then(|object| object.get("path"));
                        item.as_str()
                            .or(object.and_then(Node::as_str))
                            .into_iter()
                            .for_each(&mut add);
                    }
                }
                _ => {}
            }
        }
    }

    fn paths_of_line(&self, paths: &mut Vec<Named>) {
        let base = self.base();
        for command in &self.line().commands {
            let base = directory(&base, command);
            for redirect in &command.redirects {
                add(paths, &base, &redirect.target, redirect.writes, true);
            }
            for (word, writes) in operands(command) {
                add(paths, &base, &word, writes, word.text.contains('/') || word.home);
            }
        }
        for file in patch::files(&self.shell_command()) {
            paths.push(Named::new(&base, &file, true, true));
        }
    }

    fn is_outside(&self, path: &Named) -> bool {
        let scope = &self.protected.scope;
        let inside = |root: &Path| path.real.starts_with(resolve(root));
        !self.event.workspace().into_iter().chain(scope.iter().map(PathBuf::as_path)).any(inside)
    }

    fn is_denied(&self, path: &Named) -> bool {
        self.protected.denied.iter().any(|denied| path.is_under(denied))
    }

    /// A directory that a rule names: absolute, at home, or in the workspace.
    fn directory(&self, name: &str) -> PathBuf {
        self.event.base().unwrap_or(Path::new("/")).join(crate::paths::home(name))
    }

    fn any(&self, test: impl Fn(&Named) -> bool) -> FactValue {
        FactValue::Bool(self.paths().iter().any(test))
    }

    fn unknown(&self, pattern: &str) -> FactValue {
        let Some(pattern) = Pattern::new(pattern) else { return FactValue::Bool(false) };
        let unknown = |command: &Command| command.words.iter().skip(1).any(|word| !word.known);
        FactValue::Bool(self.line().matching(&pattern).any(unknown))
    }

    fn outside(&self, pattern: &str) -> FactValue {
        let Some(pattern) = Pattern::new(pattern) else { return FactValue::Bool(false) };
        let base = self.base();
        FactValue::Bool(self.line().matching(&pattern).any(|command| {
            let base = directory(&base, command);
            let mut paths = Vec::new();
            for (word, writes) in operands(command) {
                add(&mut paths, &base, &word, writes, true);
            }
            paths.iter().any(|path| self.is_outside(path))
        }))
    }
}

/// A word as it is written in a line so that it stays what it is.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

fn directory(base: &Path, command: &Command) -> PathBuf {
    match &command.directory {
        Some(directory) => base.join(crate::paths::home(directory)),
        None => base.to_owned(),
    }
}

/// Adds the path that a word is, as far as it is known. A part that only shows when the line
/// runs, or a pattern, stands for what is in the directory before it.
fn add(paths: &mut Vec<Named>, base: &Path, word: &Word, writes: bool, certain: bool) {
    let known = match word.glob {
        Some(glob) => word.text.get(..glob).unwrap_or_default(),
        None => word.known_prefix(),
    };
    let whole = known.len() == word.text.len();
    let path = match (whole, known.rfind('/')) {
        (true, _) => known,
        (false, Some(slash)) => known.get(..=slash).unwrap_or_default(),
        (false, None) if word.glob.is_some() && word.known => ".",
        (false, None) => return,
    };
    if path.is_empty() || path.contains("://") || is_no_file(path) {
        return;
    }
    // A quoted tilde is a name like any other.
    let path =
        if path.starts_with('~') && !word.home { format!("./{path}") } else { path.to_owned() };
    let mut named = Named::new(base, &path, writes, certain);
    if let (Some(_), false) = (word.glob, whole) {
        // The pattern itself may be what a rule looks for, such as `*.pem`.
        let last = word.text.rsplit('/').next().unwrap_or_default();
        named.lexical.push(last);
    }
    paths.push(named);
}

fn is_no_file(path: &str) -> bool {
    NO_FILES.contains(&path) || path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/")
}

/// The words of a command that may be files, and whether it writes to them.
fn operands(command: &Command) -> Vec<(Word, bool)> {
    let program = command.program();
    let writer = WRITERS.iter().find(|(name, _)| *name == program).map(|(_, writes)| *writes);
    let in_place = in_place(command);
    let arguments = command.words.get(1..).unwrap_or_default();
    let mut found: Vec<(Word, bool)> = Vec::new();
    let mut plain: Vec<usize> = Vec::new();
    let mut before: Option<&str> = None;
    for word in arguments {
        let text = word.text.as_str();
        let value = text.split_once('=').filter(|(name, _)| !name.contains('/'));
        let option = text.starts_with('-') && text.len() > 1;
        if let Some((name, rest)) = value {
            let file = Word { text: rest.to_owned(), home: rest.starts_with('~'), ..word.clone() };
            let writes = match writer {
                Some(Writes::Named(own)) => own == name,
                Some(Writes::Options(own)) => own.contains(&name),
                _ => name == "--target-directory" && writer.is_some(),
            };
            found.push((Word { glob: None, ..file }, writes));
        } else if !option {
            let of_option = before.is_some_and(|before| match writer {
                Some(Writes::Options(own)) => own.contains(&before),
                Some(_) => matches!(before, "-t" | "--target-directory"),
                None => false,
            });
            if !of_option {
                plain.push(found.len());
            }
            found.push((word.clone(), of_option));
        }
        before = option.then_some(text);
    }
    let written: &[usize] = match writer {
        Some(Writes::All) => &plain,
        Some(Writes::Last) => plain.get(plain.len().saturating_sub(1)..).unwrap_or_default(),
        Some(Writes::AllButFirst) => plain.get(1..).unwrap_or_default(),
        _ if in_place => plain.get(usize::from(program == "sed")..).unwrap_or_default(),
        _ => &[],
    };
    for position in written {
        if let Some((_, writes)) = found.get_mut(*position) {
            *writes = true;
        }
    }
    if program == "sed" && !plain.is_empty() {
        // Its first operand is a script.
        found.remove(plain.first().copied().unwrap_or_default());
    }
    found
}

/// Whether a command changes the files that it names: `sed -i`, `perl -i`, `find -delete`.
fn in_place(command: &Command) -> bool {
    ["sed -i", "sed --in-place", "perl -i", "find -delete", "git rm", "git mv"]
        .iter()
        .any(|pattern| Pattern::new(pattern).is_some_and(|pattern| pattern.matches(command)))
}

impl FactProvider for Observed {
    fn fact(&self, name: &str, _: &Occurrence<'_>) -> Result<Option<FactValue>, ProviderFailure> {
        let event = &self.event;
        let text = |text: &str| Some(FactValue::String(text.to_owned()));
        let mcp = event.call.as_ref().and_then(|call| call.mcp.as_ref());
        let list = |texts: Vec<String>| Some(FactValue::StringList(texts));
        Ok(match name {
            "permission_profile" | "session_posture" | "hook.permission_mode" => {
                text(&event.permission_mode)
            }
            "principal" => text(&event.principal),
            "is_directory" => Some(self.any(|path| path.certain && path.real.is_dir())),
            "not_found" => Some(
                self.any(|path| path.certain && std::fs::symlink_metadata(&path.real).is_err()),
            ),
            "path_denied" => Some(self.any(|path| self.is_denied(path))),
            "hook.agent" => text(event.agent.name()),
            "hook.event" => text(&event.name),
            "hook.tool_kind" => text(self.kind().map(ToolKind::name).unwrap_or_default()),
            "hook.cwd" => text(&event.base().unwrap_or(Path::new("")).to_string_lossy()),
            "hook.subagent" => text(&event.subagent),
            "hook.mcp_server" => text(mcp.map(|(server, _)| server.as_str()).unwrap_or_default()),
            "hook.mcp_tool" => text(mcp.map(|(_, tool)| tool.as_str()).unwrap_or_default()),
            "hook.shell_command" => Some(FactValue::String(self.shell_command())),
            "hook.shell_commands" => {
                list(self.line().commands.iter().map(Command::joined).collect())
            }
            "hook.shell_programs" => {
                list(self.line().commands.iter().map(|c| c.program().to_owned()).collect())
            }
            "hook.shell_words" => {
                let words = self.line().commands.iter().flat_map(|command| &command.words);
                list(words.map(|word| word.text.clone()).collect())
            }
            "hook.shell_unparsed" => Some(FactValue::Bool(self.line().unparsed)),
            "hook.shell_dynamic" => Some(FactValue::Bool(self.line().dynamic)),
            "hook.paths" => {
                list(self.paths().iter().map(|p| p.real.to_string_lossy().into_owned()).collect())
            }
            "hook.writes_outside" => Some(self.any(|path| path.writes && self.is_outside(path))),
            "hook.writes_denied" => Some(self.any(|path| path.writes && self.is_denied(path))),
            _ => None,
        })
    }

    fn call(
        &self,
        name: &str,
        argument: Value<'_>,
        _: &Occurrence<'_>,
    ) -> Result<Option<FactValue>, ProviderFailure> {
        let Value::String(argument) = argument else { return Ok(None) };
        Ok(match name {
            "path_outside_scope" => {
                let own = self.event.call.as_ref().is_some_and(|call| call.name == argument);
                Some(self.any(|path| own && self.is_outside(path)))
            }
            "hook.path_under" => {
                let directory = self.directory(argument);
                Some(self.any(|path| path.is_under(&directory)))
            }
            "hook.path_named" => Some(self.any(|path| path.is_named(argument))),
            "hook.writes_under" => {
                let directory = self.directory(argument);
                Some(self.any(|path| path.writes && path.is_under(&directory)))
            }
            "hook.writes_named" => Some(self.any(|path| path.writes && path.is_named(argument))),
            "hook.shell_runs" => Some(FactValue::Bool(self.line().runs(argument))),
            "hook.shell_pipes" => match self.line().pipes(argument) {
                Some(pipes) => Some(FactValue::Bool(pipes)),
                None => {
                    let reason = format!("`{argument}` is no pattern of the form `A | B`");
                    return Err(ProviderFailure::new(reason));
                }
            },
            "hook.shell_unknown" => Some(self.unknown(argument)),
            "hook.shell_outside" => Some(self.outside(argument)),
            _ => None,
        })
    }
}
