//! Whole renderings.

use std::sync::Arc;

use oar_expr::Span;

use super::*;
use crate::diagnostic::Location;
use crate::document::source::{Format, SourceFile};

fn file(text: &str) -> Arc<SourceFile> {
    SourceFile::new("rules/a.yaml", text, Format::Yaml)
}

/// The span of the first `part` of the text.
fn span(file: &SourceFile, part: &str) -> Span {
    let start = file.text().find(part).unwrap();
    Span::new(u32::try_from(start).unwrap(), u32::try_from(start + part.len()).unwrap())
}

/// The snippet alone, for a diagnostic at `part` of `text`.
fn snippet(text: &str, part: &str) -> String {
    let file = file(text);
    snippet_at(&file, span(&file, part))
}

fn snippet_at(file: &Arc<SourceFile>, span: Span) -> String {
    let rendered = full(&Diagnostic::error("OAR-DOC-1", "m").at(file, span, ""));
    rendered.strip_prefix("error[OAR-DOC-1]: m\n").unwrap().to_owned()
}

#[test]
fn the_long_form_shows_the_place() {
    let text = "# 1\n".repeat(11) + "    when: tool == 1\n";
    let file = file(&text);
    let diagnostic = Diagnostic::error("OAR-EXPR-11", "`==` cannot compare string with int")
        .at(&file, span(&file, "tool == 1"), "/rules/0/when")
        .help("`tool` is declared as string");
    let expected = "\
error[OAR-EXPR-11]: `==` cannot compare string with int
  --> rules/a.yaml:12:11 (/rules/0/when)
   |
12 |     when: tool == 1
   |           ^^^^^^^^^
   = help: `tool` is declared as string
";
    assert_eq!(full(&diagnostic), expected);
}

#[test]
fn related_places_are_further_snippets() {
    let text = "id: A\nkind: policy\n\n\n\n\n\n\n\nid: B\n";
    let file = file(text);
    let other = SourceFile::new("b.json", r#"{"id": "A"}"#, Format::Json);
    let diagnostic = Diagnostic::warning("OAR-DOC-1", "member `id` is given twice")
        .at(&file, span(&file, "id: B"), "/id")
        .relate(
            Location { file: Arc::clone(&file), span: span(&file, "id"), pointer: "/id".into() },
            "first given here",
        )
        .relate(
            Location {
                file: Arc::clone(&other),
                span: span(&other, "\"A\""),
                pointer: String::new(),
            },
            "and here",
        );
    let expected = "\
warning[OAR-DOC-1]: member `id` is given twice
  --> rules/a.yaml:10:1 (/id)
   |
10 | id: B
   | ^^^^^
  ::: rules/a.yaml:1:1 (/id)
   |
 1 | id: A
   | -- first given here
  ::: b.json:1:8
   |
 1 | {\"id\": \"A\"}
   |        --- and here
";
    assert_eq!(full(&diagnostic), expected);
}

#[test]
fn without_a_place_there_is_no_snippet() {
    let diagnostic = Diagnostic::error("OAR-CFG-5", "no rule `X`").help("did you mean `Y`?");
    assert_eq!(full(&diagnostic), "error[OAR-CFG-5]: no rule `X`\n = help: did you mean `Y`?\n");
    assert_eq!(concise(&diagnostic), "error[OAR-CFG-5] no rule `X`");
}

#[test]
fn marks_stand_under_what_is_seen() {
    let cases = [
        // Wide characters take two cells.
        ("名前: 値 x", "値", " --> rules/a.yaml:1:5\n  |\n1 | 名前: 値 x\n  |       ^^\n"),
        ("名前: 値 x", "x", " --> rules/a.yaml:1:7\n  |\n1 | 名前: 値 x\n  |          ^\n"),
        // A combining accent takes none.
        (
            "e\u{301}e\u{301} x",
            "x",
            " --> rules/a.yaml:1:4\n  |\n1 | e\u{301}e\u{301} x\n  |    ^\n",
        ),
        ("ae\u{301}b", "e\u{301}", " --> rules/a.yaml:1:2\n  |\n1 | ae\u{301}b\n  |  ^\n"),
        // A family is one character of two cells.
        (
            "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467} x",
            "x",
            " --> rules/a.yaml:1:3\n  |\n1 | \u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467} x\n  |    ^\n",
        ),
        // A tab takes four.
        ("\tab\tc", "c", " --> rules/a.yaml:1:5\n  |\n1 |     ab    c\n  |           ^\n"),
        ("a\tb", "\tb", " --> rules/a.yaml:1:2\n  |\n1 | a    b\n  |  ^^^^^\n"),
    ];
    for (text, part, expected) in cases {
        assert_eq!(snippet(text, part), expected, "{text:?}");
    }
}

#[test]
fn what_a_terminal_would_obey_is_shown_by_its_code() {
    let text = "a: \"\u{1b}[31m\u{202e}x\u{200b}\u{85}\u{7f}\"";
    let expected = "\
\x20--> rules/a.yaml:1:11
  |
1 | a: \"<U+001B>[31m<U+202E>x<U+200B><U+0085><U+007F>\"
  |                         ^
";
    assert_eq!(snippet(text, "x"), expected);
    let file = SourceFile::new("a\u{1b}.yaml\n", "x", Format::Yaml);
    let diagnostic = Diagnostic::error("OAR-DOC-1", "no `\u{1b}[2J\r\n\tx`")
        .at(&file, Span::new(0, 1), "/\u{202e}")
        .help("\u{7}");
    let expected = "\
error[OAR-DOC-1]: no `<U+001B>[2J<U+000D><U+000A><U+0009>x`
 --> a<U+001B>.yaml<U+000A>:1:1 (/<U+202E>)
  |
1 | x
  | ^
  = help: <U+0007>
";
    assert_eq!(full(&diagnostic), expected);
    assert_eq!(
        concise(&diagnostic),
        "a<U+001B>.yaml<U+000A>:1:1: error[OAR-DOC-1] no `<U+001B>[2J<U+000D><U+000A><U+0009>x`"
    );
}

#[test]
fn an_empty_place_gets_one_mark() {
    let file = file("a:\nb: 1\n");
    assert_eq!(snippet_at(&file, Span::new(2, 2)), " --> rules/a.yaml:1:3\n  |\n1 | a:\n  |   ^\n");
    assert_eq!(snippet_at(&file, Span::new(8, 8)), " --> rules/a.yaml:3:1\n  |\n3 |\n  | ^\n");
    // A file without text has no line to show.
    let empty = self::file("");
    assert_eq!(snippet_at(&empty, Span::new(0, 0)), " --> rules/a.yaml:1:1\n");
}

#[test]
fn several_lines_are_marked_and_many_are_clipped() {
    let text = "when: >\n  one\n    two\n\nx: 1\n";
    let expected = "\
\x20--> rules/a.yaml:1:7
  |
1 | when: >
  |       ^
2 |   one
  |   ^^^
3 |     two
  |     ^^^
";
    assert_eq!(snippet(text, ">\n  one\n    two\n\n"), expected);

    let lines: Vec<String> = (1..=12).map(|n| format!("- {n}")).collect();
    let text = lines.join("\n");
    let expected = "\
\x20 --> rules/a.yaml:1:1
   |
 1 | - 1
   | ^^^
 2 | - 2
   | ^^^
...
12 | - 12
   | ^^^^
";
    assert_eq!(snippet(&text, &text), expected);
}

#[test]
fn of_a_long_line_the_part_around_the_place_is_shown() {
    let text = format!("{} here {}", "a".repeat(200), "b".repeat(200));
    let expected = format!(
        " --> rules/a.yaml:1:202\n  |\n1 | ...{} here {}...\n  | {}^^^^\n",
        "a".repeat(29),
        "b".repeat(65),
        " ".repeat(33),
    );
    assert_eq!(snippet(&text, "here"), expected);
    // At the start nothing is cut before, and marks end where the text does.
    let expected = format!(
        " --> rules/a.yaml:1:1\n  |\n1 | {}...\n  | {}\n",
        "a".repeat(100),
        "^".repeat(100)
    );
    assert_eq!(snippet(&text, &"a".repeat(200)), expected);
    // A mebibyte of wide characters before it.
    let text = format!("{}x", "値".repeat(1 << 19));
    let expected = format!(
        " --> rules/a.yaml:1:524289\n  |\n1 | ...{}x\n  | {}^\n",
        "値".repeat(15),
        " ".repeat(33)
    );
    assert_eq!(snippet(&text, "x"), expected);
}

#[test]
fn the_short_form_is_one_line() {
    let file = file("a: 1\nb: ä nmae\n");
    let diagnostic =
        Diagnostic::error("OAR-EXPR-9", "unknown name `nmae`").at(&file, span(&file, "nmae"), "/b");
    assert_eq!(concise(&diagnostic), "rules/a.yaml:2:6: error[OAR-EXPR-9] unknown name `nmae`");
}

#[test]
fn the_form_for_machines_holds_everything() {
    let file = file("a: 1\nb: ä nmae\n");
    let at = span(&file, "nmae");
    let diagnostic = Diagnostic::error("OAR-EXPR-9", "unknown name `nmae`")
        .at(&file, at, "/b")
        .relate(
            Location { file: Arc::clone(&file), span: Span::new(0, 1), pointer: "/a".into() },
            "declared here",
        )
        .help("did you mean `name`?");
    assert_eq!(
        json(&diagnostic),
        serde_json::json!({
            "severity": "error",
            "code": "OAR-EXPR-9",
            "message": "unknown name `nmae`",
            "file": "rules/a.yaml",
            "span": {"start": 11, "end": 15},
            "start": {"line": 2, "column": 6},
            "end": {"line": 2, "column": 10},
            "pointer": "/b",
            "related": [{
                "message": "declared here",
                "file": "rules/a.yaml",
                "span": {"start": 0, "end": 1},
                "start": {"line": 1, "column": 1},
                "end": {"line": 1, "column": 2},
                "pointer": "/a",
            }],
            "help": "did you mean `name`?",
        })
    );
    let bare = json(&Diagnostic::warning("OAR-SEL-6", "m"));
    assert_eq!(bare["severity"], "warning");
    assert_eq!(bare["file"], serde_json::Value::Null);
    assert_eq!(bare["related"], serde_json::json!([]));
    assert_eq!(bare["help"], serde_json::Value::Null);
}

#[test]
fn pieces_can_be_painted() {
    let file = file("a: x\n");
    let diagnostic = Diagnostic::error("OAR-DOC-1", "m").at(&file, span(&file, "x"), "");
    let painted = full_with(&diagnostic, |role, text| match role {
        Role::Title(Severity::Error) => format!("<red>{text}</red>"),
        Role::Mark(Severity::Error) => format!("<b>{text}</b>"),
        _ => text.to_owned(),
    });
    let expected = "\
<red>error[OAR-DOC-1]</red>: m
 --> rules/a.yaml:1:4
  |
1 | a: x
  |    <b>^</b>
";
    assert_eq!(painted, expected);
}
