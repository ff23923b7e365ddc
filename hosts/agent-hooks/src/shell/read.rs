//! From the tree of the parser to the commands, without recursion.

use std::collections::{HashMap, VecDeque};

use rable::{Node, NodeKind};

use super::word::{self, Found, Word};
use super::wrap::{self, Inner};
use super::{Command, Line, Redirect, Relation};

/// Bounds on what is read of one line; past one of them it counts as not parsed.
const BYTES_MAX: usize = 1 << 20;
const SEPARATORS_MAX: usize = 10_000;
const COMMANDS_MAX: usize = 2_000;
const TEXTS_MAX: usize = 200;
const LEVELS_MAX: usize = 12;

/// A text that is still to be read.
struct Text {
    text: String,
    parent: Option<(usize, Relation)>,
    level: usize,
    directory: Option<String>,
}

/// What is left to do in a tree.
enum Todo<'n> {
    Visit(&'n Node),
    /// A stage of a pipeline is over: its commands read what those before it wrote.
    Stage {
        pipeline: usize,
        stage: usize,
    },
    /// The directory is again what it was.
    Directory(Option<String>),
    /// Commands from here on feed that one.
    Feeds {
        command: usize,
        from: usize,
    },
}

pub(super) struct Reader {
    line: Line,
    texts: VecDeque<Text>,
    variables: HashMap<String, String>,
    directory: Option<String>,
    parent: Option<(usize, Relation)>,
    level: usize,
    read: usize,
}

impl Reader {
    pub(super) fn read(text: &str) -> Line {
        let mut reader = Self {
            line: Line::default(),
            texts: VecDeque::new(),
            variables: known_variables(),
            directory: None,
            parent: None,
            level: 0,
            read: 0,
        };
        reader.queue(text.to_owned(), None, 0);
        while let Some(next) = reader.texts.pop_front() {
            reader.text(next);
        }
        reader.line
    }

    fn queue(&mut self, text: String, parent: Option<(usize, Relation)>, level: usize) {
        self.read += 1;
        if self.read > TEXTS_MAX || level > LEVELS_MAX {
            self.line.unparsed = true;
            return;
        }
        self.texts.push_back(Text { text, parent, level, directory: self.directory.clone() });
    }

    fn text(&mut self, text: Text) {
        let separators = text.text.bytes().filter(|b| matches!(b, b';' | b'&' | b'|')).count();
        if text.text.len() > BYTES_MAX || separators > SEPARATORS_MAX {
            self.line.unparsed = true;
            return;
        }
        self.parent = text.parent;
        self.level = text.level;
        self.directory = text.directory;
        match rable::parse(&text.text, true) {
            Ok(nodes) => self.nodes(&nodes),
            Err(_) => self.line.unparsed = true,
        }
    }

    fn nodes(&mut self, nodes: &[Node]) {
        let mut todo: Vec<Todo<'_>> = nodes.iter().rev().map(Todo::Visit).collect();
        let mut pipelines: Vec<Vec<usize>> = Vec::new();
        while let Some(next) = todo.pop() {
            match next {
                Todo::Visit(node) => self.visit(node, &mut todo, &mut pipelines),
                Todo::Directory(directory) => self.directory = directory,
                Todo::Feeds { command, from } => {
                    let default = self.parent;
                    let made = self.line.commands.iter_mut().skip(from);
                    for fed in made.filter(|made| made.parent == default) {
                        fed.parent = Some((command, Relation::Feeds));
                    }
                }
                Todo::Stage { pipeline, stage } => {
                    let now = self.line.commands.len();
                    let Some(starts) = pipelines.get_mut(pipeline) else { continue };
                    let (first, from) = (starts.first().copied(), starts.get(stage).copied());
                    starts.push(now);
                    if let (Some(first), Some(from)) = (first, from)
                        && first < from
                        && from < now
                    {
                        self.line.pipes.push((first..from, from..now));
                    }
                }
            }
        }
    }

    fn visit<'n>(
        &mut self,
        node: &'n Node,
        todo: &mut Vec<Todo<'n>>,
        pipelines: &mut Vec<Vec<usize>>,
    ) {
        // In the order of the line: what is pushed last is read first.
        let mut plan: Vec<Todo<'n>> = Vec::new();
        let group = |redirects: &'n [Node], plan: &mut Vec<Todo<'n>>| {
            plan.extend(redirects.iter().map(Todo::Visit));
        };
        match &node.kind {
            NodeKind::Command { assignments, words, redirects } => {
                self.command(assignments, words, redirects, &mut plan);
            }
            NodeKind::Pipeline { commands, .. } => {
                let pipeline = pipelines.len();
                pipelines.push(vec![self.line.commands.len()]);
                for (stage, command) in commands.iter().enumerate() {
                    plan.push(Todo::Visit(command));
                    plan.push(Todo::Directory(self.directory.clone()));
                    plan.push(Todo::Stage { pipeline, stage });
                }
            }
            NodeKind::List { items } => {
                plan.extend(items.iter().map(|item| Todo::Visit(&item.command)));
            }
            NodeKind::If { condition, then_body, else_body, redirects } => {
                group(redirects, &mut plan);
                plan.extend([Todo::Visit(condition), Todo::Visit(then_body)]);
                plan.extend(else_body.as_deref().map(Todo::Visit));
            }
            NodeKind::While { condition, body, redirects }
            | NodeKind::Until { condition, body, redirects } => {
                group(redirects, &mut plan);
                plan.extend([Todo::Visit(condition), Todo::Visit(body)]);
            }
            NodeKind::For { var, words, body, redirects }
            | NodeKind::Select { var, words, body, redirects } => {
                group(redirects, &mut plan);
                self.variables.remove(var);
                for word in words.as_deref().unwrap_or_default() {
                    self.loose_word(word, &mut plan);
                }
                plan.push(Todo::Visit(body));
            }
            NodeKind::ForArith { init, cond, incr, body, redirects } => {
                group(redirects, &mut plan);
                [init, cond, incr].into_iter().for_each(|text| self.raw(text, None));
                plan.push(Todo::Visit(body));
            }
            NodeKind::Case { word, patterns, redirects } => {
                group(redirects, &mut plan);
                self.loose_word(word, &mut plan);
                for pattern in patterns {
                    pattern.patterns.iter().for_each(|word| self.loose_word(word, &mut plan));
                    plan.extend(pattern.body.as_ref().map(Todo::Visit));
                }
            }
            NodeKind::Function { body, .. } => plan.push(Todo::Visit(body)),
            NodeKind::Subshell { body, redirects } => {
                group(redirects, &mut plan);
                plan.extend([Todo::Visit(body), Todo::Directory(self.directory.clone())]);
            }
            NodeKind::BraceGroup { body, redirects } => {
                group(redirects, &mut plan);
                plan.push(Todo::Visit(body));
            }
            NodeKind::Coproc { command, .. } => plan.push(Todo::Visit(command)),
            NodeKind::Negation { pipeline } | NodeKind::Time { pipeline, .. } => {
                plan.push(Todo::Visit(pipeline));
            }
            NodeKind::ArithmeticCommand { raw_content, redirects, .. } => {
                group(redirects, &mut plan);
                self.raw(raw_content, None);
            }
            NodeKind::ConditionalExpr { body, redirects } => {
                group(redirects, &mut plan);
                plan.push(Todo::Visit(body));
            }
            NodeKind::UnaryTest { operand, .. } | NodeKind::CondNot { operand } => {
                plan.push(Todo::Visit(operand));
            }
            NodeKind::BinaryTest { left, right, .. }
            | NodeKind::CondAnd { left, right }
            | NodeKind::CondOr { left, right } => {
                plan.extend([Todo::Visit(left), Todo::Visit(right)]);
            }
            NodeKind::CondParen { inner } => plan.push(Todo::Visit(inner)),
            NodeKind::CondTerm { value, .. } => self.raw(value, None),
            NodeKind::Word { .. } => self.loose_word(node, &mut plan),
            // The redirection of a group: a command without words stands for the group.
            NodeKind::Redirect { .. } | NodeKind::HereDoc { .. } => {
                self.command(&[], &[], std::slice::from_ref(node), &mut plan);
            }
            NodeKind::Empty | NodeKind::Comment { .. } => {}
            _ => self.line.unparsed = true,
        }
        todo.extend(plan.into_iter().rev());
    }

    /// Substitutions in a word that belongs to no command.
    fn loose_word<'n>(&mut self, node: &'n Node, plan: &mut Vec<Todo<'n>>) {
        let mut found = Found::default();
        word::words(node, &self.variables, &mut found);
        self.found(found, None, plan);
    }

    fn found<'n>(&mut self, found: Found<'n>, feeds: Option<usize>, plan: &mut Vec<Todo<'n>>) {
        self.line.unparsed |= found.unparsed;
        found.raw.iter().for_each(|text| self.raw(text, feeds));
        plan.extend(found.commands.into_iter().map(Todo::Visit));
    }

    /// Substitutions in a text that the parser leaves alone.
    fn raw(&mut self, text: &str, feeds: Option<usize>) {
        match word::substitutions(text) {
            None => self.line.unparsed = true,
            Some(bodies) => {
                let parent = feeds.map(|command| (command, Relation::Feeds)).or(self.parent);
                bodies.into_iter().for_each(|body| self.queue(body, parent, self.level + 1));
            }
        }
    }

    fn command<'n>(
        &mut self,
        assignments: &'n [Node],
        words: &'n [Node],
        redirects: &'n [Node],
        plan: &mut Vec<Todo<'n>>,
    ) {
        if self.line.commands.len() >= COMMANDS_MAX {
            self.line.unparsed = true;
            return;
        }
        let mut found = Found::default();
        let index = self.line.commands.len();
        for assignment in assignments {
            let made = word::words(assignment, &self.variables, &mut found);
            if words.is_empty() {
                made.iter().for_each(|word| self.assign(word));
            }
        }
        let mut command = Command {
            directory: self.directory.clone(),
            parent: self.parent,
            ..Command::default()
        };
        for node in words {
            command.words.extend(word::words(node, &self.variables, &mut found));
        }
        let mut documents = Vec::new();
        for node in redirects {
            self.redirect(node, &mut command, &mut documents, &mut found);
        }
        // An unquoted variable can stand for several words or none.
        self.line.dynamic |=
            command.words.first().is_some_and(|word| !word.known || word.glob.is_some());
        let inner = wrap::inner(&command);
        self.enter(&command);
        self.line.commands.push(command);
        for document in documents {
            self.here_document(index, document);
        }
        self.run(index, inner);
        let from = self.line.commands.len();
        self.found(found, Some(index), plan);
        plan.push(Todo::Feeds { command: index, from });
    }

    fn redirect<'n>(
        &mut self,
        node: &'n Node,
        command: &mut Command,
        documents: &mut Vec<(String, bool)>,
        found: &mut Found<'n>,
    ) {
        match &node.kind {
            NodeKind::Redirect { op, target, .. } => {
                let made = word::words(target, &self.variables, found);
                let digits = |word: &Word| {
                    !word.text.is_empty()
                        && word.text.bytes().all(|b| b.is_ascii_digit() || b == b'-')
                };
                if op == "<<<" {
                    self.line.dynamic |=
                        wrap::reads_commands(command) && made.iter().any(|word| !word.known);
                    documents.extend(made.into_iter().map(|word| (word.text, true)));
                    return;
                }
                if op.ends_with('&') && made.iter().all(digits) {
                    return;
                }
                let writes = op.contains('>');
                command
                    .redirects
                    .extend(made.into_iter().map(|target| Redirect { writes, target }));
            }
            NodeKind::HereDoc { content, quoted, complete, .. } => {
                self.line.unparsed |= !complete;
                documents.push((content.clone(), *quoted));
            }
            _ => self.line.unparsed = true,
        }
    }

    /// A here-document is run again when a shell reads it, and its substitutions run anyhow.
    fn here_document(&mut self, index: usize, (content, quoted): (String, bool)) {
        let reads = self.line.commands.get(index).is_some_and(wrap::reads_commands);
        if reads {
            self.queue(content, Some((index, Relation::Runs)), self.level + 1);
        } else if !quoted {
            self.raw(&content, Some(index));
        }
    }

    /// `cd` changes where the commands after it are.
    fn enter(&mut self, command: &Command) {
        if !matches!(command.program(), "cd" | "pushd") {
            return;
        }
        let operand = command.words.iter().skip(1).find(|word| !word.text.starts_with('-'));
        let Some(target) = operand else {
            self.directory = Some("~".to_owned());
            return;
        };
        if !target.known || target.glob.is_some() {
            self.line.dynamic = true;
            return;
        }
        let absolute = target.text.starts_with('/') || target.home;
        self.directory = match self.directory.take().filter(|_| !absolute) {
            Some(before) => Some(format!("{before}/{}", target.text)),
            None => Some(target.text.clone()),
        };
    }

    fn assign(&mut self, word: &Word) {
        let Some((name, value)) = word.text.split_once('=') else { return };
        let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        match word.known && plain && !value.starts_with('(') {
            true => self.variables.insert(name.to_owned(), value.to_owned()),
            false => self.variables.remove(name.trim_end_matches('+')),
        };
    }

    /// What a command runs in its turn.
    fn run(&mut self, index: usize, inner: Vec<Inner>) {
        for inner in inner {
            match inner {
                Inner::Unknown => self.line.dynamic = true,
                Inner::Text(text) => {
                    self.queue(text, Some((index, Relation::Runs)), self.level + 1);
                }
                Inner::Command(words) => self.run_words(index, words),
            }
        }
    }

    /// A command in the words of another, which may again have one in its own.
    fn run_words(&mut self, mut index: usize, words: Vec<Word>) {
        let mut next = Some(words);
        while let Some(words) = next.take() {
            if self.line.commands.len() >= COMMANDS_MAX {
                self.line.unparsed = true;
                return;
            }
            let command = Command {
                words,
                directory: self.directory.clone(),
                parent: Some((index, Relation::Runs)),
                ..Command::default()
            };
            self.line.dynamic |=
                command.words.first().is_some_and(|word| !word.known || word.glob.is_some());
            let inner = wrap::inner(&command);
            index = self.line.commands.len();
            self.line.commands.push(command);
            for inner in inner {
                match inner {
                    Inner::Unknown => self.line.dynamic = true,
                    Inner::Text(text) => {
                        self.queue(text, Some((index, Relation::Runs)), self.level + 1);
                    }
                    Inner::Command(words) if next.is_none() => next = Some(words),
                    // Two programs behind one, such as two `-exec`: one level is enough.
                    Inner::Command(words) => self.line.commands.push(Command {
                        words,
                        directory: self.directory.clone(),
                        parent: Some((index, Relation::Runs)),
                        ..Command::default()
                    }),
                }
            }
        }
    }
}

/// Variables that the agent's shell has from us.
fn known_variables() -> HashMap<String, String> {
    let home = std::env::var("HOME").ok().filter(|home| !home.is_empty());
    home.into_iter().map(|home| ("HOME".to_owned(), home)).collect()
}
