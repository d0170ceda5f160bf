package faulty

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract"
)

// TestMain is a server with a fault if the environment says so, for tests of processes.
func TestMain(m *testing.M) {
	if fault, ok := os.LookupEnv("RPCGEN_TEST_FAULT"); ok {
		os.Exit(Main(strings.Fields(fault)))
	}
	os.Exit(m.Run())
}

// TestFaults plays one script against the clean server and each server with a fault in memory, whose answers have to differ.
func TestFaults(t *testing.T) {
	clean := play(t, Fault{Name: "none"})
	if again := play(t, Fault{Name: "none"}); again != clean {
		t.Fatalf("the clean server has other answers the second time:\n%s\n%s", clean, again)
	}
	if strings.Contains(clean, silence) || strings.Count(clean, `"result"`) < 60 {
		t.Fatalf("the clean server answered:\n%s", clean)
	}
	counts := map[string]int{}
	for i, f := range Faults() {
		counts[f.Name]++
		if f.Process || f.Check() == "Slow" || testing.Short() && i%4 != 0 {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			want := strings.Split(clean, "\n")
			for i, got := range strings.Split(play(t, f), "\n") {
				if i >= len(want) || got != want[i] {
					t.Logf("line %d: %.300s", i, got)
					return
				}
			}
			t.Errorf("the answers are those of the clean server: if the fault is there, add a line to script that shows it")
		})
	}
	if len(counts) != len(Faults()) {
		t.Errorf("%d faults have %d names", len(Faults()), len(counts))
	}
}

// TestEveryCheck: each check has a server here with a fault that it finds, and each fault the name of a check.
func TestEveryCheck(t *testing.T) {
	missing := contract.Names()
	for _, f := range Faults() {
		if !slices.Contains(contract.Names(), f.Check()) {
			t.Errorf("the fault %s is of no check: runtime/x/contract/checks.txt describes them", f.Name)
		}
		missing = slices.DeleteFunc(missing, func(name string) bool { return name == f.Check() })
	}
	// All but Nondeterministic and Tasks are notes, which TestFound does not count.
	want := []string{"ReachNone", "Garbage", "Unhelpful", "Nondeterministic", "ListLimit", "Tasks"}
	for _, name := range missing {
		if !slices.Contains(want, name) {
			t.Errorf("no server of this folder has a fault %s/...: add one to the file of its concern", name)
		}
	}
}

// TestSlow counts books often: the last time takes longer than the first one.
func TestSlow(t *testing.T) {
	f, err := Named("Slow/grows")
	if err != nil {
		t.Fatal(err)
	}
	p := connect(t, f)
	var first, last time.Duration
	for i := range 30 {
		start := time.Now()
		p.ask(statelessCall(i, "count_books", "{}"))
		if last = time.Since(start); i == 0 {
			first = last
		}
	}
	if last < 58*time.Millisecond {
		t.Errorf("the first call took %v, and the last one %v", first, last)
	}
}

// TestProcesses starts servers whose faults show in a process only.
func TestProcesses(t *testing.T) {
	for _, test := range []struct{ fault, out string }{
		{"none", ""}, {"none weather", ""}, {"StdoutNoise/banner", "the index is warm"}, {"Crash/fifty-calls", "exit status 3"},
		{"NoExit/ignores-end", "still runs"}, {"Nothing/known", "exit status 2"},
	} {
		t.Run(test.fault, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			cmd := exec.CommandContext(ctx, os.Args[0])
			cmd.Env = append(os.Environ(), "RPCGEN_TEST_FAULT="+test.fault)
			var out strings.Builder
			cmd.Stdout = &out
			in := strings.Builder{}
			for i := range 60 {
				fmt.Fprintln(&in, statelessCall(i, "count_books", "{}"))
			}
			cmd.Stdin = strings.NewReader(in.String())
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			exited := make(chan error, 1)
			go func() { exited <- cmd.Wait() }()
			if test.out == "still runs" {
				select {
				case err := <-exited:
					t.Errorf("it ended: %v", err)
				case <-time.After(time.Second):
					cancel()
					<-exited
				}
				return
			}
			if err := <-exited; err != nil {
				fmt.Fprint(&out, err)
			}
			if !strings.Contains(out.String(), test.out) || test.out == "" && strings.Contains(out.String(), "exit") {
				t.Errorf("it ended with %.300q", out.String())
			}
		})
	}
}

// patience is how long an answer is waited for.
const patience = 5 * time.Second

// What stands for an answer.
const silence, ended = "no answer", "the end"

// peer is a client that writes lines and reads lines.
type peer struct {
	in    io.WriteCloser
	lines chan string
}

func connect(t *testing.T, f Fault) *peer {
	t.Helper()
	r, w := f.Connect(t.Context(), Library)
	p := &peer{in: w, lines: make(chan string, 1000)}
	go func() {
		defer close(p.lines)
		lines := bufio.NewReader(r)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			p.lines <- line
		}
	}()
	t.Cleanup(func() {
		w.Close()
		r.Close()
	})
	return p
}

// ask sends a line and returns the next one of the server, in its canonical form.
func (p *peer) ask(line string) string {
	fmt.Fprintln(p.in, line)
	return p.next()
}

func (p *peer) next() string {
	select {
	case answer, ok := <-p.lines:
		if !ok {
			return ended
		}
		return canonical(answer)
	case <-time.After(patience):
		return silence
	}
}

// canonical writes an answer with sorted members, also in a text that is JSON, and cuts it after 2,000 bytes.
func canonical(answer string) string {
	v := decode([]byte(answer))
	if m, ok := v.(object); ok {
		block := at(result(m)["content"], 0)
		text, _ := block["text"].(string)
		if inner, ok := decode([]byte(text)).(object); ok {
			block["text"] = string(encode(inner))
		}
	}
	if v != nil {
		answer = string(encode(v))
	}
	return fmt.Sprintf("%.2000s (%d bytes)", answer, len(answer))
}

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"tester","version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":{}}`

func statelessCall(id any, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"method":"tools/call","params":{%s,"name":%q,"arguments":%s}}`, id, meta, tool, arguments)
}

func request(id, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s%s}}`, id, method, meta, params)
}

// script is what play sends, with an answer for each line.
var script = func() []string {
	var lines []string
	call := func(tool, arguments string) { lines = append(lines, statelessCall(len(lines), tool, arguments)) }
	const book = `"genre":"essay","pages":10,"price":5`
	for _, a := range []string{
		`{}`, `{"limit":"5"}`, `{"limit":0}`, `{"limit":20}`, `{"query":"é"}`, `{"query":"vol"}`, `{"query":"😀😀"}`, `{"author":""}`, `{"query":null}`,
		`{"genres":["essay","novel","poetry","travel"]}`, `{"genres":["essay","other"]}`, `{"where":{"language":"xx"}}`, `{"querry":"x"}`,
		`{"since":"2025-01-01T00:00:00+01:00"}`, `{"cursor":"after-bk-0010"}`, `{"genres":["novel"]}`, `{}`,
	} {
		call("search_books", a)
	}
	for _, a := range []string{
		`{"kind":"book",` + book + `,"tags":[]}`, `{"kind":"book","title":"T",` + book + `,"tags":null}`, `{"kind":"film","title":"T",` + book + `,"tags":[]}`,
		`{"kind":"book","title":"` + strings.Repeat("t", 61) + `",` + book + `,"tags":[]}`, `{"kind":"book","title":"T",` + book + `,"tags":[]}`,
	} {
		call("add_book", a)
	}
	for _, id := range []string{"bk-0001", "xbk-0001", "bk-8888", "bk-0001"} {
		call("get_book", `{"id":"`+id+`"}`)
	}
	call("search_books", `{}`)
	for _, style := range []string{"apa", "chicago", "mla"} {
		call("cite_book", `{"id":"bk-0001","style":"`+style+`"}`)
	}
	call("cover", `{"id":"bk-0001"}`)
	call("set_price", `{"id":"bk-0001","price":0}`)
	call("set_price", `{"id":"bk-0001","price":3}`)
	call("set_price", `{"id":"bk-0001","price":3}`)
	call("delete_book", `{"id":"bk-0002"}`)
	call("get_book", `{"id":"bk-0002"}`)
	call("no_such_tool", `{}`)
	for range 10 {
		call("count_books", `{}`)
	}
	return append(lines,
		request("100", "tools/list", ""), request("101", "tools/list", ""), request("102", "resources/list", ""),
		request("103", "resources/read", `,"uri":"library://rules"`), request(`""`, "tools/list", ""), request("-1", "tools/list", ""),
		request(`"`+strings.Repeat("i", 300)+`"`, "tools/list", ""), `{"jsonrpc":"2.0","id":105,"method":"tools/list","params":[]}`, `{no json`,
	)
}()

// play returns what the server answers to the script, then to a task and to a flood of calls, and to a batch in a session. Calls that are sent together come
// together: the server's clock is that of a bubble.
func play(t *testing.T, f Fault) (said string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { said = playInBubble(t, f) })
	return said
}

// playInBubble is play in a bubble.
func playInBubble(t *testing.T, f Fault) string {
	t.Cleanup(func() { time.Sleep(time.Second) }) // until the tasks that run have ended, after their server
	p := connect(t, f)
	var out strings.Builder
	for _, line := range script {
		answer := p.ask(line)
		fmt.Fprintln(&out, answer)
		if answer == silence || answer == ended {
			return out.String()
		}
	}
	time.Sleep(310 * time.Millisecond) // for what comes later
	fmt.Fprintln(&out, p.ask(`{"jsonrpc":"2.0","method":"notifications/other"}`+"\n"+`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x"}}`+"\n"+request("106", "tools/list", "")))
	var flood strings.Builder
	for i := range 120 {
		fmt.Fprintln(&flood, statelessCall(1000+i, "search_books", fmt.Sprintf(`{"limit":%d}`, i%20+1)))
	}
	fmt.Fprint(p.in, flood.String())
	answers := map[string]bool{}
	for range 120 {
		answer := p.next()
		answers[answer] = true
		if answer == silence || answer == ended {
			break
		}
	}
	for i := range 120 { // in order of the ids
		for answer := range answers {
			if strings.Contains(answer, fmt.Sprintf(`"id":%d`, 1000+i)) {
				fmt.Fprintln(&out, answer)
			}
		}
	}
	s := connect(t, f)
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + `[{"jsonrpc":"2.0","id":2,"method":"ping"},{"jsonrpc":"2.0","id":3,"method":"ping"}]`,
	} {
		fmt.Fprintln(&out, s.ask(line))
	}
	s = connect(t, f)
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"take_stock","arguments":{},"task":{}}}`,
	} {
		answer := s.ask(line)
		if at := strings.Index(answer, `"task":`); at > 0 {
			answer = answer[:at]
		}
		fmt.Fprintln(&out, answer)
	}
	fmt.Fprintln(&out, s.ask(`{"jsonrpc":"2.0","id":3,"method":"ping"}`))
	return out.String()
}
