//! Copy (Appendix C): its grammar and its rendering.

use super::facts::View;
use super::host::Host;
use super::value::{Failure, Type, Val, decimal};

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Part {
    Text(String),
    Binding(String),
    If { not: bool, name: String, yes: Template, no: Template },
}

pub(crate) type Template = Vec<Part>;

/// `None` when the grammar does not derive the text.
pub(crate) fn parse(text: &str) -> Option<Template> {
    let chars: Vec<char> = text.chars().collect();
    let mut reader = Reader { chars, at: 0 };
    let template = reader.text()?;
    (reader.at == reader.chars.len()).then_some(template)
}

struct Reader {
    chars: Vec<char>,
    at: usize,
}

impl Reader {
    fn looking_at(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(i, c)| self.chars.get(self.at + i) == Some(&c))
    }

    fn accept(&mut self, text: &str) -> bool {
        let found = self.looking_at(text);
        if found {
            self.at += text.chars().count();
        }
        found
    }

    fn require(&mut self, text: &str) -> Option<()> {
        self.accept(text).then_some(())
    }

    /// How much white space there was.
    fn blank(&mut self) -> usize {
        let start = self.at;
        while matches!(self.chars.get(self.at), Some(' ' | '\t' | '\n' | '\r')) {
            self.at += 1;
        }
        self.at - start
    }

    /// A name with dots.
    fn identifier(&mut self) -> Option<String> {
        let mut name = String::new();
        loop {
            let first = *self.chars.get(self.at)?;
            if !(first.is_ascii_alphabetic() || first == '_') {
                return None;
            }
            while let Some(&c) = self.chars.get(self.at)
                && (c.is_ascii_alphanumeric() || c == '_')
            {
                name.push(c);
                self.at += 1;
            }
            if !self.accept(".") {
                return Some(name);
            }
            name.push('.');
        }
    }

    /// Up to the end, or to a tag that is no `if`.
    fn text(&mut self) -> Option<Template> {
        let mut parts = Vec::new();
        let mut literal = String::new();
        loop {
            let is_special = self.looking_at("{{") || self.looking_at("{%");
            if (is_special || self.at == self.chars.len()) && !literal.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut literal)));
            }
            if self.at == self.chars.len() {
                return Some(parts);
            }
            if self.accept("{{") {
                self.blank();
                let name = self.identifier()?;
                self.blank();
                self.require("}}")?;
                parts.push(Part::Binding(name));
            } else if is_special {
                let start = self.at;
                self.accept("{%");
                self.blank();
                if self.identifier()? != "if" {
                    self.at = start;
                    return Some(parts);
                }
                parts.push(self.conditional()?);
            } else {
                literal.push(self.chars[self.at]);
                self.at += 1;
            }
        }
    }

    /// What follows `{% if`.
    fn conditional(&mut self) -> Option<Part> {
        (self.blank() > 0).then_some(())?;
        let mut name = self.identifier()?;
        let mut not = false;
        let blank = self.blank();
        if name == "not" && !self.looking_at("%}") {
            (blank > 0).then_some(())?;
            not = true;
            name = self.identifier()?;
            self.blank();
        }
        self.require("%}")?;
        let yes = self.text()?;
        let mut no = Vec::new();
        let mut word = self.tag()?;
        if word == "else" {
            no = self.text()?;
            word = self.tag()?;
        }
        (word == "endif").then_some(Part::If { not, name, yes, no })
    }

    fn tag(&mut self) -> Option<String> {
        self.require("{%")?;
        self.blank();
        let word = self.identifier()?;
        self.blank();
        self.require("%}")?;
        Some(word)
    }
}

/// Whether every name is a declared fact that can stand there ([OAR-COPY-2] to [OAR-COPY-4]).
pub(crate) fn is_sound(template: &[Part], host: &Host) -> bool {
    template.iter().all(|part| match part {
        Part::Text(_) => true,
        Part::Binding(name) => {
            host.fact(name).is_some_and(|ty| !matches!(ty, Type::Map | Type::TextMap | Type::Maps))
        }
        Part::If { name, yes, no, .. } => {
            host.fact(name).is_some() && is_sound(yes, host) && is_sound(no, host)
        }
    })
}

/// Every fact that it names, in whatever branch.
pub(crate) fn names(template: &[Part]) -> Vec<String> {
    let of = |part: &Part| match part {
        Part::Text(_) => Vec::new(),
        Part::Binding(name) => vec![name.clone()],
        Part::If { name, yes, no, .. } => {
            let mut all = vec![name.clone()];
            all.extend(names(yes));
            all.extend(names(no));
            all
        }
    };
    template.iter().flat_map(of).collect()
}

pub(crate) fn render(template: &[Part], view: &View<'_>) -> Result<String, Failure> {
    let mut out = String::new();
    for part in template {
        match part {
            Part::Text(text) => out.push_str(text),
            Part::Binding(name) => out.push_str(&told(&view.fact(name)?)),
            Part::If { not, name, yes, no } => {
                let is_set = !view.fact(name)?.is_zero();
                out.push_str(&render(if is_set != *not { yes } else { no }, view)?);
            }
        }
    }
    Ok(out)
}

fn told(value: &Val) -> String {
    match value {
        Val::Bool(b) => b.to_string(),
        Val::Int(i) => i.to_string(),
        Val::Double(d) => decimal(*d),
        Val::Text(text) => text.clone(),
        Val::Texts(list) => list.join(", "),
        Val::TextMap(_) | Val::Maps(_) | Val::Map(_) => String::new(),
    }
}
