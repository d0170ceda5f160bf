package contract

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
)

// script is a server: its results by method, or by method and name; one that begins with a line is sent as it is, with ID for the id.
type script map[string]string

const inputs = `{"type":"object","properties":{"a":{"type":"string"}}}`

// tidy is a server without a fault.
var tidy = script{
	"initialize": `{"protocolVersion":"2025-11-25","serverInfo":{"name":"tidy","version":"1"},"capabilities":{"tools":{},"prompts":{},"resources":{"subscribe":true},"logging":{},"completions":{}}}`,
	"ping":       `{}`, "logging/setLevel": `{}`, "resources/subscribe": `{}`, "tools/call": `{"content":[]}`,
	"tools/list":                     `{"tools":[{"name":"look","inputSchema":` + inputs + `,"annotations":{"readOnlyHint":true}}]}`,
	"resources/list":                 `{"resources":[{"uri":"x:a","name":"a","mimeType":"application/json","size":2}]}`,
	"resources/read x:a":             `{"contents":[{"uri":"x:a","text":"{}"}]}`,
	"resources/templates/list":       `{"resourceTemplates":[{"uriTemplate":"x:{a}","name":"a"}]}`,
	"prompts/list":                   `{"prompts":[{"name":"ask","arguments":[{"name":"about","required":true}]}]}`,
	`prompts/get ask{"about":"tea"}`: `{"messages":[{"role":"user","content":{"type":"text","text":"Tea?"}}]}`,
	"completion/complete":            `{"completion":{"values":["tea"]}}`,
	"tools/call rpcgen_no_such_tool": `!{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"unknown tool"}}`,
}

// answer is what the server sends for a message.
func (s script) answer(line []byte) string {
	m, err := jsontree.Parse(line)
	if err != nil || m.In("id") == nil || m.In("method") == nil {
		return ""
	}
	params, method, id := m.In("params"), m.In("method").Str(), m.In("id").JSON()
	named := params.In("name").Str() + params.In("uri").Str()
	for _, key := range []string{method + " " + named + params.In("arguments").Shown(), method + " " + named, method} {
		switch result, known := s[key]; {
		case strings.HasPrefix(result, "!"):
			return strings.ReplaceAll(result[1:], "ID", id)
		case known:
			return `{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`
		}
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32601,"message":"there is no such method, prompt or resource"}}`
}

// TestForm finds faults in the form of what a server says, each of which a server without a fault gets by one other answer.
func TestForm(t *testing.T) {
	tool := func(entry string) string { return `{"tools":[{"name":"look",` + entry + `}]}` }
	input := func(rules string) string {
		return tool(`"inputSchema":{"type":"object","properties":{"a":{` + rules + `}}}`)
	}
	first := strings.Replace
	if r := (&plan{}); r.runs("Nondeterministic") || !r.runs("Crash") {
		t.Error("Nondeterministic has to be asked for, and others have not")
	}
	for _, tt := range []struct{ name, method, answer, want string }{
		{"nothing", "ping", `{}`, ""},
		{"no version of the server", "initialize", first(tidy["initialize"], `,"version":"1"`, "", 1), "Capability initialize error"},
		{"a revision that is none", "initialize", first(tidy["initialize"], "2025-11-25", "1.0", 1), "Capability initialize error"},
		{"agrees to all revisions", "initialize", "echo", "Capability protocolVersion warning"},
		{"no ping", "ping", `!{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"no"}}`, "Capability ping warning"},
		{"a ping without an answer", "ping", "!", "Capability ping warning"},
		{"tools that are not declared", "initialize", first(tidy["initialize"], `"tools":{},`, "", 1), "Capability tools undeclared warning"},
		{"no subscriptions", "resources/subscribe", `!{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"no"}}`, "Capability resources/subscribe error"},
		{"completions that are not texts", "completion/complete", `{"completion":{"values":[1]}}`, "Capability completion error"},
		{"a cursor that is null", "tools/list", first(tidy["tools/list"], `"tools"`, `"nextCursor":null,"tools"`, 1), "Pagination walk error"},
		{"a tool without a name", "tools/list", `{"tools":[{"inputSchema":` + inputs + `}]}`, "Schema entry error"},
		{"a hint that is a text", "tools/list", tool(`"inputSchema":` + inputs + `,"annotations":{"readOnlyHint":"true"}`), "Schema entry error"},
		{"no value of an enum", "tools/list", input(`"enum":[]`), "Schema enum warning"},
		{"numbers for texts", "tools/list", input(`"type":"string","enum":[1,2]`), "Schema enum warning"},
		{"bounds that cross", "tools/list", input(`"minLength":9,"maxLength":3`), "Schema minLength warning"},
		{"requires what is not there", "tools/list", tool(`"inputSchema":{"type":"object","properties":{"a":{}},"required":["b"]}`), "Schema required warning"},
		{"requires what is not there, below a property called not", "tools/list", tool(`"inputSchema":{"type":"object","properties":{"not":{"properties":{"a":{}},"required":["b"]}}}`), "Schema required warning"},
		{"requires more as dependencies have it", "tools/list", tool(`"inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{},"b":{}},"dependencies":{"a":{"properties":{"a":{}},"required":["b"]}}}`), ""},
		{"requires what else describes", "tools/list", tool(`"inputSchema":{"type":"object","properties":{"a":{}},"required":["b"],"dependentSchemas":{"a":{"properties":{"b":{}}}}}`), ""},
		{"requires one of two", "tools/list", tool(`"inputSchema":{"type":"object","properties":{"a":{},"b":{}},"anyOf":[{"properties":{"a":{}},"required":["b"]},{"required":["a"]}]}`), ""},
		{"a resource without a name", "resources/list", `{"resources":[{"uri":"x:a"}]}`, "Resource entry error"},
		{"a path for a uri", "resources/list", `{"resources":[{"uri":"/a","name":"a"}]}`, "Resource entry errorResource read warning"},
		{"half a template", "resources/templates/list", `{"resourceTemplates":[{"uriTemplate":"x:{a","name":"a"}]}`, "Resource entry error"},
		{"a resource that is elsewhere", "resources/read x:a", `!{"jsonrpc":"2.0","id":ID,"error":{"code":-32603,"message":"fetch failed"}}`, ""},
		{"no contents", "resources/read x:a", `{"contents":[]}`, "Resource read warning"},
		{"broken JSON", "resources/read x:a", `{"contents":[{"uri":"x:a","text":"{"}]}`, "Resource json warning"},
		{"another size", "resources/read x:a", `{"contents":[{"uri":"x:a","text":"[1]"}]}`, "Resource size warning"},
		{"another uri", "resources/read x:a", `{"contents":[{"uri":"x:b","text":"{}"}]}`, "Resource uri warning"},
		{"no base64", "resources/read x:a", `{"contents":[{"uri":"x:a","blob":"?"}]}`, "Resource blob warning"},
		{"another role", `prompts/get ask{"about":"tea"}`, `{"messages":[{"role":"system","content":{"type":"text","text":""}}]}`, "Resource message warning"},
		{"a prompt without what it requires", `prompts/get ask{}`, `{"messages":[]}`, "Resource required warning"},
		{"a tool that is not there", "tools/call", `{"content":[]}`, ""},
		{"any tool", "tools/call rpcgen_no_such_tool", `{"content":[]}`, "AcceptsInvalid type warningAcceptsInvalid unknown tool warning"},
		{"any method", "rpcgen/none", `{}`, "ErrorCode no error warning"},
		{"an error of a text", "tools/call", `!{"jsonrpc":"2.0","id":ID,"error":"no"}`, "ErrorCode form error"},
		{"both", "tools/call", `!{"jsonrpc":"2.0","id":ID,"result":{"content":[]},"error":{"code":1,"message":"no"}}`, "Content response error"},
		{"neither", "tools/call", `!{"jsonrpc":"2.0","id":ID}`, "Content response error"},
		{"a notification with an id", "tools/call", "!" + `{"jsonrpc":"2.0","id":9,"method":"notifications/message","params":{"level":"info","data":1}}` + "\n" + `{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}`, "Notified id error"},
		{"progress of nothing", "tools/call", "!" + `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"x","progress":1}}` + "\n" + `{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}`, "Notified progress error"},
		{"an unknown level", "tools/call", "!" + `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"loud","data":1}}` + "\n" + `{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}`, "Content log error"},
		{"a level that was not asked for", "tools/call", "!" + `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}` + "\n" + `{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}`, "Capability level warning"},
		{"an answer that differs each time", "tools/call", `!{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":{"seen":ID}}}`, "Nondeterministic  warning"},
		{"another list of each instance", "tools/list", "instances", "ListUnstable instances warning"},
		{"a text that one era refuses", "stateless", `{"isError":true,"content":[{"type":"text","text":"a is invalid"}]}`, "ErasDiffer call warning"},
		{"a stateless result without its type", "stateless", "{}", "Content resultType error"},
		{"two answers to a text", "tools/list", "twice", "Notified twice error"},
		{"an order that changes at times", "tools/list", "order", "ListUnstable order warning"},
		{"a question to a client that cannot ask", "tools/call", "!" + `{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{"o":{"type":"string"}}}}}` + "\n" + `{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}`, "Capability client error"},
		{"a form of objects", "tools/call", "!" + `{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{"o":{"type":"object"}}}}}` + "\n" + `{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}`, "Content elicitation error"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := maps.Clone(tidy)
			s[tt.method] = tt.answer
			got := ""
			check, _, _ := strings.Cut(tt.want, " ")
			for _, f := range s.run(t, check).Findings {
				if f.Severity != Note {
					got += f.Check + " " + f.Keyword + " " + string(f.Severity)
				}
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// run checks the server; without the name of a check, with all of them.
func (s script) run(t *testing.T, check string) *Report {
	var lists, instances atomic.Int64
	conn := talk(func() func([]byte) string {
		instance := instances.Add(1)
		return func(line []byte) string {
			server := s
			if s["stateless"] != "" {
				server = maps.Clone(s)
				server["server/discover"] = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"public"}`
				if strings.Contains(string(line), "2026-07-28") && strings.Contains(string(line), `"a":"🙂"`) {
					server["tools/call"] = s["stateless"]
				}
			}
			if s["tools/list"] == "instances" {
				server = maps.Clone(s)
				server["tools/list"] = fmt.Sprintf(`{"tools":[{"name":"look","description":"%d","inputSchema":`+inputs+`,"annotations":{"readOnlyHint":true}}]}`, instance)
			}
			if s["tools/list"] == "twice" {
				server = maps.Clone(tidy)
			}
			if s["tools/list"] == "order" {
				a, b := `{"name":"look","inputSchema":`+inputs+`}`, `{"name":"find","inputSchema":`+inputs+`}`
				if strings.Contains(string(line), "tools/list") && lists.Add(1)%3 == 0 {
					a, b = b, a
				}
				server = maps.Clone(s)
				server["tools/list"] = `{"tools":[` + a + "," + b + `]}`
			}
			if s["initialize"] == "echo" {
				m, _ := jsontree.Parse(line)
				server = maps.Clone(s)
				server["initialize"] = strings.Replace(tidy["initialize"], "2025-11-25", m.In("params").In("protocolVersion").Str(), 1)
			}
			if answer := server.answer(line); s["tools/list"] == "twice" && strings.Contains(answer, `"id":"`) {
				return answer + "\n" + answer
			}
			return server.answer(line)
		}
	})
	o := Options{Time: 60 * time.Second, Calls: 10, Timeout: 2 * time.Second, Patience: 2 * time.Second}
	if check != "" {
		o.Checks, o.Calls = []string{check}, 200
	} else {
		o.Skip = []string{"Malformed"}
	}
	return runMemory(t, conn, o)
}

// runMemory is Run in a bubble, for servers in memory, in which only what waits takes time.
func runMemory(t *testing.T, conn Conn, o Options) (r *Report) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var err error
		if r, err = Run(t.Context(), conn, With(o)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second) // calls that run still end
	})
	return r
}

// talk connects to a server that answers lines, one after the other; each connection has one of its own.
func talk(begin func() func(line []byte) string) Conn {
	return talkBy(func(_ []byte, answer func()) { answer() }, begin)
}

// talkBy is talk to a server that decides when each line is answered, such as at once in a goroutine.
func talkBy(when func(line []byte, answer func()), begin func() func(line []byte) string) Conn {
	return Stream(func(context.Context) (io.ReadCloser, io.WriteCloser, error) {
		in, toServer := io.Pipe()
		fromServer, out := io.Pipe()
		go func() {
			defer out.Close()
			answer := begin()
			for lines := bufio.NewReader(in); ; {
				line, err := lines.ReadBytes('\n')
				if err != nil {
					return
				}
				when(line, func() {
					if said := answer(line); said != "" {
						fmt.Fprintln(out, said)
					}
				})
			}
		}()
		return fromServer, toServer, nil
	})
}

// TestShrink: the arguments of a finding are small, also where many are required.
func TestShrink(t *testing.T) {
	all, required, most := "", "", len(`{"n":10}`)
	for i := range 12 {
		all += fmt.Sprintf(`"p%d":{"type":"array","minItems":1,"items":{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"integer"}},"required":["x"]}},`, i)
		required += fmt.Sprintf(`,"p%d"`, i)
		most += len(fmt.Sprintf(`"p%d":[{"x":""}],`, i))
	}
	s := maps.Clone(tidy)
	s["tools/list"] = `{"tools":[{"name":"look","inputSchema":{"type":"object","properties":{` + all + `"n":{"type":"integer","maximum":9}},"required":["n"` + required + `]},"annotations":{"readOnlyHint":true}}]}`
	for _, f := range s.run(t, "AcceptsInvalid").Findings {
		if f.Keyword == "maximum" {
			if len(f.Arguments) > most {
				t.Errorf("%d bytes of arguments, and %d would do: %s", len(f.Arguments), most, f.Arguments)
			}
			return
		}
	}
	t.Error("there is no finding of maximum")
}

// TestWalk walks through the pages of a tool.
func TestWalk(t *testing.T) {
	for _, tt := range []struct {
		name, limit string
		page        func(from, limit int) string // entries of a page, and what else it has
		want        string
	}{
		{"tidy", `"minimum":1`, func(from, limit int) string { return entriesFrom(from, limit) }, ""},
		{"an entry twice", `"minimum":5`, func(from, limit int) string { return entriesFrom(max(0, from-1), limit) }, "Pagination repeated"},
		{"authors of the entries", `"minimum":1`, func(from, limit int) string { return entriesFrom(from, limit) + `,"authors":[{"id":"u1"}]` }, ""},
		{"a name that only ends like an id", `"minimum":1`, func(_, limit int) string { return strings.ReplaceAll(entriesFrom(0, limit), `"id"`, `"paid"`) }, ""},
		{"an id of two words", `"minimum":1`, func(from, limit int) string {
			return strings.ReplaceAll(entriesFrom(max(0, from-1), limit), `"id"`, `"bookId"`)
		}, "Pagination repeated"},
		{"a limit that the schema does not have", `"maximum":50`, func(from, limit int) string {
			if limit < 5 {
				return ""
			}
			return entriesFrom(from, limit)
		}, "skipped"},
	} {
		conn := talk(func() func([]byte) string {
			return func(line []byte) string {
				server := maps.Clone(tidy)
				server["tools/list"] = `{"tools":[{"name":"list_posts","inputSchema":{"type":"object","properties":{"cursor":{"type":"string","pattern":"^[0-9]+$"},"limit":{"type":"integer",` + tt.limit + `}}},"annotations":{"readOnlyHint":true}}]}`
				m, _ := jsontree.Parse(line)
				args := m.In("params").In("arguments")
				from, _ := strconv.Atoi(args.In("cursor").Str())
				limit := 6
				if f, ok := args.In("limit").Float(); ok {
					limit = int(f)
				}
				page := tt.page(from, limit)
				server["tools/call"] = `{"isError":true,"content":[]}`
				if page != "" && from <= 12 {
					next := ""
					if from+limit < 12 {
						next = fmt.Sprintf(`,"next_cursor":"%d"`, from+limit)
					}
					server["tools/call"] = `{"content":[],"structuredContent":{` + page + next + `}}`
				}
				return server.answer(line)
			}
		})
		r := runMemory(t, conn, Options{Time: 20 * time.Second, Calls: 10, Checks: []string{"Pagination"}})
		got := ""
		for _, f := range r.Findings {
			got += f.Check + " " + f.Keyword
		}
		for _, s := range r.Skipped {
			if s.Check == "Pagination" {
				got += "skipped"
			}
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// entriesFrom are entries of a list of twelve.
func entriesFrom(from, limit int) string {
	var all []string
	for i := from; i < min(12, from+limit); i++ {
		all = append(all, fmt.Sprintf(`{"id":"p%d","valid":true}`, i))
	}
	return `"posts":[` + strings.Join(all, ",") + `]`
}

// TestDeclaredFamily checks tools whose names say nothing, which the schema declares as those of one collection.
func TestDeclaredFamily(t *testing.T) {
	code := `{"type":"object","properties":{"code":{"type":"string"}},"required":["code"]}`
	listed := `{"tools":[{"name":"shelf","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},{"name":"peek","inputSchema":` + code + `,"annotations":{"readOnlyHint":true}},` +
		`{"name":"stash","inputSchema":{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}},{"name":"toss","inputSchema":` + code + `,"annotations":{"idempotentHint":true}}]}`
	for _, tt := range []struct{ name, forgets, want string }{
		{"keeps its word", "", ""},
		{"does not delete", "toss", "UseAfterDelete"},
		{"does not create", "stash", "CreateThenRead"},
		{"does not delete what is gone", "gone", "IdempotentLie"},
	} {
		conn := talk(func() func([]byte) string {
			kept, gone := map[string]bool{"c0": true}, map[string]bool{}
			return func(line []byte) string {
				server := maps.Clone(tidy)
				server["tools/list"] = listed
				m, _ := jsontree.Parse(line)
				name, code := m.In("params").In("name").Str(), m.In("params").In("arguments").In("code").Str()
				says := func(json string) { server["tools/call"] = `{"content":[],"structuredContent":` + json + `}` }
				switch says(`{"code":"` + code + `"}`); {
				case name == "shelf":
					says(`{"code":"c0"}`)
				case name == "stash":
					code = fmt.Sprint("c", len(kept))
					kept[code] = tt.forgets != name
					says(`{"code":"` + code + `"}`)
				case name == "toss" && gone[code] != (tt.forgets == "gone") && !kept[code]: // nothing more to do; that it fails is a lie
				case !kept[code]:
					server["tools/call"] = `{"isError":true,"content":[{"type":"text","text":"not found"}]}`
				case name == "toss":
					kept[code], gone[code] = tt.forgets == name, true
				}
				return server.answer(line)
			}
		})
		for _, declared := range [][]Family{nil, {{Noun: "Word", Key: "code", Create: "stash", Read: "peek", List: "shelf", Delete: "toss"}}} {
			r := runMemory(t, conn, Options{Time: 4 * time.Second, Calls: 20, Writes: true, Destructive: true, Families: declared, Checks: []string{"CreateThenRead", "UseAfterDelete", "IdempotentLie"}})
			got := ""
			for _, f := range r.Findings {
				got += f.Check
			}
			if want := map[bool]string{true: tt.want}[declared != nil || tt.want == "IdempotentLie"]; got != want {
				t.Errorf("a server that %s, declared: %t: got %q, want %q", tt.name, declared != nil, got, want)
			}
		}
	}
}

// TestWeb finds faults of sessions over HTTP.
func TestWeb(t *testing.T) {
	for name, want := range map[string]string{"": "", "deleted": "UseAfterDelete session", "unknown": "Capability session", "version": "Capability version header", "type": "Content Content-Type"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var begun atomic.Int64
			var live sync.Map
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				begins := strings.Contains(string(body), `"initialize"`)
				_, lives := live.Load(r.Header.Get("Mcp-Session-Id"))
				version := r.Header.Get("MCP-Protocol-Version")
				switch {
				case r.Method == http.MethodDelete:
					if name != "deleted" {
						live.Delete(r.Header.Get("Mcp-Session-Id"))
					}
				case begins:
					session := fmt.Sprint(begun.Add(1))
					live.Store(session, true)
					w.Header().Set("Mcp-Session-Id", session)
				case !lives && (name != "unknown" || r.Header.Get("Mcp-Session-Id") != "rpcgen-none"):
					http.Error(w, "no such session", http.StatusNotFound)
					return
				case version == "1999-01-01" && name != "version":
					http.Error(w, "no such revision", http.StatusBadRequest)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				if name == "type" {
					w.Header().Set("Content-Type", "text/html")
				}
				fmt.Fprint(w, tidy.answer(body))
			}))
			defer server.Close()
			r, err := Run(t.Context(), URL(server.URL), With(Options{Time: time.Hour, Timeout: time.Minute, Calls: 5, Checks: []string{"UseAfterDelete", "Capability", "Content"}}))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range r.Findings {
				got = append(got, f.Check+" "+f.Keyword)
			}
			if !slices.Equal(got, strings.FieldsFunc(want, func(c rune) bool { return c == '|' })) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
