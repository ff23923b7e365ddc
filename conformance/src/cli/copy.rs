//! `oar-conformance copy`

use std::fs;
use std::path::PathBuf;

use oar_conformance::fixture::{Corpus, Entry};
use oar_conformance::manifest::render;

use super::selection::SelectionArgs;
use super::{CannotRun, End, print, write};

#[derive(clap::Args)]
pub(crate) struct CopyArgs {
    /// Directories, manifests or fixtures.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Where to: a directory that is made when it is not there.
    #[arg(long, value_name = "DIRECTORY")]
    to: PathBuf,
    #[command(flatten)]
    selection: SelectionArgs,
}

pub(crate) fn run(args: &CopyArgs) -> Result<End, CannotRun> {
    let mut corpus = Corpus::read(&args.paths)?;
    let selection = args.selection.selection();
    corpus.entries.retain(|entry| selection.takes(entry));
    if let Some(invalid) = corpus.entries.iter().find(|e| matches!(e, Entry::Invalid(_))) {
        return Err(CannotRun(format!("{} is no fixture", invalid.file())));
    }
    fs::create_dir_all(&args.to)
        .map_err(|error| CannotRun(format!("{}: {error}", args.to.display())))?;
    for fixture in corpus.fixtures() {
        let path = args.to.join(format!("{}.json", fixture.id()));
        write(&path, fixture.question.source.text())?;
    }
    write(&args.to.join("manifest.json"), &render(&corpus))?;
    print(&format!("{} fixtures in {}\n", corpus.entries.len(), args.to.display()))?;
    Ok(End::Fine)
}
