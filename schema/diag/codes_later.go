package diag

// laterCodes are those of phases after loading. Their examples load without a fault.
func laterCodes() []Info {
	return []Info{
		{Code: GoNameClash, Phase: "names", Title: "Two things with one Go name",
			Explanation: "Two names of the schema become one name in Go. rpcgen adds no number to tell declarations and fields apart: choose a name with go.",
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
	}
}
