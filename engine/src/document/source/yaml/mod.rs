//! YAML 1.2, core schema, as far as it maps to JSON without loss ([OAR-DOC-1]).
//!
//! `saphyr-parser` finds the structure and reports events with places; what they mean is decided
//! here. What JSON has no form for is refused: keys that are no strings, tags, merge keys,
//! infinities. Numbers keep their digits. Aliases are written out, within a limit. The parser
//! keeps its stack on the heap, and the event loop stops at the depth limit.

mod fault;
mod offsets;
mod scalar;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use oar_expr::Span;
use saphyr_parser::{Event, Parser, ScalarStyle};

use super::build::Builder;
use super::decode::BYTE_ORDER_MARK;
use super::pointer::join_pointer;
use super::reading::{Fault, Report};
use super::{Document, Node, ReadLimits, Text, Value};
use offsets::Offsets;
use scalar::Plain;

/// Reads the documents of `text`.
pub(super) fn read(text: &str, limits: &ReadLimits, report: &mut Report<'_>) -> Vec<Document> {
    let mut reader = Reader::new(text, limits);
    if let Err(fatal) = reader.stream() {
        let pointer = reader.builder.pointer();
        reader.refuse_at(fatal, pointer);
    }
    let is_stream = reader.begun > 1 || (reader.in_document && reader.more_documents_follow());
    let prefix =
        |at: usize| if is_stream { join_pointer("", &at.to_string()) } else { String::new() };
    for Refused { fault, document, pointer } in reader.refused {
        report.push(fault, prefix(document) + &pointer);
    }
    let place = |(at, root)| Document { root, pointer_prefix: prefix(at) };
    reader.documents.into_iter().map(place).collect()
}

struct Reader<'t, 'r> {
    text: &'t str,
    offsets: Offsets<'t>,
    limits: &'r ReadLimits,
    builder: Builder,
    levels: Vec<Level>,
    /// What the anchors of this document stand for, with its weight.
    anchors: HashMap<usize, (Node, usize)>,
    /// How many values were read.
    nodes: usize,
    /// What they weigh, and what those weigh that were copied for anchors and aliases.
    weight: usize,
    copied: usize,
    /// Inside a key that was refused: how many arrays and objects are open.
    skipping: usize,
    /// How many documents began.
    begun: usize,
    in_document: bool,
    /// Where the document began: its `---`, or an empty place.
    begin: Span,
    /// The end of the event before.
    previous_end: usize,
    documents: Vec<(usize, Node)>,
    refused: Vec<Refused>,
}

/// Something refused, before it is known whether its document stands alone.
struct Refused {
    fault: Fault,
    document: usize,
    pointer: String,
}

/// An open array or object.
struct Level {
    is_object: bool,
    /// Between brackets, which end it; otherwise its last value does.
    in_brackets: bool,
    wants_key: bool,
    anchor: usize,
    /// What the values weigh that were read before it.
    weight_before: usize,
    end: u32,
}

type Read<T> = Result<T, Fault>;

impl<'t, 'r> Reader<'t, 'r> {
    fn new(text: &'t str, limits: &'r ReadLimits) -> Self {
        Self {
            text,
            offsets: Offsets::new(text),
            limits,
            builder: Builder::default(),
            levels: Vec::new(),
            anchors: HashMap::new(),
            nodes: 0,
            weight: 0,
            copied: 0,
            skipping: 0,
            begun: 0,
            in_document: false,
            begin: Span::default(),
            previous_end: 0,
            documents: Vec::new(),
            refused: Vec::new(),
        }
    }

    fn stream(&mut self) -> Read<()> {
        // The parser would take a NUL for the end of the text, and other control characters for
        // text.
        if let Some((at, byte)) = control(self.text.as_bytes()) {
            let message = format!("a raw control character U+{byte:04X}");
            let help = format!("in double quotes it is written `\\x{byte:02x}`");
            return Err(Fault::new(self.span(at, at + 1), message).help(help));
        }
        let mut parser = Parser::new_from_str(self.text);
        while let Some(next) = parser.next_event() {
            let (event, place) = next.map_err(|error| {
                let at = self.offsets.byte(error.marker().index());
                let fault = fault::explain(self.text, at, error.info());
                match self.builder.innermost() {
                    Some((_, opened)) if self.in_brackets() => {
                        fault.relate(Span::new(opened, opened + 1), "opened here")
                    }
                    _ => fault,
                }
            })?;
            let start = self.offsets.byte(place.start.index());
            let end = self.offsets.byte(place.end.index()).max(start);
            // A document without `---` is said to start at its text, behind what introduces that.
            let is_place = !matches!(event, Event::DocumentStart(false));
            self.event(event, start, end)?;
            if is_place {
                self.previous_end = end;
            }
        }
        if self.begun == 0 {
            return Err(Fault::new(Span::default(), "the text holds no document"));
        }
        Ok(())
    }

    fn event(&mut self, event: Event<'t>, start: usize, end: usize) -> Read<()> {
        if self.skipping > 0 {
            self.skip(&event);
            return Ok(());
        }
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd => {}
            Event::DocumentStart(explicit) => self.begin_document(explicit, start, end)?,
            Event::DocumentEnd => self.end_document(),
            Event::Alias(anchor) => self.alias(anchor, self.span(start, end))?,
            Event::Scalar(text, style, anchor, tag) => {
                let has_properties = anchor != 0 || tag.is_some();
                let at = if has_properties { self.behind_properties(start, end) } else { start };
                if tag.is_some() {
                    self.refuse_tag(start, at);
                }
                self.scalar(&text, style, anchor, at, end)?;
            }
            Event::SequenceStart(anchor, tag) => {
                self.open(false, anchor, tag.is_some(), start, end)?;
            }
            Event::MappingStart(anchor, tag) => {
                self.open(true, anchor, tag.is_some(), start, end)?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(end)?,
        }
        Ok(())
    }

    fn begin_document(&mut self, explicit: bool, start: usize, end: usize) -> Read<()> {
        self.begun += 1;
        self.anchors.clear();
        self.begin = self.span(start, if explicit { end } else { start });
        if explicit {
            fault::check_directives(self.text, self.previous_end, start)?;
        }
        self.in_document = true;
        Ok(())
    }

    fn end_document(&mut self) {
        self.in_document = false;
        if let Some(root) = self.builder.finish() {
            self.documents.push((self.begun - 1, root));
        }
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        anchor: usize,
        start: usize,
        end: usize,
    ) -> Read<()> {
        let span = match style {
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let written = self.text.get(start..end).unwrap_or_default();
                let end = start + written.trim_end_matches(['\n', '\r', ' ']).len();
                self.span(self.block_header(start).unwrap_or(start), end)
            }
            // What is not written has no length, whatever stands beside it.
            ScalarStyle::Plain if text.is_empty() => self.span(start, start),
            ScalarStyle::Plain => self.span(start, end),
            // The parser counts a comment behind it in.
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
                self.span(start, self.closing_quote(start).unwrap_or(end))
            }
        };
        let plain = match style {
            ScalarStyle::Plain => scalar::resolve(text),
            _ => Plain::String,
        };
        if self.wants_key() {
            self.key(text, &plain, span);
            if anchor != 0 {
                let weight = weight(text);
                self.copy(weight, span)?;
                let node = Node::new(span, Value::String(Text::new(text)));
                self.anchors.insert(anchor, (node, weight));
            }
            return Ok(());
        }
        if plain == Plain::Empty && self.levels.is_empty() {
            let (begin, number) = (self.begin, self.begun);
            let message = match number {
                1 => "the document is empty".to_owned(),
                _ => format!("document {number} of the stream is empty"),
            };
            self.refuse(Fault::new(begin, message));
            return Ok(());
        }
        let value = match plain {
            Plain::String => Value::String(Text::new(text)),
            Plain::Empty | Plain::Null => Value::Null,
            Plain::Bool(b) => Value::Bool(b),
            Plain::Number(number) => Value::Number(number),
            Plain::NotFinite => {
                let fault = Fault::new(span, format!("`{text}` is no JSON number"));
                self.refuse(
                    fault.help("a number is finite; a string of this text stands in quotes"),
                );
                Value::Null
            }
            Plain::TooLarge => {
                let fault = Fault::new(span, format!("`{text}` has more than 128 bits"));
                self.refuse(fault.help("a larger number is written in decimal"));
                Value::Null
            }
        };
        let weight = weight(text);
        self.count(span, weight)?;
        let node = Node::new(span, value);
        if anchor != 0 {
            self.copy(weight, span)?;
            self.anchors.insert(anchor, (node.clone(), weight));
        }
        self.put(node);
        Ok(())
    }

    /// Gives the name of the next member, unless it is no string.
    fn key(&mut self, text: &str, plain: &Plain, span: Span) {
        let kind = match plain {
            Plain::String if text == "<<" && self.written(span) == "<<" => {
                let fault = Fault::new(span, "the merge key `<<` is not part of YAML 1.2");
                self.refuse(fault.help("write the members out, or quote a key that is meant so"));
                return self.key_is_over();
            }
            Plain::String => {
                self.builder.name(text, span);
                return self.key_is_over();
            }
            Plain::Empty => {
                self.refuse(Fault::new(span, "a key is missing, where a string must stand"));
                return self.key_is_over();
            }
            Plain::Null => "null",
            Plain::Bool(_) => "a boolean",
            Plain::Number(_) | Plain::NotFinite | Plain::TooLarge => "a number",
        };
        let fault =
            Fault::new(span, format!("the key `{text}` is {kind}, where a string must stand"));
        self.refuse(fault.help(format!("quote it: `\"{text}\"`")));
        self.key_is_over();
    }

    fn key_is_over(&mut self) {
        if let Some(level) = self.levels.last_mut() {
            level.wants_key = false;
        }
    }

    fn open(
        &mut self,
        is_object: bool,
        anchor: usize,
        tagged: bool,
        start: usize,
        end: usize,
    ) -> Read<()> {
        let written = self.text.get(start..end).unwrap_or_default();
        let in_brackets = written.ends_with(['[', '{']);
        let at = match in_brackets {
            true => end - 1,
            false if is_object => self.behind_properties(start, end),
            false => self.dash(self.behind_properties(start, end)),
        };
        if tagged {
            self.refuse_tag(start, at);
        }
        if self.wants_key() {
            let kind = if is_object { "an object" } else { "an array" };
            let place = self.span(at, if in_brackets { end } else { at });
            self.refuse(Fault::new(place, format!("a key is {kind}, where a string must stand")));
            self.skipping = 1;
            return Ok(());
        }
        if self.builder.depth() >= self.limits.depth {
            let most = self.limits.depth;
            let message = format!("more than {most} arrays and objects in one another");
            return Err(Fault::limit(self.span(at, at + 1), message));
        }
        let start = self.offset(at);
        let weight_before = self.weight;
        self.count(Span::new(start, start), 1)?;
        match is_object {
            true => self.builder.open_object(start),
            false => self.builder.open_array(start),
        }
        let level = Level {
            is_object,
            in_brackets,
            wants_key: is_object,
            anchor,
            weight_before,
            end: start,
        };
        self.levels.push(level);
        Ok(())
    }

    fn close(&mut self, end: usize) -> Read<()> {
        let Some(level) = self.levels.pop() else { return Ok(()) };
        let end = if level.in_brackets { self.offset(end) } else { level.end };
        let (node, repeated) = self.builder.close_apart(end);
        let Some(node) = node else { return Ok(()) };
        if !repeated.is_empty() {
            let pointer = self.builder.pointer();
            for repeated in repeated {
                let fault = Fault::repeated(&repeated.name, repeated.again, repeated.first);
                self.refuse_at(fault, join_pointer(&pointer, &repeated.name));
            }
        }
        if level.anchor != 0 {
            let weight = self.weight - level.weight_before;
            self.copy(weight, node.span)?;
            self.anchors.insert(level.anchor, (node.clone(), weight));
        }
        self.put(node);
        Ok(())
    }

    /// Adds a finished value to what holds it.
    fn put(&mut self, node: Node) {
        if let Some(level) = self.levels.last_mut() {
            level.end = node.span.end.max(level.end);
            level.wants_key = level.is_object;
        }
        self.builder.push(node);
    }

    fn alias(&mut self, anchor: usize, place: Span) -> Read<()> {
        let name = self.written(place).to_owned();
        let (node, weight) = match self.anchors.get(&anchor) {
            Some((node, weight)) => (Some(node.clone()), *weight),
            None => (None, 1),
        };
        if node.is_none() {
            let message = match self.levels.iter().any(|level| level.anchor == anchor) {
                true => format!("`{name}` stands within what it stands for"),
                // The parser knows the anchors of the documents before, too.
                false => format!("no anchor of this document has the name of `{name}`"),
            };
            self.refuse(Fault::new(place, message));
        }
        self.copy(weight, place)?;
        if self.wants_key() {
            match node.as_ref().map(Node::as_str) {
                Some(Some(text)) => self.builder.name(text, place),
                Some(None) => {
                    let message = format!("the key `{name}` stands for no string");
                    self.refuse(Fault::new(place, message));
                }
                None => {}
            }
            self.key_is_over();
            return Ok(());
        }
        self.weight += weight;
        self.put(node.unwrap_or_else(|| Node::new(place, Value::Null)));
        if let Some(level) = self.levels.last_mut() {
            // The value stands at its anchor; what holds it goes on here.
            level.end = place.end;
        }
        Ok(())
    }

    fn count(&mut self, place: Span, weight: usize) -> Read<()> {
        self.nodes += 1;
        self.weight += weight;
        match self.nodes > self.limits.nodes {
            true => Err(Fault::limit(place, format!("more than {} values", self.limits.nodes))),
            false => Ok(()),
        }
    }

    /// Counts what is about to be copied at `place`.
    fn copy(&mut self, weight: usize, place: Span) -> Read<()> {
        self.copied += weight;
        let most = self.limits.alias_nodes;
        match self.copied > most {
            true => {
                let message = format!("anchors and aliases stand for more than {most} values");
                Err(Fault::limit(place, message))
            }
            false => Ok(()),
        }
    }

    /// Passes over the rest of a key that was refused.
    fn skip(&mut self, event: &Event<'_>) {
        match event {
            Event::SequenceStart(..) | Event::MappingStart(..) => self.skipping += 1,
            Event::SequenceEnd | Event::MappingEnd => self.skipping -= 1,
            _ => {}
        }
        if self.skipping == 0 {
            self.key_is_over();
        }
    }

    fn in_brackets(&self) -> bool {
        self.levels.last().is_some_and(|level| level.in_brackets)
    }

    fn wants_key(&self) -> bool {
        self.levels.last().is_some_and(|level| level.wants_key)
    }
}

/// The first control character that YAML does not allow, and where it stands.
fn control(text: &[u8]) -> Option<(usize, u8)> {
    let is_control = |b: &u8| *b < b' ' && !matches!(*b, b'\t' | b'\n' | b'\r');
    // Whether there is one at all is told block by block, without a branch for each byte.
    let block = |block: &[u8]| block.iter().fold(false, |any, b| any | is_control(b));
    let (at, block) = text.chunks(256).enumerate().find(|(_, bytes)| block(bytes))?;
    let within = block.iter().position(is_control)?;
    Some((at * 256 + within, *block.get(within)?))
}

/// What a scalar counts against the limit of aliases: a long text is as dear as many values.
fn weight(text: &str) -> usize {
    1 + text.len() / 64
}

/// Places in the text.
impl Reader<'_, '_> {
    fn offset(&self, at: usize) -> u32 {
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.offset(start), self.offset(end.min(self.text.len()).max(start)))
    }

    fn written(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// The first byte behind the anchor and tag that may stand before a value in `start..end`.
    fn behind_properties(&self, start: usize, end: usize) -> usize {
        let mut at = start;
        while let Some(rest) = self.text.get(at..end) {
            at += match rest.bytes().next() {
                Some(b'&' | b'!') => rest.find(BLANK).unwrap_or(rest.len()),
                Some(b' ' | b'\t' | b'\n' | b'\r') if at > start => 1,
                Some(b'#') if at > start => rest.find(['\n', '\r']).unwrap_or(rest.len()),
                _ => break,
            };
        }
        at
    }

    /// The end of the quoted scalar that starts at `start`.
    fn closing_quote(&self, start: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let quote = *bytes.get(start)?;
        let mut at = start + 1;
        loop {
            at += memchr::memchr2(quote, b'\\', bytes.get(at..)?)?;
            at += match (bytes.get(at)?, bytes.get(at + 1)) {
                (b'\\', _) if quote == b'"' => 2,
                (b'\\', _) => 1,
                // Doubled, it is one quote of the text.
                (_, Some(b'\'')) if quote == b'\'' => 2,
                _ => return Some(at + 1),
            };
        }
    }

    /// Where the first `-` of a list stands: at `at`, or before it when the list is the value of
    /// a member and not indented more than that.
    fn dash(&self, at: usize) -> usize {
        if !self.levels.last().is_some_and(|level| level.is_object) {
            return at;
        }
        let between = self.text.get(self.previous_end..at).unwrap_or_default();
        match between.trim_end_matches(BLANK) {
            dash if dash.ends_with('-') => self.previous_end + dash.len() - 1,
            _ => at,
        }
    }

    /// Where the `|` or `>` of the block scalar stands whose text starts at `content`.
    fn block_header(&self, content: usize) -> Option<usize> {
        let mut at = self.previous_end.min(content);
        loop {
            // A scalar without text ends where its header does.
            let rest = self.text.get(at..)?;
            at += match rest.bytes().next()? {
                b'|' | b'>' => return Some(at),
                b' ' | b'\t' | b'\n' | b'\r' | b':' | b'-' | b'?' | b'.' => 1,
                0xEF if rest.starts_with(BYTE_ORDER_MARK) => BYTE_ORDER_MARK.len_utf8(),
                b'&' | b'!' => rest.find(BLANK)?,
                b'#' => rest.find(['\n', '\r'])?,
                _ => return None,
            };
            if at > content {
                return None;
            }
        }
    }

    /// Whether another document begins behind the place where reading ended.
    fn more_documents_follow(&self) -> bool {
        let rest = self.text.get(self.previous_end..).unwrap_or_default();
        let marks = |line: &str| {
            line.strip_prefix("---").is_some_and(|rest| rest.is_empty() || rest.starts_with(BLANK))
        };
        rest.split(['\n', '\r']).skip(1).any(marks)
    }
}

const BLANK: [char; 4] = [' ', '\t', '\n', '\r'];

/// What is refused on the way.
impl Reader<'_, '_> {
    fn refuse(&mut self, fault: Fault) {
        let pointer = self.builder.pointer();
        self.refuse_at(fault, pointer);
    }

    fn refuse_at(&mut self, fault: Fault, pointer: String) {
        // One more than is reported, so that the report can tell that there were more.
        if self.refused.len() <= self.limits.diagnostics {
            let document = self.begun.saturating_sub(1);
            self.refused.push(Refused { fault, document, pointer });
        }
    }

    fn refuse_tag(&mut self, start: usize, end: usize) {
        let properties = self.text.get(start..end).unwrap_or_default();
        let at = properties.find('!').unwrap_or_default();
        let rest = properties.get(at..).unwrap_or_default();
        let tag = rest.split(BLANK).next().unwrap_or_default();
        let place = self.span(start + at, start + at + tag.len());
        let fault = Fault::new(place, format!("the tag `{tag}` has no counterpart in JSON"));
        self.refuse(fault.help("leave it out; a string that looks like a number stands in quotes"));
    }
}
