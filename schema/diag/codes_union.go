package diag

func unionCodes() []Info {
	return []Info{
		{Code: UndecidableUnion, Title: "Branches that cannot be told apart",
			Explanation: "A decoder takes one look at a value and never tries branches. Give each branch a constant property of its own value, or a required property that the others lack.",
			Example: `rpcgen: v1
types:
  A: {fields: {name: string, "a?": string}}
  B: {fields: {name: string, "b?": string}}
  AB: A | B
`},
		{Code: InvalidUnion, Title: "A union that contradicts its branches",
			Explanation: "A branch lacks the property that tells it apart, or its constant is not the tag.",
			Example: `rpcgen: v1
types:
  A: {fields: {type: {const: a}}}
  B: {fields: {name: string}}
  AB: {union: [A, B], by: type}
`},
		{Code: AbsentNoTag, Title: "absent names no tag",
			Explanation: "`absent` is the tag that is assumed when the property is missing.",
			Example: `rpcgen: v1
types:
  A: {fields: {a: string}}
  B: {fields: {b: string}}
  AB: {union: {form: A, url: B}, by: mode, absent: from}
`},
	}
}
