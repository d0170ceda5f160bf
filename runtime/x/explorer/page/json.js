// JSON without loss (RFC 8259). Objects are Maps, so that no name is special, in the order of the text; numbers are Num, which keep their text; the rest
// are values of JavaScript.
import { caps } from './caps.js';

export class Num {
  constructor(text) { this.text = text; }
}

export const isObject = (v) => v instanceof Map;

const mostDepth = 500;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

// isNumber reports whether a text is a number of JSON.
export function isNumber(text) {
  number.lastIndex = 0;
  const m = number.exec(text);
  return m !== null && m[0].length === text.length;
}

const faults = new WeakMap();

// faultOf says what is wrong in an object or list that parse has read as tolerant; it is empty if nothing is.
export const faultOf = (v) => faults.get(v) ?? '';

// parse reads a text. The error says the line and column of the fault. What is tolerant takes a name twice, and leaves out what is nested too deep.
export function parse(text, tolerant = false) {
  let at = 0;
  let wrong = ''; // in the object or list that is read
  const fail = (message) => {
    const before = text.slice(0, at).split('\n');
    throw new SyntaxError(`line ${before.length}, column ${before.at(-1).length + 1}: ${message}`);
  };
  const bear = (message) => { if (!tolerant) fail(message); wrong ||= message; };
  // done ends an object or list, which is a part of one that has had this fault before.
  const done = (all, before) => {
    at++;
    if (wrong) faults.set(all, wrong);
    wrong ||= before;
    return all;
  };
  const skip = () => {
    let open = 0;
    do {
      space();
      const c = text[at];
      if (c === undefined) fail('the text ends where a value is expected');
      if (c === '"') { string(); continue; }
      if (c === '{' || c === '[') open++;
      if (c === '}' || c === ']') open--;
      at++;
    } while (open > 0);
    return '(nested too deep)';
  };
  const space = () => { while (' \t\n\r'.includes(text[at] || 'x')) at++; };
  const string = () => {
    const from = at++;
    while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
    at++;
    try {
      return JSON.parse(text.slice(from, at));
    } catch {
      at = from;
      return fail('the string does not end, or has an invalid escape or a control character');
    }
  };
  const value = (depth) => {
    space();
    const c = text[at];
    if (depth > mostDepth) {
      bear('the value is nested too deep');
      if (c === '{' || c === '[') return skip();
    }
    const before = wrong;
    wrong = c === '{' || c === '[' ? '' : wrong;
    if (c === undefined) fail('the text ends where a value is expected');
    if (c === '"') return string();
    if (c === '{') {
      const all = new Map();
      at++;
      space();
      if (text[at] === '}') return done(all, before);
      for (;;) {
        space();
        if (text[at] !== '"') fail('a name in quotes is expected');
        const start = at;
        const name = string();
        if (all.has(name)) {
          const after = at;
          at = start;
          bear(`the name ${JSON.stringify(name.slice(0, 100))} stands here twice`);
          at = after;
        }
        space();
        if (text[at] !== ':') fail('a colon is expected');
        at++;
        all.set(name, value(depth + 1));
        space();
        if (text[at] === '}') return done(all, before);
        if (text[at] !== ',') fail('a comma or } is expected');
        at++;
      }
    }
    if (c === '[') {
      const all = [];
      at++;
      space();
      if (text[at] === ']') return done(all, before);
      for (;;) {
        all.push(value(depth + 1));
        space();
        if (text[at] === ']') return done(all, before);
        if (text[at] !== ',') fail('a comma or ] is expected');
        at++;
      }
    }
    for (const [word, v] of [['true', true], ['false', false], ['null', null]]) {
      if (text.startsWith(word, at)) { at += word.length; return v; }
    }
    number.lastIndex = at;
    const m = number.exec(text);
    if (!m) fail('a value is expected');
    at += m[0].length;
    return new Num(m[0]);
  };
  const v = value(0);
  space();
  if (at < text.length) fail('there is more text after the value');
  return v;
}

// print writes a value; with an indent, over several lines.
export function print(v, indent = '', now = '') {
  if (v === null || typeof v === 'boolean') return String(v);
  if (v instanceof Num) return v.text;
  if (typeof v === 'string') return JSON.stringify(v);
  const next = now + indent;
  const [open, close] = isObject(v) ? '{}' : '[]';
  const parts = isObject(v) ? [...v].map(([k, one]) => JSON.stringify(k) + (indent ? ': ' : ':') + print(one, indent, next)) : v.map((one) => print(one, indent, next));
  if (!parts.length) return open + close;
  return indent ? `${open}\n${next}${parts.join(`,\n${next}`)}\n${now}${close}` : open + parts.join(',') + close;
}

// same reports whether two values are the same. Numbers are compared by their text.
export const same = (a, b) => print(a) === print(b);

// get follows names and indexes into a value; undefined where one is missing.
export function get(v, ...path) {
  for (const key of path) {
    if (isObject(v)) v = v.get(key);
    else if (Array.isArray(v)) v = v[key];
    else return undefined;
  }
  return v;
}

// follow returns what a reference within a document leads to; undefined if it leads nowhere.
export function follow(ref, root) {
  if (ref.length > caps.pointer) return undefined;
  let path = ref.slice(1);
  try {
    path = decodeURIComponent(path);
  } catch { /* it is no URI */ }
  return get(root, ...path.split('/').slice(1).map((one) => one.replaceAll('~1', '/').replaceAll('~0', '~')));
}

// from makes a value of plain JavaScript: objects become Maps, and numbers Num.
export function from(v) {
  if (typeof v === 'number') return new Num(String(v));
  if (Array.isArray(v)) return v.map(from);
  if (v === null || typeof v !== 'object' || v instanceof Map || v instanceof Num) return v;
  return new Map(Object.entries(v).filter(([, one]) => one !== undefined).map(([k, one]) => [k, from(one)]));
}

// pointer writes a path as a JSON Pointer (RFC 6901).
export const pointer = (path) => path.map((one) => '/' + String(one).replaceAll('~', '~0').replaceAll('/', '~1')).join('');
