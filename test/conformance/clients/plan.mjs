// What every client is to do with a server: it is in a plan, so that the same client can be pointed at any server. It runs in browsers too.

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
// server tells beside: promises of a change of the list of tools, and of an update of a resource. Subscribe has it tell of updates, and follow
// calls a tool with a function that gets its reports of progress.
export async function exercise(client, plan, told, subscribe, follow) {
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
  if (plan.progress) {
    const reports = [];
    const result = await follow({ name: plan.progress.name, arguments: plan.progress.arguments }, (report) => reports.push(report));
    expect(plan.progress.name, textOf(result.content), plan.progress.text);
    if (reports.length === 0) throw new Error(`${plan.progress.name}: no progress was reported`);
  }
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
