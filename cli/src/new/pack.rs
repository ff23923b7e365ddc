//! `oar new pack`: a host, a rule and cases that go together.

use std::path::PathBuf;

use oar_engine::Source;
use oar_engine::document::rule::{Effect, Kind};
use oar_engine::load::Checker;

use super::{Made, Writing, ask, capability, place, rule, test};
use crate::input::{Input, Kind as InputKind, Pack, shown};
use crate::output::Trouble;

/// Starts a pack: a capability document, a rule, and cases that test it.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The directory to make.
    directory: Option<PathBuf>,
    /// The namespace of the host that the pack is for, such as `acme.agent`.
    #[arg(long)]
    host: Option<String>,
    /// Who publishes the rules; without one they belong to the host.
    #[arg(long)]
    namespace: Option<String>,
    /// The name of the first rule.
    #[arg(long, default_value = "FIRST_RULE")]
    id: String,
    #[command(flatten)]
    pub(super) writing: Writing,
}

/// # Errors
/// When something is missing, or a name is none.
pub(super) fn make(args: &Args) -> Result<Vec<Made>, Trouble> {
    let directory = ask::or(args.directory.clone(), "the directory", |terminal| {
        let path = ask::text(terminal, "the directory to make", |_| Ok(()))?;
        Ok(PathBuf::from(path))
    })?;
    let host = capability::host(args.host.as_ref())?;
    let anchor = "tool.pre_invoke";
    let start = capability::Start {
        host,
        anchors: vec![anchor.to_owned()],
        profiles: vec!["tool".to_owned()],
        transform: false,
    };
    let capability = capability::file(directory.join("capability.yaml"), &start)?;
    let mut pack = Pack::default();
    pack.add(input(&capability, InputKind::Capability));
    let checked = Checker::new().capability(source(&capability)).check();
    let (namespace, effect) = (args.namespace.as_deref(), Effect::Block);
    let start = rule::Start { id: &args.id, namespace, kind: Kind::Policy, anchor, effect };
    let rule = rule::file(&directory, &start, checked.capability());
    place::check(&pack, &rule)?;
    pack.add(input(&rule, InputKind::Rules));
    let cases = test::file(&directory, &pack, &args.id)?;
    Ok(vec![capability, rule, cases])
}

fn source(made: &Made) -> Source {
    Source::yaml(shown(&made.path), &made.text)
}

fn input(made: &Made, kind: InputKind) -> Input {
    Input { path: made.path.clone(), kind, source: source(made) }
}
