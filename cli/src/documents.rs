//! The rule set that `eval` and `explain` work with: which files, and that they load.

use std::path::PathBuf;

use oar_agent_hooks::Agent;
use oar_engine::load::Loaded;
use oar_engine::{Loader, Source};

use crate::input::{self, Input, Pack};
use crate::output::{Trouble, listed};

/// Rules, the host they are for, and configurations.
#[derive(Debug, clap::Args)]
pub(crate) struct Documents {
    /// Rules: a file or a directory; may be given more than once. A pack directory brings its
    /// capability document and its configuration.
    #[arg(long, value_name = "PATH", required = true)]
    rules: Vec<PathBuf>,
    /// The capability document of the host, in place of those found.
    #[arg(long, value_name = "FILE")]
    capability: Option<PathBuf>,
    /// The capability document of a coding agent, and rules read as `oar hooks` reads them.
    #[arg(long, value_name = "AGENT", conflicts_with = "capability")]
    agent: Option<Agent>,
    /// A configuration, in place of those found; later ones win.
    #[arg(long, value_name = "FILE")]
    config: Vec<PathBuf>,
}

impl Documents {
    /// The same, with other rules or other configurations, where some are given.
    pub(crate) fn other(&self, rules: &[PathBuf], config: &[PathBuf]) -> Self {
        let given = |own: &[PathBuf], other: &[PathBuf]| match other.is_empty() {
            true => own.to_vec(),
            false => other.to_vec(),
        };
        // Other rules bring their own configuration, unless one is named.
        let own = if rules.is_empty() { self.config.as_slice() } else { &[] };
        Self {
            rules: given(&self.rules, rules),
            capability: self.capability.clone(),
            agent: self.agent,
            config: given(own, config),
        }
    }

    /// The paths of the rules, as the user wrote them.
    pub(crate) fn shown(&self) -> String {
        let paths = self.rules.iter().map(|path| input::shown(path));
        paths.collect::<Vec<_>>().join(", ")
    }

    /// A loader of these documents.
    ///
    /// # Errors
    /// When something cannot be read, or there is no capability document or more than one.
    pub(crate) fn loader(&self) -> Result<Loader, Trouble> {
        if let Some(agent) = self.agent {
            return self.hooked(agent);
        }
        let mut all = Pack::default();
        for pack in input::gather(&self.rules)? {
            all.rules.extend(pack.rules);
            all.configs.extend(pack.configs);
            all.capabilities.extend(pack.capabilities);
        }
        if let Some(path) = &self.capability {
            all.capabilities = vec![input::file(path)?];
        }
        if !self.config.is_empty() {
            all.configs =
                self.config.iter().map(|path| input::file(path)).collect::<Result<_, _>>()?;
        }
        loader(&all)
    }

    /// What `oar hooks` loads for an agent: the same documents in the same order, so that they
    /// have the same digest.
    fn hooked(&self, agent: Agent) -> Result<Loader, Trouble> {
        let read = oar_agent_hooks::Documents::read(&self.rules, &self.config);
        let documents = read.map_err(|fault| Trouble::Io(fault.to_string()))?;
        let loader = Loader::new(oar_agent_hooks::capability(agent));
        let loader = documents.rules.into_iter().fold(loader, Loader::rules);
        Ok(documents.configs.into_iter().fold(loader, Loader::config))
    }
}

/// A loader of the documents of a pack.
///
/// # Errors
/// When there is no capability document or more than one.
pub(crate) fn loader(pack: &Pack) -> Result<Loader, Trouble> {
    let capability = match pack.capabilities.as_slice() {
        [only] => only.source.clone(),
        [] => {
            let message = "no capability document: name the host's with `--capability`";
            return Err(Trouble::Usage(message.to_owned()));
        }
        several => {
            let names = listed(several.iter().map(|input| input::shown(&input.path)));
            let message =
                format!("several capability documents, {names}: name one with `--capability`");
            return Err(Trouble::Usage(message));
        }
    };
    let sources = |inputs: &[Input]| -> Vec<Source> {
        inputs.iter().map(|input| input.source.clone()).collect()
    };
    let loader = sources(&pack.rules).into_iter().fold(Loader::new(capability), Loader::rules);
    Ok(sources(&pack.configs).into_iter().fold(loader, Loader::config))
}

/// Loads the documents.
///
/// # Errors
/// Everything that is wrong with them.
pub(crate) fn load(loader: &Loader) -> Result<Loaded, Trouble> {
    loader.load().map_err(|error| Trouble::Documents(error.into_diagnostics()))
}
