//! Commands of GitHub's workflows, which show findings beside the lines of a change.

use oar_engine::diagnostic::Diagnostic;

use crate::check::Found;
use crate::output::Output;

pub(in crate::check) fn github(found: &[Found], output: &mut Output) {
    for diagnostic in found.iter().flat_map(Found::diagnostics) {
        output.line(&command(diagnostic));
    }
}

fn command(diagnostic: &Diagnostic) -> String {
    let mut properties = Vec::new();
    if let Some(location) = diagnostic.location() {
        let file = &location.file;
        let (start, end) =
            (file.line_column(location.span.start), file.line_column(location.span.end));
        properties.push(format!("file={}", property(file.name())));
        properties.push(format!("line={},endLine={}", start.line, end.line));
        // Columns are taken for one line alone.
        if start.line == end.line {
            properties.push(format!("col={},endColumn={}", start.column, end.column));
        }
    }
    properties.push(format!("title={}", property(diagnostic.code())));
    let help = diagnostic.advice().map(|help| format!("\n{help}")).unwrap_or_default();
    let message = escaped(&format!("{}{help}", diagnostic.message()));
    format!("::{} {}::{message}", diagnostic.severity().as_str(), properties.join(","))
}

fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    escaped(text).replace(':', "%3A").replace(',', "%2C")
}
