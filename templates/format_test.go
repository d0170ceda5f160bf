package templates

import (
	"fmt"
	"strings"
	"testing"
)

// TestHeldDeclarations: of a file with many declarations few are kept as trees, and the text is that of all of them.
func TestHeldDeclarations(t *testing.T) {
	f := newFile("a.gen.go", "a", Header("a.rpc.yaml"))
	want := "// " + Header("a.rpc.yaml") + "\n\npackage a\n\nimport \"net/url\"\n"
	for i := range 1000 {
		boundary(f.code)
		f.code.Var().Id(fmt.Sprint("v", i)).Qual("net/url", "URL")
		if len(strings.Split(f.code.GoString(), "\nvar v")) > 17 {
			t.Fatalf("more than 16 declarations are kept as trees after %d", i)
		}
		f.flush()
		want += fmt.Sprintf("\nvar v%d url.URL\n", i)
	}
	files, err := formatAll([]*file{nil, f}, false)
	if err != nil || len(files) != 1 || string(files[0].Text) != want {
		t.Errorf("%v %d files, %s", err, len(files), files[0].Text[:200])
	}
}
