//! The syntax tree of a condition: an arena of nodes, children before parents.
//!
//! What counts as a node is what [OAR-EXPR-20] counts, so parentheses are none. The order is
//! the postorder of the tree: a pass from the first node to the last meets every child before
//! its parent, and no pass needs recursion.

use crate::Span;

/// The index of a node in [`Ast::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// Its position in [`Ast::nodes`].
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A parsed condition, not yet checked.
#[derive(Clone, Debug)]
pub struct Ast {
    pub(crate) nodes: Vec<Node>,
    /// The arguments of calls and the members of lists.
    pub(crate) children: Vec<NodeId>,
    /// The decoded text of all string literals, in source order.
    pub(crate) text: String,
}

/// One node and the text it was written as, without enclosing parentheses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// Where it stands.
    pub span: Span,
}

/// A run of children: arguments or members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Children {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NodeKind {
    /// `true` or `false`.
    Bool(bool),
    /// An int literal.
    Int {
        /// Its value; `u64::MAX` for anything larger.
        magnitude: u64,
        /// Whether it is the immediate operand of a unary minus ([OAR-EXPR-21]).
        negated: bool,
    },
    /// A double literal, infinite when it is too large.
    Double(f64),
    /// A string literal: its place in the decoded text, for [`Ast::string`].
    String {
        /// The first byte.
        start: u32,
        /// The byte behind the last.
        end: u32,
    },
    /// A name that is not called; it stands at the node's span.
    Name,
    /// A call.
    Call {
        /// Where the function's name stands.
        name: Span,
        /// The arguments.
        arguments: Children,
    },
    /// A list literal.
    List(Children),
    /// `operand[subscript]`
    Index {
        /// What is indexed.
        operand: NodeId,
        /// By what.
        subscript: NodeId,
    },
    /// A unary operation.
    Unary {
        /// The operator.
        operator: UnaryOperator,
        /// Its operand.
        operand: NodeId,
    },
    /// A binary operation.
    Binary {
        /// The operator.
        operator: BinaryOperator,
        /// The left operand.
        left: NodeId,
        /// The right operand.
        right: NodeId,
    },
    /// `condition ? first : second`
    Ternary {
        /// What decides.
        condition: NodeId,
        /// The value when it holds.
        first: NodeId,
        /// The value when it does not.
        second: NodeId,
    },
}

/// `!` and unary `-`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOperator {
    /// `!`
    Not,
    /// `-`
    Negate,
}

/// The operators between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOperator {
    /// `||`
    Or,
    /// `&&`
    And,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `in`
    In,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Modulo,
}

impl UnaryOperator {
    /// The operator as written.
    #[must_use]
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Not => "!",
            Self::Negate => "-",
        }
    }
}

impl BinaryOperator {
    /// The operator as written.
    #[must_use]
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Or => "||",
            Self::And => "&&",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::In => "in",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Modulo => "%",
        }
    }

    /// How the grammar groups: a higher level binds tighter, [`RELATION`] does not repeat.
    pub(crate) const fn level(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And => 2,
            Self::Equal
            | Self::NotEqual
            | Self::Less
            | Self::LessEqual
            | Self::Greater
            | Self::GreaterEqual
            | Self::In => RELATION,
            Self::Add | Self::Subtract => 4,
            Self::Multiply | Self::Divide | Self::Modulo => 5,
        }
    }
}

/// The level of the operators of which a relation takes one (OAR-EXPR-4).
pub(crate) const RELATION: u8 = 3;

impl Ast {
    /// All nodes, children before parents.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node count that a limit applies to ([OAR-EXPR-17], [OAR-EXPR-20]).
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The root, which is the last node.
    #[must_use]
    pub fn root(&self) -> NodeId {
        NodeId(crate::lexer::offset(self.nodes.len().saturating_sub(1)))
    }

    /// The node at `id`, or `None` for the id of another tree.
    #[must_use]
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.index())
    }

    /// The arguments of a call or the members of a list.
    #[must_use]
    pub fn children(&self, children: Children) -> &[NodeId] {
        self.children.get(children.start as usize..children.end as usize).unwrap_or_default()
    }

    /// The text of a string literal, with its escapes decoded.
    #[must_use]
    pub fn string(&self, start: u32, end: u32) -> &str {
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }
}
