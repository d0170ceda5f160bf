package contract

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
)

// TestRise: calls that grow slower are told from ones of which some are slow.
func TestRise(t *testing.T) {
	took := func(of func(i int) int) (all []time.Duration) {
		for i := range 50 {
			all = append(all, time.Duration(of(i))*time.Millisecond)
		}
		return all
	}
	for name, one := range map[string]struct {
		took []time.Duration
		base time.Duration
		want bool
	}{
		"grows":                       {took(func(i int) int { return 2 * i }), time.Hour, true},
		"is slow at the end at times": {took(func(i int) int { return 1 + i/45*(i%2)*90 }), time.Hour, false},
		"is slow always":              {took(func(i int) int { return 400 + i }), time.Hour, false},
		"grows on from what it was":   {took(func(i int) int { return 400 + 2*i }), 5 * time.Millisecond, true},
		"has too few calls":           {took(func(i int) int { return 20 * i })[:7], time.Hour, false},
		"goes on a little":            {took(func(i int) int { return 200 + 2*i })[:8], 5 * time.Millisecond, true},
	} {
		if _, _, slower := rise(one.took, one.base); slower != one.want {
			t.Errorf("%s: got %v", name, slower)
		}
	}
}

// TestCulprits looks for the calls of a history that end a server, which are those that stand in each row, in this order.
func TestCulprits(t *testing.T) {
	tools := map[string]*tool{"a": {name: "a"}, "b": {name: "b"}}
	parse := func(s string) (all []call) {
		for _, word := range strings.Fields(s) {
			all = append(all, call{tools[word[:1]], word[1:]})
		}
		return all
	}
	for _, tt := range []struct{ history, needed, want string }{
		{"a1", "a1", "a1"},
		{"a1 a2 b1 b2 b3 a3 b4", "b1", "b1"},
		{"a1 b1 b2 a2 b3 b4", "a1 a2", "a1 a2"},
		{"a1 b1 a2 b2 a3 b3 a4", "a2 b3", "a2 b3"},
		{"a1 b1", "a9", ""},
	} {
		tries := 0
		got := (&finder{instance: &instance{plan: &plan{o: Options{Timeout: time.Hour}}}}).culprits(parse(tt.history), func(calls []call) bool {
			tries++
			needed := parse(tt.needed)
			for _, c := range calls {
				if len(needed) > 0 && c == needed[0] {
					needed = needed[1:]
				}
			}
			return len(needed) == 0
		})
		if !slices.Equal(got, parse(tt.want)) || tries > 20 {
			t.Errorf("%s: got %v after %d tries, want %s", tt.history, got, tries, tt.want)
		}
	}
}

// TestOutOfTime: the checks that share the last phase name each tool that they leave out.
func TestOutOfTime(t *testing.T) {
	for name, check := range map[string]func(rig){"MixedUp": tryMixed, "Slow": growth, "ErasDiffer": eraCalls} {
		for reason, budget := range map[string]time.Time{"the check had its sixth of the time: raise --time": time.Now().Add(time.Hour), "the time was over: raise --time": time.Now()} {
			r := newRig(t.Context(), nil, Options{Time: time.Nanosecond})
			r.budget, r.era, r.eras = budget, protocol.Handshake, []protocol.Era{protocol.Handshake, protocol.Stateless}
			r.tools = []*tool{{name: "a", readOnly: true, control: "{}"}, {name: "b", readOnly: true, control: "{}"}, {name: "c"}}
			check(r)
			if want := []Skipped{{name, "a", reason}, {name, "b", reason}}; !slices.Equal(r.report.Skipped, want) {
				t.Errorf("got %v, want %v", r.report.Skipped, want)
			}
		}
	}
}

// TestSmaller: an absolute path is left out or stays, since what it begins with may lie outside a sandbox.
func TestSmaller(t *testing.T) {
	v, err := jsontree.Parse([]byte(`{"path":"/tmp/sandbox/a"}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, less := range smaller(v) {
		if less.In("path") != nil {
			t.Errorf("%s is tried", less.JSON())
		}
	}
}
