// Forms made from JSON Schema (draft 2020-12 and draft-07, as far as values can be entered by hand). A form holds a value at any time: absent is
// undefined. Whatever it has no fields for is entered as JSON.
import { caps } from './caps.js';
import { h, id, clip } from './dom.js';
import { check } from './check.js';
import { Num, follow, isNumber, isObject, parse, print, get, pointer } from './json.js';

let resolved = 0;
let fitted = 0;
let started = 0;

const asList = (v) => (Array.isArray(v) ? v : []);
const asMap = (v) => (isObject(v) ? v : new Map());
const str = (v) => (typeof v === 'string' ? v : '');

// resolve follows $ref within the document, and merges allOf of objects.
export function resolve(schema, root, depth = 0) {
  if (depth === 0) resolved = 0;
  if (!isObject(schema)) return schema === false ? new Map([['not', new Map()]]) : new Map();
  if (depth > caps.depth || ++resolved > caps.resolved) return schema;
  const ref = schema.get('$ref');
  if (typeof ref === 'string' && ref.startsWith('#')) {
    const target = resolve(follow(ref, root), root, depth + 1);
    const own = new Map(schema);
    own.delete('$ref');
    return own.size ? merge([target, own]) : target;
  }
  const all = schema.get('allOf');
  if (Array.isArray(all)) {
    const own = new Map(schema);
    own.delete('allOf');
    return merge([own, ...all.map((one) => resolve(one, root, depth + 1))]);
  }
  return schema;
}

// merge makes one schema of several, in time that is in proportion to them.
function merge(all) {
  const out = new Map();
  const joined = new Map(); // the properties and required names of several, which are not those of one
  for (const one of all) {
    for (const [key, value] of one) {
      const before = out.get(key);
      const names = key === 'required' && Array.isArray(before) && Array.isArray(value);
      if (!names && !(key === 'properties' && isObject(before) && isObject(value))) {
        out.set(key, value);
        joined.delete(key);
        continue;
      }
      if (!joined.has(key)) joined.set(key, names ? new Set(before) : new Map(before));
      const sum = joined.get(key);
      for (const more of value) names ? sum.add(more) : sum.set(...more);
    }
  }
  for (const [key, sum] of joined) out.set(key, key === 'required' ? [...sum] : sum);
  return out;
}

const kindOf = (v) => (v === null ? 'null' : Array.isArray(v) ? 'array' : isObject(v) ? 'object' : v instanceof Num ? 'number' : typeof v);

// types returns the types that a schema names, without null; empty for none.
function types(schema) {
  const t = schema.get('type');
  return (Array.isArray(t) ? t : t === undefined ? [] : [t]).filter((one) => one !== 'null');
}

// branches returns the branches of a union without that of null, or nothing.
function branches(schema, root) {
  const all = schema.get('oneOf') || schema.get('anyOf');
  if (Array.isArray(all)) {
    const own = new Map(schema);
    for (const key of ['oneOf', 'anyOf', 'discriminator', 'title', 'description', 'default', 'examples']) own.delete(key);
    const again = (one) => one.get('oneOf') === all || one.get('anyOf') === all; // the union is a branch of itself
    return all.slice(0, caps.branches).map((one) => named(one, root))
      .filter((one) => !again(one) && one.get('type') !== 'null' && !(one.has('const') && one.get('const') === null))
      .map((one) => (own.size ? merge([own, one]) : one));
  }
  const several = types(schema);
  if (several.length > 1) return several.map((one) => new Map(schema).set('type', one));
  return null;
}

// named is a branch with the name of its declaration, unless it has a title of its own.
function named(branch, root) {
  const out = resolve(branch, root);
  const name = /^#\/(?:.*\/)?([^/]+)$/.exec(str(get(branch, '$ref') ?? get(branch, 'allOf', 0, '$ref')))?.[1];
  return !name || out.has('title') ? out : new Map(out).set('title', name);
}

// nullable reports whether null is a value.
function nullable(schema, root, depth = 0) {
  const t = schema.get('type');
  if (t === 'null' || (Array.isArray(t) && t.includes('null'))) return true;
  const all = schema.get('oneOf') || schema.get('anyOf');
  if (Array.isArray(all)) return depth < 3 && all.slice(0, caps.branches).some((one) => nullable(resolve(one, root), root, depth + 1));
  const list = schema.get('enum');
  return schema.get('nullable') === true || (Array.isArray(list) && list.includes(null)) || (schema.has('const') && schema.get('const') === null);
}

// fits estimates how well a value fits a schema, for the choice of a branch: 0 if it does not, and more for each member that has a field.
export function fits(value, schema, root, depth = 0) {
  schema = resolve(schema, root);
  if (depth === 0) fitted = 0;
  if (depth > 12 || ++fitted > caps.fitted || !schema.size) return 1;
  if (value === null) return nullable(schema, root) ? 2 : 0;
  if (schema.has('const')) return print(schema.get('const')) === print(value) ? 8 : 0;
  const list = schema.get('enum');
  if (Array.isArray(list)) return list.slice(0, caps.options).some((one) => print(one) === print(value)) ? 4 : list.length > caps.options ? 1 : 0;
  const many = branches(schema, root);
  if (many) return Math.max(0, ...many.map((one) => fits(value, one, root, depth + 1)));
  const want = types(schema)[0];
  const kind = kindOf(value);
  if (want && want !== kind && !(want === 'integer' && kind === 'number')) return 0;
  if (want === 'integer' && !Number.isInteger(Number(value.text))) return 0;
  if (kind === 'object') {
    const properties = asMap(schema.get('properties'));
    let score = 1;
    for (const name of asList(schema.get('required'))) if (!value.has(name)) return 0;
    for (const [name, member] of value) {
      if (!properties.has(name)) {
        if (schema.get('additionalProperties') === false) return 0;
        continue;
      }
      const one = fits(member, properties.get(name), root, depth + 1);
      if (!one) return 0;
      score += one;
    }
    return score;
  }
  if (kind === 'array' && isObject(schema.get('items'))) return value.slice(0, 20).every((one) => fits(one, schema.get('items'), root, depth + 1)) ? 2 : 0;
  return want ? 2 : 1;
}

// titleOf names a branch.
const titleOf = (schema, i) => clip(whole(schema, i), caps.name);

function whole(schema, i) {
  const properties = schema.get('properties');
  if (isObject(properties)) {
    for (const [name, one] of properties) {
      if (isObject(one) && typeof one.get('const') === 'string') return `${name}: ${one.get('const')}`;
    }
  }
  if (schema.has('const')) return print(schema.get('const'));
  return str(schema.get('title')) || [types(schema).join(' or '), isObject(properties) ? `with ${[...properties.keys()].slice(0, 3).join(', ')}` : ''].filter(Boolean).join(' ') || `branch ${i + 1}`;
}

// rules says what a value has to be.
function rules(schema) {
  const out = [];
  const shown = (v) => (v instanceof Num ? v.text : print(v));
  const add = (key, say) => { if (schema.has(key)) out.push(clip(say(shown(schema.get(key))), caps.line)); };
  add('format', (v) => v.slice(1, -1));
  const count = (v, one, many) => `${v} ${v === '1' ? one : many}`;
  add('minLength', (v) => `at least ${count(v, 'character', 'characters')}`);
  add('maxLength', (v) => `at most ${count(v, 'character', 'characters')}`);
  add('pattern', (v) => `matches ${JSON.parse(v)}`);
  add('minimum', (v) => `at least ${v}`);
  add('exclusiveMinimum', (v) => `more than ${v}`);
  add('maximum', (v) => `at most ${v}`);
  add('exclusiveMaximum', (v) => `less than ${v}`);
  add('multipleOf', (v) => `a multiple of ${v}`);
  add('minItems', (v) => `at least ${count(v, 'entry', 'entries')}`);
  add('maxItems', (v) => `at most ${count(v, 'entry', 'entries')}`);
  if (schema.get('uniqueItems') === true) out.push('no entry twice');
  add('default', (v) => `default ${v.length > 60 ? v.slice(0, 60) + '...' : v}`);
  return out.join(', ');
}

// starting returns the value that a field begins with when it is set.
function starting(schema, root, depth = 0) {
  schema = resolve(schema, root);
  if (depth === 0) started = 0;
  if (depth > 8 || ++started > caps.started) return null;
  if (schema.has('default')) return schema.get('default');
  if (schema.has('const')) return schema.get('const');
  if (Array.isArray(schema.get('enum'))) return schema.get('enum').find((one) => one !== null) ?? null;
  const many = branches(schema, root);
  if (many?.length) return starting(many[0], root, depth + 1);
  switch (types(schema)[0] || (schema.has('properties') ? 'object' : '')) {
    case 'string': return '';
    case 'boolean': return false;
    case 'integer':
    case 'number':
      if (schema.get('minimum') instanceof Num) return schema.get('minimum');
      return new Num(schema.get('exclusiveMinimum') instanceof Num ? String(Number(schema.get('exclusiveMinimum').text) + 1) : '0');
    case 'array': return [];
    case 'object': {
      const out = new Map();
      for (const name of asList(schema.get('required'))) out.set(name, starting(get(schema, 'properties', name), root, depth + 1));
      return out;
    }
  }
  return nullable(schema, root) ? null : new Map();
}

// form makes a form of a schema. changed is called after each change by a person. The result has element, get() with the value, set(value), and
// mark(violations), which shows messages at their fields and returns those that have none. What is wrong by the schema is shown while a person types.
export function form(schema, changed, optional = false) {
  const root = schema;
  const fields = new Map(); // by JSON Pointer: where a message is shown
  // What is wrong is said at once at the fields that a person has been in, of the others when all of the value is given.
  const entered = new Set();
  const wrong = () => (top.get() === undefined ? [] : check(top.get(), root, root, { resolve, types, branches, nullable, fits }));
  const top = field(root, root, [], '', optional, () => {
    changed();
    mark(wrong().filter(({ pointer: at }) => entered.has(fields.get(at))), false);
  }, fields);
  const enter = (event) => { entered.add(event.target.closest('.field')?.lastElementChild); };
  top.element.addEventListener('input', enter, { capture: true });
  top.element.addEventListener('change', enter, { capture: true });
  const mark = (violations, focus) => {
    top.element.querySelectorAll('[aria-invalid]').forEach((one) => one.removeAttribute('aria-invalid'));
    const rest = [];
    const said = new Map();
    let first = null;
    for (const { pointer: at, message } of violations) {
      let place = at.length > caps.pointer ? '' : at;
      while (place && !fields.has(place)) place = place.slice(0, place.lastIndexOf('/'));
      const spot = fields.get(place);
      if (!spot || !top.element.contains(spot)) { rest.push({ pointer: at, message }); continue; }
      if (!said.has(spot)) said.set(spot, []);
      said.get(spot).push(place === at ? message : clip(`${at}: ${message}`, caps.line));
      const input = (spot.previousElementSibling ?? spot.parentElement).querySelector('input, textarea, select') ?? spot.closest('.field')?.querySelector('select');
      input?.setAttribute('aria-invalid', 'true');
      first ??= input;
    }
    for (const spot of top.element.querySelectorAll('.said')) {
      const lines = said.get(spot) || [];
      // What is there already stays, so that it is not read aloud again.
      if (lines.join() !== [...spot.children].map((one) => one.textContent).join()) spot.replaceChildren(...lines.map((one) => h('div', {}, one)));
    }
    if (focus) first?.focus();
    return rest;
  };
  return {
    element: top.element,
    get: top.get,
    set(value) {
      fields.clear();
      top.set(value);
      mark(wrong(), false);
    },
    mark: (violations) => mark(violations, true),
  };
}

// field makes the part of a form for one value: its name, its state and what it is entered by.
function field(schema, root, path, name, optional, changed, fields) {
  schema = resolve(schema, root);
  const canBeNull = nullable(schema, root);
  const label = id();
  const said = h('div', { class: 'said', role: 'alert' });
  const body = h('div', {});
  let inner = null;
  let state = optional || path.length > caps.levels || (name && fields.size > caps.begun) ? 'absent' : 'value';
  // A required value has a state to choose only if it is missing in the JSON.
  const states = h('select', { 'aria-label': `State of ${clip(name, caps.name) || 'the value'}` },
    optional || name ? h('option', { value: 'absent' }, 'not sent') : null,
    canBeNull ? h('option', { value: 'null' }, 'null') : null,
    h('option', { value: 'value' }, 'value'));
  const enter = (value) => {
    inner = suits(value, schema) ? entry(schema, root, path, label, changed, fields) : raw(label, changed);
    if (value !== undefined) inner.set(value);
    body.replaceChildren(inner.element);
  };
  const become = (next, value) => {
    state = next;
    states.value = next;
    states.classList.toggle('hidden', !optional && !canBeNull && next === 'value');
    if (next === 'value') enter(value);
    else { inner = null; body.replaceChildren(); }
  };
  states.addEventListener('change', () => {
    const own = new Map(schema);
    if (own.get('default') === null) own.delete('default'); // null is a state of its own
    become(states.value, states.value === 'value' ? starting(own, root) : undefined);
    changed();
  });
  const hint = !name ? '' : [types(schema).join(' or '), optional ? '' : 'required', rules(schema)].filter(Boolean).join(', ');
  const element = h('div', { class: 'field' },
    h('div', { class: 'row' },
      name ? h('label', { id: label }, clip(name, caps.name)) : h('span', { id: label, class: 'hidden' }, 'value'), states, h('span', { class: 'quiet' }, hint)),
    str(schema.get('description')) ? h('div', { class: 'quiet' }, str(schema.get('description')).slice(0, 2000)) : null, body, said);
  fields.set(pointer(path), said);
  become(state, state === 'value' ? starting(schema, root) : undefined);
  return {
    element,
    get: () => (state === 'absent' ? undefined : state === 'null' ? null : inner.get()),
    set(value) {
      fields.set(pointer(path), said);
      if (value === undefined && (optional || name)) become('absent');
      else if (value === null && canBeNull) become('null');
      else become('value', value === undefined ? starting(schema, root) : value);
    },
  };
}

// suits reports whether a value has a type that the fields of a schema can hold. Others are entered as JSON, so that they can be sent on purpose.
function suits(value, schema) {
  const want = types(schema);
  if (value === undefined || schema.has('const') || schema.has('enum') || !want.length) return schema.has('const') ? value === undefined || print(value) === print(schema.get('const')) : true;
  const kind = kindOf(value);
  return want.some((one) => one === kind || (one === 'integer' && kind === 'number'));
}

// entry is what a value is entered by. within are the unions that it is a branch of.
function entry(schema, root, path, label, changed, fields, within = []) {
  const many = branches(schema, root);
  const source = schema.get('oneOf') || schema.get('anyOf');
  if (source !== undefined && within.includes(source)) return raw(label, changed);
  if (many?.length > 1) return union(many, root, path, label, changed, fields, [...within, source]);
  if (many?.length === 1) schema = resolve(many[0], root);
  if (schema.has('const')) {
    const v = schema.get('const');
    return fixed(print(v), v, label);
  }
  const list = schema.get('enum');
  if (Array.isArray(list)) return choice(list.filter((one) => one !== null), label, changed);
  switch (types(schema)[0] || (isObject(schema.get('properties')) ? 'object' : '')) {
    case 'boolean': return choice([false, true], label, changed);
    case 'string': return string(schema, label, changed);
    case 'integer':
    case 'number': return numeric(schema, label, changed);
    case 'object': return object(schema, root, path, changed, fields);
    case 'array': return list_(schema, root, path, changed, fields);
  }
  return raw(label, changed);
}

const fixed = (text, value, label) => ({ element: h('code', { 'aria-labelledby': label }, clip(text, caps.note)), get: () => value, set() {} });

function choice(all, label, changed) {
  const values = all.slice(0, caps.options);
  const rest = all.length - values.length;
  let other; // a value that is not among them, which a person may send on purpose
  const shown = (v) => clip(typeof v === 'string' ? v : print(v), caps.name);
  const select = h('select', { 'aria-labelledby': label, onchange: changed }, values.map((one, i) => h('option', { value: i }, shown(one))));
  return {
    element: rest ? h('div', {}, select, h('p', { class: 'quiet' }, `${rest.toLocaleString('en')} more values are in the JSON only.`)) : select,
    get: () => (select.value === 'other' ? other : values[Number(select.value)]),
    set(v) {
      const text = print(v);
      let at = values.findIndex((one) => print(one) === text);
      select.querySelector('[value=other]')?.remove();
      if (at < 0) {
        other = v;
        select.append(h('option', { value: 'other' }, text.slice(0, 60) + (rest ? '' : ' (not one of the values)')));
        at = 'other';
      }
      select.value = at;
    },
  };
}

function string(schema, label, changed) {
  // A text area, so that line breaks stay as they are.
  const area = h('textarea', { 'aria-labelledby': label, rows: 1, spellcheck: 'false', oninput: () => { grow(); changed(); } });
  const grow = () => { area.rows = Math.min(12, area.value.split('\n').length); };
  let exact; // a text that a text area would change: it has carriage returns
  return {
    element: area,
    get: () => (exact !== undefined && exact.replaceAll(/\r\n?/g, '\n') === area.value ? exact : area.value),
    set(v) {
      exact = typeof v === 'string' ? v : print(v);
      area.value = exact;
      grow();
    },
  };
}

function numeric(schema, label, changed) {
  const input = h('input', { 'aria-labelledby': label, inputmode: types(schema)[0] === 'integer' ? 'numeric' : 'decimal', autocomplete: 'off', oninput: changed });
  return {
    element: input,
    // What is not a number is sent as a text: the server says what is wrong with it.
    get: () => (isNumber(input.value.trim()) ? new Num(input.value.trim()) : input.value),
    set(v) { input.value = v instanceof Num ? v.text : typeof v === 'string' ? v : print(v); },
  };
}

function raw(label, changed) {
  const area = h('textarea', { 'aria-labelledby': label, class: 'mono', rows: 3, spellcheck: 'false' });
  const fault = h('div', { class: 'error' });
  let value = null;
  area.addEventListener('input', () => {
    try {
      value = parse(area.value);
      fault.textContent = '';
    } catch (reason) {
      fault.textContent = `Not JSON: ${reason.message}`;
      return;
    }
    changed();
  });
  const set = (v) => { value = v; area.value = print(v, '  '); };
  set(null);
  return { element: h('div', {}, area, fault), get: () => value, set };
}

function union(many, root, path, label, changed, fields, within) {
  const select = h('select', { 'aria-label': 'Which kind' }, many.map((one, i) => h('option', { value: i }, titleOf(one, i))));
  const body = h('div', {});
  const hint = h('span', { class: 'quiet' });
  let inner;
  const enter = (i, value) => {
    select.value = i;
    hint.textContent = rules(resolve(many[i], root));
    inner = entry(resolve(many[i], root), root, path, label, changed, fields, within);
    inner.set(value);
    body.replaceChildren(inner.element);
  };
  select.addEventListener('change', () => { enter(Number(select.value), starting(many[Number(select.value)], root)); changed(); });
  enter(0, starting(many[0], root));
  return {
    element: h('div', { class: 'block' }, h('div', { class: 'row' }, select, hint), body),
    get: () => inner.get(),
    set(value) {
      const scores = many.map((one) => fits(value, one, root));
      const best = scores.indexOf(Math.max(...scores));
      if (scores[best] > 0) { enter(best, value); return; }
      inner = raw(label, changed); // it fits no branch, and is shown as it is
      inner.set(value);
      body.replaceChildren(inner.element);
    },
  };
}

function object(schema, root, path, changed, fields) {
  const properties = asMap(schema.get('properties'));
  const required = new Set(asList(schema.get('required')));
  const set = h('fieldset', {});
  const members = new Map();
  let extra = new Map(); // members without a field
  const more = schema.get('additionalProperties');
  const open = more !== false && (isObject(more) || !properties.size || more === true);
  const others = h('div', {});
  for (const [name, one] of [...properties].slice(0, caps.fields)) {
    const f = field(one, root, [...path, name], name, !required.has(name), changed, fields);
    members.set(name, f);
    set.append(f.element);
  }
  if (properties.size > caps.fields) set.append(h('p', { class: 'quiet' }, `${properties.size - caps.fields} more members are in the JSON only.`));
  if (!properties.size && !open) set.append(h('p', { class: 'quiet' }, 'There is nothing to enter.'));
  set.append(others);
  let rows = [];
  const repeated = (r) => members.has(r.key.value) || rows.some((other) => other !== r && other.key.value === r.key.value);
  const named = () => {
    for (const r of rows) r.fault.textContent = repeated(r) ? 'This name is there already.' : '';
    changed();
  };
  const row = (name, value) => {
    const key = h('input', { 'aria-label': 'Name of the member', value: name, autocomplete: 'off', spellcheck: 'false' });
    const f = field(isObject(more) ? more : new Map(), root, [...path, name], name || 'member', false, changed, fields);
    if (value !== undefined) f.set(value);
    const one = { key, f, fault: h('div', { class: 'error', role: 'alert' }) };
    const line = h('div', { class: 'block' }, h('div', { class: 'row' }, key, h('button', { type: 'button', onclick: () => { rows = rows.filter((r) => r !== one); line.remove(); named(); } }, 'Remove')), one.fault, f.element);
    key.addEventListener('input', named);
    rows.push(one);
    others.append(line);
  };
  if (open) set.append(h('button', { type: 'button', onclick: () => { row(`name${rows.length + 1}`, starting(isObject(more) ? more : new Map(), root)); named(); } }, 'Add a member'));
  return {
    element: set,
    get() {
      const out = new Map();
      for (const [name, f] of members) {
        const v = f.get();
        if (v !== undefined) out.set(name, v);
      }
      for (const { key, f } of rows) out.set(key.value, f.get());
      for (const [name, v] of extra) out.set(name, v);
      return out;
    },
    set(value) {
      extra = new Map();
      rows = [];
      others.replaceChildren();
      const given = isObject(value) ? value : new Map();
      for (const [name, f] of members) f.set(given.get(name));
      for (const [name, v] of given) {
        if (members.has(name)) continue;
        if (open && rows.length < caps.fields) row(name, v);
        else extra.set(name, v);
      }
      if (extra.size) others.append(h('p', { class: 'quiet' }, `${extra.size === 1 ? 'A member is' : `${extra.size} members are`} in the JSON only: ${[...extra.keys()].slice(0, 5).join(', ')}`));
    },
  };
}

function list_(schema, root, path, changed, fields) {
  const prefix = schema.get('prefixItems');
  const items = h('div', {});
  let all = [];
  let rest = []; // entries without a field
  const one = (i) => (Array.isArray(prefix) && i < prefix.length ? prefix[i] : isObject(schema.get('items')) ? schema.get('items') : new Map());
  const rebuild = (values) => {
    rest = values.slice(caps.fields);
    items.replaceChildren();
    all = values.slice(0, caps.fields).map((v, i) => {
      const f = field(one(i), root, [...path, i], String(i), false, changed, fields);
      f.set(v);
      items.append(h('div', { class: 'block' }, f.element, h('button', { type: 'button', 'aria-label': `Remove entry ${i}`, onclick: () => {
        const now = all.map((x) => x.get());
        now.splice(i, 1);
        rebuild([...now, ...rest]);
        changed();
      } }, 'Remove')));
      return f;
    });
    if (rest.length) items.append(h('p', { class: 'quiet' }, `${rest.length} more entries are in the JSON only.`));
  };
  const get_ = () => [...all.map((x) => x.get()), ...rest];
  const add = h('button', { type: 'button', onclick: () => { rebuild([...get_(), starting(one(all.length), root)]); changed(); } }, 'Add an entry');
  return { element: h('fieldset', {}, items, add), get: get_, set: (v) => rebuild(Array.isArray(v) ? v : []) };
}
