//! One page that a person would rather look at than read a log.
//!
//! The page needs nothing but itself: style and script stand in it, and nothing is fetched. It is
//! readable without the script, which only filters, and adapts to a small screen and to the light
//! or dark that the reader's system prefers.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use oar_engine::document::source::Node;
use serde_json::{Map, Value};

use super::{Mark, details, label, lines, remark};
use crate::compare::REPORT;
use crate::fixture::{Expected, Fixture, pretty};
use crate::runner::{Answer, Claim, Kind, Outcome, Run, Verdict, seconds};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Up to so many failures are unfolded from the start.
const OPEN: usize = 40;

/// The report. `summary_of` gives the words for a clause, where there are any.
#[must_use]
pub fn html(run: &Run<'_>, claim: &Claim, summary_of: &dyn Fn(&str) -> Option<String>) -> String {
    let mut out = String::new();
    let title = format!("Conformance of {}", escape(&run.engine_name()));
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n"
    );
    summary(&mut out, run, claim, &title);
    clauses(&mut out, run, summary_of);
    fixtures(&mut out, run);
    let _ = write!(out, "</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n");
    out
}

/// The class that colours a verdict.
fn class(verdict: &Verdict) -> &'static str {
    match label(verdict) {
        "PASS" => "pass",
        "SKIP" if !verdict.fails() => "skip",
        "KNOWN" => "skip",
        _ => "fail",
    }
}

fn summary(out: &mut String, run: &Run<'_>, claim: &Claim, title: &str) {
    let tone = if claim.is_supported() { "pass" } else { "fail" };
    let _ = write!(
        out,
        "<header>\n<h1>{title}</h1>\n<p class=\"claim {tone}\">{}</p>\n",
        escape(&sentence(&claim.sentence()))
    );
    let counted = |wanted: &str| run.verdicts.iter().filter(|v| class(v) == wanted).count();
    out.push_str("<div class=\"bar\" role=\"img\" aria-label=\"Shares of the outcomes\">");
    for tone in ["pass", "skip", "fail"] {
        let share = counted(tone);
        if share > 0 {
            let _ = write!(out, "<span class=\"{tone}\" style=\"flex-grow:{share}\"></span>");
        }
    }
    out.push_str("</div>\n<ul class=\"counts\">\n");
    for kind in Kind::ALL {
        let count = run.count(kind);
        if count > 0 || matches!(kind, Kind::Passed | Kind::Failed | Kind::Skipped) {
            let _ = writeln!(out, "<li><b>{count}</b> {}</li>", kind.name());
        }
    }
    let _ = writeln!(
        out,
        "</ul>\n<p class=\"quiet\">{} fixtures in {}, started as <code>{}</code></p>",
        run.verdicts.len(),
        seconds(run.took),
        escape(&run.engine)
    );
    if !run.unknown_failures.is_empty() {
        let ids = escape(&run.unknown_failures.join(", "));
        let _ = writeln!(out, "<p class=\"fail\">Known failures that are not there: {ids}</p>");
    }
    out.push_str("</header>\n");
}

/// A table of the covered clauses, by area, each with the fixtures that cover it.
fn clauses(out: &mut String, run: &Run<'_>, summary_of: &dyn Fn(&str) -> Option<String>) {
    let mut covered: BTreeMap<(String, u32), Vec<(&Fixture, &Verdict)>> = BTreeMap::new();
    for verdict in &run.verdicts {
        let Some(fixture) = run.entry(verdict).and_then(|entry| entry.fixture()) else { continue };
        for clause in &fixture.covers {
            let Some((area, number)) = clause.rsplit_once('-') else { continue };
            let key = (area.to_owned(), number.parse().unwrap_or_default());
            covered.entry(key).or_default().push((fixture, verdict));
        }
    }
    out.push_str("<section>\n<h2>Clauses</h2>\n");
    let mut area_before: Option<String> = None;
    for ((area, number), fixtures) in &covered {
        if area_before.as_ref() != Some(area) {
            if area_before.is_some() {
                out.push_str("</tbody></table></details>\n");
            }
            let of_area: Vec<_> =
                covered.iter().filter(|((other, _), _)| other == area).map(|(_, f)| f).collect();
            let with = |tone: &str| {
                of_area.iter().filter(|f| f.iter().any(|(_, v)| class(v) == tone)).count()
            };
            let (tone, remark) = match (with("fail"), with("skip")) {
                (0, 0) => ("pass", String::new()),
                (0, skipped) => ("skip", format!(", {skipped} with a skip")),
                (failed, _) => ("fail", format!(", {failed} with a failure")),
            };
            let _ = write!(
                out,
                "<details class=\"area\"><summary><span class=\"dot {tone}\"></span>{area} \
                 <span class=\"quiet\">{} clauses{remark}</span></summary>\n<table><tbody>\n",
                of_area.len()
            );
            area_before = Some(area.clone());
        }
        let clause = format!("{area}-{number}");
        let _ = write!(
            out,
            "<tr><th scope=\"row\">{clause}</th><td>{}<div class=\"links\">",
            prose(&summary_of(&clause).unwrap_or_default())
        );
        for (fixture, verdict) in fixtures {
            let id = escape(fixture.id());
            let _ = write!(out, "<a class=\"{}\" href=\"#{id}\">{id}</a> ", class(verdict));
        }
        out.push_str("</div></td></tr>\n");
    }
    if area_before.is_some() {
        out.push_str("</tbody></table></details>\n");
    }
    out.push_str("</section>\n");
}

fn fixtures(out: &mut String, run: &Run<'_>) {
    out.push_str(
        "<section>\n<h2>Fixtures</h2>\n<form class=\"filter\" id=\"filter\" hidden>\n\
         <input type=\"search\" id=\"words\" placeholder=\"identifier, title or clause\" \
         aria-label=\"Filter by words\">\n\
         <label><input type=\"checkbox\" data-tone=\"pass\" checked> passed</label>\n\
         <label><input type=\"checkbox\" data-tone=\"skip\" checked> skipped</label>\n\
         <label><input type=\"checkbox\" data-tone=\"fail\" checked> failed</label>\n\
         <output id=\"shown\"></output>\n</form>\n",
    );
    let failing = run.verdicts.iter().filter(|verdict| class(verdict) == "fail").count();
    // What did not pass comes first; within that the order of the corpus stays.
    for tone in ["fail", "skip", "pass"] {
        for verdict in run.verdicts.iter().filter(|verdict| class(verdict) == tone) {
            fixture(out, run, verdict, tone, tone == "fail" && failing <= OPEN);
        }
    }
    out.push_str("</section>\n");
}

fn fixture(out: &mut String, run: &Run<'_>, verdict: &Verdict, tone: &str, is_open: bool) {
    let Some(entry) = run.entry(verdict) else { return };
    let id = escape(entry.id());
    let fixture = entry.fixture();
    let title = fixture.and_then(|fixture| fixture.title.as_deref()).unwrap_or_default();
    let covers = fixture.map(|fixture| fixture.covers.join(" ")).unwrap_or_default();
    let open = if is_open { " open" } else { "" };
    let words = escape(&format!("{} {title} {covers}", entry.id()).to_lowercase());
    let _ = write!(
        out,
        "<details class=\"fixture\" id=\"{id}\" data-tone=\"{tone}\" data-words=\"{words}\"{open}>\n\
         <summary><span class=\"label {tone}\">{}</span> <code>{id}</code> \
         <span class=\"title\">{}</span></summary>\n<div class=\"body\">\n",
        label(verdict),
        escape(title)
    );
    if !covers.is_empty() {
        let baseline = if verdict.baseline { " · baseline" } else { "" };
        let _ = writeln!(out, "<p class=\"quiet\">{}{baseline}</p>", escape(&covers));
    }
    if let Some(remark) = remark(verdict) {
        let _ = writeln!(out, "<p class=\"{tone}\">{}</p>", escape(&remark));
    }
    match &verdict.outcome {
        Outcome::Failed(differences) => {
            for difference in differences {
                let _ =
                    write!(out, "<h3>{}</h3>\n<pre class=\"diff\">", escape(&difference.place()));
                for line in lines(difference) {
                    let side = match line.mark {
                        Mark::Both => "both",
                        Mark::Wanted => "wanted",
                        Mark::Got => "got",
                    };
                    let sign = line.mark.sign();
                    let text = escape(&line.text);
                    let _ = write!(out, "<span class=\"{side}\">{sign} {text}</span>");
                }
                out.push_str("</pre>\n");
            }
        }
        Outcome::Invalid(_) => {
            let _ = writeln!(out, "<pre>{}</pre>", escape(&details(verdict).join("\n")));
        }
        _ => {}
    }
    if let Some(fixture) = fixture {
        question(out, fixture);
        let wanted = wanted(fixture);
        let got = verdict.answer.as_ref().map(got).unwrap_or_default();
        let _ = write!(
            out,
            "<div class=\"pair\">\n<div><h3>wanted</h3><pre>{}</pre></div>\n\
             <div><h3>got</h3><pre>{}</pre></div>\n</div>\n",
            escape(&wanted),
            escape(&got)
        );
    }
    if !verdict.log.is_empty() {
        let _ = writeln!(out, "<h3>log of the engine</h3>\n<pre>{}</pre>", escape(&verdict.log));
    }
    out.push_str("</div>\n</details>\n");
}

/// The rules, and what happens at which host.
fn question(out: &mut String, fixture: &Fixture) {
    let question = &fixture.question;
    let rules: Vec<String> = question.rules.iter().map(pretty).collect();
    let input = question.input_without_capability();
    let _ = write!(
        out,
        "<div class=\"pair\">\n<div><h3>rules</h3><pre>{}</pre></div>\n\
         <div><h3>input</h3><pre>{}</pre>\n<details><summary class=\"quiet\">capability \
         document</summary><pre>{}</pre></details></div>\n</div>\n",
        escape(&rules.join("\n")),
        escape(&input),
        escape(&pretty(&question.capability))
    );
}

fn wanted(fixture: &Fixture) -> String {
    let of = |expected: &Expected| match expected.is_empty() {
        true => "that the rules load".to_owned(),
        false => ordered(&expected.to_json()),
    };
    let mut parts = Vec::new();
    for (index, expected) in fixture.expected_of.iter().enumerate() {
        if let Some(expected) = expected {
            parts.push(format!("occurrence {index}: {}", of(expected)));
        }
    }
    parts.push(of(&fixture.expected));
    parts.join("\n")
}

fn got(answer: &Answer) -> String {
    match answer {
        Answer::Report { report, occurrences } => {
            let mut parts = Vec::new();
            if occurrences.len() > 1 {
                for (index, report) in occurrences.iter().enumerate() {
                    parts.push(format!("occurrence {index}: {}", report_of(report)));
                }
            }
            parts.push(report_of(report));
            parts.join("\n")
        }
        Answer::Rejected { error, phase } => {
            format!("{error}\n(refused in phase {})", phase.name())
        }
        Answer::Skipped { reason } => format!("skipped: {reason}"),
        Answer::Crashed { detail } | Answer::ProtocolError { detail } => detail.clone(),
        Answer::TimedOut { limit } => format!("no answer within {}", seconds(*limit)),
    }
}

/// What was got, in the order in which a person reads it, empty members left out.
fn report_of(report: &Value) -> String {
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    };
    let members: Map<String, Value> = report
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(_, value)| !is_empty(value))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    ordered(&Value::Object(members))
}

/// The members of a report or of an expectation in their usual order.
fn ordered(report: &Value) -> String {
    let line = |member| {
        let value = laid_out(report.get(member)?).replace('\n', "\n  ");
        Some(format!("  \"{member}\": {value}"))
    };
    let members: Vec<String> = REPORT.into_iter().chain(["error"]).filter_map(line).collect();
    format!("{{\n{}\n}}", members.join(",\n"))
}

fn laid_out(value: &Value) -> String {
    pretty(&Node::from_json(value))
}

fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => format!("{}{}.", first.to_uppercase(), chars.as_str()),
        None => String::new(),
    }
}

/// `text` with what stands in backticks as code.
fn prose(text: &str) -> String {
    let parts = text.split('`').enumerate();
    parts
        .map(|(index, part)| match index % 2 {
            0 => escape(part),
            _ => format!("<code>{}</code>", escape(part)),
        })
        .collect()
}

/// `text` for element content and attribute values.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // No text of a fixture may turn the page around.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            other => out.push(other),
        }
    }
    out
}
