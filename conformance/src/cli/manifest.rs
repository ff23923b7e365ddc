//! `oar-conformance manifest`

use std::path::PathBuf;

use oar_conformance::fixture::{Corpus, Entry, Manifest};
use oar_conformance::manifest::{differences, render};

use super::{CannotRun, End, print, write};

#[derive(clap::Args)]
pub(crate) struct ManifestArgs {
    /// The directory of the fixtures, where the manifest stands.
    #[arg(value_name = "DIRECTORY", default_value = "conformance/corpus")]
    directory: PathBuf,
    /// Write nothing, and fail when the manifest is not what would be written.
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(args: &ManifestArgs) -> Result<End, CannotRun> {
    let corpus = Corpus::read(std::slice::from_ref(&args.directory))?;
    let path = args.directory.join("manifest.json");
    let mut wrong: Vec<String> = corpus
        .entries
        .iter()
        .filter(|entry| matches!(entry, Entry::Invalid(_)))
        .map(|entry| format!("`{}` is no fixture", entry.id()))
        .collect();
    if args.check {
        wrong.extend(differences(&Manifest::read(&path)?, &corpus));
    } else if wrong.is_empty() {
        write(&path, &render(&corpus))?;
    }
    print(&wrong.iter().map(|line| format!("{line}\n")).collect::<String>())?;
    Ok(if wrong.is_empty() { End::Fine } else { End::Failed })
}
