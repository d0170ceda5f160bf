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
