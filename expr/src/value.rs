//! Values that a host lends to a condition. Nothing here owns or copies.

use std::fmt;

/// A value of one of the types of the language, borrowed from the host.
#[derive(Clone, Copy)]
pub enum Value<'a> {
    /// A `bool`.
    Bool(bool),
    /// An `int`.
    Int(i64),
    /// A `double`; finite.
    Double(f64),
    /// A `string`.
    String(&'a str),
    /// A `list<string>`.
    StringList(&'a dyn StringList),
    /// A `map<string,string>`.
    StringMap(&'a dyn Map),
    /// A `list<map>`.
    MapList(&'a dyn MapList),
    /// A `map`.
    Map(&'a dyn Map),
}

/// A `list<string>` wherever the host keeps it.
pub trait StringList: fmt::Debug + Sync {
    /// The number of members.
    fn len(&self) -> usize;
    /// The member at `index`, or `None` beyond the end.
    fn get(&self, index: usize) -> Option<&str>;
    /// Whether there are no members.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A `map` or a `map<string,string>` wherever the host keeps it.
pub trait Map: fmt::Debug + Sync {
    /// The number of members.
    fn len(&self) -> usize;
    /// The member under `key`, or `None` when there is none.
    fn get(&self, key: &str) -> Option<Member<'_>>;
    /// The names of the members, for records of what was observed; `None` where the host does not
    /// tell them, and the map is left out of records.
    fn keys(&self) -> Option<Vec<&str>> {
        None
    }
    /// Whether there is a member under `key`.
    fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }
    /// Whether there are no members.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A `list<map>` wherever the host keeps it.
pub trait MapList: fmt::Debug + Sync {
    /// The number of members.
    fn len(&self) -> usize;
    /// The member at `index`, or `None` beyond the end.
    fn get(&self, index: usize) -> Option<&dyn Map>;
    /// Whether there are no members.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A member of a map, as far as its type matters to anyone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Member<'a> {
    /// A boolean.
    Bool(bool),
    /// An integer that fits 64 bits.
    Int(i64),
    /// Any other finite number.
    Double(f64),
    /// A string.
    String(&'a str),
    /// Null, a list, a map, or a number outside binary64.
    Other,
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::Int(value) => value.fmt(f),
            Self::Double(value) => value.fmt(f),
            Self::String(value) => value.fmt(f),
            Self::StringList(value) => value.fmt(f),
            Self::StringMap(value) | Self::Map(value) => value.fmt(f),
            Self::MapList(value) => value.fmt(f),
        }
    }
}

impl<S: AsRef<str> + fmt::Debug + Sync> StringList for Vec<S> {
    fn len(&self) -> usize {
        self.len()
    }

    fn get(&self, index: usize) -> Option<&str> {
        self.as_slice().get(index).map(AsRef::as_ref)
    }
}

impl<M: Map> MapList for Vec<M> {
    fn len(&self) -> usize {
        self.len()
    }

    fn get(&self, index: usize) -> Option<&dyn Map> {
        self.as_slice().get(index).map(|map| map as &dyn Map)
    }
}

impl<V: AsRef<str> + fmt::Debug + Sync> Map for std::collections::BTreeMap<String, V> {
    fn len(&self) -> usize {
        self.len()
    }

    fn get(&self, key: &str) -> Option<Member<'_>> {
        self.get(key).map(|value| Member::String(value.as_ref()))
    }

    fn keys(&self) -> Option<Vec<&str>> {
        Some(self.keys().map(String::as_str).collect())
    }
}

impl<V: AsRef<str> + fmt::Debug + Sync, S: std::hash::BuildHasher + Sync> Map
    for std::collections::HashMap<String, V, S>
{
    fn len(&self) -> usize {
        self.len()
    }

    fn get(&self, key: &str) -> Option<Member<'_>> {
        self.get(key).map(|value| Member::String(value.as_ref()))
    }

    fn keys(&self) -> Option<Vec<&str>> {
        let mut keys: Vec<&str> = self.keys().map(String::as_str).collect();
        keys.sort_unstable();
        Some(keys)
    }
}
