package allkinds_test

import (
	"testing"

	allkinds "github.com/rpcgen-go/rpcgen/test/allkinds/rpc"
)

// TestBoundNull: a Go type that reads null as its zero value gets none where the schema takes none.
func TestBoundNull(t *testing.T) {
	for text, fits := range map[string]bool{
		`{"addr":"::1","null":null,"direct":"10.0.0.0/8"}`:                    true,
		`{"addr":null,"null":null,"direct":"10.0.0.0/8"}`:                     false,
		`{"addr":"::1","null":null,"direct":null}`:                            false,
		`{"addr":"::1","null":null,"direct":"10.0.0.0/8","list":[null]}`:      false,
		`{"addr":"::1","null":null,"direct":"10.0.0.0/8","map":{"a":null}}`:   false,
		`{"addr":"::1","null":null,"direct":"10.0.0.0/8","maybe":null}`:       false,
		`{"addr":"::1","null":null,"direct":"10.0.0.0/8","directMaybe":null}`: false,
		`{"addr":"::1","null":null,"direct":"10.0.0.0/8","big":null}`:         false,
	} {
		var full allkinds.Bound
		if err := full.UnmarshalJSON([]byte(text)); (err == nil) != fits {
			t.Errorf("%s: %v", text, err)
		}
	}
}
