//! `oar-conformance list`

use std::path::PathBuf;

use oar_conformance::fixture::{Corpus, Entry};
use serde_json::json;

use super::selection::SelectionArgs;
use super::{CannotRun, End, print};

#[derive(clap::Args)]
pub(crate) struct ListArgs {
    /// Directories, manifests or fixtures.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    selection: SelectionArgs,
    /// One JSON object a line, with file, title, clauses and baseline.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &ListArgs) -> Result<End, CannotRun> {
    let corpus = Corpus::read(&args.paths)?;
    let selection = args.selection.selection();
    let mut out = String::new();
    let mut end = End::Fine;
    for entry in corpus.entries.iter().filter(|entry| selection.takes(entry)) {
        if matches!(entry, Entry::Invalid(_)) {
            end = End::Failed;
        }
        out.push_str(&if args.json { line_of_json(entry) } else { line(entry) });
        out.push('\n');
    }
    print(&out)?;
    Ok(end)
}

fn line(entry: &Entry) -> String {
    match entry {
        Entry::Fixture(fixture) => {
            let title = fixture.title.as_deref().unwrap_or_default();
            format!("{}  [{}]  {title}", fixture.id(), fixture.covers.join(" "))
                .trim_end()
                .to_owned()
        }
        Entry::Invalid(invalid) => {
            let problem = invalid.problems.first().map(ToString::to_string).unwrap_or_default();
            format!("{}  no fixture: {problem}", invalid.id)
        }
    }
}

fn line_of_json(entry: &Entry) -> String {
    match entry {
        Entry::Fixture(fixture) => json!({
            "id": fixture.id(),
            "file": entry.file(),
            "title": fixture.title,
            "covers": fixture.covers,
            "baseline": fixture.baseline,
        }),
        Entry::Invalid(invalid) => json!({
            "id": invalid.id,
            "file": invalid.file,
            "problems": invalid.problems.iter().map(ToString::to_string).collect::<Vec<_>>(),
        }),
    }
    .to_string()
}
