// Asks generated validators about the values of a file, and compares what they
// find with what the file says.

import { execFileSync } from "node:child_process";
import { createReadStream, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const options = {
  strict: true,
  exactOptionalPropertyTypes: true,
  target: "es2022",
  module: "nodenext",
  outDir: "out",
  rootDir: ".",
  skipLibCheck: true,
  types: ["node"],
};
writeFileSync(
  join(folder, "tsconfig.json"),
  JSON.stringify({ compilerOptions: options, include: ["numbers", "bigints"] }),
);
const tsc = join(import.meta.dirname, "node_modules/.bin/tsc");
execFileSync(tsc, ["-p", folder], { stdio: "inherit" });

const load = async (name) => {
  const from = (file) =>
    import(pathToFileURL(join(folder, "out", name, file)).href);
  return {
    checks: await from("validate.js"),
    ...(await from("json.js")),
    ...(await from("rules.js")),
  };
};
const bigints = await load("bigints");
const numbers = await load("numbers");

const found = (by, q) => {
  const check = by.checks[q.check];
  if (!check) throw new Error(`there is no ${q.check}`);
  const all = by.violations(check, by.parse(q.text));
  return all.map((v) => [v.pointer, v.rule, v.message]);
};
const sorted = (all) =>
  JSON.stringify(all.map((v) => JSON.stringify(v)).sort());

let fit = 0;
let refused = 0;
let unsafe = 0;
let wrong = 0;
for await (const line of createInterface({
  input: createReadStream(join(folder, "values.jsonl")),
})) {
  const q = JSON.parse(line);
  const got = found(bigints, q);
  const held = found(numbers, q);
  const unheld = held.filter((v) => v[2].includes("numbers of JavaScript"));
  const rest = held.filter((v) => !unheld.includes(v));
  // What is not held is not looked at by the rules of its type.
  const missing =
    unheld.length === 0
      ? sorted(rest) !== sorted(q.want)
      : rest.length > q.want.length;
  // A value that fits is read as it is accepted, which takes a copy of all parts.
  const check = bigints.checks[q.check];
  const other =
    got.length === 0 &&
    bigints.stringify(bigints.read(check, q.text)) !==
      bigints.stringify(bigints.accept(check, bigints.parse(q.text)));
  if (sorted(got) !== sorted(q.want) || missing || other) {
    if (wrong++ < 20) {
      console.log(
        `${q.check} ${q.text}\n  want ${JSON.stringify(q.want)}\n  got  ${JSON.stringify(got)}\n  held ${JSON.stringify(held)}`,
      );
    }
  }
  if (q.want.length === 0) fit++;
  else refused++;
  if (unheld.length > 0) unsafe++;
}
console.log(
  `${fit} fit, ${refused} do not; ${unsafe} have an integer that no number holds; ${wrong} verdicts differ`,
);
process.exitCode = wrong > 0 ? 1 : 0;
