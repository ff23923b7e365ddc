//! Troubles of hooks, one a line of JSON: nobody looks at what a hook writes elsewhere.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use oar_agent_hooks::Agent;
use serde_json::json;

/// A log that never fails: what it cannot keep is lost.
#[derive(Clone, Debug)]
pub(super) struct Log {
    path: Option<PathBuf>,
    agent: Agent,
}

impl Log {
    /// A log in this file, or in the user's own.
    pub(super) fn new(path: Option<PathBuf>, agent: Agent) -> Self {
        let own = || super::state_directory().map(|directory| directory.join("hooks.log"));
        Self { path: path.or_else(own), agent }
    }

    /// Adds a line.
    pub(super) fn note(&self, event: &str, session: &str, message: &str) {
        let Some(path) = &self.path else { return };
        if let Some(directory) = path.parent() {
            drop(super::run::make_private(directory));
        }
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let line = json!({"time": time, "agent": self.agent.name(), "event": event,
            "session": session, "message": message});
        if let Ok(mut file) = OpenOptions::new().create(true).append(true).open(path) {
            // One write, so that the lines of parallel hooks do not mix.
            drop(file.write_all(format!("{line}\n").as_bytes()));
        }
    }
}
