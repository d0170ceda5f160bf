// The client of json-rpc-2.0, over HTTP or WebSocket: jsonrpc2.mjs URL.
import { JSONRPCClient, createJSONRPCRequest } from 'json-rpc-2.0';
import { run } from './program.mjs';
import { visitWeather } from './weather.mjs';

// overHTTP posts each message.
const overHTTP = (url) => {
  const client = new JSONRPCClient(async (message) => {
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(message) });
    if (response.status === 200) return client.receive(await response.json());
    if (response.status !== 204) throw new Error(`the status is ${response.status}`);
    return undefined;
  });
  return client;
};

// overWebSocket sends each message as a text.
const overWebSocket = async (url) => {
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  const client = new JSONRPCClient(async (message) => socket.send(JSON.stringify(message)));
  socket.addEventListener('message', ({ data }) => client.receive(JSON.parse(data)));
  return client;
};

run(async () => {
  const url = process.argv[2];
  const client = url.startsWith('http') ? overHTTP(url) : await overWebSocket(url);
  let id = 1000;
  await visitWeather({
    call: (method, params) => client.request(method, params),
    error: async (method, params) => {
      const { error } = await client.requestAdvanced(createJSONRPCRequest(++id, method, params));
      return error;
    },
    batch: async (calls) => {
      const answers = await client.requestAdvanced(calls.map(([method, params]) => createJSONRPCRequest(++id, method, params)));
      return answers.map(({ result }) => result);
    },
    notify: async (method, params) => client.notify(method, params),
  });
});
