//! The results as JUnit's XML, which most build servers show.

use std::fmt::Write as _;

use oar_engine::diagnostic::{Diagnostic, render};

use super::run::SuiteResult;
use oar_conformance::report::xml_escape as escape;

pub(super) fn junit(results: &[SuiteResult], broken: &[Diagnostic]) -> String {
    let cases = || results.iter().flat_map(|suite| &suite.cases);
    let tests = cases().count() + broken.len();
    let failures = cases().filter(|case| !case.failures.is_empty()).count();
    let time: f64 = cases().map(|case| case.took.as_secs_f64()).sum();
    let errors = broken.len();
    let attributes = format!(
        "name=\"oar test\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{time:.3}\""
    );
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a string cannot fail.
    let _ = writeln!(out, "<testsuites {attributes}>");
    for suite in results {
        let failures = suite.cases.iter().filter(|case| !case.failures.is_empty()).count();
        let file = escape(&suite.file);
        let _ = writeln!(
            out,
            "<testsuite name=\"{file}\" tests=\"{}\" failures=\"{failures}\">",
            suite.cases.len()
        );
        for case in &suite.cases {
            let name = escape(&case.name);
            let _ = write!(
                out,
                "<testcase classname=\"{file}\" name=\"{name}\" file=\"{file}\" line=\"{}\" time=\"{:.3}\"",
                case.line,
                case.took.as_secs_f64()
            );
            match case.failures.first() {
                None => out.push_str("/>\n"),
                Some(first) => {
                    let _ = writeln!(
                        out,
                        "><failure message=\"{}\">{}</failure></testcase>",
                        escape(first),
                        escape(&case.failures.join("\n"))
                    );
                }
            }
        }
        out.push_str("</testsuite>\n");
    }
    if !broken.is_empty() {
        let _ = writeln!(out, "<testsuite name=\"load\" tests=\"{errors}\" errors=\"{errors}\">");
        for fault in broken {
            let _ = writeln!(
                out,
                "<testcase classname=\"load\" name=\"{}\"><error message=\"{}\">{}</error></testcase>",
                escape(&render::concise(fault)),
                escape(fault.message()),
                escape(&render::full(fault))
            );
        }
        out.push_str("</testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}
