//! A file of test cases: which rules it is about, what happens, and what is expected.

use std::path::{Path, PathBuf};

use oar_conformance::fixture::Expected;
use oar_engine::diagnostic::Diagnostic;
use oar_engine::document::source::{Node, Reading};
use oar_engine::load::RuleTexts;
use oar_engine::{Loader, RuleSet};

use crate::documents::{load, loader};
use crate::input::{self, Pack};
use crate::moment::{At, Moment};
use crate::output::Trouble;

/// The code of a fault in a file of cases, which no clause speaks of.
const CODE: &str = "test";

/// The version of the files that are read.
const VERSION: &str = "1.0";

/// A file of cases with the rules that they are about.
pub(super) struct Suite {
    pub(super) path: PathBuf,
    pub(super) rules: RuleSet,
    pub(super) texts: RuleTexts,
    pub(super) cases: Vec<Case>,
    /// What tells suites of the same rules from others, for the coverage.
    pub(super) key: String,
}

/// One case.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) line: u32,
    pub(super) steps: Vec<Step>,
    /// What is expected of the last occurrence, with the counters of all of them.
    pub(super) expected: Option<Expected>,
}

/// One occurrence of a case and what is expected of it alone.
pub(super) struct Step {
    pub(super) moment: Moment,
    pub(super) expected: Option<Expected>,
}

/// Reads the cases of a file and loads their rules.
///
/// # Errors
/// When something cannot be read or does not load.
pub(super) fn read(path: &Path) -> Result<Suite, Trouble> {
    let reading = input::documents(path)?;
    let [document] = reading.documents.as_slice() else {
        let message = format!(
            "`{}` holds {} documents, not one",
            input::shown(path),
            reading.documents.len()
        );
        return Err(Trouble::Usage(message));
    };
    let root = At { file: &reading.file, node: &document.root, pointer: String::new() };
    let mut faults = Vec::new();
    header(&root, &mut faults);
    let texts = |name: &str, faults: &mut Vec<Diagnostic>| -> Vec<PathBuf> {
        let base = path.parent().unwrap_or(Path::new(""));
        let Some(member) = root.member(name) else { return Vec::new() };
        let names = match member.node.as_str() {
            Some(one) => vec![one.to_owned()],
            None => member.strings(faults).unwrap_or_default(),
        };
        names.iter().map(|name| base.join(name)).collect()
    };
    let rules = texts("rules", &mut faults);
    let capability = texts("capability", &mut faults);
    let config = texts("config", &mut faults);
    if !faults.is_empty() {
        return Err(Trouble::Documents(faults));
    }
    let (loader, key) = sources(path, &rules, &capability, &config)?;
    let set = load(&loader)?.rules;
    let cases = cases(&reading, &root, &set)?;
    let texts = loader.texts();
    Ok(Suite { path: path.to_owned(), rules: set, texts, cases, key })
}

fn header(root: &At<'_>, faults: &mut Vec<Diagnostic>) {
    if root.node.as_object().is_none() {
        faults.push(root.fault(CODE, "a file of cases is an object with `oar_test` and `cases`"));
        return;
    }
    let known = ["oar_test", "rules", "capability", "config", "cases"];
    root.unknown(CODE, "a file of cases", &known, faults);
    match root.member("oar_test") {
        None => {
            let fault = root.fault(CODE, "`oar_test` is missing");
            faults.push(fault.help(format!("write `oar_test: \"{VERSION}\"`")));
        }
        Some(version) if version.node.as_str() != Some(VERSION) => {
            let fault = version.fault(CODE, "this version of test files is not known");
            faults.push(fault.help(format!("write `oar_test: \"{VERSION}\"`, in quotes")));
        }
        Some(_) => {}
    }
}

/// A loader of the rules that a file names, or else of the pack that it lies in.
fn sources(
    path: &Path,
    rules: &[PathBuf],
    capability: &[PathBuf],
    config: &[PathBuf],
) -> Result<(Loader, String), Trouble> {
    let own = if rules.is_empty() { vec![pack_of(path)?] } else { rules.to_vec() };
    let mut all = Pack::default();
    for pack in input::gather(&own)? {
        all.rules.extend(pack.rules);
        all.configs.extend(pack.configs);
        all.capabilities.extend(pack.capabilities);
    }
    let files = |paths: &[PathBuf]| {
        paths.iter().map(|path| input::file(path)).collect::<Result<Vec<_>, Trouble>>()
    };
    if !capability.is_empty() {
        all.capabilities = files(capability)?;
    }
    if !config.is_empty() {
        all.configs = files(config)?;
    }
    let every = all.rules.iter().chain(&all.capabilities).chain(&all.configs);
    let key: Vec<String> = every.map(|input| input::shown(&input.path)).collect();
    Ok((loader(&all)?, key.join("\n")))
}

/// The nearest directory above a file that holds a capability document.
fn pack_of(path: &Path) -> Result<PathBuf, Trouble> {
    for directory in path.ancestors().skip(1) {
        let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
        let names = ["capability.yaml", "capability.yml", "capability.json"];
        if names.iter().any(|name| directory.join(name).is_file()) {
            return Ok(directory.to_owned());
        }
    }
    Err(Trouble::Usage(format!(
        "`{}` lies in no pack: name its rules and its capability document in `rules` and `capability`",
        input::shown(path)
    )))
}

fn cases(reading: &Reading, root: &At<'_>, rules: &RuleSet) -> Result<Vec<Case>, Trouble> {
    let mut faults = Vec::new();
    let Some(items) = root.member("cases").and_then(|cases| cases.items()) else {
        return Err(Trouble::Documents(vec![root.fault(CODE, "`cases` is missing: a list")]));
    };
    let mut cases: Vec<Case> = Vec::new();
    for at in items {
        let found = match case(reading, &at, rules) {
            Ok(found) => found,
            Err(found) => {
                faults.extend(found);
                continue;
            }
        };
        if cases.iter().any(|case| case.name == found.name) {
            let name = at.member("name").unwrap_or(at);
            faults.push(name.fault(CODE, format!("two cases are named `{}`", found.name)));
        }
        cases.push(found);
    }
    if faults.is_empty() { Ok(cases) } else { Err(Trouble::Documents(faults)) }
}

fn case(reading: &Reading, at: &At<'_>, rules: &RuleSet) -> Result<Case, Vec<Diagnostic>> {
    let mut faults = Vec::new();
    let name = match at.member("name") {
        Some(name) => name.string(&mut faults).unwrap_or_default(),
        None => {
            faults.push(at.fault(CODE, "`name` is missing: what the case shows"));
            String::new()
        }
    };
    let expected = expected(reading, at, &mut faults);
    let mut steps = Vec::new();
    let mut step = |at: &At<'_>, beside: &[&str], own: bool, faults: &mut Vec<Diagnostic>| {
        let expected = if own { self::expected(reading, at, faults) } else { None };
        match Moment::read(at, beside, rules) {
            Ok(moment) => steps.push(Step { moment, expected }),
            Err(found) => faults.extend(found),
        }
    };
    match at.member("occurrences") {
        None => step(at, &["name", "expect"], false, &mut faults),
        Some(occurrences) => {
            at.unknown(
                CODE,
                "a case with occurrences",
                &["name", "expect", "occurrences"],
                &mut faults,
            );
            match occurrences.items() {
                Some(items) if !items.is_empty() => {
                    for item in items {
                        step(&item, &["expect"], true, &mut faults);
                    }
                }
                _ => {
                    faults.push(occurrences.fault(CODE, "`occurrences` is a list of at least one"))
                }
            }
        }
    }
    if expected.is_none() && steps.iter().all(|step| step.expected.is_none()) && faults.is_empty() {
        faults.push(at.fault(CODE, "the case expects nothing: say what in `expect`"));
    }
    let line = reading.file.line_column(at.node.span.start).line;
    if faults.is_empty() { Ok(Case { name, line, steps, expected }) } else { Err(faults) }
}

/// What is expected at `at`: the members of a report, or a decision alone.
fn expected(reading: &Reading, at: &At<'_>, faults: &mut Vec<Diagnostic>) -> Option<Expected> {
    let expect = at.member("expect")?;
    let short = expect.node.as_str().map(|decision| {
        let value = serde_json::json!({"decision": decision});
        let mut node = Node::from_json(&value);
        node.span = expect.node.span;
        node
    });
    let node = short.as_ref().unwrap_or(expect.node);
    match Expected::of_occurrence(&reading.file, node, &expect.pointer) {
        Ok(expected) if expected.is_empty() => {
            faults.push(expect.fault(CODE, "`expect` holds nothing"));
            None
        }
        Ok(expected) => Some(expected),
        Err(found) => {
            // The fixtures of the standard say `expected`.
            let place = |fault: Diagnostic| {
                let message = fault.message().replace("`expected`", "`expect`");
                match fault.location().filter(|_| short.is_none()) {
                    Some(at) => {
                        Diagnostic::error(CODE, message).at(&at.file, at.span, &*at.pointer)
                    }
                    None => expect.fault(CODE, message),
                }
            };
            faults.extend(found.into_iter().map(place));
            None
        }
    }
}
