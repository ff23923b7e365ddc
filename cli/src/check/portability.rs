//! `oar check --portability`: which rules mean the same everywhere, what a pack needs of a host,
//! and which hosts can serve it ([OAR-PROF-6], [OAR-PROF-8]).
//!
//! A rule that is not portable is legal: it is told, and is no error.

use std::collections::BTreeSet;

use oar_engine::diagnostic::{Diagnostic, Severity};
use oar_engine::load::{Checked, CheckedRule, Checker, Needs};

use crate::input::{self, Input, Pack};
use crate::output::{BAD, DOUBT, GOOD, HEAD, Output, Verdict, counted, listed, styled};

/// Reports on the rules of `packs`, taken together, and on the hosts among `capabilities`.
pub(super) fn run(packs: &[Pack], capabilities: &[Input], output: &mut Output) -> Verdict {
    let rules: Vec<&Input> = packs.iter().flat_map(|pack| &pack.rules).collect();
    let with = |checker: Checker| {
        rules.iter().fold(checker, |checker, input| checker.rules(input.source.clone()))
    };
    let checked = with(Checker::new()).check();
    let errors = |d: &&Diagnostic| d.severity() == Severity::Error;
    checked.diagnostics().iter().filter(errors).for_each(|d| output.diagnostic(d));
    let mut portable = 0;
    for rule in checked.rules() {
        let Some(needs) = rule.needs() else { continue };
        portable += usize::from(needs.is_portable());
        write(rule, needs, output);
    }
    let all: Vec<&Needs> = checked.rules().iter().filter_map(CheckedRule::needs).collect();
    output.line(&format!("\n{portable} of {} portable", counted(all.len(), "rule")));
    for line in together(&all) {
        output.line(&line);
    }
    if !capabilities.is_empty() {
        output.text("\n");
    }
    for input in capabilities {
        let found = with(Checker::new().capability(input.source.clone())).check();
        host(input, &found, output);
    }
    Verdict::unless(checked.errors() > 0)
}

fn write(rule: &CheckedRule, needs: &Needs, output: &mut Output) {
    let name = styled(HEAD, rule.name().unwrap_or("?"));
    if needs.is_portable() {
        let mut with = Vec::new();
        if !needs.profiles().is_empty() {
            with.push(format!("profiles {}", listed(needs.profiles())));
        }
        if needs.window() > 0 {
            with.push(format!("a window of at least {}", needs.window()));
        }
        let with = if with.is_empty() { "any".to_owned() } else { with.join(" and ") };
        output.line(&format!("{name}: {}", styled(GOOD, "portable")));
        output.line(&format!("  to hosts with {with}").replace("with any", "of any kind"));
        return;
    }
    output.line(&format!("{name}: {}", styled(DOUBT, "not portable")));
    if !needs.is_core_anchor() {
        output.line(&format!("  its anchor `{}` is of a host's own", needs.anchor()));
    }
    for own in needs.host_names() {
        output.line(&format!("  it uses `{own}`, which is of a host's own"));
    }
    for (fact, profile) in needs.outside_profiles() {
        output.line(&format!(
            "  it uses `{fact}` without profile `{profile}` in `requires.profiles`"
        ));
    }
}

/// What the rules need together.
fn together(all: &[&Needs]) -> Vec<String> {
    let names = |of: &dyn Fn(&Needs) -> Vec<String>| -> BTreeSet<String> {
        all.iter().flat_map(|needs| of(needs)).collect()
    };
    let mut lines = Vec::new();
    let mut row = |name: &str, names: BTreeSet<String>| {
        if !names.is_empty() {
            let names = names.into_iter().collect::<Vec<_>>().join(", ");
            for (index, line) in super::summary::wrapped(&names, 66).into_iter().enumerate() {
                lines.push(format!("  {:<11}{line}", if index == 0 { name } else { "" }));
            }
        }
    };
    row("anchors", names(&|needs| vec![needs.anchor().to_owned()]));
    row("profiles", names(&|needs| [needs.profiles(), needs.uses_profiles()].concat()));
    row("host facts", names(&|needs| needs.host_names().to_vec()));
    row("detectors", names(&|needs| needs.detector().map(str::to_owned).into_iter().collect()));
    let window = all.iter().map(|needs| needs.window()).max().unwrap_or_default();
    let nodes = all.iter().map(|needs| needs.nodes()).max().unwrap_or_default();
    lines.push(format!("  {:<11}{window}", "window"));
    lines.push(format!("  {:<11}{nodes} in the largest condition", "nodes"));
    if all.iter().any(|needs| needs.transforms()) {
        lines.push(format!("  {:<11}needed", "transforms"));
    }
    lines
}

fn host(input: &Input, found: &Checked, output: &mut Output) {
    let host = found.capability().map(|own| format!(" (`{}`)", own.host())).unwrap_or_default();
    let path = input::shown(&input.path);
    let errors = found.errors();
    if errors == 0 {
        return output.line(&format!("{path}{host}: {}", styled(GOOD, "can serve all of it")));
    }
    if found.capability().is_none() {
        return output.line(&format!("{path}: {}", styled(BAD, "is not valid")));
    }
    let sound = found.rules().iter().filter(|rule| rule.is_sound()).count();
    let all = found.rules().len();
    let title = styled(BAD, &format!("can serve {sound} of {}", counted(all, "rule")));
    output.line(&format!("{path}{host}: {title}"));
    // Rules that fail for one reason are told together.
    let mut reasons: Vec<(String, Vec<&str>)> = Vec::new();
    for rule in found.rules().iter().filter(|rule| !rule.is_sound()) {
        let name = rule.name().unwrap_or("?");
        let why = found.diagnostics().iter().find(|d| rule.is_faulted_by(d));
        let why = why.map(|d| d.message().replace(&format!("rule `{name}` "), "it "));
        let why = why.unwrap_or_default();
        match reasons.iter_mut().find(|(known, _)| *known == why) {
            Some((_, names)) => names.push(name),
            None => reasons.push((why, vec![name])),
        }
    }
    for (why, names) in reasons {
        output.line(&format!("  {why}:"));
        names.iter().for_each(|name| output.line(&format!("    {name}")));
    }
}
