//! What a host tests itself with (feature `testing`): parts that do as a script says.

mod clock;
mod expect;
mod faulty;
mod scripted;

pub use clock::ScriptedClock;
pub use expect::check_decision;
pub use faulty::{Fault, FaultyStore, Operation};
pub use scripted::{ScriptedDetector, ScriptedProvider};
