//! Configuration documents: what an operator changes about loaded rules (section 9).

use std::collections::HashMap;

use super::failed::Failed;
use super::resolve::downgrades;
use super::rule_set::Rule;
use crate::diagnostic::{Diagnostic, advice_is_cheap};
use crate::document::rule::Enforcement;
use crate::document::schema::{DocumentKind, Placed, violations};
use crate::document::source::{Node, join_pointer};
use crate::document::version;

/// A statement of a configuration: the rule as it is spelled, what it shall be, and where.
pub(crate) struct Statement<'d> {
    reference: &'d str,
    enforcement: Enforcement,
    pointer: String,
    /// Whether the place is the name of a member, as in `enforcement`.
    by_name: bool,
}

/// A configuration document that fits the schema.
pub(crate) struct Config<'d> {
    placed: Placed<'d>,
    statements: Vec<Statement<'d>>,
}

impl<'d> Config<'d> {
    /// Reads a configuration: its version first ([OAR-CFG-1]), then its shape.
    ///
    /// # Errors
    /// Every violation.
    pub(crate) fn read(placed: Placed<'d>) -> Result<Self, Vec<Diagnostic>> {
        if let Some(text) = placed.root.get("oar_config").and_then(Node::as_str)
            && let Err(error) = version::check(text)
        {
            let message = format!("`oar_config` is `{text}`, which {}", error.reason());
            let diagnostic = Diagnostic::error("OAR-CFG-1", message);
            return Err(vec![placed.at(diagnostic, "/oar_config")]);
        }
        let diagnostics = violations(DocumentKind::Config, placed);
        if !diagnostics.is_empty() {
            return Err(diagnostics);
        }
        Ok(Self { placed, statements: statements(placed.root) })
    }

    /// Applies the document to the rules, over what earlier documents said ([OAR-CFG-7]).
    ///
    /// A reference to a rule whose own document failed is left aside, and so is every complaint
    /// about it.
    pub(crate) fn apply(
        &self,
        names: &Names,
        failed: &Failed,
        rules: &mut [Rule],
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let mut said: HashMap<u32, Enforcement> = HashMap::new();
        for statement in &self.statements {
            let fault = match names.find(statement.reference) {
                Found::One(rank) => self.state(statement, rank, &mut said, rules),
                Found::None if failed.covers_reference(statement.reference) => None,
                Found::None => {
                    let message = format!("rule `{}` is not loaded", statement.reference);
                    let mut diagnostic = Diagnostic::error("OAR-CFG-4", message);
                    let worth = advice_is_cheap(diagnostics.len(), rules.len());
                    let similar = worth.then(|| names.similar(statement.reference, rules));
                    if let Some(similar) = similar.flatten() {
                        diagnostic = diagnostic.help(format!("did you mean `{similar}`?"));
                    }
                    Some(diagnostic)
                }
                Found::Many(ranks) => {
                    let names: Vec<String> = ranks
                        .iter()
                        .filter_map(|rank| rules.get(*rank as usize))
                        .map(|rule| format!("`{}`", rule.qualified))
                        .collect();
                    let message =
                        format!("`{}` means any of {}", statement.reference, names.join(" and "));
                    let diagnostic = Diagnostic::error("OAR-CFG-8", message);
                    Some(diagnostic.help("write the qualified identifier"))
                }
            };
            if let Some(diagnostic) = fault {
                diagnostics.push(self.place(statement, diagnostic));
            }
        }
        #[expect(clippy::iter_over_hash_type, reason = "each rule is set once, order unseen")]
        for (rank, enforcement) in said {
            if let Some(rule) = rules.get_mut(rank as usize) {
                rule.enforcement = enforcement;
            }
        }
    }

    fn place(&self, statement: &Statement<'_>, diagnostic: Diagnostic) -> Diagnostic {
        if statement.by_name {
            self.placed.at_member(diagnostic, "/enforcement", statement.reference)
        } else {
            self.placed.at(diagnostic, &statement.pointer)
        }
    }

    /// One statement about one rule; two different ones in a document are refused.
    fn state(
        &self,
        statement: &Statement<'_>,
        rank: u32,
        said: &mut HashMap<u32, Enforcement>,
        rules: &[Rule],
    ) -> Option<Diagnostic> {
        let rule = rules.get(rank as usize)?;
        let over = statement.enforcement;
        if let Some(earlier) = said.insert(rank, over).filter(|earlier| *earlier != over) {
            let message = format!(
                "rule `{}` is said to be `{earlier}` and `{over}` in one configuration",
                rule.qualified
            );
            return Some(Diagnostic::error("OAR-CFG-7", message));
        }
        if rule.mandatory && downgrades(rule.declared, over) {
            let message =
                format!("rule `{}` is mandatory and cannot be set to `{over}`", rule.qualified);
            return Some(Diagnostic::error("OAR-CFG-5", message));
        }
        None
    }
}

fn statements(root: &Node) -> Vec<Statement<'_>> {
    let disabled = root.get("disable").and_then(Node::as_array).unwrap_or_default();
    let disable = disabled.iter().enumerate().filter_map(|(index, node)| {
        Some(Statement {
            reference: node.as_str()?,
            enforcement: Enforcement::Off,
            pointer: format!("/disable/{index}"),
            by_name: false,
        })
    });
    let object = root.get("enforcement").and_then(Node::as_object);
    let enforcement = object.into_iter().flat_map(|object| object.iter()).filter_map(|member| {
        Some(Statement {
            reference: &member.name,
            enforcement: Enforcement::parse(member.node.as_str()?)?,
            pointer: join_pointer("/enforcement", &member.name),
            by_name: true,
        })
    });
    disable.chain(enforcement).collect()
}

/// The loaded rules by the spellings that a configuration may use ([OAR-CFG-8]).
pub(crate) struct Names {
    qualified: HashMap<Box<str>, u32>,
    bare: HashMap<Box<str>, Vec<u32>>,
}

enum Found {
    One(u32),
    None,
    Many(Vec<u32>),
}

impl Names {
    pub(crate) fn new(rules: &[Rule]) -> Self {
        let mut names = Self { qualified: HashMap::new(), bare: HashMap::new() };
        for (rank, rule) in (0_u32..).zip(rules) {
            names.qualified.insert(rule.qualified.clone(), rank);
            names.bare.entry(rule.id().into()).or_default().push(rank);
        }
        names
    }

    /// The exact qualified identifier first; only then every rule with that bare one.
    fn find(&self, reference: &str) -> Found {
        if let Some(rank) = self.qualified.get(reference) {
            return Found::One(*rank);
        }
        match self.bare.get(reference).map(Vec::as_slice) {
            Some([rank]) => Found::One(*rank),
            Some(ranks @ [_, ..]) => Found::Many(ranks.to_vec()),
            _ => Found::None,
        }
    }

    fn similar(&self, reference: &str, rules: &[Rule]) -> Option<String> {
        let names: Vec<&str> = if reference.contains('/') {
            rules.iter().map(|rule| &*rule.qualified).collect()
        } else {
            rules.iter().map(Rule::id).collect()
        };
        crate::diagnostic::suggest(reference, names.into_iter())
    }
}
