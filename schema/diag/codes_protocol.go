package diag

func protocolCodes() []Info {
	return []Info{
		{Code: CodeRange, Title: "A code that is not an int32",
			Explanation: "Error codes are integers that every language can hold.",
			Example: `rpcgen: v1
errors:
  NotFound: {code: 3000000000}
`},
		{Code: DuplicateCode, Title: "A code of two errors",
			Explanation: "A client finds the error by its code.",
			Example: `rpcgen: v1
errors:
  NotFound: {code: 1}
  Gone: {code: 1}
`},
		{Code: ReservedCode, Title: "A code that belongs to a protocol",
			Explanation: "-32768..-32100 are JSON-RPC's, -32099..-32020 are MCP's, -32019..-32000 are legacy, -32002 and -32042 are burnt. An error under `protocol: {name: mcp}`, and in a schema with `server:`, where the server would answer -32603 in its place; a warning in plain JSON-RPC, where -32099..-32000 are free for implementations. `reserved: true` on the error says that it has the code on purpose.",
			Example: `rpcgen: v1
errors:
  NotFound: {code: -32601}
`},
		{Code: UnknownPlaceholder, Title: "A message part that names no field",
			Explanation: "{field} in a message stands for a field of the data. Write {{ for a brace.",
			Example: `rpcgen: v1
errors:
  NotFound: {code: 1, message: "no {city}", data: {town: string}}
`},
		{Code: UnknownCondition, Title: "A condition that the runtime does not know",
			Explanation: "`when` names one of the conditions that the runtime answers by itself.",
			Example: `rpcgen: v1
errors:
  Late: {code: 1, when: timeot}
`},
		{Code: DuplicateCondition, Title: "A condition of two errors",
			Explanation: "The runtime answers a condition with one error.",
			Example: `rpcgen: v1
errors:
  Late: {code: 1, when: timeout}
  Slow: {code: 2, when: timeout}
`},
		{Code: UnfillableData, Title: "Data that the runtime cannot fill",
			Explanation: "With `when`, the runtime makes the error. It must be able to fill every required field of the data.",
			Example: `rpcgen: v1
errors:
  Late: {code: 1, when: timeout, data: {city: string}}
`},
		{Code: NotificationResult, Title: "A notification with a result",
			Explanation: "Nobody answers a notification.",
			Example: `rpcgen: v1
notifications:
  a/b: {result: string}
`},
		{Code: InvalidParams, Title: "Params that JSON-RPC cannot carry",
			Explanation: "Params are an object or an array. Where they may be left out, write params?.",
			Example: `rpcgen: v1
methods:
  a/b: {params: string}
`},
		{Code: InvalidTimeout, Title: "No duration",
			Explanation: "A timeout, or the time of a rate, is a positive duration such as 30s, 500ms or 1m30s.",
			Example: `rpcgen: v1
methods:
  a/b: {timeout: 30}
`},
		{Code: InvalidPath, Title: "A path that leads nowhere",
			Explanation: "`page` names a list of the result; `header` names a part of the params, such as params.name; `view` names members of the output of a tool, through objects and lists.",
			Example: `rpcgen: v1
methods:
  a/b: {params: {name: string}, header: {Name: params.nmae}}
`},
	}
}
