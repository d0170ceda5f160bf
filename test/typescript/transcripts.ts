// Sends messages over HTTP, and compares the answers with those that the server
// says to expect, as texts. What is answered is read by the strict reader. In a
// browser, the server is that of the page.

import { parse } from "./generated/weather/json.js";
import { overHTTP } from "./generated/weather/peer.js";

const browser = typeof document !== "undefined";
const url = browser ? location.origin : process.argv[2];
const expected = await fetch(`${url}/exchanges.json`);
const exchanges = (await expected.json()) as { ask: string; want: string }[];
const transport = overHTTP(`${url}/rpc`);
const said: string[] = [];
for (const { ask, want } of exchanges) {
  const got = await transport.send(ask);
  if (got !== want) said.push(`${ask}\n  got  ${got}\n  want ${want}`);
  if (got) parse(got);
}
const wrong = said.length;
said.push(`${exchanges.length} exchanges, ${wrong} differ`);
if (browser) {
  document.body.textContent = said.join("\n");
} else {
  console.log(said.join("\n"));
  process.exitCode = wrong > 0 ? 1 : 0;
}
