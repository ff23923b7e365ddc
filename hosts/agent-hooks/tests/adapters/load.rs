//! Rules that an agent cannot serve are refused when they are loaded.

use oar_agent_hooks::{Agent, capability, load};
use oar_engine::{Loader, Source};
use serde_json::json;

use crate::rule;

#[test]
fn every_capability_document_is_valid() {
    for agent in Agent::ALL {
        let loaded = Loader::new(capability(agent)).load().unwrap();
        let told = loaded.rules.capability();
        assert_eq!(told.host(), "hook", "{agent}");
        // One set of names for all of them.
        assert!(told.environment().slot("hook.shell_runs").is_some(), "{agent}");
        assert!(told.environment().slot("mcp_provider_id").is_none(), "{agent}");
    }
}

/// Every moment of every stage of an agent's events is one that its document declares.
#[test]
fn what_an_agent_tells_is_what_it_declares() {
    for agent in Agent::ALL {
        let rules = Loader::new(capability(agent)).load().unwrap().rules;
        let mut told = std::collections::BTreeSet::new();
        for event in oar_agent_hooks::install::events(agent) {
            for moment in agent.adapter().stage(event).moments() {
                assert!(rules.occurrence(moment.local()).is_ok(), "{agent} {event} {moment:?}");
                told.insert(moment.local());
            }
        }
        let capability = rules.capability();
        let locals = capability.core_anchors().map(|(_, local)| local);
        for declared in locals.chain(capability.host_anchors()) {
            assert!(told.contains(declared), "{agent}: nothing is installed for `{declared}`");
        }
    }
}

#[test]
fn a_transform_that_is_not_delivered_is_refused() {
    for (agent, anchor, refused) in [
        (Agent::Claude, "tool.pre_invoke", false),
        (Agent::Claude, "model.tool_result", false),
        (Agent::Claude, "agent.post_turn", true),
        (Agent::Claude, "user_prompt", true),
        (Agent::Codex, "model.tool_result", false),
        (Agent::Codex, "agent.finalize", true),
        (Agent::Gemini, "agent.post_turn", true),
        (Agent::Copilot, "agent.finalize", false),
        (Agent::Cursor, "tool.pre_invoke", false),
        (Agent::Cursor, "after_tool_seen", true),
        (Agent::Cline, "model.tool_result", true),
        (Agent::Cline, "tool.post_invoke", true),
        (Agent::OpenCode, "model.tool_result", false),
    ] {
        let transform = json!({"transform": {"action": "redact", "target": "content"}});
        let text =
            serde_json::to_string_pretty(&rule("T", anchor, "transform", transform)).unwrap();
        let result = load(agent, vec![Source::json("rule.json", text.clone())], Vec::new());
        let Err(error) = result else {
            assert!(!refused, "{agent} {anchor}");
            continue;
        };
        let [diagnostic] = error.diagnostics() else { panic!("{agent} {anchor}: {error}") };
        assert_eq!(
            diagnostic.to_string(),
            format!(
                "OAR-PROF-10: `T` transforms at `{anchor}`, where {} does not deliver changed content",
                agent.title()
            )
        );
        let place = diagnostic.location().unwrap();
        assert_eq!(text.get(place.span.range()), Some(&*text));
        assert!(refused, "{agent} {anchor}");
    }
}

#[test]
fn an_anchor_that_an_agent_does_not_have_is_refused() {
    for (agent, anchor) in [
        (Agent::Gemini, "agent.finalize"),
        (Agent::Cursor, "model.tool_result"),
        (Agent::Cline, "agent.post_turn"),
        (Agent::Claude, "model.input"),
        (Agent::Codex, "config_change"),
    ] {
        let rules = Source::value("rule", rule("R", anchor, "warn", json!({})));
        let error = load(agent, vec![rules], Vec::new()).unwrap_err().to_string();
        assert!(error.contains(anchor), "{agent} {anchor}: {error}");
    }
}
