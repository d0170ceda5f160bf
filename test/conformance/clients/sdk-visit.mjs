// A visit with the client of @modelcontextprotocol/sdk, over any transport; it runs in browsers too.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { Told, exercise } from './plan.mjs';

// visit goes through the plan.
export async function visit(plan, transport) {
  const client = new Client({ name: 'sdk', version: '1.0.0' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: plan.asking.answer }));
  const told = new Told();
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => told.hear('change'));
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, () => told.hear('update'));
  await client.connect(transport);
  await client.ping();
  const subscribe = (uri) => client.subscribeResource({ uri });
  await exercise(client, plan, told, subscribe, (params, onprogress) => client.callTool(params, undefined, { onprogress }));
  await client.close();
}
