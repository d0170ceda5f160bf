package web_test

import (
	"reflect"
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
		{[]string{"Bearer"}, []web.Challenge{{"bearer", params{}}}},
		{[]string{`Bearer realm="a, b", scope = "x y",error=invalid_token`}, []web.Challenge{{"bearer", params{"realm": "a, b", "scope": "x y", "error": "invalid_token"}}}},
		{[]string{`Basic realm="x", DPoP algs="ES256", Error="use_dpop_nonce"`, "Bearer"}, []web.Challenge{
			{"basic", params{"realm": "x"}}, {"dpop", params{"algs": "ES256", "error": "use_dpop_nonce"}}, {"bearer", params{}}}},
		{[]string{`Negotiate YWJj==, Bearer scope="a"`}, []web.Challenge{{"negotiate", params{}}, {"bearer", params{"scope": "a"}}}},
		{[]string{`Negotiate YWJj, Bearer scope="a"`}, []web.Challenge{{"negotiate", params{}}, {"bearer", params{"scope": "a"}}}},
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

// FuzzChallenges reads any header without a panic, in bounded time.
func FuzzChallenges(f *testing.F) {
	f.Add(`Bearer realm="a, b", scope = "x y"`, `Negotiate YWJj==`)
	f.Fuzz(func(t *testing.T, first, second string) {
		for _, c := range web.Challenges([]string{first, second}) {
			if c.Scheme == "" {
				t.Errorf("%q, %q: a challenge without a scheme", first, second)
			}
		}
	})
}
