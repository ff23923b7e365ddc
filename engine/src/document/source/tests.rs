//! The tree, its conversions and the lines of a file.

use std::fmt::Write as _;

use unicode_segmentation::UnicodeSegmentation;

use super::*;

pub(super) fn json(text: &str) -> Reading {
    read(&SourceFile::new("t.json", text, Format::Json), &ReadLimits::default())
}

/// The root of a text that must be sound.
pub(super) fn root(reading: &Reading) -> &Node {
    assert!(reading.diagnostics.is_empty(), "{}", told(reading));
    &reading.documents[0].root
}

/// One line for each diagnostic: the message, what is underlined, the pointer, what is related,
/// the help.
pub(super) fn told(reading: &Reading) -> String {
    let mut text = String::new();
    for diagnostic in &reading.diagnostics {
        let location = diagnostic.location().unwrap();
        let underlined = reading.file.slice(location.span);
        write!(text, "{diagnostic} | {underlined}").unwrap();
        if !location.pointer.is_empty() {
            write!(text, " | at {}", location.pointer).unwrap();
        }
        for related in diagnostic.related() {
            let LineColumn { line, column } = reading.file.line_column(related.location.span.start);
            let slice = reading.file.slice(related.location.span);
            write!(text, " | {}: {slice} at {line}:{column}", related.message).unwrap();
        }
        if let Some(help) = diagnostic.advice() {
            write!(text, " | help: {help}").unwrap();
        }
        text.push('\n');
    }
    text
}

fn number(text: &str) -> Number {
    Number::new(text)
}

#[test]
fn integers_are_exact_and_have_neither_fraction_nor_exponent() {
    type Case = (&'static str, Option<i64>, Option<u64>, Option<f64>);
    let cases: &[Case] = &[
        ("0", Some(0), Some(0), Some(0.0)),
        ("-0", Some(0), Some(0), Some(-0.0)),
        ("5.0", None, None, Some(5.0)),
        ("1e3", None, None, Some(1000.0)),
        ("1E3", None, None, Some(1000.0)),
        ("9223372036854775807", Some(i64::MAX), Some(i64::MAX as u64), Some(9.223372036854776e18)),
        ("9223372036854775808", None, Some(1 << 63), Some(9.223372036854776e18)),
        ("-9223372036854775808", Some(i64::MIN), None, Some(-9.223372036854776e18)),
        ("-9223372036854775809", None, None, Some(-9.223372036854776e18)),
        ("18446744073709551616", None, None, Some(1.8446744073709552e19)),
        ("1e400", None, None, None),
        ("-1e400", None, None, None),
        ("1e-400", None, None, Some(0.0)),
        // Halfway between two doubles but for the last digit: the text decides, not a sum.
        ("9007199254740993.0000000000000001", None, None, Some(9007199254740994.0)),
    ];
    for (text, int, natural, double) in cases {
        assert_eq!(number(text).as_i64(), *int, "{text}");
        assert_eq!(number(text).as_u64(), *natural, "{text}");
        assert_eq!(number(text).as_f64().map(f64::to_bits), double.map(f64::to_bits), "{text}");
        assert_eq!(number(text).is_integer_text(), !text.contains(['.', 'e', 'E']), "{text}");
    }
}

#[test]
fn numbers_become_the_nearest_that_serde_json_holds() {
    let cases = [
        ("-7", "-7"),
        ("18446744073709551615", "18446744073709551615"),
        ("18446744073709551616", "1.8446744073709552e+19"),
        ("1e400", "1.7976931348623157e+308"),
        ("-1e400", "-1.7976931348623157e+308"),
        ("0.10", "0.1"),
    ];
    for (text, expected) in cases {
        assert_eq!(number(text).to_json().to_string(), expected, "{text}");
    }
}

#[test]
fn members_are_found_in_small_and_large_objects() {
    for size in [0_usize, 1, 16, 17, 1000] {
        let names: Vec<String> = (0..size).map(|n| format!("\"n{}\": {n}", n * 7 % 1009)).collect();
        let reading = json(&format!("{{{}}}", names.join(",")));
        let object = root(&reading).as_object().unwrap();
        assert_eq!(object.len(), size);
        assert_eq!(object.is_empty(), size == 0);
        for n in 0..size {
            let member = object.member(&format!("n{}", n * 7 % 1009)).unwrap();
            assert_eq!(member.node.as_number().unwrap().as_u64(), Some(n as u64));
        }
        assert!(object.get("absent").is_none());
        assert!(!object.contains("zzz"));
        let order: Vec<_> = object.iter().map(|m| m.node.to_json()).collect();
        assert_eq!(order, (0..size).map(|n| serde_json::json!(n)).collect::<Vec<_>>());
    }
}

#[test]
fn values_come_and_go_through_serde_json() {
    let text = r#"{"a":[1,-2.5,"x",null,true,{}],"b":{"c":[[]]},"d":18446744073709551615}"#;
    let reading = json(text);
    let value: serde_json::Value = serde_json::from_str(text).unwrap();
    assert_eq!(root(&reading).to_json(), value);
    let node = Node::from_json(&value);
    assert_eq!(node.to_json(), value);
    assert_eq!(node.clone().to_json(), value);
    assert_eq!(node.get("d").unwrap().as_number().unwrap().as_str(), "18446744073709551615");
    for scalar in ["null", "false", "3", "\"s\""] {
        let value: serde_json::Value = serde_json::from_str(scalar).unwrap();
        assert_eq!(Node::from_json(&value).to_json(), value);
    }
}

#[test]
fn a_clone_keeps_names_and_places() {
    let reading = json(r#" {"a": [1, {"b": 2}]}"#);
    let copy = root(&reading).clone();
    assert_eq!(reading.file.slice(copy.find("/a/1").unwrap().span), r#"{"b": 2}"#);
    let member = copy.as_object().unwrap().member("a").unwrap();
    assert_eq!(reading.file.slice(member.name_span), r#""a""#);
    assert_eq!(reading.file.slice(copy.span), r#"{"a": [1, {"b": 2}]}"#);
}

#[test]
fn pointers_lead_to_values() {
    let reading = json(r#"{"a/b": [10, {"~": 11}], "": 12, "7": 13}"#);
    let found = |pointer| root(&reading).find(pointer).map(|node| node.to_json().to_string());
    assert_eq!(found("/a~1b/0").as_deref(), Some("10"));
    assert_eq!(found("/a~1b/1/~0").as_deref(), Some("11"));
    assert_eq!(found("/").as_deref(), Some("12"));
    assert_eq!(found("/7").as_deref(), Some("13"));
    for nowhere in ["a", "/x", "/a~1b/00", "/a~1b/2", "/a~1b/-", "/a~1b/+1", "/7/0"] {
        assert_eq!(found(nowhere), None, "{nowhere}");
    }
}

#[test]
fn kinds_have_the_names_of_json() {
    let reading = json(r#"[null, true, 1, "", [], {}]"#);
    let items = root(&reading).as_array().unwrap();
    let kinds: Vec<_> = items.iter().map(Node::kind_name).collect();
    assert_eq!(kinds, ["null", "boolean", "number", "string", "array", "object"]);
    assert!(items[0].is_null() && !items[1].is_null());
    assert_eq!(items[1].as_bool(), Some(true));
    assert!(
        matches!(items[3].clone().into_value(), Value::String(text) if text.as_str().is_empty())
    );
}

/// On the smallest stack that hosts use, a tree far deeper than the limit is built, cloned,
/// converted and dropped.
#[test]
fn depth_takes_no_stack() {
    let work = || {
        let deep = 100_000;
        let limits = ReadLimits { depth: deep, ..ReadLimits::default() };
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let text = format!("{}1{}", open.repeat(deep), close.repeat(deep));
            let reading = read(&SourceFile::new("t", text, Format::Json), &limits);
            let copy = root(&reading).clone();
            drop(reading);
            // Its own `serde_json` form would overflow in serde_json's drop.
            std::mem::forget(copy.to_json());
            assert_eq!(copy.span.start, 0);
        }
    };
    std::thread::Builder::new().stack_size(256 << 10).spawn(work).unwrap().join().unwrap();
}

#[test]
fn lines_end_at_every_kind_of_break() {
    let file = SourceFile::new("t", "a\nbc\r\nd\re\n", Format::Yaml);
    let lines: Vec<_> = (1..=file.line_count()).map(|n| file.line_text(n)).collect();
    assert_eq!(lines, ["a", "bc", "d", "e", ""]);
    let at = |offset| {
        let LineColumn { line, column } = file.line_column(offset);
        (line, column)
    };
    assert_eq!([at(0), at(1), at(2), at(4), at(5)], [(1, 1), (1, 2), (2, 1), (2, 3), (2, 3)]);
    assert_eq!([at(6), at(7), at(8), at(10), at(99)], [(3, 1), (3, 2), (4, 1), (5, 1), (5, 1)]);
    assert_eq!(file.line_text(0), "");
    assert_eq!(file.line_text(9), "");
}

#[test]
fn columns_count_what_a_person_sees() {
    // e with a combining accent, a family joined from four people, a flag.
    let text = "e\u{301}\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}\u{1F1E9}\u{1F1EA}x";
    let file = SourceFile::new("t", text, Format::Yaml);
    let x = u32::try_from(text.find('x').unwrap()).unwrap();
    assert_eq!(file.line_column(x), LineColumn { line: 1, column: 4 });
    // In the middle of a character.
    assert_eq!(file.line_column(1), LineColumn { line: 1, column: 1 });
    assert_eq!(file.line_column(4), LineColumn { line: 1, column: 2 });
}

/// In a line of any length a column is what counting from its start gives.
#[test]
fn columns_far_behind_count_the_same() {
    // Flags are pairs, which only their beginning tells apart.
    let parts =
        ["ab\u{e4}", "e\u{301}", "\u{1F1E9}\u{1F1EA}\u{1F1E9}", "\u{1F468}\u{200D}\u{1F469}"];
    let line: String = (0..3000).filter_map(|n| parts.get(n * 7 % 4)).copied().collect();
    let text = format!("{line}\r\nx\n{line}");
    let file = SourceFile::new("t", text.as_str(), Format::Yaml);
    for start in [0, line.len() + 4] {
        for offset in (0..line.len()).step_by(1237).chain([line.len()]) {
            let before = line.grapheme_indices(true).filter(|(at, g)| at + g.len() <= offset);
            let column = u32::try_from(before.count() + 1).unwrap();
            let found = file.line_column(u32::try_from(start + offset).unwrap());
            assert_eq!(found.column, column, "{offset}");
        }
    }
}

#[test]
fn a_byte_order_mark_is_skipped_and_places_stay_true() {
    let bytes = b"\xEF\xBB\xBF{\"a\": 1}";
    let file = SourceFile::from_bytes("t.json", bytes, None).unwrap();
    let reading = read(&file, &ReadLimits::default());
    let one = root(&reading).get("a").unwrap();
    assert_eq!(one.span, Span::new(9, 10));
    assert_eq!(bytes[one.span.range()], *b"1");
    assert_eq!(file.line_column(one.span.start), LineColumn { line: 1, column: 7 });
}

#[test]
fn bytes_that_are_no_text_are_refused_with_their_place() {
    let cases: &[(&[u8], &str, u32)] = &[
        (b"\xFF\xFE{\0}\0", "the file is UTF-16 (little endian), not UTF-8", 0),
        (b"\xFE\xFF\0{\0}", "the file is UTF-16 (big endian), not UTF-8", 0),
        (b"{\0\"\0a\0", "the file is UTF-16 (little endian), not UTF-8", 0),
        (b"\0{\0\"\0a", "the file is UTF-16 (big endian), not UTF-8", 0),
        (b"\xFF\xFE\0\0{\0\0\0", "the file is UTF-32 (little endian), not UTF-8", 0),
        (b"\0\0\xFE\xFF\0\0\0{", "the file is UTF-32 (big endian), not UTF-8", 0),
        (b"{\0\0\0}\0\0\0", "the file is UTF-32 (little endian), not UTF-8", 0),
        (b"\0\0\0{\0\0\0}", "the file is UTF-32 (big endian), not UTF-8", 0),
        (b"{\"\xC3\xA4\": \"\xE4\"}", "byte 0xE4 at offset 8 is not valid UTF-8", 8),
        (b"a: \xED\xA0\x80", "byte 0xED at offset 3 is not valid UTF-8", 3),
        (b"{\"a\":\0}", "a NUL character at offset 5", 5),
    ];
    for (bytes, message, offset) in cases {
        let refused = SourceFile::from_bytes("t", bytes, None).unwrap_err();
        assert_eq!(refused.to_string(), format!("OAR-DOC-1: {message}"));
        assert_eq!(refused.location().unwrap().span.start, *offset, "{message}");
        assert_eq!(refused.advice(), Some("a document is UTF-8 text"));
    }
}

#[test]
fn the_format_follows_the_name_and_else_the_text() {
    let of = |name: &str, text: &str| {
        SourceFile::from_bytes(name, text.as_bytes(), None).unwrap().format()
    };
    assert_eq!(of("a.json", "a: 1"), Format::Json);
    assert_eq!(of("dir.json/a.YML", "{}"), Format::Yaml);
    assert_eq!(of("a.yaml", "{}"), Format::Yaml);
    assert_eq!(of("stdin", " \n{\"a\": 1}"), Format::Json);
    assert_eq!(of("stdin", "\u{FEFF}[1]"), Format::Json);
    assert_eq!(of("a.txt", "oar: \"1.0\""), Format::Yaml);
    assert_eq!(of("a.txt", ""), Format::Yaml);
}

#[test]
fn limits_are_diagnostics() {
    let with = |text: &str, limits: ReadLimits| {
        told(&read(&SourceFile::new("t", text, Format::Json), &limits))
    };
    let default = ReadLimits::default();
    assert_eq!(
        with("[1, 2]", ReadLimits { bytes: 5, ..default }),
        "limit: 6 bytes of text, where 5 are the most | \n"
    );
    assert_eq!(
        with("[[1], {\"a\": [2]}]", ReadLimits { depth: 2, ..default }),
        "limit: more than 2 arrays and objects in one another | [ | at /1/a\n"
    );
    assert_eq!(
        with("[1, 2, 3]", ReadLimits { nodes: 3, ..default }),
        "limit: more than 3 values | 3 | at /2\n"
    );
    let repeats = "{\"a\":1,\"a\":2,\"a\":3,\"a\":4}";
    let told = with(repeats, ReadLimits { diagnostics: 2, ..default });
    assert_eq!(told.lines().count(), 3);
    assert!(told.ends_with("limit: more than 2 errors | \"a\" | at /a\n"), "{told}");
}

#[test]
fn a_hundred_thousand_brackets_are_one_diagnostic() {
    let work = || {
        let text = "[".repeat(1 << 20);
        assert_eq!(
            told(&json(&text)).chars().take(60).collect::<String>(),
            "limit: more than 128 arrays and objects in one another | [ |"
        );
    };
    std::thread::Builder::new().stack_size(256 << 10).spawn(work).unwrap().join().unwrap();
}
