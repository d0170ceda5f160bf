// A visit with the client of @modelcontextprotocol/client, over any transport and in both eras: legacy, auto, or pin, which is the stateless
// era and nothing else. It runs in browsers too.
import { Client } from '@modelcontextprotocol/client';
import { Told, exercise } from './plan.mjs';

const eras = { legacy: 'legacy', auto: 'modern', pin: 'modern' };

// visit goes through the plan.
export async function visit(plan, transport, mode) {
  const told = new Told();
  const client = new Client({ name: 'client', version: '1.0.0' }, {
    capabilities: { elicitation: { form: {} } },
    versionNegotiation: { mode: mode === 'pin' ? { pin: '2026-07-28' } : mode },
    listChanged: { tools: { onChanged: () => told.hear('change') } },
  });
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: plan.asking.answer }));
  client.setNotificationHandler('notifications/resources/updated', () => told.hear('update'));
  await client.connect(transport);
  if (client.getProtocolEra() !== eras[mode]) throw new Error(`${mode}: the era is ${client.getProtocolEra()}`);
  const subscribe = (uri) => (eras[mode] === 'legacy' ? client.subscribeResource({ uri }) : client.listen({ resourceSubscriptions: [uri] }));
  await exercise(client, plan, told, subscribe, (params, onprogress) => client.callTool(params, { onprogress }));
  await client.close();
}
