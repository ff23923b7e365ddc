//! `oar test`: cases beside the rules, run without a host.

mod coverage;
mod junit;
mod run;
mod suite;
mod watch;

use std::path::PathBuf;

use oar_engine::diagnostic::render::concise;

use crate::output::{BAD, GOOD, Output, Trouble, Verdict, counted, styled};
use coverage::Coverage;
use run::{Result as CaseResult, SuiteResult};

/// Runs the cases of `*.test.yaml` files.
///
/// Each file tests the pack that it lies in, or the `rules` and `capability` that it names. A
/// case has a `name`, one occurrence or a list of `occurrences`, and what to `expect`: a decision,
/// or members of a report.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Directories and files.
    #[arg(value_name = "PATH", default_value = ".")]
    paths: Vec<PathBuf>,
    /// Run only cases whose name holds this text.
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Tell what the cases leave out: rules that never were selected, fired or passed, and
    /// operands of conditions that never decided.
    #[arg(long)]
    coverage: bool,
    /// Fail when the coverage is below this percentage.
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    threshold: Option<u8>,
    /// Write the results as JUnit XML to this file.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Run again whenever a file changes, until interrupted.
    #[arg(long)]
    watch: bool,
}

/// Runs the command.
///
/// # Errors
/// When something cannot be read or does not load, or there is no case.
pub(crate) fn run(
    args: &Args,
    color: crate::output::Color,
    output: &mut Output,
) -> Result<Verdict, Trouble> {
    if !args.watch {
        return once(args, output);
    }
    loop {
        let seen = watch::state(&args.paths);
        if let Err(trouble) = once(args, output) {
            crate::output::complain(color, &trouble);
        }
        output.line("\nwaiting for a change");
        output.flush();
        if output.is_closed() {
            return Ok(Verdict::Fine);
        }
        watch::wait(&args.paths, &seen);
    }
}

fn once(args: &Args, output: &mut Output) -> Result<Verdict, Trouble> {
    let files = watch::files(&args.paths)?;
    let tests: Vec<&PathBuf> = files.iter().filter(|path| watch::is_test(path)).collect();
    if tests.is_empty() {
        let names = crate::output::listed(args.paths.iter().map(|path| crate::input::shown(path)));
        return Err(Trouble::Usage(format!("no `*.test.yaml` in {names}")));
    }
    let mut packs: Vec<(String, Coverage)> = Vec::new();
    let mut results: Vec<SuiteResult> = Vec::new();
    let mut broken = Vec::new();
    for path in tests {
        let suite = match suite::read(path) {
            Ok(suite) => suite,
            Err(Trouble::Documents(faults)) => {
                // Suites of one pack find the same faults.
                for fault in faults {
                    let text = concise(&fault);
                    if !broken.iter().any(|known| concise(known) == text) {
                        broken.push(fault);
                    }
                }
                continue;
            }
            Err(trouble) => return Err(trouble),
        };
        let position = packs.iter().position(|(key, _)| *key == suite.key).unwrap_or_else(|| {
            packs.push((suite.key.clone(), Coverage::default()));
            packs.len() - 1
        });
        let Some((_, coverage)) = packs.get_mut(position) else { continue };
        coverage.enter(&suite.rules, &suite.texts);
        results.push(run::suite(&suite, args.filter.as_deref(), coverage, output));
    }
    broken.iter().for_each(|fault| output.diagnostic(fault));
    let all: Vec<&CaseResult> = results.iter().flat_map(|suite| &suite.cases).collect();
    let failed = all.iter().filter(|case| !case.failures.is_empty()).count();
    if all.is_empty() && broken.is_empty() {
        return Err(Trouble::Usage("no case to run".to_owned()));
    }
    let mut parts = vec![format!("{} passed", counted(all.len() - failed, "case"))];
    if failed > 0 {
        parts.push(styled(BAD, &format!("{failed} failed")));
    }
    if !broken.is_empty() {
        parts.push(styled(BAD, &counted(broken.len(), "error")));
    }
    let bad = failed > 0 || !broken.is_empty();
    let mark = if bad { styled(BAD, "bad") } else { styled(GOOD, "ok") };
    output.line(&format!("{mark}: {}", parts.join(", ")));
    if let Some(path) = &args.junit {
        let text = junit::junit(&results, &broken);
        std::fs::write(path, text).map_err(|error| {
            Trouble::Io(format!("cannot write `{}`: {error}", crate::input::shown(path)))
        })?;
    }
    let mut below = false;
    if args.coverage || args.threshold.is_some() {
        let packs: Vec<Coverage> = packs.into_iter().map(|(_, coverage)| coverage).collect();
        let percent = coverage::write(&packs, output);
        if let Some(threshold) = args.threshold.filter(|own| percent < usize::from(*own)) {
            below = true;
            output.line(&styled(BAD, &format!("below the threshold of {threshold}%")));
        }
    }
    Ok(Verdict::unless(bad || below))
}
