// Prints how large bundles are, minified and compressed.

import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const most = 6000;

async function size(contents) {
  const stdin = { contents, resolveDir: import.meta.dirname };
  const options = { bundle: true, minify: true, format: "esm", write: false };
  const made = await build({ stdin, ...options, target: "es2022" });
  return gzipSync(made.outputFiles[0].contents, { level: 9 }).length;
}

const weather = "./generated/weather/";
const client = await size(
  `export * from "${weather}client.js"; export { overHTTP, overWebSocket, overStreams } from "${weather}peer.js";`,
);
console.log(`client of weather, all transports: ${client} bytes`);
const one = await size(
  `import { weatherCurrent, connect } from "${weather}client.js"; import { overHTTP } from "${weather}peer.js"; weatherCurrent(connect(overHTTP("/rpc")), {city: "x"});`,
);
console.log(`one call over HTTP: ${one} bytes`);
console.log(
  `with the validators of weather: ${await size(`export * from "${weather}client.js"; export * from "${weather}validate.js";`)} bytes`,
);
console.log(
  `one validator of allkinds: ${await size('import { PointCheck } from "./generated/allkinds/validate.js"; import { fits } from "./generated/allkinds/rules.js"; fits(PointCheck, 1);')} bytes`,
);
if (client > most) {
  console.log(`the client is larger than ${most} bytes`);
  process.exitCode = 1;
}
