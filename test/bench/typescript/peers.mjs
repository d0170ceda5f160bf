// The types of bench.rpc.yaml as schemas of other libraries. A peer reads a text
// (text in, checked value out), checks a value, and counts what is wrong with it;
// read and check return undefined where a value does not fit.

import { Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { Ajv } from "ajv";
import standalone from "ajv/dist/standalone/index.js";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import * as v from "valibot";
import { z } from "zod";

const units = ["celsius", "fahrenheit", "kelvin"];
const int32 = { type: "integer", minimum: -2147483648, maximum: 2147483647 };
const string = { type: "string" };
const number = { type: "number" };

function object(properties, optional = []) {
  const required = Object.keys(properties).filter((n) => !optional.includes(n));
  return { type: "object", properties, required };
}

const day = object({
  date: { ...string, minLength: 10, maxLength: 10 },
  high: number,
  low: number,
  rain: number,
  summary: string,
});
const item = object({
  id: { ...string, minLength: 1 },
  title: string,
  description: string,
  price: number,
  stock: { ...int32, minimum: 0 },
  active: { type: "boolean" },
  tags: { type: "array", items: string },
});
const jsonSchemas = {
  Forecast: object({
    city: string,
    unit: { enum: units },
    days: { type: "array", items: day },
  }),
  CatalogListResult: object(
    { items: { type: "array", items: item }, next: string },
    ["next"],
  ),
};

function ajv() {
  const made = new Ajv({ allErrors: true, code: { source: true } });
  for (const [name, schema] of Object.entries(jsonSchemas))
    made.addSchema(schema, name);
  const names = Object.fromEntries(
    Object.keys(jsonSchemas).map((name) => [name, name]),
  );
  const folder = mkdtempSync(join(import.meta.dirname, "standalone-"));
  try {
    const file = join(folder, "checks.cjs");
    writeFileSync(file, standalone.default(made, names));
    const checks = createRequire(file)(file);
    return (name) => {
      const check = checks[name];
      return {
        read(text) {
          const value = JSON.parse(text);
          return check(value) ? value : undefined;
        },
        check: (value) => check(value),
        faults: (value) => (check(value) ? 0 : check.errors.length),
      };
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const zodInt32 = z.int32();
const zods = {
  Forecast: z.object({
    city: z.string(),
    unit: z.enum(units),
    days: z.array(
      z.object({
        date: z.string().length(10),
        high: z.number(),
        low: z.number(),
        rain: z.number(),
        summary: z.string(),
      }),
    ),
  }),
  CatalogListResult: z.object({
    items: z.array(
      z.object({
        id: z.string().min(1),
        title: z.string(),
        description: z.string(),
        price: z.number(),
        stock: zodInt32.min(0),
        active: z.boolean(),
        tags: z.array(z.string()),
      }),
    ),
    next: z.string().optional(),
  }),
};

function zod(name) {
  const schema = zods[name];
  return {
    read(text) {
      const found = schema.safeParse(JSON.parse(text));
      return found.success ? found.data : undefined;
    },
    check: (value) => schema.safeParse(value).success,
    faults: (value) => schema.safeParse(value).error?.issues.length ?? 0,
  };
}

const valibots = {
  Forecast: v.object({
    city: v.string(),
    unit: v.picklist(units),
    days: v.array(
      v.object({
        date: v.pipe(v.string(), v.length(10)),
        high: v.number(),
        low: v.number(),
        rain: v.number(),
        summary: v.string(),
      }),
    ),
  }),
  CatalogListResult: v.object({
    items: v.array(
      v.object({
        id: v.pipe(v.string(), v.minLength(1)),
        title: v.string(),
        description: v.string(),
        price: v.number(),
        stock: v.pipe(
          v.number(),
          v.integer(),
          v.minValue(0),
          v.maxValue(2147483647),
        ),
        active: v.boolean(),
        tags: v.array(v.string()),
      }),
    ),
    next: v.optional(v.string()),
  }),
};

function valibot(name) {
  const schema = valibots[name];
  return {
    read(text) {
      const found = v.safeParse(schema, JSON.parse(text));
      return found.success ? found.output : undefined;
    },
    check: (value) => v.safeParse(schema, value).success,
    faults: (value) => v.safeParse(schema, value).issues?.length ?? 0,
  };
}

function typebox(name) {
  const check = TypeCompiler.Compile(typeboxes[name]);
  return {
    read(text) {
      const value = JSON.parse(text);
      return check.Check(value) ? value : undefined;
    },
    check: (value) => check.Check(value),
    faults: (value) =>
      check.Check(value) ? 0 : [...check.Errors(value)].length,
  };
}

const typeboxes = {
  Forecast: Type.Object({
    city: Type.String(),
    unit: Type.Union(units.map((unit) => Type.Literal(unit))),
    days: Type.Array(
      Type.Object({
        date: Type.String({ minLength: 10, maxLength: 10 }),
        high: Type.Number(),
        low: Type.Number(),
        rain: Type.Number(),
        summary: Type.String(),
      }),
    ),
  }),
  CatalogListResult: Type.Object({
    items: Type.Array(
      Type.Object({
        id: Type.String({ minLength: 1 }),
        title: Type.String(),
        description: Type.String(),
        price: Type.Number(),
        stock: Type.Integer({ minimum: 0, maximum: 2147483647 }),
        active: Type.Boolean(),
        tags: Type.Array(Type.String()),
      }),
    ),
    next: Type.Optional(Type.String()),
  }),
};

/** The peers, each a function that takes the name of a type. */
export const peers = {
  "zod 4": zod,
  valibot,
  "ajv, standalone": ajv(),
  "typebox, compiled": typebox,
};
