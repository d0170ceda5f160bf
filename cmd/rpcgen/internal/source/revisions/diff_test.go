package revisions_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/diff"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/mcp"
	"github.com/rpcgen-go/rpcgen/templates"
)

func names(doc *ir.Document) diff.Names {
	n, _ := templates.NewNames(doc)
	return n
}

// compared are the changes from one revision to the next.
func compared(before, after string) diff.View {
	side := func(revision string) diff.Side {
		name := revision + ".yaml"
		return diff.Side{Label: name, Source: func(string) ([]byte, bool) {
			text, ok := mcp.Source(revision)
			return text, ok
		}}
	}
	return diff.View{Report: diff.Compare(documents()[before], documents()[after], names), Old: side(before), New: side(after)}
}

// TestDiff compares every revision with the next one, and with itself.
func TestDiff(t *testing.T) {
	for i, revision := range mcp.Revisions {
		if same := compared(revision, revision); len(same.Changes) > 0 {
			t.Errorf("%s differs from itself: %v", revision, same.Changes)
		}
		if i == 0 {
			continue
		}
		var got bytes.Buffer
		if err := compared(mcp.Revisions[i-1], revision).WriteText(&got); err != nil {
			t.Fatal(err)
		}
		golden(t, "testdata/diff/"+revision+".txt", got.String())
	}
}

// TestChanges looks for every change that the history of the protocol tells of, with its verdicts.
func TestChanges(t *testing.T) {
	found := map[string]string{}
	for i, revision := range mcp.Revisions[1:] {
		for _, c := range compared(mcp.Revisions[i], revision).Changes {
			found[revision+" "+c.ID] = fmt.Sprint(c.OnWire().Verdict, " ", c.Go.Verdict, " ", c.Model.Verdict)
		}
	}
	for line := range strings.Lines(string(read(t, "testdata/changes.txt"))) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		row := strings.Fields(line)
		want := strings.Join(row[2:5], " ")
		if got := found[row[0]+" "+row[1]]; got != want {
			t.Errorf("%s in %s (%s): want %s, got %q", row[1], row[0], strings.Join(row[5:], " "), want, got)
		}
	}
}

// TestUnchanged looks up both sides of every change in the files: what is said to have changed is written otherwise there, or is on
// one side only.
func TestUnchanged(t *testing.T) {
	for i, revision := range mcp.Revisions[1:] {
		v := compared(mcp.Revisions[i], revision)
		before, after := string(read(t, mcpFolder+mcp.Revisions[i]+".yaml")), string(read(t, mcpFolder+revision+".yaml"))
		beforeLines, afterLines := strings.Split(before, "\n"), strings.Split(after, "\n")
		for _, c := range v.Changes {
			was, is := declared(beforeLines, c.Old.Line), declared(afterLines, c.New.Line)
			if strings.HasPrefix(c.Path, "document/") {
				was, is = head(before), head(after)
			}
			if was == is || was == "" && is == "" {
				t.Errorf("%s: %s at %v and %v is the same: %s", revision, c.ID, c.Old, c.New, was)
			}
			if is == "" && strings.Contains(after, was) || was == "" && strings.Contains(before, is) {
				t.Errorf("%s: %s is on both sides:\n%s", revision, c.ID, was+is)
			}
		}
	}
}

// head is what stands before the declarations.
func head(text string) string {
	before, _, _ := strings.Cut(text, "\ntypes:")
	return before
}

// declared is the declaration around a line, counted from 1; empty for line 0.
func declared(lines []string, line int) string {
	if line == 0 {
		return ""
	}
	begins := func(line string) bool { return !strings.HasPrefix(line, "   ") && strings.TrimSpace(line) != "" }
	from := line - 1
	for !begins(lines[from]) {
		from--
	}
	to := slices.IndexFunc(lines[from+1:], begins)
	if to < 0 {
		to = len(lines) - from - 1
	}
	return strings.TrimSpace(strings.Join(lines[from:from+1+to], "\n"))
}
