//! `oar eval --stream`: a long-lived process that hosts in any language can ask.
//!
//! A line with an occurrence in, a line with its outcome out, one for one and in order, as
//! `schema/stream.schema.json` says. A line that is no occurrence is answered with its fault, and
//! the process goes on.

use std::io::BufRead;

use oar_engine::document::source::{Format, ReadLimits, SourceFile, read};
use oar_engine::{Host, RuleSet};
use serde_json::{Map, Value};

use super::Sessions;
use crate::moment::{At, Moment};
use crate::output::{Output, Trouble};

/// Answers every line of standard input.
///
/// # Errors
/// When standard input cannot be read.
pub(super) fn run(rules: &RuleSet, output: &mut Output) -> Result<(), Trouble> {
    let host = Host::new();
    let mut sessions = Sessions::default();
    let mut stdin = std::io::stdin().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = stdin.read_until(b'\n', &mut line);
        match read.map_err(|error| Trouble::unreadable("-", &error))? {
            0 => return Ok(()),
            _ if line.iter().all(u8::is_ascii_whitespace) => continue,
            _ => {}
        }
        let answer = answer(&line, rules, &host, &mut sessions);
        output.line(&Value::Object(answer).to_string());
        output.flush();
        if output.is_closed() {
            return Ok(());
        }
    }
}

fn answer(
    line: &[u8],
    rules: &RuleSet,
    host: &Host,
    sessions: &mut Sessions,
) -> Map<String, Value> {
    let mut id = None;
    let result = decide(line, rules, host, sessions, &mut id);
    let mut answer = Map::new();
    answer.extend(id.map(|id| ("id".to_owned(), id)));
    match result {
        Ok(report) => answer.insert("report".to_owned(), report),
        Err(faults) => answer.insert("error".to_owned(), faults.into()),
    };
    answer
}

fn decide(
    line: &[u8],
    rules: &RuleSet,
    host: &Host,
    sessions: &mut Sessions,
    id: &mut Option<Value>,
) -> Result<Value, String> {
    let file = SourceFile::from_bytes("line", line, Some(Format::Json));
    let file = file.map_err(|fault| fault.message().to_owned())?;
    let reading = read(&file, &ReadLimits::default());
    let faults = |faults: &[oar_engine::diagnostic::Diagnostic]| {
        let line = |fault: &oar_engine::diagnostic::Diagnostic| {
            let help = fault.advice().map(|help| format!(", {help}")).unwrap_or_default();
            format!("{}{help}", fault.message())
        };
        faults.iter().map(line).collect::<Vec<_>>().join("; ")
    };
    let Some(document) = reading.documents.first() else {
        return Err(faults(&reading.diagnostics));
    };
    *id = document.root.get("id").map(|id| id.to_json());
    if !reading.diagnostics.is_empty() {
        return Err(faults(&reading.diagnostics));
    }
    let at = At { file: &reading.file, node: &document.root, pointer: String::new() };
    let moment = Moment::read(&at, &["id"], rules).map_err(|found| faults(&found))?;
    let occurrence = moment.occurrence(rules).map_err(|error| error.to_string())?;
    let host = moment.host(host);
    let outcome = host.decide(sessions.of(&moment), &occurrence);
    Ok(outcome.report().to_json())
}
