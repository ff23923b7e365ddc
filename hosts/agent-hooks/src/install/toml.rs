//! Settings in TOML: Codex CLI.

use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

use super::{Installed, Invocation, events, is_ours, unquoted};
use crate::{Agent, Fault};

fn parse(text: &str) -> Result<DocumentMut, Fault> {
    text.parse().map_err(|error| {
        let error: toml_edit::TomlError = error;
        Fault::new(format!("it is no TOML: {}", error.message()))
    })
}

pub(super) fn install(
    agent: Agent,
    before: &str,
    invocation: &Invocation,
) -> Result<String, Fault> {
    let mut document = parse(&uninstall(agent, before)?)?;
    let hooks = document.entry("hooks").or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let hooks = hooks.as_table_mut().ok_or_else(|| Fault::new("its `hooks` is no table"))?;
    for event in events(agent) {
        let list = hooks.entry(event).or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
        let list = list
            .as_array_of_tables_mut()
            .ok_or_else(|| Fault::new(format!("its `hooks.{event}` is no list of tables")))?;
        let mut hook = Table::new();
        hook.insert("type", value("command"));
        hook.insert("command", value(invocation.line(agent, event)));
        hook.insert("timeout", value(i64::try_from(invocation.seconds).unwrap_or(i64::MAX)));
        let mut inner = ArrayOfTables::new();
        inner.push(hook);
        let mut group = Table::new();
        group.insert("hooks", Item::ArrayOfTables(inner));
        list.push(group);
    }
    Ok(document.to_string())
}

pub(super) fn uninstall(agent: Agent, before: &str) -> Result<String, Fault> {
    let mut document = parse(before)?;
    let Some(hooks) = document.get_mut("hooks").and_then(Item::as_table_mut) else {
        return Ok(before.to_owned());
    };
    let mut changed = false;
    let mut empty = Vec::new();
    for (event, item) in hooks.iter_mut() {
        let Some(list) = item.as_array_of_tables_mut() else { continue };
        let mut emptied = false;
        for group in list.iter_mut() {
            let inner = group.get_mut("hooks").and_then(Item::as_array_of_tables_mut);
            let Some(inner) = inner else { continue };
            let before = inner.len();
            inner.retain(|hook| !words(hook).is_some_and(|words| is_ours(agent, &words)));
            emptied |= inner.len() < before;
        }
        if emptied {
            list.retain(|group| {
                let inner = group.get("hooks").and_then(Item::as_array_of_tables);
                inner.is_none_or(|inner| !inner.is_empty())
            });
            changed = true;
            if list.is_empty() {
                empty.push(event.to_string());
            }
        }
    }
    if !changed {
        return Ok(before.to_owned());
    }
    for event in empty {
        hooks.remove(&event);
    }
    if hooks.is_empty() && hooks.is_implicit() {
        document.remove("hooks");
    }
    Ok(document.to_string())
}

fn words(hook: &Table) -> Option<Vec<String>> {
    hook.get("command").and_then(Item::as_str).map(unquoted)
}

pub(super) fn installed(agent: Agent, text: &str) -> Result<Vec<Installed>, Fault> {
    let document = parse(text)?;
    let mut found = Vec::new();
    let hooks = document.get("hooks").and_then(Item::as_table);
    for (event, item) in hooks.iter().flat_map(|hooks| hooks.iter()) {
        let groups = item.as_array_of_tables();
        for group in groups.iter().flat_map(|groups| groups.iter()) {
            let inner = group.get("hooks").and_then(Item::as_array_of_tables);
            for words in inner.iter().flat_map(|inner| inner.iter()).filter_map(words) {
                if is_ours(agent, &words) {
                    found.push(Installed { event: event.to_owned(), words });
                }
            }
        }
    }
    Ok(found)
}
