//! What stands at the cursor of a text that is half typed.
//!
//! A marker is put where the cursor is, and what is open there is closed in the few ways that there
//! are, until the reader takes the text. Where the marker then stands in the tree is the answer; so
//! that one reader knows both formats.

use oar_engine::document::source::{Format, Node, ReadLimits, SourceFile, Value, read};

use super::cursor::{Cursor, Place};

/// How long a document may be that is repaired.
const LONGEST: usize = 1 << 20;

/// What stands for the cursor: a word with a character that nobody types, for private use.
const MARKER: &str = "oarCursor\u{E0A7}";

/// What stands at the byte `offset` of a text, which need not be whole.
pub(super) fn cursor(text: &str, offset: usize, format: Format) -> Option<Cursor> {
    let (start, end) = document(text, offset, format);
    let (before, after) = (text.get(start..offset)?, text.get(offset..end)?);
    if before.len() + after.len() > LONGEST {
        return None;
    }
    if text.contains(MARKER) {
        return None;
    }
    let open = Open::at(before, format);
    let next_line = after.find('\n').and_then(|at| after.get(at..)).unwrap_or_default();
    for (closes, rest) in [(false, after), (true, next_line), (true, "")] {
        for inserted in open.insertions(MARKER, format, closes) {
            let whole = format!("{before}{inserted}{rest}");
            let file = SourceFile::new("", whole, format);
            let reading = read(&file, &ReadLimits::default());
            let mut roots = reading.documents.into_iter().map(|document| document.root);
            let found = roots.find_map(|root| find(&root, MARKER).map(|found| (root, found)));
            if let Some((root, (path, place))) = found {
                return Some(Cursor { root, path, place, span: None, start: 0 }.of_rule());
            }
        }
    }
    None
}

/// The document of a stream that holds a byte.
pub(super) fn document(text: &str, offset: usize, format: Format) -> (usize, usize) {
    if format == Format::Json {
        return (0, text.len());
    }
    let is_mark = |at: usize| {
        let line = text.get(at..).unwrap_or_default();
        let rest = line.strip_prefix("---").or(line.strip_prefix("..."));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
    };
    let line_starts = || std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let mark = line_starts().take_while(|at| at + 3 <= offset).filter(|at| is_mark(*at)).last();
    let end = line_starts().find(|at| *at > offset && is_mark(*at)).unwrap_or(text.len());
    (mark.map_or(0, |at| at + 3), end)
}

/// What is open at a place.
#[derive(Debug, PartialEq, Eq)]
struct Open {
    /// The quote of the string that the place lies in.
    quote: Option<char>,
    /// What closes the lists and objects, the innermost last.
    closers: Vec<char>,
}

impl Open {
    fn at(before: &str, format: Format) -> Self {
        let mut open = Self { quote: None, closers: Vec::new() };
        // Whether a value or a name can begin here, so that a quote or a bracket means one.
        let mut begins = true;
        // The indentation of the line that a block of text hangs on.
        let mut block: Option<usize> = None;
        for line in before.split_inclusive('\n') {
            let indent = line.len() - line.trim_start_matches(' ').len();
            if let Some(own) = block {
                if indent > own || line.trim().is_empty() {
                    continue;
                }
                block = None;
            }
            if open.closers.is_empty() && open.quote.is_none() {
                begins = true;
            }
            let content = open.line(line, format, &mut begins);
            let flat = open.closers.is_empty() && open.quote.is_none();
            if format == Format::Yaml && flat && is_block_header(content) {
                block = Some(indent);
            }
        }
        open
    }

    /// Goes over a line; gives it without its comment.
    fn line<'l>(&mut self, line: &'l str, format: Format, begins: &mut bool) -> &'l str {
        let mut escaped = false;
        let mut previous = ' ';
        for (at, c) in line.char_indices() {
            if let Some(quote) = self.quote {
                match c {
                    _ if escaped => escaped = false,
                    '\\' if quote == '"' => escaped = true,
                    _ if c == quote => {
                        self.quote = None;
                        *begins = false;
                    }
                    _ => {}
                }
                previous = c;
                continue;
            }
            let flow = !self.closers.is_empty();
            match c {
                '#' if format == Format::Yaml && previous.is_whitespace() => {
                    return line.get(..at).unwrap_or_default();
                }
                '"' if *begins => self.quote = Some(c),
                '\'' if *begins && format == Format::Yaml => self.quote = Some(c),
                '[' if *begins => self.closers.push(']'),
                '{' if *begins => self.closers.push('}'),
                ']' | '}' if flow => {
                    self.closers.pop();
                    *begins = false;
                }
                ',' if flow => *begins = true,
                ':' => *begins = flow || next_is_blank(line, at),
                '-' | '?' if *begins && next_is_blank(line, at) => {}
                _ if c.is_whitespace() => {}
                _ => *begins = false,
            }
            previous = c;
        }
        line
    }

    /// What to put in the place of the cursor, in the order of what is likely.
    fn insertions(&self, marker: &str, format: Format, closes: bool) -> Vec<String> {
        let close = |text: String| -> String {
            match closes {
                true => text + &self.closers.iter().rev().collect::<String>(),
                false => text,
            }
        };
        let quote = self.quote.filter(|_| closes).map(String::from).unwrap_or_default();
        let mut all = vec![format!("{marker}{quote}")];
        match (self.quote, format) {
            (Some(_), _) if closes => all.push(format!("{marker}{quote}: null")),
            (Some(_), _) => {}
            (None, Format::Yaml) => all.push(format!("{marker}: null")),
            (None, Format::Json) => {
                all.extend([format!("\"{marker}\""), format!("\"{marker}\": null")]);
                if !closes {
                    all.extend([format!("\"{marker}\","), format!("\"{marker}\": null,")]);
                }
            }
        }
        all.into_iter().map(close).collect()
    }
}

/// Whether a line ends with the `|` or `>` of a block of text.
fn is_block_header(line: &str) -> bool {
    let line = line.trim_end().trim_end_matches(|c: char| matches!(c, '+' | '-' | '1'..='9'));
    let before = line.strip_suffix(['|', '>']);
    before.is_some_and(|before| before.is_empty() || before.ends_with([' ', '\t']))
}

fn next_is_blank(line: &str, at: usize) -> bool {
    line.get(at + 1..).is_none_or(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
}

/// Where the marker stands in a tree.
fn find(root: &Node, marker: &str) -> Option<(Vec<String>, Place)> {
    let place = |text: &str, of: fn(String, usize) -> Place| {
        let at = text.find(marker)?;
        Some(of(text.replacen(marker, "", 1), at))
    };
    let mut left = vec![(root, Vec::<String>::new())];
    while let Some((node, path)) = left.pop() {
        let below = |token: String| path.iter().cloned().chain([token]).collect::<Vec<_>>();
        match &node.value {
            Value::String(text) => {
                if let Some(place) = place(text.as_str(), Place::Text) {
                    return Some((path, place));
                }
            }
            Value::Array(items) => {
                let items = items.iter().enumerate();
                left.extend(items.map(|(item, own)| (own, below(item.to_string()))));
            }
            Value::Object(object) => {
                for member in object.iter() {
                    if let Some(place) = place(&member.name, Place::Name) {
                        return Some((path, place));
                    }
                    left.push((&member.node, below(member.name.to_string())));
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The way to the cursor, which stands at `¦`, and what stands there.
    fn told(text: &str, format: Format) -> String {
        let offset = text.find('¦').unwrap_or_default();
        let found = cursor(&text.replacen('¦', "", 1), offset, format);
        let Some(found) = found else { return "nothing".to_owned() };
        let path = found.path.join("/");
        let (kind, mut text, at) = match found.place {
            Place::Name(name, at) => ("name", name, at),
            Place::Text(text, at) => ("text", text, at),
            Place::Other => return format!("{path} other"),
        };
        text.insert(at, '¦');
        format!("{path} {kind} {text}")
    }

    #[test]
    fn half_typed_yaml_is_understood() {
        for (text, wanted) in [
            ("¦", " text ¦"),
            ("oar: '1.0'\n¦", " name ¦"),
            ("oar: '1.0'\nki¦", " name ki¦"),
            ("oar: '1.0'\nki¦\neffect: block\n", " name ki¦"),
            ("kind: ¦\neffect: block\n", "kind text ¦"),
            ("kind: po¦licy\neffect: block\n", "kind text po¦licy"),
            ("requires: {profiles: [to¦", "requires/profiles/0 text to¦"),
            ("requires: {profiles: [tool, ¦\neffect: block\n", "requires/profiles/1 text ¦"),
            ("requires: {pro¦", "requires name pro¦"),
            ("requires:\n  pro¦\neffect: block\n", "requires text pro¦"),
            ("requires:\n  profiles:\n  - ¦", "requires/profiles/0 text ¦"),
            ("overrides: [A, ¦]\n", "overrides/1 text ¦"),
            ("when: tool == 'a' && to¦\neffect: block\n", "when text tool == 'a' && to¦"),
            ("when: \"tool == 'a' && to¦\neffect: block\n", "when text tool == 'a' && to¦"),
            ("when: fire_count_of(\"¦", "when text fire_count_of(\"¦"),
            ("when: >-\n  tool == 'a'\n  && ¦\neffect: block\n", "when text tool == 'a' && ¦"),
            ("copy:\n  what: don't {{ to¦\n", "copy/what text don't {{ to¦"),
            ("a: {\n---\nselector: {¦", "selector name ¦"),
            ("selector: {¦\n---\nb: [", "selector name ¦"),
            ("# [ { \"\nan¦", " text an¦"),
            ("- oar: '1.0'\n  ki¦", " name ki¦"),
        ] {
            assert_eq!(told(text, Format::Yaml), wanted, "{text}");
        }
    }

    #[test]
    fn half_typed_json_is_understood() {
        for (text, wanted) in [
            (r#"{¦"#, " name ¦"),
            (r#"{"oar": "1.0", ¦}"#, " name ¦"),
            (r#"{"oar": "1.0", "ki¦"#, " name ki¦"),
            (r#"{"oar": "1.0", "ki¦"}"#, " name ki¦"),
            (r#"{"ki¦": "policy"}"#, " name ki¦"),
            (r#"{"kind": ¦"#, "kind text ¦"),
            (r#"{"kind": "po¦", "id": "A"}"#, "kind text po¦"),
            (r#"{¦ "id": "A"}"#, " name ¦"),
            (r#"{"overrides": ["A", ¦"#, "overrides/1 text ¦"),
            (r#"{"when": "tool == \"a\" && ¦"#, r#"when text tool == "a" && ¦"#),
            (r#"[{"oar": "1.0", "requires": {"profiles": [¦]}}]"#, "requires/profiles/0 text ¦"),
        ] {
            assert_eq!(told(text, Format::Json), wanted, "{text}");
        }
    }
}
