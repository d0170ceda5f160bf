package importer_test

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/lsp"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/openapi"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/openrpc"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/protobuf"
	importsource "github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tools"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// fieldTables are the tables of formats, by the beginnings of the names of the files that list the fields of their specifications.
var fieldTables = map[string]importsource.Fields{"openapi": openapi.Fields(), "openrpc": openrpc.Fields(), "protobuf": protobuf.Fields(), "jsonschema": convert.Fields(), "tools": tools.Fields(), "lsp": lsp.Fields()}

// specified are the fields of a specification, by object.
func specified(t *testing.T, name string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		if object, fields, ok := strings.Cut(line, ": "); ok {
			all[object] = strings.Fields(fields)
		}
	}
	return all
}

// written reports whether a table says what becomes of a field: by its name, or by what it says of all others. Where fields have lines, that all others are reported
// is said of those that the specification does not have.
func written(table importsource.Fields, object, name string) bool {
	_, own := table[object][name]
	others, ok := table[object]["*"]
	return own || ok && (others.Use != importsource.Reported || len(table[object]) == 1)
}

// TestFieldsOfSpecifications: the table of a format has a line for every field of its specification. Of protobuf, the numbers are those of the specification.
func TestFieldsOfSpecifications(t *testing.T) {
	names, err := filepath.Glob("testdata/fields/*.txt")
	if err != nil || len(names) < 10 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		format, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(name), ".txt"), "-")
		table := fieldTables[format]
		for object, fields := range specified(t, name) {
			for _, field := range fields {
				field, number, _ := strings.Cut(field, "=")
				if !written(table, object, field) && (object != "Schema" || !written(convert.Fields(), object, field)) {
					t.Errorf("%s: nothing says what becomes of %s.%s", name, object, field)
				}
				if line := table[object][field]; number != "" && line.Use == importsource.Reported && line.Number != number {
					t.Errorf("%s: %s.%s has the number %s", name, object, field, number)
				}
			}
		}
	}
	for _, k := range jsonschema.Keywords {
		if !written(convert.Fields(), "Schema", k.Name) {
			t.Errorf("nothing says what becomes of the keyword %s", k.Name)
		}
	}
}

// TestFieldsOfMCP: the table of lists has a line for every field of every revision of MCP.
func TestFieldsOfMCP(t *testing.T) {
	for _, revision := range revisions {
		root, _, faults := importsource.Read(source(t, revision))
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		definitions, ok := root.Get("$defs")
		if !ok {
			definitions, _ = root.Get("definitions")
		}
		n := 0
		for object, lines := range tools.Fields() {
			is, _ := definitions.Get(object)
			properties, _ := is.Get("properties")
			for _, p := range properties.Fields {
				if _, ok := lines[p.Name]; !ok {
					t.Errorf("%s: nothing says what becomes of %s.%s", revision, object, p.Name)
				}
				n++
			}
		}
		if n < 20 {
			t.Errorf("%s: only %d fields were found", revision, n)
		}
	}
}

// TestTables: a table names no object that it does not have, and no use that no importer knows.
func TestTables(t *testing.T) {
	uses := []importsource.Use{importsource.Used, importsource.Reported, importsource.Silent, importsource.Kept, openapi.Aside, convert.Checked}
	for format, table := range fieldTables {
		for object, fields := range table {
			for name, f := range fields {
				if !slices.Contains(uses, f.Use) || f.Object != "" && table[f.Object] == nil {
					t.Errorf("%s: %s.%s is %+v", format, object, name, f)
				}
			}
		}
	}
}

// fieldSources have every object of their formats of which something is reported, with its name and place in < and > where further fields may stand.
var fieldSources = []struct{ format, text string }{
	{"openrpc", `{"openrpc": "1.4.0", "info": {"title": "A", "version": "1"<Info/info>}, "methods": [{"name": "a", "params": [{"name": "x", "schema": {"type": "string"}<Param/methods/0/params/0>}],
		"result": {"name": "r", "schema": {"type": "string"}<Result/methods/0/result>}, "errors": [{"code": 1, "message": "full"<Error/methods/0/errors/0>}]<Method/methods/0>}]<OpenRPC>}`},
	{"lsp", `{"metaData": {"version": "3.18.0"<MetaData/metaData>}, "requests": [{"method": "a", "messageDirection": "clientToServer", "result": {"kind": "base", "name": "string"<Type/requests/0/result>}<Request/requests/0>}],
		"notifications": [{"method": "b", "messageDirection": "both"<Notification/notifications/0>}], "structures": [{"name": "S", "properties": [{"name": "p", "type": {"kind": "base", "name": "string"}<Property/structures/0/properties/0>},
			{"name": "q", "type": {"kind": "literal", "value": {"properties": []<Type/structures/0/properties/1/type/value>}}}]<Structure/structures/0>}],
		"enumerations": [{"name": "E", "type": {"kind": "base", "name": "string"}, "values": [{"name": "a", "value": "a"<EnumerationEntry/enumerations/0/values/0>}]<Enumeration/enumerations/0>}],
		"typeAliases": [{"name": "T", "type": {"kind": "base", "name": "string"}<TypeAlias/typeAliases/0>}]<MetaModel>}`},
	{"tools", `{"tools": [{"name": "a", "description": "d", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true<ToolAnnotations/tools/0/annotations>}, "execution": {"taskSupport": "optional"<ToolExecution/tools/0/execution>},
		"icons": [{"src": "https://a.example/i.png"<Icon/tools/0/icons/0>}]<Tool/tools/0>}], "resources": [{"name": "r", "uri": "a://b", "annotations": {"priority": 1<Annotations/resources/0/annotations>}<Resource/resources/0>}],
		"resourceTemplates": [{"name": "t", "uriTemplate": "a://{b}"<ResourceTemplate/resourceTemplates/0>}], "prompts": [{"name": "p", "arguments": [{"name": "a"<PromptArgument/prompts/0/arguments/0>}]<Prompt/prompts/0>}],
		"capabilities": {"tools": {}<Capabilities/capabilities>}, "serverInfo": {"name": "s", "version": "1"<Implementation/serverInfo>}<ListToolsResult>}`},
	{"tools", `{"tools": [{"name": "a", "inputSchema": {"type": "object"}}]<ListToolsResult>}`},
	{"jsonschema", `{"$defs": {"A": {"type": "string"<Schema/$defs/A>}}}`},
	{"openapi", `{"openapi": "3.1.0", "info": {"title": "A", "version": "1"<Info/info>}, "servers": [{"url": "https://{a}.example", "variables": {"a": {"default": "b"<ServerVariable/servers/0/variables/a>}}<Server/servers/0>}],
		"security": [{"k": []}], "paths": {"/a": {"parameters": [{"name": "x", "in": "query", "schema": {"type": "string"}<Parameter/paths/~1a/parameters/0>}], "post": {"operationId": "a",
		"requestBody": {"content": {"application/x-www-form-urlencoded": {"schema": {"$ref": "#/components/schemas/B"}, "encoding": {"f": {"style": "form"<Encoding/paths/~1a/post/requestBody/content/application~1x-www-form-urlencoded/encoding/f>}}<MediaType/paths/~1a/post/requestBody/content/application~1x-www-form-urlencoded>}}<RequestBody/paths/~1a/post/requestBody>},
		"responses": {"204": {"description": "done", "headers": {"Link": {}<Headers/paths/~1a/post/responses/204/headers>}<Response/paths/~1a/post/responses/204>}<Responses/paths/~1a/post/responses>}<Operation/paths/~1a/post>}<PathItem/paths/~1a>}},
		"components": {"schemas": {"B": {"type": "object", "properties": {"f": {"type": "string"}}, "discriminator": {"propertyName": "f"<Discriminator/components/schemas/B/discriminator>}<Schema/components/schemas/B>}}, "securitySchemes": {"k": {"type": "oauth2", "flows": {"authorizationCode": {"authorizationUrl": "https://a.example/a", "tokenUrl": "https://a.example/t", "scopes": {}<OAuthFlow/components/securitySchemes/k/flows/authorizationCode>}<OAuthFlows/components/securitySchemes/k/flows>}<SecurityScheme/components/securitySchemes/k>}}<Components/components>}<OpenAPI>}`},
	{"openapi", `{"swagger": "2.0", "info": {"title": "A", "version": "1"}, "host": "a.example", "paths": {"/a": {"get": {"operationId": "a", "responses": {"204": {"description": "done"}}}}}<Swagger>}`},
	{"protobuf", `{"file": [{"name": "a.proto", "package": "p", "messageType": [{"name": "M", "field": [{"name": "f", "label": "LABEL_OPTIONAL", "type": "TYPE_STRING", "options": {"deprecated": false, "features": {"fieldPresence": "IMPLICIT"<FeatureSet/file/0/messageType/0/field/0/options/features>}<FieldOptions/file/0/messageType/0/field/0/options>}<FieldDescriptorProto/file/0/messageType/0/field/0>}],
		"options": {"mapEntry": false<MessageOptions/file/0/messageType/0/options>}<DescriptorProto/file/0/messageType/0>}], "enumType": [{"name": "E", "value": [{"name": "V", "options": {"features": {}<EnumValueOptions/file/0/enumType/0/value/0/options>}<EnumValueDescriptorProto/file/0/enumType/0/value/0>}], "options": {"allowAlias": true<EnumOptions/file/0/enumType/0/options>}<EnumDescriptorProto/file/0/enumType/0>}],
		"service": [{"name": "S", "method": [{"name": "C", "inputType": ".p.M", "outputType": ".p.M", "options": {"deprecated": false<MethodOptions/file/0/service/0/method/0/options>}<MethodDescriptorProto/file/0/service/0/method/0>}], "options": {"features": {}<ServiceOptions/file/0/service/0/options>}<ServiceDescriptorProto/file/0/service/0>}],
		"options": {"features": {}<FileOptions/file/0/options>}, "sourceCodeInfo": {"location": [{"path": [4, 0], "leadingComments": "M."<Location/file/0/sourceCodeInfo/location/0>}]<SourceCodeInfo/file/0/sourceCodeInfo>}<FileDescriptorProto/file/0>}]}`},
}

// usedSources have objects of which further fields are used, with < and > as above; take is what is asked for.
var usedSources = []struct{ format, take, text string }{
	{"openapi", "tag:text", `{"openapi": "3.1.0", "info": {"title": "A", "version": "1"}, "servers": [{"url": "https://a.example"}], "paths": {"/a": {"post": {"operationId": "a", "responses": {"204": {"description": "done"}}<Operation>}}}}`},
	{"openapi", "", `{"openapi": "3.2.0", "info": {"title": "A", "version": "1"}, "servers": [{"url": "https://a.example"}], "paths": {
		"/a": {"post": {"operationId": "a", "parameters": [{"name": "l", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}<Parameter>}],
			"requestBody": {"content": {"application/json": {"schema": {"type": "object", "properties": {"s": {"title": "S"<Schema>}, "l": {"type": "array"<Schema>}, "t": {"type": "string"<Schema>}}}}}<RequestBody>},
			"responses": {"200": {"description": "done", "content": {"application/json": {"x-a": 1<MediaType>}}}}}},
		"/d": {"get": {"operationId": "d", "responses": {"204": {"description": "done"}}, "security": [{"k": []}]}},
		"/b": {"post": {"operationId": "b", "requestBody": {"content": {"multipart/form-data": {"schema": {"type": "object", "properties": {"f": {"type": "string"}}}, "encoding": {"f": {"x-a": 1<Encoding>}}}}}, "responses": {"x-a": 1<Responses>}}},
		"/c": {"get": {"operationId": "c", "responses": {"200": {"description": "Cs.", "headers": {"x-a": {}<Headers>}, "content": {"application/json": {"schema": {"type": "array", "items": {"type": "string"}}}}}}}}},
		"components": {"securitySchemes": {"k": {"type": "http"<SecurityScheme>}}, "mediaTypes": {"text": {"schema": {"type": "object", "properties": {"m": {"type": "string"}}}}}}}`},
	{"openapi", "", `{"swagger": "2.0", "info": {"title": "A", "version": "1"}, "host": "a.example", "paths": {
		"/a": {"post": {"operationId": "a", "parameters": [{"name": "t", "in": "query", "type": "string", "description": "T."<Parameter>}, {"name": "n", "in": "query", "type": "number"<Parameter>},
			{"name": "l", "in": "query", "type": "array", "items": {"type": "string"}<Parameter>}, {"name": "u", "in": "query"<Parameter>}, {"name": "b", "in": "body", "schema": {"type": "object", "properties": {"m": {"type": "string"}}}}],
			"responses": {"200": {"description": "done", "schema": {"type": "object", "properties": {"m": {"type": "string"}}}}}<Operation>}},
		"/b": {"get": {"operationId": "b", "responses": {"200": {"description": "done"<Response>}}}},
		"/1": {"get": {"operationId": "k1", "security": [{"k1": []}], "responses": {"204": {"description": "done"}}}},
		"/2": {"get": {"operationId": "k2", "security": [{"k2": []}], "responses": {"204": {"description": "done"}}}},
		"/3": {"get": {"operationId": "k3", "security": [{"k3": []}], "responses": {"204": {"description": "done"}}}},
		"/4": {"get": {"operationId": "k4", "security": [{"k4": []}], "responses": {"204": {"description": "done"}}}},
		"/5": {"get": {"operationId": "k5", "security": [{"k5": []}], "responses": {"204": {"description": "done"}}}}},
		"securityDefinitions": {"k1": {"type": "apiKey", "name": "K"<SecurityScheme>}, "k2": {"type": "apiKey", "in": "header"<SecurityScheme>},
			"k3": {"type": "oauth2", "authorizationUrl": "https://a.example/a", "tokenUrl": "https://a.example/t"<SecurityScheme>},
			"k4": {"type": "oauth2", "flow": "accessCode", "authorizationUrl": "https://a.example/a"<SecurityScheme>}, "k5": {"type": "oauth2", "flow": "accessCode", "tokenUrl": "https://a.example/t"<SecurityScheme>}}<Swagger>}`},
	{"openapi", "", `{"swagger": "2.0", "info": {"title": "A", "version": "1"}, "host": "a.example", "paths": {"/a": {"post": {"operationId": "a", "parameters": [{"name": "b", "in": "body", "schema": {"$ref": "#/definitions/text"}}], "responses": {"204": {"description": "done"}}}}}<Swagger>}`},
	{"openapi", "", `{"swagger": "2.0", "info": {"title": "A", "version": "1"}, "host": "a.example", "paths": {"/a": {"post": {"operationId": "a", "parameters": [{"$ref": "#/parameters/text"}], "responses": {"204": {"description": "done"}}}}}<Swagger>}`},
	{"openapi", "", `{"swagger": "2.0", "info": {"title": "A", "version": "1"}, "host": "a.example", "paths": {"/a": {"post": {"operationId": "a", "responses": {"200": {"$ref": "#/responses/text"}}}}}<Swagger>}`},
	{"protobuf", "", `{"file": [{"name": "a.proto", "package": "p", "messageType": [{"name": "M", "oneofDecl": [{"name": "o"}], "field": [{"name": "f", "number": 1, "label": "LABEL_OPTIONAL", "type": "TYPE_STRING"<FieldDescriptorProto>},
		{"name": "g", "number": 2, "label": "LABEL_OPTIONAL", "type": "TYPE_STRING", "oneofIndex": 0}]}], "service": [{"name": "S", "method": [{"name": "C", "inputType": ".p.M", "outputType": ".p.M", "options": {"x-a": 1<MethodOptions>}}]}]}]}`},
	{"protobuf", "", `{"file": [{"name": "a.proto", "package": "p", "messageType": [{"name": "M", "field": [{"name": "f", "number": 1, "label": "LABEL_OPTIONAL", "type": "TYPE_MESSAGE"<FieldDescriptorProto>}]}],
		"service": [{"name": "S", "method": [{"name": "C", "inputType": ".p.M", "outputType": ".p.M"}]}]}]}`},
}

// gap is where an object of a source may have further fields.
var gap = regexp.MustCompile(`<(\w+)([^<>]*)>`)

// TestFieldsAreReported: a field that its table has as reported, and one that no table has, is listed as ignored at its place, in every object of every format.
func TestFieldsAreReported(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range fieldSources {
		table, o := fieldTables[s.format], importer.Options{API: apiOf(s.format)}
		for _, at := range gap.FindAllStringSubmatchIndex(s.text, -1) {
			object, pointer := s.text[at[2]:at[3]], s.text[at[4]:at[5]]
			seen[s.format+" "+object] = true
			names := fieldNames(table, object, importsource.Reported)
			if table.Of(object, "of_nobody").Use == importsource.Reported {
				names = append(slices.DeleteFunc(names, func(name string) bool { return name == "*" }), "of_nobody")
			}
			for _, name := range names {
				text := gap.ReplaceAllString(s.text[:at[0]]+fmt.Sprintf(`, %q: "text"`, name)+s.text[at[1]:], "")
				result, err := importer.Import(importer.Source{Name: "a.json", Text: []byte(text)}, o)
				if err != nil {
					t.Errorf("%s with %s.%s: %v", s.format, object, name, err)
				} else if !slices.Contains(result.Report.Ignored, pointer+"/"+name) {
					t.Errorf("%s: %s.%s is not reported, but %q", s.format, object, name, result.Report.Ignored)
				}
			}
		}
	}
	for format, table := range fieldTables {
		for object := range table {
			if len(table[object]) > 1 && len(fieldNames(table, object, importsource.Reported)) > 0 && !seen[format+" "+object] {
				t.Errorf("no source of %s has the object %s", format, object)
			}
		}
	}
}

// needed are the fields without which another one says nothing, values are those that each field is tried with, and ownValues others, which only it has.
var (
	needed = map[string]string{"x-deprecated": `, "deprecated": true`, "x-sample": `, "examples": [{"name": "e", "params": []}]`, "x-errors": `, "components": {"errors": {"Full": {"code": 7, "message": "Full"}}}`,
		"Parameter.exclusiveMaximum": `, "maximum": 9`, "Parameter.exclusiveMinimum": `, "minimum": 1`, "Parameter.items": `, "type": "array"`, "Schema.then": `, "if": {"minLength": 1}`, "Schema.else": `, "if": {"minLength": 1}`,
		"typeName": `, "params": {"kind": "and", "items": [{"kind": "reference", "name": "S"}, {"kind": "reference", "name": "S"}]}`}
	values = []string{`"text"`, `true`, `7`, `["text"]`, `{"text": "text"}`, `[{"name": "text", "text": "text"}]`, `{"Full": {"data": {"type": "string"}}}`, `"by-position"`,
		`{"io.modelcontextprotocol/serverInfo": {"name": "t", "version": "2"}}`}
	ownValues = map[string]string{"oneofIndex": `0`, "explode": `false`, "link": `{}`, "Link": `{}`, "format": `"uuid"`, "type": `"integer"`, "collectionFormat": `"pipes"`, "style": `"pipeDelimited"`, "in": `"header"`,
		"scheme": `"basic"`, "flow": `"accessCode"`, "contentType": `"application/json"`, "authorizationUrl": `"https://a.example/text"`, "tokenUrl": `"https://a.example/text"`, "typeName": `".p.M"`,
		"idempotencyLevel": `"IDEMPOTENT"`, "schema": `{"type": "integer"}`, "items": `{"type": "integer"}`, "security": `[{"k1": []}]`, "consumes": `["application/x-www-form-urlencoded"]`, "produces": `["text/plain"]`,
		"parameters": `{"text": {"name": "p", "in": "query", "type": "string"}}`, "responses": `{"text": {"description": "d", "schema": {"type": "integer"}}}`, "definitions": `{"text": {"type": "string"}}`,
		"allOf": `[{"type": "integer"}]`, "anyOf": `[{"type": "integer"}]`, "oneOf": `[{"type": "integer"}]`, "MediaType.$ref": `"#/components/mediaTypes/text"`, "Responses.$ref": `"#/paths/~1c/get/responses"`}
)

// hashOfSource is what a schema keeps of the source that it was imported from: it differs with each letter.
var hashOfSource = regexp.MustCompile(`sha256: \w+`)

// TestUsedFieldsAreRead: a field that the table of a format calls used changes what is imported, or what is said of it, in one of the objects that may have it.
func TestUsedFieldsAreRead(t *testing.T) {
	read := map[[3]string]bool{}
	sources := slices.Clone(usedSources)
	for _, s := range fieldSources {
		sources = append(sources, struct{ format, take, text string }{format: s.format, text: s.text})
	}
	for _, s := range sources {
		o := apiOf(s.format)
		if s.take != "" {
			o.Take = []string{s.take}
		}
		outcomes := map[string]string{} // of the texts that were imported: most fields are compared with the same one
		outcome := func(text string) (is string) {
			if is, ok := outcomes[text]; ok {
				return is
			}
			defer func() { outcomes[text] = is }()
			result, err := importer.Import(importer.Source{Name: "a.json", Text: []byte(gap.ReplaceAllString(text, ""))}, importer.Options{API: o})
			if err != nil {
				return err.Error()
			}
			said, err := json.Marshal(result.Report)
			if err != nil {
				t.Fatal(err)
			}
			return hashOfSource.ReplaceAllString(string(result.Text), "") + string(said)
		}
		for _, at := range gap.FindAllStringSubmatchIndex(s.text, -1) {
			object := s.text[at[2]:at[3]]
			for _, name := range fieldNames(fieldTables[s.format], object, importsource.Used) {
				field := [3]string{s.format, object, name}
				if read[field] {
					continue
				}
				before, after := s.text[:at[0]]+cmp.Or(needed[object+"."+name], needed[name]), s.text[at[1]:]
				plain := outcome(before + after)
				own := cmp.Or(ownValues[object+"."+name], ownValues[name], values[0])
				read[field] = slices.ContainsFunc(append([]string{own}, values...), func(value string) bool {
					return outcome(fmt.Sprintf("%s, %q: %s%s", before, name, value, after)) != plain
				})
			}
		}
	}
	for format, table := range fieldTables {
		for object := range table {
			for _, name := range fieldNames(table, object, importsource.Used) {
				switch {
				case format == "jsonschema": // packages verdicts and jsonschema try its keywords
				case name == "*", name == "file": // all members of an object, and the one that descriptor sets have
				case !read[[3]string{format, object, name}]:
					t.Errorf("the table of %s says that %s.%s is used, and an import is the same without it", format, object, name)
				}
			}
		}
	}
}

// apiOf has what sources of a format do not say.
func apiOf(format string) (o openapi.Options) {
	if format == "protobuf" {
		o.Server = "https://a.example"
	}
	return o
}

// inBinary is a field of a message of protobuf.
func inBinary(field int, text string) string {
	return string(binary.AppendUvarint(nil, uint64(field)<<3|2)) + string(binary.AppendUvarint(nil, uint64(len(text)))) + text
}

// TestNamesOfBinarySets: what has the name of something else in Go gets another one, as in sources that have lines.
func TestNamesOfBinarySets(t *testing.T) {
	field := inBinary(1, "id") + "\x18\x01\x20\x01\x28\x09" // number 1, optional, a string
	text := inBinary(1, inBinary(1, "a.proto")+inBinary(2, "p")+inBinary(4, inBinary(1, "Server")+inBinary(2, field))+
		inBinary(6, inBinary(1, "S")+inBinary(2, inBinary(1, "C")+inBinary(2, ".p.Server")+inBinary(3, ".p.Server"))))
	o := importer.Options{API: importer.APIOptions{Server: "https://a.example"}, Generate: generate}
	result, err := importer.Import(importer.Source{Name: "a.binpb", Text: []byte(text)}, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Report.Renamed) != 1 || result.Report.Renamed[0].Go != "Server2" {
		t.Errorf("%+v\n%s", result.Report.Renamed, result.Text)
	}
}

// TestFieldsOfBinarySets: what a descriptor set says in the binary form is reported as in JSON, and an extension by its number.
func TestFieldsOfBinarySets(t *testing.T) {
	in, name := inBinary, func(s string) string { return inBinary(1, s) }
	options := "\x18\x01" + in(72295728, "an extension") // deprecated
	text := in(1, name("a.proto")+in(2, "p")+in(4, name("M")+in(7, options))+in(6, name("S")+in(2, name("C")+in(2, ".p.M")+in(3, ".p.M"))))
	result, err := importer.Import(importer.Source{Name: "a.binpb", Text: []byte(text)}, importer.Options{API: importer.APIOptions{Server: "https://a.example"}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := result.Report.Ignored, []string{"/file/0/messageType/0/options/deprecated", "/file/0/messageType/0/options/72295728"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// fieldNames are the fields of an object that have a use, in order.
func fieldNames(table importsource.Fields, object string, use importsource.Use) (names []string) {
	for name, f := range table[object] {
		if f.Use == use {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
