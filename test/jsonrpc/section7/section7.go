// Package section7 has the examples of JSON-RPC 2.0, section 7: the exchanges, and the service that they are held with. The tests of every
// transport hold them.
//
//test:by ./test/jsonrpc
package section7

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

//go:embed section7.txtar
var archive string

// exchange is one example.
type exchange struct {
	name string
	sent []string // messages
	want []string // answers, in any order
}

// exchanges reads the archive.
func exchanges() (all []exchange) {
	for line := range strings.Lines(archive) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "-- "); ok {
			all = append(all, exchange{name: strings.TrimSuffix(name, " --")})
		} else if text, ok := strings.CutPrefix(line, "--> "); ok {
			last := &all[len(all)-1]
			last.sent = append(last.sent, text)
		} else if text, ok := strings.CutPrefix(line, "<-- "); ok {
			last := &all[len(all)-1]
			last.want = append(last.want, text)
		}
	}
	return all
}

// Run sends every example to [Service] over a transport, and compares the answers as JSON. Hold connects, sends the messages, and returns
// the answers once those that are wanted have come. A call after each exchange shows that nothing else came, and that the server goes on.
func Run(t *testing.T, hold func(t *testing.T, messages []string, want int) (answers []string)) {
	all := exchanges()
	if len(all) != 15 {
		t.Fatalf("%d exchanges, the specification has 15", len(all))
	}
	for _, e := range all {
		t.Run(e.name, func(t *testing.T) {
			sent := append(e.sent, `{"jsonrpc":"2.0","method":"sum","params":[40,2],"id":"end"}`)
			want := append(e.want, `{"jsonrpc":"2.0","result":42,"id":"end"}`)
			if err := compare(hold(t, sent, len(want)), want); err != nil {
				t.Error(err)
			}
		})
	}
}

// compare compares answers as JSON. The server may answer a call before one that came earlier, so their order is free.
func compare(got, want []string) error {
	left, err := decode(got)
	if err != nil {
		return err
	}
	wanted, err := decode(want)
	if err != nil {
		return err
	}
	for i, w := range wanted {
		found := slices.IndexFunc(left, func(g any) bool { return reflect.DeepEqual(g, w) })
		if found < 0 {
			return fmt.Errorf("no answer is %s; the answers:\n%s", want[i], strings.Join(got, "\n"))
		}
		left = slices.Delete(left, found, found+1)
	}
	if len(left) > 0 {
		return fmt.Errorf("too many answers:\n%s", strings.Join(got, "\n"))
	}
	return nil
}

func decode(lines []string) (all []any, err error) {
	for _, line := range lines {
		var v any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
		all = append(all, v)
	}
	return all, nil
}
