// The kinds of types and rules that validators are made of.

import {
  type Decimal,
  Numeral,
  compareNumbers,
  define,
  digitsOf,
  isNumber,
  parse,
  parseTwice,
  repeated,
} from "./json.js";

/** A reason why a value does not fit a type. */
export interface Violation {
  /** Where it is: a JSON Pointer (RFC 6901); empty for the value itself. */
  pointer: string;
  /** The keyword of the rule, such as minLength. */
  rule: string;
  /** What is wrong. */
  message: string;
}

/** The violations of a value, as an error. */
export class ViolationError extends Error {
  readonly violations: readonly Violation[];

  constructor(violations: readonly Violation[]) {
    super(
      violations
        .map((v) => `${v.pointer || "the value"} ${v.message}`)
        .join("; "),
    );
    this.name = "ViolationError";
    this.violations = violations;
  }
}

/** The check of a type with a name. It is made when it is needed. */
export interface Check<T> {
  (): Part<T>;
}

/** A check that is made. */
export interface Made<T> extends Plain {
  /** Never set: it holds the type. */
  readonly of?: T;
}

/** What checks are made of. */
export type Part<T> = Check<T> | Made<T>;

/** Returns what is wrong with a value, in no particular order; nothing if it fits. */
export function violations(check: Part<unknown>, value: unknown): Violation[] {
  const state = new State();
  plain(check).judge(value, state);
  return state.found;
}

/** Reports whether a value fits a type. */
export function fits<T>(check: Part<T>, value: unknown): value is T {
  return violations(check, value).length === 0;
}

/**
 * Returns a value that parse has read, or another JSON value, as one of a type:
 * numbers are held as the type says. It throws a ViolationError if it does not fit.
 */
export function accept<T>(check: Part<T>, value: unknown): T {
  const state = new State();
  const accepted = plain(check).judge(value, state);
  if (state.found.length > 0) throw new ViolationError(state.found);
  return accepted as T;
}

/**
 * Reads a JSON text as a value of a type. A member that occurs twice is a violation,
 * as in Go, where it would be read: what a type ignores is ignored.
 */
export function read<T>(check: Part<T>, text: string): T {
  return accept(check, parseTwice(text));
}

/** Returns what accept does for a check. */
export function accepts(check: Part<unknown>): (value: unknown) => unknown {
  return (value) => accept(check, value);
}

/** The checks of methods, by name. */
export type Checks = () => {
  [method: string]: {
    params?: (value: unknown) => unknown;
    result?: (value: unknown) => unknown;
  };
};

/** Rules on a value. Each says nothing about values of other kinds. */
export interface Rules {
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  maxProperties?: number;
  minimum?: Bound;
  maximum?: Bound;
  exclusiveMinimum?: Bound;
  exclusiveMaximum?: Bound;
  multipleOf?: Bound;
  pattern?: RegExp | Match;
  format?: Format;
  uniqueItems?: boolean;
  require?: Require[];
  schema?: Conform;
}

/** A number, or its text where a number would be written otherwise or rounded. */
export type Bound = number | string;

/** A regular expression, and how the schema writes it. */
export interface Match {
  test(text: string): boolean;
  expr: string;
}

/** A syntax of texts. */
export interface Format {
  name: string;
  test(text: string): boolean;
}

/** How the presence of some members is related: any, one, or with the first the others. */
export type Require = [how: "any" | "one" | "with", ...names: string[]];

/** A JSON Schema that a value must fit. */
export interface Conform {
  text: string;
  fits(value: unknown): boolean;
}

/** A value while it is judged. */
class State {
  readonly found: Violation[] = [];
  readonly path: (string | number)[] = [];

  add(rule: string, message: string): void {
    const steps = this.path.map((step) => `/${escapePointer(String(step))}`);
    this.found.push({ pointer: steps.join(""), rule, message });
  }

  at(step: string | number, check: Plain, value: unknown): unknown {
    if (this.path.length > deepest) {
      this.add("depth", `is nested deeper than ${deepest}`);
      return value;
    }
    this.path.push(step);
    const accepted = check.judge(value, this);
    this.path.pop();
    return accepted;
  }

  /** Adds a violation if a member is twice in its object. */
  single(v: object, name: string): void {
    if (!repeated?.get(v)?.has(name)) return;
    this.path.push(name);
    this.add("duplicate", "must be there once");
    this.path.pop();
  }

  /** Adds a violation for each member that is twice in a value that is kept as it is. */
  whole(v: unknown): void {
    if (!repeated || typeof v !== "object" || v === null) return;
    if (this.path.length > deepest) return;
    for (const [name, inner] of Object.entries(v)) {
      this.single(v, name);
      this.path.push(name);
      this.whole(inner);
      this.path.pop();
    }
  }

  /** Reports whether a value has a kind, and adds a violation otherwise. */
  kind(value: unknown, ok: boolean, want: string): boolean {
    if (!ok)
      this.add("type", `must be ${article(want)}, not ${describe(value)}`);
    return ok;
  }
}

const deepest = 1000;

function escapePointer(name: string): string {
  return name.replace(/~/g, "~0").replace(/\//g, "~1");
}

/** What a Check does. */
interface Plain {
  /** Adds the violations of a value, and returns the value as the type holds it. */
  judge(value: unknown, state: State): unknown;
  /** Returns what a server keeps of a value that fits. */
  kept(value: unknown): unknown;
  /** The type itself, after names and null. */
  shape(): Shape;
}

interface Shape {
  float?: boolean;
  elem?: Plain;
  named?: Map<string, Plain>;
}

type Judge = (value: unknown, state: State) => unknown;
type Keep = (value: unknown) => unknown;

function make<T>(
  judge: Judge,
  kept: Keep = (v) => v,
  shape: Shape = {},
): Made<T> {
  return { judge, kept, shape: () => shape };
}

// Scalars.

/** What JSON can hold. */
export const any: Made<unknown> = /* @__PURE__ */ make((v, s) => {
  const json =
    v === null ||
    typeof v === "boolean" ||
    typeof v === "string" ||
    typeof v === "object";
  s.kind(v, json || isNumber(v), "JSON value");
  s.whole(v);
  return v;
});

export const boolean: Made<boolean> = /* @__PURE__ */ make((v, s) => {
  s.kind(v, typeof v === "boolean", "boolean");
  return v;
});

/** A value of any kind with rules. */
export function anything(...rules: Rules[]): Made<unknown> {
  return ruled(any, ...rules);
}

export function string(...rules: Rules[]): Made<string> {
  return make((v, s) => {
    if (s.kind(v, typeof v === "string", "string")) follow(v, rules, s);
    return v;
  });
}

/** Base64 text (RFC 4648, section 4), with padding. */
export function bytes(...rules: Rules[]): Made<string> {
  return make((v, s) => {
    if (!s.kind(v, typeof v === "string", "string")) return v;
    if (isBase64(v as string)) follow(v, rules, s);
    else s.add("format", "must be padded base64");
    return v;
  });
}

function isBase64(text: string): boolean {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text))
    return false;
  const end = text.slice(-4);
  return !end.endsWith("=") || /^.[AQgw]==$|^..[AEIMQUYcgkosw048]=$/.test(end);
}

/** A date-time of RFC 3339. */
export const datetime: Made<string> = /* @__PURE__ */ make(
  (v, s) => {
    if (
      s.kind(v, typeof v === "string", "string") &&
      !isDateTime(v as string)
    ) {
      s.add("format", "must be a date-time such as 2026-01-31T12:00:00Z");
    }
    return v;
  },
  (v) => (typeof v === "string" && isDateTime(v) ? normalTime(v) : v),
);

/** A date-time without the differences that say nothing. */
function normalTime(text: string): string {
  const upper = text.toUpperCase().replace(/(\.\d*?)0+(?=[Z+-])/, "$1");
  return upper
    .replace(/(\.\d{9})\d+/, "$1")
    .replace(/\.(?=[Z+-])/, "")
    .replace(/\+00:00$/, "Z");
}

function integral<T>(
  low: string,
  high: string,
  rules: Rules[],
  big: boolean,
): Made<T> {
  const least = new Numeral(low);
  const most = new Numeral(high);
  return make((v, s) => {
    if (!isNumber(v)) {
      s.kind(v, false, "integer");
    } else if (!isWhole(v)) {
      s.add("type", "must be an integer, not a fraction");
    } else if (compareNumbers(v, least) < 0 || compareNumbers(v, most) > 0) {
      s.add("type", `must be from ${low} to ${high}`);
    } else if (big || holds(v, s)) {
      follow(v, rules, s);
      return held(v);
    }
    return v;
  });
}

const safest = Number.MAX_SAFE_INTEGER;

/** An integer as a number if it is safe, and otherwise as a bigint. */
function held(v: Decimal): Decimal {
  if (typeof v === "number" && Number.isSafeInteger(v)) return v;
  const number = Number(String(v));
  if (Number.isSafeInteger(number)) return number;
  const { negative, digits, exp } = digitsOf(v);
  if (exp > 400) return v;
  return BigInt((negative ? "-" : "") + digits + "0".repeat(exp));
}

/** Reports whether a number is an integer, however it is written. */
export function isWhole(v: Decimal): boolean {
  if (typeof v === "number") return Number.isInteger(v);
  return typeof v === "bigint" || digitsOf(v).exp >= 0;
}

const low64 = "-9223372036854775808";
const high64 = "9223372036854775807";
const highest = "18446744073709551615";

export function int32(...rules: Rules[]): Made<number> {
  return integral("-2147483648", "2147483647", rules, false);
}

export function uint32(...rules: Rules[]): Made<number> {
  return integral("0", "4294967295", rules, false);
}

/** A 64-bit integer that a number of JavaScript holds; others are violations. */
export function integer(...rules: Rules[]): Made<number> {
  return integral(low64, high64, rules, false);
}

/** A 64-bit integer without a sign that a number of JavaScript holds. */
export function natural(...rules: Rules[]): Made<number> {
  return integral("0", highest, rules, false);
}

export function int64(...rules: Rules[]): Made<number | bigint> {
  return integral(low64, high64, rules, true);
}

export function uint64(...rules: Rules[]): Made<number | bigint> {
  return integral("0", highest, rules, true);
}

/** A number of JavaScript. One with more digits is rounded. */
export function number(...rules: Rules[]): Made<number> {
  return make(
    (v, s) => {
      if (!isNumber(v)) {
        s.kind(v, false, "number");
        return v;
      }
      const rounded = Number(String(v));
      if (Number.isFinite(rounded)) follow(rounded, rules, s, true);
      else s.add("type", "must be within the range of a float64");
      return rounded;
    },
    (v) =>
      isNumber(v) && Number.isFinite(Number(String(v))) ? Number(String(v)) : v,
    { float: true },
  );
}

/** A number of any size and precision. */
export function decimal(...rules: Rules[]): Made<Decimal> {
  return make((v, s) => {
    if (s.kind(v, isNumber(v), "number")) follow(v, rules, s);
    return v;
  });
}

function identifier<T>(big: boolean): Made<T> {
  return make((v, s) => {
    if (typeof v === "string") return v;
    if (!isNumber(v) || !isWhole(v)) {
      s.add("type", `must be a string or an integer, not ${describe(v)}`);
    } else if (big || holds(v, s)) {
      return held(v);
    }
    return v;
  });
}

/** A text, or an integer that a number of JavaScript holds. */
export const id: Made<string | number> = /* @__PURE__ */ identifier(false);

/** A text, or an integer of any size. */
export const bigId: Made<string | number | bigint> =
  /* @__PURE__ */ identifier(true);

/** One value, and how the schema writes it. */
export function literal<const T>(
  value: T,
  written: string = show(value),
): Made<T> {
  return make((v, s) => {
    if (!equal(value, v)) s.add("const", `must be ${written}`);
    return v;
  });
}

/** One number that no number of JavaScript is. */
export function bigLiteral<T>(text: string): Made<T> {
  return literal(big(text), text) as Made<T>;
}

/** A number that no number of JavaScript is. */
export function big(text: string): Decimal {
  return parse(text) as Decimal;
}

/** One of several texts. */
export function oneOf<const T extends string>(...values: T[]): Made<T> {
  return texts(values, false);
}

/** One of several texts, or another one. */
export function oneOfOrOther<const T extends string>(
  ...values: T[]
): Made<T | (string & {})> {
  return texts(values, true);
}

function texts<T>(values: readonly unknown[], open: boolean): Made<T> {
  return make((v, s) => {
    if (s.kind(v, typeof v === "string", "string") && !open)
      listed(values, v, s);
    return v;
  });
}

/** One of several integers. */
export function oneOfIntegers<const T>(...values: T[]): Made<T> {
  return integers(values, (v, s) => listed(values, v, s));
}

/** One of several integers, or another one that a number of JavaScript holds. */
export function oneOfIntegersOrOther<const T>(
  ...values: T[]
): Made<T | (number & {})> {
  return integers(values, (v, s) => holds(v, s));
}

/** One of several integers, or another one of 64 bits. */
export function oneOfIntegersOrBig<const T>(
  ...values: T[]
): Made<T | (number & {}) | bigint> {
  return integers(values, () => {});
}

function integers<T>(
  values: readonly unknown[],
  others: (v: Decimal, s: State) => void,
): Made<T> {
  return make((v, s) => {
    if (!isNumber(v) || !isWhole(v)) {
      s.kind(v, false, "integer");
      return v;
    }
    if (!isBetween(v, low64, high64)) s.add("type", "must be a 64-bit integer");
    else if (!values.some((known) => equal(known, v))) others(v, s);
    return held(v);
  });
}

/** Reports whether a number of JavaScript holds an integer, and adds a violation otherwise. */
function holds(v: Decimal, s: State): boolean {
  const ok = Number.isSafeInteger(Number(String(v)));
  if (!ok)
    s.add(
      "type",
      `must be from -${safest} to ${safest}, which numbers of JavaScript hold`,
    );
  return ok;
}

function listed(values: readonly unknown[], v: unknown, s: State): void {
  if (values.some((known) => equal(known, v))) return;
  s.add("enum", `must be one of ${values.map(show).join(", ")}`);
}

function isBetween(v: Decimal, low: string, high: string): boolean {
  return (
    compareNumbers(v, new Numeral(low)) >= 0 &&
    compareNumbers(v, new Numeral(high)) <= 0
  );
}

// Types with parts.

const made = new WeakMap<Check<unknown>, Plain>();

/** What a part does. The check of a name is made when a value is judged, and once. */
function plain(part: Part<unknown>): Plain {
  if (typeof part !== "function") return part;
  const known = made.get(part);
  if (known) return known;
  let check: Plain | undefined;
  const get = (): Plain => (check ??= plain(part()));
  const later: Plain = {
    judge: (v, s) => get().judge(v, s),
    kept: (v) => get().kept(v),
    shape: () => get().shape(),
  };
  made.set(part, later);
  return later;
}

/** A value, or null. */
export function nullable<T>(part: Part<T>): Made<T | null> {
  const check = plain(part);
  return {
    judge: (v, s) => (v === null ? v : check.judge(v, s)),
    kept: (v) => (v === null ? v : check.kept(v)),
    shape: () => check.shape(),
  };
}

/** A type with further rules. */
export function ruled<T>(part: Part<T>, ...rules: Rules[]): Made<T> {
  const check = plain(part);
  return {
    judge(v, s) {
      const accepted = check.judge(v, s);
      const { float = false, elem } = check.shape();
      const seen = float && isNumber(v) ? Number(String(v)) : v;
      if (typeof seen !== "number" || Number.isFinite(seen)) {
        follow(seen, rules, s, float, elem, check.kept);
      }
      return accepted;
    },
    kept: check.kept,
    shape: () => check.shape(),
  };
}

export function list<T>(part: Part<T>, ...rules: Rules[]): Made<T[]> {
  const elem = plain(part);
  const kept: Keep = (v) =>
    Array.isArray(v) ? v.map((item) => elem.kept(item)) : v;
  return make(
    (v, s) => {
      if (!s.kind(v, Array.isArray(v), "array")) return v;
      const items = (v as unknown[]).map((item, i) => s.at(i, elem, item));
      follow(v, rules, s, false, elem, kept);
      return items;
    },
    kept,
    { elem },
  );
}

/** An array with elements of their own types, of which the first ones are required, and others of one type. */
export function tuple<T extends unknown[]>(
  parts: Part<unknown>[],
  required: number,
  others?: Part<unknown>,
  ...rules: Rules[]
): Made<T> {
  const items = parts.map(plain);
  const rest = others && plain(others);
  const kept: Keep = (v) =>
    Array.isArray(v)
      ? v.map((item, i) => (items[i] ?? rest)?.kept(item) ?? item)
      : v;
  return make((v, s) => {
    if (!s.kind(v, Array.isArray(v), "array")) return v;
    const all = v as unknown[];
    if (all.length < required)
      s.add("minItems", `must have at least ${required} items`);
    else if (all.length > items.length && !rest) {
      s.add("maxItems", `may have at most ${items.length} items`);
    }
    const accepted = all.map((item, i) => {
      const check = items[i] ?? rest;
      return check ? s.at(i, check, item) : item;
    });
    follow(v, rules, s);
    return accepted;
  }, kept);
}

/** An object with free names. */
export function map<T>(
  values: Part<T>,
  ...rules: Rules[]
): Made<{ [name: string]: T }> {
  return ruled(open(values, {}), ...rules);
}

/** A value of a union that no reader can tell apart: it is kept as it is. */
export function unknown<T>(): Made<T> {
  return any as Made<T>;
}

/** A member that may be absent, and what it then is for a server. */
export interface Optional extends Made<unknown> {
  readonly absent: { readonly value?: unknown };
}

/** A member that may be absent. */
export function optional(
  part: Part<unknown>,
  ...absent: [value?: unknown]
): Optional {
  return {
    ...plain(part),
    absent: absent.length > 0 ? { value: absent[0] } : {},
  };
}

/** The named members of an object. */
export interface Fields {
  [name: string]: Part<unknown> | Optional;
}

/** An object with named members. Others are ignored. */
export function object<T>(fields: Fields): Made<T> {
  return structure(fields, false);
}

/** An object with named members, and no others. */
export function closed<T>(fields: Fields): Made<T> {
  return structure(fields, true);
}

/** An object with named members, and others of one type. */
export function open<T>(others: Part<unknown>, fields: Fields): Made<T> {
  return structure(fields, false, plain(others));
}

function structure<T>(fields: Fields, only: boolean, others?: Plain): Made<T> {
  const all = Object.entries(fields).map(([name, part]) => ({
    name,
    check: plain(part),
    absent: "absent" in part ? part.absent : undefined,
  }));
  const named = new Map(all.map(({ name, check }) => [name, check]));
  const kept: Keep = (v) => {
    if (!isObject(v)) return v;
    const members = {};
    for (const { name, check, absent } of all) {
      if (has(v, name)) define(members, name, check.kept(v[name]));
      else if (absent && "value" in absent)
        define(members, name, check.kept(absent.value));
    }
    for (const [name, value] of membersOf(v)) {
      if (others && !named.has(name)) define(members, name, others.kept(value));
    }
    return members;
  };
  const judge: Judge = (v, s) => {
    if (!isObject(v)) {
      s.kind(v, false, "object");
      return v;
    }
    const accepted = {};
    for (const { name, absent } of all) {
      if (!absent && !has(v, name))
        s.add("required", `must have ${quote(name)}`);
    }
    for (const [name, value] of membersOf(v)) {
      const check = named.get(name) ?? others;
      if (check) s.single(v, name);
      if (check) define(accepted, name, s.at(name, check, value));
      else if (only) s.add("additional", `may not have ${quote(name)}`);
      else define(accepted, name, value);
    }
    return accepted;
  };
  return make(judge, kept, { named });
}

function isObject(v: unknown): v is { [name: string]: unknown } {
  return (
    typeof v === "object" &&
    v !== null &&
    !Array.isArray(v) &&
    !(v instanceof Numeral)
  );
}

/** Reports whether an object has a member. One that is undefined is absent, as in JSON.stringify. */
function has(v: { [name: string]: unknown }, name: string): boolean {
  return Object.hasOwn(v, name) && v[name] !== undefined;
}

function membersOf(v: object): [string, unknown][] {
  return Object.entries(v).filter(([, value]) => value !== undefined);
}

// Unions.

/** Tells the branches of a union apart, in one look at the value. */
export type Decision = Part<unknown> | Decider;

interface Decider {
  decide(value: unknown): Decided;
  /** Of a decision by a property: its name, and the values that stand for branches. */
  tags?: { property: string; cases: [tag: unknown, then: Decision][] };
}

type Decided = Plain | { rule: string; message: string };

function decide(d: Decision, v: unknown): Decided {
  return "decide" in d ? d.decide(v) : plain(d);
}

function refusal(rule: string, message: string): Decided {
  return { rule, message };
}

/** One of several types. An open union keeps objects that no branch takes. */
export function union<T>(decision: Decision, open = false): Made<T> {
  return make(
    (v, s) => {
      const branch = decide(decision, v);
      if ("judge" in branch) return branch.judge(v, s);
      if (!open || !isObject(v)) s.add(branch.rule, branch.message);
      else s.whole(v);
      return v;
    },
    (v) => {
      const branch = decide(decision, v);
      return "judge" in branch ? withTag(decision, branch, branch.kept(v)) : v;
    },
  );
}

/** Adds the tag that a branch leaves to its union. */
function withTag(decision: Decision, branch: Plain, kept: unknown): unknown {
  const tags = "tags" in decision ? decision.tags : undefined;
  if (!tags || !isObject(kept) || has(kept, tags.property)) return kept;
  const { named } = branch.shape();
  if (!named || named.has(tags.property)) return kept;
  const found = tags.cases.find(
    ([, then]) => !("decide" in then) && plain(then) === branch,
  );
  if (found) define(kept, tags.property, found[0]);
  return kept;
}

/** Decides by the value of a member. */
export function byProperty(
  property: string,
  cases: [tag: unknown, then: Decision][],
  others: { absent?: Decision; other?: Decision } = {},
): Decider {
  const decider: Decider = {
    decide(v) {
      if (!isObject(v)) return notA("object", v);
      if (!has(v, property)) {
        if (others.absent) return decide(others.absent, v);
        return refusal("required", `must have ${quote(property)}`);
      }
      const found = cases.find(([tag]) => equal(tag, v[property]));
      if (found) return decide(found[1], v);
      if (others.other) return decide(others.other, v);
      return refusal(
        "union",
        `${quote(property)} must be one of ${known(cases)}`,
      );
    },
  };
  if (!others.other) decider.tags = { property, cases };
  return decider;
}

function known(cases: [unknown, Decision][]): string {
  return cases.map(([tag]) => show(tag)).join(", ");
}

function notA(want: string, v: unknown): Decided {
  return refusal("type", `must be ${article(want)}, not ${describe(v)}`);
}

/** Decides by the first member that is there. */
export function byPresence(
  cases: [property: string, then: Decision][],
  other?: Decision,
): Decider {
  return {
    decide(v) {
      if (!isObject(v)) return notA("object", v);
      const found = cases.find(([property]) => has(v, property));
      if (found) return decide(found[1], v);
      if (other) return decide(other, v);
      return refusal(
        "union",
        `must have one of ${cases.map(([p]) => quote(p)).join(", ")}`,
      );
    },
  };
}

/** Decides within the object in a member. */
export function inProperty(
  property: string,
  inner: Decision,
  absent?: Decision,
): Decider {
  return {
    decide(v) {
      if (!isObject(v)) return notA("object", v);
      if (has(v, property)) return decide(inner, v[property]);
      if (absent) return decide(absent, v);
      return refusal("required", `must have ${quote(property)}`);
    },
  };
}

/** Decides by the kind of the value. With a range, integers outside of it are numbers. */
export function byKind(
  cases: { [kind: string]: Decision },
  range?: [low: string, high: string],
): Decider {
  return {
    decide(v) {
      let kind = kindOf(v);
      if (range && isNumber(v)) {
        if (kind === "integer" && !isBetween(v, ...range)) kind = "number";
        else if (kind === "number" && roundsInto(cases["number"], v, range)) {
          return refusal(
            "type",
            "must be an integer, or a number that is none when it is rounded to a float64",
          );
        }
      }
      const then =
        cases[kind] ?? (kind === "integer" ? cases["number"] : undefined);
      if (then) return decide(then, v);
      const kinds = Object.keys(cases).join(" or ");
      return refusal("type", `must be ${kinds}, not ${describe(v)}`);
    },
  };
}

/** Reports whether the branch of numbers would hold a fraction as an integer that the branch of integers takes. */
function roundsInto(
  then: Decision | undefined,
  v: Decimal,
  range: [string, string],
): boolean {
  if (!then || "decide" in then || !plain(then).shape().float) return false;
  const rounded = Number(String(v));
  return Number.isInteger(rounded) && isBetween(rounded, ...range);
}

/** Decides by the number of elements. A negative maximum is none. */
export function byLength(
  cases: [min: number, max: number, then: Decision][],
): Decider {
  return {
    decide(v) {
      if (!Array.isArray(v)) return notA("array", v);
      const n = v.length;
      const found = cases.find(
        ([min, max]) => n >= min && (max < 0 || n <= max),
      );
      return found ? decide(found[2], v) : noLength(n);
    },
  };
}

function noLength(n: number): Decided {
  return refusal("union", `no branch has ${n} items`);
}

/** Decides within an element. */
export function inElement(
  index: number,
  inner: Decision,
  absent?: Decision,
): Decider {
  return {
    decide(v) {
      if (!Array.isArray(v)) return notA("array", v);
      if (index < v.length) return decide(inner, v[index]);
      return absent ? decide(absent, v) : noLength(v.length);
    },
  };
}

/** Decides by the value itself. */
export function byValue(cases: [tag: unknown, then: Decision][]): Decider {
  return {
    decide(v) {
      const found = cases.find(([tag]) => equal(tag, v));
      return found
        ? decide(found[1], v)
        : refusal("union", `must be one of ${known(cases)}`);
    },
  };
}

// Rules.

/** Adds the violations of rules. Of elements that must differ, what a server keeps is compared. */
function follow(
  v: unknown,
  rules: readonly Rules[],
  s: State,
  float = false,
  elem?: Plain,
  kept: Keep = (value) => value,
): void {
  for (const r of rules) {
    if (typeof v === "string") textFollows(v, r, s);
    else if (isNumber(v)) numberFollows(v, r, s, float);
    else if (Array.isArray(v)) {
      counted(
        v.length,
        r.minItems,
        r.maxItems,
        "minItems",
        "maxItems",
        "item",
        s,
      );
      if (r.uniqueItems) differ(v, elem, s);
    } else if (isObject(v)) {
      const n = membersOf(v).length;
      counted(
        n,
        r.minProperties,
        r.maxProperties,
        "minProperties",
        "maxProperties",
        "member",
        s,
      );
      for (const one of r.require ?? []) related(v, one, s);
    }
    if (r.schema && !r.schema.fits(kept(v))) {
      s.add("schema", `must fit the schema ${r.schema.text}`);
    }
  }
}

function textFollows(v: string, r: Rules, s: State): void {
  if (r.minLength !== undefined || r.maxLength !== undefined) {
    counted(
      characters(v),
      r.minLength,
      r.maxLength,
      "minLength",
      "maxLength",
      "character",
      s,
    );
  }
  if (r.pattern && !r.pattern.test(v)) {
    s.add(
      "pattern",
      `must match ${"expr" in r.pattern ? r.pattern.expr : r.pattern.source}`,
    );
  }
  if (r.format && !r.format.test(v))
    s.add("format", `must be ${article(r.format.name)}`);
}

/** The number of code points of a text. */
export function characters(text: string): number {
  let n = 0;
  const all = text[Symbol.iterator]();
  while (!all.next().done) n++;
  return n;
}

function counted(
  n: number,
  min: number | undefined,
  max: number | undefined,
  minRule: string,
  maxRule: string,
  unit: string,
  s: State,
): void {
  const count = (limit: number): string =>
    `${limit} ${unit}${limit === 1 ? "" : "s"}`;
  if (min !== undefined && n < min)
    s.add(minRule, `must have at least ${count(min)}`);
  if (max !== undefined && n > max)
    s.add(maxRule, `must have at most ${count(max)}`);
}

function numberFollows(v: Decimal, r: Rules, s: State, float: boolean): void {
  const order = (bound: Bound): number => compareNumbers(v, boundOf(bound));
  if (r.exclusiveMinimum !== undefined && order(r.exclusiveMinimum) <= 0) {
    s.add("exclusiveMinimum", `must be more than ${r.exclusiveMinimum}`);
  }
  if (r.minimum !== undefined && order(r.minimum) < 0) {
    s.add("minimum", `must be at least ${r.minimum}`);
  }
  if (r.exclusiveMaximum !== undefined && order(r.exclusiveMaximum) >= 0) {
    s.add("exclusiveMaximum", `must be less than ${r.exclusiveMaximum}`);
  }
  if (r.maximum !== undefined && order(r.maximum) > 0) {
    s.add("maximum", `must be at most ${r.maximum}`);
  }
  if (r.multipleOf !== undefined) {
    const of = boundOf(r.multipleOf);
    const near = float && typeof v === "number" && nearestToMultiple(v, of);
    if (!near && !isMultiple(v, of))
      s.add("multipleOf", `must be a multiple of ${r.multipleOf}`);
  }
}

function boundOf(bound: Bound): Decimal {
  return typeof bound === "number" ? bound : new Numeral(bound);
}

/** Reports whether a number is a multiple of another one, exactly. */
export function isMultiple(v: Decimal, of: Decimal): boolean {
  if (Number.isSafeInteger(v) && Number.isSafeInteger(of))
    return (v as number) % (of as number) === 0;
  const a = digitsOf(v);
  const b = digitsOf(of);
  if (a.digits === "") return true;
  if (b.digits === "" || a.exp < b.exp) return false;
  const divisor = BigInt(b.digits);
  return (BigInt(a.digits) * powerMod(a.exp - b.exp, divisor)) % divisor === 0n;
}

/** Ten to the power of exp, modulo a divisor. */
function powerMod(exp: number, divisor: bigint): bigint {
  let result = 1n % divisor;
  let base = 10n % divisor;
  for (let rest = BigInt(exp); rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * base) % divisor;
    base = (base * base) % divisor;
  }
  return result;
}

/** Reports whether a multiple is rounded to the same number of JavaScript as v. */
function nearestToMultiple(v: number, of: Decimal): boolean {
  const [top, bottom] = ratioOf(v);
  const { digits, exp } = digitsOf(of);
  const step = BigInt(digits);
  const up = exp < 0 ? 10n ** BigInt(-exp) : 1n;
  const down = exp > 0 ? 10n ** BigInt(exp) : 1n;
  const divisor = bottom * step * down;
  let times = (top * up) / divisor;
  if (top < 0n && times * divisor !== top * up) times--;
  return [times, times + 1n].some((n) => Number(`${n * step}e${exp}`) === v);
}

/** A number of JavaScript as a fraction. */
function ratioOf(v: number): [top: bigint, bottom: bigint] {
  let exp = 0;
  let scaled = v;
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    exp++;
  }
  return [BigInt(scaled), 2n ** BigInt(exp)];
}

function differ(items: unknown[], elem: Plain | undefined, s: State): void {
  const seen = new Map<string, number>();
  for (const [i, item] of items.entries()) {
    const key = canonical(elem ? elem.kept(item) : item);
    const first = seen.get(key);
    if (first !== undefined) {
      s.add("uniqueItems", `items ${first} and ${i} must differ`);
      return;
    }
    seen.set(key, i);
  }
}

function related(
  v: { [name: string]: unknown },
  [how, ...names]: Require,
  s: State,
): void {
  const missing = names.filter((name) => !has(v, name));
  const present = names.length - missing.length;
  const first = names[0] ?? "";
  if (how === "any" && present === 0) {
    s.add("require", `must have one of ${names.join(", ")}`);
  } else if (how === "one" && present !== 1) {
    s.add("require", `must have exactly one of ${names.join(", ")}`);
  } else if (how === "with" && has(v, first) && missing.length > 0) {
    s.add("require", `must have ${missing.join(", ")} as well as ${first}`);
  }
}

// Words.

/** The kind of a JSON value. */
export function kindOf(v: unknown): string {
  if (v === null) return "null";
  if (Array.isArray(v)) return "array";
  if (isNumber(v)) return isWhole(v) ? "integer" : "number";
  return typeof v;
}

function describe(v: unknown): string {
  if (v === null || v === undefined) return String(v);
  if (typeof v === "number" && !Number.isFinite(v)) return String(v);
  return article(kindOf(v));
}

function article(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;
}

function show(v: unknown): string {
  return typeof v === "string" ? quote(v) : String(v);
}

const signs: { [character: string]: string } = {
  '"': '\\"',
  "\\": "\\\\",
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};

/** A text in quotes, with what cannot be seen as escapes. */
function quote(text: string): string {
  const shown = text.replace(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, (c) => {
    const code = c.codePointAt(0) ?? 0;
    const hex = code.toString(16);
    if (signs[c] !== undefined) return signs[c];
    if (code < 0x80) return `\\x${hex.padStart(2, "0")}`;
    return code < 0x10000
      ? `\\u${hex.padStart(4, "0")}`
      : `\\U${hex.padStart(8, "0")}`;
  });
  return `"${shown}"`;
}

/** Reports whether two values are one JSON value. */
export function equal(a: unknown, b: unknown): boolean {
  return a === b || canonical(a) === canonical(b);
}

/** A text that equal JSON values share: 1 and 1.0 are equal, and the order of members does not count. */
export function canonical(v: unknown): string {
  if (isNumber(v)) {
    const { negative, digits, exp } = digitsOf(v);
    return `${negative ? "-" : ""}${digits}e${exp}`;
  }
  if (Array.isArray(v)) return `[${v.map(canonical).join(",")}]`;
  if (isObject(v)) {
    const parts = membersOf(v).map(
      ([name, value]) => `${JSON.stringify(name)}:${canonical(value)}`,
    );
    return `{${parts.sort().join(",")}}`;
  }
  return typeof v === "string" ? JSON.stringify(v) : String(v);
}

// Formats.

function format(name: string, test: (text: string) => boolean): Format {
  return { name, test };
}

/** A regular expression that JavaScript writes otherwise than the schema. */
export function match(pattern: RegExp, expr: string): Match {
  return { test: (text) => pattern.test(text), expr };
}

/** An instruction of a program that matches a text. */
interface Step {
  kind: string;
  numbers: number[];
  next: number;
}

/**
 * A regular expression that JavaScript might take too long for, as a program: all
 * ways to match a text are followed at once, so that the time is in proportion to
 * its length.
 */
export function linear(expr: string, program: string): Match {
  let steps: Step[] | undefined;
  return {
    expr,
    test: (text) =>
      matches((steps ??= program.split(" ").map(stepOf)), [...text]),
  };
}

function stepOf(written: string): Step {
  const numbers = written.slice(1).split(",").map(Number);
  return { kind: written[0] ?? "f", numbers, next: numbers.pop() ?? 0 };
}

function matches(steps: Step[], text: string[]): boolean {
  let now: number[] = [];
  const seen = new Map<number, number>();
  /** Adds what follows without reading, and reports whether the text matches. */
  const enter = (start: number, at: number, into: number[]): boolean => {
    const stack = [start];
    for (let k = stack.pop(); k !== undefined; k = stack.pop()) {
      const step = steps[k];
      if (!step || seen.get(k) === at) continue;
      seen.set(k, at);
      if (step.kind === "m") return true;
      if (step.kind === "c") into.push(k);
      else if (step.kind === "|") stack.push(step.next, ...step.numbers);
      else if (step.kind === "e" && holdsAt(step.numbers[0] ?? 0, text, at))
        stack.push(step.next);
    }
    return false;
  };
  for (let at = 0; ; at++) {
    if (enter(0, at, now)) return true;
    const character = text[at]?.codePointAt(0);
    if (character === undefined) return false;
    const after: number[] = [];
    for (const k of now) {
      const step = steps[k];
      const found = step?.numbers.some(
        (low, i, all) =>
          i % 2 === 0 && character >= low && character <= (all[i + 1] ?? low),
      );
      if (step && found && enter(step.next, at + 1, after)) return true;
    }
    now = after;
  }
}

/** Reports whether conditions hold between two characters: the beginning and the end of a line, of the text, and of a word. */
function holdsAt(conditions: number, text: string[], at: number): boolean {
  const before = text[at - 1];
  const after = text[at];
  const isWord = (c: string | undefined): boolean =>
    c !== undefined && /^\w$/.test(c);
  const edge = isWord(before) !== isWord(after);
  const all = [
    before === undefined || before === "\n",
    after === undefined || after === "\n",
    before === undefined,
    after === undefined,
    edge,
    !edge,
  ];
  return all.every((holds, bit) => holds || (conditions & (1 << bit)) === 0);
}

/** A URI of RFC 3986. */
export const uri: Format = /* @__PURE__ */ format("uri", (text) =>
  uriForm().test(text),
);

let uriPattern: RegExp | undefined;

function uriForm(): RegExp {
  if (uriPattern) return uriPattern;
  const plain = "A-Za-z0-9._~!$&'()*+,;=\\-";
  const octet = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
  const h16 = "[0-9A-Fa-f]{1,4}";
  const ls32 = `(?:${h16}:${h16}|${octet}(?:\\.${octet}){3})`;
  const before = (n: number): string => `(?:(?:${h16}:){0,${n}}${h16})?::`;
  const ipv6 = [
    `(?:${h16}:){6}${ls32}`,
    `::(?:${h16}:){5}${ls32}`,
    ...[4, 3, 2, 1].map((n) => `${before(4 - n)}(?:${h16}:){${n}}${ls32}`),
    `${before(4)}${ls32}`,
    `${before(5)}${h16}`,
    before(6),
  ].join("|");
  const escape = "%[0-9A-Fa-f]{2}";
  const character = `(?:[${plain}:@]|${escape})`;
  const host = `(?:\\[(?:${ipv6}|[Vv][0-9A-Fa-f]+\\.[${plain}:]+)\\]|(?:[${plain}]|${escape})*)`;
  const authority = `(?:(?:[${plain}:]|${escape})*@)?${host}(?::[0-9]*)?`;
  const more = `(?:${character}|[/?])*`;
  const path = `${character}+(?:/${character}*)*`;
  return (uriPattern = new RegExp(
    `^[A-Za-z][A-Za-z0-9+.-]*:(?://${authority}(?:/${character}*)*|/(?:${path})?|${path}|)(?:\\?${more})?(?:#${more})?$`,
  ));
}

/** A URI template of RFC 6570. */
export const uriTemplate: Format = /* @__PURE__ */ format(
  "uri-template",
  (text) => {
    // eslint-disable-next-line no-control-regex
    const literal = /^(?:[^\x00-\x20"'%<>\\^`{|}\x7f]|%[0-9A-Fa-f]{2})*$/;
    const variable =
      /^(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+(?:\.(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+)*(?:\*|:[1-9]\d{0,3})?$/;
    return text.split("{").every((part, i) => {
      if (i === 0) return literal.test(part);
      const end = part.indexOf("}");
      const names = part.slice(0, end).replace(/^[+#./;?&=,!@|]/, "");
      return (
        end > 0 &&
        names.split(",").every((n) => variable.test(n)) &&
        literal.test(part.slice(end + 1))
      );
    });
  },
);

/** An email address in ASCII, without quotes and comments. */
export const email: Format = /* @__PURE__ */ format("email", (text) => {
  const at = text.lastIndexOf("@");
  const atoms =
    /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
  const label = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
  const host = text.slice(at + 1);
  if (at < 0 || at > 64 || host.length > 255 || !atoms.test(text.slice(0, at)))
    return false;
  return host.split(".").every((part) => label.test(part));
});

/** A UUID of any version. */
export const uuid: Format = /* @__PURE__ */ format("uuid", (text) =>
  /^[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}$/.test(text),
);

/** A full-date of RFC 3339, such as 2026-01-31. */
export const date: Format = /* @__PURE__ */ format("date", isDate);

function isDate(text: string): boolean {
  const found = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (!found) return false;
  const [year, month, day] = found.slice(1).map(Number) as [
    number,
    number,
    number,
  ];
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][
    month - 1
  ];
  return days !== undefined && day >= 1 && day <= days;
}

/** A date-time of RFC 3339. A leap second is none. */
export const dateTime: Format = /* @__PURE__ */ format("date-time", isDateTime);

function isDateTime(text: string): boolean {
  const clock =
    /^[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
  return isDate(text.slice(0, 10)) && clock.test(text.slice(10));
}

/** A duration of RFC 3339, appendix A. */
export const duration: Format = /* @__PURE__ */ format("duration", (text) => {
  const clock = "T(?:\\d+H(?:\\d+M(?:\\d+S)?)?|\\d+M(?:\\d+S)?|\\d+S)";
  const days = "(?:\\d+D|\\d+M(?:\\d+D)?|\\d+Y(?:\\d+M(?:\\d+D)?)?)";
  return new RegExp(`^P(?:\\d+W|${days}(?:${clock})?|${clock})$`).test(text);
});
