//! Evaluates a condition node by node, so that a person can see what every part came to.
//!
//! It walks the tree with a heap stack, asks the host for the same values in the same order as
//! [`Program::evaluate`](crate::Program::evaluate), and comes to the same result; it is slower by
//! far and keeps a value for every node. What short-circuiting passes over is marked as skipped.

use std::borrow::Cow;
use std::fmt;

use crate::arithmetic::{self, Fault};
use crate::ast::{Ast, BinaryOperator, NodeId, NodeKind, UnaryOperator};
use crate::check::{Checked, Meaning};
use crate::error::Error;
use crate::program::checked;
use crate::signatures::{self, Builtin, Operation};
use crate::{
    Host, Limits, Map, MapList, Member, RaiseKind, Scalar, Span, StringList, Symbols, Type, Value,
};

/// What every part of a condition came to.
#[derive(Clone, Debug)]
pub struct Explanation<E> {
    ast: Ast,
    /// By node.
    came_to: Vec<CameTo<E>>,
}

/// What a node came to.
#[derive(Clone, Debug, PartialEq)]
pub enum CameTo<E> {
    /// It has a value.
    Value(Seen),
    /// It was not evaluated, because what stands before it decided.
    Skipped,
    /// It raised.
    Raised(RaiseKind<E>),
    /// A part of it raised.
    Unfinished,
}

/// A value, to be shown. Its `Display` is the spelling of the condition language where that has
/// one.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    /// A `bool`.
    Bool(bool),
    /// An `int`.
    Int(i64),
    /// A `double`.
    Double(f64),
    /// A `string`.
    String(String),
    /// A `list<string>`.
    List(Vec<String>),
    /// A `map`, or a `map<string,string>`: the number of its members.
    Map(usize),
    /// A `list<map>`: the number of its members.
    Maps(usize),
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(f, "{value}"),
            Self::Int(value) => write!(f, "{value}"),
            Self::Double(value) => write!(f, "{value:?}"),
            Self::String(text) => quoted(text, f),
            Self::List(members) => {
                f.write_str("[")?;
                for (index, member) in members.iter().enumerate() {
                    if index > 0 {
                        f.write_str(", ")?;
                    }
                    quoted(member, f)?;
                }
                f.write_str("]")
            }
            Self::Map(1) => f.write_str("map of 1 member"),
            Self::Map(length) => write!(f, "map of {length} members"),
            Self::Maps(1) => f.write_str("list of 1 map"),
            Self::Maps(length) => write!(f, "list of {length} maps"),
        }
    }
}

/// In double quotes, with the escapes of the language for what would not be seen.
fn quoted(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("\"")?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            c if c.is_control() => write!(f, "\\u{:04x}", u32::from(c))?,
            c => write!(f, "{c}")?,
        }
    }
    f.write_str("\"")
}

impl<E> Explanation<E> {
    /// The tree that was evaluated.
    #[must_use]
    pub fn ast(&self) -> &Ast {
        &self.ast
    }

    /// What a node came to; `None` for the id of another tree.
    #[must_use]
    pub fn came_to(&self, id: NodeId) -> Option<&CameTo<E>> {
        self.came_to.get(id.index())
    }

    /// Every node with what it came to, children before parents.
    pub fn steps(&self) -> impl Iterator<Item = (Span, NodeKind, &CameTo<E>)> {
        self.ast.nodes.iter().zip(&self.came_to).map(|(node, came)| (node.span, node.kind, came))
    }

    /// The value of the condition.
    ///
    /// # Errors
    /// The place and the reason of what raised.
    pub fn result(&self) -> Result<bool, (Span, &RaiseKind<E>)> {
        let raised = self.steps().find_map(|(span, _, came_to)| match came_to {
            CameTo::Raised(kind) => Some((span, kind)),
            _ => None,
        });
        match (raised, self.came_to.last()) {
            (Some(raised), _) => Err(raised),
            (None, Some(CameTo::Value(Seen::Bool(value)))) => Ok(*value),
            // A checked condition has a bool at its root.
            (None, _) => Ok(false),
        }
    }
}

/// Evaluates a condition and keeps what every node came to.
///
/// # Errors
/// What is wrong with the text, as [`compile`](crate::compile) says it.
///
/// # Examples
/// ```
/// # use oar_expr::{CameTo, Host, Limits, Scalar, Symbol, Symbols, Type, Value, explain};
/// # struct Declared;
/// # impl Symbols for Declared {
/// #     fn symbol(&self, _: &str) -> Option<Symbol> {
/// #         Some(Symbol::Fact { slot: 0, ty: Type::String })
/// #     }
/// #     fn names(&self, _: &mut dyn FnMut(&str)) {}
/// # }
/// # struct Call;
/// # impl Host<'static> for Call {
/// #     type Error = &'static str;
/// #     fn fact(&mut self, _: u32) -> Result<Value<'static>, Self::Error> {
/// #         Ok(Value::String("read"))
/// #     }
/// #     fn call(&mut self, _: u32, _: Value<'_>) -> Result<Scalar<'static>, Self::Error> {
/// #         Err("no function")
/// #     }
/// #     fn reference(&mut self, _: u32) -> Result<Value<'static>, Self::Error> {
/// #         Err("no counter")
/// #     }
/// # }
/// let condition = "tool == 'write' && size(tool) > 3";
/// let explained = explain(condition, &Declared, &Limits::default(), &mut Call).unwrap();
/// assert_eq!(explained.result(), Ok(false));
/// let skipped = explained.steps().filter(|(.., came_to)| **came_to == CameTo::Skipped);
/// let texts: Vec<&str> = skipped.map(|(span, ..)| &condition[span.range()]).collect();
/// assert_eq!(texts, ["tool", "size(tool)", "3", "size(tool) > 3"]);
/// ```
pub fn explain<'a, H: Host<'a>>(
    source: &str,
    symbols: &dyn Symbols,
    limits: &Limits,
    host: &mut H,
) -> Result<Explanation<H::Error>, Vec<Error>> {
    let (ast, checked) = checked(source, symbols, limits)?;
    let mut walker = Walker {
        ast: &ast,
        checked: &checked,
        host,
        values: vec![None; ast.node_count()],
        raised: None,
        tasks: vec![Task::Enter(ast.root())],
    };
    walker.run();
    let Walker { values, mut raised, .. } = walker;
    let mut came_to = Vec::with_capacity(ast.node_count());
    for (index, value) in values.iter().enumerate() {
        came_to.push(match (value, &raised) {
            (Some(value), _) => CameTo::Value(value.seen()),
            (None, Some((at, _))) if at.index() == index => match raised.take() {
                Some((_, kind)) => CameTo::Raised(kind),
                None => CameTo::Skipped,
            },
            (None, _) => CameTo::Skipped,
        });
    }
    mark_unfinished(&ast, &mut came_to);
    Ok(Explanation { ast, came_to })
}

/// What a raise ended stands above it: every parent of the node that raised.
fn mark_unfinished<E>(ast: &Ast, came_to: &mut [CameTo<E>]) {
    for index in 0..ast.nodes.len() {
        let Some(node) = ast.nodes.get(index) else { return };
        let ended = |id: &NodeId| {
            matches!(came_to.get(id.index()), Some(CameTo::Raised(_) | CameTo::Unfinished))
        };
        let by_child = match node.kind {
            NodeKind::Call { arguments: children, .. } | NodeKind::List(children) => {
                ast.children(children).iter().any(ended)
            }
            NodeKind::Index { operand, subscript } => ended(&operand) || ended(&subscript),
            NodeKind::Unary { operand, .. } => ended(&operand),
            NodeKind::Binary { left, right, .. } => ended(&left) || ended(&right),
            NodeKind::Ternary { condition, first, second } => {
                ended(&condition) || ended(&first) || ended(&second)
            }
            _ => false,
        };
        if let Some(own) = came_to.get_mut(index).filter(|_| by_child) {
            *own = CameTo::Unfinished;
        }
    }
}

/// A value on the way.
#[derive(Clone, Debug)]
enum Held<'a> {
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(Cow<'a, str>),
    Strings(&'a dyn StringList),
    Map(&'a dyn Map),
    Maps(&'a dyn MapList),
    /// A list literal.
    Built(Vec<Held<'a>>),
}

impl Held<'_> {
    fn seen(&self) -> Seen {
        match self {
            Self::Bool(value) => Seen::Bool(*value),
            Self::Int(value) => Seen::Int(*value),
            Self::Double(value) => Seen::Double(*value),
            Self::Text(text) => Seen::String(text.to_string()),
            Self::Strings(list) => {
                let members = (0..list.len()).filter_map(|index| list.get(index));
                Seen::List(members.map(str::to_owned).collect())
            }
            Self::Map(map) => Seen::Map(map.len()),
            Self::Maps(list) => Seen::Maps(list.len()),
            Self::Built(members) => {
                let text = |member: &Held<'_>| match member {
                    Held::Text(text) => Some(text.to_string()),
                    _ => None,
                };
                match members.iter().map(text).collect() {
                    Some(texts) => Seen::List(texts),
                    None => Seen::Maps(members.len()),
                }
            }
        }
    }

    fn size(&self) -> usize {
        match self {
            Self::Text(text) => text.chars().count(),
            Self::Strings(list) => list.len(),
            Self::Map(map) => map.len(),
            Self::Maps(list) => list.len(),
            Self::Built(members) => members.len(),
            Self::Bool(_) | Self::Int(_) | Self::Double(_) => 0,
        }
    }
}

/// Something left to do; the last one is done first.
#[derive(Clone, Copy)]
enum Task {
    Enter(NodeId),
    /// The operands have values.
    Finish(NodeId),
    /// The operand that may decide has one.
    Choose(NodeId),
}

struct Walker<'w, 'a, H: Host<'a>> {
    ast: &'w Ast,
    checked: &'w Checked,
    host: &'w mut H,
    values: Vec<Option<Held<'a>>>,
    raised: Option<(NodeId, RaiseKind<H::Error>)>,
    tasks: Vec<Task>,
}

impl<'a, H: Host<'a>> Walker<'_, 'a, H> {
    fn run(&mut self) {
        while let Some(task) = self.tasks.pop() {
            let (id, result) = match task {
                Task::Enter(id) => {
                    self.enter(id);
                    continue;
                }
                Task::Choose(id) => {
                    self.choose(id);
                    continue;
                }
                Task::Finish(id) => (id, self.finish(id)),
            };
            match result {
                Ok(value) => self.set(id, value),
                Err(kind) => {
                    self.raised = Some((id, kind));
                    return;
                }
            }
        }
    }

    fn set(&mut self, id: NodeId, value: Held<'a>) {
        if let Some(place) = self.values.get_mut(id.index()) {
            *place = Some(value);
        }
    }

    fn get(&self, id: NodeId) -> Option<&Held<'a>> {
        self.values.get(id.index())?.as_ref()
    }

    fn kind(&self, id: NodeId) -> NodeKind {
        self.ast.node(id).map_or(NodeKind::Bool(false), |node| node.kind)
    }

    fn ty(&self, id: NodeId) -> Type {
        self.checked.types.get(id.index()).copied().unwrap_or(Type::Bool)
    }

    fn meaning(&self, id: NodeId) -> Meaning {
        self.checked.meanings.get(id.index()).copied().unwrap_or(Meaning::None)
    }

    fn enter(&mut self, id: NodeId) {
        let ast = self.ast;
        match self.kind(id) {
            NodeKind::Binary {
                operator: BinaryOperator::And | BinaryOperator::Or, left, ..
            } => {
                self.tasks.extend([Task::Choose(id), Task::Enter(left)]);
            }
            NodeKind::Ternary { condition, .. } => {
                self.tasks.extend([Task::Choose(id), Task::Enter(condition)]);
            }
            kind => {
                self.tasks.push(Task::Finish(id));
                match kind {
                    NodeKind::Unary { operand, .. } => self.tasks.push(Task::Enter(operand)),
                    NodeKind::Binary { left, right, .. } => {
                        self.tasks.extend([Task::Enter(right), Task::Enter(left)]);
                    }
                    NodeKind::Index { operand, subscript } => {
                        self.tasks.extend([Task::Enter(subscript), Task::Enter(operand)]);
                    }
                    // The argument of a reference is no value: it was resolved at load.
                    NodeKind::Call { .. } if matches!(self.meaning(id), Meaning::Reference(_)) => {}
                    NodeKind::Call { arguments: children, .. } | NodeKind::List(children) => {
                        let children = ast.children(children).iter().rev();
                        self.tasks.extend(children.map(|child| Task::Enter(*child)));
                    }
                    _ => {}
                }
            }
        }
    }

    /// Goes on with the operand that decides (OAR-EXPR-5).
    fn choose(&mut self, id: NodeId) {
        let value = |this: &Self, id| matches!(this.get(id), Some(Held::Bool(true)));
        match self.kind(id) {
            NodeKind::Binary { operator, left, right } => {
                let left = value(self, left);
                if left == (operator == BinaryOperator::Or) {
                    self.set(id, Held::Bool(left));
                } else {
                    self.tasks.extend([Task::Finish(id), Task::Enter(right)]);
                }
            }
            NodeKind::Ternary { condition, first, second } => {
                let chosen = if value(self, condition) { first } else { second };
                self.tasks.extend([Task::Finish(id), Task::Enter(chosen)]);
            }
            _ => {}
        }
    }

    fn finish(&mut self, id: NodeId) -> Result<Held<'a>, RaiseKind<H::Error>> {
        match self.kind(id) {
            NodeKind::Bool(value) => Ok(Held::Bool(value)),
            // As the operand of a minus, 2^63 wraps to the least int, whose negation wraps back.
            NodeKind::Int { magnitude, .. } => Ok(Held::Int(magnitude.cast_signed())),
            NodeKind::Double(value) => Ok(Held::Double(value)),
            NodeKind::String { start, end } => {
                Ok(Held::Text(Cow::Owned(self.ast.string(start, end).to_owned())))
            }
            NodeKind::Name => {
                let Meaning::Fact(slot) = self.meaning(id) else {
                    return Err(RaiseKind::WrongType);
                };
                let value = self.host.fact(slot).map_err(RaiseKind::Host)?;
                held(value, self.ty(id))
            }
            NodeKind::Call { arguments, .. } => self.call(id, arguments),
            NodeKind::List(members) => {
                let members = self.ast.children(members).iter();
                Ok(Held::Built(members.filter_map(|member| self.get(*member).cloned()).collect()))
            }
            NodeKind::Index { operand, subscript } => self.index(operand, subscript),
            NodeKind::Unary { operator, operand } => self.unary(operator, operand),
            NodeKind::Binary { operator, left, right } => self.binary(operator, left, right),
            NodeKind::Ternary { first, second, .. } => {
                let chosen = self.get(first).or_else(|| self.get(second));
                chosen.cloned().ok_or(RaiseKind::WrongType)
            }
        }
    }

    fn call(
        &mut self,
        id: NodeId,
        arguments: crate::ast::Children,
    ) -> Result<Held<'a>, RaiseKind<H::Error>> {
        let ast = self.ast;
        let arguments = ast.children(arguments);
        let argument = |index: usize| self.get(*arguments.get(index)?);
        match self.meaning(id) {
            Meaning::Builtin(Builtin::Size) => {
                let size = argument(0).map(Held::size).unwrap_or_default();
                Ok(Held::Int(i64::try_from(size).unwrap_or(i64::MAX)))
            }
            Meaning::Builtin(builtin) => {
                let (Some(Held::Text(text)), Some(Held::Text(needle))) = (argument(0), argument(1))
                else {
                    return Err(RaiseKind::WrongType);
                };
                let (text, needle) = (&**text, &**needle);
                Ok(Held::Bool(match builtin {
                    Builtin::StartsWith => text.starts_with(needle),
                    Builtin::EndsWith => text.ends_with(needle),
                    _ => text.contains(needle),
                }))
            }
            Meaning::Function(slot) => {
                let lent = match argument(0).cloned() {
                    Some(Held::Bool(value)) => self.host.call(slot, Value::Bool(value)),
                    Some(Held::Int(value)) => self.host.call(slot, Value::Int(value)),
                    Some(Held::Double(value)) => self.host.call(slot, Value::Double(value)),
                    Some(Held::Text(text)) => self.host.call(slot, Value::String(&text)),
                    _ => return Err(RaiseKind::WrongType),
                };
                match (lent.map_err(RaiseKind::Host)?, self.ty(id)) {
                    (Scalar::Bool(value), Type::Bool) => Ok(Held::Bool(value)),
                    (Scalar::Int(value), Type::Int) => Ok(Held::Int(value)),
                    (Scalar::Double(value), Type::Double) if value.is_finite() => {
                        Ok(Held::Double(value))
                    }
                    (Scalar::String(value), Type::String) => Ok(Held::Text(value)),
                    _ => Err(RaiseKind::WrongType),
                }
            }
            Meaning::Reference(index) => {
                let value = self.host.reference(index).map_err(RaiseKind::Host)?;
                held(value, self.ty(id))
            }
            Meaning::Fact(_) | Meaning::None => Err(RaiseKind::WrongType),
        }
    }

    fn index(&self, operand: NodeId, subscript: NodeId) -> Result<Held<'a>, RaiseKind<H::Error>> {
        match (self.get(operand), self.get(subscript)) {
            (Some(Held::Map(map)), Some(Held::Text(key))) => match map.get(key) {
                Some(Member::String(text)) => Ok(Held::Text(Cow::Borrowed(text))),
                Some(_) => Err(RaiseKind::WrongType),
                None => Err(RaiseKind::KeyAbsent),
            },
            (Some(list), Some(Held::Int(index))) => {
                let index = usize::try_from(*index).ok();
                let member = index.and_then(|index| match list {
                    Held::Strings(list) => list.get(index).map(|text| Held::Text(text.into())),
                    Held::Maps(list) => list.get(index).map(Held::Map),
                    Held::Built(members) => members.get(index).cloned(),
                    _ => None,
                });
                member.ok_or(RaiseKind::IndexOutOfRange)
            }
            _ => Err(RaiseKind::WrongType),
        }
    }

    fn unary(
        &self,
        operator: UnaryOperator,
        operand: NodeId,
    ) -> Result<Held<'a>, RaiseKind<H::Error>> {
        match (operator, self.get(operand)) {
            (UnaryOperator::Not, Some(Held::Bool(value))) => Ok(Held::Bool(!value)),
            (UnaryOperator::Negate, Some(Held::Double(value))) => Ok(Held::Double(-value)),
            (UnaryOperator::Negate, Some(Held::Int(value))) => match self.kind(operand) {
                NodeKind::Int { negated: true, .. } => Ok(Held::Int(value.wrapping_neg())),
                _ => arithmetic::negate_int(*value).map(Held::Int).map_err(raise),
            },
            _ => Err(RaiseKind::WrongType),
        }
    }

    fn binary(
        &self,
        operator: BinaryOperator,
        left: NodeId,
        right: NodeId,
    ) -> Result<Held<'a>, RaiseKind<H::Error>> {
        let operation = signatures::binary(operator, self.ty(left), self.ty(right));
        let (Some(operation), Some(a), Some(b)) = (operation, self.get(left), self.get(right))
        else {
            // `&&` and `||` come here with the right operand alone to decide.
            return self.get(right).cloned().ok_or(RaiseKind::WrongType);
        };
        let double = |value: &Held<'_>| match value {
            Held::Int(value) => Some(arithmetic::promote(*value)),
            Held::Double(value) => Some(*value),
            _ => None,
        };
        match (operation, a, b) {
            (Operation::And | Operation::Or, _, b) => Ok(b.clone()),
            (Operation::Int(operation), Held::Int(a), Held::Int(b)) => {
                arithmetic::int(operation, *a, *b).map(Held::Int).map_err(raise)
            }
            (Operation::Double(operation), Held::Double(a), Held::Double(b)) => {
                arithmetic::double(operation, *a, *b).map(Held::Double).map_err(raise)
            }
            (Operation::Concatenate, Held::Text(a), Held::Text(b)) => {
                Ok(Held::Text(Cow::Owned(format!("{a}{b}"))))
            }
            (Operation::CompareBool(comparison), Held::Bool(a), Held::Bool(b)) => {
                Ok(Held::Bool(comparison.holds(a, b)))
            }
            (Operation::CompareInt(comparison), Held::Int(a), Held::Int(b)) => {
                Ok(Held::Bool(comparison.holds(a, b)))
            }
            (Operation::CompareDouble(comparison), a, b) => match (double(a), double(b)) {
                (Some(a), Some(b)) => Ok(Held::Bool(comparison.holds(a, b))),
                _ => Err(RaiseKind::WrongType),
            },
            (Operation::CompareString(comparison), Held::Text(a), Held::Text(b)) => {
                Ok(Held::Bool(comparison.holds(&**a, &**b)))
            }
            (Operation::InMap, Held::Text(key), Held::Map(map)) => {
                Ok(Held::Bool(map.contains_key(key)))
            }
            (Operation::InList, Held::Text(text), Held::Strings(list)) => {
                let mut members = (0..list.len()).filter_map(|index| list.get(index));
                Ok(Held::Bool(members.any(|member| member == &**text)))
            }
            (Operation::InList, Held::Text(text), Held::Built(members)) => {
                let same = |member: &Held<'_>| matches!(member, Held::Text(own) if own == text);
                Ok(Held::Bool(members.iter().any(same)))
            }
            _ => Err(RaiseKind::WrongType),
        }
    }
}

fn raise<E>(fault: Fault) -> RaiseKind<E> {
    match fault {
        Fault::DivisionByZero => RaiseKind::DivisionByZero,
        Fault::IntOverflow => RaiseKind::IntOverflow,
        Fault::NonFinite => RaiseKind::NonFinite,
    }
}

/// A lent value, if it is of the declared type (OAR-FACT-26).
fn held<'a, E>(value: Value<'a>, ty: Type) -> Result<Held<'a>, RaiseKind<E>> {
    match (value, ty) {
        (Value::Bool(value), Type::Bool) => Ok(Held::Bool(value)),
        (Value::Int(value), Type::Int) => Ok(Held::Int(value)),
        (Value::Double(value), Type::Double) if value.is_finite() => Ok(Held::Double(value)),
        (Value::String(text), Type::String) => Ok(Held::Text(Cow::Borrowed(text))),
        (Value::StringList(list), Type::StringList) => Ok(Held::Strings(list)),
        (Value::StringMap(map), Type::StringMap) | (Value::Map(map), Type::Map) => {
            Ok(Held::Map(map))
        }
        (Value::MapList(list), Type::MapList) => Ok(Held::Maps(list)),
        _ => Err(RaiseKind::WrongType),
    }
}
