//! `oar eval`: what the rules decide at occurrences that a file describes.

mod report;
mod stream;

pub(crate) use report::{decision, head};

use std::collections::BTreeMap;
use std::path::PathBuf;

use oar_engine::{Decision, Host, RuleSet, Session};
use serde_json::Value;

use crate::documents::{Documents, load};
use crate::input;
use crate::log::Recorder;
use crate::moment::{At, Moment};
use crate::output::{Output, Trouble, Verdict};

/// Decides occurrences against rules.
///
/// An occurrence is an object in JSON or YAML: `anchor`, and what was observed there: `facts`,
/// `content`, `tool_call`, `recent_activity`, `detector_facts`, `session`. A list, or a YAML
/// stream, is decided in its order; what shares a `session` shares counters and recent activity.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    documents: Documents,
    /// The occurrences: a file, or `-` for standard input.
    #[arg(value_name = "OCCURRENCE", required_unless_present = "stream")]
    occurrence: Option<PathBuf>,
    /// Write the reports as JSON: an object, or an array for a list of occurrences.
    #[arg(long)]
    json: bool,
    /// End with code 4 when a decision is block.
    #[arg(long)]
    exit_code: bool,
    /// Append each occurrence with its decision to this log, for `oar replay`, in a chain that
    /// `oar log verify` holds to.
    #[arg(long, value_name = "LOG")]
    record: Option<PathBuf>,
    /// Read occurrences from standard input, one a line in JSON, and answer each with a line.
    #[arg(long, conflicts_with_all = ["occurrence", "json", "exit_code"])]
    stream: bool,
}

/// Runs the command.
///
/// # Errors
/// When something cannot be read or does not load.
pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Verdict, Trouble> {
    let loader = args.documents.loader()?;
    let rules = load(&loader)?.rules;
    let mut recorder = args.record.as_deref().map(Recorder::open).transpose()?;
    let Some(path) = &args.occurrence else {
        stream::run(&rules, recorder.as_mut(), output)?;
        return Ok(Verdict::Fine);
    };
    let moments = read(path, &rules)?;
    let host = Host::new();
    let mut sessions = Sessions::default();
    let mut blocked = false;
    let mut reports = Vec::new();
    let single = moments.len() == 1;
    for (index, moment) in moments.iter().enumerate() {
        let host = moment.host(&host, &rules);
        let occurrence = moment.occurrence(&rules).map_err(|e| Trouble::Usage(e.to_string()))?;
        let outcome = host.decide(sessions.of(moment), &occurrence);
        blocked |= outcome.decision() == Decision::Block;
        if let Some(recorder) = &mut recorder {
            recorder.record(moment, &outcome)?;
        }
        if args.json {
            reports.push(outcome.report().to_json());
        } else {
            if !single {
                report::head(index, moment, output);
            }
            report::write(&outcome, moment, output);
        }
    }
    if args.json {
        let json = match (single, reports.pop()) {
            (true, Some(report)) => report,
            (_, last) => Value::Array(reports.into_iter().chain(last).collect()),
        };
        output.line(&format!("{json:#}"));
    }
    Ok(if blocked && args.exit_code { Verdict::Blocked } else { Verdict::Fine })
}

/// The occurrences of a file.
///
/// # Errors
/// When it cannot be read, or an occurrence is not one.
pub(crate) fn read(path: &std::path::Path, rules: &RuleSet) -> Result<Vec<Moment>, Trouble> {
    let reading = input::documents(path)?;
    let (mut moments, mut faults) = (Vec::new(), Vec::new());
    for document in &reading.documents {
        let file = &reading.file;
        let whole = At { file, node: &document.root, pointer: document.pointer_prefix.clone() };
        for at in whole.items().unwrap_or_else(|| vec![whole.clone()]) {
            match Moment::read(&at, &[], rules) {
                Ok(moment) => moments.push(moment),
                Err(found) => faults.extend(found),
            }
        }
    }
    match (faults.is_empty(), moments.is_empty()) {
        (false, _) => Err(Trouble::Documents(faults)),
        (true, true) => {
            Err(Trouble::Usage(format!("`{}` holds no occurrence", input::shown(path))))
        }
        (true, false) => Ok(moments),
    }
}

/// The sessions of a run, by name; occurrences that name none share one.
#[derive(Default)]
pub(crate) struct Sessions(BTreeMap<String, Session>);

impl Sessions {
    pub(crate) fn of(&mut self, moment: &Moment) -> &mut Session {
        let name = moment.session();
        self.0.entry(name.to_owned()).or_insert_with(|| Session::new(name))
    }

    pub(crate) fn end(&mut self, name: &str) {
        self.0.remove(name);
    }
}
