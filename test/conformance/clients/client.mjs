// The client of @modelcontextprotocol/client, which speaks both eras.
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { visit } from './client-visit.mjs';
import { readPlan, run } from './program.mjs';

run(async () => {
  const { plan, mode, url, command, args } = readPlan();
  await visit(plan, url ? new StreamableHTTPClientTransport(url) : new StdioClientTransport({ command, args, stderr: 'inherit' }), mode);
});
