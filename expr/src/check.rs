//! Gives every node its type and every name its meaning, or finds all type errors.
//!
//! One pass over the arena, children before parents. A node that is wrong has no type, and
//! nothing is said about an operation whose operand has none, so one slip gives one error.

use crate::ast::{Ast, BinaryOperator, Children, NodeId, NodeKind, UnaryOperator};
use crate::error::{Error, ErrorKind};
use crate::program::{Reference, Use, UseKind};
use crate::signatures::{self, Builtin, Operation};
use crate::{Span, Symbol, Symbols, Type, suggest};

/// What the compiler needs to know beside the tree.
pub(crate) struct Checked {
    /// The type of each node.
    pub(crate) types: Vec<Type>,
    /// What each name and call refers to.
    pub(crate) meanings: Vec<Meaning>,
    pub(crate) uses: Vec<Use>,
    pub(crate) references: Vec<Reference>,
}

/// What a name or a call refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// The node is neither a name nor a call.
    None,
    Fact(u32),
    Builtin(Builtin),
    Function(u32),
    /// An index into the program's references.
    Reference(u32),
}

/// Checks a tree against the declared names.
///
/// # Errors
/// At most `limit` type errors, in source order.
pub(crate) fn check(
    source: &str,
    ast: &Ast,
    symbols: &dyn Symbols,
    limit: usize,
) -> Result<Checked, Vec<Error>> {
    let mut checker = Checker {
        source,
        ast,
        symbols,
        types: Vec::with_capacity(ast.nodes.len()),
        meanings: Vec::with_capacity(ast.nodes.len()),
        uses: Vec::new(),
        references: Vec::new(),
        errors: Vec::new(),
    };
    for node in &ast.nodes {
        let (ty, meaning) = checker.node(node.kind, node.span);
        checker.types.push(ty);
        checker.meanings.push(meaning);
    }
    checker.result(limit)
}

struct Checker<'c> {
    source: &'c str,
    ast: &'c Ast,
    symbols: &'c dyn Symbols,
    /// `None` for a node that is wrong.
    types: Vec<Option<Type>>,
    meanings: Vec<Meaning>,
    uses: Vec<Use>,
    references: Vec<Reference>,
    errors: Vec<Error>,
}

impl Checker<'_> {
    fn result(mut self, limit: usize) -> Result<Checked, Vec<Error>> {
        let root = self.ast.root();
        if let Some(found) = self.ty(root)
            && found != Type::Bool
        {
            let error = Error::new(ErrorKind::NotBool { found }, self.span(root));
            let help = self.declared(&[root]);
            self.errors.push(error.advise(help));
        }
        let types: Option<Vec<Type>> = self.types.into_iter().collect();
        if let (true, Some(types)) = (self.errors.is_empty(), types) {
            // A call's node stands behind its arguments, its name before them.
            self.uses.sort_by_key(|used| used.span);
            return Ok(Checked {
                types,
                meanings: self.meanings,
                uses: self.uses,
                references: self.references,
            });
        }
        self.errors.sort_by_key(Error::span);
        self.errors.truncate(limit.max(1));
        let symbols = self.symbols;
        Err(self.errors.into_iter().map(|error| with_suggestion(error, symbols)).collect())
    }

    fn ty(&self, id: NodeId) -> Option<Type> {
        self.types.get(id.index()).copied().flatten()
    }

    fn span(&self, id: NodeId) -> Span {
        self.ast.node(id).map(|node| node.span).unwrap_or_default()
    }

    fn text(&self, span: Span) -> &str {
        self.source.get(span.range()).unwrap_or_default()
    }

    fn fail(&mut self, kind: ErrorKind, span: Span) {
        self.errors.push(Error::new(kind, span));
    }

    /// "`tool` is declared as string", for the operands that are names.
    fn declared(&self, operands: &[NodeId]) -> Option<String> {
        let mut parts: Vec<String> = Vec::new();
        for id in operands {
            if let (Some(node), Some(ty)) = (self.ast.node(*id), self.ty(*id))
                && node.kind == NodeKind::Name
            {
                let part = format!("`{}` is declared as {ty}", self.text(node.span));
                if !parts.contains(&part) {
                    parts.push(part);
                }
            }
        }
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    fn node(&mut self, kind: NodeKind, span: Span) -> (Option<Type>, Meaning) {
        let ty = match kind {
            NodeKind::Bool(_) => Some(Type::Bool),
            NodeKind::Int { magnitude, negated } => {
                // The magnitude counts, not its spelling (OAR-EXPR-21).
                if magnitude > i64::MAX.unsigned_abs() + u64::from(negated) {
                    let literal = self.text(span).to_owned();
                    self.fail(ErrorKind::IntRange { literal }, span);
                }
                Some(Type::Int)
            }
            NodeKind::Double(value) => {
                if !value.is_finite() {
                    let literal = self.text(span).to_owned();
                    self.fail(ErrorKind::DoubleRange { literal }, span);
                }
                Some(Type::Double)
            }
            NodeKind::String { .. } => Some(Type::String),
            NodeKind::Name => return self.name(span),
            NodeKind::Call { name, arguments } => return self.call(name, arguments, span),
            NodeKind::List(members) => self.list(members, span),
            NodeKind::Index { operand, subscript } => self.index(operand, subscript, span),
            NodeKind::Unary { operator, operand } => self.unary(operator, operand),
            NodeKind::Binary { operator, left, right } => self.binary(operator, left, right, span),
            NodeKind::Ternary { condition, first, second } => {
                self.ternary(condition, first, second, span)
            }
        };
        (ty, Meaning::None)
    }

    fn name(&mut self, span: Span) -> (Option<Type>, Meaning) {
        let name = self.text(span).to_owned();
        let builtin = Builtin::named(&name).is_some();
        let symbol = self.symbols.symbol(&name);
        if let (Some(Symbol::Fact { slot, ty }), false) = (symbol, builtin) {
            self.uses.push(Use { slot, kind: UseKind::Fact, span });
            return (Some(ty), Meaning::Fact(slot));
        }
        let kind = if builtin || symbol.is_some() {
            ErrorKind::NotCalled { name, builtin }
        } else {
            ErrorKind::UnknownName { name }
        };
        self.fail(kind, span);
        (None, Meaning::None)
    }

    fn call(
        &mut self,
        name_span: Span,
        arguments: Children,
        span: Span,
    ) -> (Option<Type>, Meaning) {
        let name = self.text(name_span).to_owned();
        if let Some(builtin) = Builtin::named(&name) {
            let accepts = |ty| builtin.accepts(ty);
            if self.arity(&name, name_span, arguments, builtin.arity(), true) {
                self.arguments(&name, arguments, builtin.parameter(), accepts, true);
            }
            return (Some(builtin.result()), Meaning::Builtin(builtin));
        }
        match self.symbols.symbol(&name) {
            None => {
                self.fail(ErrorKind::UnknownFunction { name }, name_span);
                (None, Meaning::None)
            }
            Some(Symbol::Fact { ty, .. }) => {
                self.fail(ErrorKind::NotAFunction { name, ty }, name_span);
                (None, Meaning::None)
            }
            Some(Symbol::Function { slot, parameter, result }) => {
                self.uses.push(Use { slot, kind: UseKind::Function, span: name_span });
                if self.arity(&name, name_span, arguments, 1, false) {
                    let accepts = |ty| ty == parameter;
                    self.arguments(&name, arguments, parameter.name(), accepts, false);
                }
                (Some(result), Meaning::Function(slot))
            }
            Some(Symbol::Reference { slot, result }) => {
                self.uses.push(Use { slot, kind: UseKind::Reference, span: name_span });
                let index = crate::lexer::offset(self.references.len());
                if self.arity(&name, name_span, arguments, 1, false) {
                    self.reference(slot, name, arguments, span);
                }
                (Some(result), Meaning::Reference(index))
            }
        }
    }

    /// The argument of a reference is a literal, parentheses or not (OAR-FIRE-11).
    fn reference(&mut self, slot: u32, function: String, arguments: Children, span: Span) {
        let ast = self.ast;
        let argument = ast.children(arguments).first().and_then(|id| ast.node(*id));
        let Some(argument) = argument else { return };
        if let NodeKind::String { start, end } = argument.kind {
            self.references.push(Reference {
                slot,
                argument: ast.string(start, end).into(),
                span,
                argument_span: argument.span,
            });
        } else {
            // An argument that is wrong in itself has had its error.
            let known = ast.children(arguments).first().is_some_and(|id| self.ty(*id).is_some());
            if known {
                self.fail(ErrorKind::NotALiteral { function }, argument.span);
            }
        }
    }

    fn arity(
        &mut self,
        name: &str,
        name_span: Span,
        arguments: Children,
        expected: u32,
        builtin: bool,
    ) -> bool {
        let found = self.ast.children(arguments).len();
        let right = found == expected as usize;
        if !right {
            let function = name.to_owned();
            self.fail(ErrorKind::Arity { function, expected, found, builtin }, name_span);
        }
        right
    }

    fn arguments(
        &mut self,
        name: &str,
        arguments: Children,
        expected: &'static str,
        accepts: impl Fn(Type) -> bool,
        builtin: bool,
    ) {
        let ast = self.ast;
        for id in ast.children(arguments) {
            if let Some(found) = self.ty(*id)
                && !accepts(found)
            {
                let function = name.to_owned();
                let kind = ErrorKind::Argument { function, expected, found, builtin };
                let error = Error::new(kind, self.span(*id)).advise(self.declared(&[*id]));
                self.errors.push(error);
            }
        }
    }

    fn list(&mut self, members: Children, span: Span) -> Option<Type> {
        let ast = self.ast;
        let ids = ast.children(members);
        if ids.is_empty() {
            self.fail(ErrorKind::EmptyList, span);
            return None;
        }
        let mut known = ids.iter().filter_map(|id| Some((*id, self.ty(*id)?)));
        let (_, first) = known.next()?;
        let differing = known.find(|(_, ty)| *ty != first);
        if let Some((other_id, other)) = differing {
            self.fail(ErrorKind::ListMembers { first, other }, self.span(other_id));
            return None;
        }
        let ty = signatures::list(first);
        if ty.is_none() {
            self.fail(ErrorKind::ListType { member: first }, span);
        }
        ty
    }

    fn index(&mut self, operand: NodeId, subscript: NodeId, span: Span) -> Option<Type> {
        let operand_type = self.ty(operand)?;
        if operand_type == Type::Map {
            let written = self.ast.node(operand).filter(|node| node.kind == NodeKind::Name);
            let name = written.map(|node| self.text(node.span).to_owned());
            self.fail(ErrorKind::MapIndex { name }, span);
            return None;
        }
        let subscript_type = self.ty(subscript)?;
        let result = signatures::index(operand_type, subscript_type);
        if result.is_none() {
            let kind = ErrorKind::Index { operand: operand_type, subscript: subscript_type };
            let error = Error::new(kind, span).advise(self.declared(&[operand, subscript]));
            self.errors.push(error);
        }
        result
    }

    fn unary(&mut self, operator: UnaryOperator, operand: NodeId) -> Option<Type> {
        let found = self.ty(operand);
        let kind = match (operator, found) {
            (UnaryOperator::Not, None | Some(Type::Bool)) => return Some(Type::Bool),
            (UnaryOperator::Negate, None | Some(Type::Int | Type::Double)) => return found,
            (UnaryOperator::Not, Some(found)) => ErrorKind::Logic { operator: "!", found },
            (UnaryOperator::Negate, Some(found)) => ErrorKind::Negation { found },
        };
        let error = Error::new(kind, self.span(operand)).advise(self.declared(&[operand]));
        self.errors.push(error);
        (operator == UnaryOperator::Not).then_some(Type::Bool)
    }

    fn binary(
        &mut self,
        operator: BinaryOperator,
        left: NodeId,
        right: NodeId,
        span: Span,
    ) -> Option<Type> {
        if matches!(operator, BinaryOperator::And | BinaryOperator::Or) {
            for id in [left, right] {
                self.expect_bool(id, |found| ErrorKind::Logic {
                    operator: operator.symbol(),
                    found,
                });
            }
            return Some(Type::Bool);
        }
        let arithmetic = operator.level() > crate::ast::RELATION;
        let (Some(left_type), Some(right_type)) = (self.ty(left), self.ty(right)) else {
            return (!arithmetic).then_some(Type::Bool);
        };
        if let Some(operation) = signatures::binary(operator, left_type, right_type) {
            return Some(Operation::result(operation));
        }
        let kind = mismatch(operator, left_type, right_type);
        let error = Error::new(kind, span).advise(self.mismatch_help(operator, left, right));
        self.errors.push(error);
        (!arithmetic).then_some(Type::Bool)
    }

    /// Declared types say more than general advice, unless the operands are numbers.
    fn mismatch_help(
        &self,
        operator: BinaryOperator,
        left: NodeId,
        right: NodeId,
    ) -> Option<String> {
        let number = |id| matches!(self.ty(id), Some(Type::Int | Type::Double));
        let arithmetic = operator.level() > crate::ast::RELATION;
        let aggregate = |id| self.ty(id).is_some_and(|ty| !ty.is_scalar());
        if (arithmetic && number(left) && number(right)) || (aggregate(left) && aggregate(right)) {
            return None;
        }
        self.declared(&[left, right])
    }

    fn expect_bool(&mut self, id: NodeId, kind: impl Fn(Type) -> ErrorKind) {
        if let Some(found) = self.ty(id)
            && found != Type::Bool
        {
            let error = Error::new(kind(found), self.span(id)).advise(self.declared(&[id]));
            self.errors.push(error);
        }
    }

    fn ternary(
        &mut self,
        condition: NodeId,
        first: NodeId,
        second: NodeId,
        span: Span,
    ) -> Option<Type> {
        self.expect_bool(condition, |found| ErrorKind::TernaryCondition { found });
        match (self.ty(first), self.ty(second)) {
            (Some(a), Some(b)) if a != b => {
                let kind = ErrorKind::TernaryBranches { first: a, second: b };
                let error = Error::new(kind, span).advise(self.declared(&[first, second]));
                self.errors.push(error);
                None
            }
            // Which of the two is meant is not known, so neither is held against the rest.
            (a, b) => a.and(b),
        }
    }
}

fn mismatch(operator: BinaryOperator, left: Type, right: Type) -> ErrorKind {
    let symbol = operator.symbol();
    match operator {
        BinaryOperator::Equal | BinaryOperator::NotEqual => {
            if left.is_scalar() || right.is_scalar() {
                ErrorKind::Equality { operator: symbol, left, right }
            } else {
                ErrorKind::AggregateEquality { operator: symbol, left, right }
            }
        }
        BinaryOperator::Less
        | BinaryOperator::LessEqual
        | BinaryOperator::Greater
        | BinaryOperator::GreaterEqual => ErrorKind::Ordering { operator: symbol, left, right },
        BinaryOperator::In => ErrorKind::Membership { left, right },
        _ => ErrorKind::Arithmetic { operator: symbol, left, right },
    }
}

fn with_suggestion(error: Error, symbols: &dyn Symbols) -> Error {
    let help = match error.kind() {
        ErrorKind::UnknownName { name } => suggest::for_name(name, false, symbols),
        ErrorKind::UnknownFunction { name } => suggest::for_name(name, true, symbols),
        _ => return error,
    };
    error.advise(help)
}
