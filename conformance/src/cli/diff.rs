//! `oar-conformance diff`

use std::path::PathBuf;
use std::time::Duration;

use oar_conformance::differ::compare_engines;
use oar_conformance::fixture::Corpus;

use super::engine::{engines, time_limit};
use super::progress::Progress;
use super::selection::SelectionArgs;
use super::{CannotRun, End, print};

#[derive(clap::Args)]
pub(crate) struct DiffArgs {
    /// Directories, manifests or files; a `.jsonl` file has a fixture a line, and none needs an
    /// expectation.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// An engine: a shell command that speaks the adapter protocol. Given once, it is held
    /// against our own.
    #[arg(long, value_name = "COMMAND", required = true)]
    engine: Vec<String>,
    /// The seconds that an engine has for one fixture.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = time_limit)]
    timeout: Duration,
    #[command(flatten)]
    selection: SelectionArgs,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &DiffArgs) -> Result<End, CannotRun> {
    let (a, b) = match args.engine.as_slice() {
        [a, b] => (Some(a), b),
        [b] => (None, b),
        _ => return Err(CannotRun("two engines can be compared, not more".to_owned())),
    };
    let corpus = Corpus::read_questions(&args.paths)?;
    let a = engines(a.map(String::as_str), args.timeout);
    let b = engines(Some(b), args.timeout);
    let progress = Progress::new();
    let comparison = compare_engines(
        &corpus,
        &args.selection.selection(),
        a.start().as_mut(),
        b.start().as_mut(),
        &|done, all| progress.show(done, all),
    );
    progress.clear();
    print(&if args.json { format!("{:#}\n", comparison.json()) } else { comparison.text() })?;
    Ok(if comparison.is_agreement() { End::Fine } else { End::Failed })
}
