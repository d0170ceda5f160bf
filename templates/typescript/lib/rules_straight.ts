// Straight code of types, which takes most values that fit, as they are. What it does
// not take is judged: it may fit nevertheless, such as a number that is a bigint.

/** Straight code of a type. The depth is how many steps the value lies below the one that is checked. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Fits = (v: any, depth: number) => boolean;

/** A check with straight code. */
export function straight<T>(takes: Fits, check: Part<T>): Made<T> {
  return { ...plain(check), takes };
}

/** Reports whether straight code takes a value. Of one with members that occur twice, nothing is known. */
function taken(check: Plain, value: unknown, depth: number): boolean {
  return (
    check.takes !== undefined &&
    !repeated?.has(value as object) &&
    check.takes(value, depth)
  );
}

/** Judges a part of a value, of a type without straight code. */
export function judged(
  part: Part<unknown>,
  value: unknown,
  depth: number,
): boolean {
  const state = new State(false);
  state.path.length = depth;
  plain(part).judge(value, state);
  return state.found.length === 0 && isPlain(value);
}

/** Reports whether a value has no number but those of JavaScript. */
function isPlain(v: unknown): boolean {
  if (typeof v === "bigint" || v instanceof Numeral) return false;
  return typeof v !== "object" || v === null || Object.values(v).every(isPlain);
}

/** Reports whether a value is an object of JSON. */
export function isRecord(v: unknown, depth: number): boolean {
  if (typeof v !== "object" || v === null || depth > deepest) return false;
  // Where __proto__ is there, it is found faster.
  if ((v as { __proto__?: unknown }).__proto__ === Object.prototype)
    return true;
  const type: unknown = Object.getPrototypeOf(v);
  return type === Object.prototype || type === null;
}

/** Returns a member that has the name of one that all objects have. */
export function own(v: { [name: string]: unknown }, name: string): unknown {
  return Object.hasOwn(v, name) ? v[name] : undefined;
}

/** Reports whether a value is of any kind of JSON. */
export function isAny(v: unknown): boolean {
  return typeof v === "object" || typeof v === "string" || isFlat(v);
}

function isFlat(v: unknown): boolean {
  return typeof v === "boolean" || isNumber(v);
}

/** Reports whether a value is an array, and its items fit. */
export function every(v: unknown, depth: number, fits: Fits): boolean {
  if (!Array.isArray(v) || depth > deepest) return false;
  for (let i = 0; i < v.length; i++) if (!fits(v[i], depth + 1)) return false;
  return true;
}

/** Reports whether the members of an object fit that have no name of their own. */
export function others(
  v: { [name: string]: unknown },
  depth: number,
  named: (name: string) => boolean,
  fits: Fits,
): boolean {
  for (const name in v) {
    const value = v[name];
    if (value !== undefined && !named(name) && !fits(value, depth + 1))
      return false;
  }
  return true;
}

/** Reports whether the length of a text is within limits. */
export function sized(
  text: string,
  min: number,
  max: number = Infinity,
): boolean {
  const n = text.length;
  if (n < min || n > 2 * max) return false;
  if (n <= max && (n >= 2 * min || !hasPairs(text))) return true;
  const all = characters(text);
  return all >= min && all <= max;
}

function hasPairs(text: string): boolean {
  if (text.length > 40) return surrogates.test(text);
  for (let i = 0; i < text.length; i++)
    if ((text.charCodeAt(i) & 0xf800) === 0xd800) return true;
  return false;
}

/** Reports whether the number of items or members is within limits. */
export function counts(
  v: object,
  min: number,
  max: number = Infinity,
): boolean {
  const n = Array.isArray(v) ? v.length : membersOf(v).length;
  return n >= min && n <= max;
}

/** Reports whether items differ that are no arrays and objects. */
export function distinct(items: unknown[]): boolean {
  return items.length < 2 || new Set(items).size === items.length;
}

/** Reports whether the presence of members is related. */
export function relates(
  v: { [name: string]: unknown },
  ...require: Require
): boolean {
  return unrelated(v, require) === undefined;
}

/** Takes nothing. */
export function never(): boolean {
  return false;
}
