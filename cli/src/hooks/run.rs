//! `oar hooks run`: one event, one answer, closed whatever happens.
//!
//! The work is done in a thread with a stack of its own. The main thread waits for it until the
//! deadline, which lies below the agent's timer, and answers in its place when it is late or has
//! panicked. Nothing is written to standard output but the one answer.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use oar_agent_hooks::{
    Adapter, Agent, Answer, Documents, Event, Guard, Protected, Verdict, install,
};
use oar_engine::Host;
use oar_engine::state::{SqliteOptions, SqliteStore};

use super::log::Log;
use super::record::Recorder;

/// A hook that an agent calls.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    /// Which agent: claude, codex, gemini, copilot, cursor, cline or opencode.
    pub(super) agent: Agent,
    /// Rules: a file or a directory; may be given more than once. A configuration in it counts.
    #[arg(long, value_name = "PATH", required = true)]
    rules: Vec<PathBuf>,
    /// A configuration; later ones win.
    #[arg(long, value_name = "FILE")]
    config: Vec<PathBuf>,
    /// The event, for the answer when it cannot be read.
    #[arg(long, value_name = "NAME")]
    event: Option<String>,
    /// The file of counters and recent steps; one for each user where it is not said.
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// The file to which troubles are written.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// How long a decision may take before it is a deny.
    #[arg(long, value_name = "MS", default_value_t = 5_000)]
    deadline_ms: u64,
    /// A directory that is in scope beside the workspace and the one for temporary files.
    #[arg(long, value_name = "DIRECTORY")]
    scope: Vec<PathBuf>,
    /// Let pass what could not be decided, and say so in every answer.
    #[arg(long)]
    fail_open: bool,
    /// Keep each occurrence and its decision as a line of JSON in this file.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Keep no texts and no arguments in the record.
    #[arg(long, requires = "record")]
    redact: bool,
}

/// A hook that keeps what an agent does.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct RecordArgs {
    /// Which agent.
    agent: Agent,
    /// The file to which the events are added, one a line.
    #[arg(long, value_name = "FILE", required = true)]
    to: PathBuf,
    /// Keep no texts and no arguments.
    #[arg(long)]
    redact: bool,
    /// The event; it is not needed.
    #[arg(long, value_name = "NAME", hide = true)]
    event: Option<String>,
}

/// A tool that no agent has: a call of it is always denied, so that `oar hooks check` can see
/// that a deny denies.
pub(super) const CANARY: &str = "oar_canary";

/// Bash lines nest, and the parser of the shell crate recurses up to a bound of its own.
const STACK: usize = 64 << 20;

/// The event as far as it was read when time ran out.
type Seen = Arc<Mutex<Option<Event>>>;

/// Decides one event, and answers it whatever happens.
pub(super) fn guarded(args: Args) -> ExitCode {
    let begun = Instant::now();
    let deadline = Duration::from_millis(args.deadline_ms);
    let log = Log::new(args.log.clone(), args.agent);
    let panicked = log.clone();
    std::panic::set_hook(Box::new(move |panic| panicked.note("", "", &panic.to_string())));
    let seen: Seen = Arc::default();
    let (sender, receiver) = channel();
    let work = {
        let (args, seen, log) = (args.clone(), Arc::clone(&seen), log.clone());
        move || {
            let done = decide(&args, &seen, &log);
            // Nobody waits any more when time has run out.
            drop(sender.send(done));
        }
    };
    let spawned = std::thread::Builder::new().stack_size(STACK).spawn(work);
    let done = match spawned {
        Ok(_) => wait(&receiver, deadline.saturating_sub(begun.elapsed())),
        Err(error) => Err(format!("no thread could be made: {error}")),
    };
    let answer = done.unwrap_or_else(|reason| {
        let event = seen.lock().unwrap_or_else(PoisonError::into_inner).take();
        failed(&args, event, &reason, &log)
    });
    give(&answer)
}

fn wait(receiver: &Receiver<Result<Answer, String>>, left: Duration) -> Result<Answer, String> {
    match receiver.recv_timeout(left) {
        Ok(done) => done,
        Err(RecvTimeoutError::Timeout) => {
            Err("no decision was reached before the deadline".to_owned())
        }
        Err(RecvTimeoutError::Disconnected) => {
            Err("the guard failed while it decided; its log has the reason".to_owned())
        }
    }
}

/// The answer where there is no decision: a deny, unless somebody has asked for the opposite.
fn failed(args: &Args, event: Option<Event>, reason: &str, log: &Log) -> Answer {
    let adapter = args.agent.adapter();
    let (name, session) = match &event {
        Some(event) => (event.name.clone(), event.session.clone()),
        None => (args.event.clone().unwrap_or_default(), String::new()),
    };
    log.note(&name, &session, reason);
    let verdict = match args.fail_open {
        false => {
            Verdict::refused(&format!("{reason}. Ask the person to look at `oar hooks check`."))
        }
        true => open(Verdict::default(), Some(reason)),
    };
    match event {
        Some(event) => adapter.answer(&event, &verdict),
        None if args.fail_open => unread(adapter, args.event.as_deref(), &verdict),
        None => adapter.deny(
            args.event.as_deref(),
            &format!("{reason}. Ask the person to look at `oar hooks check`."),
        ),
    }
}

fn unread(adapter: &dyn Adapter, event: Option<&str>, verdict: &Verdict) -> Answer {
    let name = event.unwrap_or(adapter.first_event());
    let event = Event::unread(adapter.agent(), name, adapter.stage(name));
    adapter.answer(&event, verdict)
}

/// What `--fail-open` says in every answer.
fn open(mut verdict: Verdict, reason: Option<&str>) -> Verdict {
    let text = match reason {
        Some(reason) => format!("[oar] NOT GUARDED: {reason}; it passed because of --fail-open"),
        None => "[oar] this guard lets pass what it cannot decide (--fail-open)".to_owned(),
    };
    verdict.warnings.push(text);
    verdict
}

/// The decision, as far as this thread gets.
fn decide(args: &Args, seen: &Seen, log: &Log) -> Result<Answer, String> {
    let adapter = args.agent.adapter();
    let event = adapter.read(&input()?).map_err(|fault| fault.to_string())?;
    *seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(event.clone());
    let documents =
        Documents::read(&args.rules, &args.config).map_err(|fault| fault.to_string())?;
    let state = match &args.state {
        Some(state) => state.clone(),
        None => {
            let directory = super::state_directory();
            directory
                .ok_or("there is no directory for the state: name a file with `--state`")?
                .join("state.db")
        }
    };
    let protected = protected(args, &event, &documents.files, &state);
    let loaded = oar_agent_hooks::load(args.agent, documents.rules, documents.configs);
    let loaded = loaded.map_err(|refused| {
        let first = refused.diagnostics().first().map(ToString::to_string).unwrap_or_default();
        refused.diagnostics().iter().for_each(|own| log.note(&event.name, "", &own.to_string()));
        format!("the rules do not load: {first}")
    })?;
    let host = Host::new().store(store(args, &state)?);
    let guard = Guard::new(loaded.rules, host).protecting(protected);
    if event.call.as_ref().is_some_and(|call| call.name == CANARY) {
        let denied = Verdict::refused("the canary is always denied: this guard works");
        return Ok(adapter.answer(&event, &denied));
    }
    let recorder = match &args.record {
        Some(path) => Some(Recorder::open(path, args.redact)?),
        None => None,
    };
    let mut recorded = Ok(());
    let mut verdict = guard.decide_and(&event, |decided| {
        for entry in decided.outcome.trace() {
            if let Some(failure) = entry.failure {
                log.note(&event.name, &event.session, &format!("{}: {failure}", entry.rule));
            }
        }
        if let Some(recorder) = &recorder
            && recorded.is_ok()
        {
            recorded = recorder.decided(&event, decided);
        }
    });
    recorded?;
    if args.fail_open {
        verdict = open(verdict, None);
    }
    Ok(adapter.answer(&event, &verdict))
}

fn input() -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut bytes);
    read.map_err(|error| format!("the event cannot be read: {error}"))?;
    Ok(bytes)
}

fn store(args: &Args, path: &Path) -> Result<SqliteStore, String> {
    let unopened =
        |error: String| format!("the state `{}` cannot be opened: {error}", path.display());
    if let Some(directory) = path.parent() {
        make_private(directory).map_err(|error| unopened(error.to_string()))?;
    }
    // Two requests that wait are still answered before the deadline.
    let deadline = Duration::from_millis(args.deadline_ms / 3);
    let options = SqliteOptions::new().deadline(deadline);
    SqliteStore::with(path, options).map_err(|error| unopened(error.to_string()))
}

/// Makes a directory that is the user's alone.
pub(super) fn make_private(directory: &Path) -> std::io::Result<()> {
    if directory.is_dir() {
        return Ok(());
    }
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

/// What belongs to this guard.
fn protected(args: &Args, event: &Event, files: &[PathBuf], state: &Path) -> Protected {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut denied: Vec<PathBuf> =
        args.rules.iter().chain(files).map(|path| absolute(path)).collect();
    // The state and what SQLite keeps beside it.
    for suffix in ["", "-wal", "-shm"] {
        denied.push(PathBuf::from(format!("{}{suffix}", absolute(state).display())));
    }
    denied.extend(std::env::current_exe());
    denied.extend(super::state_directory());
    let home = super::home();
    for root in event.workspace() {
        denied.extend(install::guarded(args.agent, home.as_deref(), Some(root)));
    }
    let mut protected = Protected { denied, ..Protected::default() };
    protected.scope.extend(args.scope.iter().map(|path| absolute(path)));
    protected
}

/// Keeps an event and answers nothing.
pub(super) fn record(args: RecordArgs) -> ExitCode {
    let adapter = args.agent.adapter();
    let kept = input().and_then(|bytes| {
        let event = adapter.read(&bytes).map_err(|fault| fault.to_string())?;
        Recorder::open(&args.to, args.redact)?.event(&event)?;
        Ok(adapter.answer(&event, &Verdict::default()))
    });
    match kept {
        Ok(answer) => give(&answer),
        // Recording guards nothing, so that it stands in nobody's way.
        Err(reason) => {
            Log::new(None, args.agent).note("", "", &reason);
            give(&unread(adapter, args.event.as_deref(), &Verdict::default()))
        }
    }
}

/// A deny for arguments that make no sense.
pub(super) fn refuse(agent: Option<Agent>, event: Option<&str>, reason: &str) -> ExitCode {
    match agent {
        Some(agent) => {
            Log::new(None, agent).note(event.unwrap_or_default(), "", reason);
            give(&agent.adapter().deny(event, reason))
        }
        // Whoever it is: most agents take this for a deny.
        None => give(&Answer { stderr: format!("[oar] {reason}"), exit: 2, ..Answer::default() }),
    }
}

/// Writes an answer, and ends as it says.
fn give(answer: &Answer) -> ExitCode {
    let mut stdout = std::io::stdout().lock();
    let written = stdout.write_all(answer.stdout.as_bytes()).and_then(|()| stdout.flush());
    if written.is_err() {
        return ExitCode::from(2);
    }
    // There is nowhere left to say that standard error is closed.
    drop(std::io::stderr().lock().write_all(answer.stderr.as_bytes()));
    // A thread that is late must not keep the process.
    std::process::exit(i32::from(answer.exit))
}
