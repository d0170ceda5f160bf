// Reads streams of a server over WebSocket, or over the socket of a port.

import assert from "node:assert/strict";
import { connect as dial } from "node:net";
import {
  changes,
  connect,
  count,
  isNoFileError,
  logsTail,
  numsSubscribe,
  points,
} from "./generated/streams/client.js";
import { overStreams, overWebSocket } from "./generated/streams/peer.js";
import {
  SlowReaderError,
  type StreamPeer,
} from "./generated/streams/streams.js";
import { checks } from "./generated/streams/validate.js";

const [at = ""] = process.argv.slice(2);

function open(): StreamPeer {
  if (at.startsWith("ws:"))
    return connect(overWebSocket(new WebSocket(at)), { checks });
  const socket = dial(Number(at), "127.0.0.1");
  return connect(overStreams(socket, socket), { checks });
}

const peer = open();
let ended = 0;

/** Waits until the server has ended all streams, and fails unless there were so many since the last call. */
async function haveEnded(streams: number): Promise<void> {
  const { n } = await count(peer);
  assert.equal(n, (ended += streams));
}

// In order, with the result, and with errors that are declared.
{
  const tail = logsTail(peer, { file: "a.log", most: 200 });
  let next = 0;
  for await (const line of tail)
    assert.deepEqual(line, { seq: next++, text: "line" });
  assert.equal(next, 200);
  assert.deepEqual(await tail.result(), { lines: 200 });
  await assert.rejects(logsTail(peer, { file: "none" }).result(), (error) => {
    assert(isNoFileError(error));
    return error.data.file === "none";
  });
  const change = await changes(peer).next();
  assert(!change.done);
  const point = points(peer);
  assert.deepEqual(await point.next(), { done: false, value: { x: 1, y: 2 } });
  await point.return();
}

// 200 streams of 20 items at once, in both forms, twice: 4,000 of 4,000.
async function many(): Promise<void> {
  const got = { lines: 0, nums: 0 };
  const lines = async (): Promise<void> => {
    let next = 0;
    for await (const line of logsTail(peer, { file: "a", most: 20 })) {
      assert.equal(line.seq, next++);
      got.lines++;
    }
  };
  const nums = async (): Promise<void> => {
    let next = 0;
    const params = { kind: "numbers", count: 20 } as const;
    for await (const n of numsSubscribe(peer, params)) {
      assert.equal(n, next++);
      got.nums++;
      if (next === 20) break;
    }
  };
  for (const form of [lines, nums])
    await Promise.all(Array.from({ length: 200 }, form));
  assert.deepEqual(got, { lines: 4000, nums: 4000 });
}
await many();
await many();
await haveEnded(4 + 2 * 400);

// A loop that is left ends its stream at the server, which would send for ever.
for await (const line of logsTail(peer, { file: "a" }))
  if (line.seq === 10) break;
await haveEnded(1);
for await (const n of numsSubscribe(peer, { kind: "numbers", count: 3 }))
  if (n === 2) break;
await haveEnded(1);

// A loop that sleeps stops neither streams nor calls, and learns that it was too slow.
{
  const slow = logsTail(peer, { file: "a" });
  await slow.next();
  await haveEnded(1);
  await many();
  await haveEnded(400);
  let got = 1;
  await assert.rejects(async () => {
    for await (const line of slow) assert.equal(line.seq, got++);
  }, SlowReaderError);
  assert(got >= 256 && got <= 257, String(got));
}

// A signal ends a stream that waits for an item.
{
  const controller = new AbortController();
  const { signal } = controller;
  const stream = numsSubscribe(peer, { kind: "numbers", count: 1 }, { signal });
  await stream.next();
  const next = stream.next();
  controller.abort(new Error("enough"));
  await assert.rejects(next, /enough/);
  await haveEnded(1);
}

// The end of the connection ends what is read over it.
{
  const other = open();
  const stream = numsSubscribe(other, { kind: "numbers", count: 1 });
  await stream.next();
  other.close();
  await assert.rejects(stream.next(), /connection has ended/);
  await haveEnded(1);
}
peer.close();
