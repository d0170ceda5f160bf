package contract

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
)

// desk is an instance of a server that answers each line at once, in a goroutine of its own, but for notifications, which take effect before what follows.
type desk struct {
	mu              sync.Mutex
	running, made   int
	last            string          // arguments
	waiting, hanged map[string]bool // calls by their ids, and tools
}

// atOnce connects to a server of one tool that only reads; call answers its calls with a result.
func atOnce(name, schema string, call func(d *desk, line, args *jsontree.Value) string) Conn {
	inOrder := func(line []byte, answer func()) {
		if bytes.Contains(line, []byte(`"notifications/`)) {
			answer()
		} else {
			go answer()
		}
	}
	return talkBy(inOrder, func() func([]byte) string {
		d := &desk{waiting: map[string]bool{}, hanged: map[string]bool{}}
		return func(line []byte) string {
			server := maps.Clone(tidy)
			server["tools/list"] = `{"tools":[{"name":"` + name + `","inputSchema":` + schema + `,"annotations":{"readOnlyHint":true}}]}`
			server["server/discover"] = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"public"}`
			m, _ := jsontree.Parse(line)
			params := m.In("params")
			switch method := m.In("method").Str(); {
			case method == "notifications/cancelled":
				d.mu.Lock()
				defer d.mu.Unlock()
				d.hanged[name] = d.hanged[name] || d.waiting[params.In("requestId").Shown()]
			case method == "tools/call" && params.In("name").Str() == name:
				d.mu.Lock()
				d.made++
				d.running++
				d.mu.Unlock()
				if server["tools/call"] = call(d, m, params.In("arguments")); server["tools/call"] == "" {
					return ""
				}
				d.mu.Lock()
				d.running--
				d.mu.Unlock()
			}
			return server.answer(line)
		}
	})
}

// foundBy names what is found, other than notes, with each of some seeds.
func foundBy(t *testing.T, conn Conn, check string) (all []string) {
	t.Helper()
	for seed := range uint64(4) {
		got := ""
		for _, f := range runMemory(t, conn, Options{Seed: seed + 1, Time: 60 * time.Second, Calls: 60, Timeout: 4 * time.Second, Patience: 4 * time.Second, Checks: []string{check}}).Findings {
			if f.Severity != Note {
				got += f.Check + " " + f.Keyword
			}
		}
		all = append(all, got)
	}
	return all
}

// TestMixture: an answer that a tool never gives alone is a mixture, unless the tool tells the load, or varies by itself. It runs in a bubble.
func TestMixture(t *testing.T) {
	for name, tt := range map[string]struct {
		call func(d *desk, a string) string // the structured content; "" is a failure
		want string
	}{
		"keeps to itself":   {func(_ *desk, a string) string { return a + `,"of":` + a }, ""},
		"a shared variable": {func(d *desk, a string) string { return a + `,"of":` + d.last }, "MixedUp "},
		"tells the load":    {func(d *desk, a string) string { return a + fmt.Sprint(`,"load":`, d.running) }, ""},
		"varies":            {func(d *desk, a string) string { return a + fmt.Sprint(`,"hour":`, d.made/25) }, ""},
		"one at a time": {func(d *desk, a string) string {
			if d.running > 1 {
				return ""
			}
			return a
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := atOnce("look", inputs, func(d *desk, _, args *jsontree.Value) string {
				a := args.In("a").Shown()
				if a == "" {
					a = "null"
				}
				d.mu.Lock()
				d.last = a
				d.mu.Unlock()
				time.Sleep(2 * time.Millisecond)
				d.mu.Lock()
				defer d.mu.Unlock()
				content := tt.call(d, a)
				if content == "" {
					return `{"isError":true,"content":[{"type":"text","text":"try again"}]}`
				}
				return `{"content":[],"structuredContent":{"label":` + content + `}}`
			})
			for i, got := range foundBy(t, conn, "MixedUp") {
				if got != tt.want {
					t.Errorf("seed %d: got %q, want %q", i+1, got, tt.want)
				}
			}
		})
	}
}

// TestCancelledTool: a tool whose first example is quick has slow ones, which can be cancelled. It runs in a bubble.
func TestCancelledTool(t *testing.T) {
	for name, want := range map[string]string{"goes on": "", "hangs": "Cancel running"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := atOnce("wait", `{"type":"object","properties":{"tenths":{"type":"integer","minimum":0,"maximum":6}}}`, func(d *desk, line, args *jsontree.Value) string {
				tenths, _ := args.In("tenths").Float()
				id := line.In("id").Shown()
				d.mu.Lock()
				d.waiting[id] = true
				d.mu.Unlock()
				time.Sleep(time.Duration(tenths) * 100 * time.Millisecond)
				d.mu.Lock()
				defer d.mu.Unlock()
				delete(d.waiting, id)
				if d.hanged["wait"] && name == "hangs" {
					return ""
				}
				return `{"content":[{"type":"text","text":"done"}]}`
			})
			for i, got := range foundBy(t, conn, "Cancel") {
				if got != want {
					t.Errorf("seed %d: got %q, want %q", i+1, got, want)
				}
			}
		})
	}
}

// TestErasOfPages: that one era does not check an enum shows, although the largest result is that of a cursor, with which all other arguments are
// refused for the cursor.
func TestErasOfPages(t *testing.T) {
	const schema = `{"type":"object","properties":{"cursor":{"type":"string"},"limit":{"type":"integer","minimum":1,"maximum":20},"query":{"type":"string","maxLength":30},"sort":{"enum":["name","date","size"]}}}`
	for name, want := range map[string]string{"both check": "", "one checks": "ErasDiffer call", "one lacks a choice": "ErasDiffer call"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := atOnce("find", schema, func(_ *desk, line, args *jsontree.Value) string {
				page, sort := args.In("cursor"), args.In("sort")
				limit, whole := args.In("limit").Float()
				valid := sort == nil || strings.Contains(`"name" "date" "size"`, sort.Shown())
				ofPage := valid && sort.Str() != "size" && args.In("query") == nil
				if line.In("params").In("_meta") != nil && sort != nil {
					valid = valid && (name != "one lacks a choice" || sort.Str() != "size") || name == "one checks"
				}
				refuse := func(what string) string {
					return `{"resultType":"complete","isError":true,"content":[{"type":"text","text":"` + what + ` is invalid"}]}`
				}
				switch {
				case page != nil && (page.Str() != "p2" || !ofPage):
					return refuse("cursor")
				case !valid:
					return refuse("sort")
				case args.In("limit") != nil && (!whole || limit < 1 || limit > 20):
					return refuse("limit")
				case page != nil:
					return `{"resultType":"complete","content":[],"structuredContent":{"found":["a long entry of the second page"]}}`
				}
				return `{"resultType":"complete","content":[],"structuredContent":{"found":["a"],"nextCursor":"p2"}}`
			})
			for i, got := range foundBy(t, conn, "ErasDiffer") {
				if got != want {
					t.Errorf("seed %d: got %q, want %q", i+1, got, want)
				}
			}
		})
	}
}
