package editor_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema/grammar"
)

// TestHighlighted: the grammar of the extension for Visual Studio Code colours every built-in type.
func TestHighlighted(t *testing.T) {
	const file = "../../../../../.tools/vscode/grammar.json"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(text) {
		t.Error("grammar.json is not JSON")
	}
	types := regexp.MustCompile(`\(string\|[a-z0-9_|]+\|null\)`)
	if n := len(types.FindAll(text, -1)); n != 1 {
		t.Fatalf("grammar.json has %d lists of the built-in types", n)
	}
	golden(t, file, types.ReplaceAllLiteral(text, []byte("("+strings.Join(grammar.Builtins, "|")+"|null)")))
}
