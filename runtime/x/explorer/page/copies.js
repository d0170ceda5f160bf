// What a call is copied as, for shells, HTTP and Go.
import { isObject, print } from './json.js';

// quote writes a word for a POSIX shell.
export const quote = (s) => (/^[\w@%+=:,./-]+$/.test(s) ? s : `'${s.replaceAll("'", "'\\''")}'`);

// callLine is a line of rpcgen call: the tool or method is named after the server, and its arguments are given as JSON.
export function callLine(e, value, about) {
  const words = about.command?.length ? [] : [about.url];
  const all = ['rpcgen', 'call', ...(e.group === 'methods' ? ['--jsonrpc'] : []), ...words, e.name, '--args', print(value ?? new Map())];
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

// Names in generated Go, as package templates makes them. A schema may add initialisms, which the page does not know.
const initialisms = ['ID', 'URI', 'URL', 'HTTP', 'HTTPS', 'JSON', 'RPC', 'MCP', 'API', 'SSE', 'UUID', 'UTF8',
  'ACL', 'ASCII', 'CPU', 'CSS', 'DNS', 'EOF', 'GUID', 'HTML', 'IP', 'ISBN', 'QPS', 'RAM', 'SLA', 'SMTP', 'SQL', 'SSH', 'TCP', 'TLS', 'TTL', 'UDP', 'UI', 'VM', 'XML', 'XMPP', 'XSRF', 'XSS'];

function word(one) {
  const [, start, several] = /^(.*?)(s?)$/su.exec(one);
  if (initialisms.includes(one.toUpperCase())) return one.toUpperCase();
  return several && initialisms.includes(start.toUpperCase()) ? start.toUpperCase() + 's' : one[0].toUpperCase() + one.slice(1);
}

function identifier(name) {
  const words = name.replaceAll(/(\p{Ll})(?=\p{Lu})/gu, '$1 ').split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const letters = (name.match(/\p{Lu}/gu) || []).length;
  const screams = !/\p{Ll}/u.test(name) && !(words.length === 1 && /\p{Nd}/u.test(name)) && (words.length > 1 && letters > words.length || letters >= 5);
  return words.map((one) => word(screams ? one.toLowerCase() : one)).join('');
}

// literal writes a text as a string of Go.
const literal = (text) => (text.includes('`') || text.includes('\r') ? JSON.stringify(text) : '`' + text + '`');

// calling is the call with the generated client: its params are read from the same JSON, by the decoder of their type. fail says what follows an error.
// The list does not tell whether a tool without an output schema returns contents in Go: what is written compiles with them and without.
function calling(e, value, client, fail) {
  const method = identifier(e.name);
  const failed = `if err != nil {\n\t${fail}\n}`;
  const plain = client.era === 'plain' || !client.era;
  if (!plain && e.group !== 'tools') {
    return [`params, err := runtime.ParseRaw([]byte(${literal(print(e.params(value) ?? new Map()))}))`, failed,
      `result, err := mcpclient.Call(ctx, client, ${JSON.stringify(e.method)}, params)`, failed];
  }
  const [name, type] = plain ? ['params', 'Params'] : ['input', 'Input'];
  const takes = plain ? value !== undefined : isObject(value) && isObject(e.schema?.get('properties')) && e.schema.get('properties').size > 0;
  const result = plain ? !e.notification : e.output !== undefined;
  const given = takes ? [`var ${name} rpc.${method}${type}`, `if err := json.Unmarshal([]byte(${literal(print(value))}), &${name}); err != nil {\n\t${fail}\n}`] : [];
  if (e.group === 'tools' && !result) {
    return [...given, `results := func(all ...any) []any { return all }(client.${method}(ctx${takes ? ', ' + name : ''}))`,
      `if err, failed := results[len(results)-1].(error); failed {\n\t${fail}\n}`];
  }
  return [...given, `${result ? 'result, err' : 'err'} := client.${method}(ctx${takes ? ', ' + name : ''})`, failed];
}

// goCode calls with the generated client.
export const goCode = (e, value, about, client) => calling(e, value, client, 'return err').join('\n');

// goTest is a test with the kit that "rpcgen generate --kit" writes. It expects the last answer, if there was one.
export function goTest(e, value, about, client, answer) {
  const lines = ['ctx := t.Context()', `client := rpctest.Connect(t, newServer())${client.era === 'plain' ? ' // and callbacks, if it has some' : ''}`, ...calling(e, value, client, 't.Fatal(err)')];
  const [said] = /^results?/.exec(lines.at(-2)) ?? [];
  if (answer !== undefined && said === 'result') {
    lines.push('got, err := json.Marshal(result)', 'if err != nil {\n\tt.Fatal(err)\n}', `if want := ${literal(print(answer))}; string(got) != want {\n\tt.Errorf("got %s, not %s", got, want)\n}`);
  } else if (said) {
    lines.push(`t.Logf("%+v", ${said})`);
  }
  return `func Test${identifier(e.name)}(t *testing.T) {\n\t${lines.join('\n').replaceAll('\n', '\n\t')}\n}\n`;
}
