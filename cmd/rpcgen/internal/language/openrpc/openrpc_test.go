package openrpc_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	linediff "github.com/rogpeppe/go-internal/diff"
	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/openrpc"
	"github.com/rpcgen-go/rpcgen/schema"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestExamples compares the documents of the example schemas with golden files, and with what OpenRPC asks of a document.
func TestExamples(t *testing.T) {
	for _, name := range []string{"weather", "allkinds", "toolbox"} {
		t.Run(name, func(t *testing.T) {
			text, warnings := export(t, name)
			golden(t, name+".openrpc.json", text)
			golden(t, name+".warnings.txt", []byte(strings.Join(warnings, "\n")+"\n"))
			if again, _ := export(t, name); !bytes.Equal(text, again) {
				t.Error("two exports differ")
			}
			follows(t, text)
			compiles(t, text)
		})
	}
}

func export(t *testing.T, name string) ([]byte, []string) {
	t.Helper()
	folder := "test/"
	if name == "weather" {
		folder = "examples/"
	}
	doc, faults := schema.Load("../../../../../" + folder + name + "/" + name + ".rpc.yaml")
	if doc == nil {
		t.Fatal(faults)
	}
	text, warnings, err := openrpc.Export(doc)
	if err != nil {
		t.Fatal(err)
	}
	return text, warnings
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := "testdata/" + name
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := linediff.Diff("want", want, "got", got); d != nil {
		t.Errorf("%s", d)
	}
}

// member is an object of a document whose members are not all known.
type member = map[string]any

// allowed are the members that OpenRPC has for an object; x- members are allowed where open is set.
type allowed struct {
	required, optional []string
	open               bool
}

var (
	document   = allowed{[]string{"openrpc", "info", "methods"}, []string{"components", "servers"}, true}
	info       = allowed{[]string{"title", "version"}, []string{"description"}, true}
	method     = allowed{[]string{"name", "params"}, []string{"result", "errors", "examples", "summary", "description", "deprecated", "paramStructure"}, true}
	descriptor = allowed{[]string{"name", "schema"}, []string{"summary", "description", "required", "deprecated"}, true}
	fault      = allowed{[]string{"code", "message"}, []string{"data"}, false}
	pairing    = allowed{[]string{"name", "params"}, []string{"result", "description"}, false}
	example    = allowed{[]string{"name", "value"}, []string{"summary", "description"}, true}
)

func (a allowed) check(t *testing.T, at string, v any) member {
	t.Helper()
	m, ok := v.(member)
	if !ok {
		t.Fatalf("%s is not an object but %v", at, v)
	}
	for _, name := range a.required {
		if _, ok := m[name]; !ok {
			t.Errorf("%s lacks %s", at, name)
		}
	}
	for name := range m {
		if !slices.Contains(a.required, name) && !slices.Contains(a.optional, name) && (!a.open || !strings.HasPrefix(name, "x-")) {
			t.Errorf("%s has %s, which OpenRPC has not", at, name)
		}
	}
	return m
}

// follows checks a document against the rules of OpenRPC 1.3 that its meta schema and its text name.
func follows(t *testing.T, text []byte) {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	root := document.check(t, "the document", v)
	if !strings.HasPrefix(root["openrpc"].(string), "1.3.") {
		t.Error("not 1.3")
	}
	info.check(t, "info", root["info"])
	components := root["components"].(member)
	if errors, ok := components["errors"].(member); ok {
		for name, f := range errors {
			fault.check(t, name, f)
		}
	}
	names := map[any]bool{}
	for _, v := range root["methods"].([]any) {
		m := method.check(t, "a method", v)
		if names[m["name"]] {
			t.Errorf("two methods %s", m["name"])
		}
		names[m["name"]] = true
		checkMethod(t, fmt.Sprint(m["name"]), m, components)
	}
}

func checkMethod(t *testing.T, at string, m, components member) {
	t.Helper()
	if s := m["paramStructure"]; s != nil && !slices.Contains([]any{"by-name", "by-position", "either"}, s) {
		t.Errorf("%s: paramStructure %v", at, s)
	}
	optional, names := false, map[any]bool{}
	for _, v := range m["params"].([]any) {
		p := descriptor.check(t, at+" param", v)
		if names[p["name"]] || p["name"] == "" {
			t.Errorf("%s: param %q", at, p["name"])
		}
		names[p["name"]] = true
		if p["required"] == true && optional {
			t.Errorf("%s: required %s after an optional param", at, p["name"])
		}
		optional = optional || p["required"] != true
	}
	if m["result"] != nil {
		descriptor.check(t, at+" result", m["result"])
	}
	list, _ := m["errors"].([]any)
	for _, v := range list {
		name, ok := strings.CutPrefix(v.(member)["$ref"].(string), "#/components/errors/")
		if errors, _ := components["errors"].(member); !ok || errors[name] == nil {
			t.Errorf("%s: no error %v", at, v)
		}
	}
	list, _ = m["examples"].([]any)
	for _, v := range list {
		p := pairing.check(t, at+" example", v)
		for _, one := range p["params"].([]any) {
			if e := example.check(t, at+" example", one); !names[e["name"]] {
				t.Errorf("%s: the example has %s", at, e["name"])
			}
		}
	}
}

// compiles asks an independent validator to read every schema, and to check every example against it.
func compiles(t *testing.T, text []byte) {
	t.Helper()
	doc, err := validator.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := validator.NewCompiler()
	c.DefaultDraft(validator.Draft7)
	if err := c.AddResource("mem:doc", doc); err != nil {
		t.Fatal(err)
	}
	root := doc.(member)
	for name := range root["components"].(member)["schemas"].(member) {
		if _, err := c.Compile("mem:doc#/components/schemas/" + name); err != nil {
			t.Error(err)
		}
	}
	for i, v := range root["methods"].([]any) {
		examples(t, c, fmt.Sprintf("mem:doc#/methods/%d", i), v.(member))
	}
}

func examples(t *testing.T, c *validator.Compiler, at string, m member) {
	t.Helper()
	params := map[any]*validator.Schema{}
	for i, p := range m["params"].([]any) {
		s, err := c.Compile(fmt.Sprintf("%s/params/%d/schema", at, i))
		if err != nil {
			t.Fatal(err)
		}
		params[p.(member)["name"]] = s
	}
	list, _ := m["examples"].([]any)
	for _, v := range list {
		for _, one := range v.(member)["params"].([]any) {
			if err := params[one.(member)["name"]].Validate(one.(member)["value"]); err != nil {
				t.Error(err)
			}
		}
		result, ok := v.(member)["result"].(member)
		if !ok {
			continue
		}
		s, err := c.Compile(at + "/result/schema")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(result["value"]); err != nil {
			t.Error(err)
		}
	}
}
