//! Finds the tests of a workspace by reading its sources.
//!
//! A test is named as `cargo test` prints it, with its crate before it: `oar-engine::load::tests::x`
//! for a unit test, `oar-engine::embedding::x` for one in `tests/embedding.rs`.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The tests of a workspace.
#[derive(Clone, Debug, Default)]
pub struct TestsOf {
    /// Where a test is written, as `crate::module path of its file`, and its name.
    found: BTreeSet<(String, String)>,
}

impl TestsOf {
    /// The tests of the crates in the folders of `root`.
    ///
    /// # Errors
    /// When a folder or a file cannot be read.
    pub fn workspace(root: &Path) -> io::Result<Self> {
        let mut tests = Self::default();
        for entry in fs::read_dir(root)? {
            let folder = entry?.path();
            let Some(name) = crate_name(&folder) else { continue };
            for part in ["src", "tests"] {
                tests.add_folder(&name, &folder.join(part))?;
            }
        }
        Ok(tests)
    }

    fn add_folder(&mut self, name: &str, top: &Path) -> io::Result<()> {
        let mut folders = vec![top.to_owned()];
        while let Some(folder) = folders.pop().filter(|folder| folder.is_dir()) {
            for entry in fs::read_dir(folder)? {
                let path = entry?.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|suffix| suffix == "rs") {
                    let modules = module_path(name, top, &path);
                    self.add_text(&modules, &fs::read_to_string(&path)?);
                }
            }
        }
        Ok(())
    }

    fn add_text(&mut self, modules: &str, text: &str) {
        let mut is_test = false;
        for line in text.lines().map(str::trim) {
            if line == "#[test]" {
                is_test = true;
            } else if is_test && let Some(rest) = line.strip_prefix("fn ") {
                let name = rest.split('(').next().unwrap_or_default();
                self.found.insert((modules.to_owned(), name.to_owned()));
                is_test = false;
            } else if !line.starts_with('#') && !line.starts_with("//") {
                is_test = false;
            }
        }
    }

    /// Whether there is a test that `cargo test` would call so.
    #[must_use]
    pub fn contains(&self, test: &str) -> bool {
        let Some((modules, name)) = test.rsplit_once("::") else { return false };
        // The file may hold the last modules in itself.
        let mut path = modules;
        loop {
            if self.found.contains(&(path.to_owned(), name.to_owned())) {
                return true;
            }
            match path.rsplit_once("::") {
                Some((outer, inner)) if inner == "tests" || inner.starts_with("test") => {
                    path = outer
                }
                _ => return false,
            }
        }
    }
}

/// The name of the crate in `folder`, if there is one.
fn crate_name(folder: &Path) -> Option<String> {
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).ok()?;
    let line = manifest.lines().find(|line| line.starts_with("name"))?;
    Some(line.split('"').nth(1)?.to_owned())
}

fn module_path(name: &str, top: &Path, file: &Path) -> String {
    let inside: PathBuf = file.strip_prefix(top).unwrap_or(file).with_extension("");
    let mut path = name.to_owned();
    for part in &inside {
        let part = part.to_string_lossy();
        if part != "mod" && part != "lib" && part != "main" {
            path.push_str("::");
            path.push_str(&part);
        }
    }
    path
}
