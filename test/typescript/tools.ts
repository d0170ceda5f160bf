// Calls the tools of a server by the official client of MCP.

import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ToolError } from "./generated/toolbox/mcp.js";
import * as tools from "./generated/toolbox/tools.js";

const client = new Client({ name: "test", version: "1" });
const url = new URL(process.argv[2] ?? "");
// The types of its transport do not fit its client with exactOptionalPropertyTypes.
const transport = new StreamableHTTPClientTransport(url) as Parameters<
  Client["connect"]
>[0];
await client.connect(transport);

const found = await tools.searchItems(client, { query: "saw", limit: 5 });
assert.equal(found.items[0]?.name, "saw");
await assert.rejects(tools.reserve(client, { sku: "ABC-0001" }), (error) => {
  assert(error instanceof ToolError);
  assert(tools.isOutOfStockError(error));
  assert.deepEqual(error.data, { sku: "ABC-0001", left: 3 });
  assert.match(error.message, /out of stock/);
  return true;
});
await assert.rejects(tools.searchItems(client, { query: "" }), /query/);
await client.close();
