// The code of a page that goes through a plan in a browser, with a client of MCP for TypeScript. Its URL says what to do: sdk, plan, mode and
// url. It sends what came of it to where the page is from, and goes where the answer says.
import { StreamableHTTPClientTransport as ClientTransport } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport as SDKTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { visit as visitWithClient } from './client-visit.mjs';
import { visit as visitWithSDK } from './sdk-visit.mjs';

const guests = { sdk: [SDKTransport, visitWithSDK], client: [ClientTransport, visitWithClient] };

// visit returns how many answers of the server the page could read, and what went wrong, in words, or ''.
async function visit(query) {
  const [Transport, visitWith] = guests[query.get('sdk')];
  const plan = await (await fetch(query.get('plan'))).json();
  let answers = 0;
  const counted = async (...request) => {
    const response = await fetch(...request);
    answers++;
    return response;
  };
  const transport = new Transport(new URL(query.get('url')), { fetch: counted });
  try {
    await visitWith(plan, transport, query.get('mode'));
  } catch (error) {
    return { answers, fault: String(error.stack ?? error) };
  }
  const hidden = query.get('mode') === 'legacy' && !transport.sessionId;
  return { answers, fault: hidden ? 'the page may not read the header Mcp-Session-Id' : '' };
}

const result = await visit(new URLSearchParams(location.search));
const answer = await fetch('/result', { method: 'POST', body: JSON.stringify(result) });
const next = await answer.text();
if (next) location = next;
