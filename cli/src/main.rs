//! The `oar` command.
fn main() {}
