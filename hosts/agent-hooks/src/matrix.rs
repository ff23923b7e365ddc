//! What each agent can and cannot enforce, as data: for `oar hooks matrix` and `check`.
//!
//! The sources are named in `docs/agent-hooks.md`: what was run, read in the published package,
//! or only documented.

use crate::Agent;

/// How far an effect reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// It does what the rule says.
    Yes,
    /// It does so in a way that has to be known.
    As(&'static str),
    /// It does not; rules that need it are refused, or it goes elsewhere.
    No(&'static str),
}

/// One line of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// What is asked.
    pub what: &'static str,
    /// The answer for each agent, in the order of [`Agent::ALL`].
    pub reach: [Reach; 7],
}

impl Row {
    /// The answer for an agent.
    #[must_use]
    pub fn of(&self, agent: Agent) -> Reach {
        let position = Agent::ALL.iter().position(|own| *own == agent);
        position.and_then(|at| self.reach.get(at)).copied().unwrap_or(Reach::No("unknown"))
    }
}

use Reach::{As, No, Yes};

const ROWS: &[Row] = &[
    Row { what: "stop a call", reach: [Yes, Yes, Yes, Yes, Yes, Yes, Yes] },
    Row {
        what: "withhold a result",
        reach: [
            Yes,
            Yes,
            As("as a tool error"),
            Yes,
            No("refused at load"),
            As("ends the run"),
            Yes,
        ],
    },
    Row {
        what: "withhold a failed call's text",
        reach: [
            No("not asked"),
            As("if it is told as a result"),
            As("if it is told as a result"),
            No("not asked"),
            No("not asked"),
            Yes,
            No("not asked"),
        ],
    },
    Row {
        what: "change a call's arguments",
        reach: [
            Yes,
            As("skips the prompt"),
            As("merged; told to the model"),
            Yes,
            As("skips the prompt"),
            Yes,
            Yes,
        ],
    },
    Row {
        what: "change a result",
        reach: [
            As("in the tool's shape"),
            As("shown as blocked"),
            As("as a tool error"),
            Yes,
            No("refused at load"),
            No("refused at load"),
            Yes,
        ],
    },
    Row {
        what: "tell the model before a call",
        reach: [
            Yes,
            Yes,
            No("to the person"),
            No("to the log"),
            As("skips the prompt"),
            Yes,
            No("to the person"),
        ],
    },
    Row {
        what: "tell the model after a call",
        reach: [Yes, Yes, Yes, Yes, Yes, Yes, As("in the output")],
    },
    Row {
        what: "tell the person",
        reach: [Yes, Yes, Yes, No("to the log"), As("before a call"), No("to the log"), Yes],
    },
    Row {
        what: "hold the end of a turn once",
        reach: [
            Yes,
            Yes,
            As("the turn is tried again"),
            As("without its text"),
            As("as the next message"),
            No("refused at load"),
            No("refused at load"),
        ],
    },
    Row {
        what: "hold a child agent once",
        reach: [
            Yes,
            Yes,
            No("refused at load"),
            Yes,
            As("as the next message"),
            No("refused at load"),
            No("refused at load"),
        ],
    },
    Row {
        what: "stop a prompt",
        reach: [Yes, Yes, Yes, No("refused at load"), Yes, Yes, As("ends the run")],
    },
    Row {
        what: "stay closed when the hook is killed",
        reach: [
            As("by onFailure; not at a stop"),
            No("the call runs"),
            No("the call runs"),
            As("before a call"),
            As("by failClosed"),
            No("the call runs"),
            Yes,
        ],
    },
    Row {
        what: "stay closed when the hook is late",
        reach: [
            As("by onFailure; not at a stop"),
            As("own deadline only"),
            As("own deadline only"),
            As("own deadline only"),
            As("by failClosed"),
            As("own deadline only"),
            Yes,
        ],
    },
    Row {
        what: "stay closed when the program is gone",
        reach: [
            As("by onFailure; not at a stop"),
            No("the call runs"),
            As("by what the shell says"),
            As("before a call"),
            As("by failClosed"),
            No("the call runs"),
            Yes,
        ],
    },
];

/// Every line of the table.
#[must_use]
pub fn rows() -> &'static [Row] {
    ROWS
}

/// A way of failing that an agent lets pass, whatever is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailureMode {
    /// What happens to the hook.
    pub what: &'static str,
    /// What the agent does then.
    pub then: &'static str,
}

impl FailureMode {
    /// The ways that stay open although the hook is installed as `oar hooks install` does it.
    #[must_use]
    pub fn open(agent: Agent) -> &'static [Self] {
        const KILLED: FailureMode =
            FailureMode { what: "the hook process is killed", then: "the call runs" };
        const GONE: FailureMode =
            FailureMode { what: "the program is moved or deleted", then: "the call runs" };
        const FROZEN: FailureMode = FailureMode {
            what: "the machine freezes the hook past the agent's own timer",
            then: "the call runs",
        };
        const STOP: FailureMode = FailureMode {
            what: "the hook fails at the end of a turn or of a child agent",
            then: "it ends",
        };
        match agent {
            Agent::Claude => &[STOP],
            Agent::Codex | Agent::Cline => &[KILLED, GONE, FROZEN],
            Agent::Gemini => &[KILLED, FROZEN],
            Agent::Copilot => &[
                FROZEN,
                FailureMode { what: "the hook fails after a call", then: "the result passes" },
            ],
            Agent::Cursor => &[FailureMode {
                what: "the hook was taken over from `.claude/settings.json`",
                then: "its failures are open",
            }],
            Agent::OpenCode => &[FailureMode {
                what: "the plugin file is deleted or another configuration directory is used",
                then: "nothing is guarded",
            }],
        }
    }
}
