//! Occurrences of coding agents, where no agent is: what `oar hooks` would observe of them.

use oar_agent_hooks::{Agent, Call, Event, Protected, Stage, TokenShapes};
use oar_engine::Host;
use oar_engine::document::source::Object;

/// `host`, which observes a tool call as `oar hooks` does: with Claude Code's names of tools
/// unless the fact `hook.agent` says otherwise, in a directory that is not there unless
/// `hook.cwd` says where.
pub(crate) fn observing<'f>(
    host: &Host,
    fact: impl Fn(&str) -> Option<&'f str>,
    call: Option<(&str, Object)>,
) -> Host {
    let agent = fact("hook.agent").and_then(|name| name.parse().ok()).unwrap_or(Agent::Claude);
    let mut event = Event::new(agent, agent.adapter().first_event(), Stage::BeforeTool);
    event.cwd = Some(fact("hook.cwd").unwrap_or("/home/dev/shop").into());
    event.call = call.map(|(name, arguments)| Call::new(agent, name, arguments));
    host.clone()
        .provider(oar_agent_hooks::observing(event, Protected::default()))
        .detector(TokenShapes::REFERENCE, TokenShapes)
}
