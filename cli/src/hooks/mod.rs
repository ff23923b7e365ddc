//! `oar hooks`: coding agents guarded by rules.
//!
//! `run` is what an agent calls; it has a way of its own to end, since whatever goes wrong there
//! must be told in the agent's own words. The other commands are for people.

mod check;
mod install;
mod log;
mod matrix;
mod record;
mod run;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use oar_agent_hooks::Agent;

use crate::output::{Output, Trouble, Verdict};

/// Coding agents guarded by rules: run, install, uninstall, check, matrix, record.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Decides the event on standard input and answers in the agent's own form: what an agent
    /// calls. Whatever fails is a deny.
    Run(run::Args),
    /// Adds the hooks to an agent's configuration, and shows what changes.
    Install(install::Args),
    /// Takes them out again.
    Uninstall(install::UninstallArgs),
    /// Runs what is installed: does it deny, how long does it take, what stays open.
    Check(check::Args),
    /// Shows what each agent can and cannot enforce.
    Matrix(matrix::Args),
    /// Keeps the events of an agent as JSON Lines and decides nothing.
    Record(run::RecordArgs),
}

/// Runs a command.
///
/// # Errors
/// As the command says.
pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Verdict, Trouble> {
    match &args.command {
        // `main` has taken these two before.
        Command::Run(_) | Command::Record(_) => Ok(Verdict::Fine),
        Command::Install(args) => install::install(args, output),
        Command::Uninstall(args) => install::uninstall(args, output),
        Command::Check(args) => check::run(args, output),
        Command::Matrix(args) => Ok(matrix::run(args, output)),
    }
}

/// What stands behind `hooks`, where it is a hook that an agent calls.
#[derive(Debug, Parser)]
#[command(name = "oar hooks", disable_help_subcommand = true)]
struct Called {
    #[command(subcommand)]
    command: CalledCommand,
}

#[derive(Debug, Subcommand)]
enum CalledCommand {
    Run(run::Args),
    Record(run::RecordArgs),
}

/// Ends the process when it was called by an agent: `oar hooks run` and `oar hooks record`,
/// arguments that make no sense included.
pub(crate) fn called() -> Option<ExitCode> {
    let words: Vec<std::ffi::OsString> = std::env::args_os().collect();
    let is = |at: usize, word: &str| words.get(at).is_some_and(|own| own == word);
    if !is(1, "hooks") || !(is(2, "run") || is(2, "record")) {
        return None;
    }
    if words.iter().skip(3).any(|word| word == "--help" || word == "-h") {
        return None;
    }
    let parsed = Called::try_parse_from(words.iter().skip(1));
    Some(match parsed.map(|called| called.command) {
        Ok(CalledCommand::Run(args)) => run::guarded(args),
        Ok(CalledCommand::Record(args)) => run::record(args),
        Err(error) => {
            let agent = words.get(3).and_then(|word| word.to_str()?.parse::<Agent>().ok());
            let event = words.iter().skip_while(|word| *word != "--event").nth(1);
            let reason = error.to_string();
            // What is wrong, without how it is used.
            let reason = reason.split("\n\nUsage:").next().unwrap_or_default();
            let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
            run::refuse(agent, event.and_then(|event| event.to_str()), &reason)
        }
    })
}

/// The home directory.
fn home() -> Option<PathBuf> {
    std::env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from)
}

/// Where state and logs are kept: one directory for each user.
fn state_directory() -> Option<PathBuf> {
    let own =
        |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    own("OAR_STATE_DIR")
        .or_else(|| own("XDG_STATE_HOME").map(|state| state.join("oar")))
        .or_else(|| home().map(|home| home.join(".local/state/oar")))
}
