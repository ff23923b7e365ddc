//! Whole fixtures.

use oar_conformance::adapter::message;
use oar_conformance::fixture::{Fixture, ReadAs, read, to_line};
use oar_conformance::in_process::InProcess;
use oar_conformance::runner::{Answer, Engine};
use oar_engine::document::source::{self, Format, ReadLimits, SourceFile};

use crate::lab;

/// A fixture is read or refused with places; the engine answers it, twice the same, and the same
/// to the line that an external engine would be sent.
pub fn fixture(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Some(fixture) = parse(text) else { return };
    let answer = InProcess.run(&fixture.question);
    assert!(!matches!(answer, Answer::Crashed { .. }), "{answer:?}");
    let line = message::line(fixture.id(), &answer);
    assert_eq!(line, message::line(fixture.id(), &InProcess.run(&fixture.question)));
    let sent = parse(&to_line(&fixture.question)).expect("the line is a fixture");
    assert_eq!(line, message::line(sent.id(), &InProcess.run(&sent.question)));
}

fn parse(text: &str) -> Option<Box<Fixture>> {
    let file = SourceFile::new("fixture.json", text, Format::Json);
    let root = match source::read(&file, &ReadLimits::default()).into_result() {
        Ok(mut documents) => documents.pop()?.root,
        Err(problems) => {
            lab::check(&problems);
            return None;
        }
    };
    match read(&file, root, "", ReadAs::Question) {
        Ok(fixture) => Some(Box::new(fixture)),
        Err(invalid) => {
            lab::check(&invalid.problems);
            None
        }
    }
}
