package diag

func documentCodes() []Info {
	return []Info{
		{Code: MissingVersion, Title: "No language version",
			Explanation: "A schema begins with `rpcgen: v1`, so that a later rpcgen knows how to read it.",
			Example: `package: weather
`},
		{Code: UnsupportedVersion, Title: "Another language version",
			Explanation: "This rpcgen reads v1. A newer schema needs a newer rpcgen.",
			Example: `rpcgen: v2
`},
		{Code: UnknownKey, Title: "A key that means nothing",
			Explanation: "A misspelt key would silently do nothing, so unknown keys are faults. Free keys begin with x-.",
			Example: `rpcgen: v1
types:
  A: {type: string, minLenght: 1}
`},
		{Code: MisplacedKey, Title: "A key in the wrong place",
			Explanation: "The key means something elsewhere: a default belongs to an optional field, by belongs to a union.",
			Example: `rpcgen: v1
types:
  A: {type: string, default: x}
`},
		{Code: MissingKey, Title: "A key is missing",
			Explanation: "Something needs a key that is not there, such as the code of an error.",
			Example: `rpcgen: v1
errors:
  NotFound: {message: not found}
`},
		{Code: ConflictingKeys, Title: "Keys that exclude each other",
			Explanation: "Each schema has one form: an object, a list, a union, an enum, ...",
			Example: `rpcgen: v1
types:
  A: {enum: [a], union: [string, integer]}
`},
		{Code: WrongKind, Title: "A list where a mapping belongs, and so on",
			Explanation: "The key takes a value of another form.",
			Example: `rpcgen: v1
types: [A, B]
`},
		{Code: InvalidValue, Title: "A value that its key does not take",
			Explanation: "The key takes one of a few words, or true or false.",
			Example: `rpcgen: v1
methods:
  a/b: {from: clients}
`},
	}
}
