//! `oar-conformance run`

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::ValueEnum;
use oar_conformance::fixture::Corpus;
use oar_conformance::report::{self, Terminal, Verbosity};
use oar_conformance::runner::external::External;
use oar_conformance::runner::{
    Claim, Engines, KnownFailures, Options, Unusable, render_known_failures, run as run_fixtures,
};

use super::{CannotRun, End, print, selection};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Directories, manifests or fixtures.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    selection: selection::SelectionArgs,
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
    /// Whether to use colour.
    #[arg(long, value_enum, default_value = "auto", help_heading = "Reports")]
    color: Color,
}

#[derive(clap::Args)]
#[command(next_help_heading = "Engine")]
pub(crate) struct EngineArgs {
    /// The engine to test: a shell command that speaks the adapter protocol.
    #[arg(long, value_name = "COMMAND")]
    engine: String,
    /// The seconds that the engine has for one fixture.
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

fn time_limit(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "a number of seconds above 0 is wanted".to_owned())
}

impl EngineArgs {
    fn engines(&self) -> Box<dyn Engines> {
        Box::new(External::new(&self.engine, self.timeout))
    }
}

pub(crate) fn run(args: &Args) -> Result<End, CannotRun> {
    let corpus = Corpus::read(&args.paths)?;
    let known = match &args.known_failures {
        Some(path) => Some(KnownFailures::parse(&read(path)?)),
        None => None,
    };
    let options = Options { jobs: args.engine.jobs, selection: args.selection.selection(), known };
    let engines = args.engine.engines();
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
    let text = if args.json {
        format!("{:#}\n", report::json(&run, &claim))
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

fn read(path: &Path) -> Result<String, CannotRun> {
    fs::read_to_string(path).map_err(|error| CannotRun(format!("{}: {error}", path.display())))
}

fn write(path: &Path, text: &str) -> Result<(), CannotRun> {
    fs::write(path, text).map_err(|error| CannotRun(format!("{}: {error}", path.display())))
}

/// A bar on standard error, while a run takes long and somebody looks on.
struct Progress {
    since: Instant,
    is_watched: bool,
}

impl Progress {
    /// Shorter runs are over before a bar could be read.
    const PATIENCE: Duration = Duration::from_millis(500);
    const WIDTH: usize = 40;

    fn new() -> Self {
        Self { since: Instant::now(), is_watched: io::stderr().is_terminal() }
    }

    fn show(&self, done: usize, all: usize) {
        if !self.is_watched || self.since.elapsed() < Self::PATIENCE {
            return;
        }
        let full = done * Self::WIDTH / all.max(1);
        let bar = format!("{}{}", "#".repeat(full), "-".repeat(Self::WIDTH.saturating_sub(full)));
        // A bar that cannot be shown is not missed.
        let _ = write!(io::stderr(), "\r[{bar}] {done}/{all}");
    }

    fn clear(&self) {
        if self.is_watched {
            let _ = write!(io::stderr(), "\r\u{1b}[K");
        }
    }
}
