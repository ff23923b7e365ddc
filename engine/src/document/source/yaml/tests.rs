//! What the YAML reader takes, and what it says of the rest.

use crate::document::source::tests::{json, root, told};
use crate::document::source::*;

fn yaml(text: &str) -> Reading {
    yaml_within(text, ReadLimits::default())
}

fn yaml_within(text: &str, limits: ReadLimits) -> Reading {
    read(&SourceFile::new("t.yaml", text, Format::Yaml), &limits)
}

/// Text and what is told of it, as `Diagnostic | underlined | at pointer | related | help`.
const REFUSED: &[(&str, &str)] = &[
    // Keys.
    ("a: 1\nb: 2\na: 3\n", "member `a` is given twice | a | at /a | first given here: a at 1:1"),
    (
        "- {a: 1, 'a': 3}\n",
        "member `a` is given twice | 'a' | at /0/a | first given here: a at 1:4",
    ),
    (
        "x:\n  1: a",
        "the key `1` is a number, where a string must stand | 1 | at /x | help: quote it: `\"1\"`",
    ),
    (
        "yes: a\ntrue: b",
        "the key `true` is a boolean, where a string must stand | true | help: quote it: `\"true\"`",
    ),
    ("~: b", "the key `~` is null, where a string must stand | ~ | help: quote it: `\"~\"`"),
    ("? \n: b", "a key is missing, where a string must stand | "),
    ("{[a]: b, c: d}", "a key is an array, where a string must stand | ["),
    ("? a: b\n: c\n", "a key is an object, where a string must stand | "),
    ("a: &x 5\n*x : b\n", "the key `*x` stands for no string | *x"),
    (
        "b: {}\na:\n  <<: {}\n",
        "the merge key `<<` is not part of YAML 1.2 | << | at /a | help: write the members out, or quote a key that is meant so",
    ),
    // Values.
    (
        "a: .inf",
        "`.inf` is no JSON number | .inf | at /a | help: a number is finite; a string of this text stands in quotes",
    ),
    (
        "- -.Inf",
        "`-.Inf` is no JSON number | -.Inf | at /0 | help: a number is finite; a string of this text stands in quotes",
    ),
    (
        "- .NaN",
        "`.NaN` is no JSON number | .NaN | at /0 | help: a number is finite; a string of this text stands in quotes",
    ),
    (
        "- 0x100000000000000000000000000000000",
        "`0x100000000000000000000000000000000` has more than 128 bits | 0x100000000000000000000000000000000 | at /0 | help: a larger number is written in decimal",
    ),
    (
        "a: !!str 5",
        "the tag `!!str` has no counterpart in JSON | !!str | at /a | help: leave it out; a string that looks like a number stands in quotes",
    ),
    (
        "a: &x !env\n  b: 1",
        "the tag `!env` has no counterpart in JSON | !env | at /a | help: leave it out; a string that looks like a number stands in quotes",
    ),
    (
        "- !<tag:x> [1]",
        "the tag `!<tag:x>` has no counterpart in JSON | !<tag:x> | at /0 | help: leave it out; a string that looks like a number stands in quotes",
    ),
    ("a: *b", "no anchor has this name | *b | at /a | help: an anchor is written `&name`"),
    ("a: &a [*a]", "`*a` stands within what it stands for | *a | at /a/0"),
    ("--- &a 1\n--- *a\n", "no anchor of this document has the name of `*a` | *a | at /1"),
    // Documents.
    ("", "the text holds no document | "),
    ("# a comment\n", "the text holds no document | "),
    ("---\n", "the document is empty | ---"),
    ("a: 1\n---\n# nothing\n---\nb: 1\n", "document 2 of the stream is empty | --- | at /1"),
    ("a: 1\n---\n", "document 2 of the stream is empty | --- | at /1"),
    (
        "%YAML 1.1\n---\na: on\n",
        "YAML 1.1 is not read, only YAML 1.2 | %YAML 1.1 | help: `%YAML 1.2` is the only directive",
    ),
    (
        "a: 1\n...\n%TAG ! x # y\n---\nb: 1\n",
        "the directive `%TAG` is not read | %TAG ! x | at /1 | help: `%YAML 1.2` is the only directive",
    ),
    (
        "a: x\u{1}y",
        "a raw control character U+0001 | \u{1} | help: in double quotes it is written `\\x01`",
    ),
    // Structure.
    ("a: b: c", "a `:` makes no member here | : | help: a value that holds `: ` stands in quotes"),
    (
        "a: 1\n b: 2",
        "a `:` makes no member here | : | help: a value that holds `: ` stands in quotes",
    ),
    (
        "a: [1, 2\nb: 3",
        "a `:` makes no member here | : | at /a/1 | opened here: [ at 1:4 | help: a value that holds `: ` stands in quotes",
    ),
    (
        "a: {b: 1",
        "a `,` or `}` is missing at the end of the text |  | at /a | opened here: { at 1:4",
    ),
    ("a: [b, c}", "a `,` or `]` is missing here | } | at /a/2 | opened here: [ at 1:4"),
    (
        "a: b\n]",
        "this bracket closes nothing | ] | help: a string that holds special characters stands in quotes",
    ),
    (
        "a: @x",
        "no value starts with `@` | @ | at /a | help: a string that holds special characters stands in quotes",
    ),
    (
        "a: %x",
        "no value starts with `%` | % | at /a | help: a string that holds special characters stands in quotes",
    ),
    ("a: 'x", "the quoted string is not closed | 'x | at /a"),
    (
        "a: \"b\" c",
        "something follows the closing quote | c | at /a | help: a string that holds special characters stands in quotes",
    ),
    (
        "a: \"x\\qy\"",
        "the string holds an escape that YAML does not have | \"x\\qy\" | at /a | help: a backslash itself is written `\\\\`, or the string stands in `'`",
    ),
    ("a: \"\\u12\"", "an escape of the string has too few hexadecimal digits | \"\\u12\" | at /a"),
    (
        "a: \"\\ud83d\\ude00\"",
        "an escape of the string stands for no character | \"\\ud83d\\ude00\" | at /a | help: YAML has no pairs of surrogates; write the character, or `\\U` and eight digits",
    ),
    ("a:\n\tb: 1", "a tab cannot indent | \t | at /a | help: indent with blanks"),
    (
        "- a\nb: c",
        "this does not belong to the list before it | b: | at /1 | help: items start with `- ` in one column",
    ),
    (
        "a: |x\n b",
        "something follows the `|` or `>` of a block | |x | at /a | help: its text starts on the next line",
    ),
    ("a b: 1\nc d\ne: 1", "a `:` is missing, where a member must stand | c d"),
    ("a: 1\nb", "a `:` is missing, where a member must stand | b"),
    ("ä: ö\nü: [é, \"", "the quoted string is not closed | \" | at /ü/1 | opened here: [ at 2:4"),
    (
        "a: @x\n---\nb: 1",
        "no value starts with `@` | @ | at /0/a | help: a string that holds special characters stands in quotes",
    ),
];

#[test]
fn what_is_refused_is_named_and_underlined() {
    for (text, expected) in REFUSED {
        assert_eq!(told(&yaml(text)), format!("OAR-DOC-1: {expected}\n"), "{text}");
    }
}

#[test]
fn plain_scalars_mean_what_the_core_schema_says() {
    let cases = [
        ("[~, null, Null, NULL, ]", "[null,null,null,null]"),
        ("[true, True, TRUE, false, False, FALSE]", "[true,true,true,false,false,false]"),
        ("[off, no, yes, on, y, n, tRUE]", r#"["off","no","yes","on","y","n","tRUE"]"#),
        ("[1_000, 1:20, 2001-01-01, 0b1, 017x]", r#"["1_000","1:20","2001-01-01","0b1","017x"]"#),
        ("['1', \"true\", '', '~']", r#"["1","true","","~"]"#),
        ("{a: , b: {}, c: []}", r#"{"a":null,"b":{},"c":[]}"#),
        ("a: |\n  1\nb: >-\n  true\n", r#"{"a":"1\n","b":"true"}"#),
        ("a: &x b\nc: *x\n*x : d", r#"{"a":"b","b":"d","c":"b"}"#),
        ("&k a: 1\nb: *k", r#"{"a":1,"b":"a"}"#),
        ("\"<<\": 1\n'1': 2\n? x\n: 3", r#"{"1":2,"<<":1,"x":3}"#),
        (
            "[., .., +, .e1, 1e, e1, +.inf0, 0x, 0o8, -0x1]",
            r#"[".","..","+",".e1","1e","e1","+.inf0","0x","0o8","-0x1"]"#,
        ),
        ("%YAML 1.2 # x\n---\na\n...\n", r#""a""#),
        ("\u{FEFF}a: 1", r#"{"a":1}"#),
        ("--- null", "null"),
        ("--- ''", r#""""#),
    ];
    for (text, expected) in cases {
        assert_eq!(root(&yaml(text)).to_json().to_string(), expected, "{text}");
    }
}

#[test]
fn numbers_keep_their_digits_in_the_spelling_of_json() {
    let cases = [
        ("12", "12"),
        ("-0", "-0"),
        ("+7", "7"),
        ("007", "7"),
        ("-012.50", "-12.50"),
        (".5", "0.5"),
        ("5.", "5.0"),
        ("+.5e+3", "0.5e+3"),
        ("1.E5", "1.0e5"),
        ("1e400", "1e400"),
        ("123456789012345678901234567890.123", "123456789012345678901234567890.123"),
        ("0x1F", "31"),
        ("0o17", "15"),
        ("0xffffffffffffffffffffffffffffffff", "340282366920938463463374607431768211455"),
    ];
    for (text, expected) in cases {
        let reading = yaml(text);
        let number = root(&reading).as_number().expect(text).as_str();
        assert_eq!(number, expected, "{text}");
        let again = json(number);
        assert_eq!(root(&again).as_number().unwrap().as_str(), expected, "{text}");
    }
}

#[test]
fn every_value_stands_where_it_was_written() {
    let text = "# c\nä: plain text  # c\nl:\n- {a: 'b', c: }\n- - x\n  - &q \"y\"\n\nm: &z\n  n: |\n    t\n\no: *z # d\np: [q: r]\n";
    let reading = yaml(text);
    let at = |pointer: &str| reading.file.slice(root(&reading).find(pointer).unwrap().span);
    let cases = [
        ("/ä", "plain text"),
        ("/l", "- {a: 'b', c: }\n- - x\n  - &q \"y\""),
        ("/l/0", "{a: 'b', c: }"),
        ("/l/0/a", "'b'"),
        ("/l/0/c", ""),
        ("/l/1", "- x\n  - &q \"y\""),
        ("/l/1/1", "\"y\""),
        ("/m", "n: |\n    t"),
        ("/m/n", "|\n    t"),
        ("/o", "n: |\n    t"),
        ("/p", "[q: r]"),
        ("/p/0", "q: r"),
    ];
    for (pointer, written) in cases {
        assert_eq!(at(pointer), written, "{pointer}");
    }
    assert_eq!(at(""), text.trim_start_matches("# c\n").trim_end());
    let member = root(&reading).as_object().unwrap().member("o").unwrap();
    assert_eq!(reading.file.slice(member.name_span), "o");
}

#[test]
fn a_stream_holds_several_documents() {
    let reading = yaml("--- {a: 1}\n---\nb: 2\n...\n# c\n--- [3]\n");
    let documents: Vec<_> = reading
        .documents
        .iter()
        .map(|d| (d.pointer_prefix.as_str(), d.root.to_json().to_string()))
        .collect();
    let expected = [("/0", r#"{"a":1}"#), ("/1", r#"{"b":2}"#), ("/2", "[3]")];
    assert_eq!(documents, expected.map(|(prefix, json)| (prefix, json.to_owned())));
    assert_eq!(yaml("--- {a: 1}\n").documents[0].pointer_prefix, "");
}

#[test]
fn a_bad_document_keeps_the_others() {
    let reading = yaml("a: 1\n---\nb: .inf\n---\nc: 1\nc: 2\n---\nd: [\n");
    assert_eq!(reading.documents.len(), 3);
    assert!(reading.is_sound(reading.documents[0].root.span));
    assert!(!reading.is_sound(reading.documents[1].root.span));
    assert!(!reading.is_sound(reading.documents[2].root.span));
    let pointers: Vec<_> =
        reading.diagnostics.iter().map(|d| d.location().unwrap().pointer.as_str()).collect();
    assert_eq!(pointers, ["/1/b", "/2/c", "/3/d/0"]);
}

#[test]
fn aliases_are_written_out_within_a_limit() {
    let reading = yaml("a: &a {x: [1, 2]}\nb: *a\nc: [*a, *a]\n");
    assert_eq!(
        root(&reading).to_json(),
        serde_json::json!({"a": {"x": [1, 2]}, "b": {"x": [1, 2]}, "c": [{"x": [1, 2]}, {"x": [1, 2]}]})
    );
    let mut laughs = "a0: &a0 lol\n".to_owned();
    for n in 1..30 {
        let of = format!("*a{}", n - 1);
        laughs += &format!("a{n}: &a{n} [{}]\n", [of.as_str(); 9].join(", "));
    }
    assert!(
        told(&yaml(&laughs))
            .starts_with("limit: anchors and aliases stand for more than 100000 values | "),
    );
    // Few values, but long ones.
    let long = format!("a: &a {}\nb: [{}]\n", "x".repeat(1 << 20), "*a, ".repeat(1000));
    assert!(told(&yaml(&long)).starts_with("limit: anchors and aliases stand for more"));
}

#[test]
fn limits_are_diagnostics() {
    let default = ReadLimits::default();
    assert_eq!(
        told(&yaml_within("a:\n  b: {c: [1]}", ReadLimits { depth: 3, ..default })),
        "limit: more than 3 arrays and objects in one another | [ | at /a/b/c\n"
    );
    assert_eq!(
        told(&yaml_within("[1, 2, 3]", ReadLimits { nodes: 3, ..default })),
        "limit: more than 3 values | 3 | at /2\n"
    );
    assert_eq!(
        told(&yaml_within("[.inf, .inf, .inf]", ReadLimits { diagnostics: 1, ..default })),
        "OAR-DOC-1: `.inf` is no JSON number | .inf | at /0 | help: a number is finite; a string of this text stands in quotes\n\
         limit: more than 1 errors | .inf | at /1\n"
    );
}

/// A mebibyte of openings is one diagnostic, on a small stack; a quadratic reader would not end.
#[test]
fn depth_takes_no_stack() {
    let work = || {
        for opening in ["[", "{a: ", "- ", "? ", "[? "] {
            let text = opening.repeat((1 << 20) / opening.len());
            assert_eq!(yaml(&text).diagnostics.len(), 1, "{opening}");
        }
    };
    std::thread::Builder::new().stack_size(256 << 10).spawn(work).unwrap().join().unwrap();
}

#[test]
fn json_text_is_read_alike_as_yaml() {
    let text =
        r#"{"a": [1, -2.5e3, "x\n\u00e4\/", null, true, {}], "b": {"c": [[]], "d": "a: b # c"}}"#;
    assert_eq!(root(&yaml(text)).to_json(), root(&json(text)).to_json());
}
