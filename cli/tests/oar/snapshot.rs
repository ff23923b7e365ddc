//! Full renderings, kept as files.
//!
//! `BLESS=1 cargo test -p oar-cli` writes them anew; look at what changed before committing it.

use std::fs;
use std::path::PathBuf;

/// Holds `text` against the file `snapshots/NAME.txt`.
pub(crate) fn snapshot(name: &str, text: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/snapshots")
        .join(format!("{name}.txt"));
    if std::env::var_os("BLESS").is_some() {
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(&path, text).expect("a file");
        return;
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == text,
        "{} differs; `BLESS=1` writes it anew\n--- kept\n{kept}\n--- now\n{text}",
        path.display()
    );
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}
