//! `oar new rule`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use oar_engine::document::rule::{Effect, Kind};
use oar_engine::load::{Capability, Checked, Vocabulary};

use super::place::{check, host, pack_of, provides};
use super::{Made, Writing, ask, scalar, words};
use crate::input::Pack;
use crate::output::Trouble;
use crate::rules::Rules;
use crate::words::{effect_about, kind_about};

/// Starts a rule in a file of its own.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The rule's name: capitals, digits and underscores.
    id: Option<String>,
    /// The moment it is about, such as `tool.pre_invoke`.
    #[arg(long)]
    anchor: Option<String>,
    /// What follows when it fires.
    #[arg(long, value_parser = words(Effect::ALL, Effect::name))]
    effect: Option<Effect>,
    /// Where it stands in the order of evaluation.
    #[arg(long, default_value = "policy", value_parser = words(Kind::ALL, Kind::name))]
    kind: Kind,
    /// Who publishes it; that of the pack's other rules where it is not said.
    #[arg(long)]
    namespace: Option<String>,
    /// The directory it goes to: a pack, or a directory in one.
    #[arg(long, value_name = "DIRECTORY", default_value = ".")]
    pack: PathBuf,
    #[command(flatten)]
    pub(super) writing: Writing,
}

/// A rule to write.
pub(super) struct Start<'s> {
    pub(super) id: &'s str,
    pub(super) namespace: Option<&'s str>,
    pub(super) kind: Kind,
    pub(super) anchor: &'s str,
    pub(super) effect: Effect,
}

/// # Errors
/// When something is missing, or the rule would not load where it goes.
pub(super) fn make(args: &Args) -> Result<Made, Trouble> {
    let pack = pack_of(&args.pack)?;
    let host = host(&pack)?;
    let host = host.as_ref().and_then(Checked::capability);
    let id = ask::or(args.id.clone(), "the rule's name", |terminal| {
        ask::text(terminal, "name, such as NO_FORCED_PUSH", is_id)
    })?;
    let anchors = anchors(host);
    let anchor = ask::or(args.anchor.clone(), "`--anchor`", |terminal| {
        let at = ask::one(terminal, "the moment it is about", &anchors)?;
        Ok(anchors.get(at).map(|(name, _)| name.clone()).unwrap_or_default())
    })?;
    let effect = ask::or(args.effect, "`--effect`", |terminal| {
        let about = |own: &Effect| (own.name().to_owned(), effect_about(*own).to_owned());
        let items: Vec<_> = Effect::ALL.iter().map(about).collect();
        let at = ask::one(terminal, "what follows when it fires", &items)?;
        Ok(Effect::ALL.get(at).copied().unwrap_or(Effect::Block))
    })?;
    let namespace = args.namespace.clone().or_else(|| namespace_of(&pack));
    let namespace = namespace.as_deref();
    let start = Start { id: &id, namespace, kind: args.kind, anchor: &anchor, effect };
    let made = file(&args.pack, &start, host);
    check(&pack, &made)?;
    Ok(made)
}

/// The file of a rule.
pub(super) fn file(directory: &Path, start: &Start<'_>, host: Option<&Capability>) -> Made {
    let path = directory.join(format!("{}.yaml", stem(start.id)));
    Made { path, text: text(start, host) }
}

/// The name of a rule's file, without its ending.
pub(super) fn stem(id: &str) -> String {
    id.to_ascii_lowercase().replace('_', "-")
}

fn is_id(text: &str) -> Result<(), String> {
    let good = text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    if good { Ok(()) } else { Err("capitals, digits and underscores, a letter first".to_owned()) }
}

/// The anchors to choose from, each with its moment.
fn anchors(host: Option<&Capability>) -> Vec<(String, String)> {
    let has = |name: &str| host.is_none_or(|host| host.core_anchors().any(|(own, _)| own == name));
    let core = Vocabulary::get().anchors.iter().filter(|own| has(&own.name));
    let core = core.map(|own| (own.name.clone(), own.moment.clone()));
    let own = host.into_iter().flat_map(Capability::host_anchors);
    core.chain(own.map(|own| (own.to_owned(), "A moment of this host's own.".to_owned()))).collect()
}

/// The namespace of the rules that are there.
fn namespace_of(pack: &Pack) -> Option<String> {
    let rules = Rules::of(pack.rules.iter().map(|input| &input.source));
    rules.iter().find_map(|rule| rule.text("namespace").map(str::to_owned))
}

fn text(start: &Start<'_>, host: Option<&Capability>) -> String {
    let mut text = String::from("# Say here, in a line, what the rule is for.\noar: \"1.0\"\n");
    let mut line = |own: &str| {
        text.push_str(own);
        text.push('\n');
    };
    line(&format!("id: {}", scalar(start.id)));
    match start.namespace {
        Some(namespace) => line(&format!("namespace: {}", scalar(namespace))),
        None => line(
            "# Who publishes it; without one it belongs to the host that loads it.\n# namespace: acme.rules",
        ),
    }
    line(&format!("# {}", kind_about(start.kind)));
    line(&format!("kind: {}", start.kind));
    let moment = Vocabulary::get().anchors.iter().find(|own| own.name == start.anchor);
    if let Some(moment) = moment {
        line(&format!("# {}", moment.moment));
    }
    line(&format!("anchor: {}", scalar(start.anchor)));
    let on_tools = start.anchor.starts_with("tool.") && provides(host, "tool");
    let on_content = start.anchor.starts_with("model.") && provides(host, "content");
    line("# What it needs of the host; the standard's profiles and the host's own facts.");
    match (on_tools, on_content) {
        (true, _) => line("requires: {profiles: [tool]}"),
        (_, true) => line("requires: {profiles: [content]}"),
        _ => line("# requires: {profiles: [session]}"),
    }
    line("# Only where these facts have one of these values; without it, everywhere.");
    line(if on_tools { "selector: {tool: [shell]}" } else { "# selector: {tool: [shell]}" });
    line("# The condition; without one it always holds.");
    match (on_tools, on_content) {
        (true, _) => line("when: contains(tool_arg_string(\"command\"), \"example\")"),
        (_, true) => line("when: content_length > 10000"),
        _ => line("# when: session_posture == \"internal\""),
    }
    line(&format!("# {}", effect_about(start.effect)));
    line(&format!("effect: {}", start.effect));
    if start.effect == Effect::Transform {
        line(
            "# `replace` and `annotate` take a `replacement`; the target may be a fact with spans.",
        );
        line("transform: {action: redact, target: content}");
    }
    if start.kind == Kind::Detector {
        let detector = host.and_then(|host| host.detectors().next()).unwrap_or("detector://noop");
        line(&format!("detector: {{ref: {}}}", scalar(detector)));
    }
    line("# Watch it first: `monitor` records what would have happened, and does nothing.");
    line("# enforcement: monitor");
    line("# What the agent, or the person behind it, gets to read.");
    let _ = write!(text, "copy:\n  what: Say what happened.\n  fix: Say what to do about it.\n");
    text
}
