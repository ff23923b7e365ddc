//! Every kind of error, with a condition that triggers it: `errors.txt` shows the condition, the
//! part underlined, the clause, the message, related places and help. A dot marks an empty span.
//!
//! `OAR_BLESS=1 cargo test -p oar-expr` writes the file anew from the conditions in it.

use std::collections::BTreeSet;

use super::refuse;
use crate::{Error, Span, parse};

const TABLE: &str = include_str!("errors.txt");

/// Stands for characters that a line of the table cannot hold.
const STAND_INS: [(char, char); 4] = [('␊', '\n'), ('␍', '\r'), ('␀', '\0'), ('␣', '\u{a0}')];

fn source(line: &str) -> String {
    let plain = |c| STAND_INS.iter().find(|(shown, _)| *shown == c).map_or(c, |(_, plain)| *plain);
    line.chars().map(plain).collect()
}

/// Carets under the span, behind two columns for the mark of the line.
fn underline(source: &str, span: Span) -> String {
    let before = source[..span.start as usize].chars().count();
    let width = source[span.range()].chars().count();
    let marks = if width == 0 { ".".to_owned() } else { "^".repeat(width) };
    format!("  {}{marks}", " ".repeat(before))
}

fn render(source: &str, error: &Error) -> String {
    let mut text = format!("{} {}: {error}\n", underline(source, error.span()), error.clause());
    for related in error.related() {
        text += &format!("{} {}\n", underline(source, related.span), related.message);
    }
    if let Some(help) = error.help() {
        text += &format!("  help: {help}\n");
    }
    text
}

#[test]
fn table() {
    let mut rendered = String::new();
    for line in TABLE.lines().filter_map(|line| line.strip_prefix('>')) {
        let source = source(line.strip_prefix(' ').unwrap_or(line));
        rendered += &format!(">{line}\n");
        for error in refuse(&source) {
            rendered += &render(&source, &error);
        }
    }
    if std::env::var_os("OAR_BLESS").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/tests/errors.txt"), &rendered)
            .unwrap();
        return;
    }
    for (line, (found, expected)) in rendered.lines().zip(TABLE.lines()).enumerate() {
        assert_eq!(found, expected, "line {} of errors.txt", line + 1);
    }
    assert_eq!(rendered, TABLE);
}

#[test]
fn every_kind_is_in_the_table() {
    let mut kinds = BTreeSet::new();
    for line in TABLE.lines().filter_map(|line| line.strip_prefix("> ")) {
        for error in refuse(&source(line)) {
            let kind = format!("{:?}", error.kind());
            let name = kind.split([' ', '{']).next().unwrap_or_default();
            kinds.insert(name.to_owned());
        }
    }
    // Read from the enum itself, so that a new kind without a row fails here.
    let declared: BTreeSet<String> = include_str!("../error.rs")
        .split_once("pub enum ErrorKind {")
        .and_then(|(_, rest)| rest.split_once("\n}\n"))
        .map(|(body, _)| body.lines())
        .unwrap()
        .filter_map(|line| line.strip_prefix("    "))
        .filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase()))
        .map(|line| line.trim_end_matches([',', ' ', '{']).to_owned())
        .collect();
    // These need a text that is too large for a table.
    let elsewhere = ["TooLong", "TooManyNodes", "DoubleRange"].map(str::to_owned);
    let missing: Vec<&String> = declared
        .iter()
        .filter(|kind| !kinds.contains(*kind) && !elsewhere.contains(kind))
        .collect();
    assert_eq!(missing, Vec::<&String>::new());
}

#[test]
fn a_double_beyond_binary64_is_named() {
    let literal = format!("{}.5", "9".repeat(400));
    for source in [format!("x > {literal}"), format!("x > -{literal}")] {
        let errors = refuse(&source);
        assert_eq!(errors.len(), 1);
        assert_eq!(errors[0].clause(), "OAR-EXPR-21");
        assert_eq!(errors[0].to_string(), format!("`{literal}` is too large for a double"));
        assert_eq!(source[errors[0].span().range()], literal);
    }
}

#[test]
fn invisible_characters_are_named_by_code_point() {
    for (character, message) in [
        ('\u{200b}', "unexpected character U+200B"),
        ('\u{202e}', "unexpected character U+202E"),
        ('\u{feff}', "unexpected character U+FEFF"),
        ('\u{7f}', "unexpected character U+007F"),
        ('\u{b}', "unexpected character U+000B"),
        ('\u{c}', "unexpected character U+000C"),
        ('\u{85}', "unexpected character U+0085"),
        ('\u{2028}', "unexpected character U+2028"),
        ('\u{3000}', "unexpected character U+3000"),
        ('`', "unexpected character U+0060"),
        ('😀', "unexpected character `😀` (U+1F600)"),
        ('≠', "unexpected character `≠` (U+2260)"),
        ('ß', "unexpected character `ß` (U+00DF)"),
    ] {
        let source = format!("ok {character} ok");
        let error = parse(&source).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert_eq!(source[error.span().range()], character.to_string());
    }
}

#[test]
fn at_most_so_many_type_errors() {
    let source = "g1 && g2 && g3 && g4 && g5";
    for (limit, reported) in [(0, 1), (1, 1), (3, 3), (5, 5), (9, 5)] {
        let limits = crate::Limits { errors: limit, ..super::limits() };
        let errors = crate::compile(source, &super::Declared, &limits).unwrap_err();
        let names: Vec<&str> = errors.iter().map(|error| &source[error.span().range()]).collect();
        assert_eq!(names, ["g1", "g2", "g3", "g4", "g5"][..reported]);
    }
}
