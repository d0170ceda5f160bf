// What the drivers share that are programs of Node.js.
import { readFileSync } from 'node:fs';

// readPlan reads the command line: driver.mjs PLAN MODE URL, or driver.mjs PLAN MODE COMMAND [ARGUMENT...].
export function readPlan() {
  const [file, mode, ...target] = process.argv.slice(2);
  const url = /^https?:/.test(target[0] ?? '') ? new URL(target[0]) : undefined;
  return { plan: JSON.parse(readFileSync(file, 'utf8')), mode, url, command: target[0], args: target.slice(1) };
}

// run ends the process with what work says.
export function run(work) {
  work().then(() => process.exit(0), (err) => {
    console.error(err);
    process.exit(1);
  });
}
