//! The pages that show commands: each is run, and must print what the page shows.
//!
//! In a `console` block, a line that begins with `$ ` is a command, and what follows is its
//! output. `BLESS=1` writes the output anew.

use std::fs;
use std::path::PathBuf;

use crate::run::oar;
use crate::snapshot::root;

/// How a page may spell the command.
const SPELLINGS: [&str; 3] =
    ["oar ", "cargo run -q -p oar-cli -- ", "cargo run -q --release -p oar-cli -- "];

fn pages() -> Vec<PathBuf> {
    let docs = fs::read_dir(root().join("docs")).expect("docs");
    let docs = docs.map(|entry| entry.expect("readable").path());
    let mut pages: Vec<PathBuf> =
        docs.filter(|path| path.extension().is_some_and(|e| e == "md")).collect();
    pages.push(root().join("README.md"));
    pages.sort();
    pages
}

/// The page with the output of its commands as it is now, and how many there are.
fn rendered(text: &str) -> (String, usize) {
    let (mut out, mut inside, mut commands) = (Vec::new(), false, 0);
    let (mut code, mut foreign) = (0, false);
    for line in text.lines() {
        match (inside, line) {
            (false, "```console") => inside = true,
            (true, "```") => inside = false,
            (true, line) if line == "$ echo $?" => {
                out.push(line.to_owned());
                out.push(code.to_string());
                continue;
            }
            (true, line) if line.starts_with("$ ") => {
                let command = line.trim_start_matches("$ ");
                out.push(line.to_owned());
                // Another program: what the page shows of it is not ours to judge.
                let arguments = SPELLINGS.iter().find_map(|own| command.strip_prefix(own));
                foreign = arguments.is_none();
                let Some(arguments) = arguments else { continue };
                let ran = oar(&root(), arguments, "");
                commands += 1;
                code = ran.code;
                let text = ran.out + &ran.err;
                out.extend(text.trim_end().lines().map(str::to_owned));
                continue;
            }
            // Earlier output.
            (true, _) if !foreign => continue,
            (true, _) => {}
            (false, _) => {}
        }
        out.push(line.to_owned());
    }
    (out.join("\n") + "\n", commands)
}

#[test]
fn the_pages_show_what_the_commands_print() {
    let mut commands = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page");
        let (now, own) = rendered(&text);
        commands += own;
        if std::env::var_os("BLESS").is_some() {
            fs::write(&page, now).expect("a page");
        } else {
            assert!(text == now, "{} shows\n{text}\nand it is\n{now}", page.display());
        }
    }
    assert!(commands >= 10, "{commands}");
}

/// The rule on the first screen is the one that its command evaluates.
#[test]
fn the_rule_of_the_readme_is_the_one_of_the_example() {
    let readme = fs::read_to_string(root().join("README.md")).expect("README");
    let path = root().join("examples/first-rule/no-forced-push.yaml");
    let rule = fs::read_to_string(path).expect("a rule");
    assert!(readme.contains(&format!("```yaml\n{rule}```\n")));
    assert_eq!(rule.lines().count(), 8);
}

/// The cases that the page on testing shows pass.
#[test]
fn the_cases_of_the_page_on_testing_pass() {
    let page = fs::read_to_string(root().join("docs/testing.md")).expect("a page");
    let cases = page.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next());
    let read = |name: &str| fs::read_to_string(root().join("examples/first-rule").join(name));
    let directory = crate::run::Directory::with(&[
        ("capability.yaml", &read("capability.yaml").expect("a file")),
        ("rule.yaml", &read("no-forced-push.yaml").expect("a file")),
        ("rule.test.yaml", cases.expect("cases")),
    ]);
    let ran = directory.oar("test");
    assert!(ran.out.ends_with("ok: 2 cases passed\n"), "{}", ran.out);
}

/// The matcher of the page on editors finds every part of a line.
#[test]
fn concise_lines_have_the_shape_that_the_page_on_editors_says() {
    let ran = oar(
        &root(),
        "check docs/faulty.yaml --capability examples/first-rule/capability.yaml --format concise",
        "",
    );
    let line = ran.out.lines().next().expect("a line");
    let mut parts = line.splitn(4, ':');
    assert_eq!(parts.next(), Some("docs/faulty.yaml"));
    assert!(parts.next().is_some_and(|line| line.parse::<u32>().is_ok()));
    assert!(parts.next().is_some_and(|column| column.parse::<u32>().is_ok()));
    assert!(parts.next().is_some_and(|rest| rest.starts_with(" error[OAR-FACT-3] unknown name")));
}
