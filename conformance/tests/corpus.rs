//! Every fixture of `conformance/corpus` as a test under its own name, against our own engine:
//! `cargo test -p oar-conformance --test corpus eval-block` runs those of that name.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use oar_conformance::fixture::Corpus;
use oar_conformance::in_process::InProcess;
use oar_conformance::report::details;
use oar_conformance::runner::{Kind, judge};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let corpus = match Corpus::read(&[directory]) {
        Ok(corpus) => Arc::new(corpus),
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let trials = (0..corpus.entries.len())
        .map(|index| {
            let corpus = Arc::clone(&corpus);
            let name = corpus.entries.get(index).map(|entry| entry.id().to_owned());
            Trial::test(name.unwrap_or_default(), move || test(&corpus, index))
        })
        .collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Here a skip is a failure: our own engine can adopt whatever our own fixtures assume.
fn test(corpus: &Corpus, index: usize) -> Result<(), Failed> {
    let entry = corpus.entries.get(index).ok_or("there is no such fixture")?;
    let verdict = judge(&mut InProcess, index, entry);
    if verdict.outcome.kind() == Kind::Passed {
        return Ok(());
    }
    let mut lines = vec![format!("{}: {}", entry.file(), verdict.outcome.kind().name())];
    lines.extend(verdict.outcome.reason());
    lines.extend(details(&verdict));
    Err(lines.join("\n").into())
}
