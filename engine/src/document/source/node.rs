//! The tree that both formats are read into.

use oar_expr::Span;

/// One value of a document and the place where it stands.
#[derive(Clone, Debug)]
pub struct Node {
    /// Where it stands in the file.
    pub span: Span,
    /// What it is.
    pub value: Value,
}

/// What a node is.
#[derive(Clone, Debug)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as its text.
    Number(Number),
    /// A string.
    String(Text),
    /// An array.
    Array(Vec<Node>),
    /// An object.
    Object(Object),
}

/// A number as it was written, so that no digit is lost before its type is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number(pub(crate) Box<str>);

/// A decoded string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text(pub(crate) Box<str>);

/// An object: members in the order they were written, no name twice.
#[derive(Clone, Debug, Default)]
pub struct Object {
    pub(crate) members: Vec<Member>,
}

/// A member of an object.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name, decoded.
    pub name: Box<str>,
    /// Where the name stands.
    pub name_span: Span,
    /// Its value.
    pub node: Node,
}
