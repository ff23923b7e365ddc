//! What kind of tool a tool is, from a table for each agent.
//!
//! The names are those of the versions that `docs/agent-hooks.md` lists. A tool that is in no
//! table is `other`, which a rule can treat as it likes; it is never guessed from the name.

use crate::Agent;

/// The version of the tables; it changes with them, so that a record tells which it was made
/// with.
pub const TABLE_VERSION: &str = "2026-11-30";

/// What kind of tool it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ToolKind {
    /// Runs a shell line.
    Shell,
    /// Reads files.
    Read,
    /// Writes whole files.
    Write,
    /// Changes parts of files.
    Edit,
    /// Gets something from the network.
    Fetch,
    /// Looks for files or text.
    Search,
    /// Is a tool of an MCP server.
    Mcp,
    /// Is something else.
    Other,
}

impl ToolKind {
    /// The word for it in `hook.tool_kind`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Shell => "shell",
            Self::Read => "read",
            Self::Write => "write",
            Self::Edit => "edit",
            Self::Fetch => "fetch",
            Self::Search => "search",
            Self::Mcp => "mcp",
            Self::Other => "other",
        }
    }

    /// The kind of an agent's own tool.
    pub(crate) fn of(agent: Agent, tool: &str) -> Self {
        let rows = table(agent);
        let found = rows.iter().find(|(_, tools)| tools.contains(&tool));
        found.map_or(Self::Other, |(kind, _)| *kind)
    }
}

type Rows = &'static [(ToolKind, &'static [&'static str])];

fn table(agent: Agent) -> Rows {
    use ToolKind::{Edit, Fetch, Read, Search, Shell, Write};
    match agent {
        Agent::Claude => &[
            (Shell, &["Bash", "PowerShell"]),
            (Read, &["Read", "NotebookRead"]),
            (Write, &["Write"]),
            (Edit, &["Edit", "MultiEdit", "NotebookEdit"]),
            (Fetch, &["WebFetch"]),
            (Search, &["Grep", "Glob", "LS", "WebSearch"]),
        ],
        Agent::Codex => &[
            (Shell, &["Bash", "shell", "shell_command", "exec_command", "local_shell"]),
            (Read, &["view_image", "read_file"]),
            (Edit, &["apply_patch"]),
            (Search, &["grep_files", "list_dir", "web_search"]),
        ],
        Agent::Gemini => &[
            (Shell, &["run_shell_command"]),
            (Read, &["read_file", "read_many_files"]),
            (Write, &["write_file"]),
            (Edit, &["replace", "edit"]),
            (Fetch, &["web_fetch"]),
            (
                Search,
                &[
                    "glob",
                    "list_directory",
                    "search_file_content",
                    "grep_search",
                    "google_web_search",
                ],
            ),
        ],
        Agent::Copilot => &[
            (Shell, &["bash", "Bash", "powershell"]),
            (Read, &["view", "Read"]),
            (Write, &["create", "Write"]),
            (Edit, &["edit", "str_replace", "str_replace_editor", "insert", "apply_patch", "Edit"]),
            (Fetch, &["web_fetch", "WebFetch"]),
            (Search, &["grep", "glob", "rg", "web_search", "Grep", "Glob"]),
        ],
        Agent::Cursor => &[
            (Shell, &["Shell"]),
            (Read, &["Read"]),
            (Write, &["Write"]),
            (Edit, &["Edit", "StrReplace", "Delete", "EditNotebook"]),
            (Fetch, &["WebFetch"]),
            (Search, &["Grep", "Glob", "LS", "SemanticSearch", "WebSearch"]),
        ],
        Agent::Cline => &[
            (Shell, &["execute_command"]),
            (Read, &["read_file"]),
            (Write, &["write_to_file", "new_file"]),
            (Edit, &["replace_in_file", "apply_patch", "editor"]),
            (Fetch, &["web_fetch", "browser_action"]),
            (Search, &["search_files", "list_files", "list_code_definition_names", "web_search"]),
        ],
        Agent::OpenCode => &[
            (Shell, &["bash"]),
            (Read, &["read"]),
            (Write, &["write"]),
            (Edit, &["edit", "patch", "apply_patch", "multiedit"]),
            (Fetch, &["webfetch"]),
            (Search, &["grep", "glob", "list", "websearch", "codesearch"]),
        ],
    }
}
