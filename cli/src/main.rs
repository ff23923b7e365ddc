//! The `oar` command: check, evaluate, explain and test Open Agent Rules documents.
//!
//! Results go to standard output, troubles to standard error. The exit code is 0 when all is
//! well, 1 when the input was judged bad, 2 for wrong usage, 3 when something could not be read,
//! and 4 when the decision is block and `eval --exit-code` was asked for.
#![forbid(unsafe_code)]

mod check;
mod clause;
mod diff;
mod documents;
mod eval;
mod explain;
mod extras;
mod hooked;
mod hooks;
mod input;
mod lint;
mod log;
mod lsp;
mod moment;
mod new;
mod output;
mod replay;
mod rules;
mod test;
mod words;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use output::{Output, Trouble};

/// Checks, evaluates, explains and tests Open Agent Rules documents.
#[derive(Debug, Parser)]
#[command(name = "oar", version, max_term_width = 100)]
struct Cli {
    /// When to colour: where a terminal shows it, always or never.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: output::Color,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::Args),
    Diff(diff::Args),
    Eval(eval::Args),
    Explain(explain::Args),
    Test(test::Args),
    Hooks(hooks::Args),
    Replay(replay::Args),
    Log(log::Args),
    New(new::Args),
    Lsp(lsp::Args),
    Schema(extras::SchemaArgs),
    Completions(extras::CompletionsArgs),
    Man(extras::ManArgs),
}

fn main() -> ExitCode {
    if let Some(code) = hooks::called() {
        return code;
    }
    let cli = Cli::parse();
    let mut output = Output::new(cli.color);
    let result = match &cli.command {
        Command::Check(args) => check::run(args, &mut output),
        Command::Diff(args) => diff::run(args, &mut output),
        Command::Eval(args) => eval::run(args, &mut output),
        Command::Explain(args) => explain::run(args, &mut output),
        Command::Test(args) => test::run(args, cli.color, &mut output),
        Command::Hooks(args) => hooks::run(args, &mut output),
        Command::Replay(args) => replay::run(args, &mut output),
        Command::Log(args) => log::run(args, &mut output),
        Command::New(args) => new::run(args, &mut output),
        Command::Lsp(args) => lsp::run(args),
        Command::Schema(args) => Ok(extras::schema(args, &mut output)),
        Command::Completions(args) => Ok(extras::completions::<Cli>(args, &mut output)),
        Command::Man(args) => extras::man::<Cli>(args, &mut output),
    };
    let result = result.and_then(|verdict| match output.finish() {
        // A reader that has seen enough, such as `head`, is no trouble. It does not change the
        // verdict either: under `pipefail` a bad document must not pass for being piped.
        Ok(()) | Err(Trouble::Closed) => Ok(verdict),
        Err(trouble) => Err(trouble),
    });
    match result {
        Ok(verdict) => verdict.into(),
        Err(trouble) => {
            output::complain(cli.color, &trouble);
            trouble.into()
        }
    }
}
