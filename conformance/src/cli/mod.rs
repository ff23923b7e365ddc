//! The command line: what each command takes, and how it ends.
//!
//! Exit codes: 0 fine, 1 something failed, 2 usage, 3 could not run.

mod list;
mod run;
mod selection;

use std::io::{self, Write};
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
    Run(run::Args),
    /// List fixtures without running them.
    List(list::Args),
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
