package diff_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// hostile are schemas whose author would like to run something in the reviewer's browser.
var hostile = map[string]string{
	"old/main.rpc.yaml": `rpcgen: v1
package: hostile
types:
  Mark: {enum: {"</script><script>alert(1)</script>": "<b>bold</b>"}}
methods:
  'a"><script>alert(1)</script>': {params: {'"onclick="alert(1)?': {type: string, default: "</pre><b>", go: Click}}, go: Odd}
  told: {description: "one ` + "`</code><img src=x>`" + `"}
`,
	"new/main.rpc.yaml": `rpcgen: v1
package: hostile
title: "<script>alert(1)</script>"
description: "</style><img src=x onerror=alert(1)> [go](javascript:alert(1)) ` + "`</code><b>`" + `"
types:
  Mark: {enum: {"a|b": "c|d"}}
methods:
  'a"><script>alert(1)</script>': {params: {'"onclick="alert(1)?': {type: string, default: "</pre><i>", go: Click}}, go: Odd}
  told: {description: "<img src=x>", x-more: "<img src=x>"}
`,
}

var pageAnchors = regexp.MustCompile(`\bid="([^"]+)"`)

// Nothing that an author writes becomes markup, and every change has an anchor of its own.
func TestHostile(t *testing.T) {
	v := view(t, hostile)
	page, err := v.HTML()
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(page, []byte("<script")); n != 1 {
		t.Errorf("%d scripts", n)
	}
	var markdown bytes.Buffer
	if err := v.WriteMarkdown(&markdown); err != nil {
		t.Fatal(err)
	}
	for _, markup := range []string{"<img", "<b>", "<i>", "</style><", `"onclick="`} {
		if bytes.Contains(page, []byte(markup)) {
			t.Errorf("the page holds %s", markup)
		}
	}
	code := regexp.MustCompile("(?s)`[^`\n]*`").ReplaceAllString(markdown.String(), "")
	for line := range strings.Lines(code) {
		if plain := strings.ReplaceAll(line, `\<`, ""); strings.Contains(plain, "<") && !strings.HasPrefix(line, "<details>") && !strings.HasPrefix(line, "</details>") {
			t.Errorf("markup in Markdown: %s", line)
		}
	}
	seen := map[string]bool{}
	for _, m := range pageAnchors.FindAllStringSubmatch(string(page), -1) {
		if seen[m[1]] {
			t.Errorf("the anchor %s is there twice", m[1])
		}
		seen[m[1]] = true
	}
}

// Both sides are shown with the words marked that differ, and nothing else.
func TestExcerpts(t *testing.T) {
	page, err := view(t, map[string]string{
		"old/main.rpc.yaml": "rpcgen: v1\npackage: api\ntypes:\n  A: {fields: {name: {type: string, maxLength: 80}}}\n",
		"new/main.rpc.yaml": "rpcgen: v1\npackage: api\ntypes:\n  A: {fields: {name: {type: string, maxLength: 40}}}\n",
	}).HTML()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"maxLength: <mark>80</mark>}", "maxLength: <mark>40</mark>}"} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("no %s", want)
		}
	}
	if n := bytes.Count(page, []byte("<mark>")); n != 2 {
		t.Errorf("%d marks", n)
	}
}
