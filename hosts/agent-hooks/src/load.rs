//! Rules for an agent: its capability document, and what it cannot deliver.

use std::fmt;
use std::path::PathBuf;

use oar_engine::diagnostic::Diagnostic;
use oar_engine::document::rule::Effect;
use oar_engine::load::Loaded;
use oar_engine::{Loader, Source};

use crate::Agent;

/// The namespace of the facts of every agent, and the name of the host in its document.
pub const HOST: &str = "hook";

/// Locations that the guard itself knows of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Protected {
    /// What belongs to the guard: its rules, its state, its program and the agent's
    /// configuration of it. `path_denied` and `hook.writes_denied` tell of it.
    pub denied: Vec<PathBuf>,
    /// Directories that are in scope beside the workspace.
    pub scope: Vec<PathBuf>,
}

impl Default for Protected {
    /// Nothing is denied, and the directory for temporary files is in scope.
    fn default() -> Self {
        Self { denied: Vec::new(), scope: vec![std::env::temp_dir()] }
    }
}

/// Rules that an agent cannot serve: every fault, at least one.
#[derive(Clone, Debug)]
pub struct Refused {
    diagnostics: Vec<Diagnostic>,
}

impl Refused {
    /// The faults.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The faults, to keep.
    #[must_use]
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.diagnostics.iter().map(ToString::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for Refused {}

/// The capability document of an agent.
#[must_use]
pub fn capability(agent: Agent) -> Source {
    Source::yaml(format!("{agent}.capability.yaml"), agent.adapter().capability())
}

/// Loads rules for an agent.
///
/// # Errors
/// Everything that is wrong with them; also a transform at an anchor where the agent does not
/// deliver changed content ([OAR-PROF-10]), which is never dropped silently.
pub fn load(agent: Agent, rules: Vec<Source>, configs: Vec<Source>) -> Result<Loaded, Refused> {
    let loader = rules.into_iter().fold(Loader::new(capability(agent)), Loader::rules);
    let loader = configs.into_iter().fold(loader, Loader::config);
    let loaded =
        loader.load().map_err(|error| Refused { diagnostics: error.into_diagnostics() })?;
    let transforms = loaded.rules.rules().filter(|rule| rule.effect() == Effect::Transform);
    let transforms: Vec<&str> = transforms.map(|rule| rule.qualified()).collect();
    if transforms.is_empty() {
        return Ok(loaded);
    }
    let texts = loader.texts();
    let refuse = |rule: &&str| {
        let text = texts.get(rule)?;
        let core = core_of(&loaded, text.anchor());
        if agent.adapter().delivers_transform(core) {
            return None;
        }
        let message = format!(
            "`{rule}` transforms at `{}`, where {} does not deliver changed content",
            text.anchor(),
            agent.title()
        );
        let at = text.location();
        let fault = Diagnostic::error("OAR-PROF-10", message).at(&at.file, at.span, &*at.pointer);
        Some(fault.help("block there instead, or leave the rule out for this agent"))
    };
    let diagnostics: Vec<Diagnostic> = transforms.iter().filter_map(refuse).collect();
    if diagnostics.is_empty() { Ok(loaded) } else { Err(Refused { diagnostics }) }
}

/// A rule names a moment by its core name or by the host's.
fn core_of<'n>(loaded: &'n Loaded, name: &'n str) -> &'n str {
    let core = loaded.rules.capability().core_anchors().find(|(_, local)| *local == name);
    core.map_or(name, |(core, _)| core)
}
