//! What happened, as an agent tells it: the same shape for every agent.

use std::path::{Path, PathBuf};

use oar_engine::document::source::Object;

use crate::{Agent, Content, ToolKind};

/// At which stage of the agent's work an event comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// A tool is about to run.
    BeforeTool,
    /// A tool has run.
    AfterTool,
    /// The agent would end its turn.
    Stop,
    /// A child agent would end.
    SubagentStop,
    /// A tool has run, and what it returned can be neither withheld nor changed.
    AfterToolSeen,
    /// A person has sent a prompt.
    Prompt,
    /// The agent would ask the person for permission.
    Permission,
    /// The agent's configuration has changed.
    ConfigChange,
    /// A session begins.
    SessionStart,
    /// Anything else: it is recorded, and the rules of no anchor are asked.
    Other,
}

/// A moment that rules can be bound to, by the name that every agent's capability document
/// gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Moment {
    /// `tool.pre_invoke`
    BeforeTool,
    /// `tool.post_invoke`
    AfterTool,
    /// `model.tool_result`
    ToolResult,
    /// `agent.post_turn`
    Stop,
    /// `agent.finalize`
    SubagentStop,
    /// The host anchor `user_prompt`: what the person wrote, and nothing that was retrieved.
    Prompt,
    /// The host anchor `after_tool_seen`: the end of a call where nothing can be withheld.
    AfterToolSeen,
    /// The host anchor `permission_request`: the agent would ask the person.
    Permission,
    /// The host anchor `config_change`: the agent's configuration has changed.
    ConfigChange,
    /// The host anchor `session_start`.
    SessionStart,
}

impl Moment {
    /// The host's own name for it.
    #[must_use]
    pub const fn local(self) -> &'static str {
        match self {
            Self::BeforeTool => "before_tool",
            Self::AfterTool => "after_tool",
            Self::ToolResult => "tool_result",
            Self::Stop => "stop",
            Self::SubagentStop => "subagent_stop",
            Self::Prompt => "user_prompt",
            Self::AfterToolSeen => "after_tool_seen",
            Self::Permission => "permission_request",
            Self::ConfigChange => "config_change",
            Self::SessionStart => "session_start",
        }
    }
}

impl Stage {
    /// The moments of a stage, in the order in which they are decided. A hook sees the end of a
    /// call and the delivery of its result as one.
    #[must_use]
    pub const fn moments(self) -> &'static [Moment] {
        match self {
            Self::BeforeTool => &[Moment::BeforeTool],
            Self::AfterTool => &[Moment::AfterTool, Moment::ToolResult],
            Self::Stop => &[Moment::Stop],
            Self::SubagentStop => &[Moment::SubagentStop],
            Self::Prompt => &[Moment::Prompt],
            Self::AfterToolSeen => &[Moment::AfterToolSeen],
            Self::Permission => &[Moment::Permission],
            Self::ConfigChange => &[Moment::ConfigChange],
            Self::SessionStart => &[Moment::SessionStart],
            Self::Other => &[],
        }
    }
}

/// A call of a tool.
#[derive(Clone, Debug)]
pub struct Call {
    /// The tool as the agent spells it.
    pub name: String,
    /// What kind of tool it is.
    pub kind: ToolKind,
    /// The arguments, in the agent's own order and with its own numbers.
    pub arguments: Object,
    /// The server and the tool of a call that goes to an MCP server.
    pub mcp: Option<(String, String)>,
}

impl Call {
    /// A call of one of an agent's own tools.
    #[must_use]
    pub fn new(agent: Agent, name: impl Into<String>, arguments: Object) -> Self {
        let name = name.into();
        Self { kind: ToolKind::of(agent, &name), name, arguments, mcp: None }
    }
}

/// One event of an agent.
#[derive(Clone, Debug)]
pub struct Event {
    /// Whose.
    pub agent: Agent,
    /// Its name as the agent spells it.
    pub name: String,
    /// At which stage it comes.
    pub stage: Stage,
    /// The agent's name for the session; empty in an event that could not be read.
    pub session: String,
    /// Where the agent works.
    pub cwd: Option<PathBuf>,
    /// The roots of the workspace, where the agent tells them.
    pub roots: Vec<PathBuf>,
    /// How freely the agent may act, in its own words.
    pub permission_mode: String,
    /// Which child agent acts; empty for the first one.
    pub subagent: String,
    /// On whose behalf, where the agent tells it.
    pub principal: String,
    /// The call that the event is about.
    pub call: Option<Call>,
    /// The text that the event carries.
    pub content: Option<Content>,
    /// Whether the turn was already held at its end.
    pub held: bool,
    /// Whether the agent asked in its second spelling, where it has two.
    pub alternative: bool,
}

impl Event {
    /// An event of which nothing but the name is known.
    #[must_use]
    pub fn new(agent: Agent, name: impl Into<String>, stage: Stage) -> Self {
        Self {
            agent,
            name: name.into(),
            stage,
            session: String::new(),
            cwd: None,
            roots: Vec::new(),
            permission_mode: String::new(),
            subagent: String::new(),
            principal: String::new(),
            call: None,
            content: None,
            held: false,
            alternative: false,
        }
    }

    /// An event that could not be read. Whether a turn was held before is not known, so that it
    /// is taken for one that was.
    #[must_use]
    pub fn unread(agent: Agent, name: impl Into<String>, stage: Stage) -> Self {
        Self { held: true, ..Self::new(agent, name, stage) }
    }

    /// The name under which counters and recent steps are kept.
    #[must_use]
    pub fn session_key(&self) -> String {
        format!("{}:{}", self.agent, self.session)
    }

    /// What a path of the event is relative to.
    #[must_use]
    pub fn base(&self) -> Option<&Path> {
        self.cwd.as_deref().or_else(|| self.roots.first().map(PathBuf::as_path))
    }

    /// The directories that make up the workspace.
    #[must_use]
    pub fn workspace(&self) -> Vec<&Path> {
        if self.roots.is_empty() {
            self.cwd.as_deref().into_iter().collect()
        } else {
            self.roots.iter().map(PathBuf::as_path).collect()
        }
    }
}

/// Bytes that are no event of an agent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Fault {
    reason: String,
}

impl Fault {
    /// A fault for the given reason.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }

    /// A member that is not there, or is of another kind than the agent documents.
    #[must_use]
    pub fn member(name: &str, wanted: &str) -> Self {
        Self::new(format!("the event's `{name}` is not {wanted}"))
    }
}
