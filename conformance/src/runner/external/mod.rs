//! Drives an engine that is a program of its own, by the adapter protocol.
//!
//! The program is started once and asked fixture after fixture, a line each way. When it ends,
//! says nothing in time or says something that is no answer, that one fixture has failed by it:
//! the program is ended together with what it started, and a new one gets the next fixture.

mod process;

use std::time::Duration;

use super::{About, Answer, Engine, Engines};
use crate::adapter::message;
use crate::fixture::{Question, to_line};
use process::{Process, Silence};

/// How to start and treat an external engine.
#[derive(Clone, Debug)]
pub struct External {
    command: String,
    limit: Duration,
}

/// The time that an engine has for one fixture, unless told otherwise.
pub const TIME_LIMIT: Duration = Duration::from_secs(10);

impl External {
    /// The engine that the shell starts by `command`, with `limit` to answer each fixture.
    #[must_use]
    pub fn new(command: impl Into<String>, limit: Duration) -> Self {
        Self { command: command.into(), limit }
    }
}

impl Engines for External {
    fn start(&self) -> Box<dyn Engine> {
        Box::new(Driver {
            external: self.clone(),
            process: None,
            greets: true,
            about: None,
            log: String::new(),
        })
    }

    fn name(&self) -> String {
        self.command.clone()
    }
}

struct Driver {
    external: External,
    process: Option<Process>,
    /// Whether a new process is sent the handshake: until one turned out not to know it.
    greets: bool,
    about: Option<About>,
    log: String,
}

impl Engine for Driver {
    fn run(&mut self, question: &Question) -> Answer {
        self.log.clear();
        let mut process = match self.ready() {
            Ok(process) => process,
            Err(detail) => return Answer::Crashed { detail },
        };
        process.send(to_line(question));
        let answer = match process.line(self.external.limit) {
            Ok(line) => match message::read(&line, &question.id, question.occurrences.len()) {
                Ok(answer) => {
                    self.log = process.take_log();
                    self.process = Some(process);
                    return answer;
                }
                Err(detail) => Answer::ProtocolError { detail },
            },
            Err(Silence::Late) => Answer::TimedOut { limit: self.external.limit },
            Err(Silence::Garbled(detail)) => Answer::ProtocolError { detail },
            Err(Silence::Ended) => Answer::Crashed { detail: process.end() },
        };
        process.kill();
        self.log = process.take_log();
        answer
    }

    fn log(&mut self) -> String {
        self.log.clone()
    }

    fn about(&self) -> Option<About> {
        self.about.clone()
    }
}

impl Driver {
    /// The process that is waiting for a fixture: the running one, or a new one that was greeted.
    fn ready(&mut self) -> Result<Process, String> {
        if let Some(process) = self.process.take() {
            return Ok(process);
        }
        let mut process = Process::start(&self.external.command)?;
        if self.greets {
            process.send(message::hello());
            match process.line(self.external.limit) {
                // Whoever answers in any way goes on with the fixtures: an error line is how an
                // adapter says that it knows no handshake.
                Ok(line) if line.trim_start().starts_with('{') => {
                    self.about = message::read_welcome(&line);
                    self.greets = self.about.is_some();
                }
                // The first line of an adapter that knows only fixtures may as well end it.
                _ => {
                    self.greets = false;
                    process.kill();
                    process = Process::start(&self.external.command)?;
                }
            }
        }
        Ok(process)
    }
}
