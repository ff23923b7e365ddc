//! `oar check`: everything that is wrong with documents, at once.

mod format;
mod portability;
mod summary;

use std::path::PathBuf;

use clap::ValueEnum;
use oar_engine::diagnostic::{Diagnostic, Severity};
use oar_engine::load::{Checked, Checker};

use crate::input::{self, Input, Kind, Pack};
use crate::lint;
use crate::output::{Output, Trouble, Verdict, listed};
use crate::rules::Rules;

/// Checks rules, packs, capability documents and configurations.
///
/// Directories are read in a fixed order, with everything below them; a directory that holds a
/// capability document is a pack, checked against it and with its configuration. Without a
/// capability document, rules are held against every host there can be.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files and directories; `-` is standard input.
    #[arg(value_name = "PATH", required_unless_present = "explain")]
    paths: Vec<PathBuf>,
    /// The capability document of the host, in place of those found; with `--portability` it may
    /// be given more than once.
    #[arg(long, value_name = "FILE")]
    capability: Vec<PathBuf>,
    /// A configuration, in place of those found; later ones win.
    #[arg(long, value_name = "FILE")]
    config: Vec<PathBuf>,
    /// How to write what is found.
    #[arg(long, value_name = "FORMAT", default_value = "full")]
    format: Format,
    /// Report which rules are portable and why, what they need together, and which of the hosts
    /// can serve them.
    #[arg(long, conflicts_with = "format")]
    portability: bool,
    /// Look also for what the standard allows and an author hardly means.
    #[arg(long, conflicts_with = "portability")]
    lint: bool,
    /// Treat what this lint finds as an error; may be given more than once, `all` means every one.
    #[arg(long, value_name = "LINT", requires = "lint")]
    deny: Vec<String>,
    /// Leave this lint out; may be given more than once.
    #[arg(long, value_name = "LINT", requires = "lint")]
    allow: Vec<String>,
    /// Say what a clause of the standard asks for, or what a lint finds, with an example.
    #[arg(long, value_name = "CLAUSE", conflicts_with = "paths")]
    explain: Option<String>,
}

/// How findings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// With the text underlined, for people.
    Full,
    /// One line each, for editors.
    Concise,
    /// One object with everything.
    Json,
    /// Commands that GitHub shows beside the lines of a change.
    Github,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// JUnit XML, each rule a case.
    Junit,
}

/// A pack and what was found in it.
pub(crate) struct Found {
    pub(crate) pack: Pack,
    pub(crate) checked: Checked,
    /// Capability documents that were checked on their own, and are valid or not.
    pub(crate) alone: Vec<Checked>,
    /// What lints found.
    lints: Vec<Diagnostic>,
}

impl Found {
    /// Looks also for what lints find.
    pub(crate) fn lint(&mut self, levels: &lint::Levels) {
        let rules = Rules::of(self.pack.rules.iter().map(|input| &input.source));
        self.lints = lint::run(&lint::Set::new(&rules, &self.checked), levels);
    }

    pub(crate) fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        // An empty clause is told once.
        let again = self.lints.iter().any(|d| d.code() == "never-selected");
        let told = move |d: &&Diagnostic| !again || d.code() != "OAR-SEL-6";
        let checked = self.alone.iter().chain([&self.checked]).flat_map(Checked::diagnostics);
        checked.filter(told).chain(&self.lints)
    }

    pub(crate) fn errors(&self) -> usize {
        let denied = self.lints.iter().filter(|d| d.severity() == Severity::Error).count();
        let errors: usize = self.alone.iter().chain([&self.checked]).map(Checked::errors).sum();
        errors + denied
    }
}

/// Runs the command.
///
/// # Errors
/// When something cannot be read, or there is nothing to check.
pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Verdict, Trouble> {
    if let Some(clause) = &args.explain {
        if !lint::explain(clause, output) {
            crate::clause::explain(clause, output)?;
        }
        return Ok(Verdict::Fine);
    }
    if args.portability {
        let packs = input::gather(&args.paths)?;
        let given = args.capability.iter().map(|path| named(path, Kind::Capability));
        let mut hosts = given.collect::<Result<Vec<Input>, Trouble>>()?;
        if hosts.is_empty() {
            hosts = packs.iter().flat_map(|pack| pack.capabilities.clone()).collect();
        }
        if packs.iter().all(|pack| pack.rules.is_empty()) {
            return Err(Trouble::Usage("no rule to report on".to_owned()));
        }
        return Ok(portability::run(&packs, &hosts, output));
    }
    let levels = lint::Levels::new(&args.allow, &args.deny)?;
    let packs = packs(args)?;
    let mut found = packs.into_iter().map(check).collect::<Result<Vec<Found>, Trouble>>()?;
    if args.lint {
        found.iter_mut().for_each(|found| found.lint(&levels));
    }
    match args.format {
        Format::Full | Format::Concise => {
            for diagnostic in found.iter().flat_map(Found::diagnostics) {
                match args.format {
                    Format::Full => output.diagnostic(diagnostic),
                    _ => output.line(&oar_engine::diagnostic::render::concise(diagnostic)),
                }
            }
            found.iter().for_each(|found| summary::write(found, output));
        }
        Format::Json => format::json(&found, output),
        Format::Github => format::github(&found, output),
        Format::Sarif => format::sarif(&found, output),
        Format::Junit => format::junit(&found, output),
    }
    Ok(Verdict::unless(found.iter().any(|found| found.errors() > 0)))
}

/// The documents to check, pack by pack.
fn packs(args: &Args) -> Result<Vec<Pack>, Trouble> {
    let mut packs = input::gather(&args.paths)?;
    let given = match args.capability.as_slice() {
        [] => None,
        [path] => Some(named(path, Kind::Capability)?),
        _ => {
            let message = "`--capability` is given more than once, without `--portability`";
            return Err(Trouble::Usage(message.to_owned()));
        }
    };
    let configs: Vec<Input> =
        args.config.iter().map(|path| named(path, Kind::Config)).collect::<Result<_, Trouble>>()?;
    if let Some(capability) = given {
        // For one host, everything is one set.
        let mut all = Pack { capabilities: vec![capability], ..Pack::default() };
        for pack in packs.drain(..) {
            all.rules.extend(pack.rules);
            all.configs.extend(pack.configs);
            all.others.extend(pack.others);
        }
        packs.push(all);
    }
    if !configs.is_empty() {
        for pack in packs.iter_mut().filter(|pack| !pack.rules.is_empty()) {
            pack.configs.clone_from(&configs);
        }
    }
    let others: Vec<String> =
        packs.iter().flat_map(|pack| &pack.others).map(|path| input::shown(path)).collect();
    packs.retain(|pack| !pack.is_empty());
    if packs.is_empty() {
        let what = "no rule, capability document or configuration to check";
        return Err(Trouble::Usage(match others.is_empty() {
            true => format!("{what} in {}", listed(args.paths.iter().map(|p| input::shown(p)))),
            false => format!("{what}: {} hold none", listed(others)),
        }));
    }
    Ok(packs)
}

/// A file whose kind the user told.
fn named(path: &std::path::Path, kind: Kind) -> Result<Input, Trouble> {
    let mut input = input::file(path)?;
    input.kind = kind;
    Ok(input)
}

/// Checks the documents of a pack.
///
/// # Errors
/// When it has several capability documents.
pub(crate) fn check(pack: Pack) -> Result<Found, Trouble> {
    let mut alone = Vec::new();
    let mut checker = Checker::new();
    match pack.capabilities.as_slice() {
        [only] => checker = checker.capability(only.source.clone()),
        [] => {}
        several if pack.rules.is_empty() && pack.configs.is_empty() => {
            let check = |input: &Input| Checker::new().capability(input.source.clone()).check();
            alone = several.iter().map(check).collect();
        }
        several => {
            let names = listed(several.iter().map(|input| input::shown(&input.path)));
            return Err(Trouble::Usage(format!(
                "several capability documents, {names}: name one with `--capability`"
            )));
        }
    }
    for rules in &pack.rules {
        checker = checker.rules(rules.source.clone());
    }
    // Without rules, a configuration would name none that is loaded.
    for config in &pack.configs {
        checker = checker.config(config.source.clone());
    }
    Ok(Found { checked: checker.check(), alone, pack, lints: Vec::new() })
}
