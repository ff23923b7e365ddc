//! The life of the server, and who answers what.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::{
    CodeActionParams, CompletionParams, Diagnostic, DidChangeTextDocumentParams,
    DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    GotoDefinitionParams, HoverParams, PublishDiagnosticsParams, TextDocumentPositionParams,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::buffer::{Buffer, Encoding, Text};
use super::cursor::View;
use super::diagnostics::{ByFile, of_pack, told};
use super::transport::Incoming;
use super::workspace::{Workspace, name_of, path_of};
use super::{complete, define, fix, hover};
use crate::check::Found;
use crate::input::{Files as _, Input, Kind};

/// How long the client is silent before its text is checked, and how long it is waited for at most.
const PAUSE: Duration = Duration::from_millis(40);
const PATIENCE: Duration = Duration::from_millis(600);

/// How many fixes are offered at once, for a range that has more.
const MOST_ACTIONS: usize = 100;

/// Where the server stands in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    New,
    Running,
    ShutDown,
}

/// What was found in a pack.
struct Checkup {
    files: ByFile,
    found: Option<Found>,
}

pub(super) struct Server<W> {
    out: W,
    lint: bool,
    /// The host of rules that lie in no pack.
    capability: Option<PathBuf>,
    state: State,
    encoding: Encoding,
    watches: bool,
    workspace: Workspace,
    checkups: Vec<Checkup>,
    /// Whether something has changed that was not checked.
    stale: bool,
    /// Since when something has changed that the client was not told about.
    dirty: Option<Instant>,
    /// What the client was told last, by address: of which version, and what.
    published: BTreeMap<String, (Option<i32>, Vec<Diagnostic>)>,
}

/// Why a request is not answered.
struct Refused(ErrorCode, String);

impl<W: Write> Server<W> {
    pub(super) fn new(out: W, lint: bool, capability: Option<PathBuf>) -> Self {
        Self {
            out,
            lint,
            capability: capability.map(|path| std::path::absolute(&path).unwrap_or(path)),
            state: State::New,
            encoding: Encoding::default(),
            watches: false,
            workspace: Workspace::default(),
            checkups: Vec::new(),
            stale: false,
            dirty: None,
            published: BTreeMap::new(),
        }
    }

    /// Serves until the client ends it; the answer is whether it did so without a shutdown before.
    ///
    /// # Errors
    /// When the client cannot be written to.
    pub(super) fn serve(&mut self, incoming: &Receiver<Incoming>) -> io::Result<bool> {
        loop {
            let next = match self.dirty {
                None => incoming.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(since) => {
                    let left = PATIENCE.saturating_sub(since.elapsed());
                    incoming.recv_timeout(PAUSE.min(left))
                }
            };
            match next {
                Ok(Incoming::Message(Message::Request(request))) => self.request(request)?,
                Ok(Incoming::Message(Message::Notification(own))) if own.method == "exit" => {
                    return Ok(self.state != State::ShutDown);
                }
                Ok(Incoming::Message(Message::Notification(own))) => self.notification(own)?,
                // The client's answer to what was asked of it: nothing hangs on it.
                Ok(Incoming::Message(Message::Response(_))) => {}
                Ok(Incoming::Garbage(why)) => self.log(&format!("passed over {why}"))?,
                Err(RecvTimeoutError::Timeout) => self.check()?,
                Err(RecvTimeoutError::Disconnected) => return Ok(self.state != State::ShutDown),
            }
        }
    }

    fn send(&mut self, message: impl Into<Message>) -> io::Result<()> {
        message.into().write(&mut self.out)
    }

    fn notify(&mut self, method: &str, params: impl serde::Serialize) -> io::Result<()> {
        self.send(Notification::new(method.to_owned(), params))
    }

    fn log(&mut self, message: &str) -> io::Result<()> {
        self.notify("window/logMessage", json!({"type": 2, "message": message}))
    }

    fn request(&mut self, request: Request) -> io::Result<()> {
        let Request { id, method, params } = request;
        let answer = match (self.state, method.as_str()) {
            (State::New, "initialize") => Ok(self.initialize(&params)),
            (State::New, _) => {
                let message = "the server waits for `initialize`".to_owned();
                Err(Refused(ErrorCode::ServerNotInitialized, message))
            }
            (State::ShutDown, _) => {
                Err(Refused(ErrorCode::InvalidRequest, "the server is shut down".to_owned()))
            }
            (State::Running, "initialize") => {
                let message = "the server is initialized already".to_owned();
                Err(Refused(ErrorCode::InvalidRequest, message))
            }
            (State::Running, "shutdown") => {
                self.state = State::ShutDown;
                Ok(Value::Null)
            }
            (State::Running, "textDocument/hover") => {
                parsed(params).and_then(|params: HoverParams| {
                    self.answer(&params.text_document_position_params, hover::hover)
                })
            }
            (State::Running, "textDocument/completion") => {
                parsed(params).and_then(|params: CompletionParams| {
                    self.answer(&params.text_document_position, complete::complete)
                })
            }
            (State::Running, "textDocument/definition") => {
                parsed(params).and_then(|params: GotoDefinitionParams| {
                    self.answer(&params.text_document_position_params, define::define)
                })
            }
            (State::Running, "textDocument/codeAction") => {
                parsed(params).and_then(|params: CodeActionParams| self.actions(&params))
            }
            (State::Running, _) => {
                let message = format!("`{method}` is not offered");
                Err(Refused(ErrorCode::MethodNotFound, message))
            }
        };
        self.respond(id, answer)
    }

    fn respond(&mut self, id: RequestId, answer: Result<Value, Refused>) -> io::Result<()> {
        self.send(match answer {
            Ok(value) => Response::new_ok(id, value),
            Err(Refused(code, message)) => Response::new_err(id, code as i32, message),
        })
    }

    /// Takes what matters from the client's introduction, and leaves aside what is not understood.
    fn initialize(&mut self, params: &Value) -> Value {
        self.state = State::Running;
        let at = |pointer: &str| params.pointer(pointer).cloned().unwrap_or_default();
        let encodings = at("/capabilities/general/positionEncodings");
        let offered = encodings.as_array().into_iter().flatten().filter_map(Value::as_str);
        let known = |name: &str| match name {
            "utf-8" => Some(Encoding::Utf8),
            "utf-16" => Some(Encoding::Utf16),
            _ => None,
        };
        self.encoding = offered.filter_map(known).next().unwrap_or_default();
        let folders = at("/workspaceFolders");
        let folders = folders.as_array().into_iter().flatten();
        let mut folders: Vec<String> =
            folders.filter_map(|folder| folder.get("uri")?.as_str().map(str::to_owned)).collect();
        if folders.is_empty() {
            folders.extend(at("/rootUri").as_str().map(str::to_owned));
        }
        self.workspace.folders = folders.iter().filter_map(|folder| path_of(folder)).collect();
        self.lint |= at("/initializationOptions/lint").as_bool().unwrap_or_default();
        if let Some(path) = at("/initializationOptions/capability").as_str() {
            let path = PathBuf::from(path);
            let folder = self.workspace.folders.first();
            self.capability = Some(folder.map_or(path.clone(), |folder| folder.join(path)));
        }
        let watching = "/capabilities/workspace/didChangeWatchedFiles/dynamicRegistration";
        self.watches = at(watching).as_bool().unwrap_or_default();
        json!({
            "serverInfo": {"name": "oar", "version": env!("CARGO_PKG_VERSION")},
            "capabilities": {
                "positionEncoding": match self.encoding {
                    Encoding::Utf8 => "utf-8",
                    Encoding::Utf16 => "utf-16",
                },
                "textDocumentSync": {"openClose": true, "change": 2, "save": true},
                "hoverProvider": true,
                "definitionProvider": true,
                "completionProvider": {
                    "triggerCharacters": [" ", ":", "\"", "'", "[", "{", "(", "/", ".", "-"],
                },
                "codeActionProvider": {"codeActionKinds": ["quickfix"]},
                "workspace": {
                    "workspaceFolders": {"supported": true, "changeNotifications": true},
                },
            },
        })
    }

    fn notification(&mut self, notification: Notification) -> io::Result<()> {
        if self.state != State::Running {
            return Ok(());
        }
        let Notification { method, params } = notification;
        let done = match method.as_str() {
            "initialized" => return self.watch(),
            "textDocument/didOpen" => parsed(params).map(|own| self.opened(own)),
            "textDocument/didChange" => parsed(params).map(|own| self.changed(own)),
            "textDocument/didClose" => parsed(params).map(|own| self.closed(&own)),
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => Ok(()),
            "workspace/didChangeWorkspaceFolders" => parsed(params).map(|own| self.moved(&own)),
            "workspace/didChangeConfiguration" => {
                if let Some(lint) = params.pointer("/settings/oar/lint").and_then(Value::as_bool) {
                    self.lint = lint;
                }
                Ok(())
            }
            _ => return Ok(()),
        };
        if let Err(Refused(_, message)) = done {
            return self.log(&format!("passed over `{method}`: {message}"));
        }
        if method != "textDocument/didChange" {
            self.workspace.look_again();
        }
        self.stale = true;
        self.dirty.get_or_insert_with(Instant::now);
        Ok(())
    }

    /// Asks to be told of changes on the disk.
    fn watch(&mut self) -> io::Result<()> {
        if !self.watches {
            return Ok(());
        }
        let params = json!({"registrations": [{
            "id": "documents",
            "method": "workspace/didChangeWatchedFiles",
            "registerOptions": {"watchers": [{"globPattern": "**/*.{yaml,yml,json}"}]},
        }]});
        let method = "client/registerCapability".to_owned();
        self.send(Request::new("watch".to_owned().into(), method, params))
    }

    fn opened(&mut self, params: DidOpenTextDocumentParams) {
        let own = params.text_document;
        let address = own.uri.as_str().to_owned();
        let buffer = Buffer {
            name: name_of(&address),
            text: Text::new(own.text),
            version: own.version,
            language: own.language_id,
            read: None,
            kind: None,
        };
        self.workspace.buffers.insert(address, buffer);
    }

    fn changed(&mut self, params: DidChangeTextDocumentParams) {
        let encoding = self.encoding;
        let address = params.text_document.uri.as_str();
        let Some(buffer) = self.workspace.buffers.get_mut(address) else { return };
        buffer.read = None;
        buffer.version = params.text_document.version;
        for change in params.content_changes {
            buffer.text.change(change, encoding);
        }
    }

    fn closed(&mut self, params: &DidCloseTextDocumentParams) {
        self.workspace.buffers.remove(params.text_document.uri.as_str());
    }

    fn moved(&mut self, params: &DidChangeWorkspaceFoldersParams) {
        for folder in &params.event.removed {
            let path = path_of(folder.uri.as_str());
            self.workspace.folders.retain(|own| Some(own) != path.as_ref());
        }
        for folder in &params.event.added {
            self.workspace.folders.extend(path_of(folder.uri.as_str()));
        }
    }

    /// Checks the packs of the open documents, once each.
    fn look(&mut self) {
        if !std::mem::take(&mut self.stale) {
            return;
        }
        self.checkups.clear();
        self.workspace.read_open();
        let open = self.workspace.buffers.iter();
        let open: Vec<(String, String)> =
            open.map(|(address, buffer)| (address.clone(), buffer.name.clone())).collect();
        for (address, name) in open {
            if self.checkups.iter().any(|own| own.files.contains_key(&name)) {
                continue;
            }
            let Some(mut pack) = self.workspace.pack(&address) else { continue };
            let own = self.capability.as_ref().filter(|_| pack.capabilities.is_empty());
            let host = own.and_then(|path| self.workspace.read(path).ok());
            if let Some(host) = host.filter(|_| !pack.rules.is_empty()) {
                pack.capabilities.push(Input { kind: Kind::Capability, ..host });
            }
            let (files, found) = of_pack(pack, self.lint);
            self.checkups.push(Checkup { files, found });
        }
    }

    /// Checks what changed, and tells the client what is new.
    fn check(&mut self) -> io::Result<()> {
        self.look();
        self.dirty = None;
        let mut now: BTreeMap<String, (Option<i32>, Vec<Diagnostic>)> = BTreeMap::new();
        for (address, buffer) in &self.workspace.buffers {
            now.insert(address.clone(), (Some(buffer.version), Vec::new()));
        }
        for checkup in &self.checkups {
            for (name, diagnostics) in &checkup.files {
                let Some(uri) = self.workspace.address(name) else { continue };
                // Of what belongs to no pack, only what is open is told.
                let loose = checkup.found.as_ref().is_some_and(|own| own.pack.directory.is_none());
                if loose && !now.contains_key(uri.as_str()) {
                    continue;
                }
                let own = told(diagnostics, &self.workspace, self.encoding);
                now.entry(uri.as_str().to_owned()).or_default().1 = own;
            }
        }
        // What was told of a file that is not looked at any more is taken back.
        let before = std::mem::take(&mut self.published);
        for address in before.keys() {
            now.entry(address.clone()).or_default();
        }
        for (address, (version, diagnostics)) in now {
            let told = before.get(&address).filter(|own| **own == (version, diagnostics.clone()));
            match told {
                Some(same) => drop(self.published.insert(address, same.clone())),
                None => self.publish(address, version, diagnostics)?,
            }
        }
        Ok(())
    }

    fn publish(
        &mut self,
        address: String,
        version: Option<i32>,
        diagnostics: Vec<Diagnostic>,
    ) -> io::Result<()> {
        let Ok(uri) = address.parse() else { return Ok(()) };
        let params = PublishDiagnosticsParams { uri, diagnostics: diagnostics.clone(), version };
        self.notify("textDocument/publishDiagnostics", params)?;
        if version.is_some() || !diagnostics.is_empty() {
            self.published.insert(address, (version, diagnostics));
        }
        Ok(())
    }

    /// The answer about a place in an open document; `null` where there is nothing to say.
    fn answer<T: serde::Serialize>(
        &mut self,
        place: &TextDocumentPositionParams,
        tell: impl Fn(&View<'_>, usize) -> Option<T>,
    ) -> Result<Value, Refused> {
        self.look();
        let address = place.text_document.uri.as_str();
        let Some(buffer) = self.workspace.buffers.get(address) else { return Ok(Value::Null) };
        let offset = buffer.text.offset(place.position, self.encoding);
        let told = self.view(buffer).and_then(|view| tell(&view, offset));
        serde_json::to_value(told)
            .map_err(|error| Refused(ErrorCode::InternalError, error.to_string()))
    }

    fn view<'v>(&'v self, buffer: &'v Buffer) -> Option<View<'v>> {
        let name = buffer.name.clone();
        let checkup = self.checkups.iter().find(|own| own.files.contains_key(&name));
        let kind = buffer.kind.unwrap_or(Kind::Rules);
        // A file of something else is none of our business; one that says nothing may become ours.
        let says = buffer.text.as_str().contains([':', '{', '[']);
        let ours = kind != Kind::Other || !says;
        (ours && !crate::input::is_test(&name)).then(|| View {
            workspace: &self.workspace,
            text: &buffer.text,
            encoding: self.encoding,
            kind: if kind == Kind::Other { Kind::Rules } else { kind },
            found: checkup.and_then(|own| own.found.as_ref()),
            format: super::cursor::format(&name, &buffer.language, buffer.text.as_str()),
            name,
        })
    }

    fn actions(&mut self, params: &CodeActionParams) -> Result<Value, Refused> {
        self.look();
        let uri = &params.text_document.uri;
        let address = uri.as_str();
        let Some(buffer) = self.workspace.buffers.get(address) else { return Ok(json!([])) };
        let Some(view) = self.view(buffer) else { return Ok(json!([])) };
        let of_file = self.checkups.iter().find_map(|own| own.files.get(&view.name));
        let mut actions = Vec::new();
        for diagnostic in of_file.into_iter().flatten() {
            actions.extend(fix::fixes(&view, uri, diagnostic, params.range));
            if actions.len() > MOST_ACTIONS {
                break;
            }
        }
        serde_json::to_value(actions)
            .map_err(|error| Refused(ErrorCode::InternalError, error.to_string()))
    }
}

/// The parameters of a message.
fn parsed<T: DeserializeOwned>(params: Value) -> Result<T, Refused> {
    serde_json::from_value(params)
        .map_err(|error| Refused(ErrorCode::InvalidParams, error.to_string()))
}
