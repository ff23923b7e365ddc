//! `oar log`: records that cannot be changed without being found out.

mod recorder;

use std::path::PathBuf;

use oar_engine::audit::{Broken, Chain};

use crate::input;
use crate::output::{BAD, GOOD, Output, Trouble, Verdict, styled};
use crate::replay::log::open;
pub(crate) use recorder::Recorder;

/// Looks after logs of records.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Verifies the chain of a log: which line was changed, dropped or moved.
    Verify(VerifyArgs),
}

#[derive(Debug, clap::Args)]
struct VerifyArgs {
    /// The log, gzip or not, or `-` for standard input.
    #[arg(value_name = "LOG")]
    log: PathBuf,
    /// The hash of the record before the first, for a log that goes on from another one.
    #[arg(long, value_name = "HASH")]
    after: Option<String>,
    /// The hash that the last record must have, kept elsewhere: without it, nobody can tell
    /// whether the end is missing.
    #[arg(long, value_name = "HASH")]
    head: Option<String>,
}

/// How many faults are told.
const FEW: usize = 20;

/// Runs the command.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Verdict, Trouble> {
    let Command::Verify(args) = &args.command;
    let mut log = open(&args.log)?;
    let name = input::shown(&args.log);
    let mut chain = args.after.as_ref().map_or_else(Chain::new, Chain::after);
    let (mut text, mut line, mut broken) = (Vec::new(), 0_u64, 0_usize);
    let mut tell = |line: u64, what: &Broken, output: &mut Output| {
        broken += 1;
        if broken <= FEW {
            output.line(&format!("{name}:{line}: {}: {what}", styled(BAD, "broken")));
        }
    };
    loop {
        text.clear();
        let length = log.text.read_until(b'\n', &mut text).map_err(|error| {
            Trouble::Io(format!("cannot read `{name}` behind line {line}: {error}"))
        })?;
        if length == 0 {
            break;
        }
        line += 1;
        if text.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        for what in chain.verify(&text) {
            tell(line, &what, output);
        }
    }
    if let Some(what) = args.head.as_deref().and_then(|head| chain.end(head)) {
        tell(line, &what, output);
    }
    if broken > FEW {
        output.line(&format!("and {} more", broken - FEW));
    }
    match (broken, chain.last()) {
        (0, Some((sequence, hash))) => {
            let records = if sequence == 1 { "record" } else { "records" };
            let ok = styled(GOOD, "ok");
            output.line(&format!("{ok}: {} {records} in one chain, the last {hash}", chain.seen()));
        }
        (0, None) => output.line("no record, and so no chain"),
        _ => {}
    }
    Ok(Verdict::unless(broken > 0))
}
