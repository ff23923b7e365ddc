//! A word of a command: what it is once the quotes are gone, as far as that is known before the
//! line runs.

use std::collections::HashMap;

use rable::{Node, NodeKind};

/// A word after quotes, escapes and known variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// The text; where a part is not known, it stands as it is written.
    pub text: String,
    /// Whether all of it is known.
    pub known: bool,
    /// Where the first unquoted `*`, `?` or `[` stands.
    pub glob: Option<usize>,
    /// Whether it begins with an unquoted `~`.
    pub home: bool,
}

impl Word {
    /// A word that is what it says.
    #[must_use]
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), known: true, glob: None, home: false }
    }

    /// What stands before the first part that is not known, or the whole.
    #[must_use]
    pub fn known_prefix(&self) -> &str {
        if self.known { &self.text } else { self.text.split(['$', '`']).next().unwrap_or_default() }
    }
}

/// What a word says beside its text.
#[derive(Default)]
pub(super) struct Found<'n> {
    /// The bodies of substitutions.
    pub(super) commands: Vec<&'n Node>,
    /// Texts in which there may be more of them.
    pub(super) raw: Vec<String>,
    /// A part that the parser left as text although it is code.
    pub(super) unparsed: bool,
}

/// How many words braces may make of one.
const ALTERNATIVES_MAX: usize = 64;

/// The words that a word stands for: several where it has braces.
pub(super) fn words<'n>(
    node: &'n Node,
    variables: &HashMap<String, String>,
    found: &mut Found<'n>,
) -> Vec<Word> {
    let NodeKind::Word { value, parts, .. } = &node.kind else {
        found.unparsed = true;
        return Vec::new();
    };
    let mut scan = Scan { made: vec![Word::plain("")], quote: None };
    for part in parts {
        match &part.kind {
            NodeKind::WordLiteral { value } => scan.literal(value, found),
            NodeKind::AnsiCQuote { decoded, .. } => scan.push(decoded),
            NodeKind::LocaleString { inner, .. } => {
                let outer = scan.quote.replace('"');
                scan.literal(inner, found);
                scan.quote = outer;
            }
            NodeKind::ParamExpansion { param, op: None, .. } if variables.contains_key(param) => {
                scan.push(variables.get(param).map(String::as_str).unwrap_or_default());
            }
            NodeKind::CommandSubstitution { command, .. }
            | NodeKind::ProcessSubstitution { command, .. } => {
                found.commands.push(command);
                scan.unknown("$()");
            }
            NodeKind::BraceExpansion { content } => scan.braces(content),
            NodeKind::ParamExpansion { param, op, arg } => {
                scan.unknown(&format!("${param}"));
                // A default that is known is what the word is where the variable is not set.
                for text in [Some(param), op.as_ref(), arg.as_ref()].into_iter().flatten() {
                    found.raw.push(text.clone());
                }
            }
            _ => {
                scan.unknown("$");
                found.raw.push(value.clone());
            }
        }
    }
    if parts.is_empty() {
        scan.literal(value, found);
    }
    scan.made
}

struct Scan {
    made: Vec<Word>,
    quote: Option<char>,
}

impl Scan {
    fn push(&mut self, text: &str) {
        self.made.iter_mut().for_each(|word| word.text.push_str(text));
    }

    fn unknown(&mut self, shown: &str) {
        self.push(shown);
        self.made.iter_mut().for_each(|word| word.known = false);
    }

    /// `{a,b}` makes several words; a sequence or what is nested is not known.
    fn braces(&mut self, content: &str) {
        let inner = content.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        let simple = inner.filter(|inner| {
            inner.contains(',') && !inner.contains(['{', '}', '$', '`', '\'', '"', '\\'])
        });
        match simple.map(|inner| inner.split(',').collect::<Vec<_>>()) {
            Some(choices) if choices.len() * self.made.len() <= ALTERNATIVES_MAX => {
                let one = |(choice, word): (&&str, &Word)| {
                    let mut word = word.clone();
                    word.text.push_str(choice);
                    word
                };
                let made = &self.made;
                let all = choices.iter().flat_map(|choice| made.iter().map(move |w| (choice, w)));
                self.made = all.map(one).collect();
            }
            _ => self.unknown(&format!("${content}")),
        }
    }

    fn literal(&mut self, text: &str, found: &mut Found<'_>) {
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match (self.quote, c) {
                (Some('\''), '\'') => self.quote = None,
                (Some('\''), c) => self.push(c.encode_utf8(&mut [0; 4])),
                (Some(_), '"') => self.quote = None,
                (None, '\'' | '"') => self.quote = Some(c),
                (quote, '\\') => match chars.next() {
                    Some('\n') => {}
                    Some(next) => {
                        // In double quotes a backslash stands for itself before most others.
                        if quote.is_some() && !matches!(next, '$' | '`' | '"' | '\\') {
                            self.push("\\");
                        }
                        self.push(next.encode_utf8(&mut [0; 4]));
                    }
                    None => self.push("\\"),
                },
                (_, '`') => {
                    found.unparsed = true;
                    self.unknown("`");
                }
                (_, '$') if matches!(chars.peek(), Some('(' | '{')) => {
                    found.unparsed = true;
                    self.unknown("$");
                }
                (None, '*' | '?' | '[') => {
                    for word in &mut self.made {
                        word.glob.get_or_insert(word.text.len());
                        word.text.push(c);
                    }
                }
                (None, '~') => {
                    for word in &mut self.made {
                        word.home |= word.text.is_empty();
                        word.text.push('~');
                    }
                }
                (_, c) => self.push(c.encode_utf8(&mut [0; 4])),
            }
        }
    }
}

/// The bodies of `$( )`, `<( )` and backticks in a text that is not parsed: the default of a
/// variable, arithmetic, a here-document. `None` when one of them does not end.
pub(super) fn substitutions(text: &str) -> Option<Vec<String>> {
    let mut bodies = Vec::new();
    let chars: Vec<char> = text.chars().collect();
    let at = |position: usize| chars.get(position).copied();
    let mut position = 0;
    while let Some(c) = at(position) {
        match c {
            '\\' => position += 2,
            '`' => {
                let mut body = String::new();
                position += 1;
                loop {
                    match at(position)? {
                        '`' => break,
                        '\\' => {
                            let next = at(position + 1)?;
                            if !matches!(next, '`' | '\\' | '$') {
                                body.push('\\');
                            }
                            body.push(next);
                            position += 2;
                        }
                        c => {
                            body.push(c);
                            position += 1;
                        }
                    }
                }
                position += 1;
                bodies.push(body);
            }
            '$' | '<' | '>' if at(position + 1) == Some('(') => {
                let end = closing(&chars, position + 2)?;
                if at(position + 2) == Some('(') && at(end - 1) == Some(')') {
                    // Arithmetic: only what is in it runs.
                    position += 3;
                    continue;
                }
                bodies.push(chars.get(position + 2..end)?.iter().collect());
                position = end + 1;
            }
            _ => position += 1,
        }
    }
    Some(bodies)
}

/// Where the parenthesis that is open at `start` is closed.
fn closing(chars: &[char], start: usize) -> Option<usize> {
    let mut depth = 1_usize;
    let mut quote = None;
    let mut position = start;
    while let Some(c) = chars.get(position).copied() {
        match (quote, c) {
            (Some('\''), '\'') => quote = None,
            (Some('\''), _) => {}
            (_, '\\') => position += 1,
            (Some(_), '"') => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (_, '(') => depth += 1,
            (_, ')') => {
                depth -= 1;
                if depth == 0 {
                    return Some(position);
                }
            }
            _ => {}
        }
        position += 1;
    }
    None
}
