//! OpenCode: our own plugin stands between, so that both shapes are ours.
//!
//! It hands over the two arguments of the plugin function as `input` and `output`, the name of
//! the function as `hook` and the directory as `directory`. The answer is `deny` (the plugin
//! throws), `args`, `output` or `parts` (it assigns them), `add` (it appends to the output) and
//! `warn` (it shows a toast).

use oar_engine::document::source::{Node, Object};

use crate::answer::joined;
use crate::json::{self, Members, Out};
use crate::{Adapter, Agent, Answer, Event, Fault, Stage, Verdict};

use super::{content, directory, transformed, transformed_text, user};

/// The adapter of OpenCode.
#[derive(Clone, Copy, Debug)]
pub struct OpenCode;

/// The function of an event that does not tell it: its members do.
fn function(output: &Object) -> &'static str {
    if output.contains("args") {
        "tool.execute.before"
    } else if output.contains("output") {
        "tool.execute.after"
    } else if output.contains("parts") {
        "chat.message"
    } else {
        ""
    }
}

impl Adapter for OpenCode {
    fn agent(&self) -> Agent {
        Agent::OpenCode
    }

    fn capability(&self) -> &'static str {
        concat!(include_str!("opencode.yaml"), include_str!("facts.yaml"))
    }

    fn first_event(&self) -> &'static str {
        "tool.execute.before"
    }

    fn stage(&self, event: &str) -> Stage {
        match event {
            "tool.execute.before" => Stage::BeforeTool,
            "tool.execute.after" => Stage::AfterTool,
            "chat.message" => Stage::Prompt,
            _ => Stage::Other,
        }
    }

    fn delivers_transform(&self, core_anchor: &str) -> bool {
        matches!(core_anchor, "tool.pre_invoke" | "tool.post_invoke" | "model.tool_result")
    }

    fn read(&self, bytes: &[u8]) -> Result<Event, Fault> {
        let object = json::event(bytes)?;
        let (input, output) = (object.object("input")?, object.object("output")?);
        let name = match object.text_or_empty("hook")? {
            "" => function(output),
            name => name,
        };
        let stage = self.stage(name);
        let mut event = Event::new(Agent::OpenCode, name, stage);
        input.text("sessionID")?.clone_into(&mut event.session);
        event.cwd = directory(object.text_or_empty("directory")?);
        event.principal = user();
        match stage {
            Stage::BeforeTool | Stage::AfterTool => {
                let tool = input.text("tool")?;
                let arguments = match stage {
                    Stage::BeforeTool => output.object("args")?,
                    _ => input.object("args")?,
                };
                event.call = Some(super::call(Agent::OpenCode, tool, arguments, None));
                let (object, name) = match stage {
                    Stage::BeforeTool => (output, "args"),
                    _ => (output, "output"),
                };
                event.content = content(object, name);
            }
            Stage::Prompt => {
                // Files come as addresses; only texts are read.
                let parts = output.get("parts").and_then(Node::as_array).unwrap_or_default();
                let texts = parts.iter().filter_map(|part| {
                    let part = part.as_object()?;
                    part.get("text").filter(|_| part.text("type") == Ok("text")).cloned()
                });
                let texts = oar_engine::document::source::Value::Array(texts.collect());
                event.content =
                    Some(crate::Content::of(Node::new(oar_expr::Span::new(0, 0), texts)));
            }
            _ => {}
        }
        Ok(event)
    }

    fn answer(&self, event: &Event, verdict: &Verdict) -> Answer {
        let mut warnings = verdict.warnings.clone();
        let changed = verdict.content.as_deref();
        let out = match (&verdict.block, event.stage) {
            (Some(reason), Stage::AfterTool) if event.content.is_some() => {
                Out::object().with("output", reason.as_str())
            }
            (Some(reason), _) => Out::object().with("deny", reason.as_str()),
            (None, Stage::BeforeTool) => {
                warnings.extend(verdict.nudges.iter().cloned());
                Out::object().maybe("args", transformed(event, verdict))
            }
            (None, Stage::AfterTool) => Out::object()
                .maybe("output", changed.map(transformed_text))
                .maybe("add", verdict.nudge()),
            (None, _) => Out::object().maybe("add", verdict.nudge()),
        };
        let out = out.maybe("warn", joined(&warnings));
        Answer { stdout: out.text(), ..Answer::default() }
    }
}
