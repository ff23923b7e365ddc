//! The lines of the adapter protocol, from either side.

use oar_conformance::adapter::{message, serve};
use oar_conformance::in_process::{InProcess, about};
use serde_json::Value;

/// An adapter answers every line with one line; a runner reads any line as an answer or refuses it.
pub fn adapter(data: &[u8]) {
    let mut output = Vec::new();
    serve(&mut InProcess, &about(), data, &mut output).expect("writing to memory");
    let output = String::from_utf8(output).expect("answers are UTF-8");
    let asked = data
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.iter().all(u8::is_ascii_whitespace))
        .count();
    assert_eq!(output.lines().count(), asked, "{output}");
    for line in output.lines() {
        let answer: Value = serde_json::from_str(line).expect("answers are JSON");
        let members = ["report", "error", "skipped", "start"];
        let given = members.iter().filter(|member| answer.get(**member).is_some()).count();
        assert_eq!(given, 1, "{line}");
        if let Some(id) = answer.get("id").and_then(Value::as_str) {
            let count = answer.get("occurrences").and_then(Value::as_array).map_or(1, Vec::len);
            message::read(line, id, count).expect("a runner can read it");
        }
        assert!(!line.contains("panicked"), "{line}");
    }
    // The other side reads the input as if it were answers.
    for line in String::from_utf8_lossy(data).lines() {
        let _ = message::read(line, "a", 1);
        let _ = message::read_welcome(line);
    }
}
