//! A host's own struct of observations as facts ([OAR-FACT-21]).
//!
//! The names and types of its fields are held against the capability document once, in a
//! [`Binding`]; supplying them then needs no look-up. `#[derive(Facts)]` of the feature `derive`
//! implements [`Facts`].

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use oar_expr::{Type, Value};

use super::{JsonMap, Occurrence, Supplied, SupplyError};
use crate::load::{Declaration, RuleSet};
use crate::observe::FactId;

/// A field of a struct of observations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactField {
    /// The fact that it stands for.
    pub name: &'static str,
    /// The type of its values.
    pub ty: Type,
}

/// A struct whose fields are facts.
///
/// ```
/// # #[cfg(feature = "derive")] {
/// use oar_engine::{Facts, Host, Loader, Session, load::CapabilityBuilder, observe::Binding};
///
/// #[derive(Facts)]
/// #[facts(prefix = "acme")]
/// struct Seen<'a> {
///     owner: &'a str,
///     labels: Vec<String>,
///     risk: Option<i64>,
///     #[fact("session_posture")]
///     posture: &'a str,
/// }
///
/// let capability = CapabilityBuilder::new("acme")
///     .every_core_anchor()
///     .profile("session")
///     .fact("acme.owner", "string", "Who owns the repository at hand.")
///     .fact("acme.labels", "list<string>", "Its labels.")
///     .fact("acme.risk", "int", "How risky it is, where somebody has said so.");
/// let rules = Loader::new(capability.source()).load()?.rules;
/// let binding = Binding::<Seen<'_>>::new(&rules)?;
///
/// let seen = Seen { owner: "ann", labels: vec!["prod".into()], risk: None, posture: "build" };
/// let mut occurrence = rules.occurrence("tool.pre_invoke")?;
/// binding.supply(&mut occurrence, &seen)?;
/// Host::new().decide(&mut Session::new("s"), &occurrence);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Facts {
    /// The fields, in their order.
    const FIELDS: &'static [FactField];

    /// Hands over the value of each field that has one, by the position of the field.
    ///
    /// # Errors
    /// The first that `supply` reports.
    fn supply<'a>(
        &'a self,
        supply: &mut dyn FnMut(usize, Supplied<'a>) -> Result<(), SupplyError>,
    ) -> Result<(), SupplyError>;
}

/// A type whose values are values of a fact type ([OAR-FACT-22]).
pub trait FactType {
    /// The type of the fact.
    const TYPE: Type;

    /// The value, lent; `None` where there is nothing to supply.
    fn lend(&self) -> Option<Supplied<'_>>;
}

/// A field without a value is not supplied: a provider may be asked for it.
impl<T: FactType> FactType for Option<T> {
    const TYPE: Type = T::TYPE;

    fn lend(&self) -> Option<Supplied<'_>> {
        self.as_ref()?.lend()
    }
}

impl<T: FactType + ?Sized> FactType for &T {
    const TYPE: Type = T::TYPE;

    fn lend(&self) -> Option<Supplied<'_>> {
        (**self).lend()
    }
}

macro_rules! fact_types {
    ($($ty:ty: $fact:ident => |$value:ident| $lent:expr),* $(,)?) => {$(
        impl FactType for $ty {
            const TYPE: Type = Type::$fact;

            fn lend(&self) -> Option<Supplied<'_>> {
                let $value = self;
                Some(Supplied::Lent($lent))
            }
        }
    )*};
}
fact_types! {
    bool: Bool => |value| Value::Bool(*value),
    i64: Int => |value| Value::Int(*value),
    i32: Int => |value| Value::Int((*value).into()),
    u32: Int => |value| Value::Int((*value).into()),
    f64: Double => |value| Value::Double(*value),
    str: String => |value| Value::String(value),
    String: String => |value| Value::String(value),
    Cow<'_, str>: String => |value| Value::String(value),
    Box<str>: String => |value| Value::String(value),
    std::sync::Arc<str>: String => |value| Value::String(value),
    Vec<String>: StringList => |value| Value::StringList(value),
    Vec<&str>: StringList => |value| Value::StringList(value),
    BTreeMap<String, String>: StringMap => |value| Value::StringMap(value),
    JsonMap: Map => |value| Value::Map(value),
    Vec<JsonMap>: MapList => |value| Value::MapList(value),
}

/// The fields of a struct, found in the environment of one rule set.
pub struct Binding<T> {
    facts: Box<[FactId]>,
    stamp: u64,
    of: PhantomData<fn(&T)>,
}

/// Fields that are no facts of the host, or of another type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindError {
    faults: Vec<String>,
}

impl BindError {
    /// What is wrong, a line for each field.
    #[must_use]
    pub fn faults(&self) -> &[String] {
        &self.faults
    }
}

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.faults.join("\n"))
    }
}

impl std::error::Error for BindError {}

impl<T: Facts> Binding<T> {
    /// Holds the fields against what the host declared ([OAR-FACT-26]).
    ///
    /// # Errors
    /// Every field whose name is not declared, is a function, belongs to the engine, or is
    /// declared with a type that the field cannot have.
    pub fn new(rules: &RuleSet) -> Result<Self, BindError> {
        let (mut facts, mut faults) = (Vec::new(), Vec::new());
        for field in T::FIELDS {
            match Self::field(rules, field) {
                Ok(fact) => facts.push(fact),
                Err(fault) => faults.push(fault),
            }
        }
        if faults.is_empty() {
            Ok(Self { facts: facts.into(), stamp: rules.stamp, of: PhantomData })
        } else {
            Err(BindError { faults })
        }
    }

    fn field(rules: &RuleSet, field: &FactField) -> Result<FactId, String> {
        let name = field.name;
        let Some((slot, entry)) = rules.environment().named(name) else {
            return Err(format!("`{name}` is not a declared fact"));
        };
        if entry.derivation.is_some_and(super::Derivation::is_core) {
            return Err(SupplyError::Core(name.to_owned()).to_string());
        }
        match entry.declaration() {
            Declaration::Function { .. } => Err(format!("`{name}` is a function")),
            Declaration::Fact(ty) if ty == field.ty || fits(field.ty, ty) => {
                Ok(FactId { slot, stamp: rules.stamp })
            }
            Declaration::Fact(ty) => {
                Err(format!("`{name}` is declared as {ty}, and the field is of type {}", field.ty))
            }
        }
    }

    /// Whether it was made for this rule set; after a change of the set, make another.
    #[must_use]
    pub fn is_for(&self, rules: &RuleSet) -> bool {
        self.stamp == rules.stamp
    }

    /// Supplies every field that has a value.
    ///
    /// # Errors
    /// When the occurrence is of another rule set.
    pub fn supply<'a>(
        &self,
        occurrence: &mut Occurrence<'a>,
        values: &'a T,
    ) -> Result<(), SupplyError> {
        values.supply(&mut |position, value| {
            let fact = self.facts.get(position).ok_or(SupplyError::Foreign)?;
            occurrence.set(*fact, value).map(|_| ())
        })
    }
}

/// Whether every value of one type is a value of another.
fn fits(own: Type, declared: Type) -> bool {
    matches!((own, declared), (Type::Int, Type::Double) | (Type::StringMap, Type::Map))
}

impl<T> fmt::Debug for Binding<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Binding").field("facts", &self.facts.len()).finish()
    }
}
