package properties_test

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/rpcgen-go/rpcgen/runtime/gen/uri"
)

// TestURI: what was expanded is found again, whatever it was, unless it has control characters.
func TestURI(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plain := rapid.StringN(1, 20, -1).Filter(func(s string) bool { return !strings.ContainsFunc(s, unicode.IsControl) })
		a := plain.Draw(t, "a")
		b := plain.Filter(func(s string) bool { return !strings.Contains(s, "%") }).Draw(t, "b")
		text := uri.Append([]byte("x:"), a)
		text = uri.AppendReserved(append(text, "/-/"...), b)
		m := uri.NewMatch(string(text))
		m.Literal("x:")
		gotA, gotB := m.Simple("/-/"), m.LastReserved("")
		if !m.Done() || gotA != a || gotB != b {
			t.Fatalf("%s: %v %q %q", text, m.Done(), gotA, gotB)
		}
	})
}
