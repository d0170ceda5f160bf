package diag

func typeCodes() []Info {
	return []Info{
		{Code: InvalidExpression, Title: "A type expression that cannot be read",
			Explanation: "expr = alt { \"|\" alt }, alt = name | alias.Name | list<expr> | map<expr> | alt[] | (expr).",
			Example: `rpcgen: v1
types:
  A: list<string
`},
		{Code: UnsupportedKeyword, Title: "JSON Schema that cannot become a Go type",
			Explanation: "The keyword says more than a Go type can. Use type: any, with x-schema to publish the full schema.",
			Example: `rpcgen: v1
types:
  A: {type: object, patternProperties: {}}
`},
		{Code: RemoteRef, Title: "A reference out of the file",
			Explanation: "$ref names a definition of this file. Other files are imported.",
			Example: `rpcgen: v1
types:
  A: {$ref: https://example.com/schema.json}
`},
		{Code: FieldsAndProperties, Title: "Two spellings of one object",
			Explanation: "Either `fields`, where every key is required unless it ends in ?, or JSON Schema's `properties` with `required`.",
			Example: `rpcgen: v1
types:
  A:
    fields: {a: string}
    properties: {b: {type: string}}
`},
		{Code: UnknownRequired, Title: "A required property that does not exist",
			Explanation: "`required` names properties of the object or of its bases.",
			Example: `rpcgen: v1
types:
  A:
    properties: {name: {type: string}}
    required: [nmae]
`},
		{Code: RecursiveType, Title: "A type that contains itself",
			Explanation: "A Go struct cannot hold itself by value. A list, a map, a union, null or an optional field breaks the cycle. A list or a map that may be null needs a name of its own to refer to itself.",
			Example: `rpcgen: v1
types:
  Node:
    fields:
      next: Node
`},
		{Code: ExtendsCycle, Title: "Bases that extend each other",
			Explanation: "The fields of a base are copied, so a base cannot depend on what extends it.",
			Example: `rpcgen: v1
types:
  A: {extends: B, fields: {a: string}}
  B: {extends: A, fields: {b: string}}
`},
		{Code: NotAnObject, Title: "A base without fields",
			Explanation: "Only objects with fields can be extended.",
			Example: `rpcgen: v1
types:
  A: {extends: B}
  B: string
`},
		{Code: MixinAsType, Title: "A mixin used as a type",
			Explanation: "A mixin has no Go type. It can only be extended.",
			Example: `rpcgen: v1
types:
  Page: {mixin: true, fields: {cursor: string}}
  A: {fields: {page: Page}}
`},
		{Code: InvalidTuple, Title: "A required element after one that may be missing",
			Explanation: "An array has no gaps: where an element is missing, those after it are missing as well.",
			Example: `rpcgen: v1
types:
  Point: {tuple: {x: int32, y?: int32, z: int32}}
`},
		{Code: FieldConflict, Title: "A field that is not a narrowing",
			Explanation: "A field of a base may be declared again to allow less, never more or something else.",
			Example: `rpcgen: v1
types:
  A: {fields: {id: string}}
  B: {extends: A, fields: {id: integer}}
`},
	}
}
