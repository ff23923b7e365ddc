//! A client: the messages are `lsp-server`'s, the types `lsp-types`'.

use std::collections::HashMap;
use std::io::{BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use lsp_server::{Message, Notification, Request, Response};
use lsp_types::{Diagnostic, PublishDiagnosticsParams};
use serde_json::{Value, json};

/// How long an answer is waited for: far longer than it takes.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    incoming: Receiver<Message>,
    next: i32,
    root: PathBuf,
    versions: HashMap<String, i32>,
    /// What was told last of each document: of which version, and what.
    told: HashMap<String, (Option<i32>, Vec<Diagnostic>)>,
    pub(crate) logged: Vec<String>,
    pub(crate) capabilities: Value,
}

impl Client {
    /// A server that waits for its client to introduce itself.
    pub(crate) fn raw(root: &Path, arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_oar"))
            .arg("lsp")
            .args(arguments)
            .current_dir(root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("oar starts");
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, incoming) = channel();
        std::thread::spawn(move || {
            while let Ok(Some(message)) = Message::read(&mut output) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let input = child.stdin.take();
        Self {
            child,
            input,
            incoming,
            next: 0,
            // As the server is told it: temporary directories are links in places.
            root: root.canonicalize().expect("a directory"),
            versions: HashMap::new(),
            told: HashMap::new(),
            logged: Vec::new(),
            capabilities: Value::Null,
        }
    }

    /// A server that was introduced to.
    pub(crate) fn start(root: &Path, arguments: &[&str]) -> Self {
        Self::with(root, arguments, json!({}))
    }

    /// The same, with more members of the introduction.
    pub(crate) fn with(root: &Path, arguments: &[&str], more: Value) -> Self {
        let mut client = Self::raw(root, arguments);
        let uri = client.uri("");
        let mut params = json!({
            "processId": null,
            "rootUri": uri,
            "capabilities": {},
            "workspaceFolders": [{"uri": uri, "name": "root"}],
        });
        for (name, value) in more.as_object().expect("members") {
            params[name] = value.clone();
        }
        let answer = client.request("initialize", params).expect("an introduction");
        client.capabilities = answer["capabilities"].clone();
        client.notify("initialized", json!({}));
        client
    }

    pub(crate) fn uri(&self, name: &str) -> String {
        let path = self.root.join(name);
        url::Url::from_file_path(path).expect("absolute").to_string()
    }

    pub(crate) fn send(&mut self, message: Message) {
        message.write(self.input.as_mut().expect("open")).expect("the server reads");
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("open");
        input.write_all(bytes).expect("the server reads");
        input.flush().expect("the server reads");
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(Notification::new(method.to_owned(), params).into());
    }

    /// The answer to a request, or the code and the message of its refusal.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Result<Value, (i32, String)> {
        self.next += 1;
        let id = self.next;
        self.send(Request::new(id.into(), method.to_owned(), params).into());
        loop {
            if let Some(Response { id: own, response_result }) = self.receive()
                && own == id.into()
            {
                return response_result.map_err(|error| (error.code, error.message));
            }
        }
    }

    /// Takes a message; a response is handed on.
    fn receive(&mut self) -> Option<Response> {
        match self.incoming.recv_timeout(PATIENCE).expect("the server answers") {
            Message::Response(response) => return Some(response),
            Message::Notification(own) if own.method == "textDocument/publishDiagnostics" => {
                let params: PublishDiagnosticsParams =
                    serde_json::from_value(own.params).expect("diagnostics");
                let uri = params.uri.as_str().to_owned();
                self.told.insert(uri, (params.version, params.diagnostics));
            }
            Message::Notification(own) if own.method == "window/logMessage" => {
                self.logged.push(own.params["message"].as_str().unwrap_or_default().to_owned());
            }
            Message::Notification(_) => {}
            Message::Request(request) => {
                self.send(Response::new_ok(request.id, Value::Null).into());
            }
        }
        None
    }

    pub(crate) fn open(&mut self, name: &str, text: &str) {
        let uri = self.uri(name);
        let language = if name.ends_with(".json") { "json" } else { "yaml" };
        self.open_as(&uri, language, text);
    }

    pub(crate) fn open_as(&mut self, uri: &str, language: &str, text: &str) {
        self.versions.insert(uri.to_owned(), 0);
        self.told.remove(uri);
        let document = json!({"uri": uri, "languageId": language, "version": 0, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    /// Sends changes; each is a range, or `null` for the whole, and a text.
    pub(crate) fn change(&mut self, name: &str, changes: &[(Value, &str)]) {
        let uri = self.uri(name);
        let version = self.versions.get_mut(&uri).expect("an open document");
        *version += 1;
        let changes = changes.iter().map(|(range, text)| match range.is_null() {
            true => json!({"text": text}),
            false => json!({"range": range, "text": text}),
        });
        let params = json!({
            "textDocument": {"uri": uri, "version": *version},
            "contentChanges": changes.collect::<Vec<Value>>(),
        });
        self.notify("textDocument/didChange", params);
    }

    pub(crate) fn close(&mut self, name: &str) {
        let uri = self.uri(name);
        self.versions.remove(&uri);
        self.told.remove(&uri);
        self.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    }

    /// The diagnostics of the text of a document as it is now.
    pub(crate) fn diagnostics(&mut self, name: &str) -> Vec<Diagnostic> {
        let uri = self.uri(name);
        self.diagnostics_of(&uri)
    }

    pub(crate) fn diagnostics_of(&mut self, uri: &str) -> Vec<Diagnostic> {
        let version = self.versions.get(uri).copied();
        loop {
            if let Some((told, diagnostics)) = self.told.get(uri)
                && *told == version
            {
                return diagnostics.clone();
            }
            drop(self.receive());
        }
    }

    /// Waits until what is told of a document, open or not, passes a test.
    pub(crate) fn until(&mut self, name: &str, test: impl Fn(&[Diagnostic]) -> bool) {
        let uri = self.uri(name);
        while !self.told.get(&uri).is_some_and(|(_, told)| test(told)) {
            drop(self.receive());
        }
    }

    /// Asks about the place of the first `¦` of a text in a document, which is opened without it.
    pub(crate) fn at(&mut self, method: &str, name: &str, marked: &str) -> Value {
        let (text, position) = unmarked(marked);
        match self.versions.contains_key(&self.uri(name)) {
            true => self.change(name, &[(Value::Null, &text)]),
            false => self.open(name, &text),
        }
        let uri = self.uri(name);
        let params = json!({"textDocument": {"uri": uri}, "position": position});
        self.request(&format!("textDocument/{method}"), params).expect("an answer")
    }

    /// Ends the server as the protocol has it; its exit code.
    pub(crate) fn end(mut self) -> i32 {
        assert_eq!(self.request("shutdown", Value::Null), Ok(Value::Null));
        self.exit()
    }

    pub(crate) fn exit(mut self) -> i32 {
        self.notify("exit", Value::Null);
        self.wait()
    }

    /// Closes the connection without a word; the exit code of the server.
    pub(crate) fn hang_up(mut self) -> i32 {
        self.input = None;
        self.wait()
    }

    fn wait(&mut self) -> i32 {
        self.child.wait().expect("the server ends").code().expect("an exit code")
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A text without its mark, and the position of the mark in UTF-16 units.
pub(crate) fn unmarked(marked: &str) -> (String, Value) {
    let (before, after) = marked.split_once('¦').expect("a mark");
    let position = position(before, before.len());
    (format!("{before}{after}"), position)
}

/// The position of a byte, in UTF-16 units, counted in another way than the server does.
pub(crate) fn position(text: &str, offset: usize) -> Value {
    let before = text[..offset].replace("\r\n", "\n").replace('\r', "\n");
    let line = before.split('\n').count() - 1;
    let last = before.rsplit('\n').next().unwrap_or_default();
    json!({"line": line, "character": last.encode_utf16().count()})
}
