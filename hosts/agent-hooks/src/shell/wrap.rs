//! Programs that run other programs, and where in their words those stand.
//!
//! The table is small and errs towards finding a command: an option that it does not know takes
//! no value.

use super::{Command, Word};

/// What a command runs.
pub(super) enum Inner {
    /// A command, by its words.
    Command(Vec<Word>),
    /// A text that a shell parses.
    Text(String),
    /// Something that only shows when it runs.
    Unknown,
}

/// Programs that run the command in their words: the options that take a value, and how many
/// operands stand before the command.
const RUNNERS: &[(&str, &str, usize)] = &[
    ("builtin", "", 0),
    ("busybox", "", 0),
    ("chroot", "", 1),
    ("chrt", "-T -P -D", 1),
    ("command", "", 0),
    ("doas", "-u -C", 0),
    ("exec", "-a", 0),
    ("ionice", "-c -n -p --class --classdata", 0),
    ("nice", "-n --adjustment", 0),
    ("nohup", "", 0),
    ("parallel", "-j --jobs -a", 0),
    ("setsid", "", 0),
    ("sudo", "-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir --chroot", 0),
    ("ssh", "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w", 1),
    ("stdbuf", "-i -o -e --input --output --error", 0),
    ("strace", "-e -o -p -s -u -E", 0),
    ("taskset", "", 1),
    ("time", "-f -o --format --output", 0),
    ("timeout", "-s -k --signal --kill-after", 1),
    ("toybox", "", 0),
    ("unshare", "-S -G --setuid --setgid", 0),
    ("watch", "-n --interval", 0),
    ("xargs", "-I -i -n -P -L -l -d -a -E -s --max-args --max-procs --delimiter --arg-file", 0),
];

/// Shells: what they read is commands.
const SHELLS: &[&str] =
    &["sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "rbash", "busybox"];

/// Whether a command reads commands from its standard input.
pub(super) fn reads_commands(command: &Command) -> bool {
    SHELLS.contains(&command.program())
        || matches!(command.program(), "ssh" | "su" | "sudo" | "source" | ".")
}

/// What a command runs beside itself.
pub(super) fn inner(command: &Command) -> Vec<Inner> {
    let arguments = command.words.get(1..).unwrap_or_default();
    match command.program() {
        "env" => env(arguments),
        "find" => find(arguments),
        "eval" => texts(arguments),
        "trap" => texts(arguments.get(..1).unwrap_or_default()),
        "alias" => {
            let value = |word: &Word| Some((word.text.split_once('=')?.1.to_owned(), word.known));
            arguments.iter().filter_map(value).map(text).collect()
        }
        "su" | "runuser" | "script" | "flock" => option_text(arguments, 'c'),
        shell if SHELLS.contains(&shell) && shell != "busybox" => option_text(arguments, 'c'),
        "command" if arguments.first().is_some_and(|word| matches!(&*word.text, "-v" | "-V")) => {
            Vec::new()
        }
        program => match RUNNERS.iter().find(|(name, ..)| *name == program) {
            Some((name, valued, operands)) => {
                let valued: Vec<&str> = valued.split(' ').collect();
                let words = behind(arguments, &valued, *operands);
                // These hand their words to a shell.
                match *name {
                    "ssh" | "watch" | "parallel" if !words.is_empty() => texts(&words),
                    _ if words.is_empty() => Vec::new(),
                    _ => vec![Inner::Command(words)],
                }
            }
            None => Vec::new(),
        },
    }
}

fn text((text, known): (String, bool)) -> Inner {
    if known { Inner::Text(text) } else { Inner::Unknown }
}

/// Words that are joined and parsed again.
fn texts(words: &[Word]) -> Vec<Inner> {
    if words.is_empty() {
        return Vec::new();
    }
    if !words.iter().all(|word| word.known) {
        return vec![Inner::Unknown];
    }
    let words: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    vec![Inner::Text(words.join(" "))]
}

/// The words of the command behind options, `NAME=value` and some operands.
fn behind(arguments: &[Word], valued: &[&str], operands: usize) -> Vec<Word> {
    let mut left = operands;
    let mut rest = arguments.iter().enumerate();
    while let Some((position, word)) = rest.next() {
        let text = word.text.as_str();
        if text == "--" {
            let after = arguments.get(position + 1 + left..).unwrap_or_default();
            return after.to_vec();
        }
        if text.starts_with('-') && text.len() > 1 {
            if valued.contains(&text) {
                rest.next();
            }
        } else if is_assignment(text) {
        } else if left > 0 {
            left -= 1;
        } else {
            return arguments.get(position..).unwrap_or_default().to_vec();
        }
    }
    Vec::new()
}

fn is_assignment(text: &str) -> bool {
    let name = text.split_once('=').map(|(name, _)| name);
    name.is_some_and(|name| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}

fn env(arguments: &[Word]) -> Vec<Inner> {
    for (position, word) in arguments.iter().enumerate() {
        let text = word.text.as_str();
        let split = text.strip_prefix("--split-string=").or_else(|| text.strip_prefix("-S"));
        if let Some(split) = split {
            let mut words = vec![Word { text: split.to_owned(), ..word.clone() }];
            words.extend(arguments.get(position + 1..).unwrap_or_default().iter().cloned());
            return texts(&words);
        }
        if !text.starts_with('-') {
            break;
        }
    }
    match behind(arguments, &["-u", "-C", "--unset", "--chdir"], 0) {
        words if words.is_empty() => Vec::new(),
        words => vec![Inner::Command(words)],
    }
}

/// `find … -exec COMMAND ;`
fn find(arguments: &[Word]) -> Vec<Inner> {
    let mut commands = Vec::new();
    let mut open: Option<Vec<Word>> = None;
    for word in arguments {
        match (&mut open, word.text.as_str()) {
            (None, "-exec" | "-execdir" | "-ok" | "-okdir") => open = Some(Vec::new()),
            (Some(_), ";" | "+") => commands.extend(open.take().map(Inner::Command)),
            (Some(words), _) => words.push(word.clone()),
            (None, _) => {}
        }
    }
    commands.extend(open.map(Inner::Command));
    commands
}

/// `-c TEXT`, also in a cluster such as `-lc`.
fn option_text(arguments: &[Word], option: char) -> Vec<Inner> {
    let mut rest = arguments.iter();
    let mut wanted = false;
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        let cluster = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        if let Some(cluster) = cluster.filter(|cluster| !cluster.is_empty()) {
            wanted |= cluster.contains(option);
            if matches!(text, "-o" | "-O" | "+o" | "+O" | "-s" | "-g" | "-u") && !wanted {
                rest.next();
            }
        } else if let Some(value) = text.strip_prefix("--command=") {
            return vec![self::text((value.to_owned(), word.known))];
        } else if text == "--command" || text == "--session-command" {
            wanted = true;
        } else if wanted && !text.starts_with("--") && !text.starts_with('+') {
            return vec![self::text((word.text.clone(), word.known))];
        } else if !wanted && !text.starts_with(['-', '+']) {
            // A script: what is in it is not looked at. `su USER -c …` and `flock FILE -c …` go on.
            continue;
        }
    }
    Vec::new()
}
