// The clients of Visual Studio Code at the service of examples/editor, over standard input and output: vscode.mjs PACKAGE COMMAND, where the
// package is vscode-jsonrpc or vscode-languageserver-protocol.
import { deepStrictEqual, ok } from 'node:assert';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { run } from './program.mjs';

// connect connects to a server as the package does, and returns how a session opens, shuts down and ends.
const connect = async (name, server) => {
  const rpc = (await import(`${name}/node`)).default ?? (await import(`${name}/node`));
  const make = rpc.createProtocolConnection ?? rpc.createMessageConnection;
  const connection = make(new rpc.StreamMessageReader(server.stdout), new rpc.StreamMessageWriter(server.stdin));
  const typed = name !== 'vscode-jsonrpc';
  return {
    rpc, connection,
    open: () => connection.sendRequest(typed ? rpc.InitializeRequest.type : 'initialize', {}),
    opened: () => connection.sendNotification(typed ? rpc.InitializedNotification.type : 'initialized', {}),
    shutDown: () => connection.sendRequest(typed ? rpc.ShutdownRequest.type : 'shutdown'),
    exit: () => connection.sendNotification(typed ? rpc.ExitNotification.type : 'exit'),
  };
};

const code = (request) => request.then(() => 0, (error) => error.code);

// progress expects each step, in order, before the result.
const progress = async ({ rpc, connection }) => {
  const done = [];
  const listener = connection.onProgress(new rpc.ProgressType(), 'token', (value) => done.push(value.done));
  const { steps } = await connection.sendRequest('work/do', { steps: 5, workDoneToken: 'token' });
  deepStrictEqual([steps, done], [5, [1, 2, 3, 4, 5]]);
  listener.dispose();
};

// cancel expects that a call of hours ends within 50 milliseconds. The quickest of a few counts: the machine may be busy.
const cancel = async ({ rpc, connection }) => {
  const took = [];
  for (let i = 0; i < 10; i++) {
    const source = new rpc.CancellationTokenSource();
    const begun = new Promise((resolve) => { connection.onProgress(new rpc.ProgressType(), i, resolve); });
    const answer = code(connection.sendRequest('work/do', { steps: 1000000, workDoneToken: i }, source.token));
    await begun;
    const start = performance.now();
    source.cancel();
    deepStrictEqual(await answer, -32800);
    took.push(performance.now() - start);
  }
  ok(Math.min(...took) < 50, `cancelling takes ${took} ms`);
};

// order expects that a request sees the notifications before it, though other requests are handled meanwhile.
const order = async ({ connection }) => {
  const slow = connection.sendRequest('work/do', { steps: 20 });
  for (let i = 0; i < 200; i++) {
    connection.sendNotification('document/changed', { text: `text ${i}` });
    if (i % 10 === 0) deepStrictEqual(await connection.sendRequest('document/read'), { text: `text ${i}` });
  }
  deepStrictEqual(await connection.sendRequest('document/read'), { text: 'text 199' });
  await slow;
};

run(async () => {
  const [name, command] = process.argv.slice(2);
  const server = spawn(command, [], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(server, 'exit');
  const session = await connect(name, server);
  session.connection.listen();
  deepStrictEqual(await code(session.connection.sendRequest('document/read')), -32002);
  deepStrictEqual(await session.open(), { server: 'editor' });
  deepStrictEqual(await code(session.open()), -32600);
  await session.opened();
  await progress(session);
  await cancel(session);
  await order(session);
  deepStrictEqual(await session.shutDown(), null);
  deepStrictEqual(await code(session.connection.sendRequest('document/read')), -32600);
  await session.exit();
  deepStrictEqual(await ended, [0, null]);
});
