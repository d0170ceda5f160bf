package diag

import "strings"

func textCodes() []Info {
	return []Info{
		{Code: FileUnreadable, Title: "A file cannot be read",
			Explanation: "The schema, or a schema that it imports, is not there or may not be read. The path of an import is relative to the importing file.",
			Example: `rpcgen: v1
import: {common: missing.rpc.yaml}
`},
		{Code: InvalidText, Title: "Not plain UTF-8 text",
			Explanation: "A schema is UTF-8 without a byte order mark and without control characters. Write such characters as escapes inside double quotes.",
			Example:     "rpcgen: v1\ntitle: caf\xe9\n"},
		{Code: TooLarge, Title: "Larger than any schema needs",
			Explanation: "Limits on bytes, values, nesting and copied fields keep a hostile file from taking the machine.",
			Example:     "rpcgen: v1\nx-deep: " + strings.Repeat("[", 101) + strings.Repeat("]", 101) + "\n"},
		{Code: YAMLSyntax, Title: "Not YAML",
			Explanation: "The YAML library cannot read the file. Its message is kept; rpcgen adds the position and the usual fix.",
			Example: `rpcgen: v1
types:
  A: {fields: {tags: string[]}}
`},
		{Code: TabIndent, Title: "A tab where YAML wants spaces",
			Explanation: "YAML does not allow tabs in indentation.",
			Example:     "rpcgen: v1\ntypes:\n\tA: string\n"},
		{Code: YAMLAnchor, Title: "A YAML anchor",
			Explanation: "Sharing is said with names under `types`, which keep their name in Go. Anchors are not part of the language.",
			Example: `rpcgen: v1
types:
  A: &shared {type: string}
`},
		{Code: YAMLAlias, Title: "A YAML alias",
			Explanation: "Sharing is said with names under `types`. Aliases are not part of the language.",
			Example: `rpcgen: v1
types:
  A: *shared
`},
		{Code: MergeKey, Title: "A YAML merge key",
			Explanation: "Fields are taken over with `extends` or `mixin`, which keep the author's order. Merge keys are not part of the language.",
			Example: `rpcgen: v1
types:
  A:
    <<: {type: string}
`},
		{Code: YAMLTag, Title: "A YAML tag",
			Explanation: "The type of a value follows from its place in the schema. Quote a value to make it text.",
			Example: `rpcgen: v1
title: !!str 12
`},
		{Code: SeveralDocuments, Title: "Several YAML documents",
			Explanation: "A file holds one schema.",
			Example: `rpcgen: v1
---
rpcgen: v1
`},
		{Code: DuplicateKey, Title: "A key twice",
			Explanation: "YAML readers differ on which of two equal keys counts, so neither does.",
			Example: `rpcgen: v1
types:
  A: string
  A: integer
`},
		{Code: InvalidKey, Title: "A key that is not text",
			Explanation: "Keys are names; a list or mapping cannot be one.",
			Example: `rpcgen: v1
types:
  [A]: string
`},
	}
}
