//! What `oar check` says, as the protocol says it.

use std::collections::{BTreeMap, HashMap};

use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Range,
};
use oar_engine::diagnostic::{self, Severity};
use oar_expr::Span;

use super::buffer::{Encoding, Text};
use super::workspace::Workspace;
use crate::check::{Found, check};
use crate::input::Pack;
use crate::lint::Levels;
use crate::output::listed;

/// How many diagnostics of a file are shown. Nobody reads more, and editors choke on them.
const MOST: usize = 500;

/// What was found in the file of a name.
pub(super) type ByFile = BTreeMap<String, Vec<diagnostic::Diagnostic>>;

/// Everything that is wrong with a pack, by file; a file without a fault has an empty list.
pub(super) fn of_pack(pack: Pack, lint: bool) -> (ByFile, Option<Found>) {
    let mut by_file: ByFile =
        pack.inputs().map(|input| (input.path.display().to_string(), Vec::new())).collect();
    let first = pack.capabilities.first().or(pack.rules.first()).or(pack.configs.first());
    let first = first.map(|input| input.path.display().to_string()).unwrap_or_default();
    let names = pack.capabilities.iter().filter_map(|input| input.path.file_name());
    let names = listed(names.map(|name| name.to_string_lossy()));
    let Ok(mut found) = check(pack) else {
        let message = format!("several capability documents in one pack: {names}");
        by_file.entry(first).or_default().push(diagnostic::Diagnostic::error("pack", message));
        return (by_file, None);
    };
    if lint {
        found.lint(&Levels::default());
    }
    for diagnostic in found.diagnostics() {
        let name = diagnostic.location().map_or(first.as_str(), |place| place.file.name());
        by_file.entry(name.to_owned()).or_default().push(diagnostic.clone());
    }
    (by_file, Some(found))
}

/// The diagnostics of one file for the client.
pub(super) fn told(
    diagnostics: &[diagnostic::Diagnostic],
    workspace: &Workspace,
    encoding: Encoding,
) -> Vec<Diagnostic> {
    let mut texts = Texts { texts: HashMap::new(), workspace };
    diagnostics.iter().take(MOST).map(|own| one(own, &mut texts, encoding)).collect()
}

fn one(own: &diagnostic::Diagnostic, texts: &mut Texts<'_>, encoding: Encoding) -> Diagnostic {
    let related = own.related().iter().filter_map(|related| {
        let place = &related.location;
        let uri = texts.workspace.address(place.file.name())?;
        let location = Location { uri, range: texts.range(place, encoding) };
        Some(DiagnosticRelatedInformation { location, message: related.message.clone() })
    });
    let related: Vec<_> = related.collect();
    let range = own.location().map_or(Range::default(), |place| texts.range(place, encoding));
    let message = match own.advice() {
        Some(help) => format!("{}\nhelp: {help}", own.message()),
        None => own.message().to_owned(),
    };
    Diagnostic {
        range,
        severity: Some(match own.severity() {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
        }),
        code: Some(NumberOrString::String(own.code().to_owned())),
        source: Some("oar".to_owned()),
        message,
        related_information: (!related.is_empty()).then_some(related),
        ..Diagnostic::default()
    }
}

/// The texts of the files that are pointed into.
struct Texts<'w> {
    texts: HashMap<String, Text>,
    workspace: &'w Workspace,
}

impl Texts<'_> {
    fn range(&mut self, place: &diagnostic::Location, encoding: Encoding) -> Range {
        let name = place.file.name().to_owned();
        let text =
            self.texts.entry(name).or_insert_with(|| Text::new(place.file.text().to_owned()));
        text.range(meant(text.as_str(), place.span), encoding)
    }
}

/// The blanks and line breaks that end a block of text are not meant.
pub(super) fn meant(text: &str, span: Span) -> Span {
    let own = text.get(span.range()).unwrap_or_default();
    let kept = own.trim_end_matches([' ', '\t', '\n', '\r']).len();
    let dropped = u32::try_from(own.len() - kept).unwrap_or_default();
    if kept == 0 { span } else { Span::new(span.start, span.end - dropped) }
}
