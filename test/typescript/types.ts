// What the types say, and what validators make of odd values.

import assert from "node:assert/strict";
import type {
  OpenLevel,
  OpenShape,
  Shape,
  Tagged,
  TriState,
  Untagged,
} from "./generated/allkinds/types.js";
import {
  PointCheck,
  RulesCheck,
  ScalarsCheck,
  ShapeCheck,
  TriStateCheck,
} from "./generated/allkinds/validate.js";
import { Numeral, parse, stringify } from "./generated/allkinds/json.js";
import {
  ViolationError,
  fits,
  read,
  violations,
} from "./generated/allkinds/rules.js";
import type { Names } from "./generated/hostile/types.js";
import {
  BigCheck,
  NamesCheck,
  SlowCheck,
} from "./generated/hostile/validate.js";

// Unions narrow by their tag, also where the union alone has it.
export function area(shape: Shape): number {
  switch (shape.kind) {
    case "circle":
      return shape.radius ** 2 * 3;
    case "square":
      return shape.side ** 2;
    default:
      return shape.corners.length;
  }
}

// Open unions narrow by the tags that are known. What else there is has a tag, which is a string, and members of any kind.
export function size(shape: OpenShape): number | string | undefined {
  if (shape.kind === "square") return shape.side;
  switch (shape.kind) {
    case "circle":
      return shape.radius;
    default: {
      const member: unknown = shape["radius"];
      return typeof member === "number" ? member : shape.kind;
    }
  }
}

// @ts-expect-error what has a known tag has the members of its branch
export const misspelt: OpenShape = { kind: "square", sides: 1 };

export function tagged(value: Tagged | Untagged): string {
  if ("kind" in value && value.kind === "circle") return String(value.radius);
  if ("type" in value && value.type === "text") return String(value.text);
  return "";
}

// Absent, null and a value are three things.
const absent: TriState = {};
const none: TriState = { text: null };
const some: TriState = { text: "x" };
// @ts-expect-error an absent member is not undefined
const wrong: TriState = { text: undefined };
assert.equal(wrong.text, undefined);
for (const value of [absent, none, some]) assert(fits(TriStateCheck, value));

// Open enumerations take other values, and editors complete the known ones.
const open: OpenLevel[] = ["low", "other"];
assert.equal(open.length, 2);
const later: OpenShape = { ...(parse('{"kind":"line"}') as OpenShape) };
assert.equal(size(later), "line");
// @ts-expect-error shapes have a closed list of kinds
const no: Shape = { kind: "line" };
assert.deepEqual(violations(ShapeCheck, no), [
  {
    pointer: "",
    rule: "union",
    message: '"kind" must be one of "circle", "square", "triangle", "pentagon"',
  },
]);

// What is no JSON is a violation, and nothing is thrown.
for (const value of [
  undefined,
  NaN,
  Infinity,
  () => 1,
  Symbol("x"),
  new Map(),
  [1],
]) {
  assert.equal(fits(PointCheck, value), false, String(value));
}
assert.equal(fits(PointCheck, { x: NaN, y: 1 }), false);
const circle: { x: unknown; y: number } = { x: 1, y: 2 };
circle.x = circle;
assert.equal(fits(PointCheck, circle), false);

// Texts are read strictly, and without loss.
for (const text of [
  '{"x":1,"x":2}',
  '{"x":1,"\\u0078":2}',
  '"\\ud800"',
  "[1,]",
  "01",
  "1 2",
  "",
  "{",
  "[".repeat(2000),
  "nul",
  '"\t"',
  "\u00a01",
  "+1",
  ".5",
  "{'x':1}",
]) {
  assert.throws(() => parse(text), SyntaxError, text);
}
assert.equal(parse("9007199254740993"), 9007199254740993n);
assert.equal(parse("1e400") instanceof Numeral, true);
for (const text of [
  "[9007199254740993,0.1,1e400,-12345678901234567890123456789012345678901234567890]",
  '{"__proto__":1,"constructor":"x","a":[true,false,null,"\\u0000é😀"]}',
]) {
  assert.equal(stringify(parse(text)), text);
}
const odd = parse('{"__proto__":{"polluted":true}}');
assert.equal("polluted" in (odd as object), false);
assert.throws(() => stringify({ a: NaN }), TypeError);

// An answer to a rule that is broken says where and how.
assert.throws(
  () => read(RulesCheck, '{"short":"x","range":13}'),
  (error) => {
    assert(error instanceof ViolationError);
    assert.deepEqual(
      error.violations.map((v) => `${v.pointer} ${v.rule}: ${v.message}`),
      [
        "/short minLength: must have at least 2 characters",
        "/range maximum: must be at most 12",
      ],
    );
    return true;
  },
);

// A member that occurs twice is a violation where it would be read, as in Go, also within values of any kind.
for (const [check, text, want] of [
  [ScalarsCheck, '{"z":1,"z":{"a":1,"a":2}}', []],
  [PointCheck, '{"x":1,"y":2,"x":1}', ["/x duplicate"]],
  [
    ScalarsCheck,
    '{"anything":[{"a/b":1,"a/b":2}]}',
    ["/anything/0/a~1b duplicate"],
  ],
] as const) {
  let found: string[] = [];
  try {
    read<unknown>(check, text);
  } catch (error) {
    assert(error instanceof ViolationError);
    found = error.violations.map((v) => `${v.pointer} ${v.rule}`);
  }
  assert.deepEqual(
    found.filter((v) => v.endsWith("duplicate")),
    want,
  );
}
assert.throws(() => parse('{"x":1,"x":1}'), SyntaxError);

// Names that JavaScript knows otherwise are names of members.
const names = read(
  NamesCheck,
  '{"__proto__":"p","constructor":"c","toString":"t","delete":"d","a-b":"x"}',
) as Names;
assert.equal(Object.hasOwn(names, "__proto__"), true);
assert.deepEqual(
  violations(NamesCheck, parse("{}")).map((v) => v.message),
  [
    'must have "__proto__"',
    'must have "constructor"',
    'must have "toString"',
    'must have "delete"',
    'must have "a-b"',
  ],
);

// With --bigint, no integer of 64 bits is refused.
const big = read(
  BigCheck,
  '{"whole":9223372036854775807,"id":12345678901234567890}',
);
assert.equal(big.whole, 9223372036854775807n);
assert.equal(
  stringify(big),
  '{"whole":9223372036854775807,"id":12345678901234567890}',
);

// A pattern that would take JavaScript for ever takes no time.
const hostile = "a".repeat(100_000);
assert.equal(fits(SlowCheck, hostile), false);
assert.equal(fits(SlowCheck, `${hostile}/ .\tß`), true);
assert.equal(fits(SlowCheck, `${hostile}/ .\tSS`), false);
