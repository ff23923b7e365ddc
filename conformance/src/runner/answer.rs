//! What an engine is asked and what it may answer: the one seam of the runner.
//!
//! Everything on the near side works with [`Answer`]s and never knows whether an engine runs in
//! this process or is a program in another language. An engine is shown a [`Question`], which
//! does not hold what the fixture expects, so that no engine can read its answer off the sheet.

use std::fmt;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::fixture::Question;

/// Something that answers fixtures.
pub trait Engine {
    /// Answers one fixture. Trouble is an answer too: this never fails.
    fn run(&mut self, question: &Question) -> Answer;

    /// What the engine logged while it answered the last question. Shown when it did not pass.
    fn log(&mut self) -> String {
        String::new()
    }

    /// What the engine told about itself, when it did.
    fn about(&self) -> Option<About> {
        None
    }
}

/// Starts engines, one for each worker.
pub trait Engines: Sync {
    /// An engine that has answered nothing yet.
    fn start(&self) -> Box<dyn Engine>;

    /// What a report calls it.
    fn name(&self) -> String;
}

/// What an engine says of itself in the handshake.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// Its name.
    pub name: String,
    /// Its version; empty when it told none.
    pub version: String,
    /// The capability profiles that it can adopt, when it told.
    pub profiles: Option<Vec<String>>,
    /// How much it can adopt, as it told; empty when it told nothing.
    pub limits: Map<String, Value>,
}

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.version.as_str() {
            "" => f.write_str(&self.name),
            version => write!(f, "{} {version}", self.name),
        }
    }
}

/// What came of one question.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The rules loaded and every occurrence was decided.
    Report {
        /// The last occurrence; its `counters` are those of the whole run ([OAR-CONF-31]).
        report: Value,
        /// Every occurrence, in order.
        occurrences: Vec<Value>,
    },
    /// The engine refused what it was given.
    Rejected {
        /// Its words.
        error: String,
        /// What it refused.
        phase: Phase,
    },
    /// The engine cannot adopt what the fixture assumes of the host ([OAR-CONF-20]).
    Skipped {
        /// Why.
        reason: String,
    },
    /// The engine ended, or never started.
    Crashed {
        /// How.
        detail: String,
    },
    /// The engine said nothing in time.
    TimedOut {
        /// The time it had.
        limit: Duration,
    },
    /// The engine said something that is no answer.
    ProtocolError {
        /// What is wrong with it.
        detail: String,
    },
}

/// What an engine was doing when it refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Reading the capability document.
    Capability,
    /// Loading the rules.
    Rules,
    /// Applying the configuration.
    Config,
    /// Deciding an occurrence.
    Evaluate,
    /// Reading the fixture itself.
    Input,
}

impl Phase {
    /// Every phase, in the order in which an engine goes through them.
    pub const ALL: [Self; 5] =
        [Self::Input, Self::Capability, Self::Rules, Self::Config, Self::Evaluate];

    /// Its name in an answer.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Capability => "capability",
            Self::Rules => "rules",
            Self::Config => "config",
            Self::Evaluate => "evaluate",
            Self::Input => "input",
        }
    }

    /// The phase called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.name() == name)
    }

    /// Whether a refusal here is the load-time rejection that `expected.error` asserts
    /// ([OAR-CONF-21]).
    #[must_use]
    pub fn is_load(self) -> bool {
        matches!(self, Self::Capability | Self::Rules | Self::Config)
    }
}
