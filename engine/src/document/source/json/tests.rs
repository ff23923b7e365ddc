//! What the JSON reader takes, and what it says of the rest.

use crate::document::source::tests::{json, root, told};

/// Text and what is told of it, as `Diagnostic | underlined | at pointer | related | help`.
const REFUSED: &[(&str, &str)] = &[
    // Nothing there.
    ("", "the text is empty, where a value must stand | "),
    (" \n\t", "the text is empty, where a value must stand | "),
    // Repeated members, each with the place of the first.
    (
        r#"{"a": 1, "b": 2, "a": 3}"#,
        r#"member `a` is given twice | "a" | at /a | first given here: "a" at 1:2"#,
    ),
    (
        r#"[0, {"x": {"a": 1, "\u0061": 3}}]"#,
        r#"member `a` is given twice | "\u0061" | at /1/x/a | first given here: "a" at 1:12"#,
    ),
    // Comments and trailing commas.
    (
        "[1, // one\n2]",
        "`//` starts a comment, which JSON does not have | // one | at /1 | help: YAML has comments that start with `#`",
    ),
    (
        "[1 /* a */, 2]",
        "`/*` starts a comment, which JSON does not have | /* a */ | at /1 | help: YAML has comments that start with `#`",
    ),
    (
        "{} # end",
        "`#` starts a comment, which JSON does not have | # end | help: YAML has comments that start with `#`",
    ),
    (
        "{# x\n}",
        "`#` starts a comment, which JSON does not have | # x | help: YAML has comments that start with `#`",
    ),
    ("[1,]", "trailing comma before `]` | , | at /1"),
    ("{\"a\": [1 , \n] }", "trailing comma before `]` | , | at /a/1"),
    ("{\"a\": 1,}", "trailing comma before `}` | ,"),
    ("[,1]", "found `,` where a value must stand | , | at /0"),
    // Values.
    (
        "[NaN]",
        "`NaN` is no JSON number | NaN | at /0 | help: a number is finite; a rule that needs a bound compares with a finite one",
    ),
    (
        "Infinity",
        "`Infinity` is no JSON number | Infinity | help: a number is finite; a rule that needs a bound compares with a finite one",
    ),
    ("[-Infinity]", "`-Infinity` is no JSON number | -Infinity | at /0"),
    ("[-NaN]", "`-NaN` is no JSON number | -NaN | at /0"),
    ("[True]", "found `True` where a value must stand | True | at /0 | help: did you mean `true`?"),
    ("[None]", "found `None` where a value must stand | None | at /0 | help: did you mean `null`?"),
    (
        "{\"a\": block}",
        "found `block` where a value must stand | block | at /a | help: a string stands in `\"`",
    ),
    (
        "[nullx]",
        "found `nullx` where a value must stand | nullx | at /0 | help: a string stands in `\"`",
    ),
    ("['x']", "a string in single quotes | ' | at /0 | help: JSON strings stand in `\"`"),
    ("[\u{1}]", "found `U+0001` where a value must stand | \u{1} | at /0"),
    ("[\u{a0}1]", "found `\u{a0}` where a value must stand | \u{a0} | at /0"),
    ("[", "the text ends where a value must stand |  | at /0 | opened here: [ at 1:1"),
    ("{\"a\":", "the text ends where a value must stand |  | at /a | opened here: { at 1:1"),
    // Numbers.
    ("[01]", "the number `01` has a leading zero | 01 | at /0"),
    ("[-012.5]", "the number `-012.5` has a leading zero | -012.5 | at /0"),
    ("[1.]", "the number `1.` has no digit behind its `.` | 1. | at /0"),
    ("[1.e3]", "the number `1.e3` has no digit behind its `.` | 1.e3 | at /0"),
    ("[1e]", "the number `1e` has no digit in its exponent | 1e | at /0"),
    ("[1e+]", "the number `1e+` has no digit in its exponent | 1e+ | at /0"),
    ("[-]", "the number `-` has no digit behind its `-` | - | at /0"),
    (
        "[+1]",
        "a number starts with `+` | + | at /0 | help: a number starts with a digit, or with `-` and a digit",
    ),
    (
        "[.5]",
        "a number starts with `.` | . | at /0 | help: a number starts with a digit, or with `-` and a digit",
    ),
    ("[0x1F]", "`0x1F` is no JSON number | 0x1F | at /0"),
    ("[1_000]", "`1_000` is no JSON number | 1_000 | at /0"),
    ("[1.2.3]", "`1.2.3` is no JSON number | 1.2.3 | at /0"),
    // Strings.
    (
        r#"["a\x"]"#,
        r"`\x` is no escape of JSON | \x | at /0 | help: a backslash itself is written `\\`",
    ),
    (
        r#"["C:\Ü"]"#,
        r"`\Ü` is no escape of JSON | \Ü | at /0 | help: a backslash itself is written `\\`",
    ),
    (r#"["\u12G4"]"#, r"`\u12` is not followed by four hexadecimal digits | \u12 | at /0"),
    (r#"["\ud83d"]"#, r"`\ud83d` is a lone surrogate, which is no character | \ud83d | at /0"),
    (
        r#"["\ud83d\ud83d\ude00"]"#,
        r"`\ud83d` is a lone surrogate, which is no character | \ud83d | at /0",
    ),
    (r#"["\ud83dx"]"#, r"`\ud83d` is a lone surrogate, which is no character | \ud83d | at /0"),
    (
        r#"["\ude00\ud83d"]"#,
        r"`\ude00` is a lone surrogate, which is no character | \ude00 | at /0",
    ),
    (
        "[\"a\nb\"]",
        "a string goes on behind the end of its line | \"a | at /0 | help: a line break is written `\\n`",
    ),
    ("[\"a\tb\"]", "a raw tab in a string | \t | at /0 | help: a tab is written `\\t`"),
    (
        "[\"a\u{1b}b\"]",
        "a raw control character U+001B in a string | \u{1b} | at /0 | help: it is written `\\u001b`",
    ),
    ("[\"ab", "a string is not closed | \"ab | at /0"),
    (
        "[\"ab\\",
        "`\\` is no escape of JSON | \\ | at /0 | help: a backslash itself is written `\\\\`",
    ),
    // Structure.
    ("[1 2]", "found `2` where `,` or `]` must stand | 2 | at /1 | opened here: [ at 1:1"),
    ("{\"a\": 1 \"b\": 2}", "found `\"` where `,` or `}` must stand | \" | opened here: { at 1:1"),
    ("[1}", "found `}` where `,` or `]` must stand | } | at /1 | opened here: [ at 1:1"),
    ("[1", "the text ends where `,` or `]` must stand |  | at /1 | opened here: [ at 1:1"),
    ("{\"a\" 1}", "found `1` where `:` must stand | 1 | behind this name: \"a\" at 1:2"),
    ("{a: 1}", "found `a` where a member name in `\"` must stand | a | help: write `\"a\"`"),
    (
        "{'a': 1}",
        "found `'` where a member name in `\"` must stand | ' | help: JSON strings stand in `\"`, not in `'`",
    ),
    ("{", "the text ends where a member name in `\"` must stand |  | opened here: { at 1:1"),
    ("{} x", "found `x` where the end of the text must stand | x"),
    ("{}{}", "found `{` where the end of the text must stand | {"),
    ("1,", "found `,` where the end of the text must stand | ,"),
];

#[test]
fn what_is_refused_is_named_and_underlined() {
    for (text, expected) in REFUSED {
        assert_eq!(told(&json(text)), format!("OAR-DOC-1: {expected}\n"), "{text}");
    }
}

#[test]
fn every_repeat_is_told_and_the_first_is_kept() {
    let many: Vec<String> = (0..40).map(|n| format!("\"m{}\": {n}", n % 20)).collect();
    let reading = json(&format!("{{{}}}", many.join(",")));
    assert_eq!(reading.diagnostics.len(), 20);
    let object = reading.documents[0].root.as_object().unwrap();
    assert_eq!(object.len(), 20);
    assert_eq!(object.get("m19").unwrap().to_json(), 19);
    let places: Vec<_> =
        reading.diagnostics.iter().map(|d| d.location().unwrap().span.start).collect();
    assert!(places.is_sorted());
    assert!(!reading.is_sound(reading.documents[0].root.span));
}

#[test]
fn a_slip_in_one_member_leaves_its_siblings_sound() {
    let reading = json(r#"[{"a": 1}, {"a": 1, "a": 2}]"#);
    let items = reading.documents[0].root.as_array().unwrap();
    assert!(reading.is_sound(items[0].span));
    assert!(!reading.is_sound(items[1].span));
}

#[test]
fn escapes_stand_for_their_characters() {
    let reading = json(r#"["\"\\\/\b\f\n\r\t", "\u00e4\uD83D\uDE00x", "ä\u0041", "\u0000"]"#);
    let texts: Vec<_> =
        root(&reading).as_array().unwrap().iter().map(|n| n.as_str().unwrap()).collect();
    assert_eq!(texts, ["\"\\/\u{8}\u{c}\n\r\t", "ä😀x", "äA", "\0"]);
}

#[test]
fn the_text_of_a_number_is_kept() {
    let reading = json("[0.10, 1E+05, -0, 123456789012345678901234567890]");
    let texts: Vec<_> = root(&reading)
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n.as_number().unwrap().as_str())
        .collect();
    assert_eq!(texts, ["0.10", "1E+05", "-0", "123456789012345678901234567890"]);
}

/// What serde_json takes we take, with the same value, and what it refuses we refuse; but for
/// repeated members.
#[test]
fn it_agrees_with_serde_json() {
    let seeds = [
        r#"{"a":[1,-2.5e3,"x\n\u00e4",null,true,{}],"b":{"c":[[]]}}"#,
        r#"[0, "\ud83d\ude00", {"k": false}, 1E5]"#,
    ];
    for seed in seeds {
        for (at, _) in seed.char_indices() {
            let (before, after) = seed.split_at(at);
            for insert in ["", ",", "]", "}", "\"", "\\", "0", "-", ".", "e", " ", "[", "u", "\n"] {
                for skip in [0, 1] {
                    let Some(rest) = after.get(skip..) else { continue };
                    let text = format!("{before}{insert}{rest}");
                    let theirs = serde_json::from_str::<serde_json::Value>(&text).ok();
                    let reading = json(&text);
                    let repeated = told(&reading).contains("given twice");
                    let ours = reading.into_result().ok().map(|docs| docs[0].root.to_json());
                    assert!(repeated || ours == theirs, "{text}: {ours:?} {theirs:?}");
                }
            }
        }
    }
}
