//! `oar new capability`.

use std::path::PathBuf;

use oar_engine::Source;
use oar_engine::diagnostic::{Diagnostic, Severity};
use oar_engine::load::{Checker, Vocabulary};

use super::{Made, Writing, ask, list, scalar};
use crate::input::shown;
use crate::output::Trouble;

/// Starts a capability document: what a host offers to rules.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The host's own namespace, such as `acme.agent`.
    #[arg(long)]
    host: Option<String>,
    /// A moment at which the host asks; may be given more than once. `tool.pre_invoke` where none
    /// is.
    #[arg(long, value_name = "ANCHOR")]
    anchor: Vec<String>,
    /// A profile of facts that it provides; may be given more than once. `tool` where none is.
    #[arg(long, value_name = "PROFILE")]
    profile: Vec<String>,
    /// It can change content.
    #[arg(long)]
    transform: bool,
    /// The file.
    #[arg(long, value_name = "FILE", default_value = "capability.yaml")]
    to: PathBuf,
    #[command(flatten)]
    pub(super) writing: Writing,
}

/// A capability document to write.
pub(super) struct Start {
    pub(super) host: String,
    pub(super) anchors: Vec<String>,
    pub(super) profiles: Vec<String>,
    pub(super) transform: bool,
}

/// # Errors
/// When something is missing, or the document would not be valid.
pub(super) fn make(args: &Args) -> Result<Made, Trouble> {
    // Who has to be asked for the host is asked for the rest, too.
    let asks = args.host.is_none();
    let host = host(args.host.as_ref())?;
    let given = |own: &[String]| (!own.is_empty() || !asks).then(|| own.to_vec());
    let vocabulary = Vocabulary::get();
    let anchors: Vec<(String, String)> =
        vocabulary.anchors.iter().map(|own| (own.name.clone(), own.moment.clone())).collect();
    let profiles: Vec<(String, String)> =
        vocabulary.profiles.iter().map(|own| (own.name.clone(), own.about.clone())).collect();
    let names = |all: &[(String, String)], chosen: Vec<usize>| -> Vec<String> {
        chosen.iter().filter_map(|at| Some(all.get(*at)?.0.clone())).collect()
    };
    let mut start = Start {
        host,
        anchors: ask::or(given(&args.anchor), "`--anchor`", |terminal| {
            let chosen = ask::several(terminal, "the moments at which it asks", &anchors, &[0])?;
            Ok(names(&anchors, chosen))
        })?,
        profiles: ask::or(given(&args.profile), "`--profile`", |terminal| {
            let chosen = ask::several(terminal, "the facts that it provides", &profiles, &[0])?;
            Ok(names(&profiles, chosen))
        })?,
        transform: args.transform,
    };
    if start.anchors.is_empty() {
        start.anchors.push("tool.pre_invoke".to_owned());
    }
    if start.profiles.is_empty() && !asks {
        start.profiles.push("tool".to_owned());
    }
    file(args.to.clone(), &start)
}

/// The namespace of a host, given or asked for.
pub(super) fn host(given: Option<&String>) -> Result<String, Trouble> {
    ask::or(given.cloned(), "`--host`", |terminal| {
        ask::text(terminal, "the host's namespace, such as acme.agent", |text| {
            let part = |part: &str| {
                let letter = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
                !part.is_empty() && part.bytes().all(|b| letter(b) || b == b'-')
            };
            match text.split('.').all(part) {
                true => Ok(()),
                false => Err("lower-case letters, digits and hyphens, joined by dots".to_owned()),
            }
        })
    })
}

/// The file of a capability document.
///
/// # Errors
/// What is wrong with it.
pub(super) fn file(path: PathBuf, start: &Start) -> Result<Made, Trouble> {
    let made = Made { text: text(start), path };
    let source = Source::yaml(shown(&made.path), &made.text);
    let checked = Checker::new().capability(source).check();
    let errors = checked.diagnostics().iter().filter(|own| own.severity() == Severity::Error);
    let errors: Vec<Diagnostic> = errors.cloned().collect();
    if errors.is_empty() { Ok(made) } else { Err(Trouble::Documents(errors)) }
}

fn text(start: &Start) -> String {
    let vocabulary = Vocabulary::get();
    let has = |name: &str| start.anchors.iter().any(|own| own == name);
    let mut text = String::from(
        "# What this host offers to rules. A rule that needs more does not load here.\n\
         oar_capability_version: \"1.0\"\n\
         # The host's own namespace; facts of its own are named under it.\n",
    );
    text += &format!("host: {}\n", scalar(&start.host));
    text +=
        "anchors:\n  # The moments at which the host asks, each with the host's own name for it.\n";
    let core: Vec<_> = vocabulary.anchors.iter().filter(|own| has(&own.name)).collect();
    text += if core.is_empty() { "  core: {}\n" } else { "  core:\n" };
    for anchor in core {
        text += &format!("    # {}\n    {}: {}\n", anchor.moment, anchor.name, anchor.name);
    }
    let others = vocabulary.anchors.iter().map(|own| own.name.as_str()).filter(|own| !has(own));
    text += "  # The standard's other moments.\n";
    text += &format!("  unsupported: {}\n", list(others));
    let own: Vec<&str> = start.anchors.iter().map(String::as_str).collect();
    let own = own.into_iter().filter(|name| vocabulary.anchors.iter().all(|own| own.name != *name));
    let own: Vec<&str> = own.collect();
    text += "  # Moments that only this host has.\n";
    text += &match own.is_empty() {
        true => "  # host: [session.start]\n".to_owned(),
        false => format!("  host: {}\n", list(own)),
    };
    text += "# The groups of facts that it provides at every moment they are for.\n";
    text += &format!("profiles: {}\n", list(start.profiles.iter().map(String::as_str)));
    text += "# How many recent steps `flow` can look back; 0 is none.\nactivity_window: 16\n";
    let backed = |name: &String| vocabulary.profile(name).is_some_and(|own| own.detector_backed);
    text += "# The detectors that rules of kind `detector` can run.\n";
    text += match start.profiles.iter().any(backed) {
        true => "detectors: [\"detector://noop\"]\n",
        false => "detectors: []\n",
    };
    text +=
        "# The largest condition that loads, in nodes; at least 256.\nexpression_nodes_max: 256\n";
    text += "# Whether it can change content, which rules with the effect `transform` do.\n";
    text += &format!("supports_transform: {}\n", start.transform);
    text +=
        "# Facts that only this host has. A rule names them in `requires.facts`.\n# host_facts:\n";
    let fact = format!("#   - name: {}.branch\n", start.host.replace(['\n', '\r'], ""));
    text + &fact + "#     type: string\n#     observation: The branch that is checked out.\n"
}
