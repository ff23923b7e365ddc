//! The files of the user: found in a fixed order, read once, and told apart by their content.
//!
//! A file is a capability document when it has the member `oar_capability_version`, a
//! configuration with `oar_config`, and rules otherwise. A directory with a capability document
//! is a pack of its own, so that a tree of packs is checked pack by pack.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use oar_engine::Source;
use oar_engine::document::source::{Format, Node, ReadLimits, Reading, SourceFile, read};

use crate::output::Trouble;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Rules,
    Capability,
    Config,
    /// Nothing that a rule, a capability document or a configuration would hold.
    Other,
}

/// A file that was read.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub(crate) path: PathBuf,
    pub(crate) kind: Kind,
    pub(crate) source: Source,
}

/// Documents that belong together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pack {
    /// The directory, when the pack is one.
    pub(crate) directory: Option<PathBuf>,
    pub(crate) rules: Vec<Input>,
    pub(crate) capabilities: Vec<Input>,
    pub(crate) configs: Vec<Input>,
    /// Files of a directory that hold nothing of ours.
    pub(crate) others: Vec<PathBuf>,
}

impl Pack {
    pub(crate) fn add(&mut self, input: Input) {
        match input.kind {
            Kind::Rules => self.rules.push(input),
            Kind::Capability => self.capabilities.push(input),
            Kind::Config => self.configs.push(input),
            Kind::Other => self.others.push(input.path),
        }
    }

    /// Every document: rules, capability documents, configurations.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = &Input> {
        self.rules.iter().chain(&self.capabilities).chain(&self.configs)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.capabilities.is_empty() && self.configs.is_empty()
    }
}

/// Where files come from: the disk, or the disk with what an editor has not saved yet.
pub(crate) trait Files {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read.
    fn read(&mut self, path: &Path) -> Result<Input, Trouble>;

    /// The files of a directory that the disk does not have.
    fn unsaved(&self, directory: &Path) -> Vec<PathBuf>;

    /// Whether a directory is looked into.
    fn enters(&mut self, directory: &Path) -> bool;
}

/// The disk and nothing else.
struct Disk;

impl Files for Disk {
    fn read(&mut self, path: &Path) -> Result<Input, Trouble> {
        file(path)
    }

    fn unsaved(&self, _: &Path) -> Vec<PathBuf> {
        Vec::new()
    }

    fn enters(&mut self, _: &Path) -> bool {
        true
    }
}

/// Reads the files of `paths`; `-` is standard input. The first pack holds what stands in no
/// pack directory.
///
/// # Errors
/// When something cannot be read.
pub(crate) fn gather(paths: &[PathBuf]) -> Result<Vec<Pack>, Trouble> {
    let mut loose = Pack::default();
    let mut packs = Vec::new();
    for path in paths {
        if path.is_dir() {
            for pack in directory(path, &mut Disk)? {
                if pack.capabilities.is_empty() && pack.directory.is_none() {
                    loose.rules.extend(pack.rules);
                    loose.configs.extend(pack.configs);
                    loose.others.extend(pack.others);
                } else {
                    packs.push(pack);
                }
            }
        } else {
            let mut input = file(path)?;
            if input.kind == Kind::Other {
                // It was named, so that it is meant to be one.
                input.kind = Kind::Rules;
            }
            loose.add(input);
        }
    }
    packs.insert(0, loose);
    Ok(packs)
}

/// The packs of a directory, its own first; files and directories in the order of their names.
///
/// # Errors
/// When something cannot be read.
pub(crate) fn directory(root: &Path, from: &mut dyn Files) -> Result<Vec<Pack>, Trouble> {
    // A directory still to be read, and the pack that it belongs to.
    let mut left = vec![(root.to_owned(), 0_usize)];
    let mut packs = vec![Pack::default()];
    while let Some((path, mut pack)) = left.pop() {
        if !from.enters(&path) {
            continue;
        }
        let (mut files, directories) = entries(&path)?;
        files.extend(from.unsaved(&path));
        files.sort();
        files.dedup();
        let mut inputs = Vec::new();
        for path in files {
            inputs.push(from.read(&path)?);
        }
        if inputs.iter().any(|input| input.kind == Kind::Capability) {
            let own = Pack { directory: Some(path.clone()), ..Pack::default() };
            if path == root {
                packs = vec![own];
            } else {
                packs.push(own);
                pack = packs.len() - 1;
            }
        }
        if let Some(pack) = packs.get_mut(pack) {
            inputs.into_iter().for_each(|input| pack.add(input));
        }
        left.extend(directories.into_iter().rev().map(|path| (path, pack)));
    }
    Ok(packs)
}

/// The document files and the directories in `path`, in the order of their names.
fn entries(path: &Path) -> Result<(Vec<PathBuf>, Vec<PathBuf>), Trouble> {
    let unreadable = |error| Trouble::unreadable(&path.display().to_string(), &error);
    let (mut files, mut directories) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(path).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with('.') {
            continue;
        }
        // A link to a directory is not followed: it may lead back here.
        if entry.file_type().map_err(unreadable)?.is_dir() {
            directories.push(entry.path());
        } else if is_document(&name) && !is_test(&name) {
            files.push(entry.path());
        }
    }
    directories.sort();
    Ok((files, directories))
}

/// Whether the name of a file is that of a document.
pub(crate) fn is_document(name: &str) -> bool {
    [".yaml", ".yml", ".json"].iter().any(|suffix| name.ends_with(suffix))
}

/// Whether a file holds cases for `oar test`.
pub(crate) fn is_test(name: &str) -> bool {
    [".test.yaml", ".test.yml", ".test.json"].iter().any(|suffix| name.ends_with(suffix))
}

/// Reads one file.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn file(path: &Path) -> Result<Input, Trouble> {
    let name = shown(path);
    let bytes = match name.as_str() {
        "-" => standard_input()?,
        _ => fs::read(path).map_err(|error| Trouble::unreadable(&name, &error))?,
    };
    let (kind, source) = match source_file(path, &bytes) {
        Ok(file) => {
            let reading = read(&file, &ReadLimits::default());
            (kind(path, &reading), Source::file(file))
        }
        // What is no text the loader says.
        Err(_) => (kind_by_name(path).unwrap_or(Kind::Rules), Source::bytes(&name, &bytes)),
    };
    Ok(Input { path: path.to_owned(), kind, source })
}

/// Reads a file as documents, whatever they are.
///
/// # Errors
/// When it cannot be read, or is no JSON or YAML.
pub(crate) fn documents(path: &Path) -> Result<Reading, Trouble> {
    let name = shown(path);
    let bytes = match name.as_str() {
        "-" => standard_input()?,
        _ => fs::read(path).map_err(|error| Trouble::unreadable(&name, &error))?,
    };
    let file = source_file(path, &bytes).map_err(|d| Trouble::Documents(vec![d]))?;
    let reading = read(&file, &ReadLimits::default());
    match reading.diagnostics.is_empty() {
        true => Ok(reading),
        false => Err(Trouble::Documents(reading.diagnostics)),
    }
}

fn source_file(
    path: &Path,
    bytes: &[u8],
) -> Result<Arc<SourceFile>, oar_engine::diagnostic::Diagnostic> {
    if path.as_os_str() != "-" {
        return SourceFile::from_bytes(shown(path), bytes, None);
    }
    // No name tells the format: what looks like JSON and is none may be YAML in braces.
    let read_as = |format| SourceFile::from_bytes("<stdin>", bytes, format);
    let is_sound =
        |file: &Arc<SourceFile>| read(file, &ReadLimits::default()).diagnostics.is_empty();
    let guessed = read_as(None)?;
    if guessed.format() == Format::Json && !is_sound(&guessed) {
        let yaml = read_as(Some(Format::Yaml))?;
        if is_sound(&yaml) {
            return Ok(yaml);
        }
    }
    Ok(guessed)
}

fn standard_input() -> Result<Vec<u8>, Trouble> {
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut bytes)
        .map_err(|error| Trouble::unreadable("-", &error))?;
    Ok(bytes)
}

/// A path as the user would write it: with slashes, and without a `./` that says nothing.
pub(crate) fn shown(path: &Path) -> String {
    let plain = path.strip_prefix(".").ok().filter(|rest| !rest.as_os_str().is_empty());
    let text = plain.unwrap_or(path).display().to_string();
    if std::path::MAIN_SEPARATOR == '/' { text } else { text.replace('\\', "/") }
}

/// Members by which a rule can be told although `oar` is missing.
const OF_A_RULE: [&str; 5] = ["oar", "effect", "when", "selector", "kind"];

/// Members by which an occurrence can be told, which has an anchor too.
const OF_AN_OCCURRENCE: [&str; 5] =
    ["facts", "content", "tool_call", "recent_activity", "detector_facts"];

/// What a file holds, by its content or else by its name.
pub(crate) fn kind(path: &Path, reading: &Reading) -> Kind {
    let Some(first) = reading.documents.first() else {
        return kind_by_name(path).unwrap_or(Kind::Rules);
    };
    let root = &first.root;
    if root.get("oar_capability_version").is_some() {
        return Kind::Capability;
    }
    if root.get("oar_config").is_some() {
        return Kind::Config;
    }
    let has = |node: &Node, names: &[&str]| names.iter().any(|name| node.get(name).is_some());
    let rule = |node: &Node| {
        has(node, &OF_A_RULE) || (node.get("anchor").is_some() && !has(node, &OF_AN_OCCURRENCE))
    };
    let members = root.as_array().unwrap_or_default();
    if rule(root) || members.iter().any(rule) {
        return Kind::Rules;
    }
    kind_by_name(path).unwrap_or(Kind::Other)
}

/// What a file is meant to be, when its content does not tell.
fn kind_by_name(path: &Path) -> Option<Kind> {
    match path.file_stem()?.to_str()? {
        "capability" => Some(Kind::Capability),
        "config" => Some(Kind::Config),
        _ => None,
    }
}
