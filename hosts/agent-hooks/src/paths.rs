//! Where paths lead: resolved as the kernel would, link by link, without opening anything.
//!
//! A path is held against directories after every link in it was followed, so that a link in
//! the workspace that leads out of it is outside. Between this look and the tool's own the file
//! system can change; a hook cannot rule that out.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// How many links one path may lead through.
const LINKS_MAX: usize = 40;

/// A path that a call names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    /// As the call has it, from its base on and without `.` and `..`.
    pub(crate) lexical: PathBuf,
    /// Where it leads.
    pub(crate) real: PathBuf,
    /// Whether the call writes there.
    pub(crate) writes: bool,
    /// Whether its name alone makes it a path: an argument of a file tool, or a word with a
    /// slash in it.
    pub(crate) certain: bool,
}

impl Named {
    /// `path` as seen from `base`.
    pub(crate) fn new(base: &Path, path: &str, writes: bool, certain: bool) -> Self {
        let joined = base.join(home(path));
        Self { real: resolve(&joined), lexical: lexical(&joined), writes, certain }
    }

    /// Whether it is a directory or in it, as written or where it leads.
    pub(crate) fn is_under(&self, directory: &Path) -> bool {
        self.real.starts_with(resolve(directory)) || self.lexical.starts_with(lexical(directory))
    }

    /// Whether one of its names, as written or where it leads, is of the pattern.
    pub(crate) fn is_named(&self, pattern: &str) -> bool {
        [&self.lexical, &self.real]
            .into_iter()
            .any(|path| path.file_name().is_some_and(|name| glob(pattern, &name.to_string_lossy())))
    }
}

/// `~` and `~/…` as the home directory.
pub(crate) fn home(path: &str) -> PathBuf {
    let rest = match path.strip_prefix('~') {
        Some("") => Some(""),
        Some(rest) => rest.strip_prefix('/'),
        None => None,
    };
    match (rest, std::env::var_os("HOME").filter(|home| !home.is_empty())) {
        (Some(rest), Some(home)) => Path::new(&home).join(rest),
        _ => PathBuf::from(path),
    }
}

/// A path without `.` and `..`, by its words alone.
pub(crate) fn lexical(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// Where a path leads: each link followed, what does not exist taken as written.
pub(crate) fn resolve(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    let mut rest: VecDeque<Part> = path.components().map(Part::from).collect();
    let mut links = 0;
    while let Some(part) = rest.pop_front() {
        match part {
            Part::Up => {
                out.pop();
            }
            Part::Root(root) => out = root,
            Part::Name(name) => {
                let next = out.join(&name);
                match std::fs::read_link(&next) {
                    Ok(target) if links < LINKS_MAX => {
                        links += 1;
                        for part in target.components().rev().map(Part::from) {
                            rest.push_front(part);
                        }
                    }
                    _ => out = next,
                }
            }
            Part::Here => {}
        }
    }
    out
}

enum Part {
    Root(PathBuf),
    Here,
    Up,
    Name(OsString),
}

impl From<Component<'_>> for Part {
    fn from(component: Component<'_>) -> Self {
        match component {
            Component::Prefix(prefix) => Self::Root(PathBuf::from(prefix.as_os_str())),
            Component::RootDir => Self::Root(PathBuf::from("/")),
            Component::CurDir => Self::Here,
            Component::ParentDir => Self::Up,
            Component::Normal(name) => Self::Name(name.to_owned()),
        }
    }
}

/// Whether a name is of a pattern with `*` and `?`.
pub(crate) fn glob(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    // Where to go on when what follows the last star does not fit.
    let mut star: Option<(usize, usize)> = None;
    while let Some(c) = name.get(n) {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p + 1, n));
                p += 1;
            }
            Some(own) if *own == '?' || own == c => {
                p += 1;
                n += 1;
            }
            _ => match star {
                Some((after, at)) => {
                    star = Some((after, at + 1));
                    p = after;
                    n = at + 1;
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(p).all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_fits_names() {
        for (pattern, name, fits) in [
            (".env", ".env", true),
            (".env", ".envrc", false),
            (".env.*", ".env.local", true),
            ("*.pem", "key.pem", true),
            ("*.pem", "key.pem.txt", false),
            ("id_*", "id_rsa", true),
            ("a?c*d*", "abcxxdyd", true),
            ("*", "", true),
            ("", "x", false),
            ("**a", "bba", true),
        ] {
            assert_eq!(glob(pattern, name), fits, "{pattern} {name}");
        }
    }

    #[test]
    fn a_link_leads_where_it_leads() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let (work, out) = (root.join("work"), root.join("out"));
        std::fs::create_dir_all(work.join("src")).unwrap();
        std::fs::create_dir(&out).unwrap();
        std::os::unix::fs::symlink(&out, work.join("link")).unwrap();
        std::os::unix::fs::symlink("../work/src", work.join("near")).unwrap();
        std::os::unix::fs::symlink("loop", work.join("loop")).unwrap();
        for (path, real) in [
            ("src/a", work.join("src/a")),
            ("src/../src/./a", work.join("src/a")),
            ("link/a/b", out.join("a/b")),
            ("link/../x", root.join("x")),
            ("near/a", work.join("src/a")),
            ("../out", out.clone()),
            ("new/../../x", root.join("x")),
            ("/etc/../nowhere", PathBuf::from("/nowhere")),
            ("loop/x", work.join("loop/x")),
        ] {
            assert_eq!(resolve(&work.join(path)), real, "{path}");
        }
        let named = Named::new(&work, "link/a", false, true);
        assert!(!named.real.starts_with(&work) && named.is_under(&work.join("link")));
        assert!(named.is_under(&out) && !named.is_under(&work.join("src")));
    }
}
