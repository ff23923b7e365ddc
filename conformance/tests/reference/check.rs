//! Whether a condition is type-correct (Appendix A.2 and A.3).

use super::host::Host;
use super::syntax::{Expr, nodes};
use super::value::{Type, Val};

/// What names mean where a condition stands.
pub(crate) struct Names<'a> {
    pub(crate) host: &'a Host,
    /// Whether a text names a loaded rule from here ([OAR-FIRE-11]).
    pub(crate) is_rule: &'a dyn Fn(&str) -> bool,
}

/// Whether the condition may load.
pub(crate) fn is_sound(expr: &Expr, names: &Names<'_>) -> bool {
    nodes(expr) <= names.host.nodes_max && type_of(expr, names) == Some(Type::Bool)
}

fn type_of(expr: &Expr, names: &Names<'_>) -> Option<Type> {
    use Type::{Bool, Double, Int, Map, Maps, Text, TextMap, Texts};
    let of = |expr: &Expr| type_of(expr, names);
    match expr {
        Expr::Literal(Val::Bool(_)) => Some(Bool),
        Expr::Literal(Val::Int(_)) | Expr::LeastMagnitude => Some(Int),
        Expr::Literal(Val::Double(_)) => Some(Double),
        Expr::Literal(Val::Text(_)) => Some(Text),
        Expr::Literal(_) => None,
        Expr::List(items) => {
            let types: Vec<Option<Type>> = items.iter().map(of).collect();
            let all = |ty| !types.is_empty() && types.iter().all(|t| *t == Some(ty));
            if all(Text) {
                Some(Texts)
            } else if all(Map) {
                Some(Maps)
            } else {
                None
            }
        }
        Expr::Name(name) => names.host.fact(name),
        Expr::Call(name, arguments) => call(name, arguments, names),
        Expr::Index(of_what, index) => match (of(of_what)?, of(index)?) {
            (TextMap, Text) | (Texts, Int) => Some(Text),
            (Maps, Int) => Some(Map),
            _ => None,
        },
        Expr::Not(a) => (of(a)? == Bool).then_some(Bool),
        Expr::Minus(a) => of(a).filter(|ty| matches!(ty, Int | Double)),
        Expr::Ternary(condition, yes, no) => {
            let (condition, yes, no) = (of(condition)?, of(yes)?, of(no)?);
            (condition == Bool && yes == no).then_some(yes)
        }
        Expr::Binary(sign, a, b) => {
            let (a, b) = (of(a)?, of(b)?);
            let is_number = |ty| matches!(ty, Int | Double);
            let are_numbers = is_number(a) && is_number(b);
            match sign.as_str() {
                "&&" | "||" => (a == Bool && b == Bool).then_some(Bool),
                "==" | "!=" => (are_numbers || a == b && a.is_scalar()).then_some(Bool),
                "<" | "<=" | ">" | ">=" => (are_numbers || a == Text && b == Text).then_some(Bool),
                "in" => (a == Text && matches!(b, Texts | Map | TextMap)).then_some(Bool),
                "%" => (a == Int && b == Int).then_some(Int),
                "+" if a == Text && b == Text => Some(Text),
                _ => (a == b && is_number(a)).then_some(a),
            }
        }
    }
}

fn call(name: &str, arguments: &[Expr], names: &Names<'_>) -> Option<Type> {
    let types: Vec<Type> = arguments.iter().map(|a| type_of(a, names)).collect::<Option<_>>()?;
    match (name, types.as_slice()) {
        ("size", [ty]) => {
            (!matches!(ty, Type::Bool | Type::Int | Type::Double)).then_some(Type::Int)
        }
        ("starts_with" | "ends_with" | "contains", [Type::Text, Type::Text]) => Some(Type::Bool),
        ("fire_count_of" | "breaker_count_of", [Type::Text]) => match &arguments[0] {
            Expr::Literal(Val::Text(rule)) => (names.is_rule)(rule).then_some(Type::Int),
            _ => None,
        },
        (_, [argument]) => {
            let (declared, result) = names.host.function(name)?;
            (declared == *argument).then_some(result)
        }
        _ => None,
    }
}
