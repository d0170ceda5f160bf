package allkinds_test

import (
	"encoding/json"
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

// TestZeroMeansDefault: the zero value of a field with a default is left out where its schema refuses it, so that the reader fills in the default.
func TestZeroMeansDefault(t *testing.T) {
	written, err := json.Marshal(&allkinds.Defaults{})
	if err != nil {
		t.Fatal(err)
	}
	var read allkinds.Defaults
	if err := json.Unmarshal(written, &read); err != nil {
		t.Fatalf("%v of %s", err, written)
	}
	if read.ID.String() != "7" || read.Price != "19.990" || read.Page != 20 || read.Named != "nobody" || read.Lower != "abc" || read.Route != "" || read.Flag {
		t.Errorf("%s is read as %+v", written, read)
	}
}
