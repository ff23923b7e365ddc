//! `oar-conformance coverage`

use std::path::PathBuf;

use oar_conformance::coverage::{Coverage, TestsOf, read_exemptions};
use oar_conformance::fixture::Corpus;

use super::{CannotRun, End, print, read};

#[derive(clap::Args)]
pub(crate) struct CoverageArgs {
    /// Directories, manifests or fixtures; `conformance/corpus` of the root unless given.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The repository: it has `exempt.json` and the tests that this names.
    #[arg(long, value_name = "DIRECTORY", default_value = ".")]
    root: PathBuf,
    /// List every clause.
    #[arg(short, long)]
    verbose: bool,
    /// Print JSON.
    #[arg(long, group = "format")]
    json: bool,
    /// Print Markdown.
    #[arg(long, group = "format")]
    markdown: bool,
}

pub(crate) fn run(args: &CoverageArgs) -> Result<End, CannotRun> {
    let paths = match args.paths.as_slice() {
        [] => vec![args.root.join("conformance/corpus")],
        paths => paths.to_vec(),
    };
    let corpus = Corpus::read(&paths)?;
    let list = args.root.join("exempt.json");
    let exemptions = read_exemptions(&read(&list)?)
        .map_err(|reason| CannotRun(format!("{}: {reason}", list.display())))?;
    let tests = TestsOf::workspace(&args.root)?;
    let coverage = Coverage::of(&corpus, &exemptions, &|test| tests.contains(test));
    let text = if args.json {
        format!("{:#}\n", coverage.json())
    } else if args.markdown {
        coverage.markdown()
    } else {
        coverage.text(args.verbose)
    };
    print(&text)?;
    Ok(if coverage.is_complete() { End::Fine } else { End::Failed })
}
