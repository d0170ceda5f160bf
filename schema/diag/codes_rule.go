package diag

func ruleCodes() []Info {
	return []Info{
		{Code: InvalidRule, Title: "A limit that is none",
			Explanation: "Lengths and counts are whole numbers that are not negative; multipleOf is above zero.",
			Example: `rpcgen: v1
types:
  A: {type: string, minLength: -1}
`},
		{Code: EmptyRange, Title: "Limits that no value meets",
			Explanation: "The lower limit is above the upper one.",
			Example: `rpcgen: v1
types:
  A: {type: integer, minimum: 5, maximum: 1}
`},
		{Code: RuleMismatch, Title: "A rule of another kind of type",
			Explanation: "The rule would never apply: minLength is for text, minItems for lists.",
			Example: `rpcgen: v1
types:
  A: {type: integer, minLength: 1}
`},
		{Code: InvalidPattern, Title: "A pattern that is not RE2",
			Explanation: "Patterns run in time linear to the text, so lookaround and backreferences do not exist.",
			Example: `rpcgen: v1
types:
  A: {type: string, pattern: "(?=a)"}
`},
		{Code: UnknownFormat, Title: "A format without a check",
			Explanation: "A format that is not checked would promise what nobody keeps. Use pattern, or publish it as x-format.",
			Example: `rpcgen: v1
types:
  A: {type: string, format: hostname}
`},
		{Code: InvalidEnum, Title: "An enum that cannot be a list of constants",
			Explanation: "An enum has at least one value, and all are text or all are whole numbers.",
			Example: `rpcgen: v1
types:
  A: {enum: []}
`},
		{Code: DuplicateEnum, Title: "A value twice",
			Explanation: "Each value of an enum is listed once.",
			Example: `rpcgen: v1
types:
  A: {enum: [a, b, a]}
`},
		{Code: InvalidRequire, Title: "A require that relates no fields",
			Explanation: "`require` holds a | b (at least one), a ^ b (exactly one) or a -> b (if a then b), of fields of the object.",
			Example: `rpcgen: v1
types:
  A: {fields: {"text?": string, "blob?": string}, require: [text ^ blop]}
`},
		{Code: InvalidConst, Title: "A const that does not fit its type",
			Explanation: "A constant is a scalar that its own type allows.",
			Example: `rpcgen: v1
types:
  A: {type: integer, const: x}
`},
		{Code: InvalidDefault, Title: "A default that does not fit its type",
			Explanation: "A default must be a value that a peer could have sent.",
			Example: `rpcgen: v1
types:
  A: {fields: {"limit?": {type: integer, minimum: 1, default: 0}}}
`},
		{Code: InvalidExample, Title: "An example that does not fit its type",
			Explanation: "Examples are published, so they must be valid.",
			Example: `rpcgen: v1
types:
  A: {type: string, maxLength: 3, examples: [long]}
`},
		{Code: DefaultOnRequired, Title: "A default that is never used",
			Explanation: "A required field is always there. Make it optional: end its key in ?.",
			Example: `rpcgen: v1
types:
  A: {fields: {limit: {type: integer, default: 10}}}
`},
		{Code: InvalidHeader, Title: "A header that cannot mirror a field",
			Explanation: "Headers are tokens, differ without regard to case, and mirror text, integers and booleans only.",
			Example: `rpcgen: v1
methods:
  a/b:
    params:
      ratio: {type: number, header: Ratio}
`},
	}
}
