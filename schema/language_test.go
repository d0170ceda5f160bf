package schema_test

import (
	"os"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema"
)

// The schemas of the language's reference compile.
func TestLanguageReference(t *testing.T) {
	text, err := os.ReadFile("../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, part := range strings.Split(string(text), "```yaml\n")[1:] {
		example, _, _ := strings.Cut(part, "```")
		if !strings.Contains(example, "rpcgen: v1\n") {
			continue
		}
		found++
		loader := &schema.Loader{Read: func(string) ([]byte, error) { return []byte(example), nil }}
		if _, faults := loader.Load("main.rpc.yaml"); len(faults) > 0 {
			t.Errorf("%v\n%s", faults, example)
		}
	}
	if found < 2 {
		t.Errorf("%d schemas", found)
	}
}
