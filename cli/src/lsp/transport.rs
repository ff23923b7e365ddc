//! Frames of the protocol: what comes in, one message at a time.
//!
//! The messages are `lsp-server`'s; its reader is not used, since it ends at the first text that is
//! no JSON and sets aside whatever memory a header asks for.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use lsp_server::Message;

/// How large a message may be. A document of the 16 MiB that are read takes at most six times as
/// much in JSON.
const LARGEST: usize = 128 << 20;
/// How long a line of a header may be.
const LINE: u64 = 4096;

/// What came in.
#[derive(Debug)]
pub(super) enum Incoming {
    Message(Message),
    /// A frame that holds no message, and why.
    Garbage(String),
}

/// Starts to read; the channel closes at the end of the input.
pub(super) fn receive(input: impl Read + Send + 'static) -> Receiver<Incoming> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut input = BufReader::new(input);
        while let Ok(Some(incoming)) = frame(&mut input) {
            let exit = matches!(&incoming, Incoming::Message(Message::Notification(own)) if own.method == "exit");
            if sender.send(incoming).is_err() || exit {
                break;
            }
        }
    });
    receiver
}

/// One frame; `None` at the end of the input.
fn frame(input: &mut impl BufRead) -> io::Result<Option<Incoming>> {
    let mut length: Option<usize> = None;
    loop {
        let mut line = Vec::new();
        let read = input.by_ref().take(LINE).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\r', '\n']);
        if line.is_empty() {
            match length {
                Some(_) => break,
                // Empty lines before a header say nothing.
                None => continue,
            }
        }
        let header = line.split_once(':').map(|(name, value)| (name.trim(), value.trim()));
        if let Some((name, value)) = header
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.parse().ok();
            if length.is_none_or(|length| length > LARGEST) {
                return Ok(Some(Incoming::Garbage(format!("a message of {value} bytes"))));
            }
        }
    }
    let mut body = vec![0; length.unwrap_or_default()];
    if input.read_exact(&mut body).is_err() {
        return Ok(None);
    }
    Ok(Some(match serde_json::from_slice(&body) {
        Ok(message) => Incoming::Message(message),
        Err(error) => Incoming::Garbage(format!("a text that is no message: {error}")),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<String> {
        let mut input = text.as_bytes();
        let mut found = Vec::new();
        while let Some(incoming) = frame(&mut input).unwrap_or_default() {
            found.push(match incoming {
                Incoming::Message(Message::Notification(own)) => own.method,
                Incoming::Message(_) => "another message".to_owned(),
                Incoming::Garbage(why) => why,
            });
        }
        found
    }

    #[test]
    fn what_is_no_message_is_passed_over() {
        let framed = |text: &str| format!("Content-Length: {}\r\n\r\n{text}", text.len());
        let good = framed(r#"{"method":"a"}"#);
        let text = format!("{}{good}{}{good}", framed("{"), framed("[]"));
        let found = all(&text);
        assert_eq!(found.iter().filter(|own| *own == "a").count(), 2, "{found:?}");
        assert_eq!(found.len(), 4, "{found:?}");
        let huge = format!("Content-Length: 99999999999999\r\n\r\n{good}");
        assert_eq!(all(&huge), ["a message of 99999999999999 bytes", "a"]);
        let other = format!("content-length:14\r\nContent-Type: x\r\n\r\n{}", r#"{"method":"a"}"#);
        assert_eq!(all(&other), ["a"]);
        assert_eq!(all("nonsense\r\n\r\n"), [""; 0]);
        assert_eq!(all("Content-Length: 20\r\n\r\n{"), [""; 0]);
    }
}
