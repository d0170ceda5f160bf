package importer_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/templates"
	"github.com/rpcgen-go/rpcgen/templates/typescript"
)

// What may be allocated, in all, for a source of so many bytes: what takes about 3 seconds of processor time, and 4 more for each MB.
const (
	mostAllocated   = 800 << 20
	allocatedForOne = 1200 // bytes for each byte
)

// costs fails t if work allocates more than a text of some bytes may cost.
func costs(t testing.TB, name string, size int, work func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	work()
	runtime.ReadMemStats(&after)
	if got, most := after.TotalAlloc-before.TotalAlloc, uint64(mostAllocated+allocatedForOne*size); got > most {
		t.Errorf("%s: %d MB are allocated for %d bytes, and %d MB may be", name, got>>20, size, most>>20)
	}
}

// each writes a part n times with its number, separated by commas.
func each(n int, part string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		part := strings.NewReplacer("TYPE_MESSAGE", "TYPE_MESSAGE", "typeName", "typeName", "N", fmt.Sprint(i+1), "M", fmt.Sprint(i), "TYPE_STRING", "TYPE_STRING", "TYPE_", "TYPE_").Replace(part)
		b.WriteString(part)
	}
	return b.String()
}

// nested writes a schema around another one, n times.
func nested(n int, before, inner, after string) string {
	return strings.Repeat(before, n) + inner + strings.Repeat(after, n)
}

// shapes are definitions, of which the first is S0, or one is called A, that cost much where work multiplies. N is the number of a definition, and M that of the one before.
var shapes = map[string]string{
	"deep objects":       `"A": ` + nested(100, `{"type": "object", "properties": {"a": `, `{"type": "string"}`, `}}`),
	"deep lists":         `"A": ` + nested(200, `{"type": "array", "items": `, `{"type": "string"}`, `}`),
	"deep allOf":         `"A": ` + nested(200, `{"allOf": [`, `{"type": "string"}`, `]}`),
	"deep anyOf":         `"A": ` + nested(100, `{"anyOf": [{"type": "null"}, `, `{"type": "string"}`, `]}`),
	"deep not":           `"A": ` + nested(200, `{"not": `, `{"type": "string"}`, `}`),
	"doubled allOf":      `"S0": {"type": "object"}, ` + each(25, `"SN": {"allOf": [{"$ref": "#/$defs/SM"}, {"$ref": "#/$defs/SM"}]}`),
	"doubled anyOf":      `"S0": {"type": "string"}, ` + each(25, `"SN": {"anyOf": [{"$ref": "#/$defs/SM"}, {"type": "array", "items": {"$ref": "#/$defs/SM"}}]}`),
	"doubled oneOf":      `"S0": {"type": "string", "maxLength": 3}, ` + each(25, `"SN": {"oneOf": [{"$ref": "#/$defs/SM"}, {"not": {"$ref": "#/$defs/SM"}}]}`),
	"doubled properties": `"S0": {"type": "object", "properties": {"b": {"type": "string"}}}, ` + each(25, `"SN": {"type": "object", "properties": {"a": {"$ref": "#/$defs/SM"}, "b": {"allOf": [{"$ref": "#/$defs/SM"}, {"$ref": "#/$defs/SM"}]}}}`),
	"a chain":            `"S0": {"type": "string"}, ` + each(900, `"SN": {"$ref": "#/$defs/SM"}`),
	"a chain of raw":     `"S0": {"not": {"type": "string"}}, ` + each(900, `"SN": {"not": {"$ref": "#/$defs/SM"}}`),
	"a chain of bases":   `"S0": {"type": "object", "properties": {"a": {"type": "string"}}}, ` + each(100, `"SN": {"allOf": [{"$ref": "#/$defs/SM"}, {"type": "object", "properties": {"pN": {"type": "string"}}}]}`),
	"unions multiplied":  `"A": {"allOf": [` + each(20, `{"oneOf": [{"type": "object", "properties": {"aN": {"const": 1}}, "required": ["aN"]}, {"type": "object", "properties": {"bN": {"const": 1}}, "required": ["bN"]}]}`) + `]}`,
	"many branches":      `"A": {"anyOf": [` + each(450, `{"type": "object", "properties": {"kind": {"const": "kN"}, "vN": {"type": "string"}}, "required": ["kind"]}`) + `]}`,
	"alike branches":     `"A": {"oneOf": [` + each(450, `{"type": "object", "properties": {"vN": {"type": "string"}, "w": {"type": "integer"}}}`) + `]}`,
	"branches of many":   `"A": {"oneOf": [` + each(60, `{"type": "object", "properties": {`+each(60, `"pN": {"type": "string", "maxLength": N}`)+`}, "required": ["p1"]}`) + `]}`,
	"a large enum":       `"A": {"enum": [` + each(20000, `"wordN"`) + `]}`,
	"large enums":        `"A": {"anyOf": [` + each(40, `{"enum": [`+each(400, `"wordN"`)+`]}`) + `]}`,
	"long keys":          `"A": {"type": "object", "properties": {` + each(20, `"kN`+strings.Repeat("k", 5000)+`": {"type": "string"}`) + `}}`,
	"long names":         each(20, `"TN`+strings.Repeat("T", 5000)+`": {"type": "object", "properties": {"a": {"enum": ["x", "y"]}}}`),
	"many properties":    `"A": {"type": "object", "properties": {` + each(4000, `"pN": {"type": "string"}`) + `}}`,
	"many definitions":   each(4000, `"DN": {"type": "object", "properties": {"a": {"type": "string"}}}`),
	"each refers to all": each(70, `"DN": {"type": "object", "properties": {`+strings.ReplaceAll(each(70, `"pN": {"$ref": "#/$defs/DN"}`), "\x00", "")+`}}`),
	"patterns":           `"A": {"type": "object", "properties": {` + each(100, `"pN": {"type": "string", "pattern": "^(([a-z]{1,30}){1,30}x?){1,30}$"}`) + `}}`,
	"patterns alike":     `"A": {"oneOf": [` + each(40, `{"type": "string", "pattern": "^a{0,N}[a-z]{0,300}(b|c){0,300}$"}`) + `]}`,
	"a long pattern":     `"A": {"type": "string", "pattern": "^(` + strings.Repeat("[a-c]{1,9}|", 3000) + `z)$"}`,
	"lookaheads":         `"A": {"type": "string", "pattern": "^` + strings.Repeat("(?=.*[a-z])", 500) + `.*$"}`,
	"pattern properties": `"A": {"type": "object", "patternProperties": {` + each(300, `"^pN": {"type": "string"}`) + `}, "additionalProperties": false}`,
	"dependent schemas":  `"A": {"type": "object", "properties": {` + each(100, `"pN": {"type": "string"}`) + `}, "dependentSchemas": {` + each(100, `"pN": {"$ref": "#/$defs/A"}`) + `}}`,
	"conditions":         `"A": ` + nested(100, `{"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": `, `{}`, `}`),
	"unnamed targets":    `"B": {"type": "object", "properties": {` + each(1500, `"pN": {"type": "string", "maxLength": N}`) + `}}, "A": {"not": {"anyOf": [` + each(1500, `{"$ref": "#/$defs/B/properties/pN"}`) + `]}}`,
	"circles":            each(150, `"DN": {"anyOf": [{"$ref": "#/$defs/DM"}, {"type": "array", "items": {"$ref": "#/$defs/D1"}}, {"type": "string"}]}`) + `, "D0": {"$ref": "#/$defs/D150"}`,
	"dynamic anchors":    each(60, `"DN": {"$id": "dN", "$dynamicAnchor": "a", "allOf": [{"$ref": "dM"}, {"items": {"$dynamicRef": "#a"}}]}`) + `, "D0": {"$id": "d0", "$dynamicAnchor": "a"}`,
	"many in allOf":      `"A": {"allOf": [` + each(300, `{"type": "object", "properties": {`+each(40, `"pN": {"type": "string"}`)+`}}`) + `]}`,
	"limits":             `"A": {"allOf": [` + each(3000, `{"type": "integer", "minimum": N}`) + `]}`,
	"unevaluated":        `"A": ` + nested(60, `{"unevaluatedProperties": false, "anyOf": [{"properties": {"a": {"type": "string"}}}, `, `{}`, `]}`),
	"tuples":             `"A": {"type": "array", "prefixItems": [` + each(2000, `{"type": "array", "prefixItems": [{"const": N}, {"type": "string"}]}`) + `], "items": false}`,
	"examples":           `"A": {"type": "object", "properties": {"a": {"type": "string"}}, "examples": [` + each(5000, `{"a": "eN"}`) + `]}`,
}

// formats write definitions as sources of one format.
var formats = map[string]func(definitions string) importer.Source{
	"schema": func(d string) importer.Source {
		return importer.Source{Name: "a.json", Text: []byte(`{"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": {` + d + `}}`)}
	},
	"tools": func(d string) importer.Source {
		s := `{"type": "object", "properties": {"x": ` + first(d) + `}, "$defs": {` + d + `}}`
		return importer.Source{Name: "a.json", Text: []byte(`{"tools": [{"name": "a", "inputSchema": ` + s + `, "outputSchema": ` + s + `}]}`)}
	},
	"openrpc": func(d string) importer.Source {
		d = strings.ReplaceAll(d, "#/$defs/", "#/components/schemas/")
		ref := strings.ReplaceAll(first(d), "#/$defs/", "#/components/schemas/")
		return importer.Source{Name: "a.json", Text: []byte(`{"openrpc": "1.4.0", "info": {"title": "A", "version": "1"}, "methods": [{"name": "a", "params": [{"name": "x", "schema": ` + ref + `}],
			"result": {"name": "r", "schema": ` + ref + `}}], "components": {"schemas": {` + d + `}}}`)}
	},
	"openapi": func(d string) importer.Source {
		d = strings.ReplaceAll(d, "#/$defs/", "#/components/schemas/")
		ref := strings.ReplaceAll(first(d), "#/$defs/", "#/components/schemas/")
		return importer.Source{Name: "a.json", Text: []byte(`{"openapi": "3.1.0", "info": {"title": "A", "version": "1"}, "servers": [{"url": "https://a.example"}], "paths": {"/a": {"post": {"operationId": "a",
			"parameters": [{"name": "q", "in": "query", "schema": ` + ref + `}], "requestBody": {"content": {"application/json": {"schema": ` + ref + `}}},
			"responses": {"200": {"description": "ok", "content": {"application/json": {"schema": ` + ref + `}}}}}}}, "components": {"schemas": {` + d + `}}}`)}
	},
}

// first refers to the last of some definitions.
func first(definitions string) string {
	name := "A"
	for _, is := range []string{"S25", "S100", "S900", "D70", "D4000", "D150", "D60"} {
		if strings.Contains(definitions, `"`+is+`": `) {
			name = is
		}
	}
	return `{"$ref": "#/$defs/` + name + `"}`
}

// metaModels and sets are sources of the formats that have no JSON Schema, made like the shapes.
var metaModels = map[string]string{
	"deep":       `"typeAliases": [{"name": "A", "type": ` + nested(200, `{"kind": "array", "element": `, `{"kind": "base", "name": "string"}`, `}`) + `}]`,
	"doubled or": `"typeAliases": [{"name": "S0", "type": {"kind": "base", "name": "string"}}, ` + each(25, `{"name": "SN", "type": {"kind": "or", "items": [{"kind": "reference", "name": "SM"}, {"kind": "array", "element": {"kind": "reference", "name": "SM"}}]}}`) + `]`,
	"bases":      `"structures": [{"name": "S0", "properties": []}, ` + each(100, `{"name": "SN", "extends": [{"kind": "reference", "name": "SM"}], "mixins": [{"kind": "reference", "name": "SM"}], "properties": [{"name": "pN", "type": {"kind": "base", "name": "string"}}]}`) + `]`,
	"literals":   `"typeAliases": [{"name": "A", "type": ` + nested(60, `{"kind": "literal", "value": {"properties": [{"name": "a", "type": `, `{"kind": "base", "name": "string"}`, `}]}}`) + `}]`,
	"values":     `"enumerations": [{"name": "E", "type": {"kind": "base", "name": "string"}, "values": [` + each(5000, `{"name": "VN", "value": "vN"}`) + `]}]`,
	"requests":   `"requests": [` + each(2000, `{"method": "mN", "messageDirection": "both", "result": {"kind": "base", "name": "null"}}`) + `]`,
}

var sets = map[string]string{
	"doubled": each(25, `{"name": "SN", "field": [{"name": "a", "type": "TYPE_MESSAGE", "typeName": ".p.SM"}, {"name": "b", "type": "TYPE_MESSAGE", "typeName": ".p.SM", "label": "LABEL_REPEATED"}]}`),
	"wide":    each(25, `{"name": "SN", "field": [`+each(200, `{"name": "fN", "type": "TYPE_STRING", "oneofIndex": 0}`)+`]}`),
	"circles": each(25, `{"name": "SN", "field": [{"name": "a", "type": "TYPE_MESSAGE", "typeName": ".p.S25"}, {"name": "b", "type": "TYPE_MESSAGE", "typeName": ".p.SM"}]}`),
	"nested":  nested(60, `{"name": "S25", "nestedType": [`, `{"name": "S"}`, `]}`) + `, {"name": "S1"}`,
}

// setOf is a descriptor set whose service takes the last of some messages, and answers it.
func setOf(messages string) string {
	return `{"file": [{"name": "a.proto", "package": "p", "messageType": [{"name": "S0"}, ` + messages + `], "service": [{"name": "S", "method": [` +
		each(20, `{"name": "mN", "inputType": ".p.S0", "outputType": ".p.S0"}`) + `, {"name": "last", "inputType": ".p.S1", "outputType": ".p.S25"}]}]}]}`
}

// fuzzCosts measures the imports of sources of a format. Those that are wrong cost no more.
func fuzzCosts(f *testing.F, format string) {
	for _, d := range shapes {
		f.Add(string(formats[format](d).Text))
	}
	f.Fuzz(func(t *testing.T, text string) { measured(t, text, importer.APIOptions{}) })
}

// backendShapes are those of which code is generated, and imported is what they became as lists of tools, by their texts: they are imported once.
var (
	backendShapes = []string{"tuples", "patterns", "patterns alike", "many branches", "doubled properties", "deep objects", "deep anyOf", "large enums", "long keys", "unevaluated", "each refers to all"}
	imported      = map[string]*importer.Result{}
)

func init() {
	for _, shape := range backendShapes {
		imported[string(formats["tools"](shapes[shape]).Text)] = nil
	}
}

// measured imports a source, and measures what that costs.
func measured(t testing.TB, text string, api importer.APIOptions) (result *importer.Result) {
	t.Helper()
	result, kept := imported[text]
	if result != nil {
		return result
	}
	costs(t, "the import", len(text), func() {
		result, _ = importer.Import(importer.Source{Name: "a.json", Text: []byte(text)}, importer.Options{API: api})
	})
	if kept {
		imported[text] = result
	}
	return result
}

func FuzzSchemaCosts(f *testing.F)  { fuzzCosts(f, "schema") }
func FuzzToolsCosts(f *testing.F)   { fuzzCosts(f, "tools") }
func FuzzOpenRPCCosts(f *testing.F) { fuzzCosts(f, "openrpc") }
func FuzzOpenAPICosts(f *testing.F) { fuzzCosts(f, "openapi") }

func FuzzMetaModelCosts(f *testing.F) {
	for _, sections := range metaModels {
		text := `{"metaData": {"version": "3.18.0"}`
		for _, section := range []string{"requests", "notifications", "structures"} {
			if !strings.HasPrefix(sections, `"`+section) {
				text += `, "` + section + `": []`
			}
		}
		f.Add(text + ", " + sections + "}")
	}
	f.Fuzz(func(t *testing.T, text string) { measured(t, text, importer.APIOptions{}) })
}

func FuzzProtobufCosts(f *testing.F) {
	for _, messages := range sets {
		f.Add(setOf(messages))
	}
	f.Fuzz(func(t *testing.T, text string) { measured(t, text, importer.APIOptions{Server: "https://a.example"}) })
}

// FuzzBackendCosts measures what the compiler and the backends make of schemas: of what the shapes become.
func FuzzBackendCosts(f *testing.F) {
	for text := range imported {
		if result := measured(f, text, importer.APIOptions{}); result != nil {
			f.Add(string(result.Text))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		var doc *ir.Document
		costs(t, "the compiler", len(text), func() {
			loader := schema.Loader{Read: func(string) ([]byte, error) { return []byte(text), nil }}
			if is, faults := loader.Load("a.rpc.yaml"); !faults.HasErrors() {
				doc = is
			}
		})
		if doc != nil {
			costs(t, "Go", len(text), func() { templates.Generate(doc, templates.Options{}) })
			costs(t, "TypeScript", len(text), func() { typescript.Generate(doc, typescript.Options{}) })
		}
	})
}

// TestUsedByMany: what a large schema costs to which each of many operations refers, from the import to the code, grows as the source does, and so
// do structures that extend those before them.
func TestUsedByMany(t *testing.T) {
	text := map[string]func(n int) string{
		"OpenAPI": func(n int) string {
			return `{"openapi": "3.0.3", "info": {"title": "A", "version": "1"}, "servers": [{"url": "https://a.example"}], "paths": {` + each(n, `"/aN": {"post": {"operationId": "oN",
				"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}}, "responses": {"200": {"description": "ok", "content": {
				"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}}}}}`) + `}, "components": {"schemas": {"A": {"type": "object", "properties": {` +
				each(4*n, `"pN": {"type": "string"}`) + `}}}}}`
		},
		"OpenRPC": func(n int) string {
			return `{"openrpc": "1.4.0", "info": {"title": "A", "version": "1"}, "methods": [` + each(n, `{"name": "mN", "params": [{"name": "a", "schema": {"$ref":
				"#/components/schemas/A"}}], "result": {"name": "r", "schema": {"type": "null"}}}`) + `], "components": {"schemas": {"A": {"type": "object", "properties": {` +
				each(4*n, `"pN": {"type": "string"}`) + `}}}}}`
		},
		"meta model": func(n int) string {
			return `{"metaData": {"version": "3.18.0"}, "requests": [], "notifications": [], "structures": [{"name": "S-1", "properties": []}, {"name": "S0", "properties": []}, ` +
				each(n, `{"name": "SN", "extends": [{"kind": "reference", "name": "S-1"}, {"kind": "reference", "name": "SM"}], "properties": [{"name": "q", "type":
				{"kind": "reference", "name": "SN"}}]}`) + `]}`
		},
	}
	for name, of := range text {
		few, _ := allocationsOf(t, of(100), importer.APIOptions{All: true})
		if many, err := allocationsOf(t, of(400), importer.APIOptions{All: true}); many > 8*few {
			t.Errorf("%s: %d MB are allocated for 100, and %d MB for 4 times as many, %v", name, few>>20, many>>20, err)
		}
	}
}

// allocationsOf is how much memory is allocated for a source, from the import to the code.
func allocationsOf(t *testing.T, text string, api importer.APIOptions) (bytes uint64, err error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	result, err := importer.Import(importer.Source{Name: "a.json", Text: []byte(text)}, importer.Options{API: api})
	if err == nil {
		loader := schema.Loader{Read: func(string) ([]byte, error) { return result.Text, nil }}
		doc, faults := loader.Load("a.rpc.yaml")
		if faults.HasErrors() {
			t.Fatal(faults)
		}
		templates.Generate(doc, templates.Options{})
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, err
}

// TestWideAnswers: what a protobuf message with many fields costs, from the import to the code, grows as it does, and one that has more than a type may have is refused as
// such, where it stands.
func TestWideAnswers(t *testing.T) {
	made := func(n int) (uint64, error) {
		text := `{"file": [{"name": "a.proto", "package": "p", "messageType": [{"name": "Q"}, {"name": "M", "field": [` + each(n, `{"name": "fN", "number": N, "type": "TYPE_STRING"}`) +
			`]}], "service": [{"name": "S", "method": [{"name": "Get", "inputType": ".p.Q", "outputType": ".p.M"}]}]}]}`
		return allocationsOf(t, text, importer.APIOptions{Server: "https://a.example"})
	}
	few, err := made(600)
	if err != nil {
		t.Fatal(err)
	}
	many, err := made(8 * 600)
	if err != nil || many > 2*8*few {
		t.Errorf("%d MB are allocated for 600 fields, and %d MB for 8 times as many, %v", few>>20, many>>20, err)
	}
	refused, err := made(30 * 600)
	if got := fmt.Sprint(err); !strings.Contains(got, "S.Get cannot become a tool: its answer has 18,000 members, and at most 5,000 are taken") || refused > 2*30*few {
		t.Errorf("%d MB are allocated for 18,000 fields: %s", refused>>20, got)
	}
}
