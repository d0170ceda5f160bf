// Compares what rpcgen generates for bench.rpc.yaml, in the folder rpc, with JSON.parse
// and with validators. With --json it prints the figures as JSON.

import { build } from "esbuild";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { peers } from "./peers.mjs";

const here = import.meta.dirname;
const rounds = Number(process.env.ROUNDS ?? 15);
const slice = Number(process.env.SLICE ?? 15); // milliseconds

/** Bundles the generated modules of a folder, and returns what they export. */
async function load(folder) {
  const file = join(here, "built", `${folder.replace(/\W/g, "_")}.mjs`);
  const contents = `export * from "${folder}/rules.js"; export * from "${folder}/validate.js"; export { parse } from "${folder}/json.js";`;
  await build({
    stdin: { contents, resolveDir: here },
    bundle: true,
    format: "esm",
    outfile: file,
    target: "es2022",
  });
  return import(pathToFileURL(file).href);
}

function rpcgen(modules) {
  return (name) => {
    const check = modules[`${name}Check`];
    return {
      parse: modules.parse,
      read(text) {
        try {
          return modules.read(check, text);
        } catch {
          return undefined;
        }
      },
      check: (value) => modules.violations(check, value).length === 0,
      faults: (value) => modules.violations(check, value).length,
    };
  };
}

const all = { rpcgen: rpcgen(await load("./rpc")), ...peers };
for (const folder of process.argv.slice(2).filter((arg) => arg !== "--json"))
  all[folder] = rpcgen(await load(folder));

const days = Array.from({ length: 7 }, (_, i) => ({
  date: `2026-11-${20 + i}`,
  high: 11.5 + i,
  low: 3.25 + i,
  rain: i / 4,
  summary: "light rain in the morning, clear later",
}));
const forecast = { city: "Zürich", unit: "celsius", days };
const items = Array.from({ length: 68 }, (_, i) => ({
  id: `sku-${1000 + i}`,
  title: `Cordless drill, model ${i}`,
  description:
    "With two batteries, a charger and a case: 18 V, 60 Nm, two gears, one light.",
  price: 79.5 + i,
  stock: 3 * i,
  active: i % 3 > 0,
  tags: ["tools", "garden & home", "sale"],
}));
const list = { items, next: "page-2" };

/** Copies a value, and breaks it in three places. */
function broken(value) {
  const copy = JSON.parse(JSON.stringify(value));
  const parts = copy.days ?? copy.items;
  parts[0].summary = parts[0].title = 7;
  delete parts[1].low;
  delete parts[1].active;
  const last = parts.at(-1);
  if (copy.days) last.date = "2026";
  else last.stock = -1;
  return copy;
}

const works = [
  ["result of 0.7 KB", "Forecast", forecast],
  ["list of 15 KB", "CatalogListResult", list],
];

let sink;

/** How long a call takes, in nanoseconds. */
function time(call, times) {
  const begin = process.cpuUsage();
  for (let i = 0; i < times; i++) sink = call();
  const { user, system } = process.cpuUsage(begin);
  return ((user + system) * 1000) / times;
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

/** Lets contestants alternate, and returns the median time of each. */
function measure(calls) {
  const names = Object.keys(calls);
  const times = {};
  for (const name of names) {
    time(calls[name], 2000); // for the compiler
    times[name] = Math.max(
      1,
      Math.round((slice * 1e6) / time(calls[name], 200)),
    );
  }
  const took = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < names.length; i++) {
      const name = names[(i + round) % names.length];
      took[name].push(time(calls[name], times[name]));
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(took[name])]));
}

function fail(what) {
  throw new Error(`nothing is measured: ${what}`);
}

const rows = [];
for (const [title, type, made] of works) {
  const text = JSON.stringify(made);
  const value = JSON.parse(text);
  const bad = broken(value);
  const kinds = { parse: {}, read: {}, check: {}, refuse: {} };
  kinds.parse["JSON.parse"] = () => JSON.parse(text);
  for (const [name, make] of Object.entries(all)) {
    const one = make(type);
    if (JSON.stringify(one.read(text)) !== text)
      fail(`${name} reads otherwise`);
    if (!one.check(value)) fail(`${name} refuses a value`);
    if (one.faults(bad) < 3) fail(`${name} finds ${one.faults(bad)} faults`);
    if (one.parse) kinds.parse[name] = () => one.parse(text);
    kinds.read[name] = () => one.read(text);
    kinds.check[name] = () => one.check(value);
    kinds.refuse[name] = () => one.faults(bad);
  }
  for (const [kind, calls] of Object.entries(kinds))
    rows.push({
      title,
      kind,
      bytes: Buffer.byteLength(text),
      took: measure(calls),
    });
}

if (process.argv.includes("--json")) {
  console.log(JSON.stringify({ node: process.version, rows }));
} else {
  for (const { title, kind, bytes, took } of rows) {
    const own = took["rpcgen"];
    const others = Object.entries(took).map(
      ([name, ns]) =>
        `${name} ${(ns / 1000).toFixed(2)} us, ours ${(own / ns).toFixed(2)}x`,
    );
    console.log(`${title} (${bytes} bytes), ${kind}: ${others.join("; ")}`);
  }
}
if (sink === rows) console.log();
