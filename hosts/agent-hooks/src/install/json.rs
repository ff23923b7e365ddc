//! Settings in JSON with comments: Claude Code, Gemini CLI, Cursor.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};

use super::{Installed, Invocation, events, is_ours, unquoted};
use crate::{Agent, Fault};

fn parse(text: &str) -> Result<CstRootNode, Fault> {
    let options = ParseOptions {
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        ..ParseOptions::default()
    };
    let text = if text.trim().is_empty() { "{\n}\n" } else { text };
    CstRootNode::parse(text, &options)
        .map_err(|error| Fault::new(format!("it is no JSON: {error}")))
}

fn text(value: &str) -> CstInputValue {
    CstInputValue::String(value.to_owned())
}

fn number(value: u64) -> CstInputValue {
    CstInputValue::Number(value.to_string())
}

fn object(members: Vec<(&str, CstInputValue)>) -> CstInputValue {
    CstInputValue::Object(members.into_iter().map(|(name, v)| (name.to_owned(), v)).collect())
}

/// The entry for one event.
fn entry(agent: Agent, event: &str, invocation: &Invocation) -> CstInputValue {
    match agent {
        Agent::Cursor => object(vec![
            ("command", text(&invocation.line(agent, event))),
            ("timeout", number(invocation.seconds)),
            ("failClosed", CstInputValue::Bool(true)),
        ]),
        Agent::Gemini => grouped(
            Some("*"),
            vec![
                ("type", text("command")),
                ("name", text(&format!("oar-{event}"))),
                ("command", text(&invocation.line(agent, event))),
                ("timeout", number(invocation.seconds * 1000)),
            ],
        ),
        _ => {
            let words = invocation.words(agent, event);
            let mut members = vec![
                ("type", text("command")),
                ("command", text(&invocation.program.display().to_string())),
                ("args", CstInputValue::Array(words.iter().map(|word| text(word)).collect())),
                ("timeout", number(invocation.seconds)),
            ];
            // At the end of a turn the agent does not look at it.
            if !matches!(event, "Stop" | "SubagentStop") {
                members.push(("onFailure", text("block")));
            }
            let of_tools = matches!(event, "PreToolUse" | "PostToolUse" | "PermissionRequest");
            grouped(of_tools.then_some("*"), members)
        }
    }
}

fn grouped(matcher: Option<&str>, hook: Vec<(&str, CstInputValue)>) -> CstInputValue {
    let mut members = Vec::new();
    members.extend(matcher.map(|matcher| ("matcher", text(matcher))));
    members.push(("hooks", CstInputValue::Array(vec![object(hook)])));
    object(members)
}

pub(super) fn install(
    agent: Agent,
    before: &str,
    invocation: &Invocation,
) -> Result<String, Fault> {
    let cleaned = uninstall(agent, before)?;
    let root = parse(&cleaned)?;
    let whole =
        root.object_value_or_create().ok_or_else(|| Fault::new("it holds no JSON object"))?;
    if agent == Agent::Cursor && whole.properties().is_empty() {
        whole.append("version", number(1));
    }
    let hooks = whole
        .object_value_or_create("hooks")
        .ok_or_else(|| Fault::new("its `hooks` is no object"))?;
    for event in events(agent) {
        let list = hooks
            .array_value_or_create(event)
            .ok_or_else(|| Fault::new(format!("its `hooks.{event}` is no list")))?;
        list.ensure_multiline();
        list.append(entry(agent, event, invocation));
    }
    Ok(root.to_string())
}

pub(super) fn uninstall(agent: Agent, before: &str) -> Result<String, Fault> {
    let root = parse(before)?;
    let Some(hooks) = root.object_value().and_then(|whole| whole.object_value("hooks")) else {
        return Ok(before.to_owned());
    };
    let mut changed = false;
    for property in hooks.properties() {
        let Some(list) = property.array_value() else { continue };
        for item in list.elements() {
            changed |= remove(agent, item);
        }
        if changed && list.elements().is_empty() {
            property.remove();
        }
    }
    if !changed {
        return Ok(before.to_owned());
    }
    if hooks.properties().is_empty()
        && let Some(property) = root.object_value().and_then(|whole| whole.get("hooks"))
    {
        property.remove();
        let left = root.object_value().map(|whole| whole.properties()).unwrap_or_default();
        // The version alone is what a file of ours began with.
        if let [only] = left.as_slice()
            && agent == Agent::Cursor
            && only.decoded_name().as_deref() == Some("version")
        {
            return Ok("{}\n".to_owned());
        }
    }
    Ok(root.to_string())
}

/// Takes our hook out of an item; the item too, when there is no other in it.
fn remove(agent: Agent, item: CstNode) -> bool {
    let Some(object) = item.as_object() else { return false };
    if words(&object).is_some_and(|words| is_ours(agent, &words)) {
        item.remove();
        return true;
    }
    let Some(hooks) = object.array_value("hooks") else { return false };
    let mut changed = false;
    for hook in hooks.elements() {
        let ours = hook.as_object().and_then(|hook| words(&hook));
        if ours.is_some_and(|words| is_ours(agent, &words)) {
            hook.remove();
            changed = true;
        }
    }
    if changed && hooks.elements().is_empty() {
        item.remove();
    }
    changed
}

/// The words that a hook runs.
fn words(hook: &CstObject) -> Option<Vec<String>> {
    let command = string(&hook.get("command")?.value()?)?;
    match hook.array_value("args") {
        Some(args) => {
            let mut words = vec![command];
            words.extend(strings(&args));
            Some(words)
        }
        None => Some(unquoted(&command)),
    }
}

fn string(node: &CstNode) -> Option<String> {
    node.as_string_lit()?.decoded_value().ok()
}

fn strings(array: &CstArray) -> Vec<String> {
    array.elements().iter().filter_map(string).collect()
}

pub(super) fn installed(agent: Agent, text: &str) -> Result<Vec<Installed>, Fault> {
    let root = parse(text)?;
    let hooks = root.object_value().and_then(|whole| whole.object_value("hooks"));
    let mut found = Vec::new();
    for property in hooks.iter().flat_map(CstObject::properties) {
        let event = property.decoded_name().unwrap_or_default();
        let items = property.array_value().map(|list| list.elements()).unwrap_or_default();
        for object in items.iter().filter_map(CstNode::as_object) {
            let nested = object.array_value("hooks").map(|hooks| hooks.elements());
            let hooks: Vec<CstObject> = match nested {
                Some(hooks) => hooks.iter().filter_map(CstNode::as_object).collect(),
                None => vec![object],
            };
            for words in hooks.iter().filter_map(words) {
                if is_ours(agent, &words) {
                    found.push(Installed { event: event.clone(), words });
                }
            }
        }
    }
    Ok(found)
}
