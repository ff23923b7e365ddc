//! Documents are reloaded when their files change, and only then.

#![cfg(all(feature = "watch", unix))]
#![expect(clippy::expect_used, clippy::panic, reason = "a test may stop")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use oar_engine::RuleSetHandle;
use oar_engine::load::{CapabilityBuilder, HandleStatus, Places, Watcher};

/// A directory that is gone after the test.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("oar-watch-{}-{name}", std::process::id()));
        drop(fs::remove_dir_all(&path));
        fs::create_dir_all(&path).expect("a directory can be made");
        Self(path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

fn write(path: &Path, ids: &[&str]) {
    let rule = |id: &&str| {
        format!("oar: '1.0'\nid: {id}\nkind: policy\nanchor: tool.pre_invoke\neffect: warn\n")
    };
    let text = ids.iter().map(rule).collect::<Vec<_>>().join("---\n");
    fs::write(path, text).expect("a file can be written");
}

fn capability(directory: &Path) -> PathBuf {
    let path = directory.join("capability.yaml");
    let capability = CapabilityBuilder::new("acme").every_core_anchor();
    fs::write(&path, capability.to_yaml()).expect("a file can be written");
    path
}

fn until(handle: &RuleSetHandle, what: &str, holds: impl Fn(&HandleStatus) -> bool) {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(20) {
        if holds(&handle.status()) {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("{what}: {}", handle.status());
}

fn start(places: &Places) -> (Arc<RuleSetHandle>, Watcher) {
    let loader = places.loader().expect("the files are there");
    let handle = Arc::new(RuleSetHandle::load(&loader).expect("it is sound"));
    let interval = Duration::from_millis(20);
    let watcher = Watcher::start(Arc::clone(&handle), places.clone(), interval);
    (handle, watcher.expect("a thread can be started"))
}

#[test]
fn changes_are_taken_up_and_what_is_wrong_is_refused() {
    let directory = Temporary::new("changes");
    let rules = directory.0.join("rules");
    fs::create_dir_all(rules.join("more")).expect("a directory can be made");
    write(&rules.join("a.yaml"), &["A"]);
    write(&rules.join(".hidden.yaml"), &["A"]);
    write(&rules.join("README.md"), &["A"]);
    let (handle, watcher) = start(&Places::new(capability(&directory.0)).rules(&rules));
    assert_eq!(handle.status().rules, 1);

    write(&rules.join("more/b.yml"), &["B", "C"]);
    until(&handle, "a file is new", |status| status.rules == 3);

    fs::write(rules.join("more/b.yml"), "oar: '1.0'\nid: B\n").expect("a file can be written");
    until(&handle, "a file is wrong", |status| status.refused.is_some());
    assert_eq!(handle.status().rules, 3);

    write(&rules.join("more/b.yml"), &["B"]);
    until(&handle, "it is right again", |status| status.rules == 2 && status.refused.is_none());

    fs::remove_dir_all(&rules).expect("a directory can be removed");
    until(&handle, "all is gone", |status| status.refused.is_some());
    let refused = handle.status().refused.expect("it was just there");
    let wanted = format!("io: `{}` cannot be read: it is not there", rules.display());
    assert!(refused.diagnostics.iter().any(|own| own.to_string() == wanted), "{refused:?}");
    assert_eq!(handle.status().rules, 2);

    // Nothing changes: nothing is loaded again.
    let attempts = refused.attempts;
    let rounds = watcher.rounds();
    let begin = Instant::now();
    while watcher.rounds() < rounds + 5 && begin.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(watcher.rounds() >= rounds + 5);
    assert_eq!(handle.status().refused.map(|own| own.attempts), Some(attempts));
}

/// As a container platform publishes it: `rules` leads to `..data/rules`, and `..data` is
/// swapped for another link in one step.
#[test]
fn a_swapped_link_is_followed() {
    let directory = Temporary::new("links");
    for (version, ids) in [("v1", &["A"][..]), ("v2", &["A", "B"])] {
        let pack = directory.0.join(version);
        fs::create_dir_all(&pack).expect("a directory can be made");
        write(&pack.join("pack.yaml"), ids);
    }
    let current = directory.0.join("current");
    symlink("v1", &current).expect("a link can be made");
    let (handle, watcher) = start(&Places::new(capability(&directory.0)).rules(&current));
    assert_eq!(handle.status().rules, 1);
    let fresh = directory.0.join("fresh");
    symlink("v2", &fresh).expect("a link can be made");
    fs::rename(&fresh, &current).expect("a link can be swapped");
    until(&handle, "the link leads elsewhere", |status| status.rules == 2);
    // It ends, and nothing is taken up afterwards.
    drop(watcher);
    write(&directory.0.join("v2/pack.yaml"), &["A"]);
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(handle.status().rules, 2);
}
