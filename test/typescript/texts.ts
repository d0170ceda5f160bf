// Texts of JSON: what JSON.parse reads without loss is what parse reads.

import assert from "node:assert/strict";
import type { Tree } from "./generated/allkinds/types.js";
import { Numeral, parse, stringify } from "./generated/allkinds/json.js";
import { PointCheck, TreeCheck } from "./generated/allkinds/validate.js";
import {
  type Violation,
  accept,
  fits,
  read,
  violations,
} from "./generated/allkinds/rules.js";

const trusted = JSON.parse;

/** Reports whether parse returns what JSON.parse has returned for a text. */
function isQuick(text: string): boolean {
  let made: unknown;
  JSON.parse = (t) => (made = trusted(t));
  try {
    const value = parse(text);
    return value === made;
  } finally {
    JSON.parse = trusted;
  }
}

/** Reads a text character by character, which an escaped surrogate pair enforces. */
function slowly(text: string): unknown {
  const all = `["\\ud83d\\ude00",${text}]`;
  assert(!isQuick(all));
  return (parse(all) as unknown[])[1];
}

const micros = 1764489600123456;
for (const value of [
  { at: "2026-11-30T08:00:00Z", link: "https://example.com/a:b", n: micros },
  { text: 'a "quoted" word: and {"x":1,"x":2}\n\tand more \\', " : ": ":" },
  { price: 79.5, place: 48.137154000000002, small: 0, tiny: -0.25, e: 1e21 },
  { card: "4111111111111111", many: "31415926535897932384626433" },
  { page: "page-2", "e-5": "1e-5", under: "e-400" },
  { é: "😀 ünï", deep: [[[[{ a: [] }]]]], none: null, yes: true },
]) {
  for (const space of [0, 2]) {
    const text = JSON.stringify(value, null, space);
    assert(isQuick(text), text);
    assert.deepEqual(parse(text), value);
  }
}
assert(isQuick('{"a" : 1 , "b" :2}'));

for (const [text, want] of [
  ['{"a":12345678901234567}', { a: 12345678901234567n }],
  ['{"a":9007199254740992}', { a: 9007199254740992n }],
  ['{"a":-9007199254740993}', { a: -9007199254740993n }],
  ['{"a":0.1000000000000000055}', { a: new Numeral("0.1000000000000000055") }],
  ['[1e-400, "x"]', [new Numeral("1e-400"), "x"]],
  ["[0.00001E-320]", [new Numeral("0.00001E-320")]],
  ["[1e400]", [new Numeral("1e400")]],
  ["[1234567890123456e-1]", [123456789012345.6]],
  ["[12345678901234567e2]", [new Numeral("12345678901234567e2")]],
  ["[1.00000000000000000]", [1]],
] as const) {
  assert(!isQuick(text), text);
  assert.deepEqual(parse(text), want, text);
}

// Members that occur twice, however their names are written, and whatever colons there are.
for (const text of [
  '{"a":1,"a":1}',
  '{"a" :1,"a":1}',
  '{"a":1,"\\u0061":1}',
  '{"a":"\\u003a","a":"\\u003A"}',
  '{"a":":","a":""}',
  '[{"a":{"b":1,"b":2}},":"]',
  '{"\\":":1,"\\":":1}',
  '["\ud800"]',
  '["\\ud800"]',
  '{"\\uDC00":1}',
  "[".repeat(1001) + "1" + "]".repeat(1001),
]) {
  assert.throws(() => parse(text), SyntaxError, text.slice(0, 80));
}
assert.doesNotThrow(() => parse("[".repeat(1001) + "]".repeat(1001)));

// Random texts: both readers refuse them, or read the same.
let seed = 46;
function below(n: number): number {
  seed = (seed * 48271) % 2147483647;
  return seed % n;
}
function pick<T>(all: readonly T[]): T {
  return all[below(all.length)] as T;
}
const pieces = ["a", ":", '\\"', "\\\\", "\\n", "\\u0061", "\\u003a", "é", "7"];
pieces.push(" ", "e-5", "12345678901234567", "1.5", "😀", "\\ud800", "{", ",");
const space = ["", "", "", "", " ", "\n"];
const digits = [
  "0",
  "1",
  "7",
  "10",
  "999",
  "12345678901234",
  "123456789012345",
];
digits.push("1234567890123456", "9007199254740993", "18446744073709551616");
function text(depth: number): string {
  const many = below(4);
  switch (below(depth > 3 ? 4 : 6)) {
    case 0:
      return pick(["true", "false", "null", "-", "01", ""].slice(0, 3));
    case 1:
    case 2: {
      const fraction = pick(["", "", ".5", ".0", ".125", ".1234567890123456"]);
      const power = pick(["", "", "", "e2", "E-3", "e-400", "e+400", "e21"]);
      return pick(["", "-"]) + pick(digits) + fraction + power;
    }
    case 3:
      return written();
    case 4:
      return `[${list(many, () => text(depth + 1))}]`;
  }
  const names = ['"a"', '"b"', '"\\u0061"', '"c"', '"a:"', written()];
  return `{${list(many, () => `${pick(names)}${pick(space)}:${pick(space)}${text(depth + 1)}`)}}`;
}
function written(): string {
  return `"${Array.from({ length: below(4) }, () => pick(pieces)).join("")}"`;
}
function list(many: number, part: () => string): string {
  const parts = Array.from({ length: many }, part);
  return pick(space) + parts.join(`${pick(space)},${pick(space)}`);
}
function outcome(read: (text: string) => unknown, of: string): unknown {
  try {
    return { value: read(of) };
  } catch (error) {
    assert(error instanceof SyntaxError);
    return "refused";
  }
}
let quick = 0;
let refused = 0;
const texts = 20_000;
for (let i = 0; i < texts; i++) {
  const one = `[${text(0)}]`;
  const want = outcome(slowly, one);
  assert.deepEqual(outcome(parse, one), want, one);
  if (want === "refused") refused++;
  else if (isQuick(one)) quick++;
}
assert(quick > texts / 5 && refused > texts / 50, `${quick}, ${refused}`);

// What accept returns is a copy, and what read returns is held as its type says.
const point = { x: 1, y: 2.5, more: undefined };
const accepted = accept(PointCheck, point);
assert.deepEqual(accepted, { x: 1, y: 2.5 });
assert.notEqual(accepted, point);
assert.deepEqual(read(PointCheck, '{"x":1.0,"y":2.50000000000000000}'), {
  x: 1,
  y: 2.5,
});

// Members are those of the value, and not those of its prototype.
class Derived {
  get x(): number {
    return 1;
  }
  y = 2;
}
const rules = (all: Violation[]): string[] => all.map((v) => v.rule);
assert.deepEqual(rules(violations(PointCheck, new Derived())), ["required"]);
assert(fits(PointCheck, Object.assign(Object.create(null), { x: 1, y: 2 })));
assert(!fits(PointCheck, new Numeral("1")));
assert(!fits(PointCheck, [1, 2]));
assert(!fits(PointCheck, { x: 1, y: NaN }));

// What is nested too deeply is refused, and so is what holds itself.
const outermost: Tree = { value: 0 };
let inner = outermost;
for (let depth = 0; depth < 499; depth++) {
  const next: Tree = { value: 0 };
  inner.children = [next];
  inner = next;
}
assert(fits(TreeCheck, outermost));
inner.parent = outermost;
assert.deepEqual(
  [...new Set(rules(violations(TreeCheck, outermost)))],
  ["depth"],
);

// Of a value with members that occur twice, nothing is taken for granted, nor of what holds it.
const twice =
  '{"value":1,"children":[{"value":2,"parent":{"value":3,"value":3}}]}';
assert.throws(
  () => read(TreeCheck, twice),
  (error) => {
    const { violations } = error as { violations: Violation[] };
    assert.deepEqual(
      violations.map((v) => `${v.pointer} ${v.rule}`),
      ["/children/0/parent/value duplicate"],
    );
    return true;
  },
);
assert.equal(stringify(parse("[1764489600123456]")), "[1764489600123456]");
