//! `oar new test`: cases for a rule, with what the rules of its pack say today.

use std::path::{Path, PathBuf};

use oar_engine::document::source::{Format, Node, ReadLimits, SourceFile, read};
use oar_engine::load::Capability;
use oar_engine::{Decision, Host, RuleSet};
use oar_expr::NodeKind;

use super::place::pack_of;
use super::{Made, Writing, ask, scalar};
use crate::documents::{load, loader};
use crate::eval::Sessions;
use crate::input::Pack;
use crate::moment::{At, Moment};
use crate::output::{Trouble, listed};
use crate::rules::{Condition, Rules, Written};

/// Starts a file of cases for a rule of a pack, with what the rules decide today.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The rule: its name, or its qualified one.
    rule: Option<String>,
    /// The pack, or a directory in it; the cases go there.
    #[arg(long, value_name = "DIRECTORY", default_value = ".")]
    pack: PathBuf,
    #[command(flatten)]
    pub(super) writing: Writing,
}

/// # Errors
/// When there is no such rule, or its pack does not load.
pub(super) fn make(args: &Args) -> Result<Made, Trouble> {
    let pack = pack_of(&args.pack)?;
    let rules = Rules::of(pack.rules.iter().map(|input| &input.source));
    let names: Vec<(String, String)> = rules
        .iter()
        .map(|rule| (rule.name(), format!("{} at {}", rule.effect(), rule.anchor())))
        .collect();
    if names.is_empty() {
        let shown = crate::input::shown(&args.pack);
        return Err(Trouble::Usage(format!("`{shown}` lies in no pack with rules")));
    }
    let rule = ask::or(args.rule.clone(), "the rule", |terminal| {
        let at = ask::one(terminal, "the rule to test", &names)?;
        Ok(names.get(at).map(|(name, _)| name.clone()).unwrap_or_default())
    })?;
    file(&args.pack, &pack, &rule)
}

/// The file of cases for the rule `name` of a pack.
///
/// # Errors
/// When there is no such rule, or the pack does not load.
pub(super) fn file(directory: &Path, pack: &Pack, name: &str) -> Result<Made, Trouble> {
    let rules = Rules::of(pack.rules.iter().map(|input| &input.source));
    let mut named = rules.iter().filter(|rule| rule.id() == name || rule.name() == name);
    let rule = match (named.next(), named.next()) {
        (Some(rule), None) => rule,
        (Some(one), Some(other)) => {
            let names = listed([one.name(), other.name()]);
            return Err(Trouble::Usage(format!("`{name}` is any of {names}")));
        }
        (None, _) => {
            let names: Vec<String> = rules.iter().map(Written::name).collect();
            let similar = oar_expr::closest(name, names.iter().map(String::as_str));
            let help = similar.map(|own| format!(", did you mean `{own}`?")).unwrap_or_default();
            return Err(Trouble::Usage(format!("the pack has no rule `{name}`{help}")));
        }
    };
    let set = load(&loader(pack)?)?.rules;
    let mut text = format!(
        "# Cases for `{}`. `oar test` runs them.\noar_test: \"1.0\"\ncases:\n",
        rule.name()
    );
    for (case, moment) in cases(rule, set.capability()) {
        let Some(expected) = decided(&moment, &set) else { continue };
        text += &format!("  - name: {case}\n");
        moment.lines().for_each(|line| text += &format!("    {line}\n"));
        text += "    # What the rules say today. Write what they shall say.\n";
        text += &format!("    expect: {expected}\n");
    }
    let path = directory.join(format!("{}.test.yaml", super::rule::stem(rule.id())));
    Ok(Made { path, text })
}

/// The cases: an occurrence that the rule may be for, and one that it may not.
fn cases(rule: &Written, host: &Capability) -> Vec<(&'static str, String)> {
    let local = host.core_anchors().find(|(core, _)| *core == rule.anchor());
    let anchor = format!("anchor: {}\n", scalar(local.map_or(rule.anchor(), |(_, local)| local)));
    if !host.profiles().any(|own| own == "tool") {
        return vec![("the moment comes", anchor)];
    }
    let tool = rule.object("selector").and_then(|selector| selector.get("tool"));
    let tool = tool.and_then(Node::as_array).and_then(|tools| tools.first()?.as_str());
    let arguments = arguments(rule);
    let shown: Vec<String> = arguments
        .iter()
        .map(|(name, value)| format!("{}: {}", scalar(name), scalar(value)))
        .collect();
    let call = |name: &str, arguments: &str| {
        format!("{anchor}tool_call: {{name: {}, arguments: {{{arguments}}}}}\n", scalar(name))
    };
    let name = tool.unwrap_or("shell");
    vec![
        ("a call that the rule is for", call(name, &shown.join(", "))),
        ("another call", call(name, "")),
    ]
}

/// Arguments of a call that strings of the condition speak of.
fn arguments(rule: &Written) -> Vec<(String, String)> {
    let Some(condition) = rule.condition() else { return Vec::new() };
    let mut found: Vec<(String, String)> = Vec::new();
    for node in condition.ast.nodes() {
        let pair = match node.kind {
            NodeKind::Call { arguments, .. } => match condition.ast.children(arguments) {
                [one, other] => Some((*one, *other)),
                _ => None,
            },
            NodeKind::Binary { left, right, .. } => Some((left, right)),
            _ => None,
        };
        let Some((argument, value)) = pair else { continue };
        let (name, value) = (argument_name(&condition, argument), string(&condition, value));
        let (Some(name), Some(value)) = (name, value) else { continue };
        if found.iter().all(|(own, _)| *own != name) {
            found.push((name, value));
        }
    }
    found
}

/// The `x` of `tool_arg_string("x")`.
fn argument_name(condition: &Condition<'_>, node: oar_expr::NodeId) -> Option<String> {
    let NodeKind::Call { name, arguments } = condition.ast.node(node)?.kind else { return None };
    let [argument] = condition.ast.children(arguments) else { return None };
    (condition.slice(name) == "tool_arg_string").then(|| string(condition, *argument)).flatten()
}

fn string(condition: &Condition<'_>, node: oar_expr::NodeId) -> Option<String> {
    let NodeKind::String { start, end } = condition.ast.node(node)?.kind else { return None };
    Some(condition.ast.string(start, end).to_owned())
}

/// What a case expects so that it passes.
fn decided(moment: &str, rules: &RuleSet) -> Option<String> {
    let file = SourceFile::new("case.yaml", moment, Format::Yaml);
    let reading = read(&file, &ReadLimits::default());
    let node = &reading.documents.first()?.root;
    let moment =
        Moment::read(&At { file: &file, node, pointer: String::new() }, &[], rules).ok()?;
    let host = Host::new();
    let host = moment.host(&host, rules);
    let occurrence = moment.occurrence(rules).ok()?;
    let mut sessions = Sessions::default();
    let outcome = host.decide(sessions.of(&moment), &occurrence);
    Some(match (outcome.decision(), outcome.rule()) {
        (Decision::None, _) | (_, None) => outcome.decision().name().to_owned(),
        (decision, Some(rule)) => format!("{{decision: {}, rule: {rule}}}", decision.name()),
    })
}
