// Calls of tools, resources and prompts on a client of MCP that the caller has.

import { parse } from "./json.js";

/** What is needed of a client. The Client of @modelcontextprotocol/sdk has it. */
export interface MCPClient {
  callTool(
    params: { name: string; arguments?: { [name: string]: unknown } },
    schema?: undefined,
    options?: RequestOptions,
  ): Promise<unknown>;
  readResource(
    params: { uri: string },
    options?: RequestOptions,
  ): Promise<unknown>;
  getPrompt(
    params: { name: string; arguments?: { [name: string]: string } },
    options?: RequestOptions,
  ): Promise<unknown>;
}

export interface RequestOptions {
  signal?: AbortSignal;
  /** In milliseconds. */
  timeout?: number;
  onprogress?: (progress: {
    progress: number;
    total?: number;
    message?: string;
  }) => void;
}

/** A block of content, told apart by its type. */
export type Content =
  | { type: "text"; text: string }
  | { type: "image" | "audio"; data: string; mimeType: string }
  | { type: "resource_link"; uri: string; name: string; mimeType?: string }
  | { type: "resource"; resource: ResourceContents };

/** The contents of a resource: text, or a blob in base64. */
export interface ResourceContents {
  uri: string;
  mimeType?: string;
  text?: string;
  blob?: string;
}

/** What a tool answers. */
export interface ToolResult<Output> {
  content: Content[];
  structuredContent: Output;
}

/** The messages of a prompt. */
export interface PromptResult {
  description?: string;
  messages: { role: "user" | "assistant"; content: Content }[];
}

/** The error that a tool answers with. */
export class ToolError<Data = unknown> extends Error {
  readonly tool: string;
  readonly content: Content[];
  /** The name of the error, if the tool declares it. */
  readonly code: string | undefined;
  readonly data: Data;

  constructor(
    tool: string,
    content: Content[],
    code: string | undefined,
    data: Data,
  ) {
    const texts = content.flatMap((block) =>
      block.type === "text" ? [block.text] : [],
    );
    super(texts.join("\n") || `the tool ${tool} failed`);
    this.name = "ToolError";
    this.tool = tool;
    this.content = content;
    this.code = code;
    this.data = data;
  }
}

const failed = "io.github.rpcgen-go/error";

/** Calls a tool. It throws a ToolError if the tool answers with an error. */
export async function callTool<Output>(
  client: MCPClient,
  name: string,
  input: object,
  options?: RequestOptions,
): Promise<ToolResult<Output>> {
  const params = { name, arguments: input as { [name: string]: unknown } };
  const result = (await client.callTool(
    params,
    undefined,
    options,
  )) as ToolResult<Output> & {
    isError?: boolean;
    _meta?: { [name: string]: unknown };
  };
  const content = result.content ?? [];
  if (result.isError) {
    const declared = result._meta?.[failed] as
      { name?: string; data?: unknown } | undefined;
    throw new ToolError(name, content, declared?.name, declared?.data);
  }
  return { content, structuredContent: result.structuredContent };
}

/** Calls a tool with structured output. */
export async function callForOutput<Output>(
  client: MCPClient,
  name: string,
  input: object,
  options?: RequestOptions,
): Promise<Output> {
  const { structuredContent } = await callTool<Output>(
    client,
    name,
    input,
    options,
  );
  if (structuredContent === undefined)
    throw new Error(`the tool ${name} gave no structured output`);
  return structuredContent;
}

/** Reads the contents of a resource. */
export async function readContents(
  client: MCPClient,
  uri: string,
  options?: RequestOptions,
): Promise<ResourceContents[]> {
  const result = (await client.readResource({ uri }, options)) as {
    contents: ResourceContents[];
  };
  return result.contents;
}

/** Reads a resource that is text. */
export async function readText(
  client: MCPClient,
  uri: string,
  options?: RequestOptions,
): Promise<string> {
  const [first] = await readContents(client, uri, options);
  if (first?.text === undefined)
    throw new Error(`the resource ${uri} has no text`);
  return first.text;
}

/** Reads a resource that is JSON. */
export async function readJSON<Result>(
  client: MCPClient,
  uri: string,
  options?: RequestOptions,
): Promise<Result> {
  return parse(await readText(client, uri, options)) as Result;
}

/** Reads a resource that is bytes, in base64. */
export async function readBlob(
  client: MCPClient,
  uri: string,
  options?: RequestOptions,
): Promise<string> {
  const [first] = await readContents(client, uri, options);
  if (first?.blob === undefined)
    throw new Error(`the resource ${uri} has no blob`);
  return first.blob;
}

/** Gets a prompt. */
export async function getPrompt(
  client: MCPClient,
  name: string,
  given: object,
  options?: RequestOptions,
): Promise<PromptResult> {
  const params = { name, arguments: given as { [name: string]: string } };
  return (await client.getPrompt(params, options)) as PromptResult;
}

/** Writes the value of a variable in a URI template (RFC 6570); a reserved one keeps the signs of URIs. */
export function expand(
  value: string | number | bigint | boolean,
  reserved = false,
): string {
  const escaped = encodeURIComponent(String(value)).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  if (!reserved) return escaped;
  return escaped
    .replace(/%25([0-9A-Fa-f]{2})/g, "%$1")
    .replace(
      /%(?:21|23|24|26|27|28|29|2A|2B|2C|2F|3A|3B|3D|3F|40|5B|5D)/g,
      decodeURIComponent,
    );
}
