//! The rules that lints look at: sound ones, with what is known of each.

use std::cell::RefCell;
use std::collections::HashMap;

use oar_engine::diagnostic::Location;
use oar_engine::document::rule::Enforcement;
use oar_engine::load::{Checked, Needs};
use oar_expr::Span;

use super::Domain;
use super::logic::{Goal, Solver};
use crate::rules::{Condition, Rules, Term, Terms, Written};

/// A rule that loads.
pub(crate) struct Rule<'s> {
    pub(super) written: &'s Written,
    pub(super) name: String,
    pub(super) needs: &'s Needs,
    /// How it runs, configuration applied.
    pub(super) in_force: Enforcement,
    pub(super) condition: Option<Condition<'s>>,
    /// The terms of the nodes of the condition.
    pub(super) terms: Vec<u32>,
}

impl Rule<'_> {
    /// The whole condition.
    pub(super) fn whole(&self) -> Option<u32> {
        self.terms.last().copied()
    }

    /// The place of a part of the condition.
    pub(super) fn place_in_condition(&self, span: Span) -> Location {
        let mut place = self.written.place_of("when");
        if let Some(node) = self.written.root.get("when") {
            place.span = node.span_within(&self.written.file, span.range());
        }
        place
    }
}

/// Rules that are loaded together.
pub(crate) struct Set<'s> {
    /// In base order ([OAR-EVAL-1]).
    pub(super) rules: Vec<Rule<'s>>,
    by_name: HashMap<String, usize>,
    terms: RefCell<Terms>,
    pub(super) domain: Domain<'s>,
}

impl<'s> Set<'s> {
    pub(crate) fn new(rules: &'s Rules, checked: &'s Checked) -> Self {
        let mut terms = Terms::default();
        let by_place: HashMap<_, _> = checked
            .rules()
            .iter()
            .map(|rule| (place(&rule.location().file, rule.location().span), rule))
            .collect();
        let mut all = Vec::new();
        for written in rules.iter() {
            let found = by_place.get(&place(&written.file, written.root.span));
            let Some(found) = found.filter(|rule| rule.is_sound()) else { continue };
            let (Some(needs), Some(in_force)) = (found.needs(), found.enforcement()) else {
                continue;
            };
            let condition = written.condition();
            let meant = |reference: &str| written.qualify(reference);
            let own = condition.as_ref().map(|condition| terms.condition(condition, &meant));
            all.push(Rule {
                written,
                name: written.name(),
                needs,
                in_force,
                condition,
                terms: own.unwrap_or_default(),
            });
        }
        let by_name = all.iter().enumerate().map(|(at, rule)| (rule.name.clone(), at)).collect();
        let domain = Domain::new(checked.capability());
        Self { rules: all, by_name, terms: RefCell::new(terms), domain }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Rule<'s>> {
        self.rules.get(*self.by_name.get(name)?)
    }

    /// A term and its number.
    pub(super) fn term(&self, number: u32) -> Option<Term> {
        self.terms.borrow().get(number).cloned()
    }

    pub(super) fn number(&self, term: Term) -> u32 {
        self.terms.borrow_mut().number(term)
    }

    /// Whether all `goals` can be at once, at the moment of `rule`. What is too long to be told
    /// can be.
    pub(super) fn possible(&self, rule: &Rule<'_>, goals: &[Goal]) -> bool {
        let anchor = self.domain.published_anchor(rule.written.anchor());
        Solver::new(&mut self.terms.borrow_mut(), &self.domain, anchor).possible(goals)
    }

    /// What the selector of a rule asks of facts that are single strings.
    pub(super) fn selected(&self, rule: &Rule<'_>) -> Vec<Goal> {
        let clauses = rule.written.object("selector").into_iter().flat_map(|object| object.iter());
        let mut goals = Vec::new();
        for clause in clauses.filter(|clause| self.domain.is_string(&clause.name)) {
            let values = clause.node.as_array().unwrap_or_default().iter();
            let values = values.filter_map(|value| value.as_str());
            let values: Vec<u32> =
                values.map(|value| self.number(Term::String(value.to_owned()))).collect();
            let list = self.number(Term::List(values));
            let fact = self.number(Term::Name(clause.name.to_string()));
            goals.push((self.number(Term::Binary("in", fact, list)), true));
        }
        goals
    }
}

fn place(
    file: &std::sync::Arc<oar_engine::document::source::SourceFile>,
    span: Span,
) -> (String, u32, u32) {
    (file.name().to_owned(), span.start, span.end)
}
