//! `oar-conformance run`

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use oar_conformance::clauses;
use oar_conformance::fixture::Corpus;
use oar_conformance::report::{self, Terminal, Verbosity};
use oar_conformance::runner::{
    Claim, KnownFailures, Options, Unusable, render_known_failures, run as run_fixtures,
};

use super::engine::{engines, time_limit};
use super::progress::Progress;
use super::selection::SelectionArgs;
use super::{CannotRun, End, print, read, write};

#[derive(clap::Args)]
pub(crate) struct RunArgs {
    /// Directories, manifests or fixtures.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    selection: SelectionArgs,
    /// Identifiers, one a line, of fixtures that fail: each must still fail.
    #[arg(long, value_name = "FILE", help_heading = "Known failures")]
    known_failures: Option<PathBuf>,
    /// Write the fixtures that fail now to this file.
    #[arg(long, value_name = "FILE", help_heading = "Known failures")]
    write_known_failures: Option<PathBuf>,
    /// List every fixture; twice, also what was asked where one did not pass.
    #[arg(short, long, action = clap::ArgAction::Count, help_heading = "Reports")]
    verbose: u8,
    /// Print the report as JSON.
    #[arg(long, group = "format", help_heading = "Reports")]
    json: bool,
    /// Print the report in the Test Anything Protocol.
    #[arg(long, group = "format", help_heading = "Reports")]
    tap: bool,
    /// Print the report as Markdown.
    #[arg(long, group = "format", help_heading = "Reports")]
    markdown: bool,
    /// Write the report as JUnit XML to this file, besides what is printed.
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    junit: Option<PathBuf>,
    /// Write the report as an HTML page to this file, besides what is printed.
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    html: Option<PathBuf>,
    /// Whether to use colour.
    #[arg(long, value_enum, default_value = "auto", help_heading = "Reports")]
    color: Color,
}

#[derive(clap::Args)]
#[command(next_help_heading = "Engine")]
pub(crate) struct EngineArgs {
    /// The engine to test: a shell command that speaks the adapter protocol. Without it our own
    /// is tested, in this process.
    #[arg(long, value_name = "COMMAND")]
    engine: Option<String>,
    /// The seconds that the engine has for one fixture; our own, in this process, has no limit.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = time_limit)]
    timeout: Duration,
    /// How many engines work at once.
    #[arg(long, value_name = "COUNT", default_value = "1")]
    jobs: usize,
}

#[derive(Clone, Copy, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    fn is_used(self) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => {
                io::stdout().is_terminal()
                    && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
            }
        }
    }
}

pub(crate) fn run(args: &RunArgs) -> Result<End, CannotRun> {
    let corpus = Corpus::read(&args.paths)?;
    let known = match &args.known_failures {
        Some(path) => Some(KnownFailures::parse(&read(path)?)),
        None => None,
    };
    let options = Options { jobs: args.engine.jobs, selection: args.selection.selection(), known };
    let engines = engines(args.engine.engine.as_deref(), args.engine.timeout);
    let progress = Progress::new();
    let result =
        run_fixtures(&corpus, engines.as_ref(), &options, &|done, all| progress.show(done, all));
    progress.clear();
    let run = result.map_err(|Unusable { cause, log }| {
        let log = if log.is_empty() { log } else { format!("\nthe engine logged:\n{log}") };
        CannotRun(format!("{cause}{log}"))
    })?;
    if run.verdicts.is_empty() {
        return Err(CannotRun("no fixture was selected".to_owned()));
    }
    if let Some(path) = &args.write_known_failures {
        write(path, &render_known_failures(&run))?;
    }
    let claim = Claim::of(&run, &options.selection);
    if let Some(path) = &args.junit {
        write(path, &report::junit(&run))?;
    }
    if let Some(path) = &args.html {
        let summary = |clause: &str| clauses::find(clause).map(|clause| clause.summary.clone());
        write(path, &report::html(&run, &claim, &summary))?;
    }
    let text = if args.json {
        format!("{:#}\n", report::json(&run, &claim))
    } else if args.tap {
        report::tap(&run)
    } else if args.markdown {
        report::markdown(&run, &claim)
    } else {
        let verbosity = match args.verbose {
            0 => Verbosity::Exceptions,
            1 => Verbosity::All,
            _ => Verbosity::Everything,
        };
        Terminal { colour: args.color.is_used(), verbosity }.render(&run, &claim)
    };
    print(&text)?;
    Ok(if run.is_success() { End::Fine } else { End::Failed })
}
