// JSON (RFC 8259), read strictly and without loss: a member may not occur twice,
// text is complete Unicode, and a number that a number of JavaScript would round
// is kept by its text.

/** A JSON number, kept by its text because a number of JavaScript would round it. */
export class Numeral {
  readonly text: string;

  constructor(text: string) {
    if (!numberText.test(text))
      throw new SyntaxError(`${text} is not a number`);
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** A number of any size and precision. Numbers that JavaScript holds are numbers. */
export type Decimal = number | bigint | Numeral;

/**
 * The tag of a branch that the schema does not know. It is any text that is no known tag. TypeScript has no type of these: this one, which no
 * tag of a schema belongs to, stands for it, so that a known tag tells the branches apart.
 */
export type UnknownTag = `${string}\u0000`;

/** How deep arrays and objects may be nested in a text that is read. */
export const maxDepth = 1000;

const numberText = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const tokens =
  /[ \t\n\r]*(?:([{}[\],:])|(true|false|null)|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)|("))/y;
// eslint-disable-next-line no-control-regex
const plainText = /[^"\\\u0000-\u001f]*/y;
const words: { [word: string]: unknown } = {
  true: true,
  false: false,
  null: null,
};
const escapes: { [letter: string]: string } = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/**
 * Reads a JSON text. Integers outside of the safe range are bigints, and other
 * numbers that would be rounded are Numerals. It throws a SyntaxError that says
 * where the text is wrong.
 */
export function parse(text: string): unknown {
  const value = quick(text);
  return value === unsure ? new Reader(text, false).whole() : value;
}

/**
 * The names of members that are twice in an object that parseTwice has read, by the object. Arrays and objects that hold such an object, at
 * any depth, are here as well, without names.
 */
export let repeated: WeakMap<object, Set<string>> | undefined;

/** Reads a JSON text as parse does, but of members that occur twice, the first ones count, and repeated has the names. */
export function parseTwice(text: string): unknown {
  const value = quick(text);
  return value === unsure ? new Reader(text, true).whole() : value;
}

/** What quick returns for a text that it leaves to a Reader. No text of JSON is one. */
const unsure = /* @__PURE__ */ Symbol();

/**
 * Returns what JSON.parse makes of a text where the text shows that nothing is lost: no member occurs twice, no number is rounded, and no half of
 * a surrogate pair is read.
 */
function quick(text: string): unknown {
  if (rounds(text) || !isUnicode(text)) return unsure;
  if (text.includes("\\u") && /\\u(?:[dD]|003)/.test(text)) return unsure;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return unsure; // a Reader says where it is wrong
  }
  const parts: Parts = { members: 0, colons: 0, small: false, exact: true };
  visit(value, 0, parts);
  if (!parts.exact || (parts.small && hasSmall(text))) return unsure;
  // At least as many as the text has members.
  let named = 0;
  let colons = 0;
  for (let i = text.indexOf(":"); i >= 0; i = text.indexOf(":", i + 1)) {
    const before = text.charCodeAt(i - 1);
    if (before === 34 || before <= 32) named++;
    colons++;
  }
  if (named === parts.members) return value;
  parts.members = 0;
  visitTexts(value, parts);
  return colons === parts.members + parts.colons ? value : unsure;
}

/** What a value has, which its text must have as often. */
interface Parts {
  members: number;
  colons: number;
  /** A number is zero or nearly so. */
  small: boolean;
  exact: boolean;
}

function visit(v: unknown, depth: number, parts: Parts): void {
  if (typeof v === "number") {
    if (v < 1e-290 && v > -1e-290) parts.small = true;
    else if (v - v !== 0) parts.exact = false; // infinite
  } else if (Array.isArray(v)) {
    if (depth >= maxDepth && v.length > 0) parts.exact = false;
    else
      for (let i = 0; i < v.length; i++) {
        const item: unknown = v[i];
        if (typeof item !== "string") visit(item, depth + 1, parts);
      }
  } else if (typeof v === "object" && v !== null) {
    if (depth >= maxDepth) parts.exact = false;
    else
      for (const name in v) {
        parts.members++;
        const member = (v as { [name: string]: unknown })[name];
        if (typeof member !== "string") visit(member, depth + 1, parts);
      }
  }
}

/** Counts the colons of all texts, and the members. */
function visitTexts(v: unknown, parts: Parts): void {
  if (typeof v === "string") {
    parts.colons += v.split(":").length - 1;
  } else if (typeof v === "object" && v !== null) {
    for (const [name, value] of Object.entries(v)) {
      if (!Array.isArray(v)) parts.members++;
      visitTexts(name, parts);
      visitTexts(value, parts);
    }
  }
}

/** Reports whether a number of a text may have more digits than a number of JavaScript. One of fewer than 15 has not. */
function rounds(text: string): boolean {
  for (let i = 14; i < text.length; i += 15) {
    if (!isDigit(text.charCodeAt(i))) continue;
    let begin = i;
    let end = i + 1;
    while (isDigit(text.charCodeAt(begin - 1))) begin--;
    while (isDigit(text.charCodeAt(end))) end++;
    i = Math.max(i, end - 15);
    if (end - begin < 15 || text.charCodeAt(begin - 1) === 34) continue;
    const digits = text.slice(begin, end);
    const number = Number(digits);
    if ("eE".includes(text.charAt(end)) || String(number) !== digits)
      return true;
    if (Number.isInteger(number) && !Number.isSafeInteger(number)) return true;
  }
  return false;
}

/** Reports whether a character is a digit or a point. */
function isDigit(code: number): boolean {
  return code <= 57 && (code >= 48 || code === 46);
}

/** Reports whether a number of a text may be so small that it is rounded to zero. */
function hasSmall(text: string): boolean {
  for (let i = text.indexOf("-"); i >= 0; i = text.indexOf("-", i + 1)) {
    const exponent = "eE".includes(text.charAt(i - 1));
    if (exponent && isDigit(text.charCodeAt(i - 2))) return true;
  }
  return false;
}

class Reader {
  at = 0;
  /** How many members there were already. */
  doubles = 0;
  readonly text: string;
  readonly twice: boolean;

  constructor(text: string, twice: boolean) {
    this.text = text;
    this.twice = twice;
  }

  whole(): unknown {
    const value = this.value(this.token(), 0);
    if (/[^ \t\n\r]/.test(this.text.slice(this.at)))
      throw this.error("something follows the value");
    return value;
  }

  error(what: string): SyntaxError {
    return new SyntaxError(`JSON at position ${this.at}: ${what}`);
  }

  /** The next token: a mark, a word, a number, or the quote that begins a text. */
  token(): string {
    tokens.lastIndex = this.at;
    const found = tokens.exec(this.text);
    if (!found) throw this.error("a value or a mark is missing");
    this.at = tokens.lastIndex;
    return found[1] ?? found[2] ?? found[3] ?? '"';
  }

  value(token: string, depth: number): unknown {
    if (depth > maxDepth)
      throw this.error(`it is nested deeper than ${maxDepth}`);
    if (token === '"') return this.string();
    if (token === "{" || token === "[") {
      const before = this.doubles;
      const all = token === "{" ? this.object(depth) : this.array(depth);
      if (this.doubles > before) namesOf(all);
      return all;
    }
    if (token in words) return words[token];
    if (!numberText.test(token)) throw this.error("a value is missing");
    return toNumber(token);
  }

  array(depth: number): unknown[] {
    const items: unknown[] = [];
    let token = this.token();
    if (token === "]") return items;
    for (;;) {
      items.push(this.value(token, depth + 1));
      token = this.token();
      if (token === "]") return items;
      if (token !== ",") throw this.error("a comma or ] is missing");
      token = this.token();
    }
  }

  object(depth: number): object {
    const members = {};
    let token = this.token();
    if (token === "}") return members;
    for (;;) {
      if (token !== '"') throw this.error("the name of a member is missing");
      const name = this.string();
      const again = Object.hasOwn(members, name);
      if (again && !this.twice) {
        throw this.error(`the member ${JSON.stringify(name)} occurs twice`);
      }
      if (this.token() !== ":") throw this.error("a colon is missing");
      const value = this.value(this.token(), depth + 1);
      if (!again) define(members, name, value);
      else {
        namesOf(members).add(name);
        this.doubles++;
      }
      token = this.token();
      if (token === "}") return members;
      if (token !== ",") throw this.error("a comma or } is missing");
      token = this.token();
    }
  }

  string(): string {
    let read = "";
    for (;;) {
      plainText.lastIndex = this.at;
      plainText.test(this.text);
      read += this.text.slice(this.at, plainText.lastIndex);
      this.at = plainText.lastIndex + 1;
      const end = this.text[this.at - 1];
      if (end === '"') break;
      if (end !== "\\")
        throw this.error("a text is not closed, or has a control character");
      read += this.escape();
    }
    if (!isUnicode(read)) throw this.error("half of a surrogate pair");
    return read;
  }

  escape(): string {
    const letter = this.text[this.at++] ?? "";
    if (letter === "u") {
      const digits = this.text.slice(this.at, this.at + 4);
      if (!/^[\da-fA-F]{4}$/.test(digits))
        throw this.error("four hexadecimal digits are missing");
      this.at += 4;
      return String.fromCharCode(parseInt(digits, 16));
    }
    if ('"\\/'.includes(letter) && letter !== "") return letter;
    const escaped = Object.hasOwn(escapes, letter)
      ? escapes[letter]
      : undefined;
    if (escaped === undefined) throw this.error("an escape is unknown");
    return escaped;
  }
}

/** Returns the names of repeated for an object, to be added to. */
function namesOf(members: object): Set<string> {
  repeated ??= new WeakMap<object, Set<string>>();
  const names = repeated.get(members) ?? new Set();
  repeated.set(members, names);
  return names;
}

/** Reports whether a text has no half of a surrogate pair. */
export function isUnicode(text: string): boolean {
  return !/[\ud800-\udfff]/u.test(text);
}

/** Sets a member, whatever it is called: __proto__ is a name like all others. */
export function define(members: object, name: string, value: unknown): void {
  if (name === "__proto__") {
    Object.defineProperty(members, name, {
      value,
      configurable: true,
      enumerable: true,
      writable: true,
    });
  } else {
    (members as { [name: string]: unknown })[name] = value;
  }
}

/** The number of a text, in the form that loses nothing. */
function toNumber(text: string): Decimal {
  const number = Number(text);
  const short = text.length <= 15;
  if (/^-?\d+$/.test(text)) {
    if (short || Number.isSafeInteger(number)) return number;
    return text.length <= 40 ? BigInt(text) : new Numeral(text);
  }
  const kept =
    Number.isFinite(number) && compareNumbers(new Numeral(text), number) === 0;
  return kept ? number : new Numeral(text);
}

/** A decimal number: digits times ten to the power of exp, without zeros at either end. */
export interface Digits {
  negative: boolean;
  digits: string;
  exp: number;
}

const farthest = 2 ** 40;

/** Takes a number apart. */
export function digitsOf(value: Decimal): Digits {
  const [, sign, whole = "", fraction = "", power = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(String(value)) ?? [];
  const digits = trimStart(whole + fraction);
  const short = trimEnd(digits);
  if (short === "") return { negative: false, digits: "", exp: 0 };
  const exp = Math.min(Math.max(Number(power), -farthest), farthest);
  return {
    negative: sign === "-",
    digits: short,
    exp: exp - fraction.length + digits.length - short.length,
  };
}

function trimStart(digits: string): string {
  return digits.replace(/^0+/, "");
}

function trimEnd(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === "0") end--;
  return digits.slice(0, end);
}

/** Compares two numbers exactly: negative if a is less than b. */
export function compareNumbers(a: Decimal, b: Decimal): number {
  if (typeof a === "number" && typeof b === "number")
    return a < b ? -1 : a > b ? 1 : 0;
  const x = digitsOf(a);
  const y = digitsOf(b);
  const sign = (d: Digits): number =>
    d.digits === "" ? 0 : d.negative ? -1 : 1;
  if (sign(x) !== sign(y)) return sign(x) - sign(y);
  const longer = x.exp + x.digits.length - (y.exp + y.digits.length);
  const size =
    longer || (x.digits < y.digits ? -1 : x.digits > y.digits ? 1 : 0);
  return sign(x) * size;
}

/** Reports whether a value is a number of JSON, however it is held. */
export function isNumber(value: unknown): value is Decimal {
  return (
    (typeof value === "number" && Number.isFinite(value)) ||
    typeof value === "bigint" ||
    value instanceof Numeral
  );
}

/**
 * Writes a value as JSON, as JSON.stringify does; bigints and Numerals are numbers.
 * What JSON cannot hold, such as NaN, is a TypeError.
 */
export function stringify(value: unknown): string {
  const text = write(value, 0);
  if (text === undefined) throw new TypeError(`JSON has no ${typeof value}`);
  return text;
}

function write(value: unknown, depth: number): string | undefined {
  if (depth > maxDepth)
    throw new TypeError(`the value is nested deeper than ${maxDepth}`);
  if (isNumber(value)) return String(value);
  switch (typeof value) {
    case "number":
      throw new TypeError(`JSON has no ${value}`);
    case "string":
      if (!isUnicode(value)) throw new TypeError("half of a surrogate pair");
      return JSON.stringify(value);
    case "boolean":
      return String(value);
    case "object":
      return value === null ? "null" : writeObject(value, depth);
  }
  return undefined;
}

function writeObject(value: object, depth: number): string | undefined {
  if ("toJSON" in value && typeof value.toJSON === "function") {
    return write(value.toJSON(), depth + 1);
  }
  if (Array.isArray(value)) {
    return `[${value.map((item) => write(item, depth + 1) ?? "null").join(",")}]`;
  }
  const members: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    const text = write(member, depth + 1);
    if (text !== undefined) members.push(`${write(name, 0)}:${text}`);
  }
  return `{${members.join(",")}}`;
}
