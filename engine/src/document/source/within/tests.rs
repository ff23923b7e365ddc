//! Places inside decoded strings, in every style that they can be written in.

use crate::document::source::*;

/// A file and what must be underlined for the name `nmae` in its `when`.
const STYLES: &[(&str, Format, &str)] = &[
    (r#"{"when": "tool == \"x\" && \u006emae"}"#, Format::Json, r"\u006emae"),
    (r#"{"when": "\"\\\/\b\f\n\r\tä😀\ud83d\ude00\u00e4 nmae > 1"}"#, Format::Json, "nmae"),
    ("when: ä == tool && nmae > 1 # nmae\n", Format::Yaml, "nmae"),
    ("when: tool == 1\n  && x\n\n\n  && nmae\n  > 1\nx: nmae", Format::Yaml, "nmae"),
    ("when: tool == 1\r\n  && x\r\n\r\n  && nmae  \r\n", Format::Yaml, "nmae"),
    ("when: 'tool == ''nm'' && nmae'\n", Format::Yaml, "nmae"),
    ("when: '  ä ''\n\n   \t\n  x && \n nmae '\n", Format::Yaml, "nmae"),
    (r#"when: "tool == \"x\" && n\x6d\u0061\U00000065""#, Format::Yaml, r"n\x6d\u0061\U00000065"),
    (
        "when: \"a\\t \\\n   b \\\n\n  \\ c   \n\n\n  d\n  nm\\\n  ae\"\n",
        Format::Yaml,
        "nm\\\n  ae",
    ),
    ("when: \"\\0\\a\\b\\t\\n\\v\\f\\r\\e\\ \\\"\\/\\\\\\N\\_\\L\\P nmae\"", Format::Yaml, "nmae"),
    ("when: |\n  tool == 1\n    && x\n\n  && nmae\n", Format::Yaml, "nmae"),
    ("when: | # nmae\n\n\n   ä\n    && nmae\nx: 1\n", Format::Yaml, "nmae"),
    ("when: |2\n     x &&\n   nmae\n", Format::Yaml, "nmae"),
    ("when: |+\n  x\n\n  nmae\n\n\n", Format::Yaml, "nmae"),
    ("when: |-\r\n  x\r\n\r\n  nmae\r\n", Format::Yaml, "nmae"),
    ("a:\n  - when: |1-\n       x\n      nmae\n", Format::Yaml, "nmae"),
    ("when: >\n  x &&\n  y &&\n  nmae\n", Format::Yaml, "nmae"),
    ("when: >\n\n  x &&\n\n\n    deeper\n      still\n\n  y &&\n  nmae\n\n", Format::Yaml, "nmae"),
    ("when: >-\n  x\n  \ttab\n  y\n  z nmae", Format::Yaml, "nmae"),
    ("when: &a !x >2-\n    x\n   y\n\n  z\n  nmae\n", Format::Yaml, "nmae"),
    ("when: >+\n  nmae\n   \n\n", Format::Yaml, "nmae"),
    ("? when\n: >\n  ä\n  nmae\n", Format::Yaml, "nmae"),
    ("{a: 1, when: [x,\n nmae && y\n z]}", Format::Yaml, "nmae"),
    ("--- |\nx\nnmae\n", Format::Yaml, "nmae"),
    ("# c\n| # d\n x\n nmae\n", Format::Yaml, "nmae"),
    ("\u{FEFF}>-\n &x nmae\n", Format::Yaml, "nmae"),
    ("a: 'x' # y\nb: [\"nmae\" # z\n ]\n", Format::Yaml, "nmae"),
    ("- !x &y |\n x\n nmae\n- *y\n", Format::Yaml, "nmae"),
];

/// Every string of a tree.
fn strings(root: &Node) -> Vec<&Node> {
    let mut found = Vec::new();
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        match &node.value {
            Value::String(_) => found.push(node),
            Value::Array(items) => waiting.extend(items),
            Value::Object(object) => waiting.extend(object.iter().map(|m| &m.node)),
            _ => {}
        }
    }
    found
}

fn file_and_root(text: &str, format: Format) -> (std::sync::Arc<SourceFile>, Node) {
    let file = SourceFile::new("t", text, format);
    let mut reading = read(&file, &ReadLimits::default());
    assert!(!reading.documents.is_empty(), "{text}: {:?}", reading.diagnostics);
    (file, reading.documents.remove(0).root)
}

#[test]
fn an_unknown_name_is_underlined_in_every_style() {
    for (text, format, underlined) in STYLES {
        let (file, root) = file_and_root(text, *format);
        let found: Vec<_> = strings(&root)
            .into_iter()
            .filter(|node| node.span != Span::default())
            .filter_map(|node| {
                let at = node.as_str()?.find("nmae")?;
                Some(file.slice(node.span_within(&file, at..at + 4)))
            })
            .collect();
        assert!(!found.is_empty(), "{text}");
        for found in found {
            assert_eq!(found, *underlined, "{text}");
        }
    }
}

/// Each character of the decoded string has a place within the scalar, in order, and one that
/// was written as itself is found there as itself.
#[test]
fn every_character_has_its_place() {
    for (text, format, _) in STYLES {
        let (file, root) = file_and_root(text, *format);
        for node in strings(&root) {
            let decoded = node.as_str().unwrap();
            let mut previous = node.span.start;
            for (at, c) in decoded.char_indices() {
                let place = node.span_within(&file, at..at + c.len_utf8());
                let slice = file.slice(place);
                assert!(place.start >= previous, "{text}: {c:?} at {place:?}");
                assert!(place.start < place.end || c == '\n', "{text}: {c:?} at {place:?}");
                previous = place.end;
                let written = match c {
                    ' ' => slice == r"\ " || slice.trim_matches([' ', '\t', '\r', '\n']).is_empty(),
                    '\n' => matches!(slice, "" | "\n" | "\r\n" | r"\n"),
                    '\'' => slice == "''",
                    c => slice.starts_with('\\') || slice == c.to_string(),
                };
                assert!(written, "{text}: {c:?} is written {slice:?}");
            }
            let end = node.span_within(&file, decoded.len()..decoded.len());
            assert!(end.start == end.end && end.start >= previous, "{text}: end {end:?}");
        }
    }
}

#[test]
fn what_is_not_written_so_is_underlined_as_a_whole() {
    let (file, root) = file_and_root("a: 'x y'\nb: 1", Format::Yaml);
    let node = root.get("a").unwrap();
    let other = Node::new(node.span, Node::from_json(&serde_json::json!("x  y")).into_value());
    assert_eq!(file.slice(other.span_within(&file, 0..1)), "'x y'");
    assert_eq!(file.slice(root.get("b").unwrap().span_within(&file, 0..1)), "1");
}

#[test]
fn an_empty_range_is_an_empty_place() {
    let (file, root) = file_and_root(r#"["", "ab"]"#, Format::Json);
    let at = |pointer, at| root.find(pointer).unwrap().span_within(&file, at..at);
    assert_eq!(at("/0", 0), Span::new(2, 2));
    assert_eq!(
        [at("/1", 0), at("/1", 1), at("/1", 2)].map(|s| (s.start, s.end)),
        [(6, 6), (7, 7), (8, 8)]
    );
}
