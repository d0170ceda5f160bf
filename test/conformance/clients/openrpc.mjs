// The client of OpenRPC, @open-rpc/client-js, over HTTP or WebSocket: openrpc.mjs URL.
import { Client, HTTPTransport, JSONRPCError, RequestManager, WebSocketTransport } from '@open-rpc/client-js';
import { run } from './program.mjs';
import { visitWeather } from './weather.mjs';

run(async () => {
  const url = process.argv[2];
  const overHTTP = url.startsWith('http');
  const client = new Client(new RequestManager([overHTTP ? new HTTPTransport(url) : new WebSocketTransport(url)]));
  await visitWeather({
    call: (method, params) => client.request({ method, params }),
    error: async (method, params) => {
      try {
        await client.request({ method, params });
      } catch (error) {
        if (error instanceof JSONRPCError) return error;
        throw error;
      }
      throw new Error(`${method} does not fail`);
    },
    batch: async (calls) => {
      client.startBatch();
      const answers = calls.map(([method, params]) => client.request({ method, params }));
      client.stopBatch();
      return Promise.all(answers);
    },
    notify: (method, params) => client.notify({ method, params }),
  });
  if (!overHTTP) client.close();
});
