//! Hostile input: everything ends, in bounded time and memory, with the answer that is right.

#![expect(clippy::expect_used, reason = "a test may stop")]

mod ambiguity;
mod attacks;

/// On a small stack, each attack ends as it must: what nests as deep as where the table starts, the
/// rest at a sixteenth of that. How the time grows is measured by `cargo run --release -p oar-engine
/// --example cost_attacks`.
#[test]
fn each_attack_ends_with_its_answer() {
    let work = || {
        let mut wrong = Vec::new();
        for attack in attacks::all() {
            let nests = ["brackets", "calls", "operators", "conditionals", "marks", "dashes"];
            let part = if nests.contains(&attack.unit) { 1 } else { 16 };
            let size = (attack.size / part).max(1);
            let told = (attack.prepare)(size)();
            if !attacks::is_expected(&attack, size, &told) {
                wrong.push(format!("{}: wanted {:?}, got {told:?}", attack.name, attack.ends));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    };
    std::thread::Builder::new()
        .stack_size(512 << 10)
        .spawn(work)
        .expect("a thread")
        .join()
        .unwrap_or_else(|_| panic!("an attack did not end well"));
}
