// Sends the messages of a file over HTTP, and compares the answers with those of
// the file, as texts. What is answered is read by the strict reader.

import { readFileSync } from "node:fs";
import { parse } from "./generated/weather/json.js";
import { overHTTP } from "./generated/weather/peer.js";

const [url = "", file = ""] = process.argv.slice(2);
const exchanges = JSON.parse(readFileSync(file, "utf8")) as {
  ask: string;
  want: string;
}[];
const transport = overHTTP(url);
let wrong = 0;
for (const { ask, want } of exchanges) {
  const got = await transport.send(ask);
  if (got !== want) {
    console.log(`${ask}\n  got  ${got}\n  want ${want}`);
    wrong++;
  }
  if (got) parse(got);
}
console.log(`${exchanges.length} exchanges, ${wrong} differ`);
process.exitCode = wrong > 0 ? 1 : 0;
