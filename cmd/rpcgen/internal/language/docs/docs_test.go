package docs_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	linediff "github.com/rogpeppe/go-internal/diff"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/docs"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

var update = flag.Bool("update", false, "write the golden files anew")

func load(t *testing.T, name string) *ir.Document {
	t.Helper()
	folder := "test/"
	if name == "weather" {
		folder = "examples/"
	}
	doc, faults := schema.Load("../../../../../" + folder + name + "/" + name + ".rpc.yaml")
	if doc == nil {
		t.Fatal(faults)
	}
	return doc
}

func html(t *testing.T, doc *ir.Document) []byte {
	t.Helper()
	text, err := docs.HTML(doc)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestExamples compares the references of the example schemas with golden files: the small page is there as a whole, of the large ones the
// structure, as their texts are those of the Markdown. Every link leads to an anchor, and there is none twice.
func TestExamples(t *testing.T) {
	for _, name := range []string{"weather", "allkinds", "toolbox"} {
		t.Run(name, func(t *testing.T) {
			doc := load(t, name)
			page := html(t, doc)
			linked(t, docs.Markdown(doc))
			linked(t, page)
			golden(t, name+".md", docs.Markdown(doc))
			if name == "weather" {
				golden(t, name+".html", page)
			} else {
				golden(t, name+".structure", structure(page))
			}
			if !bytes.Equal(docs.Markdown(doc), docs.Markdown(doc)) || !bytes.Equal(html(t, doc), html(t, doc)) {
				t.Error("two exports differ")
			}
		})
	}
}

// structure returns a line for each element of a page that has an id: which elements follow before the next one, and how many.
func structure(page []byte) []byte {
	var b bytes.Buffer
	counts := make(map[string]int)
	end := func() {
		for _, tag := range slices.Sorted(maps.Keys(counts)) {
			fmt.Fprintf(&b, " %s %d", tag, counts[tag])
		}
		clear(counts)
		b.WriteByte('\n')
	}
	for _, m := range elements.FindAllSubmatch(page, -1) {
		tag := string(m[1])
		if id := anchors.FindSubmatch(m[2]); id != nil {
			end()
			fmt.Fprintf(&b, "%s#%s:", tag, id[1])
			continue
		}
		counts[tag]++
	}
	end()
	return b.Bytes()
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

var (
	elements = regexp.MustCompile(`<([a-z][a-z0-9]*)((?:\s[^>]*)?)>`)
	anchors  = regexp.MustCompile(`\bid="([^"]+)"`)
	links    = regexp.MustCompile(`href="#([^"]+)"|\]\(#([^)]+)\)`)
)

func linked(t *testing.T, text []byte) {
	t.Helper()
	known := map[string]bool{}
	for _, m := range anchors.FindAllStringSubmatch(string(text), -1) {
		if known[m[1]] {
			t.Errorf("the anchor %s is there twice", m[1])
		}
		known[m[1]] = true
	}
	for _, m := range links.FindAllStringSubmatch(string(text), -1) {
		if to := m[1] + m[2]; !known[to] {
			t.Errorf("a link leads to %s, which is not there", to)
		}
	}
}

// hostile is a schema whose author would like to run something in the reader's browser.
const hostile = `rpcgen: v1
package: hostile
title: "<script>alert(1)</script>"
description: "</style><img src=x onerror=alert(1)> [go](javascript:alert(1)) ` + "`</code><b>`" + `"
types:
  Mark: {enum: {"</script><script>alert(1)</script>": "<b>bold</b>", "a|b": "c|d"}}
errors:
  Bad: {code: 1, message: "<img src=x onerror=alert(1)>"}
methods:
  'a"><script>alert(1)</script>': {params: {'"onclick="alert(1)?': {type: string, default: "</pre><b>", go: Click}}, go: Odd}
`

// Nothing that an author writes becomes markup.
func TestHostile(t *testing.T) {
	loader := &schema.Loader{Read: func(string) ([]byte, error) { return []byte(hostile), nil }}
	doc, faults := loader.Load("hostile.rpc.yaml")
	if doc == nil {
		t.Fatal(faults)
	}
	page, markdown := html(t, doc), docs.Markdown(doc)
	linked(t, page)
	linked(t, markdown)
	if n := bytes.Count(page, []byte("<script")); n != 1 {
		t.Errorf("%d scripts", n)
	}
	for _, markup := range []string{"<img", "<b>", "</style><", `"onclick="`, "javascript:alert(1)\""} {
		if bytes.Contains(page, []byte(markup)) {
			t.Errorf("the page holds %s", markup)
		}
	}
	for line := range strings.Lines(outsideCode(string(markdown))) {
		if strings.Contains(strings.ReplaceAll(line, `\<`, ""), "<") && !strings.HasPrefix(line, `<a id="`) {
			t.Errorf("markup in Markdown: %s", line)
		}
		if strings.Contains(strings.ReplaceAll(line, `\]`, ""), "](javascript") {
			t.Errorf("a link in Markdown: %s", line)
		}
	}
}

var codeParts = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")

func outsideCode(markdown string) string { return codeParts.ReplaceAllString(markdown, "") }
