package diag

func serverCodes() []Info {
	return []Info{
		{Code: UnknownModule, Title: "A module that is not there",
			Explanation: "`use` lists modules of the language. The one there is is mcp.",
			Example: `rpcgen: v1
use: [mpc]
`},
		{Code: MissingModule, Title: "A key of a module that is not used",
			Explanation: "`server`, `tools`, `resources` and `prompts` belong to the module mcp.",
			Example: `rpcgen: v1
server: {name: shop, version: 1.0.0}
`},
		{Code: MissingServer, Title: "Tools without a server",
			Explanation: "What a file declares for MCP clients belongs to a server with a name and a version, which clients are told.",
			Example: `rpcgen: v1
use: [mcp]
tools:
  ping: {description: Reports whether the server is there.}
`},
		{Code: UnknownRevision, Title: "A revision that MCP does not have",
			Explanation: "MCP has the revisions 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25 and 2026-07-28. Without `revisions`, all are served.",
			Example: `rpcgen: v1
use: [mcp]
server: {name: shop, version: 1.0.0, revisions: [2025-11-24]}
`},
		{Code: InvalidToolName, Title: "A name that no tool can have",
			Explanation: "Tools are named with 1 to 128 letters, digits, _, - and . (MCP, server/tools).",
			Example: `rpcgen: v1
use: [mcp]
server: {name: shop, version: 1.0.0}
tools:
  search/items: {description: Searches.}
`},
		{Code: InvalidToolRoot, Title: "Input or output that is not an object",
			Explanation: "Models send objects, and some providers refuse a whole request when the input of one tool is a union. Output is an object so that clients of every revision can read it.",
			Example: `rpcgen: v1
use: [mcp]
server: {name: shop, version: 1.0.0}
types:
  A: {fields: {a: string}}
  B: {fields: {b: string}}
  Either: {union: [A, B]}
tools:
  search: {input: Either}
`},
		{Code: DuplicateError, Title: "Two errors with one name",
			Explanation: "The errors of all tools and those under `errors` share their names. A name with nothing below it stands for the error that is declared elsewhere.",
			Example: `rpcgen: v1
use: [mcp]
server: {name: shop, version: 1.0.0}
tools:
  buy: {errors: {OutOfStock: {message: there are none left}}}
  reserve: {errors: {OutOfStock: {message: there are none left}}}
`},
		{Code: UnknownRequest, Title: "A request that no client answers",
			Explanation: "A tool asks the client by elicitation/create, sampling/createMessage or roots/list.",
			Example: `rpcgen: v1
use: [mcp]
server: {name: shop, version: 1.0.0}
tools:
  buy: {asks: [elicit/create]}
`},
		{Code: InvalidForm, Title: "A form that cannot be filled in",
			Explanation: "Forms are flat (MCP, client/elicitation): text with a length or a format of uri, email, date or date-time, numbers, booleans, an enum of text, or a list of one.",
			Example: `rpcgen: v1
use: [mcp]
server: {name: shop, version: 1.0.0}
tools:
  buy: {asks: {address: {message: "Where to?", form: {lines: list<string>}}}}
`},
		{Code: InvalidURI, Title: "No absolute URI",
			Explanation: "The URI of a resource begins with a scheme. Icons are at https: or data: URIs.",
			Example: `rpcgen: v1
use: [mcp]
server: {name: shop, version: 1.0.0}
resources:
  catalogue: {uri: /catalogue, content: string}
`},
		{Code: DuplicateURI, Title: "A URI of two resources",
			Explanation: "A client reads a resource by its URI alone.",
			Example: `rpcgen: v1
use: [mcp]
server: {name: shop, version: 1.0.0}
resources:
  catalogue: {uri: shop://all, content: string}
  everything: {uri: shop://all, content: string}
`},
		{Code: InvalidTemplate, Title: "A URI template that cannot be matched",
			Explanation: "Templates are those of RFC 6570, levels 1 and 2: {name}, {+name} and {#name}. They begin with a scheme, have text between two variables, and {+name} and {#name} come last.",
			Example: `rpcgen: v1
use: [mcp]
server: {name: shop, version: 1.0.0}
resources:
  item: {uriTemplate: "shop://items{?sku}", content: string}
`},
		{Code: TemplateParams, Title: "Params that are not the variables of the template",
			Explanation: "Every variable of a template is a param and every param a variable. Params are strings, enums of text or integers. Without `params` every variable is a string.",
			Example: `rpcgen: v1
use: [mcp]
server: {name: shop, version: 1.0.0}
resources:
  item: {uriTemplate: "shop://items/{sku}", params: {sku: list<string>}, content: string}
`},
		{Code: AmbiguousTemplates, Title: "Templates that one URI matches",
			Explanation: "A URI must tell which template it is of. A resource with a URI of its own comes before templates, and may match one.",
			Example: `rpcgen: v1
use: [mcp]
server: {name: shop, version: 1.0.0}
resources:
  item: {uriTemplate: "shop://items/{sku}", content: string}
  part: {uriTemplate: "shop://{kind}/{id}", content: string}
`},
		{Code: InvalidArgument, Title: "An argument of a prompt that is not text",
			Explanation: "MCP carries the arguments of prompts as strings.",
			Example: `rpcgen: v1
use: [mcp]
server: {name: shop, version: 1.0.0}
prompts:
  review: {arguments: {count: integer}}
`},
	}
}
