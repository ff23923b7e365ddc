//! Copy text, parsed into steps ([OAR-COPY-1]…[OAR-COPY-8]).
//!
//! The parser keeps its open conditionals on a heap stack, so that their nesting has no limit,
//! and the steps are flat with jumps, so that rendering has none either.

use std::ops::Range;

/// One step of rendering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Write a part of the literal text.
    Text { start: u32, end: u32 },
    /// Write the value of a fact.
    Bind { slot: u32 },
    /// Go on at `to` unless the fact is non-zero; the other way round when `inverted`.
    Unless { slot: u32, inverted: bool, to: u32 },
    /// Go on at `to`.
    Jump { to: u32 },
}

/// A parsed member of `copy`.
#[derive(Debug)]
pub(crate) struct Template {
    /// The whole text; [`Step::Text`] points into it.
    pub(crate) text: Box<str>,
    pub(crate) steps: Box<[Step]>,
}

impl Template {
    /// The slots that it names.
    pub(crate) fn slots(&self) -> impl Iterator<Item = u32> {
        self.steps.iter().filter_map(|step| match *step {
            Step::Bind { slot } | Step::Unless { slot, .. } => Some(slot),
            Step::Text { .. } | Step::Jump { .. } => None,
        })
    }
}

/// A name in a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named<'t> {
    pub(crate) name: &'t str,
    pub(crate) range: Range<usize>,
    /// Whether its value is written out, not only tested.
    pub(crate) bound: bool,
}

/// A construct that the grammar does not derive ([OAR-COPY-3]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TemplateError {
    pub(crate) message: String,
    pub(crate) range: Range<usize>,
}

/// A conditional whose end was not seen yet.
struct Open {
    /// The step that jumps over the branch being parsed.
    jump: usize,
    has_else: bool,
    range: Range<usize>,
}

/// Parses `text`. `resolve` gives the slot of each name; it reports what is wrong with a name
/// itself and may answer anything for such a one.
///
/// # Errors
/// The first construct that the grammar does not derive.
pub(crate) fn parse<'t>(
    text: &'t str,
    resolve: &mut dyn FnMut(&Named<'t>) -> u32,
) -> Result<Template, TemplateError> {
    let mut parser = Parser { text, steps: Vec::new(), open: Vec::new() };
    parser.run(resolve)?;
    Ok(Template { text: text.into(), steps: parser.steps.into() })
}

struct Parser<'t> {
    text: &'t str,
    steps: Vec<Step>,
    open: Vec<Open>,
}

impl<'t> Parser<'t> {
    fn run(&mut self, resolve: &mut dyn FnMut(&Named<'t>) -> u32) -> Result<(), TemplateError> {
        let mut position = 0;
        while let Some(rest) = self.text.get(position..).filter(|rest| !rest.is_empty()) {
            let literal = next_construct(rest);
            if literal > 0 {
                let end = position + literal;
                self.steps.push(Step::Text { start: index(position), end: index(end) });
                position = end;
            } else if rest.starts_with("{{") {
                position = self.binding(position, resolve)?;
            } else {
                position = self.tag(position, resolve)?;
            }
        }
        match self.open.pop() {
            None => Ok(()),
            Some(open) => Err(TemplateError {
                message: format!("`{}` has no `{{% endif %}}`", self.slice(&open.range)),
                range: open.range,
            }),
        }
    }

    fn slice(&self, range: &Range<usize>) -> &'t str {
        self.text.get(range.clone()).unwrap_or_default()
    }

    fn binding(
        &mut self,
        start: usize,
        resolve: &mut dyn FnMut(&Named<'t>) -> u32,
    ) -> Result<usize, TemplateError> {
        let mut cursor = Cursor { text: self.text, position: start + 2 };
        cursor.blanks();
        let name = cursor.name();
        cursor.blanks();
        match name {
            Some(range) if cursor.take("}}") => {
                let named = Named { name: self.slice(&range), range, bound: true };
                self.steps.push(Step::Bind { slot: resolve(&named) });
                Ok(cursor.position)
            }
            _ => Err(self.refuse(start, "}}", "is not a binding, which is `{{ fact }}`")),
        }
    }

    fn tag(
        &mut self,
        start: usize,
        resolve: &mut dyn FnMut(&Named<'t>) -> u32,
    ) -> Result<usize, TemplateError> {
        let mut cursor = Cursor { text: self.text, position: start + 2 };
        cursor.blanks();
        let word = cursor.name().map(|range| self.slice(&range)).unwrap_or_default();
        cursor.blanks();
        match word {
            "if" => return self.conditional(start, cursor, resolve),
            "else" if cursor.take("%}") => {
                let range = start..cursor.position;
                let step = self.steps.len();
                let here = index(step + 1);
                let Some(open) = self.open.last_mut().filter(|open| !open.has_else) else {
                    let message = format!("`{}` belongs to no `{{% if %}}`", self.slice(&range));
                    return Err(TemplateError { message, range });
                };
                open.has_else = true;
                let jump = std::mem::replace(&mut open.jump, step);
                self.steps.push(Step::Jump { to: 0 });
                self.land(jump, here);
            }
            "endif" if cursor.take("%}") => {
                let range = start..cursor.position;
                let Some(open) = self.open.pop() else {
                    let message = format!("`{}` ends no `{{% if %}}`", self.slice(&range));
                    return Err(TemplateError { message, range });
                };
                self.land(open.jump, index(self.steps.len()));
            }
            _ => {
                let reason = "is not a construct of copy, which has `if`, `else` and `endif`";
                return Err(self.refuse(start, "%}", reason));
            }
        }
        Ok(cursor.position)
    }

    fn conditional(
        &mut self,
        start: usize,
        mut cursor: Cursor<'t>,
        resolve: &mut dyn FnMut(&Named<'t>) -> u32,
    ) -> Result<usize, TemplateError> {
        let mut name = cursor.name();
        cursor.blanks();
        let inverted = name.as_ref().is_some_and(|range| self.slice(range) == "not");
        if inverted {
            name = cursor.name();
            cursor.blanks();
        }
        match name {
            Some(range) if cursor.take("%}") => {
                let named = Named { name: self.slice(&range), range, bound: false };
                let slot = resolve(&named);
                let range = start..cursor.position;
                self.open.push(Open { jump: self.steps.len(), has_else: false, range });
                self.steps.push(Step::Unless { slot, inverted, to: 0 });
                Ok(cursor.position)
            }
            _ => Err(self.refuse(start, "%}", "is not a condition, which names one fact")),
        }
    }

    /// Sets where the jump at `step` goes.
    fn land(&mut self, step: usize, target: u32) {
        if let Some(Step::Unless { to, .. } | Step::Jump { to }) = self.steps.get_mut(step) {
            *to = target;
        }
    }

    /// The error for the construct at `start`, as far as its closing mark or the line's end.
    fn refuse(&self, start: usize, close: &str, reason: &str) -> TemplateError {
        let rest = self.text.get(start..).unwrap_or_default();
        let line = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let length = match rest.find(close) {
            Some(end) if end < line => end + close.len(),
            _ => line,
        };
        let range = start..start + length;
        TemplateError { message: format!("`{}` {reason}", self.slice(&range)), range }
    }
}

/// Reads within one construct.
#[derive(Clone, Copy)]
struct Cursor<'t> {
    text: &'t str,
    position: usize,
}

impl Cursor<'_> {
    fn rest(&self) -> &[u8] {
        self.text.as_bytes().get(self.position..).unwrap_or_default()
    }

    fn blanks(&mut self) {
        let blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        self.position += self.rest().iter().take_while(blank).count();
    }

    fn take(&mut self, mark: &str) -> bool {
        let found = self.rest().starts_with(mark.as_bytes());
        if found {
            self.position += mark.len();
        }
        found
    }

    /// The longest dotted name at the position.
    fn name(&mut self) -> Option<Range<usize>> {
        let start = self.position;
        loop {
            let rest = self.rest();
            let inner = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
            let length = rest.iter().take_while(inner).count();
            if length == 0 || rest.first().is_some_and(u8::is_ascii_digit) {
                return None;
            }
            self.position += length;
            if !self.take(".") {
                return Some(start..self.position);
            }
        }
    }
}

/// The length of the literal text before the next `{{` or `{%`.
fn next_construct(text: &str) -> usize {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'{', bytes)
        .find(|&at| matches!(bytes.get(at + 1), Some(b'{' | b'%')))
        .unwrap_or(bytes.len())
}

fn index(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Result<Vec<String>, String> {
        let mut seen = Vec::new();
        parse(text, &mut |named| {
            seen.push(format!("{}{}", named.name, if named.bound { "" } else { "?" }));
            0
        })
        .map_err(|error| format!("{} @ {}", error.message, text.get(error.range).unwrap()))?;
        Ok(seen)
    }

    #[test]
    fn what_the_grammar_derives_is_read() {
        for (text, expected) in [
            ("", vec![]),
            ("plain } text }} %} { { % {}", vec![]),
            ("{{tool}}{{ tool }}{{\n\ttool\r}}", vec!["tool", "tool", "tool"]),
            ("{{ acme.a.b }}", vec!["acme.a.b"]),
            ("{% if a %}{{ b }}{% else %}{{ c }}{% endif %}", vec!["a?", "b", "c"]),
            ("{%if not a%}x{%endif%}", vec!["a?"]),
            ("{% if nota %}{% endif %}", vec!["nota?"]),
            ("{% if if %}{% endif %}", vec!["if?"]),
            ("{% if a %}{% if b %}{% endif %}{% endif %}", vec!["a?", "b?"]),
        ] {
            assert_eq!(names(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn what_it_does_not_derive_is_named() {
        for (text, named) in [
            ("{{{ tool }}}", "{{{ tool }}"),
            ("a {{ }} b", "{{ }}"),
            ("{{ tool", "{{ tool"),
            ("{{ a b }}", "{{ a b }}"),
            ("{{ a . b }}", "{{ a . b }}"),
            ("{{ 1a }}", "{{ 1a }}"),
            ("{{ a. }}", "{{ a. }}"),
            ("{{ tool | upper }}", "{{ tool | upper }}"),
            ("{%iftool%}", "{%iftool%}"),
            ("{% if %}{% endif %}", "{% if %}"),
            ("{% if a && b %}", "{% if a && b %}"),
            ("{% for p in paths %}", "{% for p in paths %}"),
            ("{% elif a %}", "{% elif a %}"),
            ("x{% if a %}y", "{% if a %}"),
            ("{% endif %}", "{% endif %}"),
            ("{% else %}", "{% else %}"),
            ("{% if a %}{% else %}{% else %}{% endif %}", "{% else %}"),
            ("{% if a", "{% if a"),
            ("{%", "{%"),
            // A message is one line.
            ("{{ a b\n}}", "{{ a b"),
            ("{% for\n%}", "{% for"),
        ] {
            let error = names(text).unwrap_err();
            assert!(error.contains(&format!("`{named}`")), "{text}: {error}");
            assert!(error.ends_with(&format!(" @ {named}")), "{text}: {error}");
        }
    }

    #[test]
    fn nesting_has_no_limit() {
        let depth = 100_000;
        let text = "{% if a %}".repeat(depth) + &"{% endif %}".repeat(depth);
        assert_eq!(names(&text).unwrap().len(), depth);
    }
}
