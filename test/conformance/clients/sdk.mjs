// The client of @modelcontextprotocol/sdk, which speaks the handshake era; in the mode sse, over HTTP+SSE.
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { readPlan, run } from './program.mjs';
import { visit } from './sdk-visit.mjs';

run(async () => {
  const { plan, mode, url, command, args } = readPlan();
  const overHTTP = mode === 'sse' ? SSEClientTransport : StreamableHTTPClientTransport;
  await visit(plan, url ? new overHTTP(url) : new StdioClientTransport({ command, args, stderr: 'inherit' }));
});
