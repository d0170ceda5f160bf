// What every client is to do with a server: it is in a plan, so that the same client can be pointed at any server.
import { readFileSync } from 'node:fs';

// readPlan reads the command line: driver.mjs PLAN MODE URL, or driver.mjs PLAN MODE COMMAND [ARGUMENT...].
export function readPlan() {
  const [file, mode, ...target] = process.argv.slice(2);
  const url = /^https?:/.test(target[0] ?? '') ? new URL(target[0]) : undefined;
  return { plan: JSON.parse(readFileSync(file, 'utf8')), mode, url, command: target[0], args: target.slice(1) };
}

// expect fails unless text contains what the plan says.
export function expect(what, text, wanted) {
  if (typeof text !== 'string' || !text.includes(wanted)) {
    throw new Error(`${what}: ${JSON.stringify(text)} does not contain ${JSON.stringify(wanted)}`);
  }
}

// listed fails unless a list contains the entry.
export function listed(what, entries, member, wanted) {
  if (!entries.some((entry) => entry[member] === wanted)) {
    throw new Error(`${what}: ${wanted} is not listed`);
  }
}

// textOf is all text of content blocks or of resource contents.
export function textOf(blocks) {
  return (blocks ?? []).map((block) => block.text ?? '').join('\n');
}

// exercise goes through the plan with a client of the TypeScript SDK, which has the same methods in both of its versions.
export async function exercise(client, plan, changes) {
  const { tools } = await client.listTools();
  listed('tools/list', tools, 'name', plan.tool.name);
  const answered = await client.callTool({ name: plan.tool.name, arguments: plan.tool.arguments });
  if (answered.isError) throw new Error(`tools/call: ${textOf(answered.content)}`);
  expect('tools/call', textOf(answered.content), plan.tool.text);

  const refused = await client.callTool({ name: plan.wrong.name, arguments: plan.wrong.arguments });
  if (!refused.isError) throw new Error('tools/call: wrong arguments were taken');
  expect('tools/call with wrong arguments', textOf(refused.content), plan.wrong.text);

  if (plan.asking) {
    const asked = await client.callTool({ name: plan.asking.name, arguments: plan.asking.arguments });
    if (asked.isError) throw new Error(`tools/call that asks: ${textOf(asked.content)}`);
    expect('tools/call that asks', textOf(asked.content), plan.asking.text);
  }

  const { resources } = await client.listResources();
  listed('resources/list', resources, 'uri', plan.resource.uri);
  expect('resources/read', textOf((await client.readResource({ uri: plan.resource.uri })).contents), plan.resource.text);
  if (plan.template) {
    const { resourceTemplates } = await client.listResourceTemplates();
    if (resourceTemplates.length === 0) throw new Error('resources/templates/list: none');
    expect('resources/read of a template', textOf((await client.readResource({ uri: plan.template.uri })).contents), plan.template.text);
  }

  const { prompts } = await client.listPrompts();
  listed('prompts/list', prompts, 'name', plan.prompt.name);
  const prompt = await client.getPrompt({ name: plan.prompt.name, arguments: plan.prompt.arguments });
  expect('prompts/get', textOf(prompt.messages.map((message) => message.content)), plan.prompt.text);

  if (plan.change) {
    await client.callTool({ name: plan.change.name, arguments: plan.change.arguments });
    await changes;
  }
}

// waiter returns a promise and what fulfils it; it is broken after five seconds.
export function waiter(what) {
  let done;
  const promise = new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${what}: nothing was told`)), 5000);
    done = () => { clearTimeout(timer); resolve(); };
  });
  promise.catch(() => {}); // it may be that nobody waits
  return [promise, done];
}

// run ends the process with what work says.
export function run(work) {
  work().then(() => process.exit(0), (err) => {
    console.error(err);
    process.exit(1);
  });
}
