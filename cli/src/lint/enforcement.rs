//! Members that work against each other: `mandatory`, `enforcement` and `on_error`.

use oar_engine::document::rule::{Effect, Enforcement};

use super::{Findings, Lint, Set};

pub(super) const OPEN_MANDATORY_BLOCK: Lint = Lint {
    name: "open-mandatory-block",
    summary: "a mandatory block that lets everything through when it cannot be evaluated",
    run: open_mandatory_block,
};

pub(super) const IDLE_MANDATORY: Lint = Lint {
    name: "idle-mandatory",
    summary: "a mandatory rule that its author only monitors, or turned off",
    run: idle_mandatory,
};

pub(super) const OFF_SUBSTITUTE: Lint = Lint {
    name: "off-substitute",
    summary: "an `on_error` that names a rule which is off",
    run: off_substitute,
};

fn open_mandatory_block(set: &Set<'_>, findings: &mut Findings) {
    for rule in &set.rules {
        let written = rule.written;
        let open = written.text("on_error") == Some("fail_open");
        if open && written.mandatory() && written.effect() == Effect::Block {
            let message =
                format!("`{}` is mandatory, and a failure is enough to get past it", rule.name);
            let finding = findings.at(written.place_of("on_error"), message);
            let finding = finding.help("leave `on_error` out: a block that fails then blocks");
            findings.push(finding.relate(written.place_of("mandatory"), "mandatory here"));
        }
    }
}

fn idle_mandatory(set: &Set<'_>, findings: &mut Findings) {
    for rule in &set.rules {
        let written = rule.written;
        // What a configuration sets is not the author's doing, and may only tighten.
        if written.mandatory() && rule.in_force != Enforcement::Enforce {
            let what = match rule.in_force {
                Enforcement::Off => "is off",
                _ => "only monitors",
            };
            let message = format!("`{}` is mandatory and {what}", rule.name);
            let finding = findings.at(written.place_of("enforcement"), message);
            let finding = finding.help("enforce it, or leave `mandatory` out until it is");
            findings.push(finding.relate(written.place_of("mandatory"), "mandatory here"));
        }
    }
}

fn off_substitute(set: &Set<'_>, findings: &mut Findings) {
    for rule in &set.rules {
        let Some(reference) = rule.written.text("on_error") else { continue };
        let Some(other) = set.get(&rule.written.qualify(reference)) else { continue };
        if other.in_force != Enforcement::Off || matches!(reference, "fail_closed" | "fail_open") {
            continue;
        }
        let message = format!("`{}` stands in for `{}` and is off", other.name, rule.name);
        let finding = findings.at(rule.written.place_of("on_error"), message);
        let help = "the block would carry the name of a rule that nobody runs: name one that is \
                    in force";
        let related = other.written.place_of("enforcement");
        findings.push(finding.help(help).relate(related, "the rule that stands in"));
    }
}
