//! How conditions group, what their literals mean, and how their nodes are counted.

use super::{Declared, holds, limits, load};
use crate::{Ast, Limits, NodeId, NodeKind, UnaryOperator, compile, parse};

/// The tree with every operation in parentheses. Recursive, for small trees.
fn shape(source: &str) -> String {
    let ast = parse(source).unwrap_or_else(|error| panic!("{source}: {error}"));
    print(source, &ast, ast.root())
}

fn print(source: &str, ast: &Ast, id: NodeId) -> String {
    let node = ast.node(id).unwrap();
    let part = |id| print(source, ast, id);
    let list = |children| {
        let parts: Vec<String> = ast.children(children).iter().map(|id| part(*id)).collect();
        parts.join(", ")
    };
    match node.kind {
        NodeKind::Name
        | NodeKind::Bool(_)
        | NodeKind::Int { .. }
        | NodeKind::Double(_)
        | NodeKind::String { .. } => source[node.span.range()].to_owned(),
        NodeKind::Call { name, arguments } => {
            format!("{}({})", &source[name.range()], list(arguments))
        }
        NodeKind::List(members) => format!("[{}]", list(members)),
        NodeKind::Index { operand, subscript } => format!("{}[{}]", part(operand), part(subscript)),
        NodeKind::Unary { operator, operand } => {
            format!("({}{})", operator.symbol(), part(operand))
        }
        NodeKind::Binary { operator, left, right } => {
            format!("({} {} {})", part(left), operator.symbol(), part(right))
        }
        NodeKind::Ternary { condition, first, second } => {
            format!("({} ? {} : {})", part(condition), part(first), part(second))
        }
    }
}

const SHAPES: [(&str, &str); 34] = [
    ("a || b && c", "(a || (b && c))"),
    ("a && b || c && d", "((a && b) || (c && d))"),
    ("a || b || c", "((a || b) || c)"),
    ("a && b && c", "((a && b) && c)"),
    ("a == b && c", "((a == b) && c)"),
    ("a + b < c - d", "((a + b) < (c - d))"),
    ("a - b - c == d", "(((a - b) - c) == d)"),
    ("a + b * c / d % e == f", "((a + (((b * c) / d) % e)) == f)"),
    ("-a * b == c", "(((-a) * b) == c)"),
    ("a * -b == c", "((a * (-b)) == c)"),
    ("a - -b == c", "((a - (-b)) == c)"),
    ("a--b == c", "((a - (-b)) == c)"),
    ("-a[0] == b", "((-a[0]) == b)"),
    ("!a[0]", "(!a[0])"),
    ("!a && b", "((!a) && b)"),
    ("!(a && b)", "(!(a && b))"),
    ("!(!a)", "(!(!a))"),
    ("-(-a) == b", "((-(-a)) == b)"),
    ("a[b][c] == d", "(a[b][c] == d)"),
    ("a[b + c * d] == e", "(a[(b + (c * d))] == e)"),
    ("(a)[(b)] == ((c))", "(a[b] == c)"),
    ("[a, b][0] == c", "([a, b][0] == c)"),
    ("\"abc\"[0] == f(x)[1]", "(\"abc\"[0] == f(x)[1])"),
    ("a ? b : c ? d : e", "(a ? b : (c ? d : e))"),
    ("a ? b ? c : d : e", "(a ? (b ? c : d) : e)"),
    ("(a ? b : c) ? d : e", "((a ? b : c) ? d : e)"),
    ("a || b ? c && d : e || f", "((a || b) ? (c && d) : (e || f))"),
    ("f(a ? b : c, [d ? e : f])", "f((a ? b : c), [(d ? e : f)])"),
    ("f() == g(a, b) && h ( x )", "((f() == g(a, b)) && h(x))"),
    ("a in b", "(a in b)"),
    ("\"a\"in[b,\"c\"]", "(\"a\" in [b, \"c\"])"),
    ("international && insize && inn.true", "((international && insize) && inn.true)"),
    ("a . in\t\n\r in b", ""),
    ("_a1.b_2.C && true && false", "((_a1.b_2.C && true) && false)"),
];

#[test]
fn grouping() {
    for (source, expected) in SHAPES {
        if expected.is_empty() {
            assert_eq!(parse(source).unwrap_err().clause(), "OAR-EXPR-2", "{source}");
            continue;
        }
        assert_eq!(shape(source), expected, "{source}");
        // What is printed groups as it was read.
        assert_eq!(shape(expected), expected);
    }
}

#[test]
fn spans_cover_what_a_node_was_written_as() {
    let source = " ((n) + (m)) * 2 == (size( tags ))";
    let ast = parse(source).unwrap();
    let texts: Vec<&str> = ast.nodes().iter().map(|node| &source[node.span.range()]).collect();
    assert_eq!(
        texts,
        [
            "n",
            "m",
            "(n) + (m)",
            "2",
            "((n) + (m)) * 2",
            "tags",
            "size( tags )",
            "((n) + (m)) * 2 == (size( tags ))"
        ]
    );
}

#[test]
fn children_stand_before_their_parents() {
    for (source, _) in SHAPES {
        let Ok(ast) = parse(source) else { continue };
        for (index, node) in ast.nodes().iter().enumerate() {
            let children = match node.kind {
                NodeKind::Call { arguments: children, .. } | NodeKind::List(children) => {
                    ast.children(children).to_vec()
                }
                NodeKind::Index { operand, subscript } => vec![operand, subscript],
                NodeKind::Unary { operand, .. } => vec![operand],
                NodeKind::Binary { left, right, .. } => vec![left, right],
                NodeKind::Ternary { condition, first, second } => vec![condition, first, second],
                _ => vec![],
            };
            for child in children {
                assert!(child.index() < index, "{source}");
                let inner = ast.node(child).unwrap().span;
                assert!(node.span.start <= inner.start && inner.end <= node.span.end, "{source}");
            }
        }
    }
}

#[test]
fn node_counts() {
    for (source, count) in [
        ("true", 1),
        ("((true))", 1),
        ("ok", 1),
        ("!ok", 2),
        ("n == 1", 3),
        ("n == -1", 4),
        ("n == -9223372036854775808", 4),
        ("host.labels[\"env\"] == \"prod\"", 5),
        ("size(tags) == 2", 4),
        ("starts_with(tool, \"r\")", 3),
        ("tool in [\"a\", \"b\", \"c\"]", 6),
        ("ok ? ok : denied", 4),
        ("1 + 2 + 3 == 6", 7),
        ("false && (1 == 2)", 5),
    ] {
        assert_eq!(load(source).node_count(), count, "{source}");
        assert_eq!(parse(source).unwrap().node_count(), count as usize, "{source}");
    }
}

#[test]
fn the_limit_admits_its_own_number() {
    let with = |nodes: u32| {
        // `ok && ok` has 3 nodes, each further operand adds 2, a negation adds 1.
        let operands = nodes.div_ceil(2);
        let mut source = vec!["ok"; operands as usize].join(" && ");
        let mut count = operands * 2 - 1;
        while count < nodes {
            source = format!("!({source})");
            count += 1;
        }
        source
    };
    for (nodes, limit, loads) in [
        (1, 0, false),
        (1, 1, true),
        (255, 256, true),
        (256, 256, true),
        (257, 256, false),
        (255, 255, true),
        (256, 255, false),
    ] {
        let source = with(nodes);
        assert_eq!(parse(&source).unwrap().node_count(), nodes as usize);
        let result = compile(&source, &Declared, &Limits { nodes: limit, ..limits() });
        if loads {
            assert_eq!(result.unwrap().node_count(), nodes);
            continue;
        }
        let errors = result.unwrap_err();
        assert_eq!(errors.len(), 1);
        assert_eq!(errors[0].clause(), "OAR-EXPR-17");
        assert_eq!(
            errors[0].to_string(),
            format!("the condition has {nodes} nodes, `expression_nodes_max` is {limit}")
        );
        assert_eq!(&source[errors[0].span().range()], source);
    }
}

#[test]
fn a_long_text_is_refused_before_it_is_read() {
    let limits = Limits { bytes: 10, ..limits() };
    assert!(compile("ok && true", &Declared, &limits).is_ok());
    let errors = compile("ok && true ", &Declared, &limits).unwrap_err();
    assert_eq!(errors[0].clause(), "limit");
    assert_eq!(errors[0].to_string(), "the condition is 11 bytes long, the limit is 10");
}

#[test]
fn the_default_limits_are_the_floor_of_the_standard() {
    assert_eq!(Limits::default().nodes, 256);
}

#[test]
fn strings_decode() {
    for (literal, text) in [
        (r#""""#, ""),
        ("''", ""),
        (r#""a'b""#, "a'b"),
        (r#"'a"b'"#, "a\"b"),
        (r#""\\\"\'\n\r\t""#, "\\\"'\n\r\t"),
        (r#"'\\\"\'\n\r\t'"#, "\\\"'\n\r\t"),
        (r#""\u0041\u00e9\u20AC\uFFFF""#, "Aé€\u{ffff}"),
        (r#""\u0000x""#, "\0x"),
        (r#""\ud83d\ude00""#, "😀"),
        (r#""\uDBFF\uDFFF""#, "\u{10ffff}"),
        ("\"ü😀\t\u{b}\u{2028}\"", "ü😀\t\u{b}\u{2028}"),
        ("\"// # /* */\"", "// # /* */"),
    ] {
        let ast = parse(literal).unwrap();
        let NodeKind::String { start, end } = ast.nodes()[0].kind else { panic!("{literal}") };
        assert_eq!(ast.string(start, end), text, "{literal}");
    }
}

#[test]
fn numbers_mean_their_value() {
    for source in [
        "-9223372036854775808 < -9223372036854775807",
        "-09223372036854775808 == -9223372036854775808",
        "- 9223372036854775808 == -9223372036854775808",
        "9223372036854775807 == 09223372036854775807",
        "007 == 7",
        "1.50 == 1.5",
        "00.5 == 0.5",
        "0.1 + 0.2 != 0.3",
        "1 == 1.0",
        "9007199254740993 == 9007199254740992.0",
    ] {
        assert!(holds(source), "{source}");
        assert_eq!(load(source).constant(), Some(true), "{source}");
    }
}

#[test]
fn the_least_int_is_marked_only_under_its_minus() {
    let marks = |source: &str| -> Vec<bool> {
        let nodes = parse(source).unwrap();
        let mark = |node: &crate::Node| match node.kind {
            NodeKind::Int { negated, .. } => Some(negated),
            _ => None,
        };
        nodes.nodes().iter().filter_map(mark).collect()
    };
    assert_eq!(marks("-5 == -(5)"), [true, false]);
    assert_eq!(marks("3 - 5 == - 4"), [false, false, true]);
    let ast = parse("-5").unwrap();
    assert!(matches!(ast.nodes()[1].kind, NodeKind::Unary { operator: UnaryOperator::Negate, .. }));
}
