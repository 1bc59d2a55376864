// Prints what the PHP language server intelephense finds wrong in the files below a directory.
// Usage: node intelephense.mjs <node_modules> <directory>

import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [modules, directory] = process.argv.slice(2);
const root = resolve(directory);
const storage = mkdtempSync(join(tmpdir(), 'php-'));
const server = spawn(process.execPath, [join(modules, 'intelephense/lib/intelephense.js'), '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
const waiting = new Map();
const answers = new Map();
let number = 0;
let input = Buffer.alloc(0);
let indexed;
const isIndexed = new Promise((done) => (indexed = done));

function send(message) {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}

function request(method, params) {
    number += 1;
    send({ id: number, method, params });
    return new Promise((done) => answers.set(number, done));
}

function receive(message) {
    if (message.method === 'textDocument/publishDiagnostics') {
        waiting.get(message.params.uri)?.(message.params.diagnostics);
    } else if (message.method === 'indexingEnded') {
        indexed();
    } else if (message.method === 'workspace/configuration') {
        const settings = { diagnostics: { enable: true }, files: { maxSize: 10000000 } };
        send({ id: message.id, result: message.params.items.map(() => settings) });
    } else if (message.method && message.id !== undefined) {
        send({ id: message.id, result: null });
    } else if (answers.has(message.id)) {
        answers.get(message.id)(message.result);
    }
}

server.stdout.on('data', (chunk) => {
    input = Buffer.concat([input, chunk]);
    for (;;) {
        const end = input.indexOf('\r\n\r\n');
        const length = end < 0 ? NaN : Number(/Content-Length: (\d+)/i.exec(input.subarray(0, end).toString())[1]);
        if (!(input.length >= end + 4 + length)) {
            return;
        }
        const message = JSON.parse(input.subarray(end + 4, end + 4 + length).toString());
        input = input.subarray(end + 4 + length);
        receive(message);
    }
});

await request('initialize', {
    processId: process.pid,
    rootUri: pathToFileURL(root).href,
    workspaceFolders: [{ uri: pathToFileURL(root).href, name: 'root' }],
    capabilities: { workspace: { configuration: true, workspaceFolders: true }, textDocument: { publishDiagnostics: {} } },
    initializationOptions: { storagePath: storage, clearCache: true },
});
send({ method: 'initialized', params: {} });
await isIndexed;
const files = readdirSync(root, { recursive: true }).filter((file) => file.endsWith('.php')).sort();
const opened = files.map((file) => {
    const uri = pathToFileURL(join(root, file)).href;
    const text = readFileSync(join(root, file), 'utf8');
    const found = new Promise((done) => waiting.set(uri, done));
    send({ method: 'textDocument/didOpen', params: { textDocument: { uri, languageId: 'php', version: 1, text } } });
    return found.then((problems) => ({ file, problems }));
});
for (const { file, problems } of await Promise.all(opened)) {
    for (const { range, message } of problems.filter((problem) => problem.severity === 1)) {
        console.log(`${file}:${range.start.line + 1}: problem: ${message}`);
    }
}
server.kill();
rmSync(storage, { recursive: true, force: true });
