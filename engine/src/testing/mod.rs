//! What a host tests itself with (feature `testing`): parts that do as a script says.

mod expect;
mod faulty;
mod scripted;

pub use expect::check_decision;
pub use faulty::{Fault, FaultyStore, Operation};
pub use scripted::{ScriptedDetector, ScriptedProvider};
