package format_test

import (
	"flag"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/format"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// Random inputs are the same in each run, so that what fails has failed by a change; -rapid.seed=0 draws others.
func init() {
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
}

// texts are hard to write: what YAML takes for something else, and what ends a text.
var texts = rapid.OneOf(
	rapid.StringOfN(rapid.RuneFrom([]rune("ab ?:-,#[]{}\"'\\\n\t|>&*!%@`~=<é日😀\u0085\u2028\u00a0\x01.0")), 0, 12, -1),
	rapid.SampledFrom([]string{"", "null", "~", "true", "no", "yes", "1.10", "1e400", "0x1f", "0o7", "1_000", "1:20", "2025-11-25", "<<", "=", "---", "- a", "? b", ".inf", "NaN", "a: b", "a #b", "a\n", "a\n\n", "\na"}),
	rapid.Custom(func(t *rapid.T) string {
		words := rapid.SliceOfN(rapid.StringOfN(rapid.RuneFrom([]rune("abc,.#:-'`{")), 1, 30, -1), 1, 60).Draw(t, "words")
		return strings.Join(words, rapid.SampledFrom([]string{" ", " ", "  ", "\n", "\n\n", " \n", "\n  "}).Draw(t, "between"))
	}),
)

func scalarNode(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
}

func mappingNode(pairs ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Content: pairs}
}

// value draws text, a list or a mapping.
func value(t *rapid.T, depth int) *yaml.Node {
	kind := rapid.IntRange(0, 5).Draw(t, "kind")
	if depth == 0 || kind < 3 {
		n := scalarNode(texts.Draw(t, "text"))
		n.Style = rapid.SampledFrom([]yaml.Style{0, yaml.DoubleQuotedStyle, yaml.LiteralStyle, yaml.FoldedStyle}).Draw(t, "style")
		return n
	}
	n := &yaml.Node{Kind: yaml.SequenceNode}
	if kind == 5 {
		n.Kind = yaml.MappingNode
	}
	seen := map[string]bool{}
	for range rapid.IntRange(0, 4).Draw(t, "size") {
		if kind == 5 {
			key := texts.Draw(t, "key")
			if seen[key] || key == "" {
				continue
			}
			seen[key] = true
			n.Content = append(n.Content, scalarNode(key))
		}
		n.Content = append(n.Content, value(t, depth-1))
		if rapid.IntRange(0, 9).Draw(t, "commented") == 0 {
			n.Content[len(n.Content)-1].LineComment = "# remark"
		}
	}
	return n
}

// Whatever a value is, what is written reads back as the same value.
func TestValuesSurvive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data, doc := value(t, 4), texts.Draw(t, "description")
		root := mappingNode(scalarNode("rpcgen"), scalarNode("v1"), scalarNode("description"), scalarNode(doc), scalarNode("x-data"), data)
		text := format.Node(root)
		read, faults := syntax.Parse("x", text)
		if faults.HasErrors() {
			t.Fatalf("%v\n%s", faults, text)
		}
		if got := read.Get("description").Text; strings.TrimSpace(got) != strings.TrimSpace(doc) {
			t.Fatalf("%q became %q\n%s", doc, got, text)
		}
		same(t, data, read.Get("x-data"), text)
		again, faults := format.Source("x", text)
		if faults.HasErrors() || string(again) != string(text) {
			t.Fatalf("%s\nbecomes\n%s", text, again)
		}
	})
}

func same(t *rapid.T, want *yaml.Node, got *syntax.Node, text []byte) {
	switch {
	case want.Kind == yaml.ScalarNode:
		if got.Text != want.Value || got.JSON() != ir.Text && want.Style != 0 {
			t.Fatalf("%q became %q %v\n%s", want.Value, got.Text, got.JSON(), text)
		}
	case len(want.Content) != len(got.Items)+2*len(got.Entries):
		t.Fatalf("%d parts became %d\n%s", len(want.Content), len(got.Items)+2*len(got.Entries), text)
	case want.Kind == yaml.SequenceNode:
		for i, item := range got.Items {
			same(t, want.Content[i], item, text)
		}
	default:
		for i, e := range got.Entries {
			same(t, want.Content[2*i], e.Key, text)
			same(t, want.Content[2*i+1], e.Value, text)
		}
	}
}
