// Agent frameworks of others at the gateway: each lists its tools, calls one, meets an error of a tool and one of the protocol, and, where
// it offers that, follows the progress of a call. usage: hosts.mjs HOST URL
import { expect } from './plan.mjs';
import { run } from './program.mjs';

const [host, address] = process.argv.slice(2);
const simple = 'up_test_simple_text', failing = 'up_test_error_handling', slow = 'up_test_tool_with_progress';

// failure returns the text of what a promise is broken with, or of its value: frameworks differ in how they report that a tool failed.
async function failure(promise) {
  try {
    const value = await promise;
    return typeof value === 'string' ? value : JSON.stringify(value);
  } catch (error) {
    return `${error.message} ${JSON.stringify(error)}`;
  }
}

// listed fails unless the tools of the server and that of the gateway are there.
function listed(names) {
  for (const name of [simple, failing, slow, 'gateway_status']) {
    if (!names.includes(name)) throw new Error(`${name} is not listed: ${names}`);
  }
}

const hosts = {
  async ai() {
    const { createMCPClient } = await import('@ai-sdk/mcp');
    const client = await createMCPClient({ transport: { type: 'http', url: address } });
    const tools = await client.tools();
    listed(Object.keys(tools));
    const options = { toolCallId: '1', messages: [] };
    expect('call', JSON.stringify(await tools[simple].execute({}, options)), 'simple text response');
    expect('error', await failure(tools[failing].execute({}, options)), 'intentionally returns an error');
    expect('status', JSON.stringify(await tools.gateway_status.execute({}, options)), '"connected":true');
    await client.close();
  },

  async '@langchain/mcp-adapters'() {
    const { MultiServerMCPClient } = await import('@langchain/mcp-adapters');
    const progress = [];
    const client = new MultiServerMCPClient({
      mcpServers: { gateway: { transport: 'http', url: address } },
      onProgress: (report) => progress.push(report.progress),
    });
    const tools = Object.fromEntries((await client.getTools()).map((tool) => [tool.name, tool]));
    listed(Object.keys(tools));
    expect('call', JSON.stringify(await tools[simple].invoke({})), 'simple text response');
    expect('error', await failure(tools[failing].invoke({})), 'intentionally returns an error');
    await tools[slow].invoke({});
    if (progress.length === 0) throw new Error('no progress was reported');
    await client.close();
  },

  async '@openai/agents'() {
    const { MCPServerStreamableHttp } = await import('@openai/agents');
    const server = new MCPServerStreamableHttp({ url: address, name: 'gateway' });
    await server.connect();
    listed((await server.listTools()).map((tool) => tool.name));
    expect('call', JSON.stringify(await server.callTool(simple, {})), 'simple text response');
    expect('error', await failure(server.callTool(failing, {})), 'intentionally returns an error');
    expect('unknown', await failure(server.callTool('up_nothing', {})), 'Unknown tool');
    await server.close();
  },

  // mcp-remote is a proxy: the client of the TypeScript SDK reaches the gateway through it.
  async 'mcp-remote'() {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
    const client = new Client({ name: 'proxied', version: '1.0.0' });
    const args = ['node_modules/mcp-remote/dist/proxy.js', address, '--allow-http', '--transport', 'http-only'];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
    listed((await client.listTools()).tools.map((tool) => tool.name));
    expect('call', JSON.stringify(await client.callTool({ name: simple })), 'simple text response');
    expect('error', await failure(client.callTool({ name: failing })), 'intentionally returns an error');
    expect('unknown', await failure(client.callTool({ name: 'up_nothing' })), 'Unknown tool');
    const progress = [];
    await client.callTool({ name: slow }, undefined, { onprogress: (report) => progress.push(report.progress) });
    if (progress.length === 0) throw new Error('no progress was reported');
    await client.close();
  },
};

run(async () => hosts[host]());
