package contract

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
)

// TestVaries: answers that vary by themselves are not evidence, even if they were equal at first by chance.
func TestVaries(t *testing.T) {
	for name, tt := range map[string]struct {
		answers string // to the calls, in order; the last one is that of all others
		accuses func(r rig, s *session) bool
		want    bool
	}{
		"changed, by itself": {"11212", func(r rig, s *session) bool { return otherwise(r, s) }, false},
		"changed":            {"112", func(r rig, s *session) bool { return otherwise(r, s) }, true},
		"mixed, by itself": {"121221112", func(r rig, s *session) bool {
			return mixes(r.ctx, r, s, r.tools[0], []string{`{"a":"1"}`, `{"a":"2"}`}) != ""
		}, false},
		"repeats, by itself": {"1112", func(r rig, _ *session) bool { return answersRepeat(r, r.tools[0], r.tools[0].control) }, false},
		"repeats":            {"1", func(r rig, _ *session) bool { return answersRepeat(r, r.tools[0], r.tools[0].control) }, true},
	} {
		var calls atomic.Int64
		conn := talk(func() func([]byte) string {
			return func(line []byte) string {
				if !strings.Contains(string(line), `"tools/call"`) {
					return tidy.answer(line)
				}
				n := min(int(calls.Add(1)), len(tt.answers))
				return script{"tools/call": `{"content":[{"type":"text","text":"` + tt.answers[n-1:n] + `"}]}`}.answer(line)
			}
		})
		r := newRig(t.Context(), conn, Options{Timeout: time.Minute, Start: time.Minute})
		s, err := r.handshake(r.ctx, protocol.Handshake, "")
		if err != nil {
			t.Fatal(err)
		}
		r.era, r.revision, r.main = protocol.Handshake, s.revision, s
		entry, err := jsontree.Parse([]byte(`{"name":"look","inputSchema":` + inputs + `,"annotations":{"readOnlyHint":true}}`))
		if err != nil {
			t.Fatal(err)
		}
		look := r.toolOf(entry)
		look.control, r.tools = `{"a":"1"}`, []*tool{look}
		if got := tt.accuses(r, s); got != tt.want {
			t.Errorf("%s: %v after %d calls", name, got, calls.Load())
		}
		s.kill()
	}
}

// otherwise reports whether the first tool is taken to say something else after a call that is not made.
func otherwise(r rig, s *session) bool {
	own := []call{{r.tools[0], r.tools[0].control}}
	before, again := picture(r, s, own), picture(r, s, own)
	i, _, _, _ := changedObserver(r, s, own, before, again)
	return i >= 0
}
