// The command-line client of @modelcontextprotocol/inspector, one process a request: legacy, auto or modern.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { captured, expect, listed, textOf } from './plan.mjs';
import { readPlan, run } from './program.mjs';

const inspector = fileURLToPath(new URL('node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js', import.meta.url));

run(async () => {
  let { plan, mode, url, command, args } = readPlan();
  const target = url ? [url.href, '--transport', 'http'] : [command, ...args];
  const ask = async (method, ...flags) => {
    const { stdout } = await promisify(execFile)(process.execPath, [inspector, '--cli', ...target, '--protocol-era', mode, '--method', method, ...flags], { timeout: 60000 });
    return JSON.parse(stdout);
  };
  const pairs = (object) => Object.entries(object).map(([name, value]) => `${name}=${value}`);
  const withPairs = (flag, object) => (Object.keys(object).length > 0 ? [flag, ...pairs(object)] : []);

  listed('tools/list', (await ask('tools/list')).tools, 'name', plan.tool.name);
  const call = async (step) => {
    const text = textOf((await ask('tools/call', '--tool-name', step.name, ...withPairs('--tool-arg', step.arguments))).content);
    expect(step.name, text, step.text);
    return text;
  };
  await call(plan.tool);
  if (plan.capture) plan = captured(plan, await call(plan.capture));
  listed('resources/list', (await ask('resources/list')).resources, 'uri', plan.resource.uri);
  expect('resources/read', textOf((await ask('resources/read', '--uri', plan.resource.uri)).contents), plan.resource.text);
  listed('prompts/list', (await ask('prompts/list')).prompts, 'name', plan.prompt.name);
  const prompt = await ask('prompts/get', '--prompt-name', plan.prompt.name, ...withPairs('--prompt-args', plan.prompt.arguments));
  expect('prompts/get', textOf(prompt.messages.map((message) => message.content)), plan.prompt.text);
});
