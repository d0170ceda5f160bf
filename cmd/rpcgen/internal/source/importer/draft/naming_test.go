package draft_test

import (
	"strconv"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/draft"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
)

// TestNumbersOfNames: a name that many want costs each of them a few allocations, not one for each of those before, and each gets the first number that is
// free, one that was offered and not taken among them.
func TestNumbersOfNames(t *testing.T) {
	const n = 2000
	made := testing.AllocsPerRun(1, func() {
		d, taken := draft.New("a.json", source.Cursor{}, convert.NewDecisions(), source.NewWork(0)), tree.NewEntries()
		taken.Set("A5", taken.Node)
		for i := range n {
			want := "A" // A2, A3, A4, A6 and so on
			if i > 0 {
				want += strconv.Itoa(i + 1 + min(i/4, 1))
			}
			name, again := d.FreeName("A", source.Cursor{}, taken), d.FreeName("A", source.Cursor{}, taken)
			if name != want || again != want {
				t.Fatalf("%d is called %s and then %s, not %s", i, name, again, want)
			}
			taken.Set(name, taken.Node)
		}
	})
	if made > 50*n {
		t.Errorf("%.0f allocations for %d names", made, n)
	}
}
