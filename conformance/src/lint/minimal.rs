//! Whether every declaration of a capability document is needed ([OAR-CONF-36]).
//!
//! Each is taken out by itself, and the fixture is asked again: where the answer stays the same,
//! to the letter, the declaration only keeps engines away that cannot adopt it.

use oar_engine::document::source::{Format, Node, SourceFile};

use super::Finding;
use crate::fixture::wire::{Edit, Step, rewrite};
use crate::fixture::{Fixture, ReadAs, parse, read};
use crate::runner::{Answer, Engine};

pub(super) fn check(fixture: &Fixture, engine: &mut dyn Engine, findings: &mut Vec<Finding>) {
    let answer = engine.run(&fixture.question);
    for declaration in declarations(&fixture.question.capability) {
        if without(fixture, &declaration, engine).is_some_and(|other| other == answer) {
            findings.push(Finding {
                id: fixture.id().to_owned(),
                code: "OAR-CONF-36",
                message: format!("{} makes no difference", declaration.what),
            });
        }
    }
}

/// A declaration that could be missing.
struct Declaration {
    what: String,
    /// The way to it, from the capability document.
    path: Vec<Part>,
    /// What stands in its place; it is left out where there is nothing.
    instead: Option<&'static str>,
}

enum Part {
    Member(&'static str),
    Item(usize),
}

/// The floor of [OAR-EXPR-17], which declares nothing.
const NODES_FLOOR: i64 = 256;

fn declarations(capability: &Node) -> Vec<Declaration> {
    let mut found = Vec::new();
    let lists: [(&'static [&'static str], &str); 4] = [
        (&["profiles"], "the profile"),
        (&["detectors"], "the detector"),
        (&["host_facts"], "the host fact"),
        (&["anchors", "host"], "the host anchor"),
    ];
    for (path, what) in lists {
        let list = path.iter().try_fold(capability, |node, name| node.get(name));
        let items = list.and_then(Node::as_array).unwrap_or_default();
        for (index, item) in items.iter().enumerate() {
            let name = item.as_str().or_else(|| item.get("name")?.as_str()).unwrap_or("?");
            let mut path: Vec<Part> = path.iter().map(|name| Part::Member(name)).collect();
            path.push(Part::Item(index));
            found.push(Declaration { what: format!("{what} `{name}`"), path, instead: None });
        }
    }
    let mut scalar = |name: &'static str, is_claimed: bool, instead| {
        if is_claimed {
            let path = vec![Part::Member(name)];
            found.push(Declaration { what: format!("`{name}`"), path, instead: Some(instead) });
        }
    };
    let int = |name: &str| capability.get(name).and_then(|node| node.as_number()?.as_i64());
    scalar("activity_window", int("activity_window").is_some_and(|size| size > 0), "0");
    let nodes = int("expression_nodes_max");
    scalar("expression_nodes_max", nodes.is_some_and(|nodes| nodes > NODES_FLOOR), "256");
    let transforms = capability.get("supports_transform").and_then(Node::as_bool);
    scalar("supports_transform", transforms == Some(true), "false");
    found
}

/// What the engine answers when `declaration` is missing.
fn without(
    fixture: &Fixture,
    declaration: &Declaration,
    engine: &mut dyn Engine,
) -> Option<Answer> {
    let is_it = |path: &[Step<'_>]| {
        let Some((head, tail)) = path.split_at_checked(2) else { return false };
        head == [Step::Member("input"), Step::Member("capability")]
            && tail.len() == declaration.path.len()
            && tail.iter().zip(&declaration.path).all(|(step, part)| match (step, part) {
                (Step::Member(name), Part::Member(wanted)) => name == wanted,
                (Step::Item(index), Part::Item(wanted)) => index == wanted,
                _ => false,
            })
    };
    let text = rewrite(&fixture.question.root, |path| match declaration.instead {
        _ if !is_it(path) => Edit::Keep,
        Some(instead) => Edit::Replace(instead.to_owned()),
        None => Edit::Omit,
    });
    let file = SourceFile::new(fixture.question.source.name(), text, Format::Json);
    let root = parse(&file).ok()?;
    let changed = read(&file, root, "", ReadAs::Question).ok()?;
    Some(engine.run(&changed.question))
}
