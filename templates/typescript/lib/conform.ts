// JSON Schemas of draft 2020-12 that values are compared with.

import { type Decimal, compareNumbers, isNumber, parse } from "./json.js";
import {
  type Conform,
  type Match,
  canonical,
  characters,
  equal,
  isMultiple,
  isWhole,
  kindOf,
  linear,
  match,
} from "./rules.js";

/**
 * Compares values with a JSON Schema, whose references lead to # or #/$defs/NAME. Messages show it as
 * the author wrote it, where its patterns are translated.
 */
/* @__NO_SIDE_EFFECTS__ */
export function conform(text: string, written: string = text): Conform {
  let schema: unknown;
  return {
    text: written,
    fits: (value) =>
      new Comparison((schema ??= parse(text))).fits(schema, value, "").ok,
  };
}

interface Schema {
  [keyword: string]: unknown;
}

interface Verdict {
  ok: boolean;
  /** The elements or members that were looked at. */
  seen: Set<string>;
}

class Comparison {
  private readonly active = new Set<string>();
  private readonly known = new Map<string, Verdict>();
  private cut = 0;
  private readonly root: unknown;

  constructor(root: unknown) {
    this.root = root;
  }

  /** Compares a value, which lies at a pointer, with a schema. */
  fits(schema: unknown, v: unknown, at: string): Verdict {
    const seen = new Set<string>();
    if (typeof schema === "boolean") return { ok: schema, seen };
    const s = schema as Schema;
    for (const [name, wanted] of Object.entries(s)) {
      if (!this.keyword(s, name, wanted, v, at, seen))
        return { ok: false, seen };
    }
    for (const name of ["unevaluatedItems", "unevaluatedProperties"]) {
      if (
        !Object.hasOwn(s, name) ||
        kindOf(v) !== (name === "unevaluatedItems" ? "array" : "object")
      ) {
        continue;
      }
      for (const [part, value] of partsOf(v)) {
        if (!seen.has(part) && !this.fits(s[name], value, below(at, part)).ok) {
          return { ok: false, seen };
        }
        seen.add(part);
      }
    }
    return { ok: true, seen };
  }

  /** Compares the same value with a schema, and takes over what that looked at where it fits. */
  private same(
    schema: unknown,
    v: unknown,
    at: string,
    seen: Set<string>,
  ): boolean {
    const verdict = this.fits(schema, v, at);
    if (verdict.ok) for (const part of verdict.seen) seen.add(part);
    return verdict.ok;
  }

  private keyword(
    s: Schema,
    name: string,
    wanted: unknown,
    v: unknown,
    at: string,
    seen: Set<string>,
  ): boolean {
    switch (name) {
      case "$ref":
        return this.reference(wanted as string, v, at, seen);
      case "allOf":
      case "anyOf":
      case "oneOf": {
        const all = wanted as unknown[];
        const n = all.filter((part) => this.same(part, v, at, seen)).length;
        return name === "allOf"
          ? n === all.length
          : name === "anyOf"
            ? n > 0
            : n === 1;
      }
      case "not":
        return !this.fits(wanted, v, at).ok;
      case "if": {
        const branch = this.same(wanted, v, at, seen) ? "then" : "else";
        return !Object.hasOwn(s, branch) || this.same(s[branch], v, at, seen);
      }
      case "type":
        return [wanted].flat().some((word) => isOfKind(v, word as string));
      case "const":
        return equal(wanted, v);
      case "enum":
        return (wanted as unknown[]).some((one) => equal(one, v));
    }
    if (isNumber(v)) return numberFits(name, wanted, v);
    if (typeof v === "string") return textFits(name, wanted, v);
    if (Array.isArray(v)) return this.arrayFits(s, name, wanted, v, at, seen);
    return (
      kindOf(v) !== "object" ||
      this.objectFits(s, name, wanted, v as Schema, at, seen)
    );
  }

  private reference(
    ref: string,
    v: unknown,
    at: string,
    seen: Set<string>,
  ): boolean {
    const key = `${ref} ${at}`;
    if (this.active.has(key)) {
      this.cut++;
      return true; // it asks for itself, and for nothing more
    }
    let verdict = this.known.get(key);
    if (!verdict) {
      this.active.add(key);
      const cut = this.cut;
      verdict = this.fits(this.target(ref), v, at);
      this.active.delete(key);
      if (cut === this.cut) this.known.set(key, verdict);
    }
    if (verdict.ok) for (const part of verdict.seen) seen.add(part);
    return verdict.ok;
  }

  private target(ref: string): unknown {
    if (ref === "#") return this.root;
    const defs = (this.root as Schema)["$defs"] as Schema | undefined;
    return defs?.[ref.slice("#/$defs/".length)] ?? true;
  }

  private arrayFits(
    s: Schema,
    name: string,
    wanted: unknown,
    v: unknown[],
    at: string,
    seen: Set<string>,
  ): boolean {
    const look = (i: number, schema: unknown): boolean => {
      seen.add(String(i));
      return this.fits(schema, v[i], `${at}/${i}`).ok;
    };
    switch (name) {
      case "minItems":
        return compareNumbers(v.length, wanted as Decimal) >= 0;
      case "maxItems":
        return compareNumbers(v.length, wanted as Decimal) <= 0;
      case "uniqueItems":
        return wanted !== true || new Set(v.map(canonical)).size === v.length;
      case "prefixItems":
        return (wanted as unknown[])
          .slice(0, v.length)
          .every((part, i) => look(i, part));
      case "items": {
        const first = ((s["prefixItems"] ?? []) as unknown[]).length;
        return v.slice(first).every((_, i) => look(first + i, wanted));
      }
      case "contains": {
        const found = v.flatMap((item, i) =>
          this.fits(wanted, item, `${at}/${i}`).ok ? [i] : [],
        );
        for (const i of found) seen.add(String(i));
        const least = (s["minContains"] ?? 1) as Decimal;
        const most = (s["maxContains"] ?? found.length) as Decimal;
        return (
          compareNumbers(found.length, least) >= 0 &&
          compareNumbers(found.length, most) <= 0
        );
      }
    }
    return true;
  }

  private objectFits(
    s: Schema,
    name: string,
    wanted: unknown,
    v: Schema,
    at: string,
    seen: Set<string>,
  ): boolean {
    const all = Object.entries(v);
    switch (name) {
      case "minProperties":
        return compareNumbers(all.length, wanted as Decimal) >= 0;
      case "maxProperties":
        return compareNumbers(all.length, wanted as Decimal) <= 0;
      case "required":
        return hasAll(v, wanted);
      case "dependentRequired":
        return Object.entries(wanted as Schema).every(
          ([n, d]) => !Object.hasOwn(v, n) || hasAll(v, d),
        );
      case "dependentSchemas":
        return Object.entries(wanted as Schema).every(
          ([n, d]) => !Object.hasOwn(v, n) || this.same(d, v, at, seen),
        );
      case "propertyNames":
        return all.every(
          ([n]) => this.fits(wanted, n, `${below(at, n)}/~name`).ok,
        );
    }
    return all.every(([n, value]) =>
      membersOf(s, name, wanted, n).every((schema) => {
        seen.add(n);
        return this.fits(schema, value, below(at, n)).ok;
      }),
    );
  }
}

function partsOf(v: unknown): [string, unknown][] {
  return Object.entries(v as object);
}

function below(at: string, name: string): string {
  return `${at}/${name.replace(/~/g, "~0").replace(/\//g, "~1")}`;
}

function isOfKind(v: unknown, word: string): boolean {
  if (word === "integer") return isNumber(v) && isWhole(v);
  return word === "number" ? isNumber(v) : kindOf(v) === word;
}

function numberFits(name: string, wanted: unknown, v: Decimal): boolean {
  const bound = wanted as Decimal;
  switch (name) {
    case "minimum":
      return compareNumbers(v, bound) >= 0;
    case "exclusiveMinimum":
      return compareNumbers(v, bound) > 0;
    case "maximum":
      return compareNumbers(v, bound) <= 0;
    case "exclusiveMaximum":
      return compareNumbers(v, bound) < 0;
    case "multipleOf":
      return isMultiple(v, bound);
  }
  return true;
}

function textFits(name: string, wanted: unknown, v: string): boolean {
  switch (name) {
    case "minLength":
      return compareNumbers(characters(v), wanted as Decimal) >= 0;
    case "maxLength":
      return compareNumbers(characters(v), wanted as Decimal) <= 0;
    case "pattern":
      return patternOf(wanted as string).test(v);
  }
  return true;
}

const patterns = /* @__PURE__ */ new Map<string, Match>();

/** A pattern. After a star, with which no regular expression begins, it is a program. */
function patternOf(written: string): Match {
  let made = patterns.get(written);
  if (!made) {
    made = written.startsWith("*")
      ? linear(written, written.slice(1))
      : match(new RegExp(written, "u"), written);
    patterns.set(written, made);
  }
  return made;
}

/** The schemas that a keyword has for a member. */
function membersOf(
  s: Schema,
  keyword: string,
  wanted: unknown,
  name: string,
): unknown[] {
  switch (keyword) {
    case "properties":
      return Object.hasOwn(wanted as Schema, name)
        ? [(wanted as Schema)[name]]
        : [];
    case "patternProperties":
      return Object.entries(wanted as Schema)
        .filter(([pattern]) => patternOf(pattern).test(name))
        .map(([, schema]) => schema);
    case "additionalProperties": {
      const named = ["properties", "patternProperties"].some(
        (other) => membersOf(s, other, s[other] ?? {}, name).length > 0,
      );
      return named ? [] : [wanted];
    }
  }
  return [];
}

function hasAll(v: Schema, names: unknown): boolean {
  return (names as string[]).every((name) => Object.hasOwn(v, name));
}
