//! Turns a checked tree into instructions.
//!
//! A list of tasks stands in for the recursion. Negations go down to the tests, which carry a
//! `not`, and jumps over jumps are threaded, so `&&` and `||` cost one jump each. Common shapes
//! become one instruction: a fact against a literal, a fact in a list of literals, and so on.

use std::collections::HashMap;

use crate::ast::{Ast, NodeId, NodeKind, UnaryOperator};
use crate::check::{Checked, Meaning};
use crate::fold::Constant;
use crate::lexer::offset;
use crate::program::{Instruction, Piece, Pieces, Place, TextTest};
use crate::signatures::{self, Arithmetic, Builtin, Comparison, Operation};
use crate::{Span, Type, search};

/// Constant lists of more members than this are sorted, for a binary search.
pub(crate) const SORTED_ABOVE: usize = 8;

/// What becomes of a tree.
#[derive(Default)]
pub(crate) struct Output {
    pub(crate) code: Vec<Instruction>,
    pub(crate) text: String,
    pub(crate) pieces: Vec<Piece>,
    pub(crate) places: Vec<Place>,
}

pub(crate) fn compile(ast: &Ast, checked: &Checked, constants: &[Option<Constant>]) -> Output {
    let mut compiler = Compiler {
        ast,
        checked,
        constants,
        output: Output { code: Vec::with_capacity(ast.nodes.len()), ..Output::default() },
        literals: Literals::default(),
        labels: Vec::new(),
        tasks: vec![Task::Expression { node: ast.root(), not: false }],
    };
    while let Some(task) = compiler.tasks.pop() {
        compiler.perform(task);
    }
    compiler.resolve_jumps();
    compiler.output
}

/// Something left to do; the last one is done first.
#[derive(Clone, Copy)]
enum Task {
    /// Emits what computes a node into its accumulator, the flag negated for `not`.
    Expression {
        node: NodeId,
        not: bool,
    },
    Emit {
        instruction: Instruction,
        span: Option<Span>,
    },
    /// As `Emit`, for an instruction that reads a fact at `fact` and then operates at `span`.
    EmitWithFact {
        instruction: Instruction,
        fact: Span,
        span: Span,
    },
    /// Emits what appends a string to the text.
    Append(NodeId),
    /// Puts a label at the next instruction.
    Label(u32),
}

/// The literals that are in the output already.
#[derive(Default)]
struct Literals<'c> {
    few: Vec<(&'c str, Piece)>,
    /// Those beyond the few.
    many: HashMap<&'c str, Piece>,
}

impl<'c> Literals<'c> {
    /// Up to here comparing with every literal is as fast as a look-up.
    const FEW: usize = 8;

    fn get(&self, text: &str) -> Option<Piece> {
        let few = self.few.iter().find(|(own, _)| *own == text).map(|(_, piece)| *piece);
        few.or_else(|| if self.many.is_empty() { None } else { self.many.get(text).copied() })
    }

    fn add(&mut self, text: &'c str, piece: Piece) {
        if self.few.len() < Self::FEW {
            self.few.push((text, piece));
        } else {
            self.many.insert(text, piece);
        }
    }
}

struct Compiler<'c> {
    ast: &'c Ast,
    checked: &'c Checked,
    constants: &'c [Option<Constant>],
    output: Output,
    literals: Literals<'c>,
    /// The instruction behind each label; until the end, jumps hold labels.
    labels: Vec<u32>,
    tasks: Vec<Task>,
}

impl Compiler<'_> {
    fn perform(&mut self, task: Task) {
        match task {
            Task::Expression { node, not } => self.expression(node, not),
            Task::Emit { instruction, span } => self.emit(instruction, span),
            Task::EmitWithFact { instruction, fact, span } => {
                self.emit(instruction, Some(fact));
                let key = offset(self.output.code.len() - 1) * 2 + 1;
                self.output.places.push(Place { key, span });
            }
            Task::Append(node) => self.append(node),
            Task::Label(label) => {
                let next = offset(self.output.code.len());
                if let Some(place) = self.labels.get_mut(label as usize) {
                    *place = next;
                }
            }
        }
    }

    /// Puts tasks on the stack so that the first is done first.
    fn then<const N: usize>(&mut self, tasks: [Task; N]) {
        self.tasks.extend(tasks.into_iter().rev());
    }

    fn emit(&mut self, instruction: Instruction, span: Option<Span>) {
        if let Some(span) = span {
            let key = offset(self.output.code.len()) * 2;
            self.output.places.push(Place { key, span });
        }
        self.output.code.push(instruction);
    }

    fn label(&mut self) -> u32 {
        self.labels.push(0);
        offset(self.labels.len() - 1)
    }

    fn span(&self, id: NodeId) -> Span {
        self.ast.node(id).map(|node| node.span).unwrap_or_default()
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

    fn constant(&self, id: NodeId) -> Option<Constant> {
        self.constants.get(id.index()).copied().flatten()
    }

    fn constant_int(&self, id: NodeId) -> Option<i64> {
        match self.constant(id)? {
            Constant::Int(value) => Some(value),
            _ => None,
        }
    }

    fn constant_text(&mut self, id: NodeId) -> Option<Piece> {
        match self.constant(id)? {
            Constant::Text(piece) => Some(self.literal(piece)),
            _ => None,
        }
    }

    fn fact(&self, id: NodeId) -> Option<u32> {
        match self.meaning(id) {
            Meaning::Fact(slot) => Some(slot),
            _ => None,
        }
    }

    /// Copies a literal into the output, once.
    fn literal(&mut self, piece: Piece) -> Piece {
        let text = self.ast.string(piece.start, piece.end);
        if let Some(piece) = self.literals.get(text) {
            return piece;
        }
        let output = &mut self.output.text;
        let start = offset(output.len());
        output.push_str(text);
        let piece = Piece { start, end: offset(output.len()) };
        self.literals.add(text, piece);
        piece
    }

    /// Copies the members of a constant list into the output.
    fn list(&mut self, list: NodeId, sorted: bool) -> Pieces {
        let ast = self.ast;
        let NodeKind::List(members) = self.kind(list) else { return Pieces { start: 0, end: 0 } };
        let members = ast.children(members);
        let mut pieces: Vec<Piece> =
            members.iter().filter_map(|member| self.constant_text(*member)).collect();
        if sorted && pieces.len() > SORTED_ABOVE {
            let text = &self.output.text;
            pieces.sort_by_key(|piece| text.get(piece.start as usize..piece.end as usize));
        }
        let start = offset(self.output.pieces.len());
        self.output.pieces.extend(pieces);
        Pieces { start, end: offset(self.output.pieces.len()) }
    }

    fn expression(&mut self, node: NodeId, not: bool) {
        if let Some(constant) = self.constant(node) {
            let instruction = self.load(constant, not);
            return self.emit(instruction, None);
        }
        let span = self.span(node);
        match self.kind(node) {
            NodeKind::Name => {
                let instruction = self.load_fact(node, not);
                self.emit(instruction, Some(span));
            }
            NodeKind::Unary { operator: UnaryOperator::Not, operand } => {
                self.tasks.push(Task::Expression { node: operand, not: !not });
            }
            NodeKind::Unary { operator: UnaryOperator::Negate, operand } => {
                let instruction = match self.ty(operand) {
                    Type::Double => Instruction::NegateDouble,
                    _ => Instruction::NegateInt,
                };
                self.then([
                    Task::Expression { node: operand, not: false },
                    Task::Emit { instruction, span: Some(span) },
                ]);
            }
            NodeKind::Binary { operator, left, right } => {
                let operation = signatures::binary(operator, self.ty(left), self.ty(right));
                if let Some(operation) = operation {
                    self.binary(operation, left, right, span, not);
                }
            }
            NodeKind::Ternary { condition, first, second } => {
                self.ternary(condition, first, second, not);
            }
            NodeKind::Index { operand, subscript } => self.index(operand, subscript, span),
            NodeKind::List(members) => {
                let ast = self.ast;
                let members = ast.children(members);
                let instruction = Instruction::Build { members: offset(members.len()) };
                self.tasks.push(Task::Emit { instruction, span: None });
                for member in members.iter().rev() {
                    let save = save(self.ty(*member));
                    self.then([Task::Expression { node: *member, not: false }, save]);
                }
            }
            NodeKind::Call { arguments, .. } => {
                let ast = self.ast;
                self.call(node, ast.children(arguments), span, not);
            }
            // Literals are constants.
            NodeKind::Bool(_)
            | NodeKind::Int { .. }
            | NodeKind::Double(_)
            | NodeKind::String { .. } => {}
        }
    }

    fn load(&mut self, constant: Constant, not: bool) -> Instruction {
        match constant {
            Constant::Bool(value) => Instruction::Flag(value != not),
            Constant::Int(value) => Instruction::IntLiteral(value),
            Constant::Double(value) => Instruction::DoubleLiteral(value),
            Constant::Text(piece) => Instruction::TextLiteral(self.literal(piece)),
            Constant::List(list) => Instruction::ListLiteral(self.list(list, false)),
        }
    }

    fn load_fact(&self, node: NodeId, not: bool) -> Instruction {
        let slot = self.fact(node).unwrap_or_default();
        match self.ty(node) {
            Type::Bool => Instruction::BoolFact { slot, not },
            Type::Int => Instruction::IntFact { slot },
            Type::Double => Instruction::DoubleFact { slot },
            Type::String => Instruction::TextFact { slot },
            ty => Instruction::AggregateFact { slot, ty },
        }
    }

    fn ternary(&mut self, condition: NodeId, first: NodeId, second: NodeId, not: bool) {
        if let Some(Constant::Bool(value)) = self.constant(condition) {
            let node = if value { first } else { second };
            return self.tasks.push(Task::Expression { node, not });
        }
        let (otherwise, end) = (self.label(), self.label());
        let branch = Instruction::JumpIf { flag: false, target: otherwise };
        self.then([
            Task::Expression { node: condition, not: false },
            Task::Emit { instruction: branch, span: None },
            Task::Expression { node: first, not },
            Task::Emit { instruction: Instruction::Jump(end), span: None },
            Task::Label(otherwise),
            Task::Expression { node: second, not },
            Task::Label(end),
        ]);
    }

    fn index(&mut self, operand: NodeId, subscript: NodeId, span: Span) {
        let literal = match self.constant(subscript) {
            Some(Constant::Int(index)) => Some(Instruction::IndexByIntLiteral(index)),
            Some(Constant::Text(key)) => Some(Instruction::IndexByTextLiteral(self.literal(key))),
            _ => None,
        };
        if let Some(instruction) = literal {
            return self.then([
                Task::Expression { node: operand, not: false },
                Task::Emit { instruction, span: Some(span) },
            ]);
        }
        let instruction = match self.ty(subscript) {
            Type::Int => Instruction::IndexByInt,
            _ => Instruction::IndexByText,
        };
        self.then([
            Task::Expression { node: operand, not: false },
            Task::Emit { instruction: Instruction::SaveAggregate, span: None },
            Task::Expression { node: subscript, not: false },
            Task::Emit { instruction, span: Some(span) },
        ]);
    }

    fn call(&mut self, node: NodeId, arguments: &[NodeId], span: Span, not: bool) {
        let Some(&argument) = arguments.first() else { return };
        let result = self.ty(node);
        match self.meaning(node) {
            Meaning::Builtin(Builtin::Size) => self.size(argument),
            Meaning::Builtin(builtin) => {
                let Some(&needle) = arguments.get(1) else { return };
                let test = match builtin {
                    Builtin::StartsWith => TextTest::StartsWith,
                    Builtin::EndsWith => TextTest::EndsWith,
                    _ => TextTest::Contains(0),
                };
                self.text_test(test, argument, needle, not);
            }
            Meaning::Reference(index) => {
                self.emit(Instruction::Reference { index, result, not }, Some(span));
            }
            Meaning::Function(slot) => {
                if let Some(argument) = self.constant_text(argument) {
                    let call = Instruction::CallLiteral { slot, argument, result, not };
                    return self.emit(call, Some(span));
                }
                let parameter = self.ty(argument);
                let instruction = Instruction::Call { slot, parameter, result, not };
                self.then([
                    Task::Expression { node: argument, not: false },
                    Task::Emit { instruction, span: Some(span) },
                ]);
            }
            Meaning::Fact(_) | Meaning::None => {}
        }
    }

    fn size(&mut self, argument: NodeId) {
        let ty = self.ty(argument);
        if let Some(slot) = self.fact(argument) {
            return self.emit(Instruction::SizeFact { slot, ty }, Some(self.span(argument)));
        }
        let instruction =
            if ty == Type::String { Instruction::SizeText } else { Instruction::SizeAggregate };
        self.then([
            Task::Expression { node: argument, not: false },
            Task::Emit { instruction, span: None },
        ]);
    }

    fn binary(&mut self, operation: Operation, left: NodeId, right: NodeId, span: Span, not: bool) {
        match operation {
            Operation::And | Operation::Or => {
                if self.constant(left).is_some() {
                    // The left side would have decided; it does not, so the right side does.
                    return self.tasks.push(Task::Expression { node: right, not });
                }
                if self.constant(right) == Some(Constant::Bool(operation == Operation::And)) {
                    return self.tasks.push(Task::Expression { node: left, not });
                }
                let end = self.label();
                let flag = (operation == Operation::Or) != not;
                self.then([
                    Task::Expression { node: left, not },
                    Task::Emit {
                        instruction: Instruction::JumpIf { flag, target: end },
                        span: None,
                    },
                    Task::Expression { node: right, not },
                    Task::Label(end),
                ]);
            }
            Operation::Int(arithmetic) => self.int(arithmetic, left, right, span),
            Operation::Double(arithmetic) => self.double(arithmetic, left, right, span),
            Operation::Concatenate => {
                self.then([Task::Expression { node: left, not: false }, Task::Append(right)])
            }
            Operation::CompareBool(comparison) => {
                self.compare_bool((comparison == Comparison::Equal) == not, left, right);
            }
            Operation::CompareInt(comparison) => {
                self.compare_int(if not { comparison.inverted() } else { comparison }, left, right);
            }
            Operation::CompareDouble(comparison) => {
                let comparison = if not { comparison.inverted() } else { comparison };
                self.compare_double(comparison, left, right);
            }
            Operation::CompareString(comparison) => {
                let comparison = if not { comparison.inverted() } else { comparison };
                if self.constant(left).is_some() {
                    let test = TextTest::Compare(comparison.swapped());
                    return self.text_test(test, right, left, false);
                }
                self.text_test(TextTest::Compare(comparison), left, right, false);
            }
            Operation::InList | Operation::InMap => self.membership(left, right, not),
        }
    }

    /// `a + (b + c)` appends `b` and then `c` to `a`, so no text is copied twice.
    fn append(&mut self, node: NodeId) {
        if let Some(literal) = self.constant_text(node) {
            return self.emit(Instruction::ConcatenateLiteral(literal), None);
        }
        if let NodeKind::Binary { left, right, .. } = self.kind(node) {
            return self.then([Task::Append(left), Task::Append(right)]);
        }
        self.then([
            Task::Emit { instruction: Instruction::SaveText, span: None },
            Task::Expression { node, not: false },
            Task::Emit { instruction: Instruction::Concatenate, span: None },
        ]);
    }

    /// Left operand to the stack, right operand to the accumulator, then the instruction.
    fn pair(&mut self, left: NodeId, right: NodeId, instruction: Instruction, span: Option<Span>) {
        let save = save(self.ty(left));
        self.then([
            Task::Expression { node: left, not: false },
            save,
            Task::Expression { node: right, not: false },
            Task::Emit { instruction, span },
        ]);
    }

    fn int(&mut self, operation: Arithmetic, left: NodeId, right: NodeId, span: Span) {
        let commutes = matches!(operation, Arithmetic::Add | Arithmetic::Multiply);
        let (left, right) = match self.constant(left) {
            Some(_) if commutes => (right, left),
            _ => (left, right),
        };
        if let Some(literal) = self.constant_int(right) {
            let instruction = Instruction::IntBy { operation, literal };
            self.then([
                Task::Expression { node: left, not: false },
                Task::Emit { instruction, span: Some(span) },
            ]);
        } else if let Some(slot) = self.fact(right) {
            let instruction = Instruction::IntByFact { operation, slot };
            let fact = self.span(right);
            self.then([
                Task::Expression { node: left, not: false },
                Task::EmitWithFact { instruction, fact, span },
            ]);
        } else {
            self.pair(left, right, Instruction::IntPair(operation), Some(span));
        }
    }

    fn double(&mut self, operation: Arithmetic, left: NodeId, right: NodeId, span: Span) {
        let commutes = matches!(operation, Arithmetic::Add | Arithmetic::Multiply);
        let (left, right) = match self.constant(left) {
            Some(_) if commutes => (right, left),
            _ => (left, right),
        };
        if let Some(Constant::Double(literal)) = self.constant(right) {
            let instruction = Instruction::DoubleBy { operation, literal };
            self.then([
                Task::Expression { node: left, not: false },
                Task::Emit { instruction, span: Some(span) },
            ]);
        } else if let Some(slot) = self.fact(right) {
            let instruction = Instruction::DoubleByFact { operation, slot };
            let fact = self.span(right);
            self.then([
                Task::Expression { node: left, not: false },
                Task::EmitWithFact { instruction, fact, span },
            ]);
        } else {
            self.pair(left, right, Instruction::DoublePair(operation), Some(span));
        }
    }

    fn compare_bool(&mut self, not: bool, left: NodeId, right: NodeId) {
        match (self.constant(left), self.constant(right)) {
            (Some(Constant::Bool(value)), _) => {
                self.tasks.push(Task::Expression { node: right, not: value == not });
            }
            (_, Some(Constant::Bool(value))) => {
                self.tasks.push(Task::Expression { node: left, not: value == not });
            }
            _ => self.pair(left, right, Instruction::CompareFlagPair { not }, None),
        }
    }

    fn compare_int(&mut self, comparison: Comparison, left: NodeId, right: NodeId) {
        let (subject, literal, comparison) =
            match (self.constant_int(left), self.constant_int(right)) {
                (Some(literal), None) => (right, literal, comparison.swapped()),
                (_, Some(literal)) => (left, literal, comparison),
                (None, None) => {
                    let pair = Instruction::CompareIntPair(comparison);
                    return self.pair(left, right, pair, None);
                }
            };
        if let Some(slot) = self.fact(subject) {
            let instruction = Instruction::CompareIntFact { comparison, slot, literal };
            return self.emit(instruction, Some(self.span(subject)));
        }
        if let Meaning::Reference(index) = self.meaning(subject) {
            let instruction = Instruction::CompareReference { comparison, index, literal };
            return self.emit(instruction, Some(self.span(subject)));
        }
        if let (Meaning::Builtin(Builtin::Size), NodeKind::Call { arguments, .. }) =
            (self.meaning(subject), self.kind(subject))
            && let Some(&argument) = self.ast.children(arguments).first()
            && let Some(slot) = self.fact(argument)
        {
            let ty = self.ty(argument);
            let instruction = Instruction::CompareSizeFact { comparison, ty, slot, literal };
            return self.emit(instruction, Some(self.span(argument)));
        }
        self.then([
            Task::Expression { node: subject, not: false },
            Task::Emit { instruction: Instruction::CompareInt { comparison, literal }, span: None },
        ]);
    }

    fn compare_double(&mut self, comparison: Comparison, left: NodeId, right: NodeId) {
        let promoted = |id| self.constant(id).and_then(Constant::promoted);
        let (subject, literal, comparison) = match (promoted(left), promoted(right)) {
            (Some(literal), None) => (right, literal, comparison.swapped()),
            (_, Some(literal)) => (left, literal, comparison),
            (None, None) => return self.compare_double_pair(comparison, left, right),
        };
        if let (Some(slot), Type::Double) = (self.fact(subject), self.ty(subject)) {
            let instruction = Instruction::CompareDoubleFact { comparison, slot, literal };
            return self.emit(instruction, Some(self.span(subject)));
        }
        let instruction = Instruction::CompareDouble { comparison, literal };
        self.tasks.push(Task::Emit { instruction, span: None });
        self.as_double(subject);
    }

    fn compare_double_pair(&mut self, comparison: Comparison, left: NodeId, right: NodeId) {
        let instruction = Instruction::CompareDoublePair(comparison);
        self.tasks.push(Task::Emit { instruction, span: None });
        self.as_double(right);
        self.tasks.push(Task::Emit { instruction: Instruction::SaveNumber, span: None });
        self.as_double(left);
    }

    fn as_double(&mut self, node: NodeId) {
        if self.ty(node) == Type::Int {
            self.tasks.push(Task::Emit { instruction: Instruction::Promote, span: None });
        }
        self.tasks.push(Task::Expression { node, not: false });
    }

    fn text_test(&mut self, test: TextTest, subject: NodeId, needle: NodeId, not: bool) {
        let Some(piece) = self.constant_text(needle) else {
            return self.pair(subject, needle, Instruction::TextPair { test, not }, None);
        };
        let test = match test {
            TextTest::Contains(_) => {
                let text = self.output.text.get(piece.start as usize..piece.end as usize);
                TextTest::Contains(search::rarest(text.unwrap_or_default()))
            }
            other => other,
        };
        if let Some(slot) = self.fact(subject) {
            let instruction = Instruction::TextOfFact { test, slot, needle: piece, not };
            return self.emit(instruction, Some(self.span(subject)));
        }
        let instruction = Instruction::Text { test, needle: piece, not };
        self.then([
            Task::Expression { node: subject, not: false },
            Task::Emit { instruction, span: None },
        ]);
    }

    fn membership(&mut self, left: NodeId, right: NodeId, not: bool) {
        if let Some(Constant::List(list)) = self.constant(right) {
            let set = self.list(list, true);
            if let Some(slot) = self.fact(left) {
                let instruction = Instruction::FactInSet { slot, set, not };
                return self.emit(instruction, Some(self.span(left)));
            }
            return self.then([
                Task::Expression { node: left, not: false },
                Task::Emit { instruction: Instruction::InSet { set, not }, span: None },
            ]);
        }
        if let Some(literal) = self.constant_text(left) {
            if let Some(slot) = self.fact(right) {
                let ty = self.ty(right);
                let instruction = Instruction::LiteralInFact { literal, slot, ty, not };
                return self.emit(instruction, Some(self.span(right)));
            }
            return self.then([
                Task::Expression { node: right, not: false },
                Task::Emit { instruction: Instruction::LiteralIn { literal, not }, span: None },
            ]);
        }
        self.pair(left, right, Instruction::InPair { not }, None);
    }

    /// Replaces labels by instructions, and jumps to jumps by jumps to where those lead.
    fn resolve_jumps(&mut self) {
        let labels = &self.labels;
        let resolve = |label: u32| labels.get(label as usize).copied().unwrap_or_default();
        // All jumps go forward, so from the end on every target is final already.
        for index in (0..self.output.code.len()).rev() {
            let Some(&instruction) = self.output.code.get(index) else { continue };
            let resolved = match instruction {
                Instruction::Jump(label) => Instruction::Jump(self.thread(resolve(label), None)),
                Instruction::JumpIf { flag, target } => {
                    let target = self.thread(resolve(target), Some(flag));
                    Instruction::JumpIf { flag, target }
                }
                _ => continue,
            };
            if let Some(place) = self.output.code.get_mut(index) {
                *place = resolved;
            }
        }
    }

    /// Where a jump to `target` ends up; `flag` is what the flag is known to be.
    fn thread(&self, target: u32, flag: Option<bool>) -> u32 {
        let mut target = target;
        // A bound, so that a run of jumps costs no more than linear time.
        for _ in 0..8 {
            target = match (self.output.code.get(target as usize), flag) {
                (Some(Instruction::Jump(next)), _) => *next,
                (Some(Instruction::JumpIf { flag: on, target: next }), Some(flag)) => {
                    if *on == flag { *next } else { target + 1 }
                }
                _ => break,
            };
        }
        target
    }
}

fn save(ty: Type) -> Task {
    let instruction = match ty {
        Type::Bool => Instruction::SaveFlag,
        Type::Int | Type::Double => Instruction::SaveNumber,
        Type::String => Instruction::SaveText,
        Type::StringList | Type::StringMap | Type::MapList | Type::Map => {
            Instruction::SaveAggregate
        }
    };
    Task::Emit { instruction, span: None }
}
