package house

import (
	"go/ast"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema/mcp"
)

// listsOfKeywords are the files that name most of the keywords in which lists of JSON Schema's keywords differ, with the reason. What keywords there are, what
// they hold and what they are about is in the table of schema/jsonschema/keyword.go, which others ask.
var listsOfKeywords = map[string]string{
	"schema/jsonschema/keyword.go":                        "the table",
	"runtime/gen/conform/compile.go":                      "compiles each keyword; programs do not link the compiler's packages",
	"runtime/x/contract/values/node.go":                   "makes values for each keyword; programs do not link the compiler's packages",
	"cmd/rpcgen/internal/language/subschema/subschema.go": "compares each keyword with its like",
}

// telltales are keywords that most lists have.
var telltales = []string{"prefixItems", "dependentSchemas", "patternProperties", "unevaluatedProperties", "additionalProperties"}

// escapers are the files that escape names in JSON Pointers: one of the schema's side and one of the runtime's, which programs link.
var escapers = []string{"schema/json/path.go", "runtime/gen/violation/violation.go"}

// revisionPlaces are the files that name revisions of MCP, with the reason. What the runtime does by revision is in the table, which others ask.
var revisionPlaces = map[string]string{
	"runtime/internal/mcp/protocol/era.go":                       "the table",
	"runtime/mcp/era.go":                                         "names for users",
	"runtime/internal/mcp/workshop/site.go":                      "messages of tests",
	"runtime/internal/mcp/shop/player.go":                        "messages of transcripts",
	"schema/check/tools.go":                                      "since when there are tasks",
	"schema/ir/content.go":                                       "since when there are kinds of content",
	"schema/check/errors.go":                                     "the last revision that gave some codes a meaning",
	"cmd/rpcgen/internal/source/importer/jsonschema/protocol.go": "an example",
	"schema/grammar/document.go":                                 "an example",
}

// TestOnePlace finds second lists of keywords, second escapers of JSON Pointers, and files that tell revisions of MCP apart by themselves.
func TestOnePlace(t *testing.T) {
	root()
	t.Parallel()
	seen := map[string]bool{}
	check := func(path string) {
		file, words, escapes, dates := filepath.ToSlash(path), map[string]bool{}, false, false
		parsed, err := parse(path)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, _ := strconv.Unquote(lit.Value)
			if slices.Contains(telltales, text) {
				words[text] = true
			}
			escapes = escapes || text == "~1"
			dates = dates || slices.ContainsFunc(mcp.Revisions, func(r string) bool {
				return strings.Contains(text, r) && !strings.Contains(text, r+"T") && !strings.Contains(text, "RFC 3339")
			})
			return true
		})
		const most = 3
		if listed := listsOfKeywords[file] != ""; len(words) > most != listed {
			t.Errorf("%s names %d of %s: ask schema/jsonschema/keyword.go, or correct the list of this test", file, len(words), strings.Join(telltales, ", "))
		}
		if escapes != slices.Contains(escapers, file) {
			t.Errorf("%s escapes names in JSON Pointers: use ir.EscapePointer or violation.Escape, or correct the list of this test", file)
		}
		if named := revisionPlaces[file] != ""; named != dates {
			t.Errorf("%s names revisions of MCP: %v; ask package protocol of the runtime, or package mcp of the schemas, or correct the list of this test", file, dates)
		}
		seen[file] = true
	}
	for _, root := range []string{"cmd", "schema", "templates", "runtime"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() && entry.Name() == "testdata" {
				return filepath.SkipDir
			}
			if err == nil && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") && !strings.HasSuffix(path, ".gen.go") {
				check(path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range slices.AppendSeq(slices.Collect(maps.Keys(listsOfKeywords)), maps.Keys(revisionPlaces)) {
		if !seen[file] {
			t.Errorf("%s is gone: take it off the list", file)
		}
	}
}
