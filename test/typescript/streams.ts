// Reads streams of another side that this program plays, which keeps to no rule.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import * as hostile from "./generated/hostile/client.js";
import { checks as hostileChecks } from "./generated/hostile/validate.js";
import {
  changes,
  connect,
  count,
  isNoFileError,
  logsTail,
  numsSubscribe,
  points,
} from "./generated/streams/client.js";
import { type Transport, overHTTP } from "./generated/streams/peer.js";
import { ViolationError } from "./generated/streams/rules.js";
import {
  SlowReaderError,
  type StreamPeer,
} from "./generated/streams/streams.js";
import { checks } from "./generated/streams/validate.js";

const left = /left before its end/;
const nums = { kind: "numbers", count: 1 } as const;

/** The other side: what it was sent, and what it sends. */
class Other {
  readonly sent: string[] = [];
  readonly transport: Transport;
  readonly peer: StreamPeer;
  private message: (text: string) => void = () => {};
  end: (cause?: unknown) => void = () => {};

  constructor() {
    this.transport = {
      send: async (text) => {
        this.sent.push(text);
        return undefined;
      },
      receive: (onMessage, onClose) => {
        this.message = onMessage;
        this.end = onClose;
      },
      close: () => {},
    };
    this.peer = connect(this.transport, { checks, onError: assert.ifError });
  }

  answers(id: number, result: string): void {
    this.message(`{"jsonrpc":"2.0","id":${id},"result":${result}}`);
  }

  notifies(method: string, params: string): void {
    this.message(`{"jsonrpc":"2.0","method":"${method}","params":${params}}`);
  }

  /** Sends an item of a stream by request. */
  line(id: number | string, item: string): void {
    this.notifies("rpc.item", `{"id":${id},"item":${item}}`);
  }

  /** Sends an item of a stream by id. */
  num(id: string, result: string): void {
    this.notifies(
      "nums_subscription",
      `{"subscription":${id},"result":${result}}`,
    );
  }

  fails(id: number, error: string): void {
    this.message(`{"jsonrpc":"2.0","id":${id},"error":${error}}`);
  }

  /** Passes on a message as it is. */
  says(text: string): void {
    this.message(text);
  }

  /** The messages since the last call, once those under way are sent. */
  async heard(): Promise<string[]> {
    await new Promise((done) => setImmediate(done));
    return this.sent.splice(0);
  }
}

async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

const change = (name: number): string => `{"kind":"added","name":"${name}"}`;

// By request: nothing is sent before the loop, and the response ends the stream.
{
  const other = new Other();
  const tail = logsTail(other.peer, { file: "a" });
  assert.deepEqual(await other.heard(), []);
  const items = all(tail);
  assert.deepEqual(await other.heard(), [
    '{"jsonrpc":"2.0","method":"logs/tail","params":{"file":"a"},"id":1}',
  ]);
  other.line(1, '{"seq":1,"text":"x"}');
  other.line(2, '{"seq":7,"text":"of another"}');
  other.line('"1"', '{"seq":8,"text":"of a text"}');
  other.line("1.0", '{"seq":2,"text":"y"}');
  other.says('{"jsonrpc":"2.0","method":"rpc.item"}');
  other.says('{"jsonrpc":"2.0","method":"rpc.item","params":[1]}');
  other.answers(1, '{"lines":2}');
  other.line(1, '{"seq":3,"text":"after the end"}');
  assert.deepEqual(await items, [
    { seq: 1, text: "x" },
    { seq: 2, text: "y" },
  ]);
  await tail.return();
  assert.deepEqual(await tail.result(), { lines: 2 });
  assert.deepEqual(await all(tail), []);
  assert.deepEqual(await other.heard(), []);
}

// The result passes over items, and is checked; errors are those of calls.
{
  const other = new Other();
  const one = logsTail(other.peer, { file: "a" }).result();
  const two = logsTail(other.peer, { file: "b" }).result();
  const three = all(logsTail(other.peer, { file: "c" }));
  other.line(1, '{"seq":1,"text":"x"}');
  other.answers(1, '{"lines":1}');
  other.answers(2, '{"lines":-1}');
  const error = '{"code":7,"message":"no file c","data":{"file":"c"}}';
  other.fails(3, error);
  assert.deepEqual(await one, { lines: 1 });
  await assert.rejects(two, ViolationError);
  await assert.rejects(three, isNoFileError);
  await assert.rejects(
    all(numsSubscribe(other.peer, { kind: "numbers", count: -1 })),
    ViolationError,
  );
  assert.equal((await other.heard()).length, 3);
}

// A loop that is left ends the stream, once, in whatever way it is left.
{
  const other = new Other();
  const ways = [
    async () => {
      for await (const line of logsTail(other.peer, { file: "a" }))
        if (line.seq === 1) break;
    },
    async () => {
      for await (const line of logsTail(other.peer, { file: "a" }))
        if (line.seq === 1) return;
    },
    () =>
      assert.rejects(async () => {
        for await (const line of logsTail(other.peer, { file: "a" }))
          if (line.seq === 1) throw new Error("enough");
      }, /enough/),
  ];
  let id = 0;
  for (const way of ways) {
    id++;
    const run = way();
    other.line(id, '{"seq":0,"text":"x"}');
    other.line(id, '{"seq":1,"text":"x"}');
    other.line(id, '{"seq":2,"text":"x"}');
    await run;
    assert.deepEqual((await other.heard()).slice(1), [
      `{"jsonrpc":"2.0","method":"rpc.cancel","params":{"id":${id}}}`,
    ]);
    other.line(id, '{"seq":3,"text":"late"}');
    other.fails(id, '{"code":-32800,"message":"cancelled"}');
  }
  const tail = logsTail(other.peer, { file: "a" });
  await tail.return();
  assert.deepEqual(await all(tail), []);
  await assert.rejects(tail.result(), left);
  assert.deepEqual(await other.heard(), []);
}

// By id: items before the response, ids of every form, and the ending method.
{
  const other = new Other();
  other.num('"none"', "0");
  const of = async (most: number): Promise<(number | bigint)[]> => {
    const items: (number | bigint)[] = [];
    for await (const n of numsSubscribe(other.peer, nums))
      if (items.push(n) === most) break;
    return items;
  };
  const read = [of(2), of(3), of(1), of(1)];
  assert.equal(
    (await other.heard())[0],
    '{"jsonrpc":"2.0","method":"nums_subscribe","params":["numbers",1],"id":1}',
  );
  other.num('"b"', "1");
  other.num("7", "1");
  other.num("9007199254740993", "3");
  other.num("1.5", "9");
  other.answers(1, "7");
  other.num('"b"', "2");
  other.num("7.0", "2");
  other.answers(2, '"b"');
  other.num('"b"', "3");
  other.answers(3, "9007199254740993");
  other.answers(4, "9007199254740992");
  other.num("9007199254740992", "4");
  assert.deepEqual(await Promise.all(read), [[1, 2], [1, 2, 3], [3], [4]]);
  const ends = (await other.heard()).map((text) =>
    /"nums_unsubscribe","params":\[(.*)\]/.exec(text)?.at(1),
  );
  assert.deepEqual(ends.sort(), [
    '"b"',
    "7",
    "9007199254740992",
    "9007199254740993",
  ]);
  const point = points(other.peer);
  const first = point.next();
  other.answers(9, '"p"');
  other.notifies("point", '{"id":"p","item":{"x":1}}');
  assert.deepEqual(await first, { done: false, value: { x: 1 } });
  await point.return();
  assert.match(
    (await other.heard())[1] ?? "",
    /"method":"points\/end","params":\{"stream":"p"\}/,
  );
}

// A loop that is left before the response has come ends its stream then.
{
  const other = new Other();
  const one = numsSubscribe(other.peer, nums);
  const first = one.next();
  await one.return();
  assert.deepEqual(await first, { done: true, value: undefined });
  other.num('"a"', "1");
  assert.equal((await other.heard()).length, 1);
  other.answers(1, '"a"');
  assert.match((await other.heard())[0] ?? "", /unsubscribe","params":\["a"\]/);
}

// Late items take no room of early ones. An id that is used again is another stream; one that is in use is an error, as is none.
{
  const other = new Other();
  const one = numsSubscribe(other.peer, nums);
  const first = one.next();
  other.answers(1, '"a"');
  other.num('"a"', "1");
  await first;
  await one.return();
  const two = numsSubscribe(other.peer, nums);
  const second = two.next();
  other.num('"a"', "2");
  other.answers(3, '"a"');
  other.num('"a"', "3");
  assert.equal((await second).value, 3);
  const same = all(numsSubscribe(other.peer, nums));
  const none = all(numsSubscribe(other.peer, nums));
  const empty = all(numsSubscribe(other.peer, nums));
  await other.heard();
  other.answers(4, '"a"');
  other.answers(5, "{}");
  other.says('{"jsonrpc":"2.0","id":6,"error":null}');
  await assert.rejects(same, /the id of another one/);
  await assert.rejects(none, /holds no id/);
  await assert.rejects(empty, /holds no id/);
  assert.deepEqual(await other.heard(), []);
}

// Early items are given once, and only kept as long as a response is to come. The last 1,024 streams that ended are known.
{
  const other = new Other();
  const one = numsSubscribe(other.peer, nums);
  const two = numsSubscribe(other.peer, nums);
  const first = one.next();
  const second = two.next();
  other.num('"a"', "1");
  other.answers(1, '"a"');
  assert.equal((await first).value, 1);
  await one.return();
  other.num('"b"', "1");
  other.answers(2, '"a"');
  other.num('"b"', "1");
  other.num('"a"', "2");
  assert.equal((await second).value, 2);
  const three = numsSubscribe(other.peer, nums);
  const third = three.next();
  other.answers(4, '"b"');
  other.num('"b"', "2");
  assert.equal((await third).value, 2);
  for (let n = 0, id = 5; n <= 1024; n++, id += 2) {
    const stream = numsSubscribe(other.peer, nums);
    const next = stream.next();
    other.answers(id, `${n}`);
    other.num(`${n}`, "1");
    await next;
    await stream.return();
  }
  const again = [
    numsSubscribe(other.peer, nums).next(),
    numsSubscribe(other.peer, nums).next(),
  ];
  other.num("0", "3");
  other.num("1", "4");
  other.answers(5 + 2 * 1025, "0");
  other.answers(6 + 2 * 1025, "1");
  other.num("1", "5");
  assert.deepEqual(
    (await Promise.all(again)).map((next) => next.value),
    [3, 5],
  );

  // A request of the other side is no item.
  await other.heard();
  other.says(
    '{"jsonrpc":"2.0","id":5,"method":"nums_subscription","params":{"subscription":1,"result":6}}',
  );
  assert.match((await other.heard())[0] ?? "", /-32601/);
}

// Of items whose stream is not known, the last 256 are kept, and a million characters.
for (const [text, kept] of [
  [1, 256],
  ["9".repeat(1 << 19), 1],
] as const) {
  const other = new Other();
  const got: unknown[] = [];
  const stream = numsSubscribe(connectUnchecked(other), nums);
  const first = stream.next();
  for (let i = 0; i < 300; i++) other.num('"a"', `[${i},${text}]`);
  other.answers(1, '"a"');
  const { value } = await first;
  got.push(value);
  const start = (value as unknown as number[])[0] ?? 0;
  assert.equal(start, 300 - kept);
}

/** A peer of its own that checks nothing, for the other side. */
function connectUnchecked(other: Other): StreamPeer {
  return connect({
    send: async () => undefined,
    receive: (onMessage) => Object.assign(other, { message: onMessage }),
    close: () => {},
  });
}

// A loop that is slow: its stream ends at both sides, or loses the oldest items.
{
  const other = new Other();
  const slow = numsSubscribe(other.peer, nums);
  const first = slow.next();
  other.answers(1, '"a"');
  for (let n = 0; n < 100; n++) other.num('"a"', `${n}`);
  await first;
  assert.match((await other.heard())[1] ?? "", /unsubscribe","params":\["a"\]/);
  const got: unknown[] = [];
  await assert.rejects(async () => {
    for await (const n of slow) got.push(n);
  }, SlowReaderError);
  assert.deepEqual(
    got,
    Array.from({ length: 63 }, (_, i) => i + 1),
  );
  await assert.rejects(slow.result(), SlowReaderError);

  const gauge = changes(other.peer);
  const next = gauge.next();
  for (let n = 0; n < 10; n++) other.line(3, change(n));
  assert.deepEqual((await next).value, { kind: "added", name: "9" });
  assert.equal(gauge.missed, 9);
  assert.deepEqual(await other.heard(), [
    '{"jsonrpc":"2.0","method":"changes","id":3}',
  ]);
}

// Messages of more than a million characters wait alone.
{
  const other = new Other();
  const tail = logsTail(connectUnchecked(other), { file: "a" });
  const large = `{"seq":1,"text":"${"x".repeat(1 << 20)}"}`;
  const first = tail.next();
  other.line(1, large);
  await first;
  other.line(1, large);
  other.line(1, large);
  const second = await tail.next();
  assert.equal((second.value as { seq: number }).seq, 1);
  await assert.rejects(tail.next(), SlowReaderError);

  const part = `{"seq":1,"text":"${"x".repeat(400_000)}"}`;
  const parts = logsTail(connectUnchecked(other), { file: "a" });
  const begun = parts.next();
  for (let i = 0; i < 4; i++) {
    other.line(1, part);
    other.line(1, part);
    await (i === 0 ? begun : parts.next());
    await parts.next();
  }
}

// An item that does not fit ends its own stream alone, with the place.
for (const [item, wrong] of [
  ['{"id":1,"item":{"seq":1,"text":3}}', /\/text/],
  ['{"id":1,"item":{"seq":1,"seq":1,"text":""}}', /seq/],
  ['{"id":1,"item":{"seq":1e400,"text":""}}', /\/seq/],
  ['{"id":1,"value":3}', /no member item/],
] as const) {
  const other = new Other();
  const bad = all(logsTail(other.peer, { file: "a" }));
  const good = all(logsTail(other.peer, { file: "b" }));
  other.notifies("rpc.item", item);
  other.line(1, '{"seq":1,"text":"x"}');
  other.line(2, '{"seq":1,"text":"x"}');
  other.answers(2, '{"lines":1}');
  await assert.rejects(bad, wrong);
  assert.equal((await good).length, 1);
  assert.match(
    (await other.heard())[2] ?? "",
    /"rpc.cancel","params":\{"id":1/,
  );
}

// A signal ends a stream that waits, one that is not opened, and what was not taken.
{
  const other = new Other();
  const controller = new AbortController();
  const { signal } = controller;
  const waiting = all(logsTail(other.peer, { file: "a" }, { signal }));
  const taken = logsTail(other.peer, { file: "b" }, { signal });
  const first = taken.next();
  other.line(2, '{"seq":1,"text":"x"}');
  other.line(2, '{"seq":2,"text":"x"}');
  await first;
  controller.abort(new Error("too late"));
  await assert.rejects(waiting, /too late/);
  await assert.rejects(taken.next(), /too late/);
  await assert.rejects(
    all(logsTail(other.peer, { file: "c" }, { signal })),
    /too late/,
  );
  const heard = await other.heard();
  assert.deepEqual(
    heard.map((text) => JSON.parse(text).method),
    ["logs/tail", "logs/tail", "rpc.cancel", "rpc.cancel"],
  );
  const { signal: quiet } = new AbortController();
  const ends = all(logsTail(other.peer, { file: "d" }, { signal: quiet }));
  assert.equal(getEventListeners(quiet, "abort").length, 1);
  other.answers(3, '{"lines":0}');
  await ends;
  assert.equal(getEventListeners(quiet, "abort").length, 0);
}

// The end of the connection ends streams, and calls go on until then.
for (const end of ["end", "close"] as const) {
  const other = new Other();
  const read = [
    all(logsTail(other.peer, { file: "a" })),
    all(numsSubscribe(other.peer, nums)),
    all(numsSubscribe(other.peer, nums)),
  ];
  other.answers(2, '"a"');
  const seven = count(other.peer);
  other.answers(4, '{"n":7}');
  assert.deepEqual(await seven, { n: 7 });
  if (end === "end") other.end(new Error("cut"));
  else other.peer.close();
  for (const one of read) await assert.rejects(one, /connection has ended/);
  await assert.rejects(all(changes(other.peer)), /connection has ended/);
}

// Names of every kind.
{
  const other = new Other();
  const peer = hostile.connect(other.transport, { checks: hostileChecks });
  const first = hostile.streams(peer).next();
  other.answers(1, '"a"');
  other.notifies("${}", '{"__proto__":"a","constructor":"*/"}');
  assert.equal((await first).value, "*/");
  const stream = hostile.stream(peer);
  const second = stream.next();
  other.notifies('*/\\"item', '{"__proto__":2,"constructor":{"value":"x"}}');
  assert.deepEqual((await second).value, { value: "x" });
  other.notifies('*/\\"item', '{"__proto__":2,"toString":{"value":"x"}}');
  await assert.rejects(stream.next(), /no member constructor/);
}

// Over HTTP there are none.
await assert.rejects(
  all(changes(connect(overHTTP("http://127.0.0.1:1/")))),
  /carries no streams/,
);
