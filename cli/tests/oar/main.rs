//! The `oar` command as its users see it: what it prints, where, and its exit code.
#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "what fails here fails the test")]

mod check;
mod clauses;
mod diff;
mod docs;
mod eval;
mod explain;
mod extras;
mod hooks;
mod hostile;
mod lints;
mod lsp;
mod new;
mod replay;
mod run;
mod snapshot;
mod test_command;
