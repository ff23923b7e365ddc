//! Functions of every parameter type and references of every type: the standard's own vocabulary
//! has few of them, the language has all.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use super::{Members, limits};
use crate::{
    Host, Limits, Map, MapList, Member, Raise, RaiseKind, Scalar, Span, Stack, StringList, Symbol,
    Symbols, Type, Value, compile, explain,
};

const TYPES: [(&str, Type); 8] = [
    ("bool", Type::Bool),
    ("int", Type::Int),
    ("double", Type::Double),
    ("string", Type::String),
    ("list", Type::StringList),
    ("labels", Type::StringMap),
    ("maps", Type::MapList),
    ("map", Type::Map),
];

/// `same_TYPE` gives back its argument, `NAME_of` refers to a value of each type by the name.
struct EveryKind;

impl Symbols for EveryKind {
    fn symbol(&self, name: &str) -> Option<Symbol> {
        let slot_of = |kind: &str| TYPES.iter().position(|(own, _)| *own == kind);
        if let Some(slot) = name.strip_prefix("same_").and_then(slot_of) {
            let (_, ty) = TYPES[slot];
            return Some(Symbol::Function { slot: slot as u32, parameter: ty, result: ty });
        }
        let slot = name.strip_suffix("_of").and_then(slot_of)?;
        Some(Symbol::Reference { slot: slot as u32, result: TYPES[slot].1 })
    }

    fn names(&self, _: &mut dyn FnMut(&str)) {}
}

/// Nodes and bytes may be as many as the limit says, and not one more.
#[test]
fn limits_are_reached_before_they_are_passed() {
    let source = "same_int(1) == 1";
    let kept = Kept::default();
    for (nodes, bytes, message) in [
        (4, 16, ""),
        (3, 16, "the condition has 4 nodes, `expression_nodes_max` is 3"),
        (4, 15, "the condition is 16 bytes long, the limit is 15"),
    ] {
        let limits = Limits { nodes, bytes, ..limits() };
        let compiled = compile(source, &EveryKind, &limits).map(|_| ());
        let explained = explain(source, &EveryKind, &limits, &mut &kept).map(|_| ());
        assert_eq!(compiled, explained, "{nodes} {bytes}");
        let told = compiled.map_or_else(|errors| errors[0].to_string(), |()| String::new());
        assert_eq!(told, message);
    }
}

/// What the references stand for.
#[derive(Default)]
struct Kept {
    list: Vec<String>,
    labels: Members,
    maps: Vec<Members>,
    /// The slot of each reference.
    slots: Vec<u32>,
    /// Whether each reference yields the value of the next type instead.
    wrong: bool,
}

impl<'a> Host<'a> for &'a Kept {
    type Error = ();

    fn fact(&mut self, _: u32) -> Result<Value<'a>, ()> {
        Err(())
    }

    fn call(&mut self, slot: u32, argument: Value<'_>) -> Result<Scalar<'a>, ()> {
        match (TYPES[slot as usize].1, argument) {
            (Type::Bool, Value::Bool(value)) => Ok(Scalar::Bool(value)),
            (Type::Int, Value::Int(value)) => Ok(Scalar::Int(value)),
            (Type::Double, Value::Double(value)) => Ok(Scalar::Double(value)),
            (Type::String, Value::String(text)) => Ok(Scalar::String(Cow::Owned(text.into()))),
            _ => Err(()),
        }
    }

    fn reference(&mut self, index: u32) -> Result<Value<'a>, ()> {
        let kept: &'a Kept = self;
        let slot = kept.slots[index as usize] as usize + usize::from(kept.wrong);
        Ok(match TYPES[slot % TYPES.len()].1 {
            Type::Bool => Value::Bool(true),
            Type::Int => Value::Int(7),
            Type::Double => Value::Double(2.5),
            Type::String => Value::String("text"),
            Type::StringList => Value::StringList(&kept.list),
            Type::StringMap => Value::StringMap(&kept.labels),
            Type::MapList => Value::MapList(&kept.maps),
            Type::Map => Value::Map(&kept.labels),
        })
    }
}

fn evaluate(source: &str, wrong: bool) -> Result<bool, RaiseKind<()>> {
    let program = compile(source, &EveryKind, &limits()).expect(source);
    let labels = Members([("env".to_owned(), Some("prod".to_owned()))].into());
    let kept = Kept {
        list: vec!["a".to_owned(), "b".to_owned()],
        maps: vec![labels.clone()],
        labels,
        slots: program.references().iter().map(|reference| reference.slot).collect(),
        wrong,
    };
    let result = program.evaluate(&mut &kept, &mut Stack::new()).map_err(|raise| raise.kind);
    let explained = explain(source, &EveryKind, &limits(), &mut &kept).expect(source);
    assert_eq!(explained.result().map_err(|(_, kind)| *kind), result, "{source}");
    result
}

#[test]
fn functions_take_and_give_every_scalar() {
    for source in [
        "same_bool(true)",
        "!same_bool(false)",
        "same_bool(same_bool(1 < 2))",
        "same_int(3) == 3",
        "same_int(3) + same_int(same_int(4)) == 7",
        "-same_int(5) == -5",
        "same_double(0.25) == 0.25",
        "same_double(same_double(0.5) * 3.0) == 1.5",
        "same_string('x') == 'x'",
        "same_string('x' + same_string('y')) == 'xy'",
    ] {
        assert_eq!(evaluate(source, false), Ok(true), "{source}");
    }
}

#[test]
fn references_stand_for_every_type() {
    for (source, negated) in [
        ("bool_of('R')", "!bool_of('R')"),
        ("bool_of('R') == true", "bool_of('R') != true"),
        ("int_of('R') == 7", "int_of('R') != 7"),
        ("7 == int_of('R')", "8 < int_of('R')"),
        ("int_of('R') + int_of('S') == 14", "int_of('R') - 1 == 7"),
        ("double_of('R') == 2.5", "double_of('R') < 2.5"),
        ("double_of('R') * 2.0 == 5.0", "-double_of('R') > 0.0"),
        ("string_of('R') == 'text'", "string_of('R') != 'text'"),
        ("starts_with(string_of('R'), 'te')", "ends_with(string_of('R'), 'te')"),
        ("'b' in list_of('R')", "'c' in list_of('R')"),
        ("list_of('R')[1] == 'b'", "list_of('R')[0] == 'b'"),
        ("size(list_of('R')) == 2", "size(list_of('R')) > 2"),
        ("labels_of('R')['env'] == 'prod'", "labels_of('R')['env'] == 'test'"),
        ("'env' in labels_of('R')", "'prod' in labels_of('R')"),
        ("'env' in maps_of('R')[0]", "'x' in maps_of('R')[0]"),
        ("size(maps_of('R')) == 1", "size(maps_of('R')) == 0"),
        ("'env' in map_of('R')", "'x' in map_of('R')"),
        ("size(map_of('R')) == 1", "size(map_of('R')) != 1"),
    ] {
        assert_eq!(evaluate(source, false), Ok(true), "{source}");
        assert_eq!(evaluate(negated, false), Ok(false), "{negated}");
        assert_eq!(evaluate(source, true), Err(RaiseKind::WrongType), "{source}");
    }
}

/// Every way to raise: the clause behind it and the words for it.
#[test]
fn raises_are_told() {
    for (kind, clause, message) in [
        (RaiseKind::DivisionByZero, "OAR-EXPR-14", "division by zero"),
        (RaiseKind::NonFinite, "OAR-EXPR-14", "the double is not finite"),
        (RaiseKind::IntOverflow, "OAR-EXPR-15", "the int does not fit 64 bits"),
        (RaiseKind::KeyAbsent, "OAR-EXPR-13", "the map has no such key"),
        (RaiseKind::IndexOutOfRange, "OAR-EXPR-13", "the list has no such index"),
        (RaiseKind::WrongType, "OAR-FACT-26", "the value is not of its declared type"),
        (RaiseKind::Host("gone"), "OAR-OPS-3", "gone"),
    ] {
        assert_eq!(kind.clause(), clause, "{message}");
        let raise = Raise { span: Span::new(0, 1), kind };
        assert_eq!(raise.to_string(), message);
    }
}

/// A low surrogate stands alone whatever follows it; only a high one looks for its partner.
#[test]
fn the_first_surrogate_without_a_partner_is_named() {
    for (source, underlined) in [
        (r#""\udc00\uzz""#, r"\udc00"),
        (r#""\udc00\udc00""#, r"\udc00"),
        (r#""\udbff\uzz""#, r"\u"),
        (r#""\udbff\ue000""#, r"\udbff"),
    ] {
        let error = crate::parse(source).unwrap_err();
        assert_eq!(&source[error.span().range()], underlined, "{source}: {error}");
    }
}

/// What a program holds grows with what its condition says.
#[test]
fn what_a_program_holds_is_counted() {
    let held = |source: &str| compile(source, &EveryKind, &limits()).unwrap().heap_bytes();
    let (short, long) = (held("same_string('x') == 'ab'"), held("same_string('x') == 'abcd'"));
    assert_eq!(long - short, 2);
    assert!(held("bool_of('RULE')") > held("bool_of('R')"));
    // Every part is counted, none against another.
    let many =
        compile("same_string('x') in ['ab', 'cd', 'ef'] && bool_of('R')", &EveryKind, &limits());
    let many = many.unwrap();
    let parts = [
        size_of_val(&*many.code),
        many.text.len(),
        size_of_val(&*many.pieces),
        size_of_val(&*many.places),
        size_of_val(many.uses()),
        size_of_val(many.references()),
        "R".len(),
    ];
    assert!(!many.pieces.is_empty() && !many.references().is_empty());
    assert_eq!(many.heap_bytes(), parts.iter().sum());
    assert!(held("same_bool(true) && same_bool(true)") > held("same_bool(true)"));
}

/// What the standard library has for lists and maps can be lent as it is.
#[test]
fn collections_are_lent_as_they_are() {
    let entries = [("env".to_owned(), "prod"), ("team".to_owned(), "core")];
    let sorted = BTreeMap::from(entries.clone());
    let hashed = HashMap::from(entries);
    for map in [&sorted as &dyn Map, &hashed] {
        assert_eq!((map.len(), map.is_empty()), (2, false));
        assert_eq!(map.get("team"), Some(Member::String("core")));
        assert_eq!((map.contains_key("env"), map.contains_key("prod")), (true, false));
    }
    let none: BTreeMap<String, String> = BTreeMap::new();
    assert_eq!((Map::len(&none), Map::is_empty(&none)), (0, true));
    let list: &dyn StringList = &vec!["a", "b"];
    assert_eq!((list.len(), list.is_empty()), (2, false));
    assert_eq!((list.get(1), list.get(2)), (Some("b"), None));
    let maps: &dyn MapList = &vec![sorted];
    assert_eq!((maps.len(), maps.is_empty()), (1, false));
    assert!(maps.get(0).is_some_and(|map| map.contains_key("env")) && maps.get(1).is_none());
    let (no_texts, no_maps) = (Vec::<String>::new(), Vec::<Members>::new());
    assert!(StringList::is_empty(&no_texts) && MapList::is_empty(&no_maps));
}
