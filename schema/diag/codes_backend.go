package diag

func backendCodes() []Info {
	return []Info{
		{Code: ServerURL, Title: "A server that is not a plain https URL",
			Explanation: "Requests carry credentials. The server of a backend is an https URL without user, query or fragment; http is for localhost.",
			Example: `rpcgen: v1
use: [mcp]
server: {name: shop, version: 1.0.0}
backends: {api: {server: "http://api.example.com"}}
`},
		{Code: ServerField, Title: "A part of the server that is not a variable",
			Explanation: "The server is never made of input: {name} in it is one of `variables` of the backend, which the program chooses within its enum or pattern.",
			Example: `rpcgen: v1
use: [mcp]
server: {name: shop, version: 1.0.0}
backends: {api: {server: "https://{region}.example.com"}}
`},
		{Code: UnknownBackend, Title: "A backend that is not declared",
			Explanation: "`http` calls one of `backends`. Where there are several, `backend` says which one.",
			Example: `rpcgen: v1
use: [mcp]
server: {name: shop, version: 1.0.0}
backends: {api: {server: "https://api.example.com"}}
tools:
  list: {http: {get: /items, backend: shop}}
`},
		{Code: UnknownScheme, Title: "A scheme that the backend does not have",
			Explanation: "`auth` names schemes of the backend, in whose `schemes` they are declared.",
			Example: `rpcgen: v1
use: [mcp]
server: {name: shop, version: 1.0.0}
backends: {api: {server: "https://api.example.com", schemes: {token: {kind: bearer}}, auth: tokne}}
`},
		{Code: ForbiddenHeader, Title: "A header that no schema sets",
			Explanation: "Credentials are set by schemes alone, and headers such as Host and Content-Length by the connection.",
			Example: `rpcgen: v1
use: [mcp]
server: {name: shop, version: 1.0.0}
backends: {api: {server: "https://api.example.com"}}
tools:
  list: {http: {get: /items, fixed: {header: {Authorization: secret}}}}
`},
		{Code: PathField, Title: "A field of a path that may be absent",
			Explanation: "A path needs all of its fields: they are required, or have a default.",
			Example: `rpcgen: v1
use: [mcp]
server: {name: shop, version: 1.0.0}
backends: {api: {server: "https://api.example.com"}}
tools:
  get: {http: {get: "/items/{id}"}, input: {"id?": string}}
`},
		{Code: SamePlace, Title: "Two values in one place",
			Explanation: "Each query parameter, header and member of the body is sent once.",
			Example: `rpcgen: v1
use: [mcp]
server: {name: shop, version: 1.0.0}
backends: {api: {server: "https://api.example.com"}}
tools:
  list: {http: {get: /items}, input: {q: string, text: {type: string, http: {query: q}}}}
`},
		{Code: NoBody, Title: "A member of a body that is not there",
			Explanation: "A get and a head have no body. Their fields are sent in the path, the query or headers.",
			Example: `rpcgen: v1
use: [mcp]
server: {name: shop, version: 1.0.0}
backends: {api: {server: "https://api.example.com"}}
tools:
  list: {http: {get: /items}, input: {note: {type: string, http: body}}}
`},
		{Code: NotInPlace, Title: "A type that has no form in its place",
			Explanation: "Paths and headers hold text, numbers and booleans; a query and a form hold lists and objects by a `style`; null is sent in JSON alone.",
			Example: `rpcgen: v1
use: [mcp]
server: {name: shop, version: 1.0.0}
backends: {api: {server: "https://api.example.com"}}
tools:
  list: {http: {get: /items}, input: {by: {type: map<string>, http: header}}}
`},
		{Code: AnswerPath, Title: "A path that cannot be read",
			Explanation: "A path into a body has names with dots between them, [0] for an element, [-1] for the last one, and a quoted name in brackets where it holds dots.",
			Example: `rpcgen: v1
use: [mcp]
server: {name: shop, version: 1.0.0}
backends: {api: {server: "https://api.example.com"}}
tools:
  list: {http: {get: /items}, output: {"id?": {type: string, http: {body: "data..id"}}}}
`},
	}
}
