//! What a shell line runs: every simple command in it, with its words and redirections.
//!
//! The line is parsed as bash. Commands are found behind `&&`, `||`, `;`, `&`, pipes, in
//! groups, loops, functions, `$( )`, backticks, `<( )`, here-documents, behind programs that
//! run another (`env`, `sudo`, `xargs`, `find -exec`), and in text that is run again
//! (`bash -c`, `eval`). These are observations: nothing here says what is good or bad.
//!
//! What only shows when the line runs is told as such: a part that does not parse is
//! [`Line::unparsed`], a program whose name is computed is [`Line::dynamic`].

mod pattern;
mod read;
mod word;
mod wrap;

pub use pattern::Pattern;
pub use word::Word;

/// What a line runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Every simple command, in the order found.
    pub commands: Vec<Command>,
    /// Whether some part could not be parsed.
    pub unparsed: bool,
    /// Whether some program, text to be run or directory is only known when the line runs.
    pub dynamic: bool,
    /// Pairs of ranges of commands: what the first ones write, the second ones read.
    pipes: Vec<(std::ops::Range<usize>, std::ops::Range<usize>)>,
}

/// A simple command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// The program and its arguments.
    pub words: Vec<Word>,
    /// Where it reads and writes.
    pub redirects: Vec<Redirect>,
    /// The directory that a `cd` before it in the line leads to, from where the line starts.
    pub directory: Option<String>,
    /// The command that this one belongs to.
    parent: Option<(usize, Relation)>,
}

/// How a command belongs to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    /// The other runs it: it reads and writes what the other does.
    Runs,
    /// What it writes is in the words or the input of the other.
    Feeds,
}

/// A redirection to or from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// Whether the file is written.
    pub writes: bool,
    /// The file.
    pub target: Word,
}

impl Command {
    /// The name of the program without its directory; empty where it is not known.
    #[must_use]
    pub fn program(&self) -> &str {
        let Some(word) = self.words.first().filter(|word| word.known) else { return "" };
        word.text.rsplit('/').next().unwrap_or_default()
    }

    /// The words joined by blanks, the program by its name alone.
    #[must_use]
    pub fn joined(&self) -> String {
        let mut words = self.words.iter().map(|word| word.text.as_str());
        let first = words.next().map(|first| match self.program() {
            "" => first,
            name => name,
        });
        first.into_iter().chain(words).collect::<Vec<_>>().join(" ")
    }
}

impl Line {
    /// Parses a line.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        read::Reader::read(text)
    }

    /// Whether the output of one command reaches another, directly or through others: by a
    /// pipe, by a substitution in its words, or by a file descriptor.
    fn feeds(&self, from: usize, to: usize) -> bool {
        let mut seen = std::collections::HashSet::new();
        let mut reached = vec![Way::Into(to)];
        while let Some(way) = reached.pop() {
            if !seen.insert(way) {
                continue;
            }
            let children = |at: usize, relation: Relation| {
                let all = self.commands.iter().enumerate();
                all.filter(move |(_, own)| own.parent == Some((at, relation)))
                    .map(|(child, _)| child)
            };
            match way {
                Way::Into(at) => {
                    let pipes = self.pipes.iter().filter(|(_, sinks)| sinks.contains(&at));
                    reached.extend(pipes.flat_map(|(sources, _)| sources.clone()).map(Way::OutOf));
                    reached.extend(children(at, Relation::Feeds).map(Way::OutOf));
                    // What reaches a command reaches what it runs.
                    if let Some((outer, Relation::Runs)) =
                        self.commands.get(at).and_then(|command| command.parent)
                    {
                        reached.push(Way::Into(outer));
                    }
                }
                Way::OutOf(at) if at == from => return true,
                Way::OutOf(at) => {
                    reached.extend(children(at, Relation::Runs).map(Way::OutOf));
                    reached.push(Way::Into(at));
                }
            }
        }
        false
    }
}

/// A step of the way of output, looked at backwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Way {
    Into(usize),
    OutOf(usize),
}

#[cfg(test)]
mod tests;
