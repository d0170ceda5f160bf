package typescript_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// TestArticles: messages in TypeScript have the articles of those in Go.
func TestArticles(t *testing.T) {
	lib, err := os.ReadFile("lib/rules_limits.ts")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`\{/(\^.*?)/\.test\(noun\) \? "an" : "a"\}`).FindSubmatch(lib)
	if found == nil {
		t.Fatal("the expression of articles is not there")
	}
	an := regexp.MustCompile(string(found[1]))
	formats := ir.Each(ir.Formats, func(f ir.FormatInfo) string { return f.Name })
	for _, noun := range append(formats, "array", "boolean", "integer", "number", "object", "string") {
		want := "a "
		if an.MatchString(noun) {
			want = "an "
		}
		if got := text.Article(noun); got != want+noun {
			t.Errorf("Go says %q, and TypeScript %q", got, want+noun)
		}
	}
}
