//! `oar-conformance lint`

use std::path::PathBuf;

use oar_conformance::fixture::{Corpus, Manifest};
use oar_conformance::in_process::InProcess;
use oar_conformance::lint::lint;

use super::{CannotRun, End, print};

#[derive(clap::Args)]
pub(crate) struct LintArgs {
    /// Directories or fixtures. The manifest of a directory is checked too.
    #[arg(value_name = "PATH", default_value = "conformance/corpus")]
    paths: Vec<PathBuf>,
}

pub(crate) fn run(args: &LintArgs) -> Result<End, CannotRun> {
    let mut findings = Vec::new();
    let mut count = 0;
    for path in &args.paths {
        let corpus = Corpus::read(std::slice::from_ref(path))?;
        let list = path.join("manifest.json");
        let manifest = if list.is_file() { Some(Manifest::read(&list)?) } else { None };
        findings.extend(lint(&corpus, manifest.as_ref(), &mut InProcess));
        count += corpus.entries.len();
    }
    let mut out: String = findings.iter().map(|finding| format!("{finding}\n")).collect();
    out.push_str(&format!("{count} fixtures, {} findings\n", findings.len()));
    print(&out)?;
    Ok(if findings.is_empty() { End::Fine } else { End::Failed })
}
