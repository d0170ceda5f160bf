package verdicts_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
	"github.com/rpcgen-go/rpcgen/schema/judge"
)

// TestImportAPI draws schemas of a body of an HTTP API. What the independent validator refuses, the tool refuses as well, unless the report says so.
func TestImportAPI(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawnAs(t, "S")
		if len(judge.SchemaFaults(d.checker())) > 0 {
			return
		}
		text := strings.ReplaceAll(`{"openapi": "3.1.0", "info": {"title": "A", "version": "1"}, "servers": [{"url": "https://a.example"}], "paths": {"/a": {"post": {"operationId": "a",
			"requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {"v": {"$ref": "#/$defs/S"}}}}}},
			"responses": {"204": {"description": "done"}}}}}, "components": {"schemas": `+definitions(d.defs).String()+`}}`, "#/$defs/", "#/components/schemas/")
		o := importer.Options{}
		o.API.NoBounds = true
		result, err := importer.Import(importer.Source{Name: "a.json", Text: []byte(text)}, o)
		if err != nil || len(result.Report.Opaque)+len(result.Report.Weakened) > 0 {
			return
		}
		doc, err := compiled(result.Text)
		if err != nil {
			t.Fatal(err)
		}
		if len(doc.Tools) == 0 {
			return
		}
		independent, g := independent(t, d.checker()), generator{t: t}
		for range 6 {
			v := g.small(0)
			if valid(t, independent, v) {
				continue
			}
			in := definitions(nil)
			in.Fields = set(in.Fields, "v", v)
			if len(judge.Judge(doc.Tools[0].Input, in)) == 0 {
				t.Fatalf("%s\n%s\n%s is taken", text, result.Text, in)
			}
		}
	})
}
