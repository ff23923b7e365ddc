//! Finds the parts of a condition that need no host.
//!
//! Nodes have been counted before. A part that would raise is no constant: it raises when it is
//! evaluated, with its place. Text is never copied: the literals lie behind one another in the
//! tree's buffer, so `"a" + "b"` is a range that is there already.

use crate::Type;
use crate::arithmetic;
use crate::ast::{Ast, NodeId, NodeKind, UnaryOperator};
use crate::check::{Checked, Meaning};
use crate::program::Piece;
use crate::signatures::{self, Builtin, Comparison, Operation};

/// The value of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Constant {
    Bool(bool),
    Int(i64),
    Double(f64),
    /// A range of the tree's text.
    Text(Piece),
    /// A list literal of constant strings: its node.
    List(NodeId),
}

impl Constant {
    /// A number as a double.
    pub(crate) fn promoted(self) -> Option<f64> {
        match self {
            Self::Int(value) => Some(arithmetic::promote(value)),
            Self::Double(value) => Some(value),
            _ => None,
        }
    }
}

/// The constant of each node that has one.
pub(crate) fn fold(ast: &Ast, checked: &Checked) -> Vec<Option<Constant>> {
    let mut folder = Folder { ast, checked, constants: Vec::with_capacity(ast.nodes.len()) };
    for index in 0..ast.nodes.len() {
        let constant = folder.node(NodeId(crate::lexer::offset(index)));
        folder.constants.push(constant);
    }
    folder.constants
}

struct Folder<'c> {
    ast: &'c Ast,
    checked: &'c Checked,
    constants: Vec<Option<Constant>>,
}

impl Folder<'_> {
    fn get(&self, id: NodeId) -> Option<Constant> {
        self.constants.get(id.index()).copied().flatten()
    }

    fn ty(&self, id: NodeId) -> Option<Type> {
        self.checked.types.get(id.index()).copied()
    }

    fn text(&self, piece: Piece) -> &str {
        self.ast.string(piece.start, piece.end)
    }

    fn members(&self, list: NodeId) -> &[NodeId] {
        match self.ast.node(list).map(|node| node.kind) {
            Some(NodeKind::List(members)) => self.ast.children(members),
            _ => &[],
        }
    }

    fn node(&self, id: NodeId) -> Option<Constant> {
        match self.ast.node(id)?.kind {
            NodeKind::Bool(value) => Some(Constant::Bool(value)),
            // As the operand of a minus, 2^63 wraps to the least int, whose negation wraps back.
            NodeKind::Int { magnitude, .. } => Some(Constant::Int(magnitude.cast_signed())),
            NodeKind::Double(value) => Some(Constant::Double(value)),
            NodeKind::String { start, end } => Some(Constant::Text(Piece { start, end })),
            NodeKind::Name => None,
            NodeKind::List(members) => {
                let text = |id: &NodeId| matches!(self.get(*id), Some(Constant::Text(_)));
                self.ast.children(members).iter().all(text).then_some(Constant::List(id))
            }
            NodeKind::Call { arguments, .. } => self.call(id, self.ast.children(arguments)),
            NodeKind::Index { operand, subscript } => self.index(operand, subscript),
            NodeKind::Unary { operator, operand } => self.unary(operator, operand),
            NodeKind::Binary { operator, left, right } => {
                let operation = signatures::binary(operator, self.ty(left)?, self.ty(right)?)?;
                self.binary(operation, left, right)
            }
            NodeKind::Ternary { condition, first, second } => match self.get(condition)? {
                Constant::Bool(true) => self.get(first),
                _ => self.get(second),
            },
        }
    }

    fn call(&self, id: NodeId, arguments: &[NodeId]) -> Option<Constant> {
        let Meaning::Builtin(builtin) = *self.checked.meanings.get(id.index())? else {
            return None;
        };
        let first = self.get(*arguments.first()?)?;
        if builtin == Builtin::Size {
            let size = match first {
                Constant::Text(piece) => self.text(piece).chars().count(),
                Constant::List(list) => self.members(list).len(),
                _ => return None,
            };
            return i64::try_from(size).ok().map(Constant::Int);
        }
        let second = self.get(*arguments.get(1)?)?;
        let (Constant::Text(text), Constant::Text(needle)) = (first, second) else { return None };
        let (text, needle) = (self.text(text), self.text(needle));
        Some(Constant::Bool(match builtin {
            Builtin::StartsWith => text.starts_with(needle),
            Builtin::EndsWith => text.ends_with(needle),
            Builtin::Contains => text.contains(needle),
            Builtin::Size => return None,
        }))
    }

    fn index(&self, operand: NodeId, subscript: NodeId) -> Option<Constant> {
        let (Constant::List(list), Constant::Int(index)) =
            (self.get(operand)?, self.get(subscript)?)
        else {
            return None;
        };
        self.get(*self.members(list).get(usize::try_from(index).ok()?)?)
    }

    fn unary(&self, operator: UnaryOperator, operand: NodeId) -> Option<Constant> {
        let value = self.get(operand)?;
        match (operator, value) {
            (UnaryOperator::Not, Constant::Bool(value)) => Some(Constant::Bool(!value)),
            (UnaryOperator::Negate, Constant::Double(value)) => Some(Constant::Double(-value)),
            (UnaryOperator::Negate, Constant::Int(value)) => {
                let literal = self.ast.node(operand).map(|node| node.kind);
                if matches!(literal, Some(NodeKind::Int { negated: true, .. })) {
                    return Some(Constant::Int(value.wrapping_neg()));
                }
                arithmetic::negate_int(value).ok().map(Constant::Int)
            }
            _ => None,
        }
    }

    fn binary(&self, operation: Operation, left: NodeId, right: NodeId) -> Option<Constant> {
        let first = self.get(left)?;
        match (operation, first) {
            (Operation::And, Constant::Bool(false)) | (Operation::Or, Constant::Bool(true)) => {
                return Some(first);
            }
            (Operation::And | Operation::Or, _) => return self.get(right),
            _ => {}
        }
        let second = self.get(right)?;
        if let Operation::CompareDouble(comparison) = operation {
            return Some(Constant::Bool(comparison.holds(first.promoted()?, second.promoted()?)));
        }
        match (first, second) {
            (Constant::Int(a), Constant::Int(b)) => match operation {
                Operation::Int(op) => arithmetic::int(op, a, b).ok().map(Constant::Int),
                Operation::CompareInt(comparison) => Some(Constant::Bool(comparison.holds(a, b))),
                _ => None,
            },
            (Constant::Double(a), Constant::Double(b)) => match operation {
                Operation::Double(op) => arithmetic::double(op, a, b).ok().map(Constant::Double),
                _ => None,
            },
            (Constant::Bool(a), Constant::Bool(b)) => match operation {
                Operation::CompareBool(Comparison::Equal) => Some(Constant::Bool(a == b)),
                Operation::CompareBool(_) => Some(Constant::Bool(a != b)),
                _ => None,
            },
            (Constant::Text(a), Constant::Text(b)) => match operation {
                Operation::Concatenate if a.end == b.start => {
                    Some(Constant::Text(Piece { start: a.start, end: b.end }))
                }
                Operation::CompareString(comparison) => {
                    Some(Constant::Bool(comparison.holds(self.text(a), self.text(b))))
                }
                _ => None,
            },
            (Constant::Text(a), Constant::List(list)) => {
                let text = self.text(a);
                let found = self.members(list).iter().any(
                    |id| matches!(self.get(*id), Some(Constant::Text(b)) if self.text(b) == text),
                );
                Some(Constant::Bool(found))
            }
            _ => None,
        }
    }
}
