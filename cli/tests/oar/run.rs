//! Runs the command in a directory of its own.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A directory that goes away with the test.
pub(crate) struct Directory(PathBuf);

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

static NEXT: AtomicU32 = AtomicU32::new(0);

impl Directory {
    /// With the given files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("oar-cli-{}-{number}", std::process::id());
        let directory = Self(std::env::temp_dir().join(name));
        fs::create_dir_all(&directory.0).expect("a directory");
        for (name, text) in files {
            directory.write(name, text);
        }
        directory
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).expect("a file")
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("below the directory")).expect("a directory");
        fs::write(path, text).expect("a file");
    }

    /// Runs `oar` with the words of `arguments` here.
    pub(crate) fn oar(&self, arguments: &str) -> Ran {
        self.oar_with(arguments, "")
    }

    /// The same, with `input` on its standard input.
    pub(crate) fn oar_with(&self, arguments: &str, input: &str) -> Ran {
        oar(&self.0, arguments, input)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

/// Runs `oar` in a directory.
pub(crate) fn oar(directory: &Path, arguments: &str, input: &str) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_oar"))
        .args(arguments.split_whitespace())
        .current_dir(directory)
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("oar starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    // A command that does not read its input may have closed it.
    drop(stdin.write_all(input.as_bytes()));
    drop(stdin);
    let output = child.wait_with_output().expect("oar ends");
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).expect("text"),
        err: String::from_utf8(output.stderr).expect("text"),
    }
}
