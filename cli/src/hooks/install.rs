//! `oar hooks install` and `uninstall`: an agent's own configuration, shown as a diff.

use std::path::{Path, PathBuf};

use oar_agent_hooks::install::{self, Change, Invocation, Place};
use oar_agent_hooks::{Agent, Documents};
use similar::TextDiff;

use crate::output::{GOOD, Output, Trouble, Verdict, styled};

/// What is installed, and where.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    place: PlaceArgs,
    /// Rules: a file or a directory; may be given more than once.
    #[arg(long, value_name = "PATH", required = true)]
    rules: Vec<PathBuf>,
    /// A configuration; later ones win.
    #[arg(long, value_name = "FILE")]
    config: Vec<PathBuf>,
    /// A directory that is in scope beside the workspace and the one for temporary files.
    #[arg(long, value_name = "DIRECTORY")]
    scope: Vec<PathBuf>,
    /// The file of counters and recent steps; one for each user where it is not said.
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Keep each occurrence and its decision as a line of JSON in this file.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Let pass what could not be decided, and say so in every answer.
    #[arg(long)]
    fail_open: bool,
}

/// From where it is taken out.
#[derive(Debug, clap::Args)]
pub(crate) struct UninstallArgs {
    #[command(flatten)]
    place: PlaceArgs,
}

/// Which agent, for whom.
#[derive(Debug, clap::Args)]
pub(super) struct PlaceArgs {
    /// Which agent: claude, codex, gemini, copilot, cursor, cline or opencode.
    pub(super) agent: Agent,
    /// For this project: the configuration in the current directory.
    #[arg(long, conflicts_with = "user")]
    project: bool,
    /// For all of the user's projects; this is the default.
    #[arg(long)]
    user: bool,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(super) dry_run: bool,
}

impl PlaceArgs {
    pub(super) fn place(&self) -> Result<Place, Trouble> {
        if self.project {
            let root = std::env::current_dir()
                .map_err(|error| Trouble::Io(format!("no current directory: {error}")))?;
            return Ok(Place::Project(root));
        }
        let home = super::home();
        home.map(Place::User).ok_or_else(|| Trouble::Usage("`HOME` is not set".to_owned()))
    }
}

/// The text of a file, if there is one.
pub(super) fn read(path: &Path) -> std::io::Result<Option<String>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// How long an agent waits for the hook; the hook's own deadline lies below it.
const SECONDS: u64 = 10;

pub(super) fn install(args: &Args, output: &mut Output) -> Result<Verdict, Trouble> {
    let agent = args.place.agent;
    let absolute =
        |path: &Path| std::path::absolute(path).map_err(|error| Trouble::Io(error.to_string()));
    // What does not load would deny everything from the next call on.
    let documents = Documents::read(&args.rules, &args.config)
        .map_err(|fault| Trouble::Io(fault.to_string()))?;
    let loaded = oar_agent_hooks::load(agent, documents.rules, documents.configs)
        .map_err(|refused| Trouble::Documents(refused.into_diagnostics()))?;
    loaded.warnings.iter().for_each(|warning| output.diagnostic(warning));
    let mut arguments = Vec::new();
    let mut add = |option: &str, paths: &[PathBuf]| -> Result<(), Trouble> {
        for path in paths {
            arguments.push(option.to_owned());
            arguments.push(absolute(path)?.display().to_string());
        }
        Ok(())
    };
    add("--rules", &args.rules)?;
    add("--config", &args.config)?;
    add("--scope", &args.scope)?;
    add("--state", args.state.as_slice())?;
    add("--record", args.record.as_slice())?;
    if args.fail_open {
        arguments.push("--fail-open".to_owned());
    }
    let program = std::env::current_exe()
        .map_err(|error| Trouble::Io(format!("this program has no path: {error}")))?;
    let invocation = Invocation { program, arguments, seconds: SECONDS };
    let place = args.place.place()?;
    let changes = install::install(agent, &place, &invocation, &read)
        .map_err(|fault| Trouble::Io(fault.to_string()))?;
    apply(&changes, args.place.dry_run, output)?;
    if !args.place.dry_run {
        let rules = crate::output::counted(loaded.rules.len(), "rule");
        output.line(&format!(
            "{}: {} is guarded by {rules}; see `oar hooks check {agent}`",
            styled(GOOD, "ok"),
            agent.title()
        ));
    }
    Ok(Verdict::Fine)
}

pub(super) fn uninstall(args: &UninstallArgs, output: &mut Output) -> Result<Verdict, Trouble> {
    let agent = args.place.agent;
    let changes = install::uninstall(agent, &args.place.place()?, &read)
        .map_err(|fault| Trouble::Io(fault.to_string()))?;
    if changes.is_empty() {
        output.line(&format!("nothing of ours is installed for {}", agent.title()));
        return Ok(Verdict::Fine);
    }
    apply(&changes, args.place.dry_run, output)?;
    if !args.place.dry_run {
        output.line(&format!("{}: {} is not guarded any more", styled(GOOD, "ok"), agent.title()));
    }
    Ok(Verdict::Fine)
}

/// Shows changes, and makes them.
fn apply(changes: &[Change], dry_run: bool, output: &mut Output) -> Result<(), Trouble> {
    if changes.is_empty() {
        output.line("nothing changes: it is installed as it would be");
    }
    for change in changes {
        let name = change.path.display().to_string();
        let (before, after) =
            (change.before.as_deref().unwrap_or(""), change.after.as_deref().unwrap_or(""));
        let none = "/dev/null".to_owned();
        let named =
            |text: &Option<String>| if text.is_some() { name.clone() } else { none.clone() };
        let diff = TextDiff::from_lines(before, after);
        let mut unified = diff.unified_diff();
        unified.header(&named(&change.before), &named(&change.after));
        output.text(&unified.to_string());
        if !dry_run {
            write(change)
                .map_err(|error| Trouble::Io(format!("cannot write `{name}`: {error}")))?;
        }
    }
    Ok(())
}

/// Writes a file as a whole: beside it first, and then in its place.
fn write(change: &Change) -> std::io::Result<()> {
    // A link stays a link: what it leads to is written.
    let path = change.path.canonicalize().unwrap_or_else(|_| change.path.clone());
    let Some(text) = &change.after else { return std::fs::remove_file(&path) };
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory)?;
    }
    let mut beside = path.clone().into_os_string();
    beside.push(".oar-new");
    let beside = PathBuf::from(beside);
    std::fs::write(&beside, text)?;
    if let Ok(metadata) = std::fs::metadata(&path) {
        std::fs::set_permissions(&beside, metadata.permissions())?;
    }
    #[cfg(unix)]
    if change.executable {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&beside, mode)?;
    }
    std::fs::rename(&beside, &path)
}
