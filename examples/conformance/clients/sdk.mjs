// The client of @modelcontextprotocol/sdk, which speaks the handshake era; in the mode sse, over HTTP+SSE.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { Told, exercise, readPlan, run } from './plan.mjs';

run(async () => {
  const { plan, mode, url, command, args } = readPlan();
  const client = new Client({ name: 'sdk', version: '1.0.0' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: plan.asking.answer }));
  const told = new Told();
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => told.hear('change'));
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, () => told.hear('update'));
  const overHTTP = mode === 'sse' ? SSEClientTransport : StreamableHTTPClientTransport;
  await client.connect(url ? new overHTTP(url) : new StdioClientTransport({ command, args, stderr: 'inherit' }));
  await client.ping();
  await exercise(client, plan, told, (uri) => client.subscribeResource({ uri }));
  await client.close();
});
