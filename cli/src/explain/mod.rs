//! `oar explain`: why each rule did what it did.

mod condition;
mod rule;

use std::path::PathBuf;

use oar_engine::decide::{End, RuleExplanation};
use oar_engine::document::rule::{Effect, Enforcement};
use oar_engine::{Decision, Host, Outcome};

use crate::documents::{Documents, load};
use crate::eval::{Sessions, head, read};
use crate::output::{ASIDE, Output, Trouble, Verdict, counted, listed, styled};

/// Explains decisions: for each selected rule why it fired, passed or failed.
///
/// Under each part of a condition stands its value. What was not evaluated because another part
/// had decided is marked as skipped.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    documents: Documents,
    /// The occurrences: a file, or `-` for standard input.
    #[arg(value_name = "OCCURRENCE")]
    occurrence: PathBuf,
    /// Explain this rule, selected or not; may be given more than once.
    #[arg(long, value_name = "RULE")]
    rule: Vec<String>,
    /// Mask the values of facts and functions.
    #[arg(long)]
    redact: bool,
}

/// Runs the command.
///
/// # Errors
/// When something cannot be read or does not load, or a named rule is not loaded.
pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Verdict, Trouble> {
    let loader = args.documents.loader()?;
    let rules = load(&loader)?.rules;
    let names: Vec<&str> = rules.rules().map(|rule| rule.qualified()).collect();
    for wanted in &args.rule {
        if rules.rules().any(|rule| rule.qualified() == wanted || rule.id() == wanted) {
            continue;
        }
        let similar = oar_expr::closest(wanted, names.iter().copied());
        let help = similar.map(|name| format!(", did you mean `{name}`?")).unwrap_or_default();
        return Err(Trouble::Usage(format!("rule `{wanted}` is not loaded{help}")));
    }
    let texts = loader.texts();
    let moments = read(&args.occurrence, &rules).map_err(|trouble| match trouble {
        // The lines of an occurrence hold what was observed.
        Trouble::Documents(faults) if args.redact => Trouble::Redacted(faults),
        trouble => trouble,
    })?;
    let host = Host::new();
    let mut sessions = Sessions::default();
    for (index, moment) in moments.iter().enumerate() {
        if moments.len() > 1 {
            head(index, moment, output);
        }
        let host = moment.host(&host, &rules);
        let occurrence = moment.occurrence(&rules).map_err(|e| Trouble::Usage(e.to_string()))?;
        host.explain(sessions.of(moment), &occurrence, &texts, |outcome, explained| {
            write(args, outcome, explained, output);
        });
    }
    Ok(Verdict::Fine)
}

fn write(
    args: &Args,
    outcome: &Outcome<'_>,
    explained: &[RuleExplanation<'_>],
    output: &mut Output,
) {
    for line in decision(outcome, explained) {
        output.line(&line);
    }
    let mut left = 0;
    for explanation in explained {
        let named = args.rule.iter().any(|wanted| {
            wanted == explanation.rule.qualified() || wanted == explanation.rule.id()
        });
        let shown = if args.rule.is_empty() { explanation.places.is_some() } else { named };
        if shown {
            output.text("\n");
            rule::write(explanation, args.redact, output);
        } else if explanation.places.is_none() {
            left += 1;
        }
    }
    if left > 0 && args.rule.is_empty() {
        let verb = if left == 1 { "is" } else { "are" };
        let text =
            format!("{} {verb} not selected; `--rule NAME` tells why", counted(left, "rule"));
        output.line(&format!("\n{}", styled(ASIDE, &text)));
    }
}

/// What was decided, and by which precedence ([OAR-EVAL-6]).
fn decision(outcome: &Outcome<'_>, explained: &[RuleExplanation<'_>]) -> Vec<String> {
    let name = crate::eval::decision(outcome);
    let mut lines = vec![format!("decision: {name}")];
    if outcome.is_error_block() {
        let failed = explained.iter().find(|e| {
            e.failure.is_some()
                && e.on_error != "fail_open"
                && e.rule.enforcement() == Enforcement::Enforce
        });
        if let Some(failed) = failed {
            lines.push(format!("  `{}` could not be evaluated", failed.rule.qualified()));
        }
        return lines;
    }
    let fired = |effect: Effect| -> Vec<&str> {
        let fired = explained.iter().filter(|explanation| {
            matches!(explanation.end, End::Traced(outcome) if outcome.name() == "fired")
        });
        fired.filter(|e| e.rule.effect() == effect).map(|e| e.rule.qualified()).collect()
    };
    let order = [Effect::Block, Effect::Transform, Effect::Nudge, Effect::Warn];
    let by_effect: Vec<(Effect, Vec<&str>)> = order
        .into_iter()
        .map(|effect| (effect, fired(effect)))
        .filter(|(_, f)| !f.is_empty())
        .collect();
    match by_effect.as_slice() {
        [] => {
            let allowing = fired(Effect::Allow);
            lines.push(match allowing.is_empty() {
                true => "  no enforced rule fired".to_owned(),
                false => format!(
                    "  only `allow` rules fired, which decide nothing: {}",
                    listed(allowing)
                ),
            });
        }
        [(effect, rules), weaker @ ..] => {
            if rules.len() > 1 && outcome.decision() != Decision::Block {
                lines.push(format!(
                    "  {} rules fired with `{}`; the first in the order names it",
                    rules.len(),
                    effect.name()
                ));
            }
            for (other, rules) in weaker {
                for rule in rules {
                    lines.push(format!("  it goes before `{}` by `{rule}`", other.name()));
                }
            }
        }
    }
    lines
}
