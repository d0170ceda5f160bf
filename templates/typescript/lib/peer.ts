// JSON-RPC 2.0 calls and answers over any transport.

import { parse, stringify } from "./json.js";

/** Carries messages. */
export interface Transport {
  /**
   * Sends a message. Where the transport brings the answer to each message, as
   * HTTP does, it returns the answer, and an empty text if there is none.
   */
  send(message: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Calls back for each message that arrives, and once when no more can. */
  receive?(
    onMessage: (message: string) => void,
    onClose: (cause?: unknown) => void,
  ): void;
  close(): void;
}

/** An error that the other side answered with, or that a handler throws to answer. */
export class RPCError<Data = unknown> extends Error {
  readonly code: number;
  readonly data: Data;

  constructor(code: number, message: string, data: Data) {
    super(message);
    this.name = "RPCError";
    this.code = code;
    this.data = data;
  }
}

/** What checks values of a method. Each returns the value as it is held, or throws. */
export interface MethodCheck {
  params?: (value: unknown) => unknown;
  result?: (value: unknown) => unknown;
}

/** The properties of a protocol that a peer needs. */
export interface Protocol {
  /** The notification that cancels a request, and the member of its params that is the id. */
  cancel?: { method: string; id: string };
  /** The notification of progress, its token, and the member of params that asks for it. */
  progress?: { method: string; token: string; param: string };
  /** The names of params that are sent by position, in their order. */
  positions?: { [method: string]: string[] };
}

export interface PeerOptions {
  protocol?: Protocol;
  /** Checks params and results in both directions, such as checks of validate.js. */
  checks?: () => { [method: string]: MethodCheck };
  /** Is told of messages that nobody waits for, and of faults of handlers. */
  onError?: (error: unknown) => void;
}

export interface CallOptions {
  /** Cancels the call; AbortSignal.timeout limits its time. */
  signal?: AbortSignal;
  /** Is called with the params of each report of progress. */
  onProgress?: (params: never) => void;
}

/** Makes calls: a peer, or a batch of it. */
export interface Caller {
  call<Result>(
    method: string,
    params: unknown,
    options?: CallOptions,
  ): Promise<Result>;
  notify(method: string, params?: unknown): Promise<void>;
}

/** What a handler of a request knows of it. */
export interface Context {
  /** Aborts when the other side cancels the request, or the connection ends. */
  signal: AbortSignal;
  peer: Peer;
}

export type Handler = (params: never, context: Context) => unknown;

/** Answers a request: what it throws is answered as an error. */
export type Answerer<Params, Result> = (
  params: Params,
  context: Context,
) => Result | Promise<Result>;

/** Takes a notification. */
export type Listener<Params> = (params: Params, context: Context) => unknown;

interface Pending {
  method: string;
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
  onProgress?: ((params: never) => void) | undefined;
}

interface Message {
  jsonrpc: "2.0";
  id?: unknown;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

/** One side of a connection. */
export class Peer implements Caller {
  private readonly transport: Transport;
  private readonly options: PeerOptions;
  private readonly checks: { [method: string]: MethodCheck };
  private readonly pending = new Map<unknown, Pending>();
  private readonly handlers = new Map<string, Handler>();
  private readonly running = new Map<unknown, AbortController>();
  private last = 0;
  private ended: { cause: unknown } | undefined;

  constructor(transport: Transport, options: PeerOptions = {}) {
    this.transport = transport;
    this.options = options;
    this.checks = options.checks?.() ?? {};
    transport.receive?.(
      (text) => void this.receive(text),
      (cause) => this.end(cause),
    );
  }

  call<Result>(
    method: string,
    params: unknown,
    options: CallOptions = {},
  ): Promise<Result> {
    const call = this.prepare<Result>(method, params, options);
    if (call.message) this.send(call.message, [call.id], options.signal);
    return call.answer;
  }

  async notify(method: string, params?: unknown): Promise<void> {
    const message = stringify(this.message(method, params));
    this.alive();
    await this.transport.send(message);
  }

  /**
   * Sends all that a function calls in one batch. The function makes its calls
   * without waiting for them; what it returns is waited for.
   */
  batch<Result>(calls: (batch: Caller) => Result): Promise<Awaited<Result>> {
    const messages: string[] = [];
    const ids: unknown[] = [];
    const batch: Caller = {
      call: <R>(method: string, params: unknown, options: CallOptions = {}) => {
        const call = this.prepare<R>(method, params, options);
        if (call.message) {
          messages.push(call.message);
          ids.push(call.id);
        }
        return call.answer;
      },
      notify: async (method, params) => {
        messages.push(stringify(this.message(method, params)));
      },
    };
    const result = calls(batch);
    if (messages.length > 0) this.send(`[${messages.join(",")}]`, ids);
    return Promise.resolve(result);
  }

  /** Answers a method that the other side calls, or takes a notification. */
  on(method: string, handler: Handler): void {
    this.handlers.set(method, handler);
  }

  /** Ends the connection. Calls without an answer fail. */
  close(): void {
    this.transport.close();
    this.end();
  }

  private message(method: string, params: unknown): Message {
    if (params === undefined) return { jsonrpc: "2.0", method };
    const checked = this.check(method, "params", params);
    const names = this.names(method);
    const sent = names ? byPosition(checked as object, names) : checked;
    return { jsonrpc: "2.0", method, params: sent };
  }

  private names(method: string): string[] | undefined {
    const { positions = {} } = this.options.protocol ?? {};
    return Object.hasOwn(positions, method) ? positions[method] : undefined;
  }

  private check(
    method: string,
    part: keyof MethodCheck,
    value: unknown,
  ): unknown {
    const check = Object.hasOwn(this.checks, method)
      ? this.checks[method]?.[part]
      : undefined;
    return check ? check(value) : value;
  }

  /** Makes the message of a call, and the promise of its answer. */
  private prepare<Result>(
    method: string,
    params: unknown,
    { signal, onProgress }: CallOptions,
  ): { id: number; message?: string; answer: Promise<Result> } {
    const id = ++this.last;
    const { cancel, progress } = this.options.protocol ?? {};
    let text: string;
    try {
      this.alive();
      signal?.throwIfAborted();
      const message = this.message(method, params);
      if (onProgress && progress)
        message.params = {
          ...(message.params as object),
          [progress.param]: id,
        };
      text = stringify({ ...message, id });
    } catch (error) {
      return { id, answer: Promise.reject(error) };
    }
    const answer = new Promise<Result>((resolve, reject) => {
      const abort = (): void => {
        this.settle(id)?.reject(signal?.reason);
        if (cancel) {
          this.notify(cancel.method, { [cancel.id]: id }).catch(
            this.options.onError ?? (() => {}),
          );
        }
      };
      signal?.addEventListener("abort", abort, { once: true });
      const done = (): void => signal?.removeEventListener("abort", abort);
      this.pending.set(id, {
        method,
        resolve: (result) => (done(), resolve(result)),
        reject: (error) => (done(), reject(error)),
        onProgress,
      });
    });
    return { id, message: text, answer };
  }

  /** Sends calls. Those that the transport brings no answer to fail. */
  private send(message: string, ids: unknown[], signal?: AbortSignal): void {
    const fail = (error: unknown): void => {
      for (const id of ids) this.settle(id)?.reject(error);
    };
    this.transport.send(message, signal).then((answer) => {
      if (answer === undefined) return;
      try {
        if (answer !== "") this.take(answer);
      } catch (error) {
        fail(error);
      }
      fail(new Error("the server gave no answer to the call"));
    }, fail);
  }

  private settle(id: unknown): Pending | undefined {
    const call = this.pending.get(id);
    this.pending.delete(id);
    return call;
  }

  private alive(): void {
    if (this.ended) throw new Error("the connection has ended", this.ended);
  }

  private end(cause?: unknown): void {
    this.ended ??= { cause };
    const error = new Error("the connection has ended", { cause });
    for (const id of [...this.pending.keys()]) this.settle(id)?.reject(error);
    for (const controller of this.running.values()) controller.abort(error);
  }

  /** Takes the answer of a transport that brings one. */
  private take(text: string): void {
    const message = parse(text);
    for (const one of Array.isArray(message) ? message : [message]) {
      if (typeof one === "object" && one !== null)
        this.answered(one as Message);
    }
  }

  /** Takes a message that arrives by itself. */
  private async receive(text: string): Promise<void> {
    let message: unknown;
    try {
      message = parse(text);
    } catch (error) {
      if (this.refuse(text, error)) return;
      this.options.onError?.(error);
      const answer = { code: -32700, message: "Parse error" };
      return this.reply({ error: answer, id: null });
    }
    if (!Array.isArray(message))
      return this.reply(await this.dispatch(message));
    const answers = await Promise.all(message.map((one) => this.dispatch(one)));
    const texts = answers.filter((answer) => answer !== undefined);
    if (message.length === 0) return this.reply(invalid(null));
    if (texts.length > 0) await this.reply(texts);
  }

  /** Fails the calls whose answers parse refuses, and reports whether that was all. */
  private refuse(text: string, error: unknown): boolean {
    let all = true;
    try {
      for (const one of [JSON.parse(text)].flat() as Message[]) {
        const call = one.method === undefined && this.settle(one.id);
        if (call) call.reject(error);
        else all = false;
      }
    } catch {
      return false;
    }
    return all;
  }

  private async reply(answer: object | undefined): Promise<void> {
    if (answer === undefined) return;
    try {
      const all = Array.isArray(answer) ? answer : [answer];
      const texts = all.map((one) => stringify({ jsonrpc: "2.0", ...one }));
      await this.transport.send(
        Array.isArray(answer) ? `[${texts.join(",")}]` : texts.join(),
      );
    } catch (error) {
      this.options.onError?.(error);
    }
  }

  /** Takes one message, and returns the answer to a request. */
  private async dispatch(one: unknown): Promise<object | undefined> {
    if (typeof one !== "object" || one === null) return invalid(null);
    const { id, method, params, jsonrpc } = one as Message;
    if (
      method === undefined &&
      "id" in one &&
      ("result" in one || "error" in one)
    ) {
      this.answered(one as Message);
      return undefined;
    }
    const kinds = ["undefined", "string", "number"];
    const known = id === null || kinds.includes(typeof id);
    const structured =
      params === undefined || (typeof params === "object" && params !== null);
    const fits = known && structured && jsonrpc === "2.0";
    if (!fits || typeof method !== "string")
      return invalid(known ? (id ?? null) : null);
    return this.handle(id, method, params);
  }

  private async handle(
    id: unknown,
    method: string,
    params: unknown,
  ): Promise<object | undefined> {
    const { cancel, progress } = this.options.protocol ?? {};
    const members = (params ?? {}) as { [name: string]: unknown };
    if (id === undefined && method === cancel?.method) {
      this.running
        .get(members[cancel.id])
        ?.abort(new Error("the caller has cancelled the request"));
    }
    const report =
      method === progress?.method &&
      this.pending.get(members[progress.token])?.onProgress;
    const handler = this.handlers.get(method);
    const controller = new AbortController();
    if (id !== undefined) this.running.set(id, controller);
    try {
      const given = byName(params, this.names(method) ?? []);
      const held =
        given === undefined ? given : this.check(method, "params", given);
      if (report) report(held as never);
      if (!handler) throw new RPCError(-32601, "Method not found", { method });
      const result = await handler(held as never, {
        signal: controller.signal,
        peer: this,
      });
      if (id === undefined) return undefined;
      return { result: this.check(method, "result", result ?? {}), id };
    } catch (error) {
      if (id === undefined) {
        if (handler) this.options.onError?.(error);
        return undefined;
      }
      return { error: this.errorOf(error), id };
    } finally {
      if (this.running.get(id) === controller) this.running.delete(id);
    }
  }

  /** The error that is answered. What is no RPCError is not told to the other side. */
  private errorOf(error: unknown): object {
    if (error instanceof RPCError)
      return { code: error.code, message: error.message, data: error.data };
    if (error instanceof Error && "violations" in error) {
      return {
        code: -32602,
        message: "Invalid params",
        data: { violations: error.violations },
      };
    }
    this.options.onError?.(error);
    return { code: -32603, message: "Internal error" };
  }

  /** Takes an answer. */
  private answered(answer: Message): void {
    const call = this.settle(answer.id);
    const { error } = answer;
    if (!call) {
      const own = typeof answer.id === "number" && answer.id <= this.last;
      if (own) return; // the call was cancelled
      const what = error
        ? `the other side reports: ${error.message}`
        : "an answer that no call waits for";
      this.options.onError?.(new Error(what));
    } else if (error) {
      call.reject(new RPCError(error.code, error.message, error.data));
    } else {
      try {
        call.resolve(this.check(call.method, "result", answer.result) as never);
      } catch (violations) {
        call.reject(violations);
      }
    }
  }
}

function invalid(id: unknown): object {
  return { error: { code: -32600, message: "Invalid Request" }, id };
}

/** Writes params by position: those that are missing at the end are left out, and others are null. */
function byPosition(params: object, names: string[]): unknown[] {
  if (Array.isArray(params)) return params;
  const all = names.map(
    (name) => (params as { [name: string]: unknown })[name],
  );
  while (all.length > 0 && all[all.length - 1] === undefined) all.pop();
  return all.map((value) => (value === undefined ? null : value));
}

/** Reads params by position as an object. Those of a method without names stay as they are. */
function byName(params: unknown, names: string[]): unknown {
  if (!Array.isArray(params) || names.length === 0) return params;
  return Object.fromEntries(params.map((value, i) => [names[i] ?? i, value]));
}

export interface HTTPOptions {
  /** Headers of each request, such as Authorization. */
  headers?: HeadersInit | (() => HeadersInit | Promise<HeadersInit>);
  /** In place of the fetch of the platform. */
  fetch?: typeof fetch;
}

/** Sends each message, or batch, as the body of a POST request. The server cannot call. */
export function overHTTP(
  url: string | URL,
  options: HTTPOptions = {},
): Transport {
  const closed = new AbortController();
  return {
    async send(body, signal) {
      const { headers: given } = options;
      const headers = new Headers(
        typeof given === "function" ? await given() : given,
      );
      headers.set("Content-Type", "application/json");
      const signals = AbortSignal.any([signal ?? closed.signal, closed.signal]);
      const request = { method: "POST", headers, body, signal: signals };
      const response = await (options.fetch ?? fetch)(url, request);
      const text = await response.text();
      const json = response.headers.get("Content-Type")?.includes("json");
      if (text !== "" && json) return text;
      if (response.ok) return "";
      throw new Error(`the server answered with HTTP ${response.status}`);
    },
    close: () => closed.abort(),
  };
}

/** What a WebSocket of a platform or a package has. */
export interface Socket {
  readonly readyState: number;
  send(message: string): void;
  close(): void;
  addEventListener(type: string, listener: (event: object) => void): void;
}

/** Sends each message, or batch, as a text message of a WebSocket. */
export function overWebSocket(socket: Socket): Transport {
  const onEnd = (then: (event: object) => void): void => {
    for (const end of ["close", "error"]) socket.addEventListener(end, then);
  };
  const open = new Promise<void>((resolve, reject) => {
    if (socket.readyState === 1) resolve();
    socket.addEventListener("open", () => resolve());
    onEnd(() => reject(new Error("the WebSocket is closed")));
  });
  open.catch(() => {});
  return {
    async send(message) {
      await open;
      socket.send(message);
      return undefined;
    },
    receive(onMessage, onClose) {
      socket.addEventListener("message", (event) => {
        if ("data" in event) onMessage(String(event.data));
      });
      onEnd(onClose);
    },
    close: () => socket.close(),
  };
}

/** A source of bytes: a stream of the platform, or of Node. */
export type Source =
  AsyncIterable<Uint8Array | string> | ReadableStream<Uint8Array>;

/** A sink of bytes: a stream of the platform, or of Node. */
export type Sink =
  | WritableStream<Uint8Array>
  | {
      write(chunk: Uint8Array, done: (error?: Error | null) => void): unknown;
      end(): unknown;
    };

export interface StreamOptions {
  /** How messages are told apart: each on a line, or after a header with its length. */
  framing?: "lines" | "headers";
  /** The greatest size of a message in bytes. 64 MiB if it is not given. */
  limit?: number;
}

/** Sends messages over two streams, such as those of a process. */
export function overStreams(
  source: Source,
  sink: Sink,
  options: StreamOptions = {},
): Transport {
  const { framing = "lines", limit = 64 << 20 } = options;
  const writer = "getWriter" in sink ? sink.getWriter() : undefined;
  let before: Promise<unknown> = Promise.resolve();
  const write = (chunk: Uint8Array): Promise<void> =>
    writer
      ? writer.write(chunk)
      : new Promise((resolve, reject) => {
          if (!("write" in sink)) return;
          sink.write(chunk, (error) => (error ? reject(error) : resolve()));
        });
  return {
    async send(message) {
      const body = utf8(framing === "lines" ? `${message}\n` : message);
      const head = `Content-Length: ${body.length}\r\n\r\n`;
      const frame = framing === "lines" ? body : joined([utf8(head), body]);
      const now = before.then(() => write(frame));
      before = now.catch(() => {});
      await now;
      return undefined;
    },
    receive(onMessage, onClose) {
      read(source, framing, limit, onMessage).then(() => onClose(), onClose);
    },
    close() {
      if (writer) void writer.close().catch(() => {});
      else if ("end" in sink) sink.end();
    },
  };
}

async function* chunksOf(source: Source): AsyncGenerator<Uint8Array> {
  if ("getReader" in source) {
    const reader = source.getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read())
      yield next.value;
    return;
  }
  for await (const chunk of source) {
    yield typeof chunk === "string" ? utf8(chunk) : chunk;
  }
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

async function read(
  source: Source,
  framing: "lines" | "headers",
  limit: number,
  onMessage: (message: string) => void,
): Promise<void> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let chunks: Uint8Array[] = [];
  let held = 0;
  let wanted = -1; // the length of the body after a header
  for await (const chunk of chunksOf(source)) {
    chunks.push(chunk);
    held += chunk.length;
    if (held < wanted || (wanted < 0 && !chunk.includes(10))) {
      if (held > limit)
        throw new Error(`a message is larger than ${limit} bytes`);
      continue;
    }
    let bytes = joined(chunks);
    for (;;) {
      if (wanted >= 0) {
        if (bytes.length < wanted) break;
        onMessage(decoder.decode(bytes.subarray(0, wanted)));
        bytes = bytes.subarray(wanted);
        wanted = -1;
        continue;
      }
      const end = framing === "lines" ? bytes.indexOf(10) : headEnd(bytes);
      if (end < 0) break;
      const line = decoder.decode(bytes.subarray(0, end));
      bytes = bytes.subarray(framing === "lines" ? end + 1 : end);
      if (framing === "lines") {
        if (line.trim() !== "") onMessage(line);
        continue;
      }
      const length = /^content-length:\s*(\d+)\s*$/im.exec(line);
      if (!length) throw new Error("a header has no Content-Length");
      wanted = Number(length[1]);
      if (wanted > limit)
        throw new Error(`a message is larger than ${limit} bytes`);
    }
    if (bytes.length > limit)
      throw new Error(`a message is larger than ${limit} bytes`);
    chunks = bytes.length > 0 ? [bytes] : [];
    held = bytes.length;
  }
}

/** The length of a header with the empty line after it; negative if it is not complete. */
function headEnd(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) {
    if (bytes[at + 1] === 10) return at + 2;
    if (bytes[at + 1] === 13 && bytes[at + 2] === 10) return at + 3;
  }
  return -1;
}

function joined(chunks: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(chunks.reduce((n, chunk) => n + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
