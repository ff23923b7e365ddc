//! JUnit's XML: each rule a case, and what belongs to none a case of its own.

use std::fmt::Write as _;

use oar_engine::diagnostic::{Diagnostic, Severity, render};

use crate::check::Found;
use crate::input::shown;
use crate::output::Output;
use oar_conformance::report::xml_escape as escape;

pub(in crate::check) fn junit(found: &[Found], output: &mut Output) {
    let mut suites = String::new();
    let (mut tests, mut failures) = (0, 0);
    for found in found {
        let (suite, own, failed) = suite(found);
        suites += &suite;
        tests += own;
        failures += failed;
    }
    output.line("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    let attributes = format!("name=\"oar check\" tests=\"{tests}\" failures=\"{failures}\"");
    output.text(&format!("<testsuites {attributes}>\n{suites}</testsuites>\n"));
}

/// A suite, its number of cases, and how many failed.
fn suite(found: &Found) -> (String, usize, usize) {
    let mut left: Vec<&Diagnostic> =
        found.diagnostics().filter(|d| d.severity() == Severity::Error).collect();
    let (mut cases, mut tests, mut failures) = (String::new(), 0, 0);
    // Writing to a string cannot fail.
    for rule in found.checked.rules() {
        let (own, rest): (Vec<_>, Vec<_>) = left.into_iter().partition(|d| rule.is_faulted_by(d));
        left = rest;
        let location = rule.location();
        let file = location.file.name();
        let name = rule.name().unwrap_or(&location.pointer);
        tests += 1;
        failures += usize::from(!own.is_empty());
        let line = location.file.line_column(location.span.start).line;
        let _ = write!(
            cases,
            "<testcase classname=\"{0}\" name=\"{1}\" file=\"{0}\" line=\"{line}\"",
            escape(file),
            escape(name),
        );
        cases += &body(&own);
    }
    for diagnostic in left {
        tests += 1;
        failures += 1;
        let file = diagnostic.location().map(|place| place.file.name()).unwrap_or("oar");
        let name = escape(diagnostic.code());
        let _ =
            write!(cases, "<testcase classname=\"{0}\" name=\"{name}\" file=\"{0}\"", escape(file));
        cases += &body(&[diagnostic]);
    }
    let name = found.pack.directory.as_deref().map_or("oar check".to_owned(), shown);
    let suite = format!(
        "<testsuite name=\"{}\" tests=\"{tests}\" failures=\"{failures}\">\n{cases}</testsuite>\n",
        escape(&name)
    );
    (suite, tests, failures)
}

/// The rest of a case.
fn body(diagnostics: &[&Diagnostic]) -> String {
    let Some(first) = diagnostics.first() else { return "/>\n".to_owned() };
    let texts: Vec<String> = diagnostics.iter().map(|d| render::full(d)).collect();
    format!(
        "><failure message=\"{}\">{}</failure></testcase>\n",
        escape(&first.to_string()),
        escape(&texts.join("\n"))
    )
}
