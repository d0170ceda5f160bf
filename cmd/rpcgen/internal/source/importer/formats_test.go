package importer_test

import (
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
)

// otherFormats are the beginnings of sources in formats that are not imported, and what the message says of them.
var otherFormats = map[string]struct{ file, text, is, help string }{
	"OpenAPI":                    {"a.json", `{"openapi": "3.1.0", "components": {"schemas": {"A": {"type": "string"}}}}`, "OpenAPI 3.1.0 without operations", "components.schemas under $defs"},
	"OpenAPI without components": {"a.json", `{"openapi": "3.0.3", "paths": {}}`, "OpenAPI 3.0.3 without operations", "what is imported: JSON Schema, OpenRPC"},
	"OpenAPI in YAML":            {"a.yaml", "openapi: 3.1.0\ncomponents: {schemas: {A: {type: string}}}\n", "OpenAPI 3.1.0 without operations", "components.schemas under $defs"},
	"Swagger":                    {"a.json", `{"swagger": "2.0", "definitions": {"A": {"type": "string"}}}`, "Swagger 2.0 without operations", "what stands under definitions"},
	"AsyncAPI":                   {"a.yml", "asyncapi: 3.0.0\ncomponents: {schemas: {A: {type: string}}}\n", "AsyncAPI 3.0.0", "components.schemas under $defs"},
	"AsyncAPI named as JSON":     {"a.json", "# ours\nasyncapi: 2.6.0\n", "OpenAPI, Swagger or AsyncAPI in YAML", "in files named .yaml"},
	"a resource of Kubernetes":   {"a.yaml", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {group: a}\n", "a CustomResourceDefinition of Kubernetes", "under openAPIV3Schema of a version"},
	"protobuf":                   {"a.proto", "// Copyright\n\nsyntax = \"proto3\";\nmessage A {}\n", "a protobuf file", "import its descriptor set: buf build -o set.binpb"},
	"protobuf of 2023":           {"a.proto", "/* two\n lines */ edit" + "ion = \"2023\";\n", "a protobuf file", "import its descriptor set: buf build -o set.binpb"},
	"protobuf, a package":        {"a", "package acme.shop.v1;\n", "a protobuf file", "import its descriptor set: buf build -o set.binpb"},
	"GraphQL":                    {"a.graphql", "\"\"\"\nA shop.\n\"\"\"\ntype Query {\n  a: String\n}\n", "a GraphQL schema", "what is imported: JSON Schema"},
	"GraphQL, a schema":          {"a", "# shop\nschema {\n  query: Q\n}\n", "a GraphQL schema", "what is imported: JSON Schema"},
	"GraphQL, its introspection": {"a.json", `{"data": {"__schema": {"types": []}}}`, "the introspection of a GraphQL schema", "what is imported: JSON Schema"},
	"WSDL":                       {"a.wsdl", "<?xml version=\"1.0\"?>\n<wsdl:definitions name=\"A\">\n</wsdl:definitions>", "a WSDL file", "what is imported: JSON Schema"},
	"HTML":                       {"a.json", "<!DOCTYPE html><html></html>", "XML or HTML", "what is imported: JSON Schema"},
}

// TestOtherFormats imports sources in formats that are not imported: the message names the format, and what is possible.
func TestOtherFormats(t *testing.T) {
	for name, other := range otherFormats {
		_, err := importer.Import(importer.Source{Name: other.file, Text: []byte(other.text)}, importer.Options{})
		if err == nil || !strings.Contains(err.Error(), "this is "+other.is+", which is not imported") || !strings.Contains(err.Error(), other.help) ||
			!strings.HasPrefix(err.Error(), other.file+":") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOtherFormatsAreNoSchemas imports schemas that have members of other formats: they are schemas.
func TestOtherFormatsAreNoSchemas(t *testing.T) {
	for _, text := range []string{
		`{"$defs": {"A": {"type": "string"}}, "openapi": "3.1.0"}`,
		`{"title": "Api", "type": "object", "properties": {"openapi": {"type": "string"}, "info": {"type": "object"}}}`,
		`{"$defs": {"A": {"type": "string"}}, "openapi": {"x": 1}}`,
	} {
		if _, err := importer.Import(importer.Source{Name: "a.json", Text: []byte(text)}, importer.Options{}); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestSpreadIsBounded imports a conjunction with a union that is its own branch: it is spread over the union only so often.
func TestSpreadIsBounded(t *testing.T) {
	const text = `{"$defs": {
		"U": {"anyOf": [{"$ref": "#/$defs/U"}, {"allOf": [{"$ref": "#/$defs/U"}]}, {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}]},
		"S": {"allOf": [{"$ref": "#/$defs/U"}, {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]}]}}}`
	done := make(chan struct{})
	go func() {
		defer close(done)
		importer.Import(importer.Source{Name: "a.json", Text: []byte(text)}, importer.Options{})
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("the import goes on")
	}
}
