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

// eslint-disable-next-line no-control-regex
const uriLiteral = /^(?:[^\x00-\x20"'%<>\\^`{|}\x7f]|%[0-9A-Fa-f]{2})*$/;
const uriVariable =
  /^(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+(?:\.(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+)*(?:\*|:[1-9]\d{0,3})?$/;

/** A URI template of RFC 6570. */
export const uriTemplate: Format = /* @__PURE__ */ format(
  "uri-template",
  (text) => {
    return text.split("{").every((part, i) => {
      if (i === 0) return uriLiteral.test(part);
      const end = part.indexOf("}");
      const names = part.slice(0, end).replace(/^[+#./;?&=,!@|]/, "");
      return (
        end > 0 &&
        names.split(",").every((n) => uriVariable.test(n)) &&
        uriLiteral.test(part.slice(end + 1))
      );
    });
  },
);

const emailAtoms =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const hostLabel = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/** An email address in ASCII, without quotes and comments. */
export const email: Format = /* @__PURE__ */ format("email", (text) => {
  const at = text.lastIndexOf("@");
  const host = text.slice(at + 1);
  if (
    at < 0 ||
    at > 64 ||
    host.length > 255 ||
    !emailAtoms.test(text.slice(0, at))
  )
    return false;
  return host.split(".").every((part) => hostLabel.test(part));
});

/** A UUID of any version. */
export const uuid: Format = /* @__PURE__ */ format("uuid", (text) =>
  uuidForm.test(text),
);

const uuidForm = /^[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}$/;

/** A full-date of RFC 3339, such as 2026-01-31. */
export const date: Format = /* @__PURE__ */ format("date", isDate);

const dateForm = /^(\d{4})-(\d\d)-(\d\d)$/;
const clockForm =
  /^[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

function isDate(text: string): boolean {
  const found = dateForm.exec(text);
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
  return isDate(text.slice(0, 10)) && clockForm.test(text.slice(10));
}

/** A duration of RFC 3339, appendix A. */
export const duration: Format = /* @__PURE__ */ format("duration", (text) =>
  durationForm().test(text),
);

let durationPattern: RegExp | undefined;

function durationForm(): RegExp {
  if (durationPattern) return durationPattern;
  const clock = "T(?:\\d+H(?:\\d+M(?:\\d+S)?)?|\\d+M(?:\\d+S)?|\\d+S)";
  const days = "(?:\\d+D|\\d+M(?:\\d+D)?|\\d+Y(?:\\d+M(?:\\d+D)?)?)";
  return (durationPattern = new RegExp(
    `^P(?:\\d+W|${days}(?:${clock})?|${clock})$`,
  ));
}
