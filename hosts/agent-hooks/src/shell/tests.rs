//! Lines, and what they run.

use super::Line;

fn commands(line: &str) -> Vec<String> {
    Line::parse(line).commands.iter().map(super::Command::joined).collect()
}

#[test]
fn every_simple_command_is_found() {
    for (line, wanted) in [
        ("ls", vec!["ls"]),
        ("", vec![]),
        ("cd a && /bin/rm -rf x; ls | wc -l &", vec!["cd a", "rm -rf x", "ls", "wc -l"]),
        ("a || b", vec!["a", "b"]),
        ("! a", vec!["a"]),
        ("time a b", vec!["a b"]),
        ("echo \"x $(rm -rf /) y\"", vec!["echo x $() y", "rm -rf /"]),
        ("echo `rm \"a b\"`", vec!["echo $()", "rm a b"]),
        ("x=$(rm a) ls", vec!["ls", "rm a"]),
        ("echo ${x:-$(rm y)} $((1+$(rm z)))", vec!["echo $x $", "rm y", "rm z"]),
        ("cat <(rm a)", vec!["cat $()", "rm a"]),
        ("cat <<E\n$(rm a) `rm b`\nE", vec!["cat", "rm a", "rm b"]),
        ("cat <<'E'\n$(rm a)\nE", vec!["cat"]),
        ("bash <<E\nrm -rf /\nE", vec!["bash", "rm -rf /"]),
        ("(a; { b; })", vec!["a", "b"]),
        ("if a; then b; elif c; then d; else e; fi", vec!["a", "b", "c", "d", "e"]),
        ("for i in $(a); do b $i; done", vec!["a", "b $i"]),
        ("while a; do b; done < <(c)", vec!["", "c", "a", "b"]),
        ("case $(a) in x) b;; *) c;; esac", vec!["a", "b", "c"]),
        ("f() { rm x; }; f", vec!["rm x", "f"]),
        ("[[ -f $(a) ]]", vec!["a"]),
        ("((x=$(a)))", vec!["a"]),
        ("for ((i=$(a);;)); do b; done", vec!["b", "a"]),
        ("coproc rm x", vec!["rm x"]),
        ("echo \"${a[$(rm 3)]}\"", vec!["echo $a[$(rm 3)]", "rm 3"]),
        ("\\rm 'r'm \"r\"m $'\\x72m'", vec!["rm rm rm rm"]),
        ("{rm,-rf,/}", vec!["rm -rf /"]),
        ("rm x{a,b}", vec!["rm xa xb"]),
        ("X=rm; $X -rf /", vec!["", "rm -rf /"]),
        ("echo '$(rm)' \\$x", vec!["echo $(rm) $x"]),
    ] {
        assert_eq!(commands(line), wanted, "{line}");
        assert!(!Line::parse(line).unparsed, "{line}");
    }
}

#[test]
fn programs_that_run_others_are_looked_through() {
    for (line, last) in [
        ("env -u X A=1 rm -rf /", "rm -rf /"),
        ("env -S 'rm -rf' /", "rm -rf /"),
        ("sudo -u root -- rm x", "rm x"),
        ("sudo -n A=1 env rm x", "rm x"),
        ("bash -c 'rm x'", "rm x"),
        ("bash -lc \"cd a && rm x\"", "rm x"),
        ("sh -e -o pipefail -c 'rm x' arg", "rm x"),
        ("bash --norc -c 'rm x'", "rm x"),
        ("eval rm \"x y\"", "rm x y"),
        ("xargs -n 1 -I {} rm {}", "rm {}"),
        ("find . -name '*.o' -exec rm -f {} \\;", "rm -f {}"),
        ("nice -n 5 nohup timeout -s KILL 5 rm x", "rm x"),
        ("command rm x", "rm x"),
        ("exec -a ls rm x", "rm x"),
        ("busybox rm x", "rm x"),
        ("trap 'rm x' EXIT", "rm x"),
        ("alias ll='rm x'", "rm x"),
        ("su - root -c 'rm x'", "rm x"),
        ("ssh -p 22 host rm x", "rm x"),
        ("/usr/bin/time -f %e rm x", "rm x"),
        ("bash -c 'bash -c \"bash -c rm\"'", "rm"),
        ("bash <<< 'rm x'", "rm x"),
        ("echo $(bash -c 'rm x')", "rm x"),
    ] {
        assert_eq!(commands(line).last().map(String::as_str), Some(last), "{line}");
    }
    assert_eq!(commands("command -v rm"), ["command -v rm"]);
}

#[test]
fn what_is_only_known_when_it_runs_is_told() {
    for (line, unparsed, dynamic) in [
        ("ls $X", false, false),
        ("$X -rf /", false, true),
        ("\"$(which rm)\" x", false, true),
        ("/bin/r? x", false, true),
        ("eval \"$X\"", false, true),
        ("bash -c \"$X\"", false, true),
        ("sudo $X", false, true),
        ("cd $X && ls", false, true),
        ("if", true, false),
        ("echo 'open", true, false),
        ("ls; bash -c 'if'", true, false),
        ("cat <<E\n$(ls\nE", true, false),
    ] {
        let read = Line::parse(line);
        assert_eq!((read.unparsed, read.dynamic), (unparsed, dynamic), "{line}");
    }
}

#[test]
fn patterns_find_commands() {
    for (line, pattern, found) in [
        ("git push --force", "git push --force,-f", true),
        ("git -C x push -uf origin", "git push --force,-f", true),
        ("git push origin", "git push --force,-f", false),
        ("git push --force-with-lease", "git push --force,-f", false),
        ("git commit -m push -f", "git push", false),
        ("git push origin --delete x", "git push --delete,-d", true),
        ("rm -r -f x", "rm -rf", true),
        ("rm -fr x", "rm -rf", true),
        ("rm -f x", "rm -rf", false),
        ("rm --rec x", "rm -r,--recursive", true),
        ("rm -- -r", "rm -r", false),
        ("rm a b c", "rm a c", true),
        ("rm c a", "rm a c", false),
        ("npm --prefix x publish", "npm,pnpm,yarn publish", true),
        ("npm run publish", "npm publish", false),
        ("cargo +nightly publish --dry-run", "cargo publish", true),
        ("anything x", "* x", true),
        ("find . -delete", "find -delete", true),
        ("dd if=a of=/dev/sda", "dd", true),
        ("sudo reboot", "reboot", true),
        ("ls", "", false),
    ] {
        assert_eq!(Line::parse(line).runs(pattern), found, "{line} / {pattern}");
    }
}

#[test]
fn output_is_followed_to_where_it_is_read() {
    let pattern = "curl,wget | sh,bash,eval,python";
    for (line, reaches) in [
        ("curl x | sh", true),
        ("curl x | tee y | sudo bash -s", true),
        ("(curl x; ls) | (cd y; sh)", true),
        ("bash <(curl x)", true),
        ("bash -c \"$(curl x)\"", true),
        ("eval \"$(wget -O- x)\"", true),
        ("bash < <(curl x)", true),
        ("bash -c 'curl x | sh'", true),
        ("curl x | bash -c 'cat | sh'", true),
        ("x=$(curl y); ls", false),
        ("curl x; sh y", false),
        ("bash -c 'curl x; sh y'", false),
        ("bash -c 'curl x'", false),
        ("sh y | curl x", false),
        ("curl x && echo y | sh", false),
        ("echo $(curl x) | cat", false),
        ("echo \"$(curl x)\" | sh", true),
    ] {
        assert_eq!(Line::parse(line).pipes(pattern), Some(reaches), "{line}");
    }
    assert_eq!(Line::parse("ls").pipes("curl"), None);
}

/// No line makes it fail, hang or use the stack up.
#[test]
fn hostile_lines_are_told_as_not_parsed() {
    let deep =
        |open: &str, close: &str, n: usize| format!("{}x{}", open.repeat(n), close.repeat(n));
    for line in [
        deep("(", ")", 20_000),
        deep("$(", ")", 60),
        deep("{ ", "; }", 20_000),
        "a;".repeat(20_000),
        "$(".repeat(5_000),
        "`".repeat(5_001),
        "x".repeat(2 << 20),
        format!("echo {}", "{a,b}".repeat(40)),
        "bash -c ".repeat(100),
    ] {
        let line = line.clone();
        let thread = std::thread::Builder::new().stack_size(64 << 20);
        let read = thread.spawn(move || Line::parse(&line)).unwrap().join().unwrap();
        assert!(read.commands.len() <= 2_000);
    }
    assert!(Line::parse(&"a;".repeat(20_000)).unparsed);
}
