package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var hidden = regexp.MustCompile(`(?s)<!-- test\n.*?-->`)

// TestPublished: the pages of this repository can be those of the first release, once and for all.
func TestPublished(t *testing.T) {
	changed := 0
	for _, pattern := range []string{"../../*.md", "../../docs/*.md", "../../examples/*/README.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil || files == nil {
			t.Fatal(pattern, err)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			once, err := published(name, string(text))
			if err != nil {
				t.Error(err)
				continue
			}
			if once != string(text) {
				changed++
			}
			// Pages about what is in a clone may use one.
			own := strings.Contains(name, "examples/") || slices.Contains([]string{"compatibility.md", "howto-cluster.md", "release.md"}, filepath.Base(name))
			if visible := hidden.ReplaceAllString(once, ""); !own && (strings.Contains(visible, "git clone") || strings.Contains(visible, "~/rpcgen")) {
				t.Errorf("%s still begins with a clone", name)
			}
			if twice, err := published(name, once); err != nil || twice != once {
				t.Errorf("%s changes again: %v", name, err)
			}
		}
	}
	t.Logf("%d pages change", changed)
}

// TestEdits shows what becomes of each form.
func TestEdits(t *testing.T) {
	for before, after := range map[string]string{
		"<!-- unpublished -->\nfrom a clone\n\n```sh\ngit clone\n```\n<!-- published\nYou need Go.\n-->\nThen\n":                                          "You need Go.\nThen\n",
		"go mod edit -require github.com/rpcgen-go/rpcgen@v0.0.0 -replace github.com/rpcgen-go/rpcgen=$HOME/rpcgen\ngo mod edit -tool example.com/tool\n": "go get -tool example.com/tool@latest\n",
		"go mod edit -require github.com/rpcgen-go/rpcgen@v0.0.0 -replace github.com/rpcgen-go/rpcgen=$HOME/rpcgen -tool example.com/tool\n":              "go get -tool example.com/tool@latest\n",
		"go mod edit -require github.com/rpcgen-go/rpcgen@v0.0.0 -replace github.com/rpcgen-go/rpcgen=$HOME/rpcgen\n":                                     "go get github.com/rpcgen-go/rpcgen@latest\n",
		"go mod edit -require example.com/a/b@v0.0.0 -replace example.com/a/b=$HOME/rpcgen/b\n":                                                           "go get example.com/a/b@latest\n",
		"cd ~/rpcgen\ngo run ./cmd/rpcgen init ~/weather\n":                                                                                               "go run github.com/rpcgen-go/rpcgen/cmd/rpcgen@latest init ~/weather\n",
		"cp ~/rpcgen/a/b.yaml rpc/\n": "cp \"$(go list -m -f '{{.Dir}}' github.com/rpcgen-go/rpcgen)/a/b.yaml\" rpc/\n",
		"A module. Until it is published, `go.mod` has to say where the clone has it:\n": "A module. Require it:\n",
	} {
		if got, err := published("page.md", before); err != nil || got != after {
			t.Errorf("%q becomes %q: %v", before, got, err)
		}
	}
	_, err := published("page.md", "One\nNo version is published yet.\n")
	if err == nil || !strings.HasPrefix(err.Error(), `page.md:2 says "No version is published"`) {
		t.Error(err)
	}
}
