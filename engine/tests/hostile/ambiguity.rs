//! One document means one thing to every reader, or it is refused by name: what readers of JSON
//! and YAML disagree about.

use oar_engine::document::rule::Enforcement;
use oar_engine::{Host, Loader, RuleSet, Session, Source, ToolCall};

use super::attacks::{YAML, capability, rule};

/// Loads one file of rules as it comes from a disk.
fn load(name: &str, bytes: &[u8]) -> Result<RuleSet, String> {
    let loader = Loader::new(capability().source()).rules(Source::bytes(name, bytes));
    loader.load().map(|loaded| loaded.rules).map_err(|error| error.to_string())
}

fn yaml(members: &str) -> Result<RuleSet, String> {
    load("r.yaml", format!("{YAML}{members}\n").as_bytes())
}

fn json(members: &str) -> Result<RuleSet, String> {
    load("r.json", rule("R", members).as_bytes())
}

/// Every case that does not come to what it should.
fn differing(cases: impl IntoIterator<Item = (String, Result<RuleSet, String>, String)>) -> String {
    let differs = |(what, found, wanted): (String, Result<RuleSet, String>, String)| {
        let found = found.map_or_else(|text| text, |rules| format!("{} rules", rules.len()));
        (found != wanted).then(|| format!("{what:?}: {found}, not {wanted}"))
    };
    cases.into_iter().filter_map(differs).collect::<Vec<_>>().join("\n")
}

fn fires(rules: &RuleSet, tool: &str, steps: &[&str]) -> bool {
    let arguments = serde_json::Map::new();
    let mut occurrence = rules.occurrence("tool.pre_invoke").expect("it is declared");
    occurrence.tool_call(ToolCall::new(tool, &arguments)).recent_activity(steps.iter().copied());
    Host::new().decide(&mut Session::new("s"), &occurrence).decision().name() == "warn"
}

const LOADS: &str = "1 rules";

#[test]
fn bytes_are_utf_8_or_refused_by_name() {
    let text = rule("R", "");
    let utf_16 =
        |bytes: fn(u16) -> [u8; 2]| -> Vec<u8> { text.encode_utf16().flat_map(bytes).collect() };
    let utf_32 = |bytes: fn(u32) -> [u8; 4]| -> Vec<u8> {
        text.chars().flat_map(|c| bytes(c.into())).collect()
    };
    let marked = |mark: &[u8], bytes: Vec<u8>| [mark, &bytes].concat();
    let plain = || text.clone().into_bytes();
    let with = |bytes: &[u8]| {
        let text = rule("R", r#", "x-a": "@""#);
        let (before, behind) = text.split_once('@').expect("it is there");
        [before.as_bytes(), bytes, behind.as_bytes()].concat()
    };
    let at = rule("R", r#", "x-a": "@""#).find('@').expect("it is there");
    let not = |encoding: &str| format!("OAR-DOC-1: the file is {encoding}, not UTF-8");
    let byte = |byte: &str| format!("OAR-DOC-1: byte {byte} at offset {at} is not valid UTF-8");
    let cases = [
        ("plain", plain(), LOADS.to_owned()),
        ("mark of UTF-8", marked(b"\xEF\xBB\xBF", plain()), LOADS.to_owned()),
        (
            "two marks",
            marked(b"\xEF\xBB\xBF\xEF\xBB\xBF", plain()),
            "OAR-DOC-1: found `\u{FEFF}` where a value must stand".to_owned(),
        ),
        ("UTF-16, little", utf_16(u16::to_le_bytes), not("UTF-16 (little endian)")),
        ("UTF-16, big", utf_16(u16::to_be_bytes), not("UTF-16 (big endian)")),
        (
            "UTF-16, little, marked",
            marked(b"\xFF\xFE", utf_16(u16::to_le_bytes)),
            not("UTF-16 (little endian)"),
        ),
        (
            "UTF-16, big, marked",
            marked(b"\xFE\xFF", utf_16(u16::to_be_bytes)),
            not("UTF-16 (big endian)"),
        ),
        ("UTF-32, little", utf_32(u32::to_le_bytes), not("UTF-32 (little endian)")),
        (
            "UTF-32, big, marked",
            marked(b"\0\0\xFE\xFF", utf_32(u32::to_be_bytes)),
            not("UTF-32 (big endian)"),
        ),
        ("Latin-1", with(b"\xE4"), byte("0xE4")),
        ("half a character", with(b"\xC3"), byte("0xC3")),
        ("an overlong slash", with(b"\xC0\xAF"), byte("0xC0")),
        ("a surrogate", with(b"\xED\xA0\x80"), byte("0xED")),
        ("beyond Unicode", with(b"\xF4\x90\x80\x80"), byte("0xF4")),
        ("a NUL", with(b"\0"), format!("OAR-DOC-1: a NUL character at offset {at}")),
    ];
    let json = cases
        .into_iter()
        .map(|(what, bytes, wanted)| (what.to_owned(), load("r.json", &bytes), wanted));
    assert_eq!(differing(json), "");
    let yaml = |mark: &[u8], text: &str| load("r.yaml", &[mark, text.as_bytes()].concat());
    assert_eq!(
        differing([
            ("mark".to_owned(), yaml(b"\xEF\xBB\xBF", YAML), LOADS.to_owned()),
            (
                "invalid".to_owned(),
                yaml(b"\xFF", YAML),
                "OAR-DOC-1: byte 0xFF at offset 0 is not valid UTF-8".to_owned()
            ),
            (
                "wide".to_owned(),
                load("r.yaml", &YAML.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()),
                not("UTF-16 (little endian)")
            ),
        ]),
        ""
    );
}

#[test]
fn json_is_json_and_nothing_beside_it() {
    let twice = |name: &str| format!("OAR-DOC-1: member `{name}` is given twice");
    let cases = [
        (r#", "effect": "block""#, twice("effect")),
        (r#", "eff\u0065ct": "block""#, twice("effect")),
        (r#", "copy": {"what": "a", "wh\u0061t": "b"}"#, twice("what")),
        (r#", "x-a": {"b": 1, "b": 1}"#, twice("b")),
        (r#", "x-a": {"": 1, "": 1}"#, twice("")),
        // Not the same: nothing is normalised.
        (", \"x-a\": {\"\u{e9}\": 1, \"e\u{301}\": 2}", LOADS.to_owned()),
        (r#","#, "OAR-DOC-1: trailing comma before `}`".to_owned()),
        (r#", "x-a": [1,]"#, "OAR-DOC-1: trailing comma before `]`".to_owned()),
        ("/* a */", "OAR-DOC-1: `/*` starts a comment, which JSON does not have".to_owned()),
        ("// a\n", "OAR-DOC-1: `//` starts a comment, which JSON does not have".to_owned()),
        ("# a\n", "OAR-DOC-1: `#` starts a comment, which JSON does not have".to_owned()),
        (r#", "x-a": NaN"#, "OAR-DOC-1: `NaN` is no JSON number".to_owned()),
        (r#", "x-a": -Infinity"#, "OAR-DOC-1: `-Infinity` is no JSON number".to_owned()),
        (r#", "x-a": 0x1F"#, "OAR-DOC-1: `0x1F` is no JSON number".to_owned()),
        (r#", "x-a": 1_000"#, "OAR-DOC-1: `1_000` is no JSON number".to_owned()),
        (r#", "x-a": 01"#, "OAR-DOC-1: the number `01` has a leading zero".to_owned()),
        (r#", "x-a": +1"#, "OAR-DOC-1: a number starts with `+`".to_owned()),
        (r#", "x-a": .5"#, "OAR-DOC-1: a number starts with `.`".to_owned()),
        (
            r#", "x-a": "\ud800""#,
            "OAR-DOC-1: `\\ud800` is a lone surrogate, which is no character".to_owned(),
        ),
        (
            r#", "x-a": "\udc00\ud800""#,
            "OAR-DOC-1: `\\udc00` is a lone surrogate, which is no character".to_owned(),
        ),
        (r#", "x-a": "\ud83d\ude00""#, LOADS.to_owned()),
        (r#", "x-a": "\x41""#, "OAR-DOC-1: `\\x` is no escape of JSON".to_owned()),
        (r#", "x-a": 'a'"#, "OAR-DOC-1: a string in single quotes".to_owned()),
        (", \"x-a\": \"a\tb\"", "OAR-DOC-1: a raw tab in a string".to_owned()),
        (
            ", \"x-a\": \"a\nb\"",
            "OAR-DOC-1: a string goes on behind the end of its line".to_owned(),
        ),
        (r#", "x-a": True"#, "OAR-DOC-1: found `True` where a value must stand".to_owned()),
        (
            r#", "__proto__": {"effect": "allow"}"#,
            "OAR-DOC-27: `__proto__` is not a field of a rule".to_owned(),
        ),
        (r#", "Effect": "allow""#, "OAR-DOC-27: `Effect` is not a field of a rule".to_owned()),
        (
            ", \"\u{435}ffect\": \"allow\"",
            "OAR-DOC-27: `\u{435}ffect` is not a field of a rule".to_owned(),
        ),
        (r#", "mandatory": 1"#, "OAR-DOC-17: `mandatory` is a number, not a boolean".to_owned()),
        (
            r#", "mandatory": "true""#,
            "OAR-DOC-17: `mandatory` is a string, not a boolean".to_owned(),
        ),
        (r#", "when": null"#, "OAR-DOC-14: `when` is null, not a string".to_owned()),
        // An integer beyond 64 bits is one that JSON has; `x-` members are nobody's to read.
        (r#", "x-a": [123456789012345678901234567890, 1e999]"#, LOADS.to_owned()),
    ];
    let cases = cases.map(|(more, wanted)| (more.to_owned(), json(more), wanted));
    assert_eq!(differing(cases), "");
    let whole = [
        ("", "OAR-DOC-1: the text is empty, where a value must stand"),
        (" \n", "OAR-DOC-1: the text is empty, where a value must stand"),
        ("{} {}", "OAR-DOC-1: found `{` where the end of the text must stand"),
        ("{}\n{}", "OAR-DOC-1: found `{` where the end of the text must stand"),
        ("{}]", "OAR-DOC-1: found `]` where the end of the text must stand"),
        ("{\u{a0}}", "OAR-DOC-1: found `\u{a0}` where a member name in `\"` must stand"),
        ("null", "OAR-DOC-31: a rule is an object, and this is null"),
        ("[[]]", "OAR-DOC-31: a rule is an object, and this is an array"),
    ];
    let whole = whole.map(|(text, wanted)| {
        (text.to_owned(), load("r.json", text.as_bytes()), wanted.to_owned())
    });
    assert_eq!(differing(whole), "");
}

/// What YAML 1.1 read as something else is a string, so that a `flow` of it matches that text.
#[test]
fn what_yaml_1_1_made_of_a_word_it_is_a_string() {
    let words = [
        "off",
        "Off",
        "no",
        "No",
        "yes",
        "on",
        "y",
        "n",
        "1_000",
        "0b1",
        "1:20",
        "190:20:30",
        "2001-01-01",
        "2001-12-14t21:59:43.10-05:00",
        "=",
        "0o8",
        "0x",
        "1e",
        "+-1",
        "tRUE",
        "nUll",
        "infinity",
        "nan",
        "0777_",
        "1,000",
    ];
    for word in words {
        let rules =
            yaml(&format!("flow:\n- {word}")).unwrap_or_else(|told| panic!("{word}: {told}"));
        assert!(fires(&rules, "t", &[word]), "{word}");
        assert!(!fires(&rules, "t", &["false"]) && !fires(&rules, "t", &["true"]), "{word}");
    }
    let rules = yaml("enforcement: off").expect("it is one of its values");
    assert_eq!(rules.rules().next().map(|rule| rule.enforcement()), Some(Enforcement::Off));
}

#[test]
fn what_is_no_string_in_yaml_1_2_is_refused_where_a_string_must_stand() {
    let kind = |what: &str| format!("OAR-DOC-15: `flow` is {what}, not a string");
    let mut cases = Vec::new();
    for number in ["0o17", "0x1F", "12", "-3", "+1", "012", "1.0", "1e0", "1E+2", ".5", "5."] {
        cases.push((number, kind("a number")));
    }
    for bool in ["true", "True", "TRUE", "false", "False", "FALSE"] {
        cases.push((bool, kind("a boolean")));
    }
    for null in ["~", "null", "Null", "NULL", ""] {
        cases.push((null, kind("null")));
    }
    for number in [".inf", "-.inf", "+.INF", ".nan", ".NaN"] {
        cases.push((number, format!("OAR-DOC-1: `{number}` is no JSON number")));
    }
    for tag in ["!!str a", "!!binary YQ==", "!!int 1", "!own a", "!<tag:a> b", "! a"] {
        let tag_alone = tag.split(' ').next().unwrap_or_default();
        cases.push((tag, format!("OAR-DOC-1: the tag `{tag_alone}` has no counterpart in JSON")));
    }
    let cases = cases
        .into_iter()
        .map(|(text, wanted)| (text.to_owned(), yaml(&format!("flow:\n- {text}")), wanted));
    assert_eq!(differing(cases), "");
}

#[test]
fn yaml_maps_to_json_without_loss_or_not_at_all() {
    let twice = "OAR-DOC-1: member `effect` is given twice";
    let cases = [
        ("effect: block", twice),
        ("\"effect\": block", twice),
        ("'effect': block", twice),
        ("\"eff\\u0065ct\": block", twice),
        ("\"\\x65ffect\": block", twice),
        ("? effect\n: block", twice),
        ("x-a: &k effect\n*k : block", twice),
        (
            "x-a: &a {effect: block}\n<<: *a",
            "OAR-DOC-1: the merge key `<<` is not part of YAML 1.2",
        ),
        // In quotes it is a name like any other, and no field.
        ("\"<<\": {}", "OAR-DOC-27: `<<` is not a field of a rule"),
        ("1: a", "OAR-DOC-1: the key `1` is a number, where a string must stand"),
        ("true: a", "OAR-DOC-1: the key `true` is a boolean, where a string must stand"),
        ("~: a", "OAR-DOC-1: the key `~` is null, where a string must stand"),
        ("? [a]\n: b", "OAR-DOC-1: a key is an array, where a string must stand"),
        ("x-a: *b", "OAR-DOC-1: no anchor has this name"),
        ("x-a: &a [*a]", "OAR-DOC-1: `*a` stands within what it stands for"),
        ("x-a: &a 1\nx-b: &a 2\nx-c: *a", LOADS),
        ("x-a: \"\\ud83d\\ude00\"", "OAR-DOC-1: an escape of the string stands for no character"),
        ("x-a: \"\\q\"", "OAR-DOC-1: the string holds an escape that YAML does not have"),
        ("x-a: \"a\u{7}\"", "OAR-DOC-1: a raw control character U+0007"),
        ("\tx-a: b", "OAR-DOC-1: a tab cannot indent"),
        ("when:\ttrue", "OAR-DOC-1: a tab stands behind the `:` of a member"),
        ("---", "OAR-DOC-1: document 2 of the stream is empty"),
        (
            "---\n# nothing\n---",
            "OAR-DOC-1: document 2 of the stream is empty\nOAR-DOC-1: document 3 of the stream is empty",
        ),
        ("---\na", "OAR-DOC-31: a rule is an object, and this is a string"),
        ("... b", "OAR-DOC-1: something follows the end of the document"),
        ("mandatory: yes", "OAR-DOC-17: `mandatory` is a string, not a boolean"),
        ("mandatory: off", "OAR-DOC-17: `mandatory` is a string, not a boolean"),
        ("mandatory: 1", "OAR-DOC-17: `mandatory` is a number, not a boolean"),
        ("mandatory: TRUE", LOADS),
        ("enforcement: no", "OAR-DOC-16: `no` is not a value of `enforcement`"),
        ("enforcement: OFF", "OAR-DOC-16: `OFF` is not a value of `enforcement`"),
        ("enforcement: false", "OAR-DOC-16: `false` is not a value of `enforcement`"),
    ];
    let cases = cases.map(|(more, wanted)| (more.to_owned(), yaml(more), wanted.to_owned()));
    assert_eq!(differing(cases), "");
    let whole = [
        ("", "OAR-DOC-1: the text holds no document"),
        ("# nothing\n", "OAR-DOC-1: the text holds no document"),
        ("---\n", "OAR-DOC-1: the document is empty"),
        ("%YAML 1.1\n---\na: b\n", "OAR-DOC-1: YAML 1.1 is not read, only YAML 1.2"),
        ("%TAG ! tag:a,2000:\n---\na: b\n", "OAR-DOC-1: the directive `%TAG` is not read"),
    ];
    let whole = whole.map(|(text, wanted)| {
        (text.to_owned(), load("r.yaml", text.as_bytes()), wanted.to_owned())
    });
    assert_eq!(differing(whole), "");
}

/// `16.0` and `1.6e1` are no integers, and no integer is cut to 64 bits ([OAR-FACT-23]).
#[test]
fn integers_are_written_as_integers_and_fit_64_bits() {
    let with = |member: &str, number: &str| {
        let mut text = capability().to_json().to_string();
        let old = if member == "activity_window" { "1000" } else { "4000000" };
        text = text.replace(&format!("\"{member}\":{old}"), &format!("\"{member}\":{number}"));
        assert!(text.contains(number), "{text}");
        let loaded = Loader::new(Source::json("c.json", text)).load();
        loaded.map(|loaded| loaded.rules).map_err(|error| error.to_string())
    };
    let cases = [
        ("activity_window", "1000.0", "OAR-PROF-3: `activity_window` is not written as an integer"),
        ("activity_window", "1e3", "OAR-PROF-3: `activity_window` is not written as an integer"),
        (
            "activity_window",
            "18446744073709551616",
            "OAR-PROF-3: `activity_window` does not fit 64 bits",
        ),
        ("activity_window", "-1", "OAR-PROF-3: `activity_window` is `-1`, below 0"),
        ("activity_window", "2.5", "OAR-PROF-3: `activity_window` is a number, not an integer"),
        (
            "expression_nodes_max",
            "256e0",
            "OAR-EXPR-17: `expression_nodes_max` is not written as an integer",
        ),
        (
            "expression_nodes_max",
            "99999999999999999999",
            "OAR-EXPR-17: `expression_nodes_max` does not fit 64 bits",
        ),
        ("expression_nodes_max", "255", "OAR-EXPR-17: `expression_nodes_max` is `255`, below 256"),
        ("expression_nodes_max", "18446744073709551615", "0 rules"),
    ];
    let cases = cases.map(|(member, number, wanted)| {
        (number.to_owned(), with(member, number), wanted.to_owned())
    });
    assert_eq!(differing(cases), "");
}

/// Texts that look alike are different: nothing is normalised, folded or trimmed.
#[test]
fn names_that_look_alike_are_different() {
    // Composed, decomposed, Cyrillic, wide, with a blank of no width, with another case.
    let alike = [
        "caf\u{e9}",
        "cafe\u{301}",
        "c\u{430}f\u{e9}",
        "\u{ff43}af\u{e9}",
        "caf\u{e9}\u{200b}",
        "Caf\u{e9}",
    ];
    for own in alike {
        let members = format!(
            r#", "requires": {{"profiles": ["tool"]}}, "selector": {{"tool": ["{own}"]}}, "when": "tool == '{own}' && tool in ['{own}'] && starts_with(tool, '{own}')""#
        );
        let selecting = json(&members).unwrap_or_else(|told| panic!("{own}: {told}"));
        let condition =
            format!(r#", "requires": {{"profiles": ["tool"]}}, "when": "tool == '{own}'""#);
        let comparing = json(&condition).unwrap_or_else(|told| panic!("{own}: {told}"));
        let flow =
            json(&format!(r#", "flow": ["{own}"]"#)).unwrap_or_else(|told| panic!("{own}: {told}"));
        for other in alike {
            assert_eq!(fires(&selecting, other, &[]), own == other, "{own} {other}");
            assert_eq!(fires(&comparing, other, &[]), own == other, "{own} {other}");
            assert_eq!(fires(&flow, "t", &[other]), own == other, "{own} {other}");
        }
    }
    let refused = [
        (
            r#", "namespace": "acm\u0435""#,
            "OAR-DOC-7: `acm\u{435}` is not spelled as `namespace` must be",
        ),
        (
            r#", "overrides": ["\u0420"]"#,
            "OAR-DOC-20: `\u{420}` is not spelled as `overrides` must be",
        ),
        (
            ", \"when\": \"t\u{43e}ol == 'a'\"",
            "OAR-EXPR-1: found `\u{43e}`, expected an operator or the end of the condition",
        ),
    ];
    for (members, wanted) in refused {
        let told = json(members).map(|_| ()).expect_err("it is refused");
        assert_eq!(told.split(':').next(), wanted.split(':').next(), "{told}");
    }
}
