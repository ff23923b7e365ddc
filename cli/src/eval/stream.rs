//! `oar eval --stream`: a long-lived process that hosts in any language can ask.
//!
//! A line with an occurrence in, a line with its outcome out, one for one and in order, as
//! `schema/stream.schema.json` says. A line that is no occurrence is answered with its fault, and
//! the process goes on. A session that has ended is forgotten when the host says so.

use std::io::BufRead;
use std::sync::Arc;

use oar_engine::diagnostic::Diagnostic;
use oar_engine::document::source::{Format, Node, ReadLimits, SourceFile, read};
use oar_engine::state::MemoryCounters;
use oar_engine::{Host, RuleSet};
use serde_json::{Map, Value};

use super::Sessions;
use crate::log::Recorder;
use crate::moment::{At, CODE, Moment};
use crate::output::{Output, Trouble};

/// Answers every line of standard input.
///
/// # Errors
/// When standard input cannot be read, or a record cannot be written: a decision that leaves no
/// record is not given.
pub(super) fn run(
    rules: &RuleSet,
    recorder: Option<&mut Recorder>,
    output: &mut Output,
) -> Result<(), Trouble> {
    let counters = Arc::new(MemoryCounters::new());
    let host = Host::new().counters(Arc::clone(&counters));
    let mut desk = Desk { rules, host, counters, sessions: Sessions::default(), recorder };
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
        let answer = desk.answer(&line)?;
        output.line(&Value::Object(answer).to_string());
        output.flush();
        if output.is_closed() {
            return Ok(());
        }
    }
}

/// Where the questions come in.
struct Desk<'r, 'w> {
    rules: &'r RuleSet,
    host: Host,
    counters: Arc<MemoryCounters>,
    sessions: Sessions,
    recorder: Option<&'w mut Recorder>,
}

impl Desk<'_, '_> {
    fn answer(&mut self, line: &[u8]) -> Result<Map<String, Value>, Trouble> {
        let (mut id, mut trouble) = (None, None);
        let result = self.result(line, &mut id, &mut trouble);
        if let Some(trouble) = trouble {
            return Err(trouble);
        }
        let mut answer = Map::new();
        answer.extend(id.map(|id| ("id".to_owned(), id)));
        let (member, value) = result.unwrap_or_else(|faults| ("error", faults.into()));
        answer.insert(member.to_owned(), value);
        Ok(answer)
    }

    fn result(
        &mut self,
        line: &[u8],
        id: &mut Option<Value>,
        trouble: &mut Option<Trouble>,
    ) -> Result<(&'static str, Value), String> {
        let file = SourceFile::from_bytes("line", line, Some(Format::Json));
        let file = file.map_err(|fault| fault.message().to_owned())?;
        let reading = read(&file, &ReadLimits::default());
        let Some(document) = reading.documents.first() else {
            return Err(told(&reading.diagnostics));
        };
        *id = document.root.get("id").map(Node::to_json);
        if !reading.diagnostics.is_empty() {
            return Err(told(&reading.diagnostics));
        }
        let at = At { file: &reading.file, node: &document.root, pointer: String::new() };
        if let Some(session) = at.member("end_session") {
            return self.end(&at, &session).map_err(|faults| told(&faults));
        }
        let moment = Moment::read(&at, &["id"], self.rules).map_err(|faults| told(&faults))?;
        let occurrence = moment.occurrence(self.rules).map_err(|error| error.to_string())?;
        let host = moment.host(&self.host, self.rules);
        let outcome = host.decide(self.sessions.of(&moment), &occurrence);
        if let Some(recorder) = &mut self.recorder {
            *trouble = recorder.record(&moment, &outcome).err();
        }
        Ok(("report", outcome.report().to_json()))
    }

    /// Forgets a session: its counters and its recent activity.
    fn end(
        &mut self,
        at: &At<'_>,
        session: &At<'_>,
    ) -> Result<(&'static str, Value), Vec<Diagnostic>> {
        let mut faults = Vec::new();
        at.unknown(CODE, "the end of a session", &["id", "end_session"], &mut faults);
        let name = session.string(&mut faults);
        match name.filter(|_| faults.is_empty()) {
            None => Err(faults),
            Some(name) => {
                self.sessions.end(&name);
                self.counters.forget(&name);
                Ok(("ended", name.into()))
            }
        }
    }
}

/// Faults in one line.
fn told(faults: &[Diagnostic]) -> String {
    let line = |fault: &Diagnostic| {
        let help = fault.advice().map(|help| format!(", {help}")).unwrap_or_default();
        format!("{}{help}", fault.message())
    };
    faults.iter().map(line).collect::<Vec<_>>().join("; ")
}
