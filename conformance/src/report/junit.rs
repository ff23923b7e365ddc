//! JUnit's XML, which most build servers show.

use std::fmt::Write as _;

use super::{UNKNOWN, details, label, remark};
use crate::runner::{Kind, Run, Verdict};

/// The report.
#[must_use]
pub fn junit(run: &Run<'_>) -> String {
    let count = |wanted: &dyn Fn(&Verdict) -> bool| {
        run.verdicts.iter().filter(|verdict| wanted(verdict)).count()
    };
    let failures = count(&|v| element(v) == Some("failure"));
    let errors = count(&|v| element(v) == Some("error")) + run.unknown_failures.len();
    let skipped = count(&|v| element(v) == Some("skipped"));
    let attributes = format!(
        "name=\"{}\" tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" \
         skipped=\"{skipped}\" time=\"{:.3}\"",
        xml_escape(&run.engine_name()),
        run.verdicts.len() + run.unknown_failures.len(),
        run.took.as_secs_f64(),
    );
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a string cannot fail.
    let _ = writeln!(out, "<testsuites {attributes}>\n<testsuite {attributes}>");
    for verdict in &run.verdicts {
        case(&mut out, run, verdict);
    }
    for id in &run.unknown_failures {
        let _ = writeln!(
            out,
            "<testcase classname=\"oar.none\" name=\"{}\" time=\"0.000\"><error message=\"{UNKNOWN}\"/></testcase>",
            xml_escape(id)
        );
    }
    out.push_str("</testsuite>\n</testsuites>\n");
    out
}

/// The element that a case holds: nothing where all is as it should be.
fn element(verdict: &Verdict) -> Option<&'static str> {
    match verdict.outcome.kind() {
        // A known failure must not turn the build red, and one that fails no more must.
        _ if verdict.known => Some(if verdict.fails() { "skipped" } else { "failure" }),
        Kind::Passed => None,
        Kind::Skipped if !verdict.fails() => Some("skipped"),
        Kind::Failed | Kind::Skipped => Some("failure"),
        _ => Some("error"),
    }
}

fn case(out: &mut String, run: &Run<'_>, verdict: &Verdict) {
    let Some(entry) = run.entry(verdict) else { return };
    let (id, file) = (xml_escape(entry.id()), xml_escape(entry.file()));
    let seconds = verdict.took.as_secs_f64();
    let area = entry.fixture().and_then(|fixture| fixture.areas().next()).unwrap_or("none");
    let _ = write!(
        out,
        "<testcase classname=\"oar.{area}\" name=\"{id}\" file=\"{file}\" time=\"{seconds:.3}\""
    );
    let Some(element) = element(verdict) else {
        out.push_str("/>\n");
        return;
    };
    let message = remark(verdict).unwrap_or_else(|| "differs from what is expected".to_owned());
    let message = match label(verdict) {
        "KNOWN" => format!("known failure: {message}"),
        _ => message,
    };
    let _ = write!(out, "><{element} message=\"{}\"", xml_escape(&message));
    let details = details(verdict).join("\n");
    if details.is_empty() {
        out.push_str("/>");
    } else {
        let _ = write!(out, ">{}</{element}>", xml_escape(&details));
    }
    if !verdict.log.is_empty() {
        let _ = write!(out, "<system-err>{}</system-err>", xml_escape(&verdict.log));
    }
    out.push_str("</testcase>\n");
}

/// `text` for XML 1.0, which has no way to write most controls.
///
/// ```
/// assert_eq!(oar_conformance::report::xml_escape("a<b>\n\0"), "a&lt;b&gt;&#10;\u{fffd}");
/// ```
#[must_use]
pub fn xml_escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}
