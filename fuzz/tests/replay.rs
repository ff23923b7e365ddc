//! Every seed and every crash of the past, through the body of its target.

use std::fs;
use std::panic::catch_unwind;

use oar_fuzz::{TARGETS, seeds};

fn replay(target: &str) {
    let (_, run) = TARGETS.into_iter().find(|(name, _)| *name == target).unwrap();
    let seeds = seeds::of(target);
    assert!(seeds.len() > 10, "{target} has {} seeds", seeds.len());
    for (index, seed) in seeds.iter().enumerate() {
        let shown = || String::from_utf8_lossy(seed).into_owned();
        assert!(catch_unwind(|| run(seed)).is_ok(), "seed {index} of {target}: {}", shown());
    }
    for crash in seeds::crashes(target) {
        let input = fs::read(&crash).unwrap();
        assert!(catch_unwind(|| run(&input)).is_ok(), "{}", crash.display());
    }
}

macro_rules! replays {
    ($($target:ident),*) => {
        $(#[test]
        fn $target() {
            replay(stringify!($target));
        })*

        #[test]
        fn every_target_is_replayed() {
            assert_eq!(TARGETS.map(|(name, _)| name), [$(stringify!($target)),*]);
        }
    };
}

replays!(condition, values, json, yaml, fixture, copy, transforms, canonical, adapter);
