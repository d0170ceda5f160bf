package diag

// laterCodes are those of phases after loading. Their examples load without a fault.
func laterCodes() []Info {
	return []Info{
		{Code: GoNameClash, Phase: "names", Title: "Two things with one Go name",
			Explanation: "Two names of the schema become one name in Go. rpcgen never adds a number to tell them apart: choose a name with go.",
			Example: `rpcgen: v1
types:
  user_id: string
  userId: string
`},
		{Code: OverrideUnmatched, Phase: "names", Title: "An override that matches nothing",
			Explanation: "An entry of go.rename or lint.ignore that names nothing would silently do nothing, often after a renaming.",
			Example: `rpcgen: v1
go: {rename: {Missing: Other}}
types:
  A: string
`},
		{Code: InvalidToolName, Phase: "tools", Title: "A tool name that clients refuse",
			Explanation: "Tool names are 1 to 128 of the characters A-Z a-z 0-9 _ . -.",
			Example: `rpcgen: v1
tools:
  find items: {description: Search., input: {}}
`},
		{Code: ToolRootNotObject, Phase: "tools", Title: "Tool input or output that is no object",
			Explanation: "Models and clients take tool schemas whose root is an object, without unions.",
			Example: `rpcgen: v1
tools:
  find: {description: Search., input: string}
`},
	}
}
