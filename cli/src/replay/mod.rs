//! `oar replay`: what rules would have decided over what was recorded.
//!
//! The answer that an operator needs before turning `monitor` into `enforce`: how often each rule
//! fired, passed and failed, and which decisions another rule set or configuration changes.

mod html;
mod json;
pub(crate) mod log;
mod progress;
mod record;
mod run;
mod tally;
mod text;
mod time;
mod timeline;

use std::path::PathBuf;

use crate::documents::{Documents, load};
use crate::input;
use crate::output::{Output, Trouble, Verdict};
use run::{Replayed, Set};

/// Replays recorded occurrences against rules.
///
/// The log is JSON Lines, gzip or not: occurrences as `oar eval --stream` takes them, with a
/// `time`, a `decision`, a `rule` and a `rule_set` where the record has them. What shares a
/// `session` shares counters and recent activity, in the order of the log.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    documents: Documents,
    /// The log, or `-` for standard input.
    #[arg(value_name = "LOG")]
    log: PathBuf,
    /// Other rules, to tell which decisions they change; may be given more than once.
    #[arg(long, value_name = "PATH")]
    against: Vec<PathBuf>,
    /// Another configuration, to tell which decisions it changes; later ones win.
    #[arg(long, value_name = "FILE")]
    against_config: Vec<PathBuf>,
    /// How many places of the log to name for each change.
    #[arg(long, value_name = "NUMBER", default_value_t = 3)]
    samples: usize,
    /// How many threads decide; as many as the machine has, if not given.
    #[arg(long, value_name = "NUMBER")]
    threads: Option<usize>,
    /// Write the counts as JSON.
    #[arg(long)]
    json: bool,
    /// Write them as one HTML page too, with counts over time.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// End with code 1 when a decision changes.
    #[arg(long)]
    exit_code: bool,
}

/// What is told.
pub(crate) struct Told<'t> {
    replayed: &'t Replayed,
    log: String,
    rules: String,
    digest: &'t str,
    /// The other rules and their digest.
    against: Option<(String, &'t str)>,
}

/// Runs the command.
///
/// # Errors
/// When something cannot be read or does not load.
pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Verdict, Trouble> {
    let set = |documents: &Documents| -> Result<Set, Trouble> {
        let loader = documents.loader()?;
        Ok(Set { rules: load(&loader)?.rules, digest: loader.digest() })
    };
    let main = set(&args.documents)?;
    let compares = !args.against.is_empty() || !args.against_config.is_empty();
    let other = compares.then(|| args.documents.other(&args.against, &args.against_config));
    let against = other.as_ref().map(set).transpose()?;
    let mut opened = log::open(&args.log)?;
    let threads =
        args.threads.or_else(|| std::thread::available_parallelism().ok().map(Into::into));
    let mut progress = progress::Progress::new(opened.size, opened.read.clone());
    let replayed = run::replay(
        (&main, against.as_ref()),
        &mut opened.text,
        args.samples,
        threads.unwrap_or(1),
        &mut progress,
    )?;
    let config = args.against_config.iter().map(|path| input::shown(path)).collect::<Vec<_>>();
    let told = Told {
        replayed: &replayed,
        log: input::shown(&args.log),
        rules: args.documents.shown(),
        digest: &main.digest,
        against: against.as_ref().zip(other).map(|(set, other)| {
            let with = if config.is_empty() { "" } else { " with " };
            (format!("{}{with}{}", other.shown(), config.join(", ")), set.digest.as_str())
        }),
    };
    if let Some(path) = &args.html {
        let page = html::page(&told);
        std::fs::write(path, page).map_err(|error| {
            Trouble::Io(format!("cannot write `{}`: {error}", input::shown(path)))
        })?;
    }
    if args.json {
        output.line(&format!("{:#}", json::of(&told)));
    } else {
        text::write(&told, output);
    }
    let counts = &replayed.counts;
    // The same rules must decide as they did, or the log is not what they decided.
    let broken = replayed.faulty > 0 || counts.same_rules.changed > 0;
    Ok(Verdict::unless(broken || (args.exit_code && counts.against.changed > 0)))
}
