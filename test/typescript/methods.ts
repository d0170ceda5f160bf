// Calls the methods of a server over HTTP, and over streams in both framings.

import assert from "node:assert/strict";
import { connect as dial } from "node:net";
import * as api from "./generated/allkinds/client.js";
import {
  type Peer,
  RPCError,
  type Transport,
  overHTTP,
  overStreams,
} from "./generated/allkinds/peer.js";
import { ViolationError } from "./generated/allkinds/rules.js";
import { checks } from "./generated/allkinds/validate.js";

const [url = "", lines, headers] = process.argv.slice(2);
const onError = (error: unknown): void => {
  throw error;
};

async function common(peer: Peer): Promise<void> {
  const params = { name: "Paris", level: "high" } as const;
  const result = await api.allStruct(peer, params);
  assert.deepEqual(result, { total: 5, point: { x: 1, y: 2.5 } });

  // Declared errors are told apart, and have their data.
  await assert.rejects(api.allStruct(peer, { name: "Nowhere" }), (error) => {
    assert(api.isCityNotFoundError(error));
    assert.equal(error.data.city, "Nowhere");
    assert.deepEqual(error.data.didYouMean, ["Somewhere"]);
    return true;
  });
  await assert.rejects(api.allMap(peer, { a: 1 }), RPCError);

  // Params are checked before they are sent.
  await assert.rejects(api.allStruct(peer, { name: "" }), ViolationError);
  const circle = await api.allUnion(peer, { kind: "circle", radius: 2 });
  assert.equal(circle.kind === "circle" && circle.radius, 2);

  // A result that no number of JavaScript is, is refused at its place.
  await assert.rejects(api.allScalar(peer, { n: 1 }), ViolationError);
  assert.equal(await api.allScalar(peer, { n: -1 }), Number.MAX_SAFE_INTEGER);

  // Params by position: what is missing in the middle is null.
  const tags = ["a", "b"];
  assert.match(await api.allPosition(peer, { name: "x" }), /^x 0 false/);
  assert.match(
    await api.allPosition(peer, { name: "x", tags }),
    /^x 0 false \[a b\]/,
  );
  const limit = 3;
  const hint = null;
  const all = { name: "x", limit, hint, tags };
  assert.match(await api.allPosition(peer, all), /^x 3 true \[a b\]/);

  // A batch is one message; each of its calls has its own outcome.
  const [first, second, third] = await peer.batch((batch) =>
    Promise.allSettled([
      api.allStruct(batch, { name: "a" }),
      api.allStruct(batch, { name: "Nowhere" }),
      api.allStruct(batch, { name: "" }),
      api.allTick(batch),
    ]),
  );
  assert.equal(first.status === "fulfilled" && first.value.total, 1);
  assert(second.status === "rejected" && second.reason instanceof RPCError);
  assert(third.status === "rejected" && third.reason instanceof ViolationError);

  // A call whose signal has fired is not sent.
  const signal = AbortSignal.abort(new Error("too late"));
  await assert.rejects(api.allStruct(peer, params, { signal }), /too late/);
}

async function duplex(transport: Transport): Promise<void> {
  const peer = api.connect(transport, { checks, onError });
  await common(peer);

  // The server asks back.
  api.handleAllAsk(peer, ({ question }) => ({
    answer: String(Number(/\d+/.exec(question)?.[0]) + 1),
  }));
  assert.deepEqual(await api.allBoth(peer, { n: 41 }), { n: 42 });

  // Progress goes to the call that asked for it.
  const steps: number[] = [];
  const onProgress = ({ done }: { done: number }): unknown => steps.push(done);
  await Promise.all([
    api.allSlow(peer, { steps: 3 }, { onProgress }),
    api.allSlow(peer, { steps: 2 }, { onProgress: () => {} }),
  ]);
  assert.deepEqual(steps, [1, 2, 3]);

  // The server is told that a call is cancelled.
  const told = new Promise<string>((resolve) => {
    api.onAllLog(peer, ({ text }) => resolve(text));
  });
  const signal = AbortSignal.timeout(50);
  await assert.rejects(api.allText(peer, { signal }), { name: "TimeoutError" });
  assert.equal(await told, "cancelled");

  // What waits when the connection ends fails.
  const waiting = api.allText(peer);
  peer.close();
  await assert.rejects(waiting, /ended/);
  await assert.rejects(api.allTick(peer), /ended/);
}

await common(api.connect(overHTTP(url), { checks, onError }));
const late = AbortSignal.timeout(50);
await assert.rejects(
  api.allText(api.connect(overHTTP(url)), { signal: late }),
  {
    name: "TimeoutError",
  },
);
await assert.rejects(
  api.allTick(api.connect(overHTTP("http://127.0.0.1:1/"))),
  /fetch failed/,
);
for (const [port, framing] of [
  [lines, "lines"],
  [headers, "headers"],
] as const) {
  const socket = dial(Number(port), "127.0.0.1");
  await duplex(overStreams(socket, socket, { framing }));
}

// An answer that is refused, alone or in a batch, fails its call, and is not answered.
for (const [begin, end] of [
  ["", ""],
  ["[", "]"],
] as const) {
  let arrive = (_: string): void => {};
  const sent: string[] = [];
  const peer = api.connect({
    send: async (text) => (sent.push(text), undefined),
    receive: (onMessage) => (arrive = onMessage),
    close: () => {},
  });
  const call = api.allText(peer);
  arrive(`${begin}{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}}${end}`);
  await assert.rejects(call, /twice|"a"/);
  arrive(`${begin}{"jsonrpc":"2.0","id":2,"method":"x","method":"x"}${end}`);
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(sent.length, 2); // the call, and that the request is not read
}

// A message that is too large, or no text, ends the connection.
for (const [bytes, message] of [
  [Buffer.alloc(100, 65), /larger/],
  [Buffer.from([0xff, 10]), /./],
] as const) {
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
  const sink = new WritableStream<Uint8Array>();
  const broken = api.connect(overStreams(source, sink, { limit: 50 }));
  await assert.rejects(api.allText(broken), (error: Error) => {
    assert.match(String((error.cause as Error).message), message);
    return true;
  });
}
