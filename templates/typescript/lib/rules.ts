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
  const part = plain(check);
  if (taken(part, value, 0)) return [];
  const state = new State(false);
  part.judge(value, state);
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
  return holding(plain(check), value, true) as T;
}

function holding(check: Plain, value: unknown, copies: boolean): unknown {
  const state = new State(copies);
  const accepted = check.judge(value, state);
  if (state.found.length > 0) throw new ViolationError(state.found);
  return accepted;
}

/**
 * Reads a JSON text as a value of a type. A member that occurs twice is a violation,
 * as in Go, where it would be read: what a type ignores is ignored.
 */
export function read<T>(check: Part<T>, text: string): T {
  return accepts(check)(parseTwice(text)) as T;
}

/** Returns what accept does for a check. A value that fits as it is, is not copied. */
export function accepts(check: Part<unknown>): (value: unknown) => unknown {
  const part = plain(check);
  return (value) =>
    taken(part, value, 0) ? value : holding(part, value, false);
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
  /** What is accepted shares nothing with the value. */
  readonly copies: boolean;

  constructor(copies: boolean) {
    this.copies = copies;
  }

  add(rule: string, message: string): void {
    let pointer = "";
    for (const step of this.path) pointer += `/${escapePointer(String(step))}`;
    this.found.push({ pointer, rule, message });
  }

  at(step: string | number, check: Plain, value: unknown): unknown {
    if (this.path.length > deepest) {
      this.add("depth", `is nested deeper than ${deepest}`);
      return value;
    }
    // A part of a part is not looked at by straight code again and again.
    const again = !this.copies && this.path.length < 4;
    if (again && taken(check, value, this.path.length + 1)) return value;
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
  if (!/[~/]/.test(name)) return name;
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
  /** Takes values that fit, as they are. */
  takes?: Fits;
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
