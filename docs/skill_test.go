package docs_test

import (
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	linediff "github.com/rogpeppe/go-internal/diff"
)

// published is where pages are for those who have no clone.
const published = "https://raw.githubusercontent.com/rpcgen-go/rpcgen/main/docs/"

// compareWritten compares a file that a test writes with what it should be, and writes it with -update.
func compareWritten(t *testing.T, name, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if d := linediff.Diff(name, []byte(text(t, name)), "the pages", []byte(want)); d != nil {
		t.Errorf("run go test ./docs -update\n%s", d)
	}
}

const llmsHead = `# rpcgen

> rpcgen compiles a YAML schema of methods, params, results and errors into typed Go: servers and clients of JSON-RPC 2.0, and of the Model Context Protocol (MCP).

- [How to work with rpcgen](` + published + `skills/rpcgen/SKILL.md): a summary for agents
- [The JSON Schema of the language](https://raw.githubusercontent.com/rpcgen-go/rpcgen/main/schema/rpcgen-v1.json)
`

// TestLLMs compares llms.txt (https://llmstxt.org), an index of the pages for language models, with the pages: those that docs/README.md names, by its
// headings, with the first sentence of each.
func TestLLMs(t *testing.T) {
	index, _, _ := strings.Cut(text(t, "README.md"), "## For contributors")
	all, seen := llmsHead, map[string]bool{}
	for _, section := range strings.Split(index, "\n## ")[1:] {
		title, body, _ := strings.Cut(section, "\n")
		all += "\n## " + title + "\n\n"
		for _, to := range names(link, body) {
			page, _, _ := strings.Cut(to, "#")
			if seen[page] || path.Ext(page) != ".md" || strings.HasPrefix(page, "..") {
				continue
			}
			seen[page] = true
			head, said := summary(text(t, page))
			all += fmt.Sprintf("- [%s](%s): %s\n", head, published+page, said)
		}
	}
	if len(seen) < 30 {
		t.Errorf("%d pages", len(seen))
	}
	compareWritten(t, "llms.txt", all)
}

var (
	sentence = regexp.MustCompile("^(?:[^.`]|`[^`]*`|\\.\\S)*\\.?")
	// paragraph finds one of prose, or the first item of a list.
	paragraph = regexp.MustCompile("\n\n(?:[-*1.]+ )?([A-Za-z`\\[][^\n]*(?:\n[^\n]+)*)")
	linked    = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	remark    = regexp.MustCompile(`(?s)<!--.*?-->\n*`)
)

// summary returns the title of a page and the first sentence after it.
func summary(page string) (title, said string) {
	title, body, _ := strings.Cut(remark.ReplaceAllString(fenced.ReplaceAllString(page, ""), ""), "\n")
	prose := paragraph.FindStringSubmatch("\n\n" + body)[1]
	return strings.TrimPrefix(title, "# "), strings.TrimRight(sentence.FindString(strings.Join(strings.Fields(linked.ReplaceAllString(prose, "$1")), " ")), ":")
}

// skillHead begins the skill, in the form of https://agentskills.io/specification.
const skillHead = `---
name: rpcgen
description: Changes services whose schema is a *.rpc.yaml file of rpcgen, which generates Go for JSON-RPC 2.0 and MCP. Use it to add a tool or a method, to read faults that rpcgen reports, and to change a schema without breaking clients.
---

# rpcgen

A schema (` + "`*.rpc.yaml`" + `) says what a service offers; ` + "`go tool rpcgen generate FILE`" + ` writes Go files (` + "`*.gen.go`" + `) next to it. Never edit those: change the schema and generate.
Handlers implement the generated interface. Exit codes: 0 success, 1 findings, 2 wrong usage, 3 an error of rpcgen or no answer of a server.
All pages are in the index ` + published + `llms.txt; [the language](language.md) is the reference.
`

// skillPages have the passages of the skill: between "<!-- skill: TITLE -->", or "<!-- skill -->" for more of the same, and "<!-- end of skill -->".
var skillPages = []string{"../README.md", "howto-add-tool.md", "howto-upgrade.md"}

var passage = regexp.MustCompile(`(?s)<!-- skill(?:: ([^\n]*))? -->\n(.*?)<!-- end of skill -->\n`)

// TestSkill compares the skill for agents with the passages of the pages. An agent reads it as a whole, so it is short.
func TestSkill(t *testing.T) {
	all := absolute(skillHead, "x.md")
	sections := []string{}
	for _, page := range skillPages {
		for _, m := range passage.FindAllStringSubmatch(text(t, page), -1) {
			if m[1] != "" {
				sections = append(sections, m[1])
				all += "\n## " + m[1] + "\n"
			}
			all += "\n" + strings.TrimSpace(absolute(shown(m[2]), page)) + "\n"
		}
	}
	if want := []string{"Commands", "Read faults", "Add a tool", "Change a schema safely"}; !slices.Equal(sections, want) {
		t.Errorf("the sections are %q, and not %q", sections, want)
	}
	if len(all) > 8<<10 {
		t.Errorf("the skill has %d bytes, and may have %d", len(all), 8<<10)
	}
	compareWritten(t, "skills/rpcgen/SKILL.md", all)
}

// shown returns a passage as readers of the page see it: without hidden scripts, and without what tests do with code.
func shown(passage string) string {
	passage = remark.ReplaceAllString(passage, "")
	return regexp.MustCompile("(?m)^(```[a-z]+) .*$").ReplaceAllString(passage, "$1")
}

// absolute returns a passage of a page with links that work elsewhere.
func absolute(passage, page string) string {
	return link.ReplaceAllStringFunc(passage, func(found string) string {
		to := link.FindStringSubmatch(found)[1]
		if strings.Contains(to, "://") {
			return found
		}
		from, err := url.Parse(published + filepath.ToSlash(page))
		if err != nil {
			return found
		}
		return "](" + from.ResolveReference(&url.URL{Path: path.Clean(to)}).String() + ")"
	})
}
