// VS Code's services and its extension API, with an extension whose language client talks to the server.
import { initialize } from "@codingame/monaco-vscode-api";
import { ExtensionHostKind, registerExtension } from "@codingame/monaco-vscode-api/extensions";
import bulkEdits from "@codingame/monaco-vscode-bulk-edit-service-override";
import configuration from "@codingame/monaco-vscode-configuration-service-override";
import files, { FileChangeType, FileSystemProviderCapabilities, FileSystemProviderError, FileSystemProviderErrorCode, FileType, registerFileSystemOverlay } from "@codingame/monaco-vscode-files-service-override";
import languages from "@codingame/monaco-vscode-languages-service-override";
import markers from "@codingame/monaco-vscode-markers-service-override";
import models from "@codingame/monaco-vscode-model-service-override";
import views, { renderEditorPart } from "@codingame/monaco-vscode-views-service-override";
import workingCopies from "@codingame/monaco-vscode-working-copy-service-override";
import * as vscode from "vscode";
import "vscode/localExtensionHost";
import { AbstractMessageReader, AbstractMessageWriter, LanguageClient } from "vscode-languageclient/browser";

const DEADLINE = 20_000;

/** The disk of the process that opened this page; `disk` is its function. */
class Disk {
  capabilities = FileSystemProviderCapabilities.FileReadWrite | FileSystemProviderCapabilities.PathCaseSensitive;
  changes = new vscode.EventEmitter();
  onDidChangeFile = this.changes.event;
  onDidChangeCapabilities = () => ({ dispose() {} });
  watch() { return { dispose() {} }; }
  async ask(what, uri, text) {
    const answer = await disk(what, uri.path, text);
    if (answer === null) throw FileSystemProviderError.create("no such file", FileSystemProviderErrorCode.FileNotFound);
    return answer;
  }
  async stat(uri) {
    const { folder, ...times } = await this.ask("stat", uri);
    return { type: folder ? FileType.Directory : FileType.File, ...times };
  }
  async readdir(uri) {
    return (await this.ask("list", uri)).map(({ name, folder }) => [name, folder ? FileType.Directory : FileType.File]);
  }
  async readFile(uri) { return new TextEncoder().encode(await this.ask("read", uri)); }
  async writeFile(uri, content) {
    await this.ask("write", uri, new TextDecoder().decode(content));
    this.changes.fire([{ type: FileChangeType.UPDATED, resource: uri }]);
  }
  async refuse() { throw FileSystemProviderError.create("not in this play", FileSystemProviderErrorCode.NoPermissions); }
  mkdir = this.refuse;
  delete = this.refuse;
  rename = this.refuse;
}

class Reader extends AbstractMessageReader {
  constructor(socket) { super(); this.socket = socket; }
  listen(callback) {
    this.socket.addEventListener("message", (event) => callback(JSON.parse(event.data)));
    this.socket.addEventListener("close", () => this.fireClose());
    return { dispose() {} };
  }
}

class Writer extends AbstractMessageWriter {
  constructor(socket) { super(); this.socket = socket; }
  async write(message) { this.socket.send(JSON.stringify(message)); }
  end() {}
}

async function transport(address) {
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => { socket.onopen = resolve; socket.onerror = reject; });
  return { reader: new Reader(socket), writer: new Writer(socket) };
}

async function until(what, ask) {
  const end = Date.now() + DEADLINE;
  for (;;) {
    const found = await ask();
    if (found) return found;
    if (Date.now() > end) throw new Error(`${what}: nothing within ${DEADLINE} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The steps of `scenarios.json`, by the commands that VS Code gives its extensions. */
class Editor {
  constructor(folder) { this.folder = folder; }
  uri(step) { return vscode.Uri.joinPath(this.folder, step.file); }
  async open(step) {
    const document = await vscode.workspace.openTextDocument(this.uri(step));
    await vscode.window.showTextDocument(document, { preview: false });
    return document;
  }
  async ask(command, step, ...more) {
    await this.open(step);
    return vscode.commands.executeCommand(command, this.uri(step), new vscode.Position(step.line, step.character), ...more);
  }
  places(found) {
    return found.map((one) => ({ uri: one.targetUri ?? one.uri, start: (one.targetSelectionRange ?? one.range).start }))
      .map(({ uri, start }) => `${uri.path.slice(this.folder.path.length + 1)}:${start.line}:${start.character}`);
  }
  async change(step, range, text) {
    const edit = new vscode.WorkspaceEdit();
    edit.replace(this.uri(step), range, text);
    if (!await vscode.workspace.applyEdit(edit)) throw new Error("the edit is refused");
  }
  async hover(step) {
    const found = await this.ask("vscode.executeHoverProvider", step);
    return found.flatMap((one) => one.contents.map((content) => content.value ?? content)).join("\n");
  }
  async definition(step) { return this.places(await this.ask("vscode.executeDefinitionProvider", step)); }
  async references(step) { return this.places(await this.ask("vscode.executeReferenceProvider", step)); }
  async signature(step) {
    const found = await this.ask("vscode.executeSignatureHelpProvider", step);
    return found.signatures[found.activeSignature].label;
  }
  async type(step) {
    await this.open(step);
    const at = new vscode.Position(step.line, step.character);
    await this.change(step, new vscode.Range(at, at), step.text);
    return null;
  }
  async complete(step) {
    await this.type(step);
    const document = await this.open(step);
    const at = document.positionAt(document.offsetAt(new vscode.Position(step.line, step.character)) + step.text.length);
    const place = { file: step.file, line: at.line, character: at.character };
    const found = await this.ask("vscode.executeCompletionItemProvider", place, undefined, 1);
    return found.items.map((item) => item.label.label ?? item.label);
  }
  async problems(step) {
    const { says, besides } = step;
    const document = await this.open(step);
    // A file without problems and one that nobody has looked at are the same to VS Code.
    await until("an answer for this text", () => this.told.get(String(document.uri)) === document.version);
    const found = await until("problems", () => {
      const all = vscode.languages.getDiagnostics(this.uri(step));
      const isRight = says ? all.some((one) => one.message.includes(says)) : all.every((one) => one.severity !== vscode.DiagnosticSeverity.Error || one.message === besides);
      return isRight && all;
    });
    return found.map((one) => [one.range.start.line, one.severity + 1, one.message]);
  }
  async action(step) {
    const document = await this.open(step);
    const at = new vscode.Position(step.line, step.character);
    const [action] = await vscode.commands.executeCommand("vscode.executeCodeActionProvider", this.uri(step), new vscode.Range(at, at), step.kind, 1);
    if (!await vscode.workspace.applyEdit(action.edit)) throw new Error("the edit is refused");
    return document.getText();
  }
  async revert(step) {
    const document = await this.open(step);
    const whole = new vscode.Range(new vscode.Position(0, 0), document.lineAt(document.lineCount - 1).range.end);
    await this.change(step, whole, new TextDecoder().decode(await vscode.workspace.fs.readFile(this.uri(step))));
    return null;
  }
  async rename(step) {
    const prepared = await this.ask("vscode.prepareRename", step);
    if (!prepared.placeholder) throw new Error("nothing to rename");
    const edit = await this.ask("vscode.executeDocumentRenameProvider", step, step.name);
    // VS Code saves the files of a refactoring itself, without those that were not saved before.
    if (!await vscode.workspace.applyEdit(edit, { isRefactoring: true })) throw new Error("the edit is refused");
    if (!await vscode.workspace.saveAll()) throw new Error("not all is saved");
    return null;
  }
}

async function play({ folder, language, extension, steps, address, worker }) {
  window.MonacoEnvironment = { getWorkerUrl: () => worker, getWorkerOptions: () => ({ type: "module" }) };
  registerFileSystemOverlay(1, new Disk());
  const root = vscode.Uri.file(folder);
  const workspaceProvider = { trusted: true, workspace: { folderUri: root }, open: async () => false };
  await initialize({ ...bulkEdits(), ...configuration(), ...files(), ...languages(), ...markers(), ...models(), ...views(), ...workingCopies() }, document.body, { workspaceProvider });
  const manifest = { name: "ours", publisher: "ours", version: "1.0.0", engines: { vscode: "*" }, contributes: { languages: [{ id: language, extensions: [extension] }] } };
  renderEditorPart(document.body);
  await registerExtension(manifest, ExtensionHostKind.LocalProcess).setAsDefaultApi();
  const told = new Map();
  const client = new LanguageClient("ours", "ours", () => transport(address), {
    documentSelector: [{ language, scheme: "file" }],
    middleware: {
      async provideDiagnostics(document, ...more) {
        const { uri, version } = document;
        const answer = await more.at(-1)(document, ...more.slice(0, -1));
        told.set(String(uri), version);
        return answer;
      },
    },
  });
  await client.start();
  const editor = new Editor(root);
  editor.told = told;
  const seen = [];
  for (const step of steps) {
    try {
      seen.push(await editor[step.do](step));
    } catch (error) {
      throw new Error(`${JSON.stringify(step)}: ${error.stack}`);
    }
  }
  await client.stop();
  return seen;
}

window.play = play;
