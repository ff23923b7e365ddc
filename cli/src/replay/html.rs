//! What a replay counted, as one page that needs nothing beside it.

use std::fmt::Write as _;

use oar_conformance::report::xml_escape as escape;

use super::Told;
use super::tally::{Changes, DECISIONS, OUTCOMES, Tally};
use super::text::{left_out, place, short, verdict};
use super::time::written;
use super::timeline::{Step, Timeline};

/// The page. Writing to a string cannot fail.
pub(super) fn page(told: &Told<'_>) -> String {
    let counts = &told.replayed.counts;
    let mut page = String::new();
    let title = format!("Replay of {}", escape(&told.log));
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{title}</title><style>{}</style></head><body>\n<h1>{title}</h1>\n",
        include_str!("page.css")
    );
    let span = match (counts.first, counts.last) {
        (Some(first), Some(last)) => format!(", {} to {}", written(first), written(last)),
        _ => String::new(),
    };
    let _ = writeln!(
        page,
        "<p>{} occurrences in {} sessions{span}</p>\n\
         <p class=\"aside\">rules <code>{}</code>, digest <code title=\"{}\">{}</code></p>",
        counts.occurrences,
        counts.sessions,
        escape(&told.rules),
        told.digest,
        short(told.digest),
    );
    if let Some((name, digest)) = &told.against {
        let _ = writeln!(
            page,
            "<p class=\"aside\">against <code>{}</code>, digest <code title=\"{digest}\">{}</code></p>",
            escape(name),
            short(digest)
        );
    }
    for (set, count) in counts.decided_by.iter().filter(|(set, _)| *set != told.digest) {
        let set = escape(short(set));
        let _ = writeln!(page, "<p>{count} recorded by another rule set, <code>{set}</code></p>");
    }
    if told.replayed.faulty > 0 {
        let faulty = told.replayed.faulty;
        let _ = writeln!(page, "<p class=\"bad\">{faulty} lines could not be replayed</p>");
    }
    for line in left_out(told) {
        let _ = writeln!(page, "<p class=\"aside\">{}</p>", escape(&line));
    }
    let compares = told.against.is_some();
    page += "<h2>Decisions over time</h2>\n";
    chart(&counts.timeline, compares, &mut page);
    if compares {
        section("Decisions that change", &counts.against, &mut page);
    }
    if counts.recorded.changed > 0 {
        section("Otherwise than decided then", &counts.recorded, &mut page);
    }
    page += "<h2>Rules</h2>\n";
    table(&counts.main, &mut page);
    if let (Some(tally), Some((name, _))) = (&counts.other, &told.against) {
        let _ = writeln!(page, "<h2>Rules of {}</h2>", escape(name));
        table(tally, &mut page);
    }
    page += "</body></html>\n";
    page
}

const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 220.0;

/// Stacked bars, one a step; a line of marks above where decisions change.
fn chart(timeline: &Timeline, compares: bool, page: &mut String) {
    let (Some(first), Some(last)) =
        (timeline.steps.keys().next(), timeline.steps.keys().next_back())
    else {
        *page += "<p class=\"aside\">nothing was replayed</p>\n";
        return;
    };
    let total = |step: &Step| step.decisions.iter().sum::<u64>();
    let most = timeline.steps.values().map(total).max().unwrap_or(1).max(1);
    let share = |part: u64| part as f64 / most as f64 * HEIGHT;
    let (steps, place) = ((last - first + 1) as f64, |at: i64| (at - first) as f64);
    let width = WIDTH / steps;
    let _ = write!(
        page,
        "<svg viewBox=\"0 -20 {WIDTH} {}\" role=\"img\" aria-label=\"decisions over time\">\
         <line class=\"axis\" x1=\"0\" y1=\"{HEIGHT}\" x2=\"{WIDTH}\" y2=\"{HEIGHT}\"/>",
        HEIGHT + 45.0
    );
    for (at, step) in &timeline.steps {
        let (left, mut top) = (place(*at) * width, HEIGHT);
        let start = label(timeline, *at);
        let _ = write!(page, "<g><title>{start}: {}</title>", described(step, compares));
        // The gravest stands at the foot, where even one is seen.
        for (decision, count) in DECISIONS.iter().zip(step.decisions).rev() {
            if count > 0 {
                let height = share(count).max(1.0);
                top -= height;
                let _ = write!(
                    page,
                    "<rect class=\"{}\" x=\"{left:.2}\" y=\"{top:.2}\" width=\"{:.2}\" height=\"{height:.2}\"/>",
                    decision.name(),
                    (width * 0.9).max(0.5),
                );
            }
        }
        if compares && step.changed > 0 {
            let middle = left + width * 0.45;
            let _ = write!(
                page,
                "<circle class=\"changed\" cx=\"{middle:.2}\" cy=\"{:.2}\" r=\"3\"/>",
                (top - 7.0).max(-15.0)
            );
        }
        *page += "</g>";
    }
    let below = HEIGHT + 18.0;
    let _ = write!(
        page,
        "<text x=\"0\" y=\"{below}\">{}</text>\
         <text x=\"{WIDTH}\" y=\"{below}\" text-anchor=\"end\">{}</text>\
         <text x=\"0\" y=\"-8\">{most}</text></svg>\n<ul class=\"legend\">",
        label(timeline, *first),
        label(timeline, *last),
    );
    for decision in DECISIONS {
        let name = decision.name();
        let _ = write!(page, "<li><span class=\"{name}\"></span>{name}</li>");
    }
    if compares {
        *page += "<li><span class=\"changed\"></span>some decision changes</li>";
    }
    *page += "</ul>\n";
}

fn label(timeline: &Timeline, at: i64) -> String {
    let start = at.saturating_mul(timeline.width);
    if timeline.timed { written(start) } else { format!("line {start}") }
}

fn described(step: &Step, compares: bool) -> String {
    let parts = DECISIONS.iter().zip(step.decisions).filter(|(_, count)| *count > 0);
    let mut parts: Vec<String> =
        parts.map(|(decision, count)| format!("{} {count}", decision.name())).collect();
    if compares {
        parts.push(format!("{} changed", step.changed));
    }
    parts.join(", ")
}

fn section(title: &str, changes: &Changes, page: &mut String) {
    let _ = writeln!(page, "<h2>{title}</h2>\n<p>{} of {}</p>", changes.changed, changes.compared);
    let mut all: Vec<_> = changes.by.iter().collect();
    all.sort_by_key(|(change, (count, _))| (std::cmp::Reverse(*count), *change));
    for ((before, after), (count, samples)) in all {
        let (before, after) = (escape(&verdict(before)), escape(&verdict(after)));
        let _ = write!(page, "<details><summary>{count} × {before} → {after}</summary>");
        for sample in samples {
            let _ = write!(page, "<p class=\"aside\">{}</p>", escape(&place(sample)));
        }
        *page += "</details>\n";
    }
}

fn table(tally: &Tally, page: &mut String) {
    *page += "<div class=\"scroll\"><table><thead><tr><th>rule</th>";
    for outcome in OUTCOMES {
        let _ = write!(page, "<th>{}</th>", outcome.name().replace('_', " "));
    }
    *page += "</tr></thead><tbody>\n";
    for (rule, counts) in &tally.rules {
        let _ = write!(page, "<tr><td><code>{}</code></td>", escape(rule));
        for count in counts {
            let class = if *count == 0 { " class=\"zero\"" } else { "" };
            let _ = write!(page, "<td{class}>{count}</td>");
        }
        *page += "</tr>\n";
    }
    *page += "</tbody></table></div>\n";
}
