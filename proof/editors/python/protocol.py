"""The client of pytest-lsp, which checks that the server keeps to what the client said it can.

usage: protocol.py FOLDER STEPS -- SERVER...      prints the observations of the steps as one JSON list
"""

import asyncio
import json
import os
import pathlib
import sys
import warnings

import pytest_lsp
from lsprotocol import types as lsp
from pytest_lsp.client import make_test_lsp_client

DEADLINE = 20.0


class Editor:
    """Buffers above files; edits are applied from the end to the start."""

    def __init__(self, folder, language):
        self.folder, self.language = pathlib.Path(folder).resolve(), language
        self.client = make_test_lsp_client()
        self.buffers, self.versions = {}, {}

    async def start(self, server):
        await self.client.start_io(*server)
        uri = self.folder.as_uri()
        params = lsp.InitializeParams(
            capabilities=pytest_lsp.client_capabilities("visual-studio-code"),
            root_uri=uri,
            workspace_folders=[lsp.WorkspaceFolder(uri=uri, name="shop")],
        )
        await asyncio.wait_for(self.client.initialize_session(params), DEADLINE)

    async def end(self):
        await asyncio.wait_for(self.client.shutdown_session(), DEADLINE)
        await self.client.stop()

    def uri(self, file):
        return (self.folder / file).as_uri()

    def file(self, uri):
        return os.path.relpath(lsp_path(uri), self.folder)

    def read(self, file):
        return (self.folder / file).read_bytes().decode()

    def show(self, file):
        if file not in self.buffers:
            self.buffers[file], self.versions[file] = self.read(file), 1
            document = lsp.TextDocumentItem(
                uri=self.uri(file), language_id=self.language, version=1, text=self.buffers[file]
            )
            self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(text_document=document))

    def change(self, file, edits):
        """Applies edits to a buffer and tells them one after the other."""
        self.show(file)
        edits = sorted(edits, key=lambda edit: (edit.range.start.line, edit.range.start.character), reverse=True)
        for edit in edits:
            text = self.buffers[file]
            start, end = offset(text, edit.range.start), offset(text, edit.range.end)
            self.buffers[file] = text[:start] + edit.new_text + text[end:]
        self.versions[file] += 1
        changes = [lsp.TextDocumentContentChangePartial(range=edit.range, text=edit.new_text) for edit in edits]
        document = lsp.VersionedTextDocumentIdentifier(uri=self.uri(file), version=self.versions[file])
        self.client.text_document_did_change(
            lsp.DidChangeTextDocumentParams(text_document=document, content_changes=changes)
        )

    def at(self, step):
        self.show(step["file"])
        return {
            "text_document": lsp.TextDocumentIdentifier(uri=self.uri(step["file"])),
            "position": lsp.Position(line=step["line"], character=step["character"]),
        }

    def places(self, locations):
        start = lambda found: found.range.start
        return [f"{self.file(found.uri)}:{start(found).line}:{start(found).character}" for found in locations or []]

    async def hover(self, step):
        found = await self.client.text_document_hover_async(lsp.HoverParams(**self.at(step)))
        return found.contents.value

    async def definition(self, step):
        return self.places(await self.client.text_document_definition_async(lsp.DefinitionParams(**self.at(step))))

    async def references(self, step):
        context = lsp.ReferenceContext(include_declaration=True)
        params = lsp.ReferenceParams(context=context, **self.at(step))
        return self.places(await self.client.text_document_references_async(params))

    async def signature(self, step):
        found = await self.client.text_document_signature_help_async(lsp.SignatureHelpParams(**self.at(step)))
        active = found.signatures[found.active_signature or 0]
        parameter = active.parameters[found.active_parameter]
        return f"{active.label}\n{parameter.label}"

    async def type(self, step):
        place = self.at(step)["position"]
        self.change(step["file"], [lsp.TextEdit(range=lsp.Range(start=place, end=place), new_text=step["text"])])

    async def complete(self, step):
        await self.type(step)
        lines = step["text"].split("\n")
        place = {"file": step["file"], "line": step["line"] + len(lines) - 1, "character": len(lines[-1])}
        found = await self.client.text_document_completion_async(lsp.CompletionParams(**self.at(place)))
        items = sorted(found.items, key=lambda item: item.sort_text or item.label)
        first = await self.client.completion_item_resolve_async(items[0])
        assert first.label == items[0].label
        return [item.label for item in items]

    async def problems(self, step):
        self.show(step["file"])
        says, besides = step.get("says"), step.get("besides")
        end = asyncio.get_event_loop().time() + DEADLINE
        while asyncio.get_event_loop().time() < end:
            found = self.client.diagnostics.get(self.uri(step["file"]))
            is_right = found is not None and (
                any(says in one.message for one in found) if says else not any(one.severity == 1 and one.message != besides for one in found)
            )
            if is_right:
                return [[one.range.start.line, one.severity.value, one.message] for one in found]
            await asyncio.sleep(0.02)
        raise TimeoutError(f"no such problems: {found}")

    async def action(self, step):
        place = self.at(step)["position"]
        context = lsp.CodeActionContext(diagnostics=[], only=[step["kind"]])
        params = lsp.CodeActionParams(
            text_document=lsp.TextDocumentIdentifier(uri=self.uri(step["file"])),
            range=lsp.Range(start=place, end=place),
            context=context,
        )
        [action] = await self.client.text_document_code_action_async(params)
        if action.edit is None:
            action = await self.client.code_action_resolve_async(action)
        self.apply(action.edit)
        return self.buffers[step["file"]]

    def apply(self, edit):
        for change in edit.document_changes or []:
            assert change.text_document.version in (None, self.versions.get(self.file(change.text_document.uri)))
            self.change(self.file(change.text_document.uri), change.edits)
        for uri, edits in (edit.changes or {}).items():
            self.change(self.file(uri), edits)

    async def revert(self, step):
        text, saved = self.buffers[step["file"]], self.read(step["file"])
        whole = lsp.Range(start=lsp.Position(0, 0), end=lsp.Position(text.count("\n") + 1, 0))
        self.change(step["file"], [lsp.TextEdit(range=whole, new_text=saved)])

    async def rename(self, step):
        place = self.at(step)
        prepared = await self.client.text_document_prepare_rename_async(lsp.PrepareRenameParams(**place))
        assert prepared is not None
        edit = await self.client.text_document_rename_async(lsp.RenameParams(new_name=step["name"], **place))
        self.apply(edit)
        for file, text in self.buffers.items():
            (self.folder / file).write_bytes(text.encode())
            document = lsp.TextDocumentIdentifier(uri=self.uri(file))
            self.client.text_document_did_save(lsp.DidSaveTextDocumentParams(text_document=document))


def lsp_path(uri):
    from pygls.uris import to_fs_path

    return to_fs_path(uri)


def offset(text, position):
    """The index of a position that counts UTF-16 units."""
    lines = text.split("\n")
    if position.line >= len(lines):
        return len(text)
    start = sum(len(line) + 1 for line in lines[: position.line])
    before = lines[position.line].encode("utf-16-le")[: 2 * position.character].decode("utf-16-le")
    return start + len(before)


async def main():
    # A request or an answer that the announced abilities do not allow is an error.
    warnings.simplefilter("error", pytest_lsp.LspSpecificationWarning)
    folder, steps = sys.argv[1], json.loads(pathlib.Path(sys.argv[2]).read_text())
    editor = Editor(folder, steps["language"])
    await editor.start(sys.argv[sys.argv.index("--") + 1 :])
    seen = []
    for step in steps["steps"]:
        seen.append(await asyncio.wait_for(getattr(editor, step["do"])(step), 2 * DEADLINE))
    await editor.end()
    assert editor.client.error is None, editor.client.error
    print(json.dumps({"seen": seen, "messages": "\n".join(m.message for m in editor.client.messages)}))


asyncio.run(main())
