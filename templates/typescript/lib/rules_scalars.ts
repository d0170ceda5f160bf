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

/** Reports whether a text is Base64 with padding. */
export function isBase64(text: string): boolean {
  if (text.length % 4 !== 0 || !base64.test(text)) return false;
  const end = text.slice(-4);
  return !end.endsWith("=") || base64End.test(end);
}

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;
const base64End = /^.[AQgw]==$|^..[AEIMQUYcgkosw048]=$/;

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
    const safe = Number.isSafeInteger(v) ? (v as number) : NaN;
    if (safe >= Number(low) && safe <= Number(high)) {
      follow(v, rules, s);
    } else if (!isNumber(v)) {
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
      const rounded = typeof v === "number" ? v : Number(String(v));
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
  const ok = Number.isSafeInteger(v) || Number.isSafeInteger(Number(String(v)));
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
