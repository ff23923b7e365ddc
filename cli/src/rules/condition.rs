//! Conditions as terms: equal parts of all conditions have one number.
//!
//! What a person can write in two ways, with other blanks, quotes or parentheses, is one term.
//! So two conditions mean the same text when their terms are equal, and what a part says can be
//! kept beside its number. Nothing recurses on the text.

use std::collections::HashMap;

use oar_expr::{Ast, NodeId, NodeKind, Span, UnaryOperator};

/// A parsed condition.
#[derive(Clone, Debug)]
pub(crate) struct Condition<'t> {
    pub(crate) text: &'t str,
    pub(crate) ast: Ast,
}

impl<'t> Condition<'t> {
    /// Parses a text; `None` where it is no condition.
    pub(crate) fn parse(text: &'t str) -> Option<Self> {
        Some(Self { text, ast: oar_expr::parse(text).ok()? })
    }

    /// The text of a place in it.
    pub(crate) fn slice(&self, span: Span) -> &'t str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// The rules whose counters it reads: the name of the reader, the reference and its place.
    pub(crate) fn counters_read(&self) -> impl Iterator<Item = (&'t str, String, Span)> {
        self.ast.nodes().iter().filter_map(|node| {
            let NodeKind::Call { name, arguments } = node.kind else { return None };
            let name = self.slice(name);
            if !is_counter_reader(name) {
                return None;
            }
            let argument = self.ast.node(*self.ast.children(arguments).first()?)?;
            let NodeKind::String { start, end } = argument.kind else { return None };
            Some((name, self.ast.string(start, end).to_owned(), argument.span))
        })
    }

    /// The names that it uses, called or not.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'t str> {
        self.ast.nodes().iter().filter_map(|node| match node.kind {
            NodeKind::Name => Some(self.slice(node.span)),
            NodeKind::Call { name, .. } => Some(self.slice(name)),
            _ => None,
        })
    }
}

/// What a term is; its parts are the numbers of terms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Term {
    Bool(bool),
    Int(i128),
    /// The bits of a double.
    Double(u64),
    String(String),
    Name(String),
    Call(String, Vec<u32>),
    List(Vec<u32>),
    Index(u32, u32),
    Not(u32),
    Negate(u32),
    Binary(&'static str, u32, u32),
    Ternary(u32, u32, u32),
}

/// All terms seen so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Terms {
    terms: Vec<Term>,
    numbers: HashMap<Term, u32>,
}

impl Terms {
    /// The term of a number.
    pub(crate) fn get(&self, number: u32) -> Option<&Term> {
        self.terms.get(number as usize)
    }

    /// The number of a term.
    pub(crate) fn number(&mut self, term: Term) -> u32 {
        if let Some(number) = self.numbers.get(&term) {
            return *number;
        }
        let number = u32::try_from(self.terms.len()).unwrap_or(u32::MAX);
        self.terms.push(term.clone());
        self.numbers.insert(term, number);
        number
    }

    /// The numbers of the nodes of a condition, in their order; the last is the whole.
    /// `meant` is the rule that a reference in a counter reader means.
    pub(crate) fn condition(
        &mut self,
        condition: &Condition<'_>,
        meant: &dyn Fn(&str) -> String,
    ) -> Vec<u32> {
        let ast = &condition.ast;
        let mut numbers: Vec<u32> = Vec::with_capacity(ast.nodes().len());
        for node in ast.nodes() {
            let of = |id: NodeId| numbers.get(id.index()).copied().unwrap_or_default();
            let all = |ids: &[NodeId]| ids.iter().map(|id| of(*id)).collect::<Vec<u32>>();
            let term = match node.kind {
                NodeKind::Bool(value) => Term::Bool(value),
                NodeKind::Int { magnitude, negated } => {
                    let magnitude = i128::from(magnitude);
                    Term::Int(if negated { -magnitude } else { magnitude })
                }
                NodeKind::Double(value) => Term::Double(value.to_bits()),
                NodeKind::String { start, end } => Term::String(ast.string(start, end).to_owned()),
                NodeKind::Name => Term::Name(condition.slice(node.span).to_owned()),
                NodeKind::Call { name, arguments } => {
                    let name = condition.slice(name);
                    let mut arguments = all(ast.children(arguments));
                    if is_counter_reader(name) {
                        for argument in &mut arguments {
                            if let Some(Term::String(reference)) = self.get(*argument) {
                                *argument = self.number(Term::String(meant(reference)));
                            }
                        }
                    }
                    Term::Call(name.to_owned(), arguments)
                }
                NodeKind::List(members) => Term::List(all(ast.children(members))),
                NodeKind::Index { operand, subscript } => Term::Index(of(operand), of(subscript)),
                NodeKind::Unary { operator: UnaryOperator::Not, operand } => Term::Not(of(operand)),
                NodeKind::Unary { operator: UnaryOperator::Negate, operand } => {
                    // A minus before an int literal belongs to it ([OAR-EXPR-21]).
                    match ast.node(operand).map(|node| node.kind) {
                        Some(NodeKind::Int { magnitude, .. }) => Term::Int(-i128::from(magnitude)),
                        _ => Term::Negate(of(operand)),
                    }
                }
                NodeKind::Binary { operator, left, right } => {
                    Term::Binary(operator.symbol(), of(left), of(right))
                }
                NodeKind::Ternary { condition, first, second } => {
                    Term::Ternary(of(condition), of(first), of(second))
                }
            };
            numbers.push(self.number(term));
        }
        numbers
    }
}

/// Whether a function reads the counters of the rule that its argument names ([OAR-FIRE-11]).
pub(crate) fn is_counter_reader(name: &str) -> bool {
    matches!(name, "fire_count_of" | "breaker_count_of")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(terms: &mut Terms, text: &str) -> Option<u32> {
        terms.condition(&Condition::parse(text)?, &|name| format!("n/{name}")).last().copied()
    }

    #[test]
    fn what_is_written_in_two_ways_is_one_term() {
        let mut terms = Terms::default();
        for (one, other) in [
            ("a == 'x'", "(a   ==\n\"x\")"),
            ("a && (b && c)", "a && ((b) && c)"),
            ("x == -1", "x == -(1)"),
            ("f('a') > 1.0", "f(\"a\") > 1.0"),
            ("x in ['a', 'b']", "x in ([ 'a','b' ])"),
        ] {
            let (one, other) = (term(&mut terms, one), term(&mut terms, other));
            assert!(one.is_some() && one == other, "{one:?} {other:?}");
        }
        for (one, other) in [
            ("a && b && c", "a && (b && c)"),
            ("a == 1", "a == 1.0"),
            ("a == 1", "a == -1"),
            ("a ? b : c", "a ? c : b"),
            ("a", "b"),
        ] {
            assert_ne!(term(&mut terms, one), term(&mut terms, other), "{one} {other}");
        }
    }

    #[test]
    fn the_counters_that_are_read_are_found_with_their_places() {
        let text = "fire_count_of('A') > 1 && size(tool) > breaker_count_of(('n/B'))";
        let condition = Condition::parse(text).expect("a condition");
        let read: Vec<_> = condition
            .counters_read()
            .map(|(reader, rule, span)| format!("{reader} {rule} {}", condition.slice(span)))
            .collect();
        assert_eq!(read, ["fire_count_of A 'A'", "breaker_count_of n/B 'n/B'"]);
    }
}
