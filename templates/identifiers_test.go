package templates

import (
	"os"
	"strings"
	"testing"
)

// TestInitialismsOfThePage: the explorer copies calls of generated code, whose names it makes by the same words.
func TestInitialismsOfThePage(t *testing.T) {
	page, err := os.ReadFile("../runtime/x/explorer/page/copies.js")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(page), "const initialisms = [")
	list, _, _ = strings.Cut(list, "];")
	if got, want := strings.Join(strings.Fields(list), " "), "'"+strings.Join(initialisms, "', '")+"'"; got != want {
		t.Errorf("the page has %s, not %s", got, want)
	}
}
