//! Turns tokens into the tree of the grammar in A.1, with an explicit stack instead of recursion.
//!
//! The parser alternates between two places: where an operand must come, and behind an operand,
//! where an operator or a closing token must come. What waits for its right part lies on a stack
//! of frames on the heap, so nesting is bounded by the length of the condition alone.

use crate::Span;
use crate::ast::{Ast, BinaryOperator, Children, Node, NodeId, NodeKind, RELATION, UnaryOperator};
use crate::error::{Error, ErrorKind};
use crate::lexer::{Lexer, Token, TokenKind, offset};

/// Parses a condition into its tree.
///
/// # Errors
/// The first place that the grammar cannot derive ([OAR-EXPR-1]).
///
/// # Examples
/// ```
/// let ast = oar_expr::parse("(size(tags)) > 1")?;
/// assert_eq!(ast.node_count(), 4);
/// # Ok::<(), oar_expr::Error>(())
/// ```
pub fn parse(source: &str) -> Result<Ast, Error> {
    if u32::try_from(source.len()).is_err() {
        let kind = ErrorKind::TooLong { bytes: source.len(), limit: u32::MAX };
        return Err(Error::new(kind, Span::new(0, u32::MAX)));
    }
    let mut lexer = Lexer::new(source);
    let token = lexer.next()?;
    if token.kind == TokenKind::End {
        return Err(Error::new(ErrorKind::Empty, Span::new(0, offset(source.len()))));
    }
    let mut parser = Parser {
        lexer,
        token,
        nodes: Vec::with_capacity(source.len().min(1024) / 8),
        children: Vec::new(),
        frames: Vec::new(),
        items: Vec::new(),
    };
    parser.run()?;
    Ok(Ast { nodes: parser.nodes, children: parser.children, text: parser.lexer.into_text() })
}

/// A complete operand.
#[derive(Clone, Copy)]
struct Operand {
    node: NodeId,
    /// With the parentheses around it, so that the span of a parent covers them.
    span: Span,
    /// Whether there are parentheses around it.
    enclosed: bool,
}

/// What waits for something to its right.
enum Frame {
    Unary {
        operator: UnaryOperator,
        span: Span,
    },
    Binary {
        operator: BinaryOperator,
        span: Span,
        left: Operand,
    },
    /// Between `?` and `:`.
    First {
        condition: Operand,
        question: Span,
    },
    /// Behind `:`.
    Second {
        condition: Operand,
        first: Operand,
    },
    Paren {
        open: Span,
    },
    Index {
        operand: Operand,
        open: Span,
    },
    /// The arguments so far are `items[items..]`.
    Call {
        name: Span,
        open: Span,
        items: usize,
    },
    List {
        open: Span,
        items: usize,
    },
}

struct Parser<'s> {
    lexer: Lexer<'s>,
    /// The token that has not been consumed yet.
    token: Token,
    nodes: Vec<Node>,
    children: Vec<NodeId>,
    frames: Vec<Frame>,
    /// Complete arguments and members of all open calls and lists.
    items: Vec<NodeId>,
}

impl Parser<'_> {
    fn run(&mut self) -> Result<(), Error> {
        loop {
            let mut operand = self.operand()?;
            while let Some(current) = operand {
                if self.token.kind == TokenKind::End {
                    return self.finish(current);
                }
                operand = self.behind(current)?;
            }
        }
    }

    fn advance(&mut self) -> Result<Token, Error> {
        let token = self.token;
        self.token = self.lexer.next()?;
        Ok(token)
    }

    fn push(&mut self, kind: NodeKind, span: Span) -> Operand {
        let node = NodeId(offset(self.nodes.len()));
        self.nodes.push(Node { kind, span });
        Operand { node, span, enclosed: false }
    }

    /// Where an operand must come: takes one token, or two for a call. `None` when what it opened
    /// must be followed by an operand of its own.
    fn operand(&mut self) -> Result<Option<Operand>, Error> {
        let Token { kind, span } = self.token;
        let literal = match kind {
            TokenKind::True => NodeKind::Bool(true),
            TokenKind::False => NodeKind::Bool(false),
            TokenKind::Int => {
                let magnitude = self.lexer.slice(span).parse().unwrap_or(u64::MAX);
                NodeKind::Int { magnitude, negated: false }
            }
            TokenKind::Double => {
                NodeKind::Double(self.lexer.slice(span).parse().unwrap_or(f64::INFINITY))
            }
            TokenKind::String { start, end } => NodeKind::String { start, end },
            TokenKind::Name => return self.name(),
            TokenKind::OpenParen => {
                self.advance()?;
                self.frames.push(Frame::Paren { open: span });
                return Ok(None);
            }
            TokenKind::OpenBracket => {
                self.advance()?;
                let items = self.items.len();
                if self.token.kind == TokenKind::CloseBracket {
                    return self.close_list(span, items).map(Some);
                }
                self.frames.push(Frame::List { open: span, items });
                return Ok(None);
            }
            TokenKind::Bang => return self.unary(UnaryOperator::Not),
            TokenKind::Minus => return self.unary(UnaryOperator::Negate),
            TokenKind::Dot => return Err(self.leading_point()),
            _ => return Err(self.unexpected_operand()),
        };
        self.advance()?;
        Ok(Some(self.push(literal, span)))
    }

    fn name(&mut self) -> Result<Option<Operand>, Error> {
        let name = self.advance()?.span;
        if self.token.kind != TokenKind::OpenParen {
            return Ok(Some(self.push(NodeKind::Name, name)));
        }
        let open = self.advance()?.span;
        let items = self.items.len();
        if self.token.kind == TokenKind::CloseParen {
            return self.close_call(name, items).map(Some);
        }
        self.frames.push(Frame::Call { name, open, items });
        Ok(None)
    }

    fn unary(&mut self, operator: UnaryOperator) -> Result<Option<Operand>, Error> {
        let span = self.token.span;
        if let Some(Frame::Unary { span: first, .. }) = self.frames.last() {
            let kind = ErrorKind::SecondUnary { operator: operator.symbol() };
            return Err(Error::new(kind, span).relate(*first, "the first one"));
        }
        self.advance()?;
        self.frames.push(Frame::Unary { operator, span });
        Ok(None)
    }

    /// Behind an operand. `None` when an operand must follow.
    fn behind(&mut self, operand: Operand) -> Result<Option<Operand>, Error> {
        let Token { kind, span } = self.token;
        match kind {
            TokenKind::OpenBracket => {
                self.advance()?;
                self.frames.push(Frame::Index { operand, open: span });
                Ok(None)
            }
            TokenKind::Question => {
                let condition = self.reduce(operand, 0);
                self.advance()?;
                self.frames.push(Frame::First { condition, question: span });
                Ok(None)
            }
            TokenKind::Colon => self.colon(operand),
            TokenKind::Comma => self.comma(operand),
            TokenKind::CloseParen | TokenKind::CloseBracket => self.close(operand).map(Some),
            TokenKind::Dot => Err(Error::new(ErrorKind::FieldSelection, self.lexer.dotted(span))),
            _ => match binary(kind) {
                Some(operator) => self.binary(operator, operand),
                None => Err(self.unexpected_behind()),
            },
        }
    }

    fn binary(
        &mut self,
        operator: BinaryOperator,
        operand: Operand,
    ) -> Result<Option<Operand>, Error> {
        let span = self.token.span;
        let level = operator.level();
        // A relation takes one operator, so an earlier one is an error, not a left operand.
        let left = self.reduce(operand, if level == RELATION { RELATION + 1 } else { level });
        if let Some(Frame::Binary { operator: earlier, span: first, .. }) = self.frames.last()
            && level == RELATION
            && earlier.level() == RELATION
        {
            let kind = ErrorKind::SecondRelation { operator: operator.symbol() };
            return Err(Error::new(kind, span).relate(*first, "the first one"));
        }
        self.advance()?;
        self.frames.push(Frame::Binary { operator, span, left });
        Ok(None)
    }

    /// Completes the unary operation and the binary operations of at least `level` that wait for
    /// `operand`.
    fn reduce(&mut self, mut operand: Operand, level: u8) -> Operand {
        while let Some(frame) = self.frames.pop_if(|frame| match frame {
            Frame::Unary { .. } => true,
            Frame::Binary { operator, .. } => operator.level() >= level,
            _ => false,
        }) {
            operand = match frame {
                Frame::Unary { operator, span } => self.complete_unary(operator, span, operand),
                Frame::Binary { operator, left, .. } => {
                    let kind = NodeKind::Binary { operator, left: left.node, right: operand.node };
                    self.push(kind, left.span.to(operand.span))
                }
                _ => operand,
            };
        }
        operand
    }

    fn complete_unary(&mut self, operator: UnaryOperator, span: Span, operand: Operand) -> Operand {
        if operator == UnaryOperator::Negate
            && !operand.enclosed
            && let Some(node) = self.nodes.get_mut(operand.node.index())
            && let NodeKind::Int { negated, .. } = &mut node.kind
        {
            *negated = true;
        }
        self.push(NodeKind::Unary { operator, operand: operand.node }, span.to(operand.span))
    }

    /// Completes everything that ends before a closing token.
    fn reduce_all(&mut self, operand: Operand) -> Operand {
        let mut operand = self.reduce(operand, 0);
        while let Some(Frame::Second { condition, first }) =
            self.frames.pop_if(|frame| matches!(frame, Frame::Second { .. }))
        {
            let kind = NodeKind::Ternary {
                condition: condition.node,
                first: first.node,
                second: operand.node,
            };
            operand = self.push(kind, condition.span.to(operand.span));
            operand = self.reduce(operand, 0);
        }
        operand
    }

    fn colon(&mut self, operand: Operand) -> Result<Option<Operand>, Error> {
        let first = self.reduce_all(operand);
        let Some(Frame::First { condition, .. }) = self.frames.last() else {
            return Err(self.unexpected_behind());
        };
        let second = Frame::Second { condition: *condition, first };
        self.frames.pop();
        self.advance()?;
        self.frames.push(second);
        Ok(None)
    }

    fn comma(&mut self, operand: Operand) -> Result<Option<Operand>, Error> {
        let item = self.reduce_all(operand);
        match self.frames.last() {
            Some(Frame::Call { .. } | Frame::List { .. }) => {
                self.items.push(item.node);
                self.advance()?;
                Ok(None)
            }
            _ => Err(self.unexpected_behind()),
        }
    }

    fn close(&mut self, operand: Operand) -> Result<Operand, Error> {
        let inner = self.reduce_all(operand);
        let paren = self.token.kind == TokenKind::CloseParen;
        let end = self.token.span;
        match self.frames.last() {
            Some(&Frame::Paren { open }) if paren => {
                self.frames.pop();
                self.advance()?;
                Ok(Operand { node: inner.node, span: open.to(end), enclosed: true })
            }
            Some(&Frame::Call { name, items, .. }) if paren => {
                self.frames.pop();
                self.items.push(inner.node);
                self.close_call(name, items)
            }
            Some(&Frame::List { open, items }) if !paren => {
                self.frames.pop();
                self.items.push(inner.node);
                self.close_list(open, items)
            }
            Some(&Frame::Index { operand, .. }) if !paren => {
                self.frames.pop();
                self.advance()?;
                let kind = NodeKind::Index { operand: operand.node, subscript: inner.node };
                Ok(self.push(kind, operand.span.to(end)))
            }
            _ => Err(self.unexpected_behind()),
        }
    }

    /// Consumes the closing token of a call.
    fn close_call(&mut self, name: Span, items: usize) -> Result<Operand, Error> {
        let end = self.advance()?.span;
        let arguments = self.take(items);
        Ok(self.push(NodeKind::Call { name, arguments }, name.to(end)))
    }

    /// Consumes the closing token of a list.
    fn close_list(&mut self, open: Span, items: usize) -> Result<Operand, Error> {
        let end = self.advance()?.span;
        let members = self.take(items);
        Ok(self.push(NodeKind::List(members), open.to(end)))
    }

    fn take(&mut self, items: usize) -> Children {
        let start = offset(self.children.len());
        self.children.extend(self.items.drain(items..));
        Children { start, end: offset(self.children.len()) }
    }

    fn finish(&mut self, operand: Operand) -> Result<(), Error> {
        self.reduce_all(operand);
        if self.frames.is_empty() { Ok(()) } else { Err(self.unexpected_behind()) }
    }

    fn unexpected(&self, expected: &'static str) -> Error {
        let Token { kind, span } = self.token;
        let found = (kind != TokenKind::End).then(|| self.lexer.slice(span).to_owned());
        Error::new(ErrorKind::Unexpected { found, expected }, span)
    }

    fn unexpected_operand(&self) -> Error {
        let expected = match self.frames.last() {
            Some(Frame::Unary { .. }) => "a literal, a name or `(`",
            _ => "a literal, a name, `(`, `!` or `-`",
        };
        self.opened(self.unexpected(expected))
    }

    fn unexpected_behind(&self) -> Error {
        let open = self.frames.iter().rev().find(|frame| {
            !matches!(frame, Frame::Unary { .. } | Frame::Binary { .. } | Frame::Second { .. })
        });
        let expected = match open {
            None | Some(Frame::Unary { .. } | Frame::Binary { .. } | Frame::Second { .. }) => {
                "an operator or the end of the condition"
            }
            Some(Frame::First { .. }) => "an operator or `:`",
            Some(Frame::Paren { .. }) => "an operator or `)`",
            Some(Frame::Index { .. }) => "an operator or `]`",
            Some(Frame::Call { .. }) => "an operator, `,` or `)`",
            Some(Frame::List { .. }) => "an operator, `,` or `]`",
        };
        self.opened(self.unexpected(expected))
    }

    /// Points at what is still open when the condition ends or a closing token does not fit.
    fn opened(&self, error: Error) -> Error {
        let closing = matches!(
            self.token.kind,
            TokenKind::End | TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::Colon
        );
        let open = self.frames.iter().rev().find_map(|frame| match frame {
            Frame::Paren { open }
            | Frame::Index { open, .. }
            | Frame::Call { open, .. }
            | Frame::List { open, .. }
            | Frame::First { question: open, .. } => Some(*open),
            Frame::Unary { .. } | Frame::Binary { .. } | Frame::Second { .. } => None,
        });
        match open {
            Some(open) if closing => error.relate(open, "opened here"),
            _ => error,
        }
    }

    /// The point stands where an operand must come: `.5`, or just a point.
    fn leading_point(&self) -> Error {
        let start = self.token.span.start as usize;
        let error = self.lexer.bad_number(start);
        match error.kind() {
            ErrorKind::Number { text, .. }
                if text.as_bytes().get(1).is_some_and(u8::is_ascii_digit) =>
            {
                error
            }
            _ => self.unexpected_operand(),
        }
    }
}

fn binary(kind: TokenKind) -> Option<BinaryOperator> {
    Some(match kind {
        TokenKind::OrOr => BinaryOperator::Or,
        TokenKind::AndAnd => BinaryOperator::And,
        TokenKind::EqualEqual => BinaryOperator::Equal,
        TokenKind::NotEqual => BinaryOperator::NotEqual,
        TokenKind::Less => BinaryOperator::Less,
        TokenKind::LessEqual => BinaryOperator::LessEqual,
        TokenKind::Greater => BinaryOperator::Greater,
        TokenKind::GreaterEqual => BinaryOperator::GreaterEqual,
        TokenKind::In => BinaryOperator::In,
        TokenKind::Plus => BinaryOperator::Add,
        TokenKind::Minus => BinaryOperator::Subtract,
        TokenKind::Star => BinaryOperator::Multiply,
        TokenKind::Slash => BinaryOperator::Divide,
        TokenKind::Percent => BinaryOperator::Modulo,
        _ => return None,
    })
}
