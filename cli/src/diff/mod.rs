//! `oar diff`: what changes between two versions of a pack, for a reviewer.
//!
//! A change is told by what it can do: to decisions, to what a host must provide, or to copy and
//! notes alone ([OAR-DOC-24], [OAR-DOC-25]).

mod compare;
mod host;
mod json;
mod order;
mod text;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use oar_engine::diagnostic::{Diagnostic, Severity};
use oar_engine::document::rule::Enforcement;
use oar_engine::load::{Checked, CheckedRule, Checker, Needs};

use crate::input::{self, Pack};
use crate::output::{Output, Trouble, Verdict, listed};
use crate::rules::{Rules, Written};

use compare::{Class, Difference};

/// Tells what changes between two versions of rules, or of a pack.
///
/// Rules are compared by their qualified identifiers; a new rule whose `related` says `renamed`
/// is compared with the one that it names. Both versions must load.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The earlier version: a file or a directory.
    before: PathBuf,
    /// The later version.
    after: PathBuf,
    /// The capability document of the host, in place of those found.
    #[arg(long, value_name = "FILE")]
    capability: Option<PathBuf>,
    /// Write the difference as JSON.
    #[arg(long)]
    json: bool,
    /// End with code 1 when decisions may change.
    #[arg(long)]
    exit_code: bool,
}

/// One version.
pub(crate) struct Side {
    pub(crate) path: String,
    pub(crate) rules: Rules,
    pub(crate) checked: Checked,
    in_force: BTreeMap<String, Enforcement>,
}

impl Side {
    fn read(path: &Path, capability: Option<&Path>) -> Result<Self, Trouble> {
        let mut pack = only_pack(path)?;
        if let Some(capability) = capability {
            pack.capabilities = vec![input::file(capability)?];
        }
        let mut checker = Checker::new();
        for capability in &pack.capabilities {
            checker = checker.capability(capability.source.clone());
        }
        for rules in &pack.rules {
            checker = checker.rules(rules.source.clone());
        }
        for config in &pack.configs {
            checker = checker.config(config.source.clone());
        }
        let checked = checker.check();
        let faults = checked.diagnostics().iter().filter(|d| d.severity() == Severity::Error);
        let faults: Vec<Diagnostic> = faults.cloned().collect();
        if !faults.is_empty() {
            return Err(Trouble::Documents(faults));
        }
        let rules = Rules::of(pack.rules.iter().map(|input| &input.source));
        let in_force = |rule: &CheckedRule| Some((rule.name()?.to_owned(), rule.enforcement()?));
        let in_force = checked.rules().iter().filter_map(in_force).collect();
        Ok(Self { path: input::shown(path), rules, checked, in_force })
    }

    /// How a rule runs, configuration applied.
    pub(crate) fn in_force(&self, rule: &Written) -> Enforcement {
        self.in_force.get(&rule.name()).copied().unwrap_or_else(|| rule.enforcement())
    }

    /// What its rules need, each with its name.
    pub(crate) fn needs(&self) -> impl Iterator<Item = (&str, &Needs)> {
        self.checked.rules().iter().filter_map(|rule| Some((rule.name()?, rule.needs()?)))
    }
}

/// The one pack at a path.
fn only_pack(path: &Path) -> Result<Pack, Trouble> {
    let packs = input::gather(&[path.to_owned()])?;
    let mut packs: Vec<Pack> = packs.into_iter().filter(|pack| !pack.is_empty()).collect();
    let shown = input::shown(path);
    let one = match (packs.pop(), packs.as_slice()) {
        (Some(pack), []) => pack,
        (None, _) => {
            return Err(Trouble::Usage(format!("no rule in `{shown}` to compare")));
        }
        (Some(last), others) => {
            let names = others.iter().chain([&last]).filter_map(|pack| pack.directory.as_deref());
            let names = listed(names.map(input::shown));
            return Err(Trouble::Usage(format!(
                "`{shown}` holds several packs, {names}: name one"
            )));
        }
    };
    match (one.rules.is_empty(), one.capabilities.len()) {
        (true, _) => Err(Trouble::Usage(format!("no rule in `{shown}` to compare"))),
        (false, 0 | 1) => Ok(one),
        (false, _) => {
            let names = listed(one.capabilities.iter().map(|input| input::shown(&input.path)));
            Err(Trouble::Usage(format!("several capability documents, {names}")))
        }
    }
}

/// Runs the command.
///
/// # Errors
/// When a version cannot be read or does not load.
pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Verdict, Trouble> {
    let capability = args.capability.as_deref();
    let before = Side::read(&args.before, capability)?;
    let after = Side::read(&args.after, capability)?;
    let difference = Difference::between(&before, &after);
    if args.json {
        output.line(&format!("{:#}", json::of(&difference, &before, &after)));
    } else {
        text::write(&difference, output);
    }
    Ok(Verdict::unless(args.exit_code && difference.class() == Some(Class::Decisions)))
}
