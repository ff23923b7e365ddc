//! The other side of the protocol: answers fixtures from a stream of lines.
//!
//! This makes any [`Engine`] of this process into an external one, ours above all
//! (`oar-conformance adapter`). What a line expects is not looked at.

pub mod message;

use std::io::{self, BufRead, Write};

use oar_engine::document::source::{Format, Node, SourceFile};

use crate::fixture::{ReadAs, parse, read};
use crate::runner::{About, Engine};

/// Answers each line of `input` with one line on `output`, in order, until `input` ends. Empty
/// lines are passed over.
///
/// # Errors
/// When a line cannot be read or written. That a line is no fixture is an answer.
pub fn serve(
    engine: &mut dyn Engine,
    about: &About,
    input: impl BufRead,
    mut output: impl Write,
) -> io::Result<()> {
    for (index, line) in (1..).zip(input.split(b'\n')) {
        let line = line?;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let answer = respond(engine, about, line, index);
        output.write_all(answer.as_bytes())?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
    Ok(())
}

fn respond(engine: &mut dyn Engine, about: &About, line: Vec<u8>, number: usize) -> String {
    let Ok(text) = String::from_utf8(line) else {
        return message::refusal(None, "the line is not UTF-8");
    };
    let file = SourceFile::new(format!("line {number}"), text, Format::Json);
    let root = match parse(&file) {
        Ok(root) => root,
        Err(problems) => return message::refusal(None, &lines(&problems)),
    };
    if message::is_hello(&root) {
        return message::welcome(about);
    }
    let id = root.get("id").and_then(Node::as_str).map(str::to_owned);
    match read(&file, root, "", ReadAs::Question) {
        Ok(fixture) => message::line(fixture.id(), &engine.run(&fixture.question)),
        Err(invalid) => message::refusal(id.as_deref(), &lines(&invalid.problems)),
    }
}

fn lines(problems: &[impl ToString]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
