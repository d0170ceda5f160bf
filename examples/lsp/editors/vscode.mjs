// The client of Visual Studio Code's language servers, over standard input and output: vscode.mjs COMMAND [ARG...], such as rpcgen lsp.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import rpc from 'vscode-languageserver-protocol/node';

const uri = 'file:///schemas/main.rpc.yaml';
const text = 'rpcgen: v1\ntypes:\n  Thing:   {fields: {"\u{1D11E}": string}}\n  Other: Thing\n  Bad: strin\n';
const at = (line, character, more) => ({ textDocument: { uri }, position: { line, character }, ...more });
const code = (request) => request.then(() => 0, (error) => error.code);

// visit has a session with every feature, and returns when the server has ended.
const visit = async (command, args) => {
  const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(server, 'exit');
  const connection = rpc.createProtocolConnection(new rpc.StreamMessageReader(server.stdout), new rpc.StreamMessageWriter(server.stdin));
  const published = [];
  let arrived = () => {};
  connection.onNotification(rpc.PublishDiagnosticsNotification.type, (params) => { published.push(params); arrived(); });
  const faults = async (version) => {
    for (;;) {
      const found = published.find((p) => p.uri === uri && p.version === version);
      if (found) return found.diagnostics;
      await new Promise((resolve) => { arrived = resolve; });
    }
  };
  connection.listen();

  assert.equal(await code(connection.sendRequest(rpc.HoverRequest.type, at(0, 0))), -32002);
  const { capabilities } = await connection.sendRequest(rpc.InitializeRequest.type, { processId: null, rootUri: null, capabilities: {} });
  assert.equal(capabilities.positionEncoding, 'utf-16');
  await connection.sendNotification(rpc.InitializedNotification.type, {});

  await connection.sendNotification(rpc.DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId: 'yaml', version: 1, text } });
  const [fault] = await faults(1);
  assert.deepEqual([fault.code, fault.range], ['UnknownType', { start: { line: 4, character: 7 }, end: { line: 4, character: 12 } }]);
  await connection.sendNotification(rpc.DidChangeTextDocumentNotification.type,
    { textDocument: { uri, version: 2 }, contentChanges: [{ text: text.replace('strin\n', 'string\n') }] });
  assert.deepEqual(await faults(2), []);

  assert.match((await connection.sendRequest(rpc.HoverRequest.type, at(3, 10))).contents.value, /type Thing/);
  assert.equal((await connection.sendRequest(rpc.DefinitionRequest.type, at(3, 10))).range.start.line, 2);
  const labels = (await connection.sendRequest(rpc.CompletionRequest.type, at(3, 9))).items.map((item) => item.label);
  assert.ok(labels.includes('Thing') && !labels.includes('package'));
  assert.equal((await connection.sendRequest(rpc.PrepareRenameRequest.type, at(3, 10))).start.character, 9);
  assert.equal((await connection.sendRequest(rpc.RenameRequest.type, at(3, 10, { newName: 'Gadget' }))).changes[uri].length, 2);
  const edits = await connection.sendRequest(rpc.DocumentFormattingRequest.type,
    { textDocument: { uri }, options: { tabSize: 2, insertSpaces: true }, workDoneToken: 'formatting' });
  assert.equal(edits.length, 1);

  // A request that is cancelled is answered, either way.
  const source = new rpc.CancellationTokenSource();
  const cancelled = code(connection.sendRequest(rpc.DocumentFormattingRequest.type, { textDocument: { uri }, options: {} }, source.token));
  source.cancel();
  assert.ok([0, -32800].includes(await cancelled));

  await connection.sendRequest(rpc.ShutdownRequest.type);
  assert.equal(await code(connection.sendRequest(rpc.HoverRequest.type, at(0, 0))), -32600);
  await connection.sendNotification(rpc.ExitNotification.type);
  assert.deepEqual(await ended, [0, null]);
};

await visit(process.argv[2], process.argv.slice(3));
console.log('ok');
process.exit(0);
