// What every client is to do with a server: it is in a plan, so that the same client can be pointed at any server.
import { readFileSync } from 'node:fs';

// readPlan reads the command line: driver.mjs PLAN MODE URL, or driver.mjs PLAN MODE COMMAND [ARGUMENT...].
export function readPlan() {
  const [file, mode, ...target] = process.argv.slice(2);
  const url = /^https?:/.test(target[0] ?? '') ? new URL(target[0]) : undefined;
  return { plan: JSON.parse(readFileSync(file, 'utf8')), mode, url, command: target[0], args: target.slice(1) };
}

// captured returns the plan with {captured} replaced by what its pattern finds in the text.
export function captured(plan, text) {
  const [found] = text.match(plan.capture.pattern) ?? [];
  if (!found) throw new Error(`${plan.capture.name}: ${JSON.stringify(text)} does not contain ${plan.capture.pattern}`);
  return JSON.parse(JSON.stringify(plan).replaceAll('{captured}', found));
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

// exercise goes through the plan with a client of the TypeScript SDK, which has the same methods in both of its versions. Told says what the
// server tells beside: promises of a change of the list of tools, and of an update of a resource. Subscribe has it tell of updates.
export async function exercise(client, plan, told, subscribe) {
  const call = async (step, failing = false) => {
    const result = await client.callTool({ name: step.name, arguments: step.arguments });
    const text = textOf(result.content);
    if (Boolean(result.isError) !== failing) throw new Error(`${step.name}: ${text}`);
    expect(step.name, text, step.text);
    return text;
  };
  const { tools } = await client.listTools();
  listed('tools/list', tools, 'name', plan.tool.name);
  await call(plan.tool);
  await call(plan.wrong, true);
  if (plan.asking) await call(plan.asking);
  if (plan.capture) plan = captured(plan, await call(plan.capture));

  const read = async (step) => expect(step.uri, textOf((await client.readResource({ uri: step.uri })).contents), step.text);
  const { resources } = await client.listResources();
  listed('resources/list', resources, 'uri', plan.resource.uri);
  await read(plan.resource);
  if (plan.template) {
    const { resourceTemplates } = await client.listResourceTemplates();
    if (resourceTemplates.length === 0) throw new Error('resources/templates/list: none');
    await read(plan.template);
  }

  const { prompts } = await client.listPrompts();
  listed('prompts/list', prompts, 'name', plan.prompt.name);
  const prompt = await client.getPrompt({ name: plan.prompt.name, arguments: plan.prompt.arguments });
  expect('prompts/get', textOf(prompt.messages.map((message) => message.content)), plan.prompt.text);

  if (plan.change) {
    const changed = told.change();
    await call(plan.change);
    await changed;
  }
  if (plan.update) {
    await subscribe(plan.update.uri);
    const updated = told.update();
    await call(plan.update);
    await updated;
  }
}

// Told is what a server tells beside: a method returns a promise that is broken after five seconds, and hear fulfils it.
export class Told {
  #waiting = {};
  hear(what) { this.#waiting[what]?.(); }
  change() { return this.#wait('change'); }
  update() { return this.#wait('update'); }
  #wait(what) {
    const promise = new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`nothing was told of a ${what}`)), 5000);
      this.#waiting[what] = () => { clearTimeout(timer); resolve(); };
    });
    promise.catch(() => {}); // the call before may fail first
    return promise;
  }
}

// run ends the process with what work says.
export function run(work) {
  work().then(() => process.exit(0), (err) => {
    console.error(err);
    process.exit(1);
  });
}
