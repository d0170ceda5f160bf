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
    takes: (v, depth) => {
      later.takes = get().takes ?? never;
      return later.takes(v, depth);
    },
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
    let next = 0; // most members are in the order of the type
    for (const name of Object.keys(v)) {
      const value = v[name];
      if (value === undefined) continue;
      const field = all[next];
      const inOrder = field?.name === name;
      if (inOrder) next++;
      const check = inOrder ? field.check : (named.get(name) ?? others);
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
