// What is wrong with a value by its schema, while a person enters it. The server has the last word: what is not looked at here, it looks at.
import { caps } from './caps.js';
import { clip } from './dom.js';
import { Num, isObject, pointer, print } from './json.js';

const plural = (n, one, many) => `${n} ${n === '1' ? one : many}`;

// compare compares two numbers exactly: less than, equal to or more than 0. It is NaN for exponents of more than three digits.
function compare(a, b) {
  const [x, y] = scaled(a.text, b.text);
  return x === undefined ? NaN : x < y ? -1 : x > y ? 1 : 0;
}

const same = (a, b) => print(a) === print(b) || a instanceof Num && b instanceof Num && compare(a, b) === 0;

// scaled returns two numbers as integers of the same scale.
function scaled(...texts) {
  if (texts.some((one) => one.length > caps.number)) return [];
  const parts = texts.map((one) => /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(one));
  if (parts.includes(null)) return [];
  const exponents = parts.map(([, , , fraction = '', exponent = '0']) => Number(exponent) - fraction.length);
  const least = Math.min(...exponents);
  return parts.map(([, sign, whole, fraction = ''], i) => BigInt(sign + '1') * BigInt(whole + fraction) * 10n ** BigInt(exponents[i] - least));
}

// tryable reports whether a pattern takes little time on any short text: no group is repeated that repeats or chooses within, and what is tried in
// several ways is rare. A part that is repeated costs as much as five choices.
function tryable(pattern) {
  const signs = pattern.replace(/\\[^1-9k]/g, '').replace(/\(\?/g, '(');
  const count = (of) => (signs.match(of) || []).length;
  const repeated = [...signs.matchAll(/\)[*+{]/g)].at(-1)?.index ?? -1;
  const first = signs.search(/[*+?|}]/);
  return !signs.includes('\\') && (first < 0 || first > repeated) && count(/[*+]|,\d*\}/g) * 5 + count(/[?|]/g) <= 10;
}

function fails(pattern, text) {
  if (pattern.length > caps.pattern || text.length > caps.tried || !tryable(pattern)) return false;
  try {
    return !new RegExp(pattern, 'u').test(text);
  } catch {
    return false; // other languages have other patterns
  }
}

// check returns what is wrong: pointers and messages. of has resolve, types, branches, nullable and fits of the form.
export function check(value, schema, root, of) {
  const found = [];
  const look = (v, schema, path, unions = 0) => {
    if (found.length >= caps.violations || path.length > caps.depth || unions > caps.unions) return;
    schema = of.resolve(schema, root);
    const fault = (at, message) => { if (found.length < caps.violations) found.push({ pointer: pointer(at), message: clip(message, caps.line) }); };
    const say = (message) => fault(path, `must be ${message}`);
    const bound = (key, wrong, message) => {
      const limit = schema.get(key);
      if (limit instanceof Num && wrong(limit)) say(message(limit.text));
    };
    const count = (n, low, high, one, many) => {
      bound(low, (limit) => n < Number(limit.text), (l) => `at least ${plural(l, one, many)}`);
      bound(high, (limit) => n > Number(limit.text), (l) => `at most ${plural(l, one, many)}`);
    };
    if (v === null && of.nullable(schema, root)) return;
    if (schema.has('const') && !same(schema.get('const'), v)) return say(print(schema.get('const')));
    const list = schema.get('enum');
    if (Array.isArray(list) && list.length <= caps.options && !list.some((one) => same(one, v))) {
      return say('one of ' + list.slice(0, 10).map((one) => print(one)).join(', '));
    }
    const many = of.branches(schema, root);
    if (many?.length) {
      const scores = many.map((one) => of.fits(v, one, root));
      if (Math.max(...scores) > 0) look(v, many[scores.indexOf(Math.max(...scores))], path, unions + 1);
      return;
    }
    const want = of.types(schema);
    const kind = v === null ? 'null' : Array.isArray(v) ? 'array' : isObject(v) ? 'object' : v instanceof Num ? 'number' : typeof v;
    if (want.length && !want.includes(kind) && !(want.includes('integer') && kind === 'number')) return say(want.map((one) => `${/^[aio]/.test(one) ? 'an' : 'a'} ${one}`).join(' or '));
    if (kind === 'string') {
      count([...v].length, 'minLength', 'maxLength', 'character', 'characters');
      if (typeof schema.get('pattern') === 'string' && fails(schema.get('pattern'), v)) say(`text that matches ${schema.get('pattern')}`);
    } else if (kind === 'number') {
      if (want.includes('integer') && !want.includes('number') && (([n, one]) => n !== undefined && n % one !== 0n)(scaled(v.text, '1'))) say('an integer');
      bound('minimum', (limit) => compare(v, limit) < 0, (l) => `at least ${l}`);
      bound('maximum', (limit) => compare(v, limit) > 0, (l) => `at most ${l}`);
      bound('exclusiveMinimum', (limit) => compare(v, limit) <= 0, (l) => `more than ${l}`);
      bound('exclusiveMaximum', (limit) => compare(v, limit) >= 0, (l) => `less than ${l}`);
      bound('multipleOf', (limit) => (([n, by]) => by && n % by !== 0n)(scaled(v.text, limit.text)), (l) => `a multiple of ${l}`);
    } else if (kind === 'array') {
      count(v.length, 'minItems', 'maxItems', 'entry', 'entries');
      if (schema.get('uniqueItems') === true && new Set(v.map((one) => print(one))).size < v.length) say('without an entry that is there twice');
      const prefix = Array.isArray(schema.get('prefixItems')) ? schema.get('prefixItems') : [];
      v.forEach((one, i) => look(one, i < prefix.length ? prefix[i] : schema.get('items') ?? new Map(), [...path, i]));
    } else if (kind === 'object') {
      count(v.size, 'minProperties', 'maxProperties', 'member', 'members');
      const properties = isObject(schema.get('properties')) ? schema.get('properties') : new Map();
      for (const name of Array.isArray(schema.get('required')) ? schema.get('required') : []) {
        if (!v.has(name)) fault([...path, name], 'must be there: it is required');
      }
      for (const [name, one] of v) {
        if (properties.has(name)) look(one, properties.get(name), [...path, name]);
        else if (schema.has('patternProperties')) continue;
        else if (schema.get('additionalProperties') === false) fault([...path, name], 'is not a member of the schema');
        else if (isObject(schema.get('additionalProperties'))) look(one, schema.get('additionalProperties'), [...path, name]);
      }
    }
  };
  look(value, schema, []);
  return found;
}
