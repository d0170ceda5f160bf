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
		{Code: ListedDiffers, Phase: "listed", Title: "Another meaning than the text that is published",
			Explanation: "The file of server.listed has the entries of tools as another server listed them, and they are published word for word. That is right only as long as they mean what the schema says: " +
				"after a change of the schema, drop the text of the tool, and its entry is made of the schema.",
			Example: `rpcgen: v1
use: [mcp]
server: {name: clock, version: 1.0.0, listed: listed.json}
tools:
  now: {description: Tells the time., output: {time: datetime}}
`},
		{Code: OverBudget, Phase: "budget", Title: "Tools that take more tokens than granted",
			Explanation: "The list of tools is part of every conversation with a model. server.budget and the budget of a tool say how many tokens it may take, and rpcgen check fails above that. rpcgen budget shows what takes the most.",
			Example: `rpcgen: v1
use: [mcp]
server: {name: clock, version: 1.0.0, budget: {tokens: 10}}
tools:
  now: {description: Tells the time., output: {time: datetime}}
`},
		{Code: OutOfDate, Phase: "check", Title: "A file that is not up to date",
			Explanation: "rpcgen check found a Go file that generate would write anew, or rpcgen fmt --check a schema that is not in its canonical form. As text, both print the names of these files.",
			Example: `rpcgen: v1
types:
    A:   string
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
