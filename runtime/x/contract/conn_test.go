package contract

import (
	"fmt"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
)

// TestFolder keeps messages with $PWD/ for the working folder of the instance, and judges them as they came.
func TestFolder(t *testing.T) {
	s := &session{link: &stream{folder: "/tmp/v1/2/room"}, waiting: map[string]chan *answer{}}
	r := newRig(t.Context(), nil, Options{})
	entry, _ := jsontree.Parse([]byte(`{"name":"root","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"path":{"type":"string","pattern":"^/","maxLength":20}}}}`))
	root := r.toolOf(entry)
	for _, tt := range []struct{ path, kept, fault string }{
		{"/tmp/v1/2/room", "$PWD/", ""},
		{"/tmp/v1/2/room/a", "$PWD/a", ""},
		{"/tmp/v1/2/room2/x", "/tmp/v1/2/room2/x", ""},
		{"/tmp/v1/2/room.old", "/tmp/v1/2/room.old", ""},
		{"/tmp/v1/2/room.", "$PWD/.", ""},
		{"in /tmp/v1/2/room", "in $PWD/", `root answers with the structured content at /path being "in $PWD/", and its output schema says pattern: a match of ^/`},
		{"/tmp/v1/2/room/long/name", "$PWD/long/name", `root answers with the structured content at /path being "$PWD/long/name", and its output schema says maxLength: 20`},
	} {
		c := s.expect("1")
		s.take(false, []byte(`{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"path":"`+tt.path+`"},"content":[],"contents":[{"uri":"x:a","text":"`+tt.path+`"}]}}`))
		a := <-c
		if got := a.result().In("structuredContent").In("path").Str(); got != tt.kept {
			t.Errorf("%s is kept as %s", tt.path, got)
		}
		got := ""
		for _, f := range judgeAnswer(root, "{}", values.Break{}, a).faults() {
			got += f.message
		}
		if got != tt.fault {
			t.Errorf("%s: got %q, want %q", tt.path, got, tt.fault)
		}
		listed, _ := jsontree.Parse(fmt.Appendf(nil, `{"uri":"x:a","size":%d}`, len(tt.path)))
		if _, what := contentsFault(listed, a.result().In("contents"), a.sent.At("/result/contents")); what != "" {
			t.Error(what)
		}
	}
}
