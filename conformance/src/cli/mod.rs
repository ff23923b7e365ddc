//! The command line: what each command takes, and how it ends.
//!
//! Exit codes: 0 fine, 1 something failed, 2 usage, 3 could not run.

mod adapter;
mod copy;
mod coverage;
mod diff;
mod engine;
mod generate;
mod lint;
mod list;
mod manifest;
mod progress;
mod run;
mod selection;

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Tells whether an Open Agent Rules 1.0 engine conforms.
#[derive(Parser)]
#[command(name = "oar-conformance", version, about, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Put fixtures to an engine and judge its answers.
    Run(run::RunArgs),
    /// List fixtures without running them.
    List(list::ListArgs),
    /// Answer fixtures from standard input with our own engine.
    Adapter(adapter::AdapterArgs),
    /// Show where two engines disagree.
    Diff(diff::DiffArgs),
    /// Show which clauses of the standard the fixtures cover.
    Coverage(coverage::CoverageArgs),
    /// Check the fixtures themselves.
    Lint(lint::LintArgs),
    /// Write the list of a corpus.
    Manifest(manifest::ManifestArgs),
    /// Make random fixtures.
    Generate(generate::GenerateArgs),
    /// Copy fixtures to a directory of yours.
    Copy(copy::CopyArgs),
}

/// How a command ended.
pub(crate) enum End {
    /// Nothing failed.
    Fine,
    /// Something was judged and failed.
    Failed,
}

/// Why a command could not do its work.
pub(crate) struct CannotRun(pub(crate) String);

impl<E: std::error::Error> From<E> for CannotRun {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

pub(crate) fn main() -> ExitCode {
    let end = match Cli::parse().command {
        Command::Run(args) => run::run(&args),
        Command::List(args) => list::run(&args),
        Command::Adapter(args) => adapter::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Coverage(args) => coverage::run(&args),
        Command::Lint(args) => lint::run(&args),
        Command::Manifest(args) => manifest::run(&args),
        Command::Generate(args) => generate::run(&args),
        Command::Copy(args) => copy::run(&args),
    };
    match end {
        Ok(End::Fine) => ExitCode::SUCCESS,
        Ok(End::Failed) => ExitCode::from(1),
        Err(CannotRun(message)) => {
            // Nobody is left to be told when this cannot be written.
            let _ = writeln!(io::stderr(), "oar-conformance: {message}");
            ExitCode::from(3)
        }
    }
}

/// Writes `text` to standard output. That its reader went away is no trouble: it has seen what it
/// wanted.
pub(crate) fn print(text: &str) -> Result<(), CannotRun> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// The text of the file at `path`.
pub(crate) fn read(path: &Path) -> Result<String, CannotRun> {
    fs::read_to_string(path).map_err(|error| CannotRun(format!("{}: {error}", path.display())))
}

/// Writes `text` to the file at `path`.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), CannotRun> {
    fs::write(path, text).map_err(|error| CannotRun(format!("{}: {error}", path.display())))
}
