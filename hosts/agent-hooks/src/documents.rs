//! The files that hold rules and configurations, read once.
//!
//! The capability document is the agent's own, so that one in a directory is left aside: by its
//! name alone, since a rule file that was taken for one would be rules that are not there. A
//! directory with a capability document below the one given is another pack.

use std::path::{Path, PathBuf};

use oar_engine::Source;

use crate::Fault;

/// Documents to load for an agent.
#[derive(Clone, Debug, Default)]
pub struct Documents {
    /// Rules, at least one source.
    pub rules: Vec<Source>,
    /// Configurations, in their order.
    pub configs: Vec<Source>,
    /// Every file that was read.
    pub files: Vec<PathBuf>,
}

impl Documents {
    /// Reads the files and directories of `rules`, and the configurations of `configs` after
    /// those that were found there.
    ///
    /// # Errors
    /// When something cannot be read, or no rules are found.
    pub fn read(rules: &[PathBuf], configs: &[PathBuf]) -> Result<Self, Fault> {
        let mut documents = Self::default();
        for path in rules {
            if path.is_dir() {
                documents.directory(path)?;
            } else {
                documents.file(path, false)?;
            }
        }
        if documents.rules.is_empty() {
            return Err(Fault::new("no rules: name a file or a directory with `--rules`"));
        }
        for path in configs {
            documents.file(path, true)?;
        }
        Ok(documents)
    }

    fn directory(&mut self, root: &Path) -> Result<(), Fault> {
        let mut left = vec![root.to_owned()];
        while let Some(path) = left.pop() {
            let unread = |error: std::io::Error| unreadable(&path, &error);
            let mut files = Vec::new();
            let mut directories = Vec::new();
            for entry in std::fs::read_dir(&path).map_err(unread)? {
                let entry = entry.map_err(unread)?;
                let name = entry.file_name().to_string_lossy().into_owned();
                if name.starts_with('.') {
                    continue;
                }
                if entry.file_type().map_err(unread)?.is_dir() {
                    if !is_pack(&entry.path()) {
                        directories.push(entry.path());
                    }
                } else if is_document(&name) {
                    files.push(entry.path());
                }
            }
            files.sort();
            directories.sort();
            for file in files {
                self.file(&file, false)?;
            }
            left.extend(directories.into_iter().rev());
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, config: bool) -> Result<(), Fault> {
        let bytes = std::fs::read(path).map_err(|error| unreadable(path, &error))?;
        let source = Source::bytes(&path.display().to_string(), &bytes);
        if config || is_config(&bytes) {
            self.configs.push(source);
        } else {
            self.rules.push(source);
        }
        self.files.push(path.to_owned());
        Ok(())
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> Fault {
    Fault::new(format!("cannot read `{}`: {error}", path.display()))
}

fn is_pack(directory: &Path) -> bool {
    ["yaml", "yml", "json"]
        .iter()
        .any(|extension| directory.join(format!("capability.{extension}")).exists())
}

fn is_document(name: &str) -> bool {
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    ["yaml", "yml", "json"].contains(&extension) && stem != "capability" && !stem.ends_with(".test")
}

/// Whether a file is a configuration: it has the marker, and not that of a rule. What has both
/// or neither is loaded as rules, which refuses what is none.
fn is_config(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let begins = |name: &str| text.lines().any(|line| line.starts_with(name));
    let config = begins("oar_config:") || text.contains("\"oar_config\"");
    config && !begins("oar:") && !text.contains("\"oar\"")
}
