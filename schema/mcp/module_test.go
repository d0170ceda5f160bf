package mcp_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/mcp"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// payloads are the types that handlers, tools and clients exchange. With those that they refer to they are the module mcp: what is generated
// from it is part of every server, so it has neither requests nor the results that only package mcp writes.
var payloads = []string{
	"CallToolResult", "GetPromptResult", "PromptMessage", "ReadResourceResult", "ContentBlock", "Annotations", "MetaObject", "Icon", "LoggingLevel",
	"ElicitRequestFormParams", "ElicitRequestURLParams", "ElicitResult", "CreateMessageRequestParams", "CreateMessageResult", "SamplingMessage",
	"ListRootsResult", "Root", "CompleteResult", "Tool", "Prompt", "Resource", "ResourceTemplate",
}

const moduleHead = `rpcgen: v1
package: mcp20260728
title: Types of the Model Context Protocol
description: The types of the module mcp - what handlers, tools and clients exchange. All others are in the schema of the revision.
`

// moduleKeys are the other keys of the schema of a revision that the codecs of its types depend on: what null means, and how names are spelled.
var moduleKeys = regexp.MustCompile(`(?m)^(protocol|go): .*\n`)

// TestModule compares the module with the types of the newest revision that it consists of.
func TestModule(t *testing.T) {
	newest := mcp.Revisions[len(mcp.Revisions)-1] + ".yaml"
	text := read(t, newest)
	root, faults := syntax.Parse(newest, text)
	if root == nil || len(faults) > 0 {
		t.Fatal(faults)
	}
	types := root.Get("types")
	wanted := map[string]bool{}
	var want func(name string)
	want = func(name string) {
		if e := types.Entry(name); e != nil && !wanted[name] {
			wanted[name] = true
			mentioned(e.Value, want)
		}
	}
	for _, name := range payloads {
		want(name)
		if !wanted[name] {
			t.Errorf("%s has no type %s", newest, name)
		}
	}
	lines := strings.SplitAfter(string(text), "\n")
	var blocks []string
	for i, e := range types.Entries {
		end := root.Entries[slices.IndexFunc(root.Entries, func(e syntax.Entry) bool { return e.Key.Text == "types" })+1].Key.Span.Line
		if i+1 < len(types.Entries) {
			end = types.Entries[i+1].Key.Span.Line
		}
		if wanted[e.Key.Text] {
			blocks = append(blocks, strings.TrimRight(strings.Join(lines[e.Key.Span.Line-1:end-1], ""), "\n")+"\n")
		}
	}
	keys := moduleKeys.FindAllString(string(text), -1)
	if len(keys) != 2 {
		t.Errorf("%s has %q", newest, keys)
	}
	module := moduleHead + strings.Join(keys, "") + "\ntypes:\n" + strings.Join(blocks, "\n")
	if *update {
		if err := os.WriteFile("module.yaml", []byte(module), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if string(read(t, "module.yaml")) != module {
		t.Error("module.yaml is out of date: run go test ./schema/mcp -update, and make generate")
	}
	if doc, faults := schema.Load("module.yaml"); doc == nil || len(faults) > 0 {
		t.Error(faults)
	}
}

var word = regexp.MustCompile(`\w+`)

// mentioned calls f with each word of a schema that may be the name of a type: prose and the values of enumerations are not.
func mentioned(n *syntax.Node, f func(string)) {
	for _, w := range word.FindAllString(n.Text, -1) {
		f(w)
	}
	for _, item := range n.Items {
		mentioned(item, f)
	}
	for _, e := range n.Entries {
		switch e.Key.Text {
		case "description", "title", "deprecated", "default", "x-default", "enum", "const":
		default:
			mentioned(e.Value, f)
		}
	}
}
