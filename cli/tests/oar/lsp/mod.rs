//! `oar lsp`, spoken to over its standard input and output as an editor does.
#![expect(clippy::panic, clippy::string_slice, reason = "what fails here fails the test")]
#![expect(clippy::mutable_key_type, reason = "the protocol's own type: an address does not change")]

mod answers;
mod client;
mod diagnostics;
mod edits;
mod protocol;
