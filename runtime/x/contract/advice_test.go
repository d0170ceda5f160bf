package contract

import (
	"strings"
	"testing"
	"time"
)

// TestBatchAdvice: the advice to a server that a batch ends is to answer it where its revision has batches, and to refuse it elsewhere.
func TestBatchAdvice(t *testing.T) {
	for revision, want := range map[string]string{
		"2025-03-26": "Answer each request of a batch",
		"2025-06-18": "this revision of MCP has no batches",
		"2025-11-25": "this revision of MCP has no batches",
	} {
		conn := talk(func() func([]byte) string {
			ended := false
			return func(line []byte) string {
				if ended = ended || line[0] == '['; ended {
					return ""
				}
				return strings.ReplaceAll(tidy.answer(line), "2025-11-25", revision)
			}
		})
		r := runMemory(t, conn, Options{Time: 20 * time.Second, Calls: 10, Checks: []string{"Batch"}})
		var got []string
		for _, f := range r.Findings {
			got = append(got, f.Advice)
		}
		if len(got) == 0 || !strings.Contains(got[0], want) {
			t.Errorf("%s: %q", revision, got)
		}
	}
}

// TestMethodsThatMayWrite: of a service, the methods that are idempotent are called, and others are listed with the reason why they are not.
func TestMethodsThatMayWrite(t *testing.T) {
	const document = `{"openrpc":"1.3.2","methods":[{"name":"parcel/find","params":[],"x-idempotent":true},{"name":"parcel/look","params":[],"x-read-only":true},{"name":"parcel/send","params":[]}]}`
	methods, _, err := OpenRPC([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	conn := talk(func() func([]byte) string { return tidy.answer })
	r := runMemory(t, conn, Options{Time: 20 * time.Second, Calls: 10, Checks: []string{"Accepts"}, Methods: methods})
	for _, tool := range r.Tools {
		want := ""
		if tool.Name == "parcel/send" {
			want = "it may write, for it is not idempotent"
		}
		if tool.Skipped != want {
			t.Errorf("%s: %q", tool.Name, tool.Skipped)
		}
	}
	if len(r.Tools) != 3 {
		t.Errorf("%+v", r.Tools)
	}
}
