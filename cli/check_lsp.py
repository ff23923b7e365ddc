"""Speaks to `oar lsp` with the client of pygls, which checks every message against the types of the
protocol. Ends with 1 at the first thing that is not as it should be.

usage: check_lsp.py OAR PACK
"""

import asyncio
import sys
from pathlib import Path

from lsprotocol import types
from pygls.lsp.client import LanguageClient


class Client(LanguageClient):
    def __init__(self):
        super().__init__("oar-check", "1")
        self.told = {}
        self.new = asyncio.Event()

        @self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def _(params: types.PublishDiagnosticsParams):
            self.told[params.uri] = params
            self.new.set()

        @self.feature(types.CLIENT_REGISTER_CAPABILITY)
        def _(params: types.RegistrationParams):
            self.registered = [own.method for own in params.registrations]

    async def diagnostics(self, uri, version):
        while uri not in self.told or self.told[uri].version != version:
            self.new.clear()
            await asyncio.wait_for(self.new.wait(), 30)
        return self.told[uri].diagnostics


def offset(text, position):
    line = text.splitlines(keepends=True)[position.line]
    units = line.encode("utf-16-le")[: 2 * position.character]
    return sum(map(len, text.splitlines(keepends=True)[: position.line])) + len(units.decode("utf-16-le"))


def position(text, at):
    line = text.count("\n", 0, at)
    start = text.rfind("\n", 0, at) + 1
    return types.Position(line, len(text[start:at].encode("utf-16-le")) // 2)


async def check(oar, pack):
    client = Client()
    await client.start_io(oar, "lsp")
    capabilities = types.ClientCapabilities(
        workspace=types.WorkspaceClientCapabilities(
            did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(
                dynamic_registration=True
            )
        )
    )
    told = await client.initialize_async(
        types.InitializeParams(
            capabilities=capabilities,
            root_uri=pack.as_uri(),
            workspace_folders=[types.WorkspaceFolder(pack.as_uri(), "pack")],
        )
    )
    assert told.capabilities.position_encoding == types.PositionEncodingKind.Utf16, told
    client.initialized(types.InitializedParams())

    path = pack / "shell.yaml"
    uri = path.as_uri()
    text = path.read_text().replace("title: Forced push", "title: Forced push 😀 {{ tol }}")
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "yaml", 1, text))
    )
    [fault] = await client.diagnostics(uri, 1)
    assert (fault.code, fault.source) == ("OAR-COPY-2", "oar"), fault
    start, end = offset(text, fault.range.start), offset(text, fault.range.end)
    assert text[start:end] == "tol", text[start:end]
    print("pygls: a diagnostic, its place right behind an astral character")

    document = types.TextDocumentIdentifier(uri)
    actions = await client.text_document_code_action_async(
        types.CodeActionParams(document, fault.range, types.CodeActionContext([fault]))
    )
    [edit] = actions[0].edit.changes[uri]
    change = types.TextDocumentContentChangePartial(range=edit.range, text=edit.new_text)
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(2, uri), [change])
    )
    text = text[:start] + edit.new_text + text[end:]
    left = await client.diagnostics(uri, 2)
    assert not left, left
    print(f"pygls: the quick fix `{actions[0].title}` takes it away")

    at = text.index("tool_arg_string") + 3
    hover = await client.text_document_hover_async(types.HoverParams(document, position(text, at)))
    assert "(string) -> string" in hover.contents.value, hover
    print("pygls: hover tells the type of a function")

    typed = '---\noar: "1.0"\nid: MORE\nnamespace: example.coding\nwhen: fire_count_of("CALL_'
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(3, uri),
            [
                types.TextDocumentContentChangePartial(
                    range=types.Range(position(text, len(text)), position(text, len(text))),
                    text=typed,
                )
            ],
        )
    )
    text += typed
    end = position(text, len(text))
    items = await client.text_document_completion_async(types.CompletionParams(document, end))
    assert "CALL_TALLY" in [own.label for own in items], items
    print("pygls: completion of a rule in half-typed text")
    definition = None
    typed = "TALLY"
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(4, uri),
            [types.TextDocumentContentChangePartial(range=types.Range(end, end), text=typed)],
        )
    )
    text += typed
    definition = await client.text_document_definition_async(
        types.DefinitionParams(document, position(text, len(text)))
    )
    assert definition.uri == (pack / "habits.yaml").as_uri(), definition
    print("pygls: the definition of a counter's rule in another file")

    assert client.registered == ["workspace/didChangeWatchedFiles"]
    try:
        await client.text_document_rename_async(types.RenameParams(document, end, "X"))
        raise AssertionError("a request that is not offered was answered")
    except Exception as error:  # pygls has one type for what a server refuses
        assert getattr(error, "code", None) == -32601, error
    await client.shutdown_async(None)
    client.exit(None)
    code = await asyncio.wait_for(client._server.wait(), 30)
    assert code == 0, code
    await client.stop()
    print("pygls: the end, as the protocol has it")


asyncio.run(check(sys.argv[1], Path(sys.argv[2]).resolve()))
