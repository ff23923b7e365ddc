//! `oar lsp`: what `oar check` knows, in editors, as the text is typed.
//!
//! The server speaks the Language Server Protocol over standard input and output. One thread reads
//! messages, another answers them in their order; diagnostics follow once the client is silent for a
//! moment. Nothing that a client sends ends the server but `exit`.

mod buffer;
mod complete;
mod cursor;
mod define;
mod diagnostics;
mod expression;
mod facts;
mod fix;
mod hover;
mod outline;
mod repair;
mod requires;
mod schema;
mod server;
mod transport;
mod workspace;

use std::path::PathBuf;

use crate::output::{Trouble, Verdict};

/// Serves editors with the Language Server Protocol, over standard input and output.
///
/// Diagnostics as you type, hover, completion, definitions and quick fixes for rules, capability
/// documents and configurations, in YAML and JSON.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Look also for what the standard allows and an author hardly means, as `check --lint` does.
    #[arg(long)]
    lint: bool,
    /// The capability document of the host, for rules that lie in no pack.
    #[arg(long, value_name = "FILE")]
    capability: Option<PathBuf>,
    /// What most clients of the protocol add; there is no other way to speak to it.
    #[arg(long, hide = true)]
    stdio: bool,
    /// What some clients add; their end is seen by the end of the input.
    #[arg(long = "clientProcessId", hide = true)]
    client: Option<u64>,
}

/// Runs the server until the client ends it.
///
/// # Errors
/// When the output cannot be written.
pub(crate) fn run(args: &Args) -> Result<Verdict, Trouble> {
    let incoming = transport::receive(std::io::stdin());
    let mut server = server::Server::new(std::io::stdout(), args.lint, args.capability.clone());
    let ended = server.serve(&incoming);
    ended.map(Verdict::unless).map_err(|error| match error.kind() {
        std::io::ErrorKind::BrokenPipe => Trouble::Closed,
        _ => Trouble::Io(format!("cannot write to the client: {error}")),
    })
}
