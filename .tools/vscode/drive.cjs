// Drives the packed extension without Visual Studio Code: drive.cjs VSIX FOLDER unpacks it and starts it in a folder with a schema, with as much of the interface of
// extensions as the client of language servers uses. It checks diagnostics, completion and rename, and exits with 1 at the first answer that is not as expected.
const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const { mkdtempSync, readFileSync, rmSync } = require('node:fs');
const Module = require('node:module');
const { tmpdir } = require('node:os');
const path = require('node:path');
const { pathToFileURL, fileURLToPath } = require('node:url');

const [vsix, folder] = process.argv.slice(2).map((p) => path.resolve(p));

class Position {
  constructor(line, character) { Object.assign(this, { line, character }); }
}
class Range {
  constructor(a, b, c, d) { Object.assign(this, c === undefined ? { start: a, end: b } : { start: new Position(a, b), end: new Position(c, d) }); }
}
class Uri {
  constructor(text) { this.text = text; this.scheme = text.split(':')[0]; this.fsPath = this.scheme === 'file' ? fileURLToPath(text) : text; }
  static parse(text) { return new Uri(text); }
  static file(at) { return new Uri(pathToFileURL(at).href); }
  toString() { return this.text; }
}
class EventEmitter {
  handlers = new Set();
  event = (handler, self) => {
    const bound = self ? handler.bind(self) : handler;
    this.handlers.add(bound);
    return { dispose: () => this.handlers.delete(bound) };
  };
  fire(value) { for (const handler of [...this.handlers]) handler(value); }
  dispose() { this.handlers.clear(); }
}
class CancellationTokenSource {
  emitter = new EventEmitter();
  token = { isCancellationRequested: false, onCancellationRequested: this.emitter.event };
  cancel() { this.token.isCancellationRequested = true; this.emitter.fire(); }
  dispose() {}
}
class WorkspaceEdit {
  changes = [];
  replace(uri, range, newText) { this.changes.push({ uri, range, newText }); }
  set(uri, edits) { for (const e of edits) this.changes.push({ uri, range: e.range, newText: e.newText }); }
}
class TextEdit {
  constructor(range, newText) { Object.assign(this, { range, newText }); }
}
class Diagnostic {
  constructor(range, message, severity) { Object.assign(this, { range, message, severity }); }
}
class CompletionItem {
  constructor(label, kind) { Object.assign(this, { label, kind }); }
}
class CompletionList {
  constructor(items, isIncomplete) { Object.assign(this, { items, isIncomplete }); }
}

// anything stands for what the client only passes on: classes and enumerations without members of their own.
const anything = () => new Proxy(class {}, { get: (target, name) => name in target || typeof name === 'symbol' ? target[name] : `${String(name)}` });
const disposable = { dispose() {} };
const never = () => disposable;
const registered = {};
const diagnostics = new Map();
const events = { open: new EventEmitter(), change: new EventEmitter() };
const said = [];
const file = path.join(folder, 'rpc', 'main.rpc.yaml');
const document = {
  uri: Uri.file(file), languageId: 'rpcgen', version: 1, isClosed: false, isDirty: false, fileName: file,
  text: readFileSync(file, 'utf8'),
  getText() { return this.text; },
  getWordRangeAtPosition: () => undefined,
};
const settings = { 'rpcgen.command': JSON.parse(process.env.RPCGEN_COMMAND ?? '[]') };
const configuration = (section) => ({ get: (name, otherwise) => settings[[section, name].filter(Boolean).join('.')] ?? otherwise, inspect: () => undefined, has: () => false });
const channel = { append() {}, appendLine() {}, replace() {}, clear() {}, show() {}, hide() {}, dispose() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {}, logLevel: 2, onDidChangeLogLevel: never, name: 'rpcgen' };
const withEvents = (own) => new Proxy(own, { get: (target, name) => target[name] ?? (/^on(Did|Will)/.test(String(name)) ? never : undefined) });

const vscode = new Proxy({
  version: '1.100.0', Position, Range, Uri, EventEmitter, CancellationTokenSource, WorkspaceEdit, TextEdit, Diagnostic, CompletionItem, CompletionList,
  CancellationError: class extends Error {}, Disposable: class { constructor(dispose) { this.dispose = dispose; } static from() { return disposable; } },
  env: { appName: 'drive', language: 'en', machineId: 'drive', remoteName: undefined },
  extensions: { all: [], getExtension: () => undefined, onDidChange: never },
  window: withEvents({
    activeTextEditor: undefined, visibleTextEditors: [], tabGroups: withEvents({ all: [] }),
    createOutputChannel: () => channel, showErrorMessage: async (text) => { said.push(text); }, showInformationMessage: async () => {}, showWarningMessage: async () => {},
    withProgress: (options, task) => task({ report() {} }, new CancellationTokenSource().token),
  }),
  workspace: withEvents({
    workspaceFolders: [{ uri: Uri.file(folder), name: 'folder', index: 0 }], textDocuments: [document], notebookDocuments: [], isTrusted: true,
    onDidOpenTextDocument: events.open.event, onDidChangeTextDocument: events.change.event,
    getConfiguration: configuration, getWorkspaceFolder: () => undefined, createFileSystemWatcher: () => withEvents({ dispose() {} }),
    registerTextDocumentContentProvider: never, applyEdit: async () => true,
  }),
  commands: { registerCommand: never, executeCommand: async () => {} },
  languages: new Proxy({
    match: (selector, doc) => (Array.isArray(selector) ? selector : [selector]).some((s) => doc.fileName.endsWith('.rpc.yaml') && (s.pattern ?? '').includes('.rpc.yaml')) ? 10 : 0,
    createDiagnosticCollection: () => ({ set: (uri, list) => diagnostics.set(uri.toString(), list ?? []), delete: (uri) => diagnostics.delete(uri.toString()), clear() {}, dispose() {}, has: () => false, get: () => [] }),
  }, { get: (target, name) => target[name] ?? ((selector, provider) => { registered[name] = provider; return disposable; }) }),
}, { get: (target, name) => target[name] ?? (target[name] = anything()) });

const eventually = async (what, get) => {
  for (let i = 0; i < 600; i++) {
    const value = get();
    if (value) { console.log('ok  ', what); return value; }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${what}: nothing after 30 s${said.length ? `: ${said}` : ''}`);
};

const main = async () => {
  const unpacked = mkdtempSync(path.join(tmpdir(), 'vsix-'));
  try {
    execFileSync('unzip', ['-q', vsix, '-d', unpacked]);
    const at = path.join(unpacked, 'extension');
    const { main: entry } = JSON.parse(readFileSync(path.join(at, 'package.json'), 'utf8'));
    const load = Module._load;
    Module._load = (name, ...rest) => name === 'vscode' ? vscode : load(name, ...rest);
    const extension = require(path.join(at, entry));
    await extension.activate({ subscriptions: [], extensionPath: at });
    if (process.env.REFUSED) {
      assert.equal(said.length, 1);
      assert.match(said[0], new RegExp(process.env.REFUSED));
      console.log('ok   refused:', said[0]);
      return;
    }
    assert.deepEqual(said, []);
    events.open.fire(document);
    const [fault] = await eventually('diagnostics', () => (diagnostics.get(document.uri.toString()) ?? []).length > 0 && diagnostics.get(document.uri.toString()));
    assert.match(fault.message, /unknown type "strin"/);
    assert.deepEqual([fault.range.start.line, fault.range.start.character], [4, 7]);

    const change = { range: new Range(4, 7, 4, 12), rangeOffset: document.text.indexOf('strin\n'), rangeLength: 5, text: 'string' };
    document.text = document.text.replace('strin\n', 'string\n');
    document.version++;
    events.change.fire({ document, contentChanges: [change], reason: undefined });
    await eventually('diagnostics of a change', () => (diagnostics.get(document.uri.toString()) ?? []).length === 0);

    const token = new CancellationTokenSource().token;
    const completions = await registered.registerCompletionItemProvider.provideCompletionItems(document, new Position(3, 9), token, { triggerKind: 0 });
    const labels = completions.items.map((item) => item.label);
    assert.ok(labels.includes('Thing') && labels.includes('string'), labels.join(' '));
    console.log('ok   completion');

    const edit = await registered.registerRenameProvider.provideRenameEdits(document, new Position(3, 10), 'Gadget', token);
    assert.equal(edit.changes.length, 2);
    assert.ok(edit.changes.every((c) => c.newText === 'Gadget' && c.uri.toString() === document.uri.toString()));
    console.log('ok   rename');
    await extension.deactivate();
    console.log('ok   deactivate');
  } finally {
    rmSync(unpacked, { recursive: true });
  }
};

main().then(() => process.exit(0), (error) => { console.error('FAIL', error); process.exit(1); });
