package importer_test

import (
	"fmt"
	"io/fs"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
	"github.com/rpcgen-go/rpcgen/schema/file"
	"github.com/rpcgen-go/rpcgen/test/cputime"
)

// chain is a folder of files, each of which refers to the next.
func chain(size int) importer.Folder {
	return importer.Folder{Source: "0.json", Read: func(path string) (importer.Source, error) {
		var n int
		if _, err := fmt.Sscanf(path, "%d.json", &n); err != nil {
			return importer.Source{}, fs.ErrNotExist
		}
		return importer.Source{Name: path, Text: []byte(link(n) + strings.Repeat(" ", size))}, nil
	}}
}

func link(n int) string {
	return fmt.Sprintf(`{"type": "object", "properties": {"next": {"$ref": "%d.json"}}}`, n+1)
}

// TestSiblingsAreBounded imports a source whose files never end, and one whose files are large.
func TestSiblingsAreBounded(t *testing.T) {
	for size, want := range map[int]string{0: "more than 5000 files", file.Most / 10: "64 MiB"} {
		_, err := importer.Import(importer.Source{Name: "0.json", Text: []byte(link(0))}, importer.Options{Folder: chain(size)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: %v", size, err)
		}
	}
}

// TestURNsAreBounded imports many URNs that lead nowhere, with one that is found by an id alone, in a folder of as many files as a source may refer to:
// each file is read once for all URNs, and none counts as one that the source refers to. A long pointer into a schema of schemas is refused at once.
func TestURNsAreBounded(t *testing.T) {
	const most = 6000 // files that are read, of twice as many
	attempt := func(files, urns, steps int) func() {
		gone := ""
		for n := range urns {
			gone += fmt.Sprintf(`, "p%d": {"$ref": "urn:gone:index:%d"}`, n, n)
		}
		found := fmt.Sprintf(`"a": {"$ref": "n%d.json"}, "b": {"$ref": "urn:x:n7.json"}`, files-1)
		pointer := `"a": {"$ref": "http://json-schema.org/draft-07/schema#` + strings.Repeat("/a", steps) + `"}`
		return func() {
			for refs, want := range map[string]string{found + gone: `$ref "urn:gone:index:0" leads out of the folder`, found: "", pointer: "leads out of"} {
				reads := 0
				folder := importer.Folder{Source: "s.json", Read: func(path string) (importer.Source, error) {
					reads++
					return importer.Source{Name: path, Text: []byte(`{"$id": "urn:x:` + path + `", "type": "string", "maxLength": 3}`)}, nil
				}, List: func() (all []string) {
					for n := range files {
						all = append(all, fmt.Sprintf("n%d.json", n), fmt.Sprintf("%d/index.json", n))
					}
					return all
				}}
				_, err := importer.Import(importer.Source{Name: "s.json", Text: []byte(`{"type": "object", "properties": {` + refs + `}}`)}, importer.Options{Folder: folder})
				if is := fmt.Sprint(err); want == "" && err != nil || !strings.Contains(is, want) || strings.Contains(is, "more than 5000 files") || reads > most {
					t.Errorf("%.200s: %d files are read: %.300s", refs, reads, is)
				}
			}
		}
	}
	cputime.Linear(t, "URNs", attempt(750, 500, 25_000), attempt(most, 4000, 200_000))
}

// TestPublished imports a source whose references are URLs of the place where its folder is published.
func TestPublished(t *testing.T) {
	files := map[string]string{
		"shared/money.json":    `{"$ref": "currency"}`,
		"shared/currency.json": `{"type": "string", "maxLength": 3}`,
	}
	folder := importer.Folder{Source: "api/order.json", URL: &url.URL{Scheme: "https", Host: "example.com", Path: "/schemas"}, Read: func(path string) (importer.Source, error) {
		text, ok := files[path]
		if !ok {
			return importer.Source{}, fs.ErrNotExist
		}
		return importer.Source{Name: path, Text: []byte(text)}, nil
	}}
	for _, test := range []struct{ id, ref, fault string }{
		{"", "https://example.com/schemas/shared/money.json", ""},
		{"", "../shared/money.json", ""},
		{"https://example.com/schemas/shared/order.json", "money.json", ""},
		{"https://example.com/other/order.json", "../schemas/shared/money.json", ""},
		{"shared/", "https://example.com/schemas/shared/money.json", ""},
		{"", "https://example.com/shared/money.json", "leads out of the folder"},
		{"", "https://example.com/schemas/../shared/money.json", "leads out of the folder"},
		{"", "http://example.com/schemas/shared/money.json", "leads out of the folder"},
		{"", "https://example.com/schemas/shared/missing.json", "leads out of the folder"},
	} {
		text := fmt.Sprintf(`{"$id": %q, "type": "object", "properties": {"total": {"$ref": %q}}}`, test.id, test.ref)
		result, err := importer.Import(importer.Source{Name: "order.json", Text: []byte(text)}, importer.Options{Folder: folder})
		switch {
		case test.fault != "":
			if err == nil || !strings.Contains(err.Error(), test.fault) {
				t.Errorf("%+v: %v", test, err)
			}
		case err != nil || !strings.Contains(string(result.Text), "maxLength: 3"):
			t.Errorf("%+v: %v\n%+v", test, err, result)
		}
	}
}

// TestYAMLSource imports the same source as JSON and as YAML.
func TestYAMLSource(t *testing.T) {
	const yaml = `
$schema: https://json-schema.org/draft/2020-12/schema
$defs:
  A:
    type: object
    properties:
      yes: {type: string, enum: [yes, no]}
      n: {type: number, minimum: 1.5, default: 1e3}
      "null": {type: [string, "null"]}
`
	const json = `{"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": {"A": {"type": "object", "properties": {
		"yes": {"type": "string", "enum": ["yes", "no"]}, "n": {"type": "number", "minimum": 1.5, "default": 1e3}, "null": {"type": ["string", "null"]}}}}}`
	var texts []string
	for name, text := range map[string]string{"a.yaml": yaml, "a.json": json} {
		result, err := importer.Import(importer.Source{Name: name, Text: []byte(text)}, importer.Options{})
		if err != nil {
			t.Fatal(name, err)
		}
		texts = append(texts, string(result.Text))
	}
	if texts[0] != texts[1] || !strings.Contains(texts[0], "n?: {type: number, minimum: 1.5, default: 1000}") && !strings.Contains(texts[0], "1e3") {
		t.Errorf("%s\n%s", texts[0], texts[1])
	}
	for text, want := range map[string]string{"": "a.yaml:1:1: the file is empty", "a: [": "a.yaml:1:", "a: !x 1": "a.yaml:1:4: ", "a: *x": "a.yaml:1:4: ", "a: 1\n\ta: 2": "a.yaml:2:1: "} {
		if _, err := importer.Import(importer.Source{Name: "a.yaml", Text: []byte(text)}, importer.Options{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestListedIsBounded imports listed values with a schema whose references double at each step.
func TestListedIsBounded(t *testing.T) {
	var defs strings.Builder
	for n := range 40 {
		fmt.Fprintf(&defs, `, "D%d": {"if": {"$ref": "#/$defs/D%d"}, "then": {"$ref": "#/$defs/D%d"}}`, n, n+1, n+1)
	}
	text := `{"$defs": {"S": {"enum": [1, 2], "$ref": "#/$defs/D0"}` + defs.String() + `, "D40": {"minimum": 0}}}`
	result, err := importer.Import(importer.Source{Name: "source.json", Text: []byte(text)}, importer.Options{})
	if err != nil || !strings.Contains(string(result.Text), "S: {enum: [1, 2]}") {
		t.Errorf("%v: %s", err, result.Text)
	}
}

// TestKindsAreBounded imports references that double what a schema refers to, 40 times over.
func TestKindsAreBounded(t *testing.T) {
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		var defs strings.Builder
		for n := range 40 {
			fmt.Fprintf(&defs, `"D%d": {"%s": [{"$ref": "#/$defs/D%d"}, {"$ref": "#/$defs/D%d"}]}, `, n, keyword, n+1, n+1)
		}
		text := `{"$defs": {` + defs.String() + `"D40": {"type": "object"}, "U": {"oneOf": [{"$ref": "#/$defs/D0"}, {"type": "string"}]}}}`
		done := make(chan struct{})
		go func() {
			defer close(done)
			importer.Import(importer.Source{Name: "source.json", Text: []byte(text)}, importer.Options{})
		}()
		select {
		case <-done:
		case <-time.After(time.Minute):
			t.Fatalf("%s goes on", keyword)
		}
	}
}
