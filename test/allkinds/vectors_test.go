package allkinds_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/test/marked"
)

// TestVectors decodes the test vectors of the schema: generated code takes those that are valid, and refuses the others.
func TestVectors(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the command")
	}
	marked.Watch("../..")
	cmd := exec.Command("go", "run", "../../cmd/rpcgen", "export", "--format", "vectors", "allkinds.rpc.yaml")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []struct {
		Type, JSON, Pointer, Keyword string
		Valid                        bool
	}
	if err := json.Unmarshal(out, &all); err != nil {
		t.Fatal(err)
	}
	byName := map[string]codec{}
	for _, c := range codecs {
		byName[c.name] = c
	}
	tried, wrong := 0, 0
	for _, v := range all {
		c, ok := byName[v.Type]
		if !ok {
			continue
		}
		tried++
		_, err := decoded(c, []byte(v.JSON))
		if v.Valid && err != nil && strings.Contains(err.Error(), "a value that netip.") {
			continue // of a Go type that takes some texts only, which the schema does not say
		}
		if (err == nil) != v.Valid {
			if wrong++; wrong < 20 {
				t.Errorf("%+v: generated code says %v", v, err)
			}
		}
	}
	t.Logf("%d of %d vectors, %d wrong", tried, len(all), wrong)
	if tried < 10_000 {
		t.Error("too few types have a codec in the test")
	}
}
