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
/// How many directories are looked into: somebody may open the root of a disk.
const MOST_DIRECTORIES: usize = 10_000;
/// A file of more bytes that is not open is left aside: it is no document (16 MiB is the most).
const MOST_BYTES: u64 = 64 << 20;

/// The open documents and the folders that they lie in.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    pub(super) folders: Vec<PathBuf>,
    /// By the address that the client gave.
    pub(super) buffers: BTreeMap<String, Buffer>,
    /// What was read from the disk, while it is the same there.
    read: HashMap<PathBuf, Read>,
    /// The directory whose documents belong to those of a directory, as far as it was found.
    tops: HashMap<PathBuf, Option<PathBuf>>,
    /// The packs below such a directory.
    walked: HashMap<PathBuf, Vec<Pack>>,
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

/// What a document is called: its path, or else its address.
pub(super) fn name_of(address: &str) -> String {
    path_of(address).map_or_else(|| address.to_owned(), |path| path.display().to_string())
}

impl Workspace {
    /// The address of the document of a name.
    pub(super) fn address(&self, name: &str) -> Option<Uri> {
        let mut open = self.buffers.iter().filter(|(_, buffer)| buffer.name == name);
        let address = match open.next() {
            Some((address, _)) => address.clone(),
            None => Url::from_file_path(name).ok()?.to_string(),
        };
        Uri::from_str(&address).ok()
    }

    /// Forgets where documents lie: files may have come or gone. What is typed alone makes none.
    pub(super) fn look_again(&mut self) {
        self.tops.clear();
        self.walked.clear();
    }

    /// Reads what is open. A document that became another kind may make a pack of its directory, or
    /// no longer one.
    pub(super) fn read_open(&mut self) {
        let kinds = |own: &Self| -> Vec<Option<Kind>> {
            own.buffers.values().map(|buffer| buffer.kind).collect()
        };
        let before = kinds(self);
        let addresses: Vec<String> = self.buffers.keys().cloned().collect();
        for address in addresses {
            drop(self.open(&address));
        }
        if kinds(self) != before {
            self.look_again();
        }
    }

    /// The documents that belong together with that of an address, itself among them; `None` where
    /// it is nothing of ours.
    pub(super) fn pack(&mut self, address: &str) -> Option<Pack> {
        let input = self.open(address)?;
        let Some(path) = self.path(address) else { return alone(input) };
        let name = path.file_name()?.to_string_lossy().into_owned();
        if input::is_test(&name) || !input::is_document(&name) {
            return None;
        }
        let top = self.top(&path);
        top.and_then(|top| self.within(&top, &path)).or_else(|| alone(input))
    }

    fn path(&self, address: &str) -> Option<PathBuf> {
        let buffer = self.buffers.get(address)?;
        (buffer.name != address).then(|| PathBuf::from(&buffer.name))
    }

    /// The directory whose documents belong to that of a path.
    fn top(&mut self, path: &Path) -> Option<PathBuf> {
        let own = path.parent()?;
        if let Some(top) = self.tops.get(own) {
            return top.clone();
        }
        let folder = self.folders.iter().filter(|folder| path.starts_with(folder));
        let folder = folder.max_by_key(|folder| folder.components().count()).cloned();
        let mut top = folder.clone();
        for directory in path.ancestors().skip(1) {
            if self.is_pack(directory, folder.is_some() || directory == own) {
                top = Some(directory.to_owned());
                break;
            }
            if folder.as_deref() == Some(directory) {
                break;
            }
        }
        self.tops.insert(own.to_owned(), top.clone());
        top
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
            all.extend(entries.filter(|path| is_one(path)));
        }
        all.iter()
            .any(|path| Files::read(self, path).is_ok_and(|input| input.kind == Kind::Capability))
    }

    /// The pack of the tree below `top` that holds `path`.
    fn within(&mut self, top: &Path, path: &Path) -> Option<Pack> {
        if !self.walked.contains_key(top) {
            let mut bounded =
                Bounded { workspace: self, files: MOST_FILES, directories: MOST_DIRECTORIES };
            let packs = input::directory(top, &mut bounded).ok()?;
            self.walked.insert(top.to_owned(), packs);
        }
        let holds = |pack: &&Pack| {
            let mut paths = pack.inputs().map(|input| &input.path).chain(&pack.others);
            paths.any(|own| own == path)
        };
        let found = self.walked.get(top)?.iter().find(holds)?.clone();
        let mut pack = self.as_typed(found);
        if pack.directory.is_none() {
            // Files of other programs that cannot be read are not to be taken for rules here.
            let kept = |input: &Input| {
                let mentions = || text_of(input).is_some_and(|text| text.contains("oar"));
                self.opened(&input.path).is_some() || mentions()
            };
            pack.rules.retain(kept);
        }
        let holds = pack.inputs().any(|input| input.path == path);
        holds.then_some(pack)
    }

    /// A pack with the text of what is open as it is now.
    fn as_typed(&mut self, pack: Pack) -> Pack {
        let Pack { directory, rules, capabilities, configs, others } = pack;
        let mut typed = Pack { directory, ..Pack::default() };
        for input in rules.into_iter().chain(capabilities).chain(configs) {
            let open = self.opened(&input.path).and_then(|address| self.open(&address));
            typed.add(open.unwrap_or(input));
        }
        for path in others {
            match self.opened(&path).and_then(|address| self.open(&address)) {
                Some(input) => typed.add(input),
                None => typed.others.push(path),
            }
        }
        typed
    }

    /// The address of the open document of a path.
    fn opened(&self, path: &Path) -> Option<String> {
        let mut open = self.buffers.iter().filter(|(_, buffer)| Path::new(&buffer.name) == path);
        open.next().map(|(address, _)| address.clone())
    }

    /// An open document as a file.
    fn open(&mut self, address: &str) -> Option<Input> {
        let buffer = self.buffers.get_mut(address)?;
        if let Some(read) = &buffer.read {
            return Some(read.clone());
        }
        let (name, text) = (buffer.name.clone(), buffer.text.as_str());
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
        let read = Input { path, kind, source };
        buffer.read = Some(read.clone());
        Some(read)
    }
}

/// A document that lies in no directory, or in none of ours.
fn alone(input: Input) -> Option<Pack> {
    let mut pack = Pack::default();
    pack.add(input);
    (!pack.is_empty()).then_some(pack)
}

/// Whether the name of a path is that of a document that may belong to a pack.
fn is_one(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    input::is_document(&name) && !input::is_test(&name) && !name.starts_with('.')
}

fn text_of(input: &Input) -> Option<String> {
    let reading = input.source.read(&ReadLimits::default());
    Some(reading.file.text().to_owned())
}

impl Files for Workspace {
    fn read(&mut self, path: &Path) -> Result<Input, Trouble> {
        if let Some(input) = self.opened(path).and_then(|address| self.open(&address)) {
            return Ok(input);
        }
        let data = fs::metadata(path)
            .map_err(|error| Trouble::unreadable(&path.display().to_string(), &error))?;
        // What is no file, such as a pipe, may never end.
        if !data.is_file() || data.len() > MOST_BYTES {
            return Err(Trouble::Io(format!("`{}` is no document", path.display())));
        }
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
        let open = self.buffers.values().map(|buffer| PathBuf::from(&buffer.name));
        open.filter(|path| path.parent() == Some(directory) && is_one(path)).collect()
    }

    fn enters(&mut self, _: &Path) -> bool {
        true
    }
}

/// The workspace, up to so many files and directories.
struct Bounded<'w> {
    workspace: &'w mut Workspace,
    files: usize,
    directories: usize,
}

impl Files for Bounded<'_> {
    fn read(&mut self, path: &Path) -> Result<Input, Trouble> {
        let nothing = || Input {
            path: path.to_owned(),
            kind: Kind::Other,
            source: Source::yaml(path.display().to_string(), ""),
        };
        // One file that cannot be read does not hide the others.
        if self.files == 0 {
            return Ok(nothing());
        }
        self.files -= 1;
        Ok(self.workspace.read(path).unwrap_or_else(|_| nothing()))
    }

    fn unsaved(&self, directory: &Path) -> Vec<PathBuf> {
        self.workspace.unsaved(directory)
    }

    fn enters(&mut self, directory: &Path) -> bool {
        let room = self.files > 0 && self.directories > 0;
        self.directories = self.directories.saturating_sub(1);
        room && fs::read_dir(directory).is_ok()
    }
}
