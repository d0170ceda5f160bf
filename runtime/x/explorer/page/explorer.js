// The page of the explorer.
import { caps } from './caps.js';
import { h, id, tabs, copyButton, clip, download } from './dom.js';
import { Num, faultOf, follow, from, get, isObject, parse, print } from './json.js';
import { form } from './form.js';
import { Client, RPCError } from './client.js';
import { callLine, curl, goCode, goTest } from './copies.js';
import { content } from './content.js';

const $ = (name) => document.getElementById(name);
const main = $('main');

// The token comes with the address once, and stays for this tab.
const given = /^#token=(.+)$/.exec(location.hash);
if (given) {
  sessionStorage.setItem('explorerToken', given[1]);
  history.replaceState(null, '', location.pathname + location.search);
}

let about = {};
let entries = []; // {group, key, title, description, schema, call(value), ...}
let chosen = null;
const kept = new Map(); // what a person has typed, by the key of an entry
const unread = new Map(); // texts that are not JSON yet, by the key of an entry
const answers = new Map(); // the last results, by the key of an entry
const progress = new Map(); // by token: functions that get the params
const subscribed = new Map(); // by id of the request: what is called when the server has acknowledged a subscription
const asked = new Map(); // by box: the id of the request, and what is called when the question cannot be answered any more

const asList = (v) => (Array.isArray(v) ? v : []);
const text = (v) => (typeof v === 'string' ? v : '');
const line = (v, most = caps.line) => clip(text(v), most); // of a text that is shown in passing
const say = (message, kind = 'quiet') => { $('status').textContent = clip(message, caps.note); $('status').className = kind + ' grow'; };

// What the server sends on its own.
const heard = h('ul', { class: 'list', 'aria-live': 'polite' });
const heardBox = h('section', { class: 'hidden' }, h('h3', {}, 'Notifications'), heard);
const questions = h('section', { 'aria-label': 'Questions of the server', 'aria-live': 'polite' });

function notification(method, params) {
  if (method === 'notifications/progress') {
    const report = progress.get(text(get(params, 'progressToken')));
    if (report) { report(params); return; }
  }
  if (method === 'notifications/subscriptions/acknowledged') subscribed.get(print(get(params, '_meta', 'io.modelcontextprotocol/subscriptionId') ?? null))?.();
  if (/^notifications\/(tools|resources|prompts)\/list_changed$/.test(method)) changed();
  heardBox.classList.remove('hidden');
  heard.prepend(h('li', {}, h('code', {}, line(method)), ' ', h('span', { class: 'quiet' }, new Date().toLocaleTimeString()),
    params === undefined ? null : h('pre', { class: 'wrap' }, clip(print(params, '  '), caps.note))));
  while (heard.children.length > caps.notifications) heard.lastChild.remove();
}

// ask shows a question of the server as a form, and returns what the person answers. A question that cannot be answered any more stays, with what was
// typed, until the person closes it.
function ask(method, params, request) {
  return new Promise((resolve, reject) => {
    if (asked.size >= caps.questions) throw Object.assign(new Error('Too many questions are open'), { code: -32603 });
    const box = h('fieldset', {});
    let typed = () => box.querySelector('textarea')?.value ?? '';
    const done = (f, v) => { asked.delete(box); box.remove(); f(v); };
    asked.set(box, { request, end: (why) => {
      asked.delete(box);
      box.lastChild.replaceChildren(h('span', { class: 'error', role: 'alert' }, `This cannot be answered any more: ${why}.`),
        copyButton('Copy what was typed', typed),
        h('button', { type: 'button', onclick: () => box.remove() }, 'Close'));
      reject(Object.assign(new Error(why), { withdrawn: true }));
    } });
    const legend = (words) => h('legend', {}, clip(words, caps.line));
    if (method === 'roots/list') { done(resolve, { roots: [] }); return; }
    if (method === 'elicitation/create' && get(params, 'url') === undefined) {
      const schema = get(params, 'requestedSchema');
      const f = form(isObject(schema) ? schema : from({ type: 'object' }), () => {});
      typed = () => print(f.get(), '  ');
      box.append(legend('The server asks'), h('p', {}, line(get(params, 'message'), caps.note)), f.element,
        h('div', { class: 'row' },
          h('button', { type: 'button', class: 'main', onclick: () => done(resolve, { action: 'accept', content: f.get() }) }, 'Accept'),
          h('button', { type: 'button', onclick: () => done(resolve, { action: 'decline' }) }, 'Decline'),
          h('button', { type: 'button', onclick: () => done(resolve, { action: 'cancel' }) }, 'Cancel')));
    } else if (method === 'elicitation/create') {
      box.append(legend('The server asks to open an address'), h('p', {}, line(get(params, 'message'), caps.note)),
        h('p', { class: 'mono' }, line(get(params, 'url'), caps.note)),
        h('div', { class: 'row' },
          h('button', { type: 'button', class: 'main', onclick: () => done(resolve, { action: 'accept' }) }, 'I have opened it'),
          h('button', { type: 'button', onclick: () => done(resolve, { action: 'decline' }) }, 'Decline')));
    } else {
      const area = h('textarea', { rows: 6, 'aria-label': 'The result, JSON', spellcheck: 'false' });
      area.value = method === 'sampling/createMessage' ? print(from({ role: 'assistant', model: 'a person', content: { type: 'text', text: '' } }), '  ')
        : '{}';
      const fault = h('p', { class: 'error' });
      box.append(legend(`The server calls ${method}`), h('pre', { class: 'wrap' }, clip(print(params ?? null, '  '), caps.question)), area, fault,
        h('div', { class: 'row' },
          h('button', { type: 'button', class: 'main', onclick: () => {
            try { done(resolve, parse(area.value)); } catch (wrong) { fault.textContent = wrong.message; }
          } }, 'Answer'),
          h('button', { type: 'button', onclick: () => done(reject, Object.assign(new Error('The person declined'), { code: -1 })) }, 'Decline')));
    }
    // A person who types or clicks elsewhere when the question appears does not answer it: it takes no focus, and its buttons wait.
    const buttons = [...box.lastChild.querySelectorAll('button')];
    for (const one of buttons) one.disabled = true;
    setTimeout(() => { for (const one of buttons) one.disabled = false; }, 1000);
    questions.append(box);
    say('The server asks something.', 'warning');
    box.scrollIntoView({ block: 'nearest' });
  });
}

const client = new Client(sessionStorage.getItem('explorerToken') || '', {
  trace: () => traceSoon(),
  notification,
  ask,
  withdrawn: (request) => { for (const one of [...asked.values()]) if (print(one.request ?? null) === print(request ?? null)) one.end('the server has withdrawn it'); },
  state: (message, ended) => {
    say(message, ended ? 'error' : 'quiet');
    if (ended) for (const one of [...asked.values()]) one.end(message);
    $('again').classList.toggle('hidden', !ended);
  },
});

// Messages.
const trace = h('section', { id: 'trace', class: 'hidden', 'aria-label': 'Messages' });
const filter = h('input', { type: 'search', placeholder: 'Filter', 'aria-label': 'Filter messages', oninput: () => showTrace() });
const traced = h('ul', { class: 'list' });
trace.append(h('h2', {}, 'Messages'), h('div', { class: 'row' }, filter,
  h('button', { type: 'button', onclick: () => download('messages.txtar', transcript(), 'text/plain') }, 'Save')), traced);
let tracing = 0;
function traceSoon() {
  tracing ||= requestAnimationFrame(() => {
    tracing = 0;
    $('showtrace').textContent = `Messages (${client.trace.length})`;
    showTrace();
  });
}
function showTrace() {
  if (trace.classList.contains('hidden')) return;
  const words = filter.value.toLowerCase();
  const shown = client.trace.filter((e) => !words || e.text.toLowerCase().includes(words)).slice(-caps.traced).reverse();
  traced.replaceChildren(...shown.map((e) => h('li', {}, h('details', {},
    h('summary', {}, e.sent ? '\u2192 ' : '\u2190 ', h('span', { class: 'quiet' }, e.at.toLocaleTimeString('en', { hourCycle: 'h23', hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 })), ' ', h('code', {}, e.text.slice(0, 160))),
    lazy(() => h('pre', { class: 'wrap' }, clip(readable(e.text), caps.text)))))));
}
function readable(json) {
  try {
    return print(parse(json, true), '  ');
  } catch {
    return json;
  }
}
// transcript writes the messages as a transcript, as "rpcgen record" does: a section holds what one side sent before the other did.
function transcript() {
  let text = 'rpcgen transcript v1\n';
  let section = null;
  for (const e of client.trace) {
    if (e.sent !== section?.sent) {
      text += `-- ${e.sent ? 'client' : 'server'} +${section ? e.at - section.at : 0}ms --\n`;
      section = e;
    }
    text += e.text.trim() + '\n';
  }
  return text;
}
$('showtrace').addEventListener('click', () => {
  const hidden = trace.classList.toggle('hidden');
  $('showtrace').setAttribute('aria-expanded', String(!hidden));
  showTrace();
  if (!hidden) filter.focus();
});

// Entries.
const group = { tools: 'Tools', resources: 'Resources', templates: 'Resource templates', prompts: 'Prompts', methods: 'Methods',
  callbacks: 'From the server', types: 'Types', raw: 'Any method' };

function toolEntry(t) {
  const name = text(get(t, 'name'));
  return {
    group: 'tools', key: 'tools ' + name, name, title: text(get(t, 'title')), description: text(get(t, 'description')), source: t,
    schema: isObject(get(t, 'inputSchema')) ? get(t, 'inputSchema') : from({ type: 'object' }), output: get(t, 'outputSchema'),
    examples: asList(get(t, 'inputSchema', 'examples')).slice(0, caps.examples).map((v, i) => [`Example ${i + 1}`, v]),
    method: 'tools/call', params: (v) => from({ name, arguments: v }), sends: '/arguments', mcp: true,
  };
}

function resourceEntry(r) {
  const uri = text(get(r, 'uri'));
  return { group: 'resources', key: 'resources ' + uri, name: text(get(r, 'name')) || uri, title: text(get(r, 'title')) || uri,
    description: text(get(r, 'description')), source: r,
    schema: null, method: 'resources/read', params: () => from({ uri }), uri: () => uri, mcp: true };
}

function templateEntry(r) {
  const template = text(get(r, 'uriTemplate'));
  const variable = /\{([+#./;?&]?)([^{}]+)\}/g;
  const nameOf = (one) => one.split(/[*:]/, 1)[0];
  const tooLong = template.length > caps.template;
  const names = tooLong ? [] : [...new Set([...template.matchAll(variable)].flatMap((m) => m[2].split(',').map(nameOf)))];
  const expand = (v) => tooLong ? template : template.replaceAll(variable, (_, operator, list) => {
    const values = list.split(',').map((one) => [nameOf(one), get(v, nameOf(one))]).filter(([, one]) => typeof one === 'string' && one !== '');
    const escape = operator === '+' || operator === '#' ? encodeURI : encodeURIComponent;
    const named = ';?&'.includes(operator || 'x');
    const join = { '+': ',', '#': ',', '.': '.', '/': '/', ';': ';', '?': '&', '&': '&' }[operator] || ',';
    return values.length ? (operator === '+' ? '' : operator) + values.map(([key, one]) => (named ? `${key}=` : '') + escape(one)).join(join) : '';
  });
  return { group: 'templates', key: 'templates ' + template, name: text(get(r, 'name')) || template, title: text(get(r, 'title')) || template,
    description: text(get(r, 'description')), source: r,
    schema: from({ type: 'object', properties: Object.fromEntries(names.map((n) => [n, { type: 'string' }])), additionalProperties: false }),
    method: 'resources/read', params: (v) => from({ uri: expand(v) }), uri: expand, mcp: true };
}

function promptEntry(p) {
  const name = text(get(p, 'name'));
  const list = asList(get(p, 'arguments')).filter(isObject);
  const properties = new Map(list.map((a) => [text(get(a, 'name')), from({ type: 'string', description: text(get(a, 'description')) || undefined })]));
  const schema = from({ type: 'object', additionalProperties: false }).set('properties', properties)
    .set('required', list.filter((a) => get(a, 'required') === true).map((a) => text(get(a, 'name'))));
  return { group: 'prompts', key: 'prompts ' + name, name, title: text(get(p, 'title')), description: text(get(p, 'description')), source: p, schema,
    method: 'prompts/get', params: (v) => from({ name, arguments: v }), sends: '/arguments', mcp: true };
}

function methodEntry(m, document) {
  const name = text(get(m, 'name'));
  const params = asList(get(m, 'params')).map((p) => refOf(p, document)).filter(isObject);
  const properties = new Map(params.map((p) => {
    const schema = isObject(get(p, 'schema')) ? new Map(get(p, 'schema')) : new Map();
    if (text(get(p, 'description')) && !schema.has('description')) schema.set('description', text(get(p, 'description')));
    return [text(get(p, 'name')), schema];
  }));
  // Params that are not described one by one, such as a union, have a schema of their own.
  const whole = !params.length && isObject(get(m, 'x-params')) ? new Map(get(m, 'x-params')) : null;
  const schema = whole ?? from({ type: 'object' });
  if (!whole) schema.set('properties', properties).set('required', params.filter((p) => get(p, 'required') === true).map((p) => text(get(p, 'name'))));
  if (!whole) schema.set('additionalProperties', false);
  schema.set('components', get(document, 'components') ?? new Map());
  const byPosition = text(get(m, 'paramStructure')) === 'by-position';
  const examples = asList(get(m, 'examples')).slice(0, caps.examples).map((e) => refOf(e, document)).filter(isObject);
  return { group: 'methods', key: 'methods ' + name, name, title: text(get(m, 'summary')),
    description: text(get(m, 'description')) || text(get(m, 'summary')), source: m,
    schema: params.length || whole ? schema : null, output: get(refOf(get(m, 'result'), document), 'schema'),
    errors: asList(get(m, 'errors')).map((e) => refOf(e, document)).filter(isObject),
    examples: examples.map((e) => [text(get(e, 'name')) || 'Example', new Map(asList(get(e, 'params')).map((p) => refOf(p, document)).filter(isObject).map((p, i) => [text(get(p, 'name')) || text(get(params[i], 'name')), get(p, 'value')]))]),
    notification: !isObject(get(m, 'result')),
    method: text(get(m, 'x-items', 'wire')) || name, params: (v) => (v === undefined || whole ? v : byPosition ? [...properties.keys()].map((key) => v.get(key)).filter((one) => one !== undefined) : v), sends: '' };
}

// callbackEntry is a notification or a request of the server, which nobody sends from here.
const callbackEntry = (m, document) => ({ ...methodEntry(m, document), group: 'callbacks', key: 'callbacks ' + text(get(m, 'name')), heard: true });

function refOf(v, document) {
  const ref = get(v, '$ref');
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return v;
  return follow(ref, document);
}

const rawName = 'Send any message';
const typeEntry = ([name, schema]) => ({ group: 'types', key: 'types ' + name, name, title: '', description: text(get(schema, 'description')), source: schema, schema, type: true });

const rawEntry = () => ({ group: 'raw', key: 'raw', name: rawName, title: '', description: 'Write the method and its params as JSON.', raw: true });

// entryOf makes an entry of what a server lists. One that cannot be read says so, and the others are there all the same.
function entryOf(make, one, document) {
  const fault = faultOf(one);
  try {
    const e = make(one, document);
    return fault ? { ...e, broken: fault } : e;
  } catch (wrong) {
    const name = text(get(one, 'name'));
    return { group: 'methods', key: 'broken ' + name, name, title: '', description: '', source: one, broken: fault || wrong.message };
  }
}

// ofDocument returns the entries of an OpenRPC document and of the lists of an MCP server, in one object.
function ofDocument(document) {
  const own = isObject(get(document, 'result')) ? get(document, 'result') : document;
  const list = (member, make) => asList(get(own, member)).slice(0, caps.listed).map((one) => refOf(one, own)).filter(isObject)
   .map((one) => entryOf(make, one, own));
  return [...list('methods', methodEntry), ...list('x-callbacks', callbackEntry), ...list('tools', toolEntry), ...list('resources', resourceEntry),
    ...list('resourceTemplates', templateEntry), ...list('prompts', promptEntry), ...[...(get(own, 'components', 'schemas') ?? [])].slice(0, caps.listed).map(typeEntry)];
}

// refresh asks for what the server offers.
async function refresh() {
  let all = [];
  const notes = [];
  if (about.document) all = ofDocument(about.document);
  if (about.connected && client.era !== 'plain') {
    const can = get(client.server, 'capabilities') ?? new Map();
    const parts = []; // of each list, which are shown as they come
    const missing = new Set();
    const tell = () => say(missing.size ? `Waiting for the answer to ${[...missing].join(', ')} ...` : 'Connected');
    const ask = async (method, member, make) => {
      const at = parts.push([]) - 1;
      missing.add(method);
      tell();
      try {
        const { all: list, more } = await client.list(method, member);
        parts[at] = list.map((one) => entryOf(make, one));
        if (more) notes.push(`${method}: only the first ${list.length.toLocaleString('en')} entries are shown.`);
      } catch (fault) {
        if (!(fault instanceof RPCError)) throw fault;
        notes.push(`${method}: ${fault.message}`);
      }
      missing.delete(method);
      tell();
      if (!missing.size) return;
      entries = parts.flat();
      showEntries();
    };
    const lists = [];
    if (can.has('tools')) lists.push(ask('tools/list', 'tools', toolEntry));
    if (can.has('resources')) lists.push(ask('resources/list', 'resources', resourceEntry), ask('resources/templates/list', 'resourceTemplates', templateEntry));
    if (can.has('prompts')) lists.push(ask('prompts/list', 'prompts', promptEntry));
    await Promise.all(lists);
    all = parts.flat();
  } else if (about.connected && !about.document) {
    try {
      const found = await client.call('rpc.discover');
      entitle(about.name || text(get(found, 'info', 'title')));
      all = ofDocument(found);
    } catch (fault) {
      if (!(fault instanceof RPCError)) throw fault;
      notes.push('The server does not describe itself: it does not answer rpc.discover.');
      main.replaceChildren(h('h2', {}, 'There is no description'), h('p', {}, notes[0], ' Start the page with a schema or an OpenRPC document before the server, as in ',
        h('code', {}, 'rpcgen explore FILE URL'), `; in a service, set explorer.Options.Document. Without one, "${rawName}" calls its methods.`));
    }
  }
  if (about.connected) all.push(rawEntry());
  entries = all;
  showEntries();
  if (notes.length) say(notes.map((one) => clip(one, caps.note / 4)).join(' '), 'warning');
}

// changed asks for it again: once for all changes of which the server tells meanwhile.
let asking = false;
let stale = false;
async function changed() {
  stale = true;
  if (asking) return;
  for (asking = true; stale;) {
    stale = false;
    await refresh().catch((fault) => say(fault.message, 'error'));
  }
  asking = false;
}

let shownMost = caps.entries;
function showEntries() {
  const words = $('search').value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = entries.filter((e) => words.every((w) => (e.name + ' ' + e.title + ' ' + e.description).toLowerCase().includes(w)));
  const list = $('entries');
  list.replaceChildren();
  let last = '';
  for (const e of found.slice(0, shownMost)) {
    if (e.group !== last) list.append(h('h2', { class: 'small' }, group[e.group]));
    last = e.group;
    const name = (clip(e.name, caps.name) || '(no name)') + (e.broken ? ' (cannot be read)' : '');
    list.append(h('button', { type: 'button', class: 'plain', 'aria-current': chosen === e.key ? 'true' : false, 'data-key': e.key, onclick: () => open(e) }, name));
  }
  const more = () => { shownMost += caps.entries; showEntries(); };
  if (found.length > shownMost) list.append(h('button', { type: 'button', onclick: more }, `Show more: ${found.length - shownMost} are hidden`));
  if (!found.length) list.append(h('p', { class: 'quiet' }, entries.length ? 'Nothing fits the search.' : 'There is nothing here.'));
}
$('search').addEventListener('input', () => { shownMost = caps.entries; showEntries(); });

// open shows an entry and what it is called by.
function open(e) {
  chosen = e.key;
  for (const b of document.querySelectorAll('#entries [aria-current]')) b.removeAttribute('aria-current');
  document.querySelector(`#entries [data-key="${CSS.escape(e.key)}"]`)?.setAttribute('aria-current', 'true');
  const title = e.title && e.title !== e.name && e.title !== e.description ? [h('p', {}, h('strong', {}, clip(e.title, caps.line)))] : [];
  const body = e.broken ? h('p', { class: 'error' }, `This entry cannot be read: ${clip(e.broken, caps.line)}.`) : e.raw ? rawForm(e) : e.type || e.heard ? '' : tryIt(e);
  main.replaceChildren(h('h2', {}, clip(e.name, caps.name)), ...title, ...description(e), body, questions, heardBox, trace);
  main.scrollTop = 0;
}

function description(e) {
  const all = [];
  const whole = e.description || '';
  if (whole) {
    const p = h('p', { class: 'said-by-server' }, whole.slice(0, caps.note));
    p.style.whiteSpace = 'pre-wrap';
    all.push(p);
    const rest = (event) => { p.textContent = clip(whole, caps.text); event.target.remove(); };
    if (whole.length > caps.note) all.push(h('button', { type: 'button', onclick: rest }, `Show all ${whole.length.toLocaleString('en')} characters`));
  }
  const hints = get(e.source, 'annotations');
  const badges = isObject(hints) ? [...hints].filter(([key, v]) => typeof v === 'boolean' && key.endsWith('Hint')).slice(0, caps.examples)
    .map(([key, v]) => h('span', { class: 'badge' }, (v ? '' : 'not ') + line(key.replace('Hint', '')))) : [];
  if (badges.length) all.push(h('div', { class: 'row' }, badges));
  if (e.errors?.length) {
    all.push(h('details', {}, h('summary', {}, `Errors (${e.errors.length})`), h('ul', { class: 'list' },
      e.errors.slice(0, caps.errors).map((one) => h('li', {}, h('code', {}, line(print(get(one, 'code') ?? null))), ' ', line(get(one, 'message')))))));
  }
  for (const [title, schema] of e.type ? [['Schema', e.schema]] : [['Schema of the input', e.schema], ['Schema of the result', e.output]]) {
    if (!isObject(schema)) continue;
    all.push(h('details', { open: e.type }, h('summary', {}, title), lazy(() => h('pre', { class: 'wrap' }, clip(print(schema, '  '), caps.text)))));
  }
  return all;
}

// lazy makes an element when it is first seen.
function lazy(make) {
  const box = h('div', {});
  queueMicrotask(() => box.closest('details')?.addEventListener('toggle', () => { if (!box.hasChildNodes()) box.append(make()); }));
  return box;
}

// tryIt is the form, the JSON beside it and the answer of an entry.
function tryIt(e) {
  const area = h('textarea', { rows: 8, 'aria-label': 'The arguments as JSON', spellcheck: 'false' });
  const fault = h('p', { class: 'error', role: 'alert' });
  const answer = h('section', { 'aria-label': 'Answer' });
  const copies = h('div', { class: 'row' });
  let f = null;
  const value = () => (f ? f.get() : undefined);
  const fromForm = () => {
    area.value = print(f.get(), '  ');
    fault.textContent = '';
    unread.delete(e.key);
    kept.set(e.key, f.get());
  };
  if (e.schema) {
    f = form(e.schema, fromForm);
    if (kept.has(e.key)) f.set(kept.get(e.key));
    area.value = print(f.get(), '  ');
    const fromText = () => {
      try {
        const v = parse(area.value);
        fault.textContent = '';
        unread.delete(e.key);
        f.set(v);
        kept.set(e.key, v);
      } catch (wrong) {
        fault.textContent = `Not JSON: ${wrong.message}`;
        unread.set(e.key, area.value);
      }
    };
    area.addEventListener('input', fromText);
    if (unread.has(e.key)) {
      area.value = unread.get(e.key);
      fromText();
    }
  }
  const line = (label, make) => copyButton(label, () => make(e, value(), about, client));
  copies.append(h('span', { class: 'quiet' }, 'Copy as'));
  if ((e.group === 'tools' || e.group === 'methods') && (about.command || about.url)) copies.append(line('rpcgen call', callLine));
  if (/^https?:/.test(about.url)) copies.append(line('curl', curl));
  copies.append(line('Go', goCode));
  if (e.group === 'tools' || e.group === 'methods') copies.append(copyButton('Go test', () => goTest(e, value(), about, client, answers.get(e.key))));
  copies.append(line('JSON', () => print(client.request(e.method, e.mcp ? client.params(e.params(value())) : e.params(value())))));
  // unfit shows what has been entered and cannot be sent.
  const unfit = () => {
    const wrong = fault.textContent ? fault : f?.element.querySelector('.error:not(:empty)');
    wrong?.scrollIntoView({ block: 'nearest' });
    return Boolean(wrong);
  };
  const state = { e, value, f, answer, unfit };
  const send = h('button', { type: 'button', class: 'main', disabled: !about.connected || (about.readOnly && e.method !== 'rpc.discover') }, 'Call');
  send.addEventListener('click', () => call(state, send));
  const buttons = h('div', { class: 'row' }, send);
  if (e.group === 'methods') {
    buttons.append(h('button', { type: 'button', disabled: !about.connected || about.readOnly, onclick: async () => {
      if (unfit()) return;
      try {
        await client.notify(e.method, e.params(value()));
        answer.replaceChildren(h('p', { class: 'quiet' }, 'The notification is sent. There is no answer.'));
      } catch (wrong) { answer.replaceChildren(h('p', { class: 'error' }, clip(wrong.message, caps.note))); }
    } }, 'Send as a notification'), h('button', { type: 'button', disabled: !about.connected || about.readOnly, onclick: () => {
      if (unfit()) return;
      try {
        answer.replaceChildren(h('p', { class: 'quiet' }, `"${rawName}" shows and sends the batch. It has ${addToBatch(client.request(e.method, e.params(value())))} messages.`));
      } catch (wrong) { answer.replaceChildren(h('p', { class: 'error' }, `The text of "${rawName}" is not JSON: ${wrong.message}`)); }
    } }, 'Add to a batch'));
  }
  if (e.uri && about.connected) buttons.append(subscribe(e, value));
  if (about.readOnly) buttons.append(h('span', { class: 'warning' }, 'Over this address, only lists can be read.'));
  else if (!about.connected) buttons.append(h('span', { class: 'quiet' }, 'There is no server: this is the description of one.'));
  const preset = ([name, v]) => h('button', { type: 'button', onclick: () => { f?.set(v); if (f) fromForm(); } }, clip(name, caps.name));
  const presets = (e.examples || []).length ? h('div', { class: 'row' }, h('span', { class: 'quiet' }, 'Examples'), e.examples.map(preset)) : null;
  const inputs = f ? h('div', { class: 'two' }, h('div', {}, f.element), h('div', {}, h('h3', {}, 'JSON'), area, fault)) : h('p', { class: 'quiet' }, 'There is nothing to enter.');
  main.addEventListener('keydown', (event) => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && send.isConnected) { event.preventDefault(); send.click(); } }, { signal: abortOnLeave(send) });
  return h('section', { 'aria-label': 'Try it' }, presets, inputs, buttons, copies, answer);
}

// abortOnLeave returns a signal that ends when another entry is opened.
let left = new AbortController();
function abortOnLeave() {
  left.abort();
  left = new AbortController();
  return left.signal;
}

function subscribe(e, value) {
  const button = h('button', { type: 'button' }, 'Subscribe to changes');
  let listening = null;
  button.addEventListener('click', async () => {
    try {
      const uri = e.uri(value() ?? new Map());
      if (client.era === 'stateless') {
        if (listening) { client.cancel(listening.id); return; }
        listening = client.start('subscriptions/listen', client.params(from({ notifications: { resourceSubscriptions: [uri] } })));
        button.textContent = 'Subscribing ...';
        const number = print(listening.id);
        subscribed.set(number, () => { button.textContent = 'Unsubscribe'; });
        listening.done.catch((wrong) => { if (wrong.message !== 'cancelled') say(wrong.message, 'error'); })
          .finally(() => { listening = null; subscribed.delete(number); button.textContent = 'Subscribe to changes'; });
        return;
      }
      const on = button.dataset.on === 'true';
      await client.call(on ? 'resources/unsubscribe' : 'resources/subscribe', from({ uri }));
      button.dataset.on = String(!on);
      button.textContent = on ? 'Subscribe to changes' : 'Unsubscribe';
    } catch (wrong) { say(wrong.message, 'error'); }
  });
  return button;
}

// call calls an entry, answers the questions of the server in rounds, and shows the answer.
async function call({ e, value, f, answer, unfit }, send) {
  if (unfit()) return;
  f?.mark([]);
  const token = id();
  const said = h('p', { role: 'status' }, 'Waiting for the answer ...');
  let running = null;
  const stop = h('button', { type: 'button', onclick: () => running && client.cancel(running.id) }, 'Cancel');
  answer.replaceChildren(h('h3', {}, 'Answer'), said, stop);
  send.disabled = true;
  progress.set(token, (p) => {
    const total = get(p, 'total');
    const of = total instanceof Num ? ' of ' + line(total.text) : '';
    said.textContent = `Progress: ${line(print(get(p, 'progress') ?? null))}${of} ${line(get(p, 'message'))}`;
  });
  const begun = performance.now();
  try {
    const params = e.params(value());
    let round = e.mcp ? client.params(params, token) : params;
    let result;
    let size = 0;
    let fault = '';
    for (let rounds = 0; rounds < 20; rounds++) {
      running = client.start(e.method, round);
      ({ result, size, fault } = await running.done);
      if (get(result, 'resultType') !== 'input_required') break;
      const responses = new Map();
      for (const [key, question] of get(result, 'inputRequests') ?? []) responses.set(key, from(await ask(text(get(question, 'method')), get(question, 'params'))));
      round = client.params(new Map(params).set('inputResponses', responses), token);
      if (get(result, 'requestState') !== undefined) round.set('requestState', get(result, 'requestState'));
    }
    showResult(e, f, answer, result, Math.round(performance.now() - begun), size);
    if (fault) answer.firstChild.after(h('p', { class: 'error' }, `A part of the answer cannot be read: ${clip(fault, caps.line)}.`));
  } catch (wrong) {
    showFault(e, f, answer, wrong, Math.round(performance.now() - begun));
  } finally {
    progress.delete(token);
    send.disabled = false;
  }
}

function measures(ms, size) { return h('p', { class: 'quiet' }, `${ms} ms${size ? `, ${size.toLocaleString('en')} bytes` : ''}`); }

function showResult(e, f, answer, result, ms, size) {
  const failed = get(result, 'isError') === true;
  if (failed) answers.delete(e.key);
  else answers.set(e.key, e.mcp ? get(result, 'structuredContent') : result);
  const parts = [h('h3', {}, failed ? 'Answer: the tool failed' : 'Answer'), measures(ms, size)];
  const declared = get(result, '_meta', 'io.github.rpcgen-go/error');
  if (isObject(declared)) {
    parts.push(h('p', { class: 'error' }, line(get(declared, 'name'))));
    parts.push(...violations(f, get(declared, 'data', 'violations'), e.sends ?? ''));
  }
  if (e.mcp) parts.push(content(result));
  parts.push(h('details', { open: !e.mcp }, h('summary', {}, 'JSON'),
    h('pre', { class: 'wrap', tabindex: 0 }, clip(print(result ?? null, '  '), caps.text)), copyButton('Copy', () => print(result ?? null, '  '))));
  answer.replaceChildren(...parts);
}

function showFault(e, f, answer, wrong, ms) {
  const message = wrong.code instanceof Num ? `${wrong.code.text}: ${wrong.message}` : wrong.message;
  const parts = [h('h3', {}, 'Answer: an error'), measures(ms), h('p', { class: 'error' }, clip(message, caps.note))];
  const known = e.errors?.find((one) => wrong.code instanceof Num && get(one, 'code')?.text === wrong.code.text);
  if (known) parts.push(h('p', {}, `This is the declared error ${line(get(known, 'x-name')) || line(get(known, 'message'))}.`));
  parts.push(...violations(f, get(wrong.data, 'violations'), ''));
  if (wrong.data !== undefined) parts.push(h('pre', { class: 'wrap', tabindex: 0 }, clip(print(wrong.data, '  '), caps.text)));
  answer.replaceChildren(...parts);
}

// violations shows at the fields of the form what the server found wrong; the rest is returned as a list.
function violations(f, list, at) {
  if (!Array.isArray(list)) return [];
  const all = list.filter(isObject);
  const shown = all.slice(0, caps.violations).map((v) => {
    let place = text(get(v, 'pointer'));
    if (at && place.startsWith(at + '/')) place = place.slice(at.length);
    const [expected, got, closest] = ['expected', 'got', 'closest'].map((name) => line(get(v, name)));
    return { pointer: place, message: `expected ${expected}${got ? `, got ${got}` : ''}${closest ? `; did you mean "${closest}"?` : ''}` };
  });
  const rest = f ? f.mark(shown) : shown;
  const some = all.length > shown.length ? `; ${shown.length} are shown` : '';
  return [h('p', { class: 'error' }, `${all.length} ${all.length === 1 ? 'value is' : 'values are'} not as the schema has them${some}.`),
    rest.length ? h('ul', { class: 'list' }, rest.map((v) => h('li', {}, h('code', {}, line(v.pointer) || '/'), ' ', v.message))) : null].filter(Boolean);
}

// addToBatch adds a message to the text of the form for any message, and returns how many it has then.
function addToBatch(message) {
  const now = kept.has('raw') ? parse(kept.get('raw')) : [];
  const batch = [...(Array.isArray(now) ? now : [now]), message];
  kept.set('raw', print(batch, '  '));
  return batch.length;
}

// rawForm sends any message, or a batch.
function rawForm() {
  const area = h('textarea', { rows: 10, 'aria-label': 'The message', spellcheck: 'false' });
  area.value = kept.get('raw') ?? '{\n  "jsonrpc": "2.0",\n  "id": 1000000,\n  "method": ""\n}';
  area.addEventListener('input', () => kept.set('raw', area.value));
  const fault = h('p', { class: 'error', role: 'alert' });
  return h('section', {}, area, fault, h('div', { class: 'row' }, h('button', { type: 'button', class: 'main', disabled: about.readOnly, onclick: async () => {
    try {
      fault.textContent = '';
      await client.send(parse(area.value));
      if (trace.classList.contains('hidden')) $('showtrace').click();
    } catch (wrong) { fault.textContent = wrong.message; }
  } }, 'Send'), h('span', { class: 'quiet' }, 'Answers are among the messages.')));
}

// entitle names the page: without a name of the service, by how it is reached.
function entitle(name) {
  document.title = $('title').textContent = line(name || about.url || asList(about.command).join(' ') || 'Explorer');
}

// Start.
async function start() {
  $('again').classList.add('hidden');
  say('Connecting ...');
  try {
    about = await (await client.fetch('about')).json();
    if (about.document) about.document = from(about.document);
    if (about.connected) await client.connect(asList(get(about.document, 'methods')).length > 0 && get(about.document, 'tools') === undefined);
    const mcp = client.era && client.era !== 'plain';
    const named = text(get(client.server, 'serverInfo', 'title')) || text(get(client.server, 'serverInfo', 'name')) || text(get(client.server, '_meta', 'io.modelcontextprotocol/serverInfo', 'name'));
    entitle(about.name || named);
    for (const name of ['era', 'eralabel']) $(name).classList.toggle('hidden', !mcp);
    $('revision').classList.toggle('hidden', !mcp);
    if (mcp) {
      $('era').value = client.era;
      $('revision').textContent = 'MCP ' + line(client.revision, caps.name);
    }
    say(about.connected ? 'Connected' : 'Description only');
    await refresh();
    const instructions = text(get(client.server, 'instructions'));
    if (instructions && !chosen) {
      const p = h('p', {}, clip(instructions, caps.note));
      p.style.whiteSpace = 'pre-wrap';
      main.replaceChildren(h('h2', {}, 'Instructions'), p, questions, heardBox, trace);
    } else if (!chosen) {
      main.append(questions, heardBox, trace);
    }
  } catch (wrong) {
    say(wrong.message, 'error');
    $('again').classList.remove('hidden');
  }
  document.body.dataset.ready = 'true';
}
$('again').addEventListener('click', start);
$('era').addEventListener('change', async () => {
  try {
    await client.useEra($('era').value);
    $('revision').textContent = 'MCP ' + line(client.revision, caps.name);
    await refresh();
  } catch (wrong) {
    say(wrong.message, 'error');
    $('era').value = client.era;
  }
  document.body.dataset.era = client.era;
});
await start();
