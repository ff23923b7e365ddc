//! What rules ask of the host and do not use, and what they say that they should not.

use std::collections::BTreeSet;

use oar_engine::load::{Tier, Vocabulary};

use super::set::Rule;
use super::{Findings, Lint, Set};
use crate::rules::names;

pub(super) const UNUSED_REQUIREMENT: Lint = Lint {
    name: "unused-requirement",
    summary: "a profile or a fact that is required and not used",
    run: unused_requirement,
};

pub(super) const SECRET_IN_COPY: Lint = Lint {
    name: "secret-in-copy",
    summary: "copy that shows a fact which by its name is a secret",
    run: secret_in_copy,
};

fn unused_requirement(set: &Set<'_>, findings: &mut Findings) {
    for rule in &set.rules {
        let used = used(set, rule);
        for (at, (name, node)) in rule.written.required("facts").enumerate() {
            if !used.contains(name) {
                let place = rule.written.place(node, &format!("/requires/facts/{at}"));
                let message = format!("`{}` requires `{name}` and does not use it", rule.name);
                findings.push(findings.at(place, message).help("leave it out of `requires.facts`"));
            }
        }
        for (at, (name, node)) in rule.written.required("profiles").enumerate() {
            let Some(profile) = Vocabulary::get().profile(name) else { continue };
            // Steps of a flow are tool calls.
            let flow = name == "tool" && rule.written.root.get("flow").is_some();
            if !flow && !profile.names.iter().any(|own| used.contains(&own.name)) {
                let place = rule.written.place(node, &format!("/requires/profiles/{at}"));
                let message =
                    format!("`{}` requires profile `{name}` and uses nothing of it", rule.name);
                let help =
                    "leave it out of `requires.profiles`, so that more hosts can run the rule";
                findings.push(findings.at(place, message).help(help));
            }
        }
    }
}

/// What a rule uses, the scopes of the counters that it reads included: it must reach those
/// itself ([OAR-FIRE-11]).
fn used(set: &Set<'_>, rule: &Rule<'_>) -> BTreeSet<String> {
    let mut used: BTreeSet<String> = rule.needs.names().iter().cloned().collect();
    // Without a host, a condition with names of its own is not compiled.
    used.extend(rule.condition.iter().flat_map(|c| c.names()).map(str::to_owned));
    for (_, reference, _) in rule.condition.iter().flat_map(|condition| condition.counters_read()) {
        let other = set.get(&rule.written.qualify(&reference));
        let scope = other.and_then(|other| other.written.text("counter_scope"));
        used.extend(scope.map(str::to_owned));
    }
    used
}

/// Words that a fact has in its name when its value is nobody's to read.
const SECRET: [&str; 12] = [
    "secret",
    "secrets",
    "password",
    "passphrase",
    "passwd",
    "token",
    "credential",
    "credentials",
    "apikey",
    "cookie",
    "authorization",
    "ssn",
];

/// Pairs of words that mean the same together.
const SECRET_PAIRS: [(&str, &str); 3] = [("api", "key"), ("private", "key"), ("access", "key")];

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    // A namespace is a name of the host, not of what it observes.
    let own = name.rsplit('.').next().unwrap_or_default();
    let words: Vec<&str> = own.split('_').collect();
    let pair =
        |pair: &[&str]| matches!(pair, [one, other] if SECRET_PAIRS.contains(&(*one, *other)));
    words.iter().any(|word| SECRET.contains(word)) || words.windows(2).any(pair)
}

fn secret_in_copy(set: &Set<'_>, findings: &mut Findings) {
    for rule in &set.rules {
        for member in rule.written.object("copy").into_iter().flat_map(|copy| copy.iter()) {
            for named in names(member.node.as_str().unwrap_or_default()) {
                // What is only tested is not shown.
                if !named.bound || !is_secret(named.name) || !is_of_host(set, named.name) {
                    continue;
                }
                let pointer = format!("/copy/{}", member.name);
                let mut place = rule.written.place(&member.node, &pointer);
                place.span = member.node.span_within(&rule.written.file, named.range.clone());
                let message = format!(
                    "`copy.{}` shows `{}`, which by its name is a secret",
                    member.name, named.name
                );
                let help = "say that it was found, with `{% if %}`, and not what it is";
                findings.push(findings.at(place, message).help(help));
            }
        }
    }
}

/// The standard's own facts carry none that copy could show.
fn is_of_host(set: &Set<'_>, name: &str) -> bool {
    set.domain.tier(name).is_none_or(|tier| tier == Tier::Host)
}
