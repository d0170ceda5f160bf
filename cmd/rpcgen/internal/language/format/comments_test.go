package format_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/format"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

var mark = regexp.MustCompile(`# mark\d+`)

// Comments and empty lines at any place of any schema: none is lost, none changes the model, and they stay where they went.
func TestCommentsSurvive(t *testing.T) {
	for name, files := range corpus(t) {
		before, ok := model(files)
		if !ok || len(files["main.rpc.yaml"]) > 1500 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			source := files["main.rpc.yaml"]
			rapid.Check(t, func(t *rapid.T) {
				text := withComments(t, source)
				files["main.rpc.yaml"] = text
				if with, ok := model(files); !ok || with != before {
					return // it stands within a text, and is one
				}
				got, faults := format.Source("x", []byte(text))
				if faults.HasErrors() {
					t.Fatal(faults)
				}
				want, found := mark.FindAllString(text, -1), mark.FindAllString(string(got), -1)
				slices.Sort(want)
				slices.Sort(found)
				if !slices.Equal(want, found) {
					t.Fatalf("%v became %v\n%s", want, found, got)
				}
				files["main.rpc.yaml"] = string(got)
				if after, ok := model(files); !ok || after != before {
					t.Fatalf("the model changed\n%s", got)
				}
				if again, _ := format.Source("x", got); string(again) != string(got) {
					t.Fatal(cmp.Diff(string(got), string(again)))
				}
			})
			files["main.rpc.yaml"] = source
		})
	}
}

// withComments adds a few comments and empty lines, and keeps those with which the text is still YAML.
func withComments(t *rapid.T, text string) string {
	for i := range rapid.IntRange(1, 6).Draw(t, "comments") {
		lines := strings.Split(text, "\n")
		at := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
		remark := fmt.Sprintf("# mark%d", i)
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			lines[at] += "  " + remark
		case 1:
			lines = slices.Insert(lines, at, "")
		default:
			lines = slices.Insert(lines, at, strings.Repeat(" ", rapid.IntRange(0, 10).Draw(t, "indent"))+remark)
		}
		if with := strings.Join(lines, "\n"); parses(with) {
			text = with
		}
	}
	return text
}

func parses(text string) bool {
	_, faults := syntax.Parse("x", []byte(text))
	return !faults.HasErrors()
}
