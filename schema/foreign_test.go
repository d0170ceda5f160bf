package schema_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/foreign"
)

// foreignPlaces are schemas with one place for what is written.
var foreignPlaces = map[string]string{
	foreign.OfType:        "types:\n  A: {fields: {a: %s}}",
	foreign.InSchema:      "types:\n  A: {fields: {a?: {%s}}}",
	foreign.OfField:       "types:\n  A: {fields: {%s}}",
	foreign.OfMember:      "types:\n  A: {type: object, %s}",
	foreign.OfOutput:      "server: {name: s, version: '1'}\ntools:\n  t: {%s}",
	"a tool":              "server: {name: s, version: '1'}\ntools:\n  t: {%s}",
	"hints":               "server: {name: s, version: '1'}\ntools:\n  t: {hints: {%s}}",
	"a question":          "server: {name: s, version: '1'}\ntools:\n  t: {asks: {q: {%s}}}",
	"an error of a tool":  "server: {name: s, version: '1'}\ntools:\n  t: {errors: {Gone: {%s}}}",
	"a resource":          "server: {name: s, version: '1'}\nresources:\n  r: {%s}",
	"a prompt":            "server: {name: s, version: '1'}\nprompts:\n  p: {%s}",
	"a method":            "errors:\n  Gone: {code: 5, message: gone}\nmethods:\n  m: {%s}",
	"an error":            "errors:\n  Gone: {code: 5, %s}",
	"a schema file":       "%s",
	"server":              "server: {name: s, version: '1', %s}",
	"a rate":              "methods:\n  m: {rate: {%s}}",
	"a cache":             "methods:\n  m: {cache: {%s}}",
	"a payload":           "types:\n  A: {fields: {a: string}}\nmethods:\n  m: {params: {%s}}",
	"a payload of a tool": "server: {name: s, version: '1'}\ntools:\n  t: {input: {%s}}",
	"lines":               "types:\n  A:\n    fields:\n      a: %s\n",
}

// foreignWords are mistakes with the one diagnostic that each gets, and what compiles when its hint is followed.
var foreignWords = []struct {
	place, wrong string
	code         diag.Code
	hint, right  string
}{
	{foreign.OfType, "int", diag.UnknownType, "write integer", "integer"},
	{foreign.OfType, "long", diag.UnknownType, "write int64", "int64"},
	{foreign.OfType, "int16", diag.UnknownType, "write int32", "int32"},
	{foreign.OfType, "uint8", diag.UnknownType, "write uint32", "uint32"},
	{foreign.OfType, "uint", diag.UnknownType, "write uint64", "uint64"},
	{foreign.OfType, "float", diag.UnknownType, "write number", "number"},
	{foreign.OfType, "double", diag.UnknownType, "write number", "number"},
	{foreign.OfType, "money", diag.UnknownType, "write decimal", "decimal"},
	{foreign.OfType, "bool", diag.UnknownType, "write boolean", "boolean"},
	{foreign.OfType, "str", diag.UnknownType, "write string", "string"},
	{foreign.OfType, "timestamp", diag.UnknownType, "write datetime", "datetime"},
	{foreign.OfType, "date-time", diag.UnknownType, "write datetime", "datetime"},
	{foreign.OfType, "Date", diag.UnknownType, "write datetime, or date for a day without a time", "datetime"},
	{foreign.OfType, "time", diag.UnknownType, "write datetime, or string with a pattern for a time of day", "datetime"},
	{foreign.OfType, "timedelta", diag.UnknownType, "write duration", "duration"},
	{foreign.OfType, "url", diag.UnknownType, "write uri", "uri"},
	{foreign.OfType, "uri-template", diag.UnknownType, "write uri_template", "uri_template"},
	{foreign.OfType, "guid", diag.UnknownType, "write uuid", "uuid"},
	{foreign.OfType, "EmailStr", diag.UnknownType, "write email", "email"},
	{foreign.OfType, "byte", diag.UnknownType, "write bytes, or uint32 for a number", "bytes"},
	{foreign.OfType, "blob", diag.UnknownType, "write bytes", "bytes"},
	{foreign.OfType, "dict", diag.UnknownType, "write map<any>, with the type of the values for any", "map<any>"},
	{foreign.OfType, "sequence", diag.UnknownType, "write list<any>, with the type of the elements for any", "list<any>"},
	{foreign.OfType, "unknown", diag.UnknownType, "write any", "any"},
	{foreign.OfType, "string | None", diag.UnknownType, "write null", "string | null"},
	{foreign.OfType, "set", diag.UnknownType, "write {list: string, uniqueItems: true}, with the type of the elements for string", "{list: string, uniqueItems: true}"},
	{foreign.OfType, "tuple", diag.UnknownType, "write {tuple: [string, integer]}, with the types of the elements in their order", "{tuple: [string, integer]}"},
	{foreign.OfType, "struct", diag.UnknownType, "write {fields: {name: string}} with its own fields, or the name of a type that is declared under types", "{fields: {name: string}}"},
	{foreign.OfType, "enum", diag.UnknownType, "write {enum: [a, b]} with its own values", "{enum: [a, b]}"},
	{foreign.OfType, "union", diag.UnknownType, "write string | integer, with its own types", "string | integer"},
	{foreign.OfType, "password", diag.UnknownType, "write {type: string, sensitive: true}", "{type: string, sensitive: true}"},
	{foreign.OfType, "regex", diag.UnknownType, "write {type: string, pattern: ^a} with its own pattern", "{type: string, pattern: ^a}"},
	{foreign.OfType, "ipv4", diag.UnknownType, "write string: the format ipv4 is not checked", "string"},
	{foreign.OfType, "optional", diag.UnknownType, "write string | null for a value that may be null, and end the name of a field that may be left out in ?", "string | null"},
	{foreign.OfType, "string | undefined", diag.UnknownType, "leave it out, and end the name of a field that may be left out in ?", "string"},
	{"a method", "result: void", diag.UnknownType, "leave the key out: without it, nothing is returned", "description: returns nothing"},
	{foreign.OfType, "time.Time", diag.UnknownAlias, "write datetime", "datetime"},
	{foreign.OfType, "json.RawMessage", diag.UnknownAlias, "write any", "any"},
	{foreign.OfType, "Optional[str]", diag.YAMLSyntax, "write string | null", "string | null"},
	{foreign.OfType, "Dict[str, List[int]]", diag.YAMLSyntax, "write map<list<integer>>", "map<list<integer>>"},
	{"lines", "Dict[str, List[int]]", diag.InvalidExpression, "write map<list<integer>>", "map<list<integer>>"},
	{"lines", "Record<string, number>", diag.InvalidExpression, "write map<number>", "map<number>"},
	{"lines", "Array<string | number>", diag.InvalidExpression, "write list<(string | number)>", "list<(string | number)>"},
	{"lines", "map[string]int", diag.InvalidExpression, "write map<integer>", "map<integer>"},
	{"lines", "map[string][]time.Time", diag.InvalidExpression, "write map<list<datetime>>", "map<list<datetime>>"},
	{"lines", "interface{}", diag.InvalidExpression, "write any", "any"},
	{"lines", "[]string", diag.YAMLSyntax, "write list<string>", "list<string>"},
	{"lines", "[]byte", diag.YAMLSyntax, "write bytes", "bytes"},
	{"lines", "*string", diag.YAMLAlias, "write string | null", "string | null"},
	{"lines", "string?", diag.InvalidExpression, "write string | null; the name of a field that may be left out ends in ?", "string | null"},
	{"lines", `"open" | "done"`, diag.YAMLSyntax, "write {enum: [open, done]}", "{enum: [open, done]}"},
	{"lines", `Literal["open", "done"]`, diag.InvalidExpression, "write {enum: [open, done]}", "{enum: [open, done]}"},
	{"lines", "Union[str, int]", diag.InvalidExpression, "write string | integer", "string | integer"},
	{"lines", "Set<int>", diag.InvalidExpression, "write {list: integer, uniqueItems: true}", "{list: integer, uniqueItems: true}"},
	{"lines", "Tuple[str, int]", diag.InvalidExpression, "write {tuple: [string, integer]}", "{tuple: [string, integer]}"},
	{foreign.OfOutput, "output: image", diag.UnknownType, "write content: image in place of output: it is a content block, and no structured output", "content: image"},
	{foreign.OfOutput, "output: file", diag.UnknownType, "write content: image (or audio, resource) in place of output, for a content block", "content: image"},

	{foreign.OfField, "n: {type: string, optional: true}", diag.UnknownKey, "write n? in place of n, and leave optional out", "n?: {type: string}"},
	{foreign.OfField, "n: {type: integer, required: false}", diag.UnknownKey, "write n? in place of n, and leave required out", "n?: {type: integer}"},
	{foreign.OfField, "n: {type: integer, required: true}", diag.UnknownKey, "leave it out: a field is required unless its name ends in ?", "n: {type: integer}"},
	{foreign.OfMember, "properties: {n: {type: integer, optional: true}}", diag.UnknownKey, "leave it out: a property is optional unless required names it", "properties: {n: {type: integer}}"},
	{foreign.OfMember, "properties: {n: {type: integer, required: true}}", diag.UnknownKey, "write required: [n] next to properties", "properties: {n: {type: integer}}, required: [n]"},
	{foreign.InSchema, "list: {type: string, optional: true}", diag.UnknownKey, "leave it out: the name of a field that may be left out ends in ?", "list: {type: string}"},
	{foreign.InSchema, "type: string, nullable: true", diag.UnknownKey, "write type: string | null", "type: string | null"},
	{foreign.InSchema, "fields: {b: string}, nullable: true", diag.UnknownKey, "declare it under types, and write its name | null", "type: any"},
	{foreign.InSchema, "type: string, nullable: false", diag.UnknownKey, "leave it out: a value may be null only if its type says | null", "type: string"},
	{foreign.InSchema, "type: integer, min: 1", diag.UnknownKey, "write minimum: 1", "type: integer, minimum: 1"},
	{foreign.InSchema, "type: string, min: 1", diag.UnknownKey, "write minLength: 1", "type: string, minLength: 1"},
	{foreign.InSchema, "type: list<string>, min: 1", diag.UnknownKey, "write minItems: 1", "type: list<string>, minItems: 1"},
	{foreign.InSchema, "type: map<string>, max: 9", diag.UnknownKey, "write maxProperties: 9", "type: map<string>, maxProperties: 9"},
	{foreign.InSchema, "type: integer, le: 9", diag.UnknownKey, "write maximum: 9", "type: integer, maximum: 9"},
	{foreign.InSchema, "type: integer, gt: 0", diag.UnknownKey, "write exclusiveMinimum: 0", "type: integer, exclusiveMinimum: 0"},
	{foreign.InSchema, "type: integer, lt: 9", diag.UnknownKey, "write exclusiveMaximum: 9", "type: integer, exclusiveMaximum: 9"},
	{foreign.InSchema, "type: string, minimum_length: 1", diag.UnknownKey, "write minLength: 1", "type: string, minLength: 1"},
	{foreign.InSchema, "type: string, maximum_length: 9", diag.UnknownKey, "write maxLength: 9", "type: string, maxLength: 9"},
	{foreign.InSchema, "type: list<string>, min_count: 1", diag.UnknownKey, "write minItems: 1", "type: list<string>, minItems: 1"},
	{foreign.InSchema, "type: list<string>, max_count: 9", diag.UnknownKey, "write maxItems: 9", "type: list<string>, maxItems: 9"},
	{foreign.InSchema, "type: string, length: 2", diag.UnknownKey, "write minLength: 2, maxLength: 2", "type: string, minLength: 2, maxLength: 2"},
	{foreign.InSchema, "type: string, regex: '^[a-z]+$'", diag.UnknownKey, "write pattern: '^[a-z]+$'", "type: string, pattern: '^[a-z]+$'"},
	{foreign.InSchema, "type: integer, step: 5", diag.UnknownKey, "write multipleOf: 5", "type: integer, multipleOf: 5"},
	{foreign.InSchema, "type: list<string>, unique: true", diag.UnknownKey, "write uniqueItems: true", "type: list<string>, uniqueItems: true"},
	{foreign.InSchema, "type: string, choices: [a, b]", diag.UnknownKey, "write enum: [a, b]", "type: string, enum: [a, b]"},
	{foreign.InSchema, "type: string, constant: a", diag.UnknownKey, "write const: a", "type: string, const: a"},
	{foreign.InSchema, "type: string, default_value: a", diag.UnknownKey, "write default: a", "type: string, default: a"},
	{foreign.InSchema, "type: string, example: a", diag.UnknownKey, "write examples: [a]", "type: string, examples: [a]"},
	{foreign.InSchema, "type: string, summary: A word.", diag.UnknownKey, "write description: A word.", "type: string, description: A word."},
	{foreign.InSchema, "kind: string", diag.UnknownKey, "write type: string", "type: string"},
	{foreign.InSchema, "ref: A", diag.UnknownKey, "write type: A, with the name of a declared type", "type: A"},
	{foreign.InSchema, "$ref: '#/components/schemas/A'", diag.RemoteRef, "write $ref: '#/types/A', with A declared under types", "$ref: '#/types/A'"},
	{foreign.InSchema, "props: {b: string}", diag.UnknownKey, "write fields in place of props", "fields: {b: string}"},
	{foreign.InSchema, "type: array, elements: string", diag.UnknownKey, "write items: string", "type: array, items: string"},
	{foreign.InSchema, "inherits: A, fields: {b?: string}", diag.UnknownKey, "write extends: A", "fields: {b?: string}"},
	{foreign.InSchema, "variants: [string, integer]", diag.UnknownKey, "write union: [string, integer]", "union: [string, integer]"},
	{foreign.InSchema, "type: string | integer, discriminator: kind", diag.UnknownKey, "write by: kind", "type: string | integer"},
	{foreign.InSchema, "type: string, secret: true", diag.UnknownKey, "write sensitive: true", "type: string, sensitive: true"},
	{foreign.InSchema, "type: string, readOnly: true", diag.UnknownKey, "write x-readOnly: true to keep it as a remark: the language has no word for it", "type: string, x-readOnly: true"},
	{foreign.InSchema, "type: string, definitions: {}", diag.UnknownKey, "declare the types under types, at the top of the file", "type: string"},
	{foreign.InSchema, "type: string, $schema: x", diag.UnknownKey, "leave it out: rpcgen: v1 at the top of the file says the language", "type: string"},

	{"a tool", "annotations: {readOnlyHint: true}", diag.UnknownKey, "write hints in place of annotations, with readOnly, destructive, idempotent or openWorld", "hints: {readOnly: true}"},
	{"a tool", "readOnlyHint: true", diag.UnknownKey, "write hints: {readOnly: true}", "hints: {readOnly: true}"},
	{"a tool", "destructiveHint: false", diag.UnknownKey, "write hints: {destructive: false}", "hints: {destructive: false}"},
	{"a tool", "idempotentHint: true", diag.UnknownKey, "write hints: {idempotent: true}", "hints: {idempotent: true}"},
	{"a tool", "openWorldHint: true", diag.UnknownKey, "write hints: {openWorld: true}", "hints: {openWorld: true}"},
	{"a tool", "parameters: {q: string}", diag.UnknownKey, "write input in place of parameters: fields by name, each required unless its name ends in ?", "input: {q: string}"},
	{"a tool", "arguments: {q: string}", diag.UnknownKey, "write input in place of arguments: fields by name, each required unless its name ends in ?", "input: {q: string}"},
	{"a tool", "args: {q: string}", diag.UnknownKey, "write input in place of args: fields by name, each required unless its name ends in ?", "input: {q: string}"},
	{"a tool", "inputSchema: {type: object, properties: {q: {type: string}}}", diag.MissingKey, "write input in place of inputSchema: fields by name, each required unless its name ends in ?", "input: {q?: string}"},
	{"a tool", "outputSchema: {n: integer}", diag.UnknownKey, "write output in place of outputSchema: fields by name", "output: {n: integer}"},
	{"a tool", "returns: {n: integer}", diag.UnknownKey, "write output in place of returns: fields by name", "output: {n: integer}"},
	{"a tool", "response: {n: integer}", diag.UnknownKey, "write output in place of response: fields by name", "output: {n: integer}"},
	{"a tool", "elicits: {q: {message: Sure, form: {ok: boolean}}}", diag.UnknownKey, "write asks in place of elicits: questions by name, each with message and form", "asks: {q: {message: Sure, form: {ok: boolean}}}"},
	{"a tool", "execution: {taskSupport: optional}", diag.UnknownKey, "write task: optional, or required", "task: optional"},
	{"a tool", "throws: {Gone: {message: gone}}", diag.UnknownKey, "write errors in place of throws", "errors: {Gone: {message: gone}}"},
	{"a tool", "_meta: {a: 1}", diag.UnknownKey, "write meta in place of _meta", "meta: {a: 1}"},
	{"a tool", "summary: Searches.", diag.UnknownKey, "write description in place of summary", "description: Searches."},
	{"a tool", "required: [q]", diag.UnknownKey, "leave it out: a field is required unless its name ends in ?", "title: t"},
	{"a tool", "name: t", diag.UnknownKey, "leave it out: the key of the tool is its name, and title is its name for people", "title: t"},
	{"hints", "readOnlyHint: true", diag.UnknownKey, "write readOnly: true", "readOnly: true"},
	{"hints", "destructiveHint: true", diag.UnknownKey, "write destructive: true", "destructive: true"},
	{"hints", "idempotentHint: true", diag.UnknownKey, "write idempotent: true", "idempotent: true"},
	{"hints", "openWorldHint: false", diag.UnknownKey, "write openWorld: false", "openWorld: false"},
	{"a question", "message: Sure, form: {ok: boolean}, text: x", diag.UnknownKey, "write message in place of text", "message: Sure, form: {ok: boolean}"},
	{"a question", "message: Sure, form: {ok: boolean}, requestedSchema: {}", diag.UnknownKey, "write form in place of requestedSchema: fields by name", "message: Sure, form: {ok: boolean}"},
	{"an error of a tool", "msg: gone", diag.UnknownKey, "write message in place of msg", "message: gone"},
	{"an error of a tool", "details: {id: string}", diag.UnknownKey, "write data in place of details: fields by name", "data: {id: string}"},

	{"a method", "parameters: {q: string}", diag.UnknownKey, "write params in place of parameters: a type, or fields by name", "params: {q: string}"},
	{"a method", "response: {n: integer}", diag.UnknownKey, "write result in place of response: a type, or fields by name", "result: {n: integer}"},
	{"a method", "returns: string", diag.UnknownKey, "write result in place of returns: a type, or fields by name", "result: string"},
	{"a method", "throws: [Gone]", diag.UnknownKey, "write errors in place of throws: a list of names of errors", "errors: [Gone]"},
	{"a method", "summary: Does it.", diag.UnknownKey, "write description in place of summary", "description: Does it."},
	{"a method", "paramStructure: by-name", diag.UnknownKey, "write paramsBy in place of paramStructure: name, position or either", "params: {a: string}, paramsBy: name"},
	{"a method", "notification: true", diag.UnknownKey, "leave it out, and declare the method under notifications", "description: x"},
	{"a method", "name: m", diag.UnknownKey, "leave it out: the key of the method is its name", "description: x"},
	{"an error", "msg: gone", diag.UnknownKey, "write message in place of msg", "message: gone"},
	{"an error", "message: gone, status: 404", diag.UnknownKey, "write http: 404", "message: gone, http: 404"},
	{"an error", "message: gone, details: {id: string}", diag.UnknownKey, "write data in place of details: a type, or fields by name", "message: gone, data: {id: string}"},
	{"an error", "message: gone, retryable: true", diag.UnknownKey, "write retry: true", "message: gone, retry: true"},
	{"a resource", "uri: 'a://b', content: string, url: 'a://b'", diag.UnknownKey, "write uri in place of url", "uri: 'a://b', content: string"},
	{"a resource", "uri: 'a://b', content: string, template: 'a://{b}'", diag.UnknownKey, "write uriTemplate in place of template", "uriTemplate: 'a://{b}', content: string"},
	{"a resource", "uri: 'a://b', content: string, contentType: text/plain", diag.UnknownKey, "write mimeType in place of contentType", "uri: 'a://b', content: string, mimeType: text/plain"},
	{"a resource", "uriTemplate: 'a://{b}', content: string, parameters: {b: string}", diag.UnknownKey, "write params in place of parameters: the variables of uriTemplate", "uriTemplate: 'a://{b}', content: string, params: {b: string}"},
	{"a resource", "uri: 'a://b', content: string, blob: x", diag.UnknownKey, "write content in place of blob: string, bytes, or another type for JSON", "uri: 'a://b', content: bytes"},
	{"a prompt", "parameters: {q: string}", diag.UnknownKey, "write arguments in place of parameters: fields of text", "arguments: {q: string}"},
	{"a prompt", "messages: []", diag.UnknownKey, "leave it out: the handler returns the messages", "description: x"},

	{"a schema file", "definitions: {A: {fields: {a: string}}}", diag.UnknownKey, "write types in place of definitions: types by name", "types: {A: {fields: {a: string}}}"},
	{"a schema file", "endpoints: {m: {}}", diag.UnknownKey, "write methods in place of endpoints: methods by name", "methods: {m: {}}"},
	{"a schema file", "events: {m: {}}", diag.UnknownKey, "write notifications in place of events: notifications by name", "notifications: {m: {}}"},
	{"a schema file", "includes: []", diag.UnknownKey, "write import in place of includes: files by alias", "import: {}"},
	{"a schema file", "exceptions: {Gone: {code: 5}}", diag.UnknownKey, "write errors in place of exceptions: errors by name", "errors: {Gone: {code: 5, message: gone}}"},
	{"a schema file", "name: shop", diag.UnknownKey, "write package: shop, or server: with name and version for an MCP server", "package: shop"},
	{"a schema file", "mcp: true", diag.UnknownKey, "write use: [mcp]", "use: [mcp]"},
	{"a schema file", "version: '1'", diag.UnknownKey, "leave it out: rpcgen: v1 is the version of the language, and an MCP server says its own under server", "package: shop"},
	{"a schema file", "instructions: Be kind.", diag.UnknownKey, "write server: {instructions: Be kind.}, with name and version", "server: {instructions: Be kind., name: s, version: '1'}"},
	{"server", "instruction: x", diag.UnknownKey, "write instructions in place of instruction", "instructions: x"},
	{"server", "protocolVersion: 2025-11-25", diag.UnknownKey, "write revisions: [2025-11-25]", "revisions: [2025-11-25]"},
	{"server", "capabilities: {}", diag.UnknownKey, "leave it out: they follow from what the schema declares", "title: x"},
	{"a rate", "calls: 5, limit: 5", diag.UnknownKey, "write calls: 5", "calls: 5"},
	{"a rate", "calls: 5, window: 1m", diag.UnknownKey, "write per: 1m", "calls: 5, per: 1m"},
	{"a rate", "calls: 5, by: user", diag.UnknownKey, "write each: principal, session or server", "calls: 5, each: principal"},
	{"a cache", "ttl: 1m, maxAge: 60", diag.UnknownKey, "write ttl in place of maxAge: a duration such as 1m", "ttl: 1m"},

	// Schemas where fields belong.
	{"a payload of a tool", "type: object, properties: {q: {type: string}, n: {type: int}}, required: [q]", diag.WrongKind, "write input: {q: string, n?: integer}", "q: string, n?: integer"},
	{"a payload of a tool", "type: object, properties: {q: string}", diag.WrongKind, "write input: {q?: string}", "q?: string"},
	{"a payload", "fields: {q: string, n?: integer}", diag.WrongKind, "write params: {q: string, n?: integer}", "q: string, n?: integer"},
	{"a payload", "properties: {q: string}", diag.WrongKind, "write params: {q?: string}", "q?: string"},
	{"a payload", "type: object, fields: {q: {type: string, minLength: 1}}", diag.WrongKind, "declare the schema under types, and write params: with its name", "q: {type: string, minLength: 1}"},
	{"a payload", "type: array, items: string", diag.WrongKind, "declare the schema under types, and write params: with its name", "items: list<string>"},
	{"a payload", "$ref: '#/types/A'", diag.WrongKind, "write params: A", "a: string"},
	{"a payload", "q: {a: string}", diag.UnknownKey, "fields of an object stand below fields:", "q: {fields: {a: string}}"},
}

func foreignFaults(place, text string) diag.List {
	schema := "rpcgen: v1\n"
	if !strings.Contains(text, "package:") {
		schema += "package: test\n"
	}
	if strings.Contains(foreignPlaces[place]+text, "server: ") {
		schema += "use: [mcp]\n"
	}
	_, faults, _ := load(map[string]string{"main.rpc.yaml": schema + fmt.Sprintf(foreignPlaces[place], text) + "\n"}, "main.rpc.yaml")
	return slices.DeleteFunc(faults, func(d diag.Diagnostic) bool { return d.Severity == diag.Warning })
}

// TestForeignWords: a word of another language gets the word of this one, in a single diagnostic, and what its hint says to write compiles.
func TestForeignWords(t *testing.T) {
	for _, w := range foreignWords {
		faults := foreignFaults(w.place, w.wrong)
		if len(faults) != 1 || faults[0].Code != w.code || faults[0].Help != w.hint {
			t.Errorf("%s: %s\n  got  %+v\n  want %s: %s", w.place, w.wrong, faults, w.code, w.hint)
		}
		if faults := foreignFaults(w.place, w.right); len(faults) > 0 {
			t.Errorf("%s: %s does not compile: %v", w.place, w.right, faults)
		}
	}
}

// TestEveryForeignWord: every entry of the table is in the list above, each of its words once only, and every type that it says to write compiles.
func TestEveryForeignWord(t *testing.T) {
	type key struct{ place, word string }
	seen := map[key]bool{}
	for _, w := range foreign.Words() {
		tested := false
		for word := range strings.FieldsSeq(w.Words) {
			if k := (key{w.Place, strings.ToLower(word)}); seen[k] {
				t.Errorf("%s: %s is there twice", w.Place, word)
			} else {
				seen[k] = true
			}
			word, value, _ := strings.Cut(word, "=")
			for _, row := range foreignWords {
				tested = tested || (row.place == w.Place || w.Place == foreign.OfType && row.place == "a method") && hasWord(row.wrong, word)
			}
			advice := foreign.Advice(w.Place, foreign.Written{Word: word, Value: cmp.Or(value, "1"), Type: "string", Field: "f"})
			if advice == "" || strings.ContainsAny(advice, "{}") && strings.Contains(advice, "{value}") {
				t.Errorf("%s: %s has the advice %q", w.Place, word, advice)
			}
			if w.Place != foreign.OfType || w.Write == "" || word == "date" || word == "any" || word == "interface{}" {
				continue
			}
			if faults := foreignFaults(w.Place, word); len(faults) != 1 || faults[0].Help != advice {
				t.Errorf("%s: %v, want %s", word, faults, advice)
			}
			write, ok := foreign.Type(word)
			if faults := foreignFaults(w.Place, write); !ok || len(faults) > 0 {
				t.Errorf("%s: %q does not compile: %v", word, write, faults)
			}
		}
		if !tested {
			t.Errorf("no test has one of the words %q for %s", w.Words, w.Place)
		}
	}
	if len(foreign.Words()) < 30 {
		t.Errorf("%d entries", len(foreign.Words()))
	}
}

func hasWord(text, word string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" {}:,|", r) }), func(w string) bool { return strings.EqualFold(w, word) })
}

// TestForeignNames: declared names, and fields that are called like keys of schemas, are not taken for words of other languages.
func TestForeignNames(t *testing.T) {
	for _, schema := range []string{
		"types:\n  int: {fields: {a: string}}\n  A: {fields: {b: int}}",
		"methods:\n  m: {params: {type: string, properties: {type: string}, items: list<string>}}",
		"methods:\n  m: {params: {type: string, fields: list<string>}, result: {properties: any, title: string}}",
		"methods:\n  m: {params: {fields: {fields: {a: string}}}}",
	} {
		if faults := foreignFaults("a schema file", schema); len(faults) > 0 {
			t.Errorf("%s\n%v", schema, faults)
		}
	}
	faults := foreignFaults(foreign.InSchema, "type: str, nullable: true") // both are wrong, and each says so
	if len(faults) != 2 || faults[0].Help != "write string" || faults[1].Help != "write type: string | null" {
		t.Errorf("%+v", faults)
	}
	faults = foreignFaults("a schema file", "types:\n  Str: {fields: {a: string}}\n  A: {fields: {b: str}}")
	if len(faults) != 1 || faults[0].Help != `did you mean "Str"?` {
		t.Errorf("%+v", faults)
	}
}

// TestForeignTypes: expressions that no advice is known for get none, and nothing takes long.
func TestForeignTypes(t *testing.T) {
	for _, text := range []string{"", "string", "list<string>", "A | B", "Foo<Bar>", "[]", "map[", "Array<", "set<set<string>>", "[]set[string]", "a b", "string[]",
		strings.Repeat("[]", 10_000) + "int", strings.Repeat("Array<", 10_000), strings.Repeat("int|", 10_000), `"a" | b`, `"a`, "*", "**", "?"} {
		if write, ok := foreign.Type(text); ok {
			t.Errorf("%.40q becomes %.40q", text, write)
		}
	}
}
