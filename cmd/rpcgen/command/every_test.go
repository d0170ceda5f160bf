package command

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/diff"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/docs"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/lint"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/openrpc"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/sample"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/install"
	runtimemcp "github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/hosts"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
	"github.com/rpcgen-go/rpcgen/schema/judge"
	"github.com/rpcgen-go/rpcgen/schema/mcp"
	"github.com/rpcgen-go/rpcgen/templates"
)

// everyRule has a type with each rule, a value in JSON that breaks it, the same type with another rule of the kind, the type without rules, and the keyword
// of JSON Schema that random values break for it, if it is one keyword.
var everyRule = map[string]struct{ spelled, broken, other, plain, keyword string }{
	"Length":     {"{type: string, maxLength: 1}", `"ab"`, "{type: string, maxLength: 2}", "string", "maxLength"},
	"Range":      {"{type: int32, minimum: 1}", `0`, "{type: int32, minimum: 2}", "int32", "minimum"},
	"MultipleOf": {"{type: int32, multipleOf: 2}", `3`, "{type: int32, multipleOf: 3}", "int32", "multipleOf"},
	"Pattern":    {"{type: string, pattern: ^a$}", `"b"`, "{type: string, pattern: ^b$}", "string", "pattern"},
	"Format":     {"uuid", `"b"`, "date", "string", "format"},
	"Count":      {"{type: list<string>, maxItems: 1}", `["a", "b"]`, "{type: list<string>, maxItems: 2}", "list<string>", "maxItems"},
	"Conform":    {"{type: any, schema: {type: object}}", `1`, "{type: any, schema: {type: array}}", "any", "type"},
	"Unique":     {"{type: list<string>, uniqueItems: true}", `["a", "a"]`, "list<string>", "list<string>", "uniqueItems"},
	"Require": {"{fields: {a?: string, b?: string}, require: [a ^ b]}", `{"a": "", "b": ""}`, "{fields: {a?: string, b?: string}, require: [a | b]}",
		"{fields: {a?: string, b?: string}}", ""},
}

// TestEveryRule takes each rule through everything that has to know it, and names what does not. A new rule is a type of ir/rule.go and an entry above.
func TestEveryRule(t *testing.T) {
	if raceEnabled {
		t.Skip("starts no goroutine but those of package templates")
	}
	all := embedding(t, "../../../schema/ir/rule.go", "RuleAt")
	if len(all) != len(everyRule) {
		t.Errorf("package ir has the rules %v, and the test has %d", all, len(everyRule))
	}
	for _, rule := range all {
		t.Run(rule, func(t *testing.T) {
			r, known := everyRule[rule]
			if !known {
				t.Fatal("add the rule to everyRule")
			}
			want := func(fine bool, what string) {
				t.Helper()
				if !fine {
					t.Errorf("%s does not know the rule %s", what, rule)
				}
			}
			doc := kindOf(t, r.spelled)
			value := doc.Types[0].Type
			rules := ir.RulesOf(value)
			want(slices.ContainsFunc(rules, func(r ir.Rule) bool { return reflect.TypeOf(r).Elem().Name() == rule }), "package check")
			try := tries(t, "the rule "+rule)
			another(try, want, doc, kindOf(t, r.other))
			plain := kindOf(t, r.plain)
			try(func() { want(validations(doc) > validations(plain), "templates") })
			try(func() { want(comparedInWords(doc, plain), "package diff") })
			try(func() { want(validators(doc) != validators(plain), "templates/typescript/check.go") })
			try(func() { // a schema within a schema is judged by the evaluator alone
				fast := fits.FindString(validators(doc))
				want(fast != fits.FindString(validators(plain)) && strings.Contains(fast, "r.judged(") == (rule == "Conform"), "templates/typescript/straight.go")
			})
			try(func() { want(string(docs.Markdown(doc)) != string(docs.Markdown(plain)), "package docs") })
			broken, err := ir.ParseJSON([]byte(r.broken))
			try(func() { want(err == nil && len(judge.Judge(value, broken)) > 0, "package judge") })
			try(func() {
				good, ok := sample.Of(value)
				want(ok && len(judge.Judge(value, good)) == 0, "package sample")
				if zero := zeroOf(t, value); zero != nil && rule != "Conform" { // the generator evaluates no schema
					want(leavesOut(t, r.spelled, good.String()) == (len(judge.Judge(value, *zero)) > 0), "zeroMeansDefault of templates")
				}
			})
			try(func() { lint.Run(doc, nil) })
			try(func() {
				methods, _, err := openrpc.Export(doc)
				want(err == nil && strings.Contains(string(methods), `"Value"`), "package openrpc")
			})
			var exported []byte
			try(func() { exported, err = jsonschema.Export(doc, jsonschema.Options{}) })
			if err != nil || exported == nil {
				t.Fatal("package jsonschema does not export it, and the tests below need that", err)
			}
			try(func() { want(len(judge.Judge(imported(t, exported), broken)) > 0, "the importer") })
			s, err := values.Compile([]byte(strings.Replace(string(exported), "{", `{"$ref": "#/$defs/Value", `, 1)))
			if err != nil {
				t.Fatal(err)
			}
			s.Formats = true
			drawn, ok := s.Draw(values.NewChoices(1, 1))
			v, err := ir.ParseJSON(drawn)
			want(ok && err == nil && len(judge.Judge(value, v)) == 0 && len(s.Judge([]byte(r.broken))) > 0, "runtime/x/contract/values, which judges values,")
			want(slices.ContainsFunc(s.Breaks(drawn), func(c values.Case) bool { return r.keyword == "" || c.Keyword == r.keyword }), "runtime/x/contract/values, which breaks rules,")
		})
	}
}

// validation finds the checks of rules in validators in Go, and the calls of the validators of parts.
var validation = regexp.MustCompile(`\.(Each|CheckAt|CheckRules|)\w*\(vs, `)

// fits finds the function in TypeScript that takes most values of type Value that fit.
var fits = regexp.MustCompile(`const ValueFits\b[^;]*;`)

// validations counts the checks of rules in the validators of a schema in Go.
func validations(doc *ir.Document) (checks int) {
	files, _, _ := templates.Generate(doc, templates.Options{})
	for _, f := range files {
		for _, m := range validation.FindAllSubmatch(f.Text, -1) {
			if len(m[1]) == 0 {
				checks++
			}
		}
	}
	return checks
}

// comparedInWords reports whether package diff says which values a rule of one of two schemas refuses.
func comparedInWords(with, without *ir.Document) bool {
	said := ""
	for _, c := range diff.Compare(without, with, goNames).Changes {
		said += fmt.Sprintf("%+v", c.Wire)
	}
	return said != "" && !strings.Contains(said, "some values")
}

// imported returns the type Value of a JSON Schema as the importer writes it; nil if it does not.
func imported(t *testing.T, exported []byte) ir.Type {
	t.Helper()
	result, err := importer.Import(importer.Source{Name: "x.json", Text: exported}, importer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	loader := schema.Loader{Read: func(string) ([]byte, error) { return result.Text, nil }}
	doc, faults := loader.Load("x.rpc.yaml")
	if doc == nil {
		t.Fatal(faults)
	}
	i := slices.IndexFunc(doc.Types, func(d *ir.Decl) bool { return d.Name == "Value" })
	if i < 0 {
		return nil
	}
	return doc.Types[i].Type
}

// TestEveryRevision: whatever has to know the revisions of MCP knows those of package mcp of the schemas, and no others.
func TestEveryRevision(t *testing.T) {
	served := runtimemcp.Revisions()
	if !slices.Equal(served, mcp.Revisions) {
		t.Errorf("runtime/mcp knows the revisions %v, and schema/mcp %v", served, mcp.Revisions)
	}
	methods := read(t, "../../../schema/mcp/testdata/methods.txt")
	told, _ := diag.Lookup(string(diag.UnknownRevision))
	for i, r := range mcp.Revisions {
		want := func(fine bool, what string) {
			t.Helper()
			if !fine {
				t.Errorf("%s does not know the revision %s", what, r)
			}
		}
		_, there := mcp.Source(r)
		want(there, "schema/mcp")
		for _, file := range []string{"schema/mcp/overlay/" + r + ".yaml", "schema/mcp/testdata/definitions/" + r + ".json", "cmd/rpcgen/internal/source/revisions/testdata/diff/" + r + ".txt"} {
			_, err := os.Stat("../../../" + file)
			want(err == nil || i == 0 && strings.Contains(file, "/diff/"), "the folder of "+file)
		}
		want(strings.Contains(methods, " "+r), "schema/mcp/testdata/methods.txt")
		want(strings.Contains(told.Explanation, r), "package diag")
		text := fmt.Sprintf("rpcgen: v1\nuse: [mcp]\nserver: {name: x, version: 1.0.0, revisions: [%s]}\ntools:\n  ping: {description: Reports whether the server is there.}\n", r)
		loader := schema.Loader{Read: func(string) ([]byte, error) { return []byte(text), nil }}
		doc, faults := loader.Load("x.rpc.yaml")
		if doc == nil {
			t.Errorf("package check does not know the revision %s: %v", r, faults)
			continue
		}
		files, _, err := templates.Generate(doc, templates.Options{})
		want(err == nil && slices.ContainsFunc(files, func(f templates.File) bool { return strings.Contains(string(f.Text), `"`+r+`"`) }), "templates")
	}
}

// TestEveryHost: whatever has to know the hosts of MCP knows those of package hosts. A new host is a file of schema/hosts, and an entry of hosts.yaml of
// package install if it has a configuration.
func TestEveryHost(t *testing.T) {
	_, page, _ := strings.Cut(read(t, "../../../docs/workshop/howto-hosts.md"), "## Names of hosts\n")
	installed, err := install.Hosts()
	if err != nil {
		t.Fatal(err)
	}
	all := hosts.Known()
	usual := all.Host(hosts.Usual)
	for _, h := range all.All() {
		want := func(fine bool, what string) {
			t.Helper()
			if !fine {
				t.Errorf("%s does not know the host %s", what, h.Name)
			}
		}
		want(strings.Contains(page, "`"+h.Name+"`"), "docs/workshop/howto-hosts.md")
		held, err := all.Select(h.Name)
		want(err == nil && len(held) > 0, "package hosts")
		for _, m := range append(h.Models, h.Union...) {
			want(all.Host(m) != nil, "the file that names "+m)
		}
		if h.Name == hosts.Usual || h.API {
			continue
		}
		want(slices.Contains(usual.Union, h.Name), "usual.yaml")
		want(slices.ContainsFunc(installed, func(i *install.Host) bool { return i.Name == h.Name }), "package install")
	}
	for _, name := range usual.Union {
		if all.Host(name) == nil {
			t.Errorf("usual.yaml names the host %s, which has no file", name)
		}
		if row := regexp.MustCompile("(?m)^\\| `usual` .*").FindString(page); !strings.Contains(row, "`"+name+"`") {
			t.Errorf("docs/workshop/howto-hosts.md does not say that usual has the host %s", name)
		}
	}
}
