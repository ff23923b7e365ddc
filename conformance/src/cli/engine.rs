//! Which engine is meant: our own, or a program.

use std::time::Duration;

use oar_conformance::in_process::InProcess;
use oar_conformance::runner::Engines;
use oar_conformance::runner::external::External;

/// The engine that `command` starts; our own where there is none.
pub(crate) fn engines(command: Option<&str>, limit: Duration) -> Box<dyn Engines> {
    match command {
        Some(command) => Box::new(External::new(command, limit)),
        None => Box::new(InProcess),
    }
}

/// Reads a time limit in seconds.
pub(crate) fn time_limit(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "a number of seconds above 0 is wanted".to_owned())
}
