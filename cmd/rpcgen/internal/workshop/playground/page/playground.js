// The page of the playground. The compiler runs in a worker, which takes one request at a time: while it works, only the last text waits.
import { h, tabs, download, copyButton, clip } from './dom.js';
import { zip } from './zip.js';
import { encode, decode } from './fragment.js';

const mostShown = 400000; // characters of one result
const pause = 60; // milliseconds after a key
const longest = 5000; // milliseconds after which a text makes way for a newer one

const $ = (id) => document.getElementById(id);
const status = $('status');

const name = h('input', { id: 'name', class: 'mono', value: 'weather.rpc.yaml', autocomplete: 'off', spellcheck: 'false', maxlength: 100 });
const area = (label) => h('textarea', { 'aria-label': label, spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off', wrap: 'off' });
const text = area('The source: a schema, or a document to import');
const before = area('An earlier version of the source');
const take = h('input', { id: 'take', class: 'mono grow', placeholder: 'tag:issues, GET /users/**', autocomplete: 'off', spellcheck: 'false' });
const takeRow = h('div', { class: 'row hidden' }, h('label', { for: 'take' }, 'Operations'), take);
const sources = tabs('Versions', [['text', 'Source', h('div', { class: 'fill' }, text)], ['before', 'Earlier version', h('div', { class: 'fill' }, before)]]);
$('left').append(h('div', { class: 'row' }, h('label', { for: 'name' }, 'Name'), name), takeRow, sources.list, text.parentElement, before.parentElement);
sources.show('text');

const panel = () => h('div', { class: 'fill', tabindex: 0 });
const findings = panel();
const programs = { go: program('go'), typescript: program('typescript') };
const panels = { findings, schema: panel(), go: programs.go.pane, typescript: programs.typescript.pane, tools: panel(), markdown: panel(), diff: panel() };
const results = tabs('Results', [
  ['findings', 'Findings', findings], ['schema', 'Schema', panels.schema], ['go', 'Go', panels.go], ['typescript', 'TypeScript', panels.typescript],
  ['tools', 'tools/list', panels.tools],
  ['markdown', 'Reference', panels.markdown], ['diff', 'Changes', panels.diff],
], () => compileSoon(0)); // what another tab showed may be of an earlier text
$('right').append(results.list, ...Object.values(panels));

// program returns a pane for generated files, one of which is chosen, and a function that fills it.
function program(kind) {
  const file = h('select', { 'aria-label': 'Generated file' });
  const code = h('pre', { tabindex: 0, class: 'grow' });
  const pane = h('div', { class: 'pane-body fill' }, h('div', { class: 'row' }, file, copyButton('Copy', () => code.textContent)), code);
  let files = [];
  let chosen = '';
  const show = () => {
    const found = files.find((f) => f.name === chosen) || files[0];
    code.textContent = found ? clip(found.text, mostShown) : errors ? 'There are errors: see Findings.' : 'The schema declares nothing.';
  };
  file.addEventListener('change', () => { chosen = file.value; show(); });
  return {
    pane,
    fill(answer) {
      files = answer[kind] || [];
      file.replaceChildren(...files.map((f) => h('option', { value: f.name }, f.name)));
      if (files.some((f) => f.name === chosen)) file.value = chosen;
      show();
    },
  };
}

// The worker.
let worker = null;
let busy = false;
let waiting = null;
let answered = new Map(); // ids of requests to what is called with their answers
let examples = [];
let ready = false;
let requests = 0;
let stopped = ''; // why the compiler was started again
let begun = 0; // when the request that the worker has was sent
let timers = []; // of that request
let said = null; // the status before it said that the request takes long

function start() {
  worker = new Worker('worker.js');
  worker.addEventListener('message', ({ data }) => {
    if (data.ready) return begin(data.ready);
    if (data.loading) { status.textContent = data.loading; return; }
    if (data.failed) { status.textContent = data.failed; status.className = 'error'; return; }
    rest();
    const take = answered.get(data.id);
    answered.delete(data.id);
    if (data.stopped) {
      restart('The compiler stopped on this text. It has been started again; change the text, and please report it.');
      return;
    }
    take?.(JSON.parse(data.answer), data.took);
    next();
  });
  worker.addEventListener('error', (event) => { event.preventDefault(); restart('The compiler cannot be started: ' + (event.message || 'its files cannot be loaded')); });
}

function rest() {
  busy = false;
  for (const timer of timers) clearTimeout(timer);
  timers = [];
  if (said) [status.textContent, status.className] = said;
  said = null;
}

function restart(message) {
  worker.terminate();
  stopped = message;
  rest();
  waiting = null;
  answered = new Map();
  status.textContent = message;
  status.className = 'error';
  if (ready) start();
  ready = false;
}

function next() {
  if (!waiting || !ready) return;
  if (busy) {
    timers.push(setTimeout(giveUp, begun + longest - performance.now()));
    return;
  }
  const { request, take } = waiting;
  waiting = null;
  busy = true;
  begun = performance.now();
  timers.push(setTimeout(() => {
    said = [status.textContent, status.className];
    [status.textContent, status.className] = ['Compiling ...', 'quiet'];
  }, 1000));
  const number = ++requests;
  answered.set(number, take);
  worker.postMessage({ id: number, request: JSON.stringify(request) });
}

// giveUp has a new worker take the text that waits.
function giveUp() {
  const newer = waiting;
  restart('The text before took too long.');
  waiting = newer;
}

function begin(list) {
  examples = JSON.parse(list);
  const again = ready || $('example').length > 1;
  ready = true;
  if (again) { // the text waits that was entered meanwhile, or the compiler for the next one
    status.textContent = stopped;
    next();
    return;
  }
  $('example').replaceChildren(...examples.map((e, i) => h('option', { value: i }, e.title)));
  if (!text.value && !location.hash) choose(0);
  compileSoon(0);
}

function choose(i) {
  const e = examples[i];
  name.value = e.name;
  text.value = e.text;
  before.value = e.before || '';
  take.value = '';
  compileSoon(0);
}
$('example').addEventListener('change', () => choose(Number($('example').value)));

// base names the main file, by which a project is called.
const base = () => name.value.trim().replace(/[^\w.-]/g, '-').replace(/^[.-]+/, '') || 'service.rpc.yaml';

function request(want) {
  const patterns = take.value.split(',').map((one) => one.trim()).filter(Boolean);
  return { files: { [base()]: text.value }, main: base(), before: before.value, take: patterns, want };
}

let timer = 0;
let typed = 0;
function compileSoon(after = pause) {
  typed ||= performance.now();
  clearTimeout(timer);
  timer = setTimeout(() => {
    const since = typed;
    typed = 0;
    waiting = { request: request([]), take: (answer, took) => { showFindings(answer, took, since); partSoon(); } };
    next();
  }, after);
}

// partSoon asks for what the chosen tab shows, a moment after the findings, so that these come first while a person types.
function partSoon() {
  const tab = results.current();
  if (tab === 'findings' || tab === 'schema') return;
  clearTimeout(timer);
  timer = setTimeout(() => {
    waiting = { request: request([tab]), take: showPart };
    next();
  }, 150);
}
for (const input of [text, before, name, take]) input.addEventListener('input', () => compileSoon());

function place(f) {
  const lines = text.value.split('\n');
  let at = 0;
  for (let i = 0; i < f.line - 1 && i < lines.length; i++) at += lines[i].length + 1;
  // Columns count bytes of UTF-8, and a selection counts units of UTF-16.
  const line = lines[f.line - 1] || '';
  const units = (bytes) => new TextDecoder().decode(new TextEncoder().encode(line).slice(0, Math.max(bytes, 0))).length;
  const from = at + units(f.column - 1);
  sources.show('text');
  text.focus();
  text.setSelectionRange(from, Math.max(from + 1, at + units(f.column - 1 + (f.length || 1))));
  const height = parseFloat(getComputedStyle(text).lineHeight) || 19;
  text.scrollTop = Math.max(0, (f.line - 5) * height);
}

function finding(f, own) {
  const where = f.file ? `${f.file}:${f.line}:${f.column}` : '';
  const head = [h('span', { class: f.severity === 'error' ? 'error' : f.severity === 'warning' ? 'warning' : 'quiet' }, f.severity), ' ', f.message];
  const item = own && f.line
    ? h('button', { type: 'button', class: 'plain', onclick: () => place(f) }, ...head)
    : h('span', {}, ...head);
  return h('li', {}, item, h('div', { class: 'quiet' }, [where, f.path, `[${f.code}]`].filter(Boolean).join('  ')), f.help ? h('div', {}, f.help) : null);
}

// refused shows an answer that is none.
function refused(answer) {
  if (!answer.error) return false;
  status.textContent = answer.error;
  status.className = 'error';
  return true;
}

let errors = 0;
function showFindings(answer, took, since) {
  if (refused(answer)) return;
  const list = answer.findings.diagnostics;
  errors = list.filter((f) => f.severity === 'error').length;
  const imported = answer.kind === 'import';
  results.label('findings', `Findings (${list.length + answer.findings.more})`);
  results.hide('schema', !imported);
  takeRow.classList.toggle('hidden', !imported || !/^\s*["{]*(openapi|swagger)\b|["{,\s](openapi|swagger)["\s]*:/.test(text.value.slice(0, 4000)));
  findings.replaceChildren(list.length ? h('ul', { class: 'list' }, list.map((f) => finding(f, f.file.replace(/\.\w+$/, '') === base().replace(/\.\w+$/, ''))))
    : h('p', { class: 'fine' }, 'There is nothing to report.'));
  if (answer.findings.more) findings.append(h('p', { class: 'quiet' }, `${answer.findings.more} more are not shown.`));
  if (answer.report) findings.append(h('h3', {}, 'Report of the import'), h('pre', { class: 'wrap' }, clip(answer.report, mostShown)));
  plain('schema', answer.schema, 'The source is a schema itself.');
  $('project').disabled = errors > 0;
  status.className = errors ? 'error' : 'quiet';
  status.textContent = errors ? `${errors} ${errors === 1 ? 'error' : 'errors'}` : `Checked in ${Math.round(took)} ms`;
  if (errors) showPart({});
  document.body.dataset.shown = Math.round(performance.now() - since);
  document.body.dataset.took = Math.round(took);
  document.body.dataset.answers = 1 + Number(document.body.dataset.answers || 0);
}

function plain(key, value, otherwise) {
  panels[key].replaceChildren(value ? h('pre', { class: key === 'markdown' || key === 'diff' ? 'wrap' : '' }, clip(value, mostShown))
    : h('p', { class: 'quiet' }, errors ? 'There are errors: see Findings.' : otherwise));
}

// showPart shows what the chosen tab asked for.
function showPart(answer) {
  if (refused(answer)) return;
  const tab = results.current();
  if (programs[tab]) programs[tab].fill(answer);
  else if (tab === 'tools') plain('tools', answer.tools, 'The schema declares no tools.');
  else if (tab === 'markdown') plain('markdown', answer.markdown, 'There is no reference.');
  else if (tab === 'diff') plain('diff', answer.diff, before.value.trim() ? 'Nothing has changed.' : 'Paste an earlier version into the tab of that name.');
  document.body.dataset.parts = 1 + Number(document.body.dataset.parts || 0);
}

$('project').addEventListener('click', () => {
  waiting = {
    request: request(['project']),
    take: (answer) => {
      if (!answer.project) { status.textContent = 'There are errors: see Findings.'; compileSoon(0); return; }
      const folder = base().split('.')[0] || 'service';
      download(folder + '.zip', zip(answer.project.map((f) => [`${folder}/${f.name}`, f.text])), 'application/zip');
      compileSoon(0);
    },
  };
  next();
});

$('link').addEventListener('click', async () => {
  const content = await encode({ name: name.value, text: text.value, before: before.value, take: take.value });
  history.replaceState(null, '', '#' + content);
  try {
    await navigator.clipboard.writeText(location.href);
    status.textContent = 'The link is copied. It holds the texts themselves.';
  } catch {
    status.textContent = 'The link is in the address bar. It holds the texts themselves.';
  }
});

async function open() {
  if (!location.hash) return;
  try {
    const content = await decode(location.hash.slice(1));
    name.value = content.name || 'service.rpc.yaml';
    text.value = content.text;
    before.value = content.before || '';
    take.value = content.take || '';
    compileSoon(0);
  } catch (reason) {
    status.textContent = 'The link cannot be read: ' + reason.message;
    status.className = 'error';
  }
}
addEventListener('hashchange', open);

results.show('findings');
await open();
start();
