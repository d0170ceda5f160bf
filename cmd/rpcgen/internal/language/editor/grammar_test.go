package editor_test

import (
	"encoding/json"
	"os"
	"regexp"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema/grammar"
)

// TestHighlighted: the grammar of the extension for Visual Studio Code colours every built-in type.
func TestHighlighted(t *testing.T) {
	text, err := os.ReadFile("../../../../../.tools/vscode/grammar.json")
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(text) {
		t.Error("grammar.json is not JSON")
	}
	for _, name := range grammar.Builtins {
		if !regexp.MustCompile(`[(|]` + name + `[|)]`).Match(text) {
			t.Errorf("grammar.json does not have %s", name)
		}
	}
}
