// Calls a server over WebSocket, which calls back.

import assert from "node:assert/strict";
import {
  connect,
  onWeatherAlert,
  weatherCurrent,
  weatherWatch,
} from "./generated/weather/client.js";
import { overWebSocket } from "./generated/weather/peer.js";
import { checks } from "./generated/weather/validate.js";

const socket = new WebSocket(process.argv[2] ?? "");
const peer = connect(overWebSocket(socket), { checks });
const alert = new Promise((resolve) => onWeatherAlert(peer, resolve));
const report = await weatherCurrent(peer, { city: "Paris" });
assert.equal(report.city, "Paris");
await weatherWatch(peer, { city: "Paris" });
assert.deepEqual(await alert, { city: "Paris", text: "storm", severity: 4 });
peer.close();
await assert.rejects(weatherCurrent(peer, { city: "Paris" }), /ended/);

const nowhere = connect(overWebSocket(new WebSocket("ws://127.0.0.1:1/")));
await assert.rejects(
  weatherCurrent(nowhere, { city: "Paris" }),
  /closed|ended/,
);
