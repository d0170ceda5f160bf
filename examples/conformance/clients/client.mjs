// The client of @modelcontextprotocol/client, which speaks both eras: legacy, auto, or pin, which is the stateless era and nothing else.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Told, exercise, readPlan, run } from './plan.mjs';

const eras = { legacy: 'legacy', auto: 'modern', pin: 'modern' };

run(async () => {
  const { plan, mode, url, command, args } = readPlan();
  const told = new Told();
  const client = new Client({ name: 'client', version: '1.0.0' }, {
    capabilities: { elicitation: { form: {} } },
    versionNegotiation: { mode: mode === 'pin' ? { pin: '2026-07-28' } : mode },
    listChanged: { tools: { onChanged: () => told.hear('change') } },
  });
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: plan.asking.answer }));
  client.setNotificationHandler('notifications/resources/updated', () => told.hear('update'));
  await client.connect(url ? new StreamableHTTPClientTransport(url) : new StdioClientTransport({ command, args, stderr: 'inherit' }));
  if (client.getProtocolEra() !== eras[mode]) throw new Error(`${mode}: the era is ${client.getProtocolEra()}`);
  const subscribe = (uri) => (eras[mode] === 'legacy' ? client.subscribeResource({ uri }) : client.listen({ resourceSubscriptions: [uri] }));
  await exercise(client, plan, told, subscribe);
  await client.close();
});
