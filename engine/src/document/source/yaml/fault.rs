//! What the parser of YAML refuses, in our words; and what it would let pass.

use oar_expr::Span;

use crate::document::source::reading::Fault;

/// A complaint of the parser at the byte `at`.
pub(super) fn explain(text: &str, at: usize, complaint: &str) -> Fault {
    if complaint.contains("recursion limit") {
        let (start, end) = place(text, at, &Shown::Character);
        let message = format!("more than {BRACKETS} brackets in one another");
        return Fault::limit(Span::new(offset(start), offset(end)), message);
    }
    let (shown, message, help) =
        words(complaint).unwrap_or((Shown::Character, "this cannot be read as YAML", ""));
    let (start, end) = place(text, at, &shown);
    let found = text.get(start..end).unwrap_or_default();
    let message = match message.strip_suffix(" here") {
        _ if complaint.starts_with("unexpected character") => {
            format!("no value starts with `{found}`")
        }
        _ if complaint.contains("simple key") && found.chars().nth(KEY).is_some() => {
            format!("a key goes on behind {KEY} characters, the most that YAML reads")
        }
        Some(missing) if at >= text.len() => format!("{missing} at the end of the text"),
        _ => message.to_owned(),
    };
    let fault = Fault::new(Span::new(offset(start), offset(end)), message);
    if help.is_empty() { fault } else { fault.help(help) }
}

/// How many brackets in one another the parser reads: it looks for the end of them, to tell
/// whether they are a key, before it says that they begin.
const BRACKETS: u32 = 255;

/// How long a key may be that no `?` introduces.
const KEY: usize = 1024;

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// What is underlined.
enum Shown {
    /// The character where the parser stood.
    Character,
    /// What follows there up to a blank or bracket.
    Word,
    /// What follows there on its line.
    Line,
    /// The line that ends before: the parser complains when it is past it.
    LineBefore,
    /// The tab before.
    Tab,
    /// The tabs and blanks before.
    BlanksBefore,
}

fn place(text: &str, at: usize, shown: &Shown) -> (usize, usize) {
    let (before, rest) = text.split_at_checked(at).unwrap_or((text, ""));
    let line = rest.split(['\n', '\r']).next().unwrap_or_default();
    let one = line.chars().next().map_or(0, char::len_utf8);
    match shown {
        Shown::BlanksBefore => (before.trim_end_matches([' ', '\t']).len(), at),
        Shown::Tab if before.ends_with('\t') => (at - 1, at),
        Shown::Character | Shown::Tab => (at, at + one),
        Shown::Word => {
            let word = line.find([' ', '\t', ',', ']', '}']).unwrap_or(line.len());
            (at, at + word.max(one))
        }
        Shown::Line => (at, at + line.trim_end().len()),
        Shown::LineBefore => {
            let before = before.trim_end();
            let start = before.rfind(['\n', '\r']).map_or(0, |at| at + 1);
            let line = before.get(start..).unwrap_or_default();
            (start + line.len() - line.trim_start().len(), before.len())
        }
    }
}

/// Our words for a complaint of the parser, and advice.
fn words(complaint: &str) -> Option<(Shown, &'static str, &'static str)> {
    use Shown::{BlanksBefore, Character, Line, LineBefore, Tab, Word};
    let has = |part: &str| complaint.contains(part);
    let quote = "a string that holds special characters stands in quotes";
    Some(match complaint {
        _ if has("mapping values are not allowed") || has("illegal placement") => {
            (Character, "a `:` makes no member here", "a value that holds `: ` stands in quotes")
        }
        _ if has("unexpected character") => (Character, "", quote),
        _ if has("end of stream") => (Line, "the quoted string is not closed", ""),
        _ if has("document indicator") => {
            (Line, "the quoted string is not closed before the document ends", "")
        }
        _ if has("trailing content after double") => {
            (Word, "something follows the closing quote", quote)
        }
        _ if has("unknown escape") => (
            Line,
            "the string holds an escape that YAML does not have",
            "a backslash itself is written `\\\\`, or the string stands in `'`",
        ),
        _ if has("hexadecimal") => {
            (Line, "an escape of the string has too few hexadecimal digits", "")
        }
        _ if has("invalid Unicode character") => (
            Line,
            "an escape of the string stands for no character",
            "YAML has no pairs of surrogates; write the character, or `\\U` and eight digits",
        ),
        _ if has("flow sequence") => (Character, "a `,` or `]` is missing here", ""),
        _ if has("flow mapping, did not") => (Character, "a `,` or `}` is missing here", ""),
        _ if has("misplaced bracket") => (Character, "this bracket closes nothing", quote),
        _ if has("unknown anchor") => {
            (Word, "no anchor has this name", "an anchor is written `&name`")
        }
        _ if has("anchor or alias") => (Word, "an anchor or alias has no name", quote),
        _ if has("tabs disallowed")
            || has("tab cannot")
            || has("found a tab")
            || has("with a tab") =>
        {
            (Tab, "a tab cannot indent", "indent with blanks")
        }
        _ if has("did not find expected '-'")
            || has("block sequence entries")
            || has("inside a block") =>
        {
            (
                Word,
                "this does not belong to the list before it",
                "items start with `- ` in one column",
            )
        }
        _ if has("block mapping, did not") => {
            (Word, "this is no member of the object before it", "members start in one column")
        }
        _ if has("simple key") => (LineBefore, "a `:` is missing, where a member must stand", ""),
        _ if has("mapping keys are not allowed") => {
            (Character, "a `?` makes no member here", quote)
        }
        _ if has("block scalar, did not") => (
            Line,
            "something follows the `|` or `>` of a block",
            "its text starts on the next line",
        ),
        _ if has("indicator equal to 0") => (Line, "a block cannot be indented by 0", ""),
        _ if has("wrongly indented") => {
            (Line, "the first lines of the block are indented deeper than its text", "")
        }
        _ if has("quoted scalar") => {
            (Line, "a line of the quoted string is indented too little", "")
        }
        _ if has("invalid indentation") => (
            Word,
            "this is indented too little",
            "it stands deeper than what it belongs to, closing brackets too",
        ),
        _ if has("plain scalar") => (Word, "this cannot be a string without quotes", quote),
        _ if has("node content") => (Character, "a value is missing here", ""),
        _ if has("comment intercepting") => {
            (Word, "a comment stands within a string of several lines", "")
        }
        _ if has("document end marker") || has("document start") || has("document-start") => (
            Word,
            "something follows the end of the document",
            "another document starts with a line `---`",
        ),
        _ if has("directive") || has("TAG") => (Line, "this is no directive of YAML 1.2", ""),
        _ if has("tag") || has("handle") => {
            (Word, "this is no tag", "JSON has no tags; leave it out")
        }
        _ if has("byte order mark") => (Character, "a byte order mark within the text", ""),
        _ if has("unprintable") => (Character, "a character that cannot be printed", ""),
        _ if has("':' must be followed") => {
            (BlanksBefore, "a tab stands behind the `:` of a member", "write a blank")
        }
        _ if has("precede any of")
            || has("valid YAML whitespace")
            || has("expected whitespace") =>
        {
            (Character, "a blank is missing behind this", quote)
        }
        _ if has("unexpected eof") || has("next token") => {
            (Character, "something is missing here", "")
        }
        _ => return None,
    })
}

/// Refuses the directives in `start..end`, before a `---`, but for `%YAML 1.2`.
///
/// Another version would read some words as booleans; the parser knows only one and lets every
/// directive pass.
pub(super) fn check_directives(text: &str, start: usize, end: usize) -> Result<(), Fault> {
    let mut at = start;
    for line in text.get(start..end).unwrap_or_default().split_inclusive(['\n', '\r']) {
        let begin = at;
        at += line.len();
        let directive = line.split(" #").next().unwrap_or_default().trim_end();
        if !directive.starts_with('%') {
            continue;
        }
        let mut words = directive.split_ascii_whitespace();
        let fault = match (words.next(), words.next()) {
            (Some("%YAML"), Some("1.2")) => continue,
            (Some("%YAML"), version) => {
                let version = version.unwrap_or_default();
                format!("YAML {version} is not read, only YAML 1.2")
            }
            (name, _) => {
                format!("the directive `{}` is not read", name.unwrap_or_default())
            }
        };
        let span = Span::new(offset(begin), offset(begin + directive.len()));
        return Err(Fault::new(span, fault).help("`%YAML 1.2` is the only directive"));
    }
    Ok(())
}
