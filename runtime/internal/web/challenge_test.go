package web_test

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// TestChallenges reads headers as servers send them.
func TestChallenges(t *testing.T) {
	type params = map[string]string
	for _, test := range []struct {
		values []string
		want   []web.Challenge
	}{
		{nil, nil},
		{[]string{"Bearer"}, []web.Challenge{{"bearer", nil}}},
		{[]string{`Bearer realm="a, b", scope = "x y",error=invalid_token`}, []web.Challenge{{"bearer", params{"realm": "a, b", "scope": "x y", "error": "invalid_token"}}}},
		{[]string{`Basic realm="x", DPoP algs="ES256", Error="use_dpop_nonce"`, "Bearer"}, []web.Challenge{
			{"basic", params{"realm": "x"}}, {"dpop", params{"algs": "ES256", "error": "use_dpop_nonce"}}, {"bearer", nil}}},
		{[]string{`Negotiate YWJj==, Bearer scope="a"`}, []web.Challenge{{"negotiate", nil}, {"bearer", params{"scope": "a"}}}},
		{[]string{`Negotiate YWJj, Bearer scope="a"`}, []web.Challenge{{"negotiate", nil}, {"bearer", params{"scope": "a"}}}},
		{[]string{`Bearer scope="a", scope="b"`}, []web.Challenge{{"bearer", params{"scope": "a"}}}},
		{[]string{`Bearer scope="a\"b`}, []web.Challenge{{"bearer", params{"scope": `a"b`}}}},
		{[]string{`scope="a"`}, nil},
		{[]string{`Bearer scope="a" "b" c=d`}, []web.Challenge{{"bearer", params{"scope": "a"}}}},
		{[]string{`,, ,`, `= =`}, nil},
	} {
		if got := web.Challenges(test.values); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q: got %v, want %v", test.values, got, test.want)
		}
	}
}

// TestManyChallenges: a header that never ends costs little, whatever the limit of the client for headers is: what is kept, and what is
// allocated on the way, does not grow with it.
func TestManyChallenges(t *testing.T) {
	const size = 8 << 20
	for _, test := range []struct {
		name       string
		values     []string
		challenges int
		params     int
	}{
		{"one value", []string{"Bearer realm=x, " + strings.Repeat("a,", size/2)}, 0, 0},
		{"challenges", []string{strings.Repeat("a,", 20_000)}, 16, 0},
		{"params", []string{"Bearer " + strings.Repeat("a=b,", 10) + params(5_000)}, 1, 32},
		{"the longest quoted value", []string{`Bearer a="` + strings.Repeat(`\\`, 20_000) + `"`}, 1, 1},
		{"values", slices.Repeat([]string{"Bearer realm=x"}, 100_000), 16, 1},
	} {
		var all []web.Challenge
		bytes := allocated(func() { all = web.Challenges(test.values) })
		if len(all) != test.challenges || len(all) > 0 && len(all[0].Params) != test.params {
			t.Errorf("%s: %d challenges", test.name, len(all))
		}
		if bytes > 1<<20 {
			t.Errorf("%s: %d bytes allocated", test.name, bytes)
		}
	}
}

// params returns n parameters with names of their own.
func params(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "p%d=x,", i)
	}
	return b.String()
}

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// FuzzChallenges reads any header without a panic, in bounded time.
func FuzzChallenges(f *testing.F) {
	f.Add(`Bearer realm="a, b", scope = "x y"`, `Negotiate YWJj==`)
	f.Fuzz(func(t *testing.T, first, second string) {
		for _, c := range web.Challenges([]string{first, second}) {
			if c.Scheme == "" {
				t.Errorf("%q, %q: a challenge without a scheme", first, second)
			}
		}
		if n := len(web.Challenges([]string{first, second})); n > 16 {
			t.Errorf("%d challenges", n)
		}
	})
}
