//! `oar-conformance adapter`

use std::io;

use oar_conformance::adapter::serve;
use oar_conformance::in_process::{InProcess, about};

use super::{CannotRun, End};

/// Fixtures come on standard input and answers go to standard output, a line each.
#[derive(clap::Args)]
pub(crate) struct AdapterArgs {}

pub(crate) fn run(AdapterArgs {}: &AdapterArgs) -> Result<End, CannotRun> {
    match serve(&mut InProcess, &about(), io::stdin().lock(), io::stdout().lock()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(End::Fine),
    }
}
