package format_test

import (
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/format"
	"github.com/rpcgen-go/rpcgen/schema"
)

// TestEndsOfTexts formats descriptions that end in line breaks: what is published stays, and so does the text at the second time.
func TestEndsOfTexts(t *testing.T) {
	for text, end := range map[string]string{
		"\"One.\\n\"":                  "\n",
		"\"One.\\n\\n\"":               "\n\n",
		"'One.'":                       "",
		"|\n      One.\n      Two.\n":  "",
		"|+\n      One.\n      Two.\n": "\n",
		"|2+\n      One.\n":            "\n",
		">+  # said\n      One.\n":     "\n",
		"|+\n      One.\n\n\n":         "\n\n\n",
		"\"One + |+\"":                 "",
		"|  # not |+\n      One.\n":    "",
	} {
		source := "rpcgen: v1\ntypes:\n  A:\n    description: " + text + "\n    type: string\n"
		source = strings.ReplaceAll(source, "\n\n    type", "\n    type")
		once, faults := format.Source("a.rpc.yaml", []byte(source))
		if len(faults) > 0 {
			t.Fatal(source, faults)
		}
		twice, _ := format.Source("a.rpc.yaml", once)
		for _, text := range []string{source, string(once), string(twice)} {
			loader := schema.Loader{Read: func(string) ([]byte, error) { return []byte(text), nil }}
			doc, faults := loader.Load("a.rpc.yaml")
			if faults.HasErrors() {
				t.Fatal(text, faults)
			}
			if got := doc.Types[0].DocEnd; got != end {
				t.Errorf("%q, want %q:\n%s", got, end, text)
			}
		}
		if string(once) != string(twice) {
			t.Errorf("%s\n%s", once, twice)
		}
	}
}
