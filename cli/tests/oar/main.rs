//! The `oar` command as its users see it: what it prints, where, and its exit code.

mod check;
mod run;
