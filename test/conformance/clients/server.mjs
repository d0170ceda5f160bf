// A server with @modelcontextprotocol/server, of both eras: server.mjs, on standard input and output, or server.mjs PORT, over HTTP at /mcp.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import {
  McpServer, ResourceTemplate, WebStandardStreamableHTTPServerTransport,
  acceptedContent, createMcpHandler, fromJsonSchema, inputRequired, isLegacyRequest,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const say = (text) => ({ content: [{ type: 'text', text }] });
const strings = (...names) => fromJsonSchema({
  type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])), required: names,
});

// factory returns how servers are made that tell of changes by notify, when there is one.
const factory = (notify) => () => {
  const server = new McpServer({ name: 'typescript', version: '1.0.0' }, {
    capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} },
  });
  server.registerTool('greet', { description: 'Greets.', inputSchema: strings('name') }, ({ name }) => say(`Hello, ${name}!`));
  server.registerTool('ask', { description: 'Asks.' }, (ctx) => {
    const answer = acceptedContent(ctx.mcpReq.inputResponses, 'who');
    if (answer) return say(`It is ${answer.name}.`);
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    return inputRequired({ inputRequests: { who: inputRequired.elicit({ message: 'Who is it?', requestedSchema }) }, requestState: 'asked' });
  });
  server.registerTool('change', { description: 'Changes the list of tools.' }, () => {
    (notify ?? (() => server.sendToolListChanged()))();
    return say('It has changed.');
  });
  server.registerResource('note', 'notes://today', { mimeType: 'text/plain' }, (uri) => ({ contents: [{ uri: uri.href, text: 'Buy milk.' }] }));
  server.registerResource('old', new ResourceTemplate('notes://{day}/old', { list: undefined }), {}, (uri, { day }) => (
    { contents: [{ uri: uri.href, text: `Notes of ${day}.` }] }));
  server.registerPrompt('review', { description: 'Reviews.', argsSchema: strings('text') }, ({ text }) => (
    { messages: [{ role: 'user', content: { type: 'text', text: `Review this: ${text}` } }] }));
  return server;
};

// serveHTTP serves both eras at one URL: sessions, and requests that are none of a session's.
function serveHTTP(port) {
  const modern = createMcpHandler(factory(() => modern.notify.toolsChanged()), { legacy: 'reject' });
  const sessions = new Map();
  const legacy = async (request) => {
    const known = sessions.get(request.headers.get('mcp-session-id'));
    if (known) return known.handleRequest(request);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => { sessions.set(id, transport); },
    });
    await factory()().connect(transport);
    return transport.handleRequest(request);
  };
  createServer(async (incoming, outgoing) => {
    const body = incoming.method === 'POST' ? await new Response(Readable.toWeb(incoming)).arrayBuffer() : undefined;
    const gone = new AbortController();
    outgoing.on('close', () => gone.abort());
    const request = new Request(`http://${incoming.headers.host}${incoming.url}`, { method: incoming.method, headers: incoming.headers, body, signal: gone.signal });
    const response = await ((await isLegacyRequest(request.clone())) ? legacy(request) : modern.fetch(request));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.flushHeaders();
    if (response.body) Readable.fromWeb(response.body).on('error', () => outgoing.destroy()).pipe(outgoing);
    else outgoing.end();
  }).listen(port, '127.0.0.1');
}

if (process.argv[2]) serveHTTP(Number(process.argv[2]));
else serveStdio(factory());
