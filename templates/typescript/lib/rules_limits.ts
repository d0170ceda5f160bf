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
      for (const one of r.require ?? []) {
        const message = unrelated(v, one);
        if (message !== undefined) s.add("require", message);
      }
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

const surrogates = /[\ud800-\udfff]/;

/** The number of code points of a text. */
export function characters(text: string): number {
  let n = text.length;
  for (let i = text.search(surrogates); i >= 0 && i < text.length; i++) {
    if ((text.codePointAt(i) ?? 0) > 0xffff) {
      n--;
      i++;
    }
  }
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
  if (typeof v === "number" && typeof of === "number" && isSteps(v, of))
    return true;
  const a = digitsOf(v);
  const b = digitsOf(of);
  if (a.digits === "") return true;
  if (b.digits === "" || a.exp < b.exp) return false;
  const divisor = BigInt(b.digits);
  return (BigInt(a.digits) * powerMod(a.exp - b.exp, divisor)) % divisor === 0n;
}

/** Reports whether a number of at most 15 digits is a multiple of a decimal fraction. False says nothing. */
function isSteps(v: number, of: number): boolean {
  for (let scale = 1; scale <= 1e9; scale *= 10) {
    const step = Math.round(of * scale);
    const steps = Math.round(v * scale);
    if (step / scale === of && steps / scale === v)
      return Math.abs(steps) < 1e15 && steps % step === 0;
  }
  return false;
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

function unrelated(
  v: { [name: string]: unknown },
  [how, ...names]: Require,
): string | undefined {
  const missing = names.filter((name) => !has(v, name));
  const present = names.length - missing.length;
  const first = names[0] ?? "";
  if (how === "any" && present === 0) {
    return `must have one of ${names.join(", ")}`;
  }
  if (how === "one" && present !== 1)
    return `must have exactly one of ${names.join(", ")}`;
  if (how === "with" && has(v, first) && missing.length > 0)
    return `must have ${missing.join(", ")} as well as ${first}`;
  return undefined;
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
  return `${/^([aeio]|u[glmnp])/.test(noun) ? "an" : "a"} ${noun}`; // as "a uri"
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
  if (/^[\w ./-]*$/.test(text)) return `"${text}"`;
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
  if (a === b) return true;
  if (typeof a === "string" || typeof b === "string") return false;
  return canonical(a) === canonical(b);
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
