//! The life of the server, and what a client may do wrong.

use serde_json::{Value, json};

use super::client::Client;
use super::diagnostics::rule;
use crate::run::Directory;

#[test]
fn it_ends_as_the_protocol_has_it() {
    let directory = Directory::with(&[]);
    assert_eq!(Client::start(directory.path(), &[]).end(), 0);
    assert_eq!(
        Client::start(directory.path(), &["--stdio", "--clientProcessId=7"]).exit(),
        1,
        "without a shutdown"
    );
    assert_eq!(Client::start(directory.path(), &[]).hang_up(), 1);
    assert_eq!(Client::raw(directory.path(), &[]).exit(), 1);
    let mut client = Client::start(directory.path(), &[]);
    assert_eq!(client.request("shutdown", Value::Null), Ok(Value::Null));
    let refused = client.request("textDocument/hover", json!({})).expect_err("it is shut down");
    assert_eq!(refused, (-32600, "the server is shut down".to_owned()));
    assert_eq!(client.exit(), 0);
}

#[test]
fn what_is_not_offered_is_refused() {
    let directory = Directory::with(&[]);
    let mut client = Client::raw(directory.path(), &[]);
    let early = client.request("textDocument/hover", json!({})).expect_err("too early");
    assert_eq!(early, (-32002, "the server waits for `initialize`".to_owned()));
    client.notify("textDocument/didOpen", json!({"textDocument": 1}));
    // An introduction of which nothing is as it should be.
    let nonsense = json!({"capabilities": 7, "workspaceFolders": [1, {"uri": "%"}], "rootUri": []});
    assert!(client.request("initialize", nonsense).is_ok());
    client.notify("initialized", json!({}));
    for (method, params, code) in [
        ("initialize", json!({}), -32600),
        ("textDocument/rename", json!({}), -32601),
        ("$/unknown", json!(null), -32601),
        ("textDocument/hover", json!(null), -32602),
        ("textDocument/hover", json!({"textDocument": {"uri": "file:///a"}}), -32602),
        ("textDocument/completion", json!([1, 2]), -32602),
        ("textDocument/codeAction", json!({"range": 1}), -32602),
    ] {
        let refused = client.request(method, params).expect_err("it is refused");
        assert_eq!(refused.0, code, "{method}: {}", refused.1);
    }
    // Nothing is known of a document that is not open.
    let nowhere = json!({
        "textDocument": {"uri": "file:///nowhere.yaml"},
        "position": {"line": 4294967295_u32, "character": 4294967295_u32},
    });
    for method in ["hover", "completion", "definition"] {
        let answer = client.request(&format!("textDocument/{method}"), nowhere.clone());
        assert_eq!(answer, Ok(Value::Null));
    }
    assert_eq!(client.end(), 0);
}

#[test]
fn nothing_that_comes_in_ends_it() {
    let directory = Directory::with(&[]);
    let mut client = Client::start(directory.path(), &[]);
    client.open("a.yaml", &rule("A", "when: tol == ''"));
    assert_eq!(client.diagnostics("a.yaml").len(), 1);
    for text in ["{", "[]", "null", "{\"method\": 1}", "\u{feff}{}", &"[".repeat(10_000)] {
        client.send_bytes(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }
    client.send_bytes(b"Content-Length: 2\r\n\r\n\xff\xfe");
    client.send_bytes(b"Content-Length: 18446744073709551615\r\n\r\n");
    client.send_bytes(b"no header at all\r\n\r\nContent-Length: x\r\n\r\n");
    let uri = client.uri("a.yaml");
    let far = json!({"line": 9999, "character": 9999});
    let backwards = json!({"start": far, "end": {"line": 0, "character": 0}});
    for params in [
        json!({}),
        json!({"textDocument": {"uri": uri, "version": 1}, "contentChanges": [7]}),
        json!({"textDocument": {"uri": "file:///b.yaml", "version": 1}, "contentChanges": []}),
        json!({"textDocument": {"uri": "not an address", "version": 1}, "contentChanges": []}),
        json!({"textDocument": {"uri": uri, "version": -5}, "contentChanges": [
            {"range": {"start": {"line": 0, "character": 4294967295_u32}, "end": far}, "text": "x"},
            {"range": backwards, "text": "\u{0}"},
            {"range": null, "text": "a\r\nb\rc"},
        ]}),
    ] {
        client.notify("textDocument/didChange", params);
    }
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": "file:///nowhere"}}));
    client.notify("nonsense", json!({}));
    client.notify("$/cancelRequest", json!({"id": 1}));
    // It goes on as if nothing had been.
    client.open("a.yaml", &rule("A", "when: tol == '' || tool == 1"));
    assert_eq!(client.diagnostics("a.yaml").len(), 2);
    assert!(client.logged.len() >= 8, "{:?}", client.logged);
    assert_eq!(client.end(), 0);
}

/// Addresses that the protocol's type does not take are no reason to die of.
#[test]
fn odd_addresses_are_served() {
    let directory = Directory::with(&[]);
    let mut client = Client::start(directory.path(), &[]);
    for uri in ["file:///a%20b.yaml", "file://host/a.yaml", "file:///%FF.yaml", "x:", "mem://a/b"] {
        client.open_as(uri, "yaml", &rule("A", "when: tol == ''"));
        assert_eq!(client.diagnostics_of(uri).len(), 1, "{uri}");
    }
    assert_eq!(client.end(), 0);
}
