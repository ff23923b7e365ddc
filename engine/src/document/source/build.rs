//! Puts a tree together from a run of events, without recursion.
//!
//! Both readers, the conversion from `serde_json` and `Clone` go through here. Finished values
//! wait on one shared stack until what holds them is closed, so that each array and object is
//! allocated once, at its exact size.

use oar_expr::Span;

use super::object::Repeated;
use super::{Member, Node, Object, Value, pointer};

/// A tree under construction.
#[derive(Default)]
pub(super) struct Builder {
    /// Items of the open arrays; the finished root is the bottom one.
    items: Vec<Node>,
    /// Members of the open objects.
    members: Vec<Member>,
    open: Vec<Open>,
}

struct Open {
    start: u32,
    /// Where its own items or members begin.
    base: usize,
    kind: Kind,
}

pub(super) enum Kind {
    Array,
    /// With the name of the member whose value comes next.
    Object(Option<(Box<str>, Span)>),
}

impl Builder {
    /// How many arrays and objects are open.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// The innermost open array or object: whether it is an object, and where it was opened.
    pub(super) fn innermost(&self) -> Option<(bool, u32)> {
        self.open.last().map(|open| (matches!(open.kind, Kind::Object(_)), open.start))
    }

    pub(super) fn open_array(&mut self, start: u32) {
        self.open.push(Open { start, base: self.items.len(), kind: Kind::Array });
    }

    pub(super) fn open_object(&mut self, start: u32) {
        self.open.push(Open { start, base: self.members.len(), kind: Kind::Object(None) });
    }

    /// Gives the name of the next member of the innermost object.
    pub(super) fn name(&mut self, name: impl Into<Box<str>>, span: Span) {
        if let Some(Open { kind: Kind::Object(pending), .. }) = self.open.last_mut() {
            *pending = Some((name.into(), span));
        }
    }

    /// Adds a finished value to the innermost array or object.
    pub(super) fn push(&mut self, node: Node) {
        match self.open.last_mut() {
            Some(Open { kind: Kind::Object(pending), .. }) => {
                if let Some((name, name_span)) = pending.take() {
                    self.members.push(Member { name, name_span, node });
                }
            }
            _ => self.items.push(node),
        }
    }

    /// Closes the innermost array or object, which ends before `end`, and tells which members
    /// repeated a name.
    pub(super) fn close(&mut self, end: u32) -> Vec<Repeated> {
        let (node, repeated) = self.close_apart(end);
        if let Some(node) = node {
            self.push(node);
        }
        repeated
    }

    /// The same, without adding the closed one to what holds it.
    pub(super) fn close_apart(&mut self, end: u32) -> (Option<Node>, Vec<Repeated>) {
        let Some(open) = self.open.pop() else { return (None, Vec::new()) };
        let (value, repeated) = match open.kind {
            Kind::Array => (Value::Array(self.items.drain(open.base..).collect()), Vec::new()),
            Kind::Object(_) => {
                let members = self.members.drain(open.base..).collect();
                let (object, repeated) = Object::new(members);
                (Value::Object(object), repeated)
            }
        };
        (Some(Node::new(Span::new(open.start, end), value)), repeated)
    }

    /// The pointer of the value that comes next, or of the innermost object when it waits for
    /// a name.
    pub(super) fn pointer(&self) -> String {
        let mut text = String::new();
        let mut items_end = self.items.len();
        // The items of an open array end where those of the next open array begin.
        let mut tokens: Vec<Option<Box<str>>> = Vec::with_capacity(self.open.len());
        for open in self.open.iter().rev() {
            match &open.kind {
                Kind::Array => {
                    tokens.push(Some((items_end - open.base).to_string().into()));
                    items_end = open.base;
                }
                Kind::Object(pending) => {
                    tokens.push(pending.as_ref().map(|(name, _)| name.clone()))
                }
            }
        }
        for token in tokens.iter().rev().flatten() {
            let token: &str = token;
            pointer::push_token(&mut text, token);
        }
        text
    }

    /// The root, once everything is closed.
    pub(super) fn finish(&mut self) -> Option<Node> {
        if self.open.is_empty() { self.items.pop() } else { None }
    }
}
