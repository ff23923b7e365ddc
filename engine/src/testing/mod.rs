//! What a host tests itself with (feature `testing`): parts that do as a script says.

mod expect;
mod scripted;

pub use expect::check_decision;
pub use scripted::{ScriptedDetector, ScriptedProvider};
