package diag

func nameCodes() []Info {
	return []Info{
		{Code: InvalidName, Title: "A name with characters that names do not have",
			Explanation: "Types, errors and imports are named with letters, digits and _, because expressions and Go use the names. Fields and methods may have any text without control characters.",
			Example: `rpcgen: v1
types:
  my-type: string
`},
		{Code: BuiltinName, Title: "A built-in type declared again",
			Explanation: "Built-in types cannot be declared.",
			Example: `rpcgen: v1
types:
  uuid: string
`},
		{Code: ReservedName, Title: "A reserved name, method or code",
			Explanation: "What `reserved` lists was used once and may not be used again, because old peers may still mean the old thing.",
			Example: `rpcgen: v1
reserved: {names: [Old]}
types:
  Old: string
`},
		{Code: InvalidGoName, Title: "No exported Go identifier",
			Explanation: "`go:` names a thing in the generated code: letters and digits, beginning with a capital.",
			Example: `rpcgen: v1
types:
  A: {type: string, go: my-name}
`},
		{Code: DuplicateField, Title: "A field twice",
			Explanation: "`name` and `name?` are one field.",
			Example: `rpcgen: v1
types:
  A:
    fields:
      name: string
      name?: string
`},
		{Code: DuplicateMethod, Title: "A method twice",
			Explanation: "Methods and notifications share their names: on the wire nothing but the id tells them apart.",
			Example: `rpcgen: v1
methods:
  a/b: {}
notifications:
  a/b: {}
`},
		{Code: UnknownType, Title: "A type that is not declared",
			Explanation: "Types are built in, declared under `types`, or imported as alias.Type.",
			Example: `rpcgen: v1
types:
  Unit: {enum: [celsius]}
  A: {fields: {unit: Unti}}
`},
		{Code: UnknownAlias, Title: "An alias that is not imported",
			Explanation: "alias.Type needs the file of alias under `import`.",
			Example: `rpcgen: v1
types:
  A: common.Unit
`},
		{Code: UnknownError, Title: "An error that is not declared",
			Explanation: "`errors` of a method lists names of the section errors.",
			Example: `rpcgen: v1
methods:
  a/b: {errors: [NotFound]}
`},
		{Code: UnknownMethod, Title: "A notification that is not declared",
			Explanation: "`stream` lists notifications of this schema.",
			Example: `rpcgen: v1
methods:
  a/b: {stream: [a/changed]}
`},
		{Code: UnusedImport, Title: "An unused import",
			Explanation: "Nothing of the imported file is used. This is a warning.",
			Example: `rpcgen: v1
import: {common: common.rpc.yaml}
-- common.rpc.yaml --
rpcgen: v1
`},
		{Code: ImportCycle, Title: "Files that import each other",
			Explanation: "Go packages cannot import each other, so schemas cannot either.",
			Example: `rpcgen: v1
import: {other: other.rpc.yaml}
types:
  A: other.B
-- other.rpc.yaml --
rpcgen: v1
import: {main: main.rpc.yaml}
types:
  B: main.A
`},
	}
}
