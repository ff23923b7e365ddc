//! Patterns of commands that rules write: `git push --force,-f`, `curl,wget | sh,bash`.

use super::{Command, Line, Relation};

/// A pattern of one command.
///
/// The first word is the program, or `*` for any. The others are in the command in some place:
/// options before a `--` wherever they stand, operands in their order. Alternatives are
/// separated by commas.
///
/// - `-f` is also found in a cluster such as `-rf`, `-rf` in `-f -r`, and `--force` in `--force=yes` and in an
///   abbreviation such as `--for`.
/// - Of programs with subcommands (`git`, `npm`, `cargo`, …), the first operand is the
///   subcommand: `git push` is not found in `git commit -m push`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern<'p> {
    words: Vec<Vec<&'p str>>,
}

/// Programs whose first operand is a subcommand, and their options before it that take a value.
const SUBCOMMANDS: &[(&str, &str)] = &[
    ("apt", "-o -c -t"),
    ("apt-get", "-o -c -t"),
    ("aws", "--profile --region --output --endpoint-url"),
    ("brew", ""),
    ("bun", "--cwd -c --config"),
    ("cargo", "--config -C -Z --color"),
    ("docker", "-H --host -c --context -l --log-level --config"),
    ("dotnet", ""),
    ("gcloud", "--project --account --configuration"),
    ("gem", ""),
    ("gh", "-R --repo"),
    ("git", "-C -c --git-dir --work-tree --namespace --exec-path --super-prefix --config-env"),
    ("go", "-C"),
    ("helm", "-n --namespace --kube-context --kubeconfig"),
    ("kubectl", "-n --namespace --context --kubeconfig --cluster --user -s --server"),
    ("mvn", "-f --file -s -P"),
    ("npm", "-C --prefix -w --workspace --registry --userconfig"),
    ("pip", "--python --cert --log --proxy"),
    ("pip3", "--python --cert --log --proxy"),
    ("pnpm", "-C --dir --filter -F"),
    ("podman", "-H --host -c --connection --log-level"),
    ("poetry", "-C --directory -P --project"),
    ("systemctl", "-H --host -M --machine -t --type"),
    ("terraform", ""),
    ("twine", ""),
    ("uv", "--directory --project --config-file"),
    ("yarn", "--cwd"),
];

impl<'p> Pattern<'p> {
    /// Reads a pattern; `None` when it has no words.
    #[must_use]
    pub fn new(text: &'p str) -> Option<Self> {
        let words: Vec<Vec<&str>> =
            text.split_whitespace().map(|word| word.split(',').collect()).collect();
        (!words.is_empty()).then_some(Self { words })
    }

    /// Whether a command is one of these.
    #[must_use]
    pub fn matches(&self, command: &Command) -> bool {
        let Some((programs, wanted)) = self.words.split_first() else { return false };
        let program = command.program();
        if !programs.contains(&"*") && !programs.contains(&program) {
            return false;
        }
        let arguments: Vec<&str> =
            command.words.iter().skip(1).map(|word| word.text.as_str()).collect();
        let end = arguments.iter().position(|word| *word == "--").unwrap_or(arguments.len());
        let options = arguments.get(..end).unwrap_or_default();
        let operands = operands(program, &arguments);
        let mut operands = operands.iter();
        let mut first = SUBCOMMANDS.iter().any(|(name, _)| *name == program);
        wanted.iter().all(|choices| {
            let is_option = choices.iter().all(|choice| choice.starts_with('-'));
            if is_option {
                return choices.iter().any(|choice| has(choice, options));
            }
            let found = |operand: &&&str| choices.contains(*operand);
            match std::mem::take(&mut first) {
                true => operands.next().filter(found).is_some(),
                false => operands.by_ref().any(|operand| choices.contains(operand)),
            }
        })
    }
}

/// Whether an option is among the arguments; `-rf` is also found as `-f -r`.
fn has(option: &str, arguments: &[&str]) -> bool {
    let together = option.strip_prefix('-').filter(|letters| {
        (2..=3).contains(&letters.len()) && letters.bytes().all(|b| b.is_ascii_alphabetic())
    });
    arguments.iter().any(|argument| is(option, argument))
        || together.is_some_and(|letters| {
            letters.chars().all(|c| arguments.iter().any(|own| is(&format!("-{c}"), own)))
        })
}

/// Whether an argument is or holds an option.
fn is(option: &str, argument: &str) -> bool {
    if option == argument {
        return true;
    }
    let name = argument.split_once('=').map_or(argument, |(name, _)| name);
    if option.starts_with("--") {
        // `--rec` is `--recursive` to most programs; where it is ambiguous they refuse it.
        return name.len() > 2 && option.starts_with(name);
    }
    let mut letters = option.chars().skip(1);
    match (letters.next(), letters.next()) {
        (Some(letter), None) => {
            let cluster = argument.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
            cluster.is_some_and(|cluster| cluster.contains(letter))
        }
        _ => option == name,
    }
}

/// The operands, without the values of the options that stand before a subcommand.
fn operands<'w>(program: &str, arguments: &[&'w str]) -> Vec<&'w str> {
    let valued = SUBCOMMANDS.iter().find(|(name, _)| *name == program).map(|(_, valued)| *valued);
    let mut operands = Vec::new();
    let mut rest = arguments.iter();
    let mut ended = false;
    while let Some(argument) = rest.next() {
        if ended {
            operands.push(*argument);
        } else if *argument == "--" {
            ended = true;
        } else if argument.starts_with('-') && argument.len() > 1 {
            let before = operands.is_empty();
            if before && valued.is_some_and(|all| all.split(' ').any(|own| own == *argument)) {
                rest.next();
            }
        } else if program == "cargo" && operands.is_empty() && argument.starts_with('+') {
            // A toolchain.
        } else {
            operands.push(*argument);
        }
    }
    operands
}

impl Line {
    /// The commands that a pattern is found in.
    pub fn matching(&self, pattern: &Pattern<'_>) -> impl Iterator<Item = &Command> {
        self.commands.iter().filter(|command| pattern.matches(command))
    }

    /// Whether some command is one of the pattern's.
    #[must_use]
    pub fn runs(&self, pattern: &str) -> bool {
        Pattern::new(pattern).is_some_and(|pattern| self.matching(&pattern).next().is_some())
    }

    /// Whether what the first command of `A | B` writes reaches one of the second. `None` when
    /// the pattern is not of that form.
    #[must_use]
    pub fn pipes(&self, pattern: &str) -> Option<bool> {
        let (from, to) = pattern.split_once('|')?;
        let (from, to) = (Pattern::new(from)?, Pattern::new(to)?);
        let indices = |pattern: &Pattern<'_>| -> Vec<usize> {
            let all = self.commands.iter().enumerate();
            all.filter(|(_, command)| pattern.matches(command)).map(|(at, _)| at).collect()
        };
        let sinks = indices(&to);
        Some(
            indices(&from).into_iter().any(|from| {
                sinks.iter().any(|to| !self.is_within(from, *to) && self.feeds(from, *to))
            }),
        )
    }

    /// Whether a command runs as part of another: `bash -c 'curl x'` is no pipe into bash.
    fn is_within(&self, inner: usize, outer: usize) -> bool {
        let mut at = inner;
        while let Some((parent, Relation::Runs)) =
            self.commands.get(at).and_then(|command| command.parent)
        {
            if parent == outer {
                return true;
            }
            at = parent;
        }
        false
    }
}
