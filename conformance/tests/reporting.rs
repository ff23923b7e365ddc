//! Every report of one run that has an outcome of every kind. The texts stand in
//! `tests/snapshots`; `BLESS=1 cargo test -p oar-conformance --test reporting` writes them anew.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "this is test code"
)]

mod common;

use std::path::Path;
use std::time::Duration;

use common::{corpus, fixture};
use oar_conformance::fixture::{Corpus, Question};
use oar_conformance::report::{self, Terminal, Verbosity};
use oar_conformance::runner::{
    Answer, Claim, Engine, Engines, KnownFailures, Options, Phase, Run, Selection, run,
};
use serde_json::{Value, json};

/// Answers by the name of the fixture.
struct Canned;

impl Engines for Canned {
    fn start(&self) -> Box<dyn Engine> {
        Box::new(Self)
    }

    fn name(&self) -> String {
        "canned <engine>".to_owned()
    }
}

impl Engine for Canned {
    fn run(&mut self, question: &Question) -> Answer {
        let report = json!({
            "decision": "warn", "code": "A", "rule": "n/A",
            "applied": ["n/A:fired", "n/C:passed", "n/D:passed"],
            "counters": {"n/A": {"fire_count": 2}}, "copy": {"what": "a\u{202e}b"},
        });
        match question.id.as_str() {
            "crash" => Answer::Crashed { detail: "the engine ended: exit status 7".to_owned() },
            "late" => Answer::TimedOut { limit: Duration::from_millis(1500) },
            "garbled" => Answer::ProtocolError { detail: "the line is not JSON: <>&\"".to_owned() },
            "skip" | "skip-baseline" => Answer::Skipped { reason: "no profile `x` #1".to_owned() },
            "refused" => {
                Answer::Rejected { error: "one: `x`\ntwo".to_owned(), phase: Phase::Rules }
            }
            _ => Answer::Report { report: report.clone(), occurrences: vec![report] },
        }
    }

    fn log(&mut self) -> String {
        "a line of log\n".to_owned()
    }
}

fn everything() -> Corpus {
    let warn = || json!({"decision": "warn"});
    let mut skip = fixture("skip", warn());
    skip["input"]["capability"]["profiles"] = json!(["tool"]);
    let mut hostile = fixture("hostile", warn());
    hostile["title"] = json!("<script>alert(1)</script> & `more` | *all*");
    corpus(&[
        fixture("passes", warn()),
        fixture(
            "differs",
            json!({
                "decision": "block", "rule": "n/A", "code": "B",
                "applied": ["n/A:fired", "n/B:fired", "n/C:passed"],
                "counters": {"n/A": {"fire_count": 1}, "n/B": {"fire_count": 1}},
                "copy": {"what": "ab"},
            }),
        ),
        fixture("refused", warn()),
        fixture("runs", json!({"error": "OAR-DOC-9"})),
        skip,
        fixture("skip-baseline", warn()),
        fixture("crash", warn()),
        fixture("late", warn()),
        fixture("garbled", warn()),
        fixture("invalid", json!({"verdict": "warn"})),
        fixture("known", json!({"decision": "block"})),
        fixture("fixed", warn()),
        hostile,
    ])
}

/// The run, without the times, which are never the same.
fn ran(corpus: &Corpus) -> (Run<'_>, Claim) {
    let known = Some(KnownFailures::parse("known\nfixed\nunheard-of"));
    let options = Options { known, ..Options::default() };
    let mut run = run(corpus, &Canned, &options, &|_, _| {}).unwrap();
    run.took = Duration::from_millis(1234);
    for verdict in &mut run.verdicts {
        verdict.took = Duration::from_millis(1);
    }
    let claim = Claim::of(&run, &Selection::default());
    (run, claim)
}

fn matches_snapshot(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let wanted = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text, wanted, "{name} is not as it was; BLESS=1 takes the new text");
}

#[test]
fn the_terminal_shows_what_did_not_pass_and_how_it_differs() {
    let corpus = everything();
    let (run, claim) = ran(&corpus);
    matches_snapshot("terminal.txt", &Terminal::default().render(&run, &claim));
    let all = Terminal { verbosity: Verbosity::All, ..Terminal::default() }.render(&run, &claim);
    assert!(all.contains("PASS    passes\n") && all.contains("KNOWN   known\n"), "{all}");
    let everything = Terminal { verbosity: Verbosity::Everything, colour: true };
    let everything = everything.render(&run, &claim);
    assert!(
        everything.contains("        rule\n          {\n            \"anchor\""),
        "{everything}"
    );
    assert!(everything.contains("\u{1b}[31m- \"block\"\u{1b}[0m"), "{everything}");
}

#[test]
fn json_holds_every_outcome() {
    let corpus = everything();
    let (run, claim) = ran(&corpus);
    let report = report::json(&run, &claim);
    matches_snapshot("report.json", &format!("{report:#}\n"));
    assert_eq!(report["counts"]["failed"], json!(4));
    assert_eq!(report["success"], json!(false));
}

#[test]
fn junit_is_well_formed_and_counts_right() {
    let corpus = everything();
    let text = report::junit(&ran(&corpus).0);
    matches_snapshot("junit.xml", &text);
    let cases = text.matches("<testcase ").count();
    assert_eq!(cases, corpus.entries.len() + 1, "the known failure that is not there counts too");
    for (element, count) in [("failure", 5), ("error", 5), ("skipped", 2)] {
        assert_eq!(text.matches(&format!("<{element} ")).count(), count, "{element}");
        let plural = if element == "skipped" { element.to_owned() } else { format!("{element}s") };
        assert!(text.contains(&format!("{plural}=\"{count}\"")), "{plural}");
    }
}

#[test]
fn tap_and_markdown_tell_the_same() {
    let corpus = everything();
    let (run, claim) = ran(&corpus);
    matches_snapshot("report.tap", &report::tap(&run));
    matches_snapshot("report.md", &report::markdown(&run, &claim));
}

#[test]
fn the_page_stands_by_itself_and_escapes_what_it_shows() {
    let corpus = everything();
    let (run, claim) = ran(&corpus);
    let page = report::html(&run, &claim, &|clause| Some(format!("about `{clause}` <b>")));
    for outside in ["http:", "https:", "src=", "<link", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(!page.contains("<script>alert"), "a title must not run");
    assert!(page.contains("&lt;script&gt;alert(1)"));
    assert!(!page.contains('\u{202e}'), "copy must not turn the page around");
    assert!(page.contains("about <code>OAR-EVAL-4</code> &lt;b&gt;"));
    for entry in &corpus.entries {
        assert!(page.contains(&format!("id=\"{}\"", entry.id())), "{}", entry.id());
    }
    // Every element that is opened is closed.
    for element in ["details", "summary", "div", "pre", "section", "table", "span", "ul", "a"] {
        let opened = page.matches(&format!("<{element} ")).count()
            + page.matches(&format!("<{element}>")).count();
        assert_eq!(opened, page.matches(&format!("</{element}>")).count(), "{element}");
    }
}

#[test]
fn what_cannot_be_seen_is_written_out() {
    let difference = oar_conformance::compare::Difference {
        occurrence: None,
        member: "content",
        path: String::new(),
        wanted: json!("e\u{301}\u{200b}"),
        got: Some(json!("é\u{7}")),
    };
    let texts: Vec<String> = report::lines(&difference).into_iter().map(|l| l.text).collect();
    assert_eq!(texts, ["\"e\\u0301\\u200b\"", "\"é\\u0007\""]);
}

#[test]
fn lists_are_shown_side_by_side() {
    let shown = |wanted: Value, got: Value| -> Vec<String> {
        let difference = oar_conformance::compare::Difference {
            occurrence: None,
            member: "applied",
            path: String::new(),
            wanted,
            got: Some(got),
        };
        let line = |l: report::Line| format!("{}{}", l.mark.sign(), l.text);
        report::lines(&difference).into_iter().map(line).collect()
    };
    assert_eq!(shown(json!(["a", "b", "c"]), json!(["a", "c", "d"])), [" a", "-b", " c", "+d"]);
    assert_eq!(shown(json!([]), json!(["a"])), ["+a"]);
    assert_eq!(shown(json!(["a"]), json!([])), ["-a"]);
    assert_eq!(shown(json!(["a", "b"]), json!(["b", "a"])), ["-a", " b", "+a"]);
}
