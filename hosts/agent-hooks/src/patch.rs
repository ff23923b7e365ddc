//! The files that a patch in the form of `apply_patch` names.

/// What stands before a file's name on a line of its own.
const HEADERS: [&str; 4] =
    ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];

/// The files of a patch, in its order; empty where the text is none.
pub(crate) fn files(text: &str) -> Vec<String> {
    if !text.contains("*** Begin Patch") {
        return Vec::new();
    }
    text.lines().filter_map(|line| header(line).map(|name| name.trim().to_owned())).collect()
}

fn header(line: &str) -> Option<&str> {
    HEADERS.iter().find_map(|header| line.trim().strip_prefix(header))
}
