//! The agents, and what each of them has to do for the rest of the crate.

use std::fmt;
use std::str::FromStr;

use crate::agents;
use crate::{Answer, Event, Fault, Stage, Verdict};

/// A coding agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Agent {
    /// Claude Code.
    Claude,
    /// Codex CLI.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// Copilot CLI.
    Copilot,
    /// Cursor.
    Cursor,
    /// Cline.
    Cline,
    /// OpenCode.
    OpenCode,
}

impl Agent {
    /// Every agent.
    pub const ALL: [Self; 7] = [
        Self::Claude,
        Self::Codex,
        Self::Gemini,
        Self::Copilot,
        Self::Cursor,
        Self::Cline,
        Self::OpenCode,
    ];

    /// The word for it in commands, in `hook.agent` and in session names.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Copilot => "copilot",
            Self::Cursor => "cursor",
            Self::Cline => "cline",
            Self::OpenCode => "opencode",
        }
    }

    /// What people call it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex CLI",
            Self::Gemini => "Gemini CLI",
            Self::Copilot => "Copilot CLI",
            Self::Cursor => "Cursor",
            Self::Cline => "Cline",
            Self::OpenCode => "OpenCode",
        }
    }

    /// Its adapter.
    #[must_use]
    pub fn adapter(self) -> &'static dyn Adapter {
        match self {
            Self::Claude => &agents::claude::Claude,
            Self::Codex => &agents::codex::Codex,
            Self::Gemini => &agents::gemini::Gemini,
            Self::Copilot => &agents::copilot::Copilot,
            Self::Cursor => &agents::cursor::Cursor,
            Self::Cline => &agents::cline::Cline,
            Self::OpenCode => &agents::opencode::OpenCode,
        }
    }
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// There is no adapter of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no agent that is known: claude, codex, gemini, copilot, cursor, cline or opencode"
)]
pub struct UnknownAgent(pub String);

impl FromStr for Agent {
    type Err = UnknownAgent;

    fn from_str(name: &str) -> Result<Self, UnknownAgent> {
        let found = Self::ALL.into_iter().find(|agent| agent.name() == name);
        found.ok_or_else(|| UnknownAgent(name.to_owned()))
    }
}

/// The two ways between an agent and the rules, as pure functions.
pub trait Adapter: Send + Sync {
    /// Which agent.
    fn agent(&self) -> Agent;

    /// Its capability document, as it is published.
    fn capability(&self) -> &'static str;

    /// The event that the agent wrote to the hook's standard input.
    ///
    /// # Errors
    /// When the bytes are no event of this agent: the caller answers with [`deny`](Self::deny).
    fn read(&self, bytes: &[u8]) -> Result<Event, Fault>;

    /// What the hook writes and how it ends. Only keys that the agent documents are used.
    fn answer(&self, event: &Event, verdict: &Verdict) -> Answer;

    /// At which stage of the agent's work an event of this name comes.
    fn stage(&self, event: &str) -> Stage;

    /// The answer when the event could not be read or decided: this agent's deny.
    ///
    /// `event` is the name of the event as far as it is known. An end of a turn is let pass
    /// when it is not known whether it was held before: an agent that is held at every end of
    /// a turn never stops.
    fn deny(&self, event: Option<&str>, reason: &str) -> Answer {
        let name = event.unwrap_or(self.first_event());
        let event = Event::unread(self.agent(), name, self.stage(name));
        self.answer(&event, &Verdict::refused(reason))
    }

    /// The event before a tool call, which is taken for one whose name is not known.
    fn first_event(&self) -> &'static str;

    /// Whether the agent delivers changed content at a core anchor. Rules that transform at
    /// another one are refused when they are loaded ([OAR-PROF-10]).
    fn delivers_transform(&self, core_anchor: &str) -> bool;
}
