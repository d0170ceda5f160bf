package draft_test

import (
	"strconv"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/draft"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
)

// TestNumbersOfNames: a name that many want costs each of them a few looks, and each gets the first number that is free, one that was offered and not taken
// among them.
func TestNumbersOfNames(t *testing.T) {
	const n = 3000
	d := draft.New("a.json", source.Cursor{}, convert.NewDecisions(), source.NewWork(0))
	looks, names := 0, map[string]bool{"A5": true}
	taken := draft.TakenBy(func(name string) bool { looks++; return names[name] })
	for i := range n {
		name, again := d.FreeName("A", source.Cursor{}, taken), d.FreeName("A", source.Cursor{}, taken)
		want := "A" // A2, A3, A4, A6 and so on
		if i > 0 {
			want += strconv.Itoa(i + 1 + min(i/4, 1))
		}
		if name != want || again != want {
			t.Fatalf("%d is called %s and then %s, not %s", i, name, again, want)
		}
		names[name] = true
	}
	if looks > 6*n {
		t.Errorf("%d names are looked for in %d places", 2*n, looks)
	}
}
