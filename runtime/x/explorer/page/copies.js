// What a call is copied as, for shells, HTTP and Go.
import { isObject, print } from './json.js';

// quote writes a word for a POSIX shell.
export const quote = (s) => (/^[\w@%+=:,./-]+$/.test(s) ? s : `'${s.replaceAll("'", "'\\''")}'`);

// callLine is a line of rpcgen call: the tool is named after the server, and its arguments are given as JSON.
export function callLine(e, value, about) {
  const words = about.command?.length ? [] : [about.url];
  const all = ['rpcgen', 'call', ...words, e.name, '--args', print(value ?? new Map())];
  if (about.command?.length) all.push('--', ...about.command);
  return all.map(quote).join(' ');
}

// curl is a line that posts the same request.
export function curl(e, value, about, client) {
  const body = print(client.request(e.method, client.era === 'plain' ? e.params(value) : statelessParams(e.params(value), client)));
  const all = ['curl', '-sS', about.url, '-H', 'Content-Type: application/json'];
  if (client.era !== 'plain') {
    all.push('-H', 'Accept: application/json, text/event-stream', '-H', 'MCP-Protocol-Version: 2026-07-28', '-H', `Mcp-Method: ${e.method}`);
    if (e.group === 'tools' || e.group === 'prompts') all.push('-H', `Mcp-Name: ${e.name}`);
    else if (e.uri) all.push('-H', `Mcp-Name: ${e.uri(value ?? new Map())}`);
  }
  all.push('-d', body);
  return all.map(quote).join(' ');
}

function statelessParams(params, client) {
  const was = client.era;
  client.era = 'stateless';
  try {
    return client.params(params);
  } finally {
    client.era = was;
  }
}

const identifier = (name) => name.split(/[^A-Za-z0-9]+/).filter(Boolean).map((one) => one[0].toUpperCase() + one.slice(1)).join('');

// goCode calls with the generated client: its params are read from the same JSON, by the decoder of their type.
export function goCode(e, value, about, client) {
  const method = identifier(e.name);
  const json = print(e.group === 'tools' || e.group === 'methods' ? value ?? new Map() : e.params(value) ?? new Map());
  const literal = json.includes('`') ? JSON.stringify(json) : '`' + json + '`';
  if (client.era === 'plain' || !client.era) {
    if (!isObject(value)) return `result, err := client.${method}(ctx)`;
    return `var params rpc.${method}Params\nif err := json.Unmarshal([]byte(${literal}), &params); err != nil {\n\treturn err\n}\nresult, err := client.${method}(ctx, params)`;
  }
  if (e.group === 'tools') return `var input rpc.${method}Input\nif err := json.Unmarshal([]byte(${literal}), &input); err != nil {\n\treturn err\n}\noutput, err := client.${method}(ctx, input)`;
  return `params, err := runtime.ParseRaw([]byte(${literal}))\nif err != nil {\n\treturn err\n}\nresult, err := mcpclient.Call(ctx, client, ${JSON.stringify(e.method)}, params)`;
}
