// The connection of the page with the server: JSON-RPC 2.0 in both directions, and what MCP adds, in both of its eras.
import { caps } from './caps.js';
import { faultOf, from, get, isObject, parse, print } from './json.js';

const stateless = '2026-07-28';
const handshake = '2025-11-25';
const meta = 'io.modelcontextprotocol/';
const info = { name: 'rpcgen-explorer', version: '1' };
const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

// RPCError is the error of an answer.
export class RPCError extends Error {
  constructor(error) {
    super(String(get(error, 'message') ?? 'the server answered with an error'));
    this.code = get(error, 'code');
    this.data = get(error, 'data');
  }
}

// Client is one connection. on has functions: trace(entry), notification(method, params), ask(method, params, id) which returns the result of a
// question of the server, withdrawn(id) for a question that the server has cancelled, and state(text, ended).
export class Client {
  constructor(token, on) {
    this.token = token;
    this.on = on;
    this.trace = [];
    this.kept = 0; // characters of the trace
    this.waiting = new Map();
    this.next = 1;
    this.era = null; // handshake or stateless for MCP, plain otherwise
    this.server = new Map();
  }

  async fetch(path, init = {}) {
    const response = await fetch('api/' + path, { ...init, headers: { Authorization: 'Bearer ' + this.token, ...init.headers } });
    if (!response.ok) throw new Error((await response.text()).trim() || `status ${response.status}`);
    return response;
  }

  // connect opens the stream and finds out what the server speaks, unless it is known to be plain JSON-RPC.
  async connect(plain) {
    this.stop = new AbortController();
    const response = await this.fetch('stream', { signal: this.stop.signal });
    const opened = new Promise((resolve, reject) => { this.opened = { resolve, reject }; });
    this.read(response.body);
    await opened;
    if (plain) this.era = 'plain';
    else await this.begin();
  }

  close() { this.stop?.abort(); }

  async read(body) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let parts = [];
    let event = ''; // the name of the event whose data comes next: the server of the page has names, and messages have none
    let reason = 'the connection has ended';
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        const lines = value.split('\n');
        parts.push(lines[0]);
        for (const line of lines.slice(1)) {
          const whole = parts.join('');
          parts = [line];
          const [, field, data] = /^(event|data): ([^]*)$/.exec(whole) ?? [];
          if (field === 'event') event = data;
          if (field !== 'data') continue;
          if (event === 'page') { this.page = data; this.opened.resolve(); }
          else if (event === 'ended') reason = data;
          else this.take(data);
          event = '';
        }
      }
    } catch (fault) {
      reason = 'the connection has ended: ' + fault.message;
    }
    this.page = null;
    this.opened?.reject(new Error(reason));
    for (const { reject } of this.waiting.values()) reject(new Error(reason));
    this.waiting.clear();
    this.on.state(reason, true);
  }

  take(text) {
    let message;
    try {
      message = parse(text, true);
    } catch (fault) {
      this.note(false, text);
      this.on.state(`The server sent what is not JSON: ${fault.message}`, false);
      return;
    }
    this.note(false, text);
    for (const one of Array.isArray(message) ? message : [message]) this.handle(one, text.length);
  }

  handle(message, size) {
    const method = get(message, 'method');
    if (typeof method !== 'string') {
      const id = get(message, 'id');
      const waiting = this.waiting.get(print(id === undefined ? null : id));
      if (!waiting) return;
      this.waiting.delete(print(id));
      const error = get(message, 'error');
      if (error !== undefined) waiting.reject(new RPCError(error));
      else waiting.resolve({ result: get(message, 'result'), size, fault: faultOf(message) });
      return;
    }
    const params = get(message, 'params');
    if (!message.has('id')) {
      if (method === 'notifications/cancelled') this.on.withdrawn(get(params, 'requestId'));
      this.on.notification(method, params);
      return;
    }
    this.answer(message.get('id'), method, params);
  }

  async answer(id, method, params) {
    const answer = from({ jsonrpc: '2.0', id });
    try {
      answer.set('result', method === 'ping' ? new Map() : from(await this.on.ask(method, params, id)));
    } catch (fault) {
      if (fault.withdrawn) return; // nobody waits for an answer
      answer.set('error', from({ code: fault.code ?? -32603, message: fault.message }));
    }
    await this.send(answer).catch(() => {});
  }

  note(sent, text) {
    const entry = { sent, at: new Date(), text };
    this.trace.push(entry);
    this.kept += text.length;
    while (this.trace.length > 1 && (this.trace.length > caps.messages || this.kept > caps.trace)) this.kept -= this.trace.shift().text.length;
    this.on.trace(entry);
  }

  // send sends a message, or a batch of them.
  async send(message) {
    if (!this.page) throw new Error('there is no connection');
    const text = print(message);
    this.note(true, text);
    await this.fetch('send', { method: 'POST', headers: { 'Explorer-Page': this.page, 'Content-Type': 'application/json' }, body: text });
  }

  request(method, params) {
    const message = from({ jsonrpc: '2.0', id: this.next++, method });
    if (params !== undefined) message.set('params', params);
    return message;
  }

  // start sends a request; the result has its id, and done, which has its result, the bytes of its answer, and what of it cannot be read.
  start(method, params) {
    const message = this.request(method, params);
    const id = message.get('id');
    const done = new Promise((resolve, reject) => {
      this.waiting.set(print(id), { resolve, reject });
      this.send(message).catch((fault) => {
        this.waiting.delete(print(id));
        reject(fault);
      });
    });
    return { id, done };
  }

  async call(method, params) { return (await this.start(method, params).done).result; }

  notify(method, params) {
    const message = from({ jsonrpc: '2.0', method });
    if (params !== undefined) message.set('params', params);
    return this.send(message);
  }

  // cancel gives a request up, and says so to an MCP server.
  cancel(id) {
    this.waiting.get(print(id))?.reject(new Error('cancelled'));
    this.waiting.delete(print(id));
    if (this.era !== 'plain') this.notify('notifications/cancelled', from({ requestId: id, reason: 'cancelled on the page' })).catch(() => {});
  }

  // begin finds out whether the server speaks MCP, and which era.
  async begin() {
    try {
      const result = await this.call('initialize', from({ protocolVersion: handshake, capabilities, clientInfo: info }));
      this.era = 'handshake';
      this.server = result;
      this.revision = get(result, 'protocolVersion') ?? 'without a revision';
      await this.notify('notifications/initialized');
      return;
    } catch (fault) {
      if (!(fault instanceof RPCError)) throw fault;
    }
    try {
      this.era = 'stateless';
      this.server = await this.call('server/discover', this.params(new Map()));
      this.revision = stateless;
    } catch (fault) {
      if (!(fault instanceof RPCError)) throw fault;
      this.era = 'plain';
    }
  }

  // useEra changes the era of an MCP server.
  async useEra(era) {
    if (era === 'stateless') this.server = await this.withEra(era, () => this.call('server/discover', this.params(new Map())));
    this.era = era;
    this.revision = era === 'stateless' ? stateless : this.revision;
  }

  async withEra(era, f) {
    const was = this.era;
    this.era = era;
    try {
      return await f();
    } catch (fault) {
      this.era = was;
      throw fault;
    }
  }

  // params adds to the params of an MCP request what its era requires; the progress token lets the server report progress.
  params(params, token) {
    if (this.era === 'plain') return params;
    const out = new Map(params);
    const add = new Map(get(params, '_meta') ?? []);
    if (this.era === 'stateless') {
      add.set(meta + 'protocolVersion', stateless).set(meta + 'clientInfo', from(info)).set(meta + 'clientCapabilities', from(capabilities)).set(meta + 'logLevel', 'debug');
    }
    if (token) add.set('progressToken', token);
    if (add.size) out.set('_meta', add);
    return out;
  }

  // list returns the entries of a list of an MCP server, and whether there are more.
  async list(method, member) {
    const all = [];
    let cursor;
    for (let page = 0; page < caps.pages; page++) {
      const result = await this.call(method, this.params(from(cursor === undefined ? {} : { cursor })));
      for (const one of asList(get(result, member))) if (isObject(one) && all.push(one) > caps.listed) return { all: all.slice(0, caps.listed), more: true };
      const next = get(result, 'nextCursor');
      if (typeof next !== 'string' || next === cursor) return { all, more: false };
      cursor = next;
    }
    return { all, more: true };
  }
}

const asList = (v) => (Array.isArray(v) ? v : []);
