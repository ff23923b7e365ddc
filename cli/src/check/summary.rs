//! What a check says at its end: what is sound, for which host, and what could not be checked.

use std::collections::BTreeSet;

use oar_engine::diagnostic::Severity;
use oar_engine::load::{Capability, Checked, Needs, Tier, Vocabulary};

use super::Found;
use crate::input;
use crate::output::{ASIDE, BAD, DOUBT, GOOD, HEAD, Output, counted, listed, styled};

pub(super) fn write(found: &Found, output: &mut Output) {
    let checked = &found.checked;
    if !found.alone.is_empty() {
        for alone in &found.alone {
            alone.capability().into_iter().for_each(|own| host(own, output));
        }
        return verdict(found, output);
    }
    if checked.rules().is_empty() && found.pack.configs.is_empty() {
        checked.capability().into_iter().for_each(|own| host(own, output));
    }
    verdict(found, output);
    if checked.capability().is_none() && !checked.rules().is_empty() {
        let why = match found.pack.capabilities.first() {
            Some(input) => format!("`{}` is not valid", input::shown(&input.path)),
            None => "no capability document was given".to_owned(),
        };
        unchecked(checked, &why, output);
    }
    if !found.pack.others.is_empty() {
        let names = listed(found.pack.others.iter().map(|path| input::shown(path)));
        output.line(&styled(ASIDE, &format!("not looked at, being none of ours: {names}")));
    }
}

fn verdict(found: &Found, output: &mut Output) {
    let checked = &found.checked;
    let errors = found.errors();
    let warnings = found.diagnostics().filter(|d| d.severity() == Severity::Warning).count();
    let mut parts = Vec::new();
    let place = match &found.pack.directory {
        Some(directory) => format!("{}: ", input::shown(directory)),
        None => String::new(),
    };
    let sound = checked.rules().iter().filter(|rule| rule.is_sound()).count();
    match (checked.rules().len(), sound) {
        (0, _) => {}
        (1, 1) => parts.push("1 rule is sound".to_owned()),
        (all, sound) if all == sound => parts.push(format!("{all} rules are sound")),
        (all, sound) => {
            let verb = if sound == 1 { "is" } else { "are" };
            let faulty = all - sound;
            let faulty = format!("{faulty} {} not", if faulty == 1 { "is" } else { "are" });
            parts.push(format!("{} {verb} sound, {faulty}", counted(sound, "rule")));
        }
    }
    if checked.rules().is_empty() && errors == 0 {
        let capabilities = found.pack.capabilities.len();
        if capabilities > 0 {
            let verb = if capabilities == 1 { "is" } else { "are" };
            parts.push(format!("{} {verb} valid", counted(capabilities, "capability document")));
        }
        if !found.pack.configs.is_empty() {
            parts.push(format!("{} checked", counted(found.pack.configs.len(), "configuration")));
        }
    }
    if errors > 0 {
        parts.push(styled(BAD, &counted(errors, "error")));
    }
    if warnings > 0 {
        parts.push(styled(DOUBT, &counted(warnings, "warning")));
    }
    let mark = if errors == 0 { styled(GOOD, "ok") } else { styled(BAD, "bad") };
    let host = match checked.capability() {
        Some(capability) if !checked.rules().is_empty() => {
            format!("for host `{}`, ", capability.host())
        }
        _ => String::new(),
    };
    output.line(&format!("{mark}: {place}{host}{}", parts.join("; ")));
}

/// What the host has to decide, where no valid capability document says so.
fn unchecked(checked: &Checked, why: &str, output: &mut Output) {
    let needs: Vec<&Needs> = checked.rules().iter().filter_map(|rule| rule.needs()).collect();
    if needs.is_empty() {
        return output.line(&format!("not checked for any host, because {why}"));
    }
    output.line(&format!("not checked, because {why}:"));
    let names = |of: &dyn Fn(&Needs) -> Vec<String>| -> BTreeSet<String> {
        needs.iter().flat_map(|needs| of(needs)).collect()
    };
    let anchors = names(&|needs| vec![needs.anchor().to_owned()]);
    let profiles = names(&|needs| needs.profiles().to_vec());
    let hosts = names(&|needs| needs.host_names().to_vec());
    let detectors = names(&|needs| needs.detector().map(str::to_owned).into_iter().collect());
    let mut item = |text: String| output.line(&format!("  - {text}"));
    if !anchors.is_empty() {
        item(format!("that the host has {} {}", noun(&anchors, "anchor"), listed(&anchors)));
    }
    if !profiles.is_empty() {
        item(format!("that it provides {} {}", noun(&profiles, "profile"), listed(&profiles)));
    }
    if !hosts.is_empty() {
        item(format!("that it declares {}, and of which type", listed(&hosts)));
    }
    if !detectors.is_empty() {
        let noun = noun(&detectors, "detector");
        item(format!("that it registers {noun} {}", listed(&detectors)));
    }
    if let Some(window) = needs.iter().map(|needs| needs.window()).max().filter(|w| *w > 0) {
        item(format!("that its `activity_window` is at least {window}"));
    }
    if let Some(nodes) = needs.iter().map(|needs| needs.nodes()).max().filter(|n| *n > 256) {
        item(format!("that its `expression_nodes_max` is at least {nodes}"));
    }
    if needs.iter().any(|needs| needs.transforms()) {
        item("that it declares `supports_transform`".to_owned());
    }
}

fn noun(names: &BTreeSet<String>, noun: &str) -> String {
    if names.len() == 1 { noun.to_owned() } else { format!("{noun}s") }
}

/// What a host provides.
fn host(capability: &Capability, output: &mut Output) {
    output.line(&styled(HEAD, &format!("host `{}`", capability.host())));
    let mut row = |name: &str, text: String| {
        for (index, line) in wrapped(&text, 60).into_iter().enumerate() {
            let name = if index == 0 { name } else { "" };
            output.line(&format!("  {name:<16}{line}"));
        }
    };
    let anchors: Vec<String> = capability
        .core_anchors()
        .map(|(core, local)| match core == local {
            true => core.to_owned(),
            false => format!("{core} (as {local})"),
        })
        .collect();
    let all = Vocabulary::get().anchors.iter().map(|anchor| anchor.name.as_str());
    let supported: Vec<&str> = capability.core_anchors().map(|(core, _)| core).collect();
    let without: Vec<&str> = all.filter(|name| !supported.contains(name)).collect();
    let or_none = |list: Vec<String>| match list.is_empty() {
        true => "none".to_owned(),
        false => list.join(", "),
    };
    let owned = |list: Vec<&str>| list.into_iter().map(str::to_owned).collect::<Vec<_>>();
    row("core anchors", or_none(anchors));
    if !without.is_empty() {
        row("  without", or_none(owned(without)));
    }
    row("host anchors", or_none(owned(capability.host_anchors().collect())));
    row("profiles", or_none(owned(capability.profiles().collect())));
    let entries = capability.environment().entries();
    let facts = entries.iter().filter(|entry| entry.tier() == Tier::Host);
    let facts =
        facts.map(|entry| format!("{}: {}", entry.name(), declaration(entry.declaration())));
    row("host facts", or_none(facts.collect()));
    row("detectors", or_none(owned(capability.detectors().collect())));
    row("activity window", capability.activity_window().to_string());
    row("condition", format!("at most {} nodes", capability.expression_nodes_max()));
    let transforms = if capability.supports_transform() { "supported" } else { "not supported" };
    row("transforms", transforms.to_owned());
    let (mut own, mut standard) = (0, 0);
    for entry in entries {
        *(if entry.tier() == Tier::Host { &mut own } else { &mut standard }) += 1;
    }
    row("names", format!("{standard} of the standard, {own} of the host's own"));
}

fn declaration(declaration: oar_engine::load::Declaration) -> String {
    match declaration {
        oar_engine::load::Declaration::Fact(ty) => ty.to_string(),
        oar_engine::load::Declaration::Function { parameter, result } => {
            format!("({parameter}) -> {result}")
        }
    }
}

/// Lines of at most `width` characters, broken behind commas.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for part in text.split_inclusive(", ") {
        let Some(line) = lines.last_mut() else { continue };
        if !line.is_empty() && line.chars().count() + part.trim_end().chars().count() > width {
            lines.push(part.to_owned());
        } else {
            line.push_str(part);
        }
    }
    lines.into_iter().map(|line| line.trim_end().to_owned()).collect()
}
