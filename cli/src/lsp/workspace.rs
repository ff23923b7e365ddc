//! Which documents belong together: those of the pack that a file lies in, as `oar check` has it,
//! with what is open in the editor in place of what is on the disk.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr as _;
use std::time::SystemTime;

use lsp_types::Uri;
use oar_engine::Source;
use oar_engine::document::source::{Format, ReadLimits, SourceFile, read};
use url::Url;

use super::buffer::Buffer;
use crate::input::{self, Files, Input, Kind, Pack};
use crate::output::Trouble;

/// How many files of a directory are read. A pack of people has some dozens.
const MOST_FILES: usize = 5_000;

/// The open documents and the folders that they lie in.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    pub(super) folders: Vec<PathBuf>,
    /// By the address that the client gave.
    pub(super) buffers: BTreeMap<String, Buffer>,
    /// What was read from the disk, while it is the same there.
    read: HashMap<PathBuf, Read>,
}

#[derive(Debug)]
struct Read {
    changed: Option<SystemTime>,
    bytes: u64,
    input: Input,
}

/// The path of an address, where it is that of a file.
pub(super) fn path_of(address: &str) -> Option<PathBuf> {
    Url::parse(address).ok().filter(|url| url.scheme() == "file")?.to_file_path().ok()
}

/// What documents are called: their path, or else their address.
pub(super) fn name_of(address: &str) -> String {
    path_of(address).map_or_else(|| address.to_owned(), |path| path.display().to_string())
}

impl Workspace {
    /// The address of the document of a name.
    pub(super) fn address(&self, name: &str) -> Option<Uri> {
        let open = self.buffers.keys().find(|address| name_of(address) == name);
        let address = match open {
            Some(address) => address.clone(),
            None => Url::from_file_path(name).ok()?.to_string(),
        };
        Uri::from_str(&address).ok()
    }

    /// The documents that belong together with that of an address, itself among them; `None` where
    /// it is nothing of ours.
    pub(super) fn pack(&mut self, address: &str) -> Option<Pack> {
        let Some(path) = path_of(address) else { return self.alone(address) };
        let name = path.file_name()?.to_string_lossy().into_owned();
        if input::is_test(&name) || !input::is_document(&name) {
            return None;
        }
        let folder = self.folders.iter().filter(|folder| path.starts_with(folder));
        let folder = folder.max_by_key(|folder| folder.components().count()).cloned();
        let mut top = folder.clone();
        for directory in path.ancestors().skip(1) {
            if self.is_pack(directory, folder.is_some() || path.parent() == Some(directory)) {
                top = Some(directory.to_owned());
                break;
            }
            if folder.as_deref() == Some(directory) {
                break;
            }
        }
        let found = match top {
            Some(top) => self.within(&top, &path),
            None => None,
        };
        found.or_else(|| self.alone(address))
    }

    /// Whether a directory holds a capability document. What a file holds is looked at where the
    /// user works; further up, its name has to say it.
    fn is_pack(&mut self, directory: &Path, looks: bool) -> bool {
        let names = ["capability.yaml", "capability.yml", "capability.json"];
        if names.iter().any(|name| directory.join(name).is_file()) {
            return true;
        }
        let mut all = self.unsaved(directory);
        if looks {
            let entries = fs::read_dir(directory).into_iter().flatten().flatten();
            let entries = entries.take(MOST_FILES).map(|entry| entry.path());
            all.extend(entries.filter(|path| {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                input::is_document(&name) && !input::is_test(&name) && !name.starts_with('.')
            }));
        }
        all.iter()
            .any(|path| Files::read(self, path).is_ok_and(|input| input.kind == Kind::Capability))
    }

    /// The pack of the tree below `top` that holds `path`.
    fn within(&mut self, top: &Path, path: &Path) -> Option<Pack> {
        let mut bounded = Bounded { workspace: self, left: MOST_FILES };
        let packs = input::directory(top, &mut bounded).ok()?;
        let holds = |pack: &Pack| pack.inputs().any(|input| input.path == path);
        let mut pack = packs.into_iter().find(holds)?;
        if pack.directory.is_none() {
            // Files of other programs that cannot be read are not to be taken for rules here.
            let kept = |input: &Input| {
                let mentions = || text_of(input).is_some_and(|text| text.contains("oar"));
                self.is_open(&input.path) || mentions()
            };
            pack.rules.retain(kept);
        }
        Some(pack)
    }

    /// A document that lies in no directory, or in none of ours.
    fn alone(&mut self, address: &str) -> Option<Pack> {
        let input = self.open(address)?;
        let mut pack = Pack::default();
        pack.add(input);
        (!pack.is_empty()).then_some(pack)
    }

    fn is_open(&self, path: &Path) -> bool {
        self.buffers.keys().any(|address| path_of(address).as_deref() == Some(path))
    }

    /// An open document as a file.
    fn open(&mut self, address: &str) -> Option<Input> {
        let name = name_of(address);
        let buffer = self.buffers.get_mut(address)?;
        let text = buffer.text.as_str();
        let format = Format::of_name(&name).or(match buffer.language.as_str() {
            "json" | "jsonc" => Some(Format::Json),
            "yaml" => Some(Format::Yaml),
            _ => None,
        });
        let path = PathBuf::from(&name);
        let (kind, source) = match SourceFile::from_bytes(name.as_str(), text.as_bytes(), format) {
            Err(_) => (None, Source::bytes(&name, text.as_bytes())),
            Ok(file) => {
                let reading = read(&file, &ReadLimits::default());
                let told = !reading.documents.is_empty() || buffer.kind.is_none();
                (told.then(|| input::kind(&path, &reading)), Source::file(file))
            }
        };
        // What is half typed stays what it was.
        let kind = kind.or(buffer.kind).unwrap_or(Kind::Rules);
        buffer.kind = Some(kind);
        Some(Input { path, kind, source })
    }
}

fn text_of(input: &Input) -> Option<String> {
    let reading = input.source.read(&ReadLimits::default());
    Some(reading.file.text().to_owned())
}

impl Files for Workspace {
    fn read(&mut self, path: &Path) -> Result<Input, Trouble> {
        let open = self.buffers.keys().find(|own| path_of(own).as_deref() == Some(path)).cloned();
        if let Some(input) = open.and_then(|address| self.open(&address)) {
            return Ok(input);
        }
        let data = fs::metadata(path)
            .map_err(|error| Trouble::unreadable(&path.display().to_string(), &error))?;
        let (changed, bytes) = (data.modified().ok(), data.len());
        if let Some(read) = self.read.get(path)
            && (read.changed, read.bytes) == (changed, bytes)
        {
            return Ok(read.input.clone());
        }
        let input = input::file(path)?;
        let read = Read { changed, bytes, input: input.clone() };
        self.read.insert(path.to_owned(), read);
        Ok(input)
    }

    fn unsaved(&self, directory: &Path) -> Vec<PathBuf> {
        let open = self.buffers.keys().filter_map(|address| path_of(address));
        open.filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            path.parent() == Some(directory)
                && input::is_document(&name)
                && !input::is_test(&name)
                && !name.starts_with('.')
        })
        .collect()
    }
}

/// The workspace, up to so many files.
struct Bounded<'w> {
    workspace: &'w mut Workspace,
    left: usize,
}

impl Files for Bounded<'_> {
    fn read(&mut self, path: &Path) -> Result<Input, Trouble> {
        let nothing = || Input {
            path: path.to_owned(),
            kind: Kind::Other,
            source: Source::yaml(path.display().to_string(), ""),
        };
        // One file that cannot be read does not hide the others.
        if self.left == 0 {
            return Ok(nothing());
        }
        self.left -= 1;
        Ok(self.workspace.read(path).unwrap_or_else(|_| nothing()))
    }

    fn unsaved(&self, directory: &Path) -> Vec<PathBuf> {
        self.workspace.unsaved(directory)
    }
}
