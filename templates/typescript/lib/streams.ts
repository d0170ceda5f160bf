// Streams: what the other side sends for one request, item by item.

import { parse } from "./json.js";
import {
  type MethodCheck,
  Peer,
  type PeerOptions,
  type Transport,
} from "./peer.js";

/** How the items of a stream travel, and what of them is kept for its loop. */
export interface StreamForm {
  /** The notification that an item is, and the members of its params that are the id of the stream and the item. */
  method: string;
  id: string;
  item: string;
  /**
   * The method that ends the stream, and the member of its params that is the id; without it, they are an array. The response comes first, and
   * is the id. If there is no such method, the id is that of the request, and the response ends the stream.
   */
  end?: { method: string; id?: string };
  /** How many items wait for the loop, and how many characters of messages. 64 and 1,048,576 if they are not given. */
  buffer?: number;
  bytes?: number;
  /** What happens when there are more: the stream ends with a SlowReaderError, or the oldest items go. */
  over?: "end" | "oldest";
}

/** The checks of methods, by name, with those of items. */
export type StreamChecks = () => {
  [method: string]: MethodCheck & { item?: (value: unknown) => unknown };
};

export interface StreamPeerOptions extends PeerOptions {
  checks?: StreamChecks;
}

export interface ReadOptions {
  /** Ends the stream, whose loop throws the reason. */
  signal?: AbortSignal;
}

/** A stream ended because its loop did not take items as fast as they came. */
export class SlowReaderError extends Error {
  constructor() {
    super("the stream has ended: its items came faster than they were taken");
    this.name = "SlowReaderError";
  }
}

/**
 * A stream. The loop over it sends the request, and ends the stream at the other side when it is left. What the stream ends with, if that is an
 * error, is thrown after the last item.
 */
export interface Stream<
  Item,
  Result = void,
> extends AsyncIterableIterator<Item> {
  /** How many items went because there was no room for them. */
  readonly missed: number;
  /** Passes over the items that were not taken, and returns what the response holds at the end. */
  result(): Promise<Result>;
  return(): Promise<IteratorResult<Item>>;
}

/** One side of a connection, which reads streams. */
export class StreamPeer extends Peer {
  private readonly streams: Streams;
  private readonly items: ReturnType<StreamChecks>;

  constructor(transport: Transport, options: StreamPeerOptions = {}) {
    const items = options.checks?.() ?? {};
    const streams = new Streams(transport);
    super(streams, { ...options, checks: () => items });
    streams.peer = this;
    this.streams = streams;
    this.items = items;
  }

  /** Returns a stream, which its loop opens. */
  stream<Item, Result>(
    method: string,
    params: unknown,
    options: ReadOptions | undefined,
    form: StreamForm,
  ): Stream<Item, Result> {
    const check = Object.hasOwn(this.items, method)
      ? this.items[method]?.item
      : undefined;
    const open = (stream: Inbound): void =>
      this.streams.open(stream, method, params);
    const stop = (stream: Inbound): void => this.streams.stop(stream);
    const { signal } = options ?? {};
    const stream = new Inbound(form, { open, stop, check, signal });
    return stream as Stream<unknown, unknown> as Stream<Item, Result>;
  }
}

/** What a stream ends with. */
type Outcome = { result: unknown } | { error: unknown };

/** What waits for the loop over a stream. Texts are read when the loop takes them: what is wrong with one concerns its stream alone. */
class Inbound implements Stream<unknown, unknown> {
  readonly form: StreamForm;
  /** Aborts the request, where that ends the stream. */
  readonly cancel = new AbortController();
  missed = 0;
  request: unknown;
  id: unknown;
  /** Tells its items from others, once the id is known. */
  key: string | undefined;
  outcome: Outcome | undefined;
  private readonly how: {
    open: (stream: Inbound) => void;
    stop: (stream: Inbound) => void;
    check: ((value: unknown) => unknown) | undefined;
    signal: AbortSignal | undefined;
  };
  private readonly texts = new Map<number, string>();
  private first = 0;
  private size = 0;
  private waiting: (() => void)[] = [];
  private begun = false;
  private done = false;

  constructor(form: StreamForm, how: Inbound["how"]) {
    this.form = form;
    this.how = how;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<unknown, undefined>> {
    this.begin();
    while (this.texts.size === 0 && !this.outcome)
      await new Promise<void>((wake) => this.waiting.push(wake));
    if (this.texts.size > 0) {
      try {
        return { done: false, value: this.read(this.shift()) };
      } catch (error) {
        this.leave(error);
        throw error;
      }
    }
    const first = !this.done;
    this.finish();
    if (first && this.outcome && "error" in this.outcome)
      throw this.outcome.error;
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<unknown, undefined>> {
    this.leave(new Error("the loop over the stream was left before its end"));
    return { done: true, value: undefined };
  }

  async result(): Promise<unknown> {
    while (!(await this.next()).done);
    const outcome = this.outcome as Outcome;
    if ("error" in outcome) throw outcome.error;
    return outcome.result;
  }

  /** Adds an item. It reports false if the loop is too slow, and the stream has to be ended. */
  put(text: string): boolean {
    if (this.outcome) return true;
    const { buffer = 64, bytes = 1 << 20, over } = this.form;
    const { texts } = this;
    while (
      texts.size > 0 &&
      (texts.size >= buffer || this.size + text.length > bytes)
    ) {
      if (over !== "oldest") {
        this.settle({ error: new SlowReaderError() });
        return false;
      }
      this.shift();
      this.missed++;
    }
    texts.set(this.first + texts.size, text);
    this.size += text.length;
    this.wake();
    return true;
  }

  /** Ends the stream. Items that came before can still be taken. Only the first call has an effect. */
  settle(outcome: Outcome): void {
    this.outcome ??= outcome;
    this.wake();
  }

  private begin(): void {
    if (this.begun || this.done) return;
    this.begun = true;
    const { signal } = this.how;
    if (signal?.aborted) return this.settle({ error: signal.reason });
    signal?.addEventListener("abort", this.abort, { once: true });
    this.how.open(this);
  }

  private readonly abort = (): void => this.drop(this.how.signal?.reason);

  /** Ends the stream, of which the loop takes nothing any more. */
  private leave(error: unknown): void {
    if (this.done) return;
    this.finish();
    this.drop(error);
  }

  private drop(error: unknown): void {
    this.outcome = { error };
    this.texts.clear();
    this.wake();
    this.how.stop(this);
  }

  private finish(): void {
    this.done = true;
    this.how.signal?.removeEventListener("abort", this.abort);
  }

  private wake(): void {
    for (const wake of this.waiting.splice(0)) wake();
  }

  private shift(): string {
    const text = this.texts.get(this.first) as string;
    this.texts.delete(this.first++);
    this.size -= text.length;
    return text;
  }

  private read(text: string): unknown {
    const { params } = parse(text) as { params: { [name: string]: unknown } };
    const { method, item } = this.form;
    if (!Object.hasOwn(params, item))
      throw new Error(`the params of ${method} have no member ${item}`);
    return this.how.check ? this.how.check(params[item]) : params[item];
  }
}

/** What is known of a notification that items are: the member of its params that is the id, and how many requests will bring an id. */
interface ItemMethod {
  member: string;
  asked: number;
}

/** The limits of what is kept of streams that are not known; of more, the oldest go. */
const mostEarly = 256;
const mostEarlyBytes = 1 << 20;
const mostEnded = 1024;

/** Carries messages, and takes what belongs to streams from those that arrive: before the next one, so that no item precedes its stream. */
class Streams implements Transport {
  readonly receive?: NonNullable<Transport["receive"]>;
  peer: Peer | undefined;
  private readonly transport: Transport;
  private readonly methods = new Map<string, ItemMethod>();
  /** The streams that are read, by the keys of their items. */
  private readonly reading = new Map<string, Inbound>();
  /** The streams whose response has not come, by the ids of their requests. */
  private readonly asked = new Map<unknown, Inbound>();
  /** The keys of the streams that have ended last. */
  private readonly ended = new Set<string>();
  /** Items whose stream is not known, as long as a request will bring an id. */
  private early: { key: string; of: ItemMethod; text: string }[] = [];
  private size = 0;
  private opening: Inbound | undefined;

  constructor(transport: Transport) {
    this.transport = transport;
    if (!transport.receive) return;
    this.receive = (onMessage, onClose) =>
      transport.receive?.(
        (text) => this.take(text) || onMessage(text),
        (cause) => {
          this.end(cause);
          onClose(cause);
        },
      );
  }

  send(message: string, signal?: AbortSignal): Promise<string | undefined> {
    const stream = this.opening;
    if (stream) this.ask(stream, Number(/(\d+)\}$/.exec(message)?.[1]));
    return this.transport.send(message, signal);
  }

  close(): void {
    this.end();
    this.transport.close();
  }

  /** Sends the request for a stream. */
  open(stream: Inbound, method: string, params: unknown): void {
    if (!this.receive) {
      const error =
        "the transport carries no streams: HTTP brings answers only";
      return stream.settle({ error: new Error(error) });
    }
    const { end } = stream.form;
    const options = end ? {} : { signal: stream.cancel.signal };
    this.opening = stream;
    const answer = this.peer?.call(method, params, options);
    this.opening = undefined;
    answer?.then(
      (result) => {
        this.answer(stream);
        const error = "the response to the request for a stream holds no id";
        if (!end) stream.settle({ result });
        else if (stream.key === undefined)
          stream.settle({ error: new Error(error) });
      },
      (error: unknown) => {
        this.answer(stream);
        stream.settle({ error });
      },
    );
  }

  /** Ends a stream at the other side, once. One whose id is not known is ended when it is. */
  stop(stream: Inbound): void {
    if (stream.key === undefined || !this.reading.delete(stream.key)) return;
    const { end } = stream.form;
    if (!end) return stream.cancel.abort();
    this.ended.add(stream.key);
    const [oldest = ""] = this.ended;
    if (this.ended.size > mostEnded) this.ended.delete(oldest);
    const params = end.id ? { [end.id]: stream.id } : [stream.id];
    this.peer?.call(end.method, params).catch(() => {}); // it ends with the connection
  }

  private ask(stream: Inbound, id: number): void {
    const { method, id: member, end } = stream.form;
    const of = this.methods.get(method) ?? { member, asked: 0 };
    this.methods.set(method, of);
    stream.request = id;
    this.asked.set(id, stream);
    if (end) of.asked++;
    else this.read(stream, id, keyOf(method, id));
  }

  private read(stream: Inbound, id: unknown, key: string | undefined): void {
    if (key === undefined) return;
    if (this.reading.has(key)) {
      const error = "the other side gave a stream the id of another one";
      return stream.settle({ error: new Error(error) });
    }
    this.reading.set(key, stream);
    stream.id = id;
    stream.key = key;
    let fast = !stream.outcome;
    for (const one of this.early)
      if (one.key === key && !stream.put(one.text)) fast = false;
    this.keep((one) => one.key !== key);
    if (!fast) this.stop(stream); // its loop was left, or is too slow already
  }

  /** Forgets that a response will come. */
  private answer(stream: Inbound): void {
    if (!this.asked.delete(stream.request)) return;
    const of = this.methods.get(stream.form.method) as ItemMethod;
    if (!stream.form.end) this.reading.delete(stream.key as string);
    else if (--of.asked === 0) this.keep((one) => one.of !== of);
  }

  private keep(is: (one: Streams["early"][number]) => boolean): void {
    this.early = this.early.filter(is);
    this.size = this.early.reduce((n, one) => n + one.text.length, 0);
  }

  private end(cause?: unknown): void {
    const error = new Error("the connection has ended", { cause });
    for (const stream of this.reading.values()) stream.settle({ error });
    this.reading.clear();
  }

  /** Takes a message. It reports whether it is an item; all others are for the peer. */
  private take(text: string): boolean {
    if (this.reading.size === 0 && this.asked.size === 0) return false;
    let message: { [name: string]: unknown };
    try {
      message = JSON.parse(text) as typeof message;
    } catch {
      return false;
    }
    if (typeof message !== "object" || message === null) return false;
    const { id, method, params, result, error } = message;
    if (method === undefined) {
      const stream = this.asked.get(id);
      if (!stream) return false;
      if (stream.form.end && !error) {
        const given = exact(result, text, "result");
        this.read(stream, given, keyOf(stream.form.method, given));
      }
      this.answer(stream);
      return false;
    }
    const of = this.methods.get(method as string);
    if (!of || id !== undefined) return false;
    if (typeof params !== "object" || params === null) return true;
    const { [of.member]: given } = params as typeof message;
    const key = keyOf(
      method as string,
      exact(given, text, "params", of.member),
    );
    if (key === undefined) return true;
    const stream = this.reading.get(key);
    if (stream) {
      if (!stream.put(text)) this.stop(stream);
    } else if (of.asked > 0 && !this.ended.has(key)) {
      this.early.push({ key, of, text });
      this.size += text.length;
      while (
        this.early.length > mostEarly ||
        (this.size > mostEarlyBytes && this.early.length > 1)
      )
        this.size -= this.early.shift()?.text.length ?? 0;
    }
    return true;
  }
}

/** The id at a place of a message. An integer that JSON.parse has rounded is read again. */
function exact(id: unknown, text: string, ...path: string[]): unknown {
  if (typeof id !== "number" || Number.isSafeInteger(id)) return id;
  try {
    return path.reduce(
      (value, name) => (value as { [name: string]: unknown })[name],
      parse(text),
    );
  } catch {
    return undefined;
  }
}

/** Tells streams apart: by the notification, and the id, which is a text or an integer. */
function keyOf(method: string, id: unknown): string | undefined {
  const known =
    typeof id === "string" || typeof id === "bigint" || Number.isInteger(id);
  return known ? `${method}\n${typeof id}\n${String(id)}` : undefined;
}
