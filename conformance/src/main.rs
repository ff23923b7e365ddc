//! The `oar-conformance` command.
fn main() {}
