package contract

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestMain is a server if the environment says so. Instances may send less in short tests.
func TestMain(m *testing.M) {
	if kind := os.Getenv("RPCGEN_TEST_HOSTILE"); kind != "" {
		folder, _ := os.Getwd()
		(&hostile{kind: kind, folder: folder, in: os.Stdin, out: os.Stdout, errors: os.Stderr, exit: os.Exit}).serve()
		return
	}
	if flag.Parse(); testing.Short() {
		maxMessage, maxTotal = 2<<20, 3<<20
	}
	os.Exit(m.Run())
}

// hostile is a server that behaves badly, in a process or in memory.
type hostile struct {
	kind, folder string
	in           io.Reader
	out, errors  io.Writer
	exit         func(code int) // does not return
}

// print writes a line, and ends the server if its reader is gone.
func (h *hostile) print(format string, args ...any) {
	if _, err := fmt.Fprintf(h.out, format+"\n", args...); err != nil {
		h.exit(1)
	}
}

// result answers a request.
func (h *hostile) result(id, text string) { h.print(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, text) }

// serve reads and answers until the input ends.
func (h *hostile) serve() {
	in := bufio.NewScanner(h.in)
	in.Buffer(nil, 64<<20)
	lists, asking := 0, ""
	if h.kind == "forks" {
		child := exec.Command("sleep", "987")
		child.Stdout = os.Stdout // it holds the pipe open
		if err := child.Start(); err != nil {
			panic(err)
		}
	}
	for in.Scan() {
		line := in.Text()
		_, id, ok := strings.Cut(line, `"id":`)
		id, _, _ = strings.Cut(id, ",")
		switch {
		case h.kind == "silent":
			h.print("I listen elsewhere.")
			fmt.Fprintln(h.errors, "listening on port 80")
		case !ok:
		case strings.Contains(line, `"initialize"`):
			h.result(id, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"hostile","version":"1"}}`)
		case strings.Contains(line, `"tools/list"`):
			lists++
			name, argument := "a", "x"
			switch h.kind {
			case "file":
				argument = "file_path"
			case "absolute":
				argument = "target"
			case "changes":
				name = fmt.Sprint("a", lists)
			}
			h.result(id, `{"tools":[{"name":"`+name+`","inputSchema":{"type":"object","properties":{"`+argument+`":{"type":"string"},"more":{"type":"array"}}},"annotations":{"readOnlyHint":true}}]}`)
		case h.kind == "declined" && strings.Contains(line, `"action"`):
			if !strings.Contains(line, `"accept"`) {
				h.exit(3)
			}
			h.call(asking, line)
		case h.kind == "declined" && strings.Contains(line, `"tools/call"`):
			asking = id
			h.print(`{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"Really?","requestedSchema":{"type":"object","properties":{"yes":{"type":"boolean"}}}}}`)
		case h.kind == "file" && strings.Contains(line, `"there.txt"`):
			h.exit(3)
		case strings.Contains(line, `"tools/call"`):
			h.call(id, line)
		case strings.Contains(line, `"ping"`) && h.kind != "refuses":
			h.result(id, `{}`)
		default:
			h.print(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, id)
		}
	}
}

// call answers a call of the tool. The server that works on for ever does so in a bubble.
func (h *hostile) call(id, line string) {
	switch h.kind {
	case "noise":
		for range 1000 {
			h.print("loading ...")
		}
	case "floods":
		for {
			h.print("%s", strings.Repeat("noise", 10000))
		}
	case "gigabytes":
		fmt.Fprintf(h.out, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"`, id)
		megabyte := strings.Repeat("x", 1<<20)
		for range 2 << 10 {
			if _, err := io.WriteString(h.out, megabyte); err != nil {
				h.exit(1)
			}
		}
		h.print(`"}]}}`)
	case "hangs":
		return
	case "works on": // it says that it does, and never answers
		if _, token, ok := strings.Cut(line, `"progressToken":`); ok {
			token, _, _ = strings.Cut(token, ",")
			for i := 1; ; i++ {
				h.print(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`, strings.TrimRight(token, "}"), i)
				time.Sleep(100 * time.Millisecond)
			}
		}
		return
	case "absolute": // the paths outside its folder that it gets are in a file there
		_, target, _ := strings.Cut(line, `"target":"`)
		target, _, _ = strings.Cut(target, `"`)
		switch {
		case target == filepath.Join(h.folder, "there.txt"):
			h.exit(3)
		case filepath.IsAbs(target) && !strings.HasPrefix(target, h.folder+"/"):
			_ = os.WriteFile("outside", []byte(target), 0o600)
		}
		h.result(id, `{"isError":true,"content":[{"type":"text","text":"target is not an absolute path"}]}`)
		return
	case "refuses":
		h.result(id, `{"isError":true,"content":[{"type":"text","text":"no"}]}`)
		return
	}
	h.result(id, `{"content":[{"type":"text","text":"ok"}]}`)
}

// inMemory reaches a hostile server in this program, each instance of which is a goroutine. In a bubble none of its calls takes time unless it waits.
type inMemory string

func (kind inMemory) open(_ context.Context, take func([]byte)) (link, error) {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	s := newStream(fromServer, toServer)
	go func() {
		defer in.Close()
		defer out.Close()
		(&hostile{kind: string(kind), in: in, out: out, errors: &s.errors, exit: func(code int) {
			s.finish(fmt.Sprint("it ended with code ", code))
			runtime.Goexit()
		}}).serve()
	}()
	go func() {
		err := s.read(fromServer, take)
		s.finish(err.Error())
		s.kill()
	}()
	return s, nil
}

// wants are the findings that have to be among those of each hostile server; "" is none.
var wants = map[string]string{
	"silent": "", "noise": "StdoutNoise", "floods": "Hang|Crash|StdoutNoise", "gigabytes": "ResultLimit|Crash|Hang", "hangs": "Hang error", "works on": "Hang note", "refuses": "", "forks": "", "changes": "ListUnstable",
	"declined": "Crash", "file": "Crash", "absolute": "Crash",
}

// TestHostile: whatever the server does, there is a verdict in time, and little memory is left. The time is that of a bubble, which does not depend
// on the machine.
func TestHostile(t *testing.T) {
	bounded(t)
	for kind := range wants {
		if kind == "forks" || kind == "absolute" { // they need a process
			continue
		}
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				o := Options{Time: 6 * time.Second, Calls: 60, Timeout: time.Second, Patience: 2 * time.Second, Start: 2 * time.Second, Files: []string{"there.txt"}}
				switch kind {
				case "hangs", "works on": // a run of these ends when all is tried, which takes the time of a few calls
					o.Time *= 5
				case "floods", "gigabytes": // each call sends all that an instance may
					o.Calls = 3
				}
				began := time.Now()
				r, err := Run(t.Context(), inMemory(kind), With(o))
				if kind == "silent" {
					said := `initialize: there is no answer (it has printed on its standard output: "I listen elsewhere.", and on its standard error: "listening on port 80"); server/discover`
					if err == nil || !strings.Contains(err.Error(), said) {
						t.Errorf("a server that never answers: %v", err)
					}
					return
				}
				if took := time.Since(began); err != nil || took > 3*o.Time {
					t.Fatalf("it took %v: %v", took, err)
				}
				verdict(t, kind, r)
				for _, s := range r.Skipped {
					if strings.Contains(s.Reason, "checks of the protocol") && (kind == "hangs" || kind == "works on") {
						t.Errorf("calls that are not answered have taken the time of other checks: %s", s.Reason)
					}
				}
			})
		})
	}
}

// TestHostileProcess: servers that are processes are ended, whatever they have started or write, and see no path outside their folder. The run ends
// with its calls: no limit of time decides, since those here are what a machine never takes.
func TestHostileProcess(t *testing.T) {
	bounded(t)
	for _, kind := range []string{"floods", "forks", "absolute"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			sandbox := t.TempDir()
			conn := &Process{Args: []string{os.Args[0]}, Env: func(string) []string { return append(os.Environ(), "RPCGEN_TEST_HOSTILE="+kind) }}
			conn.Folder = func() (string, error) { return os.MkdirTemp(sandbox, "") }
			o := Options{Time: time.Hour, Calls: 20, Timeout: 10 * time.Minute, Patience: 10 * time.Minute, Start: 10 * time.Minute, Files: []string{"there.txt"}}
			if kind == "floods" {
				o.Calls = 2
			}
			r, err := Run(t.Context(), conn, With(o))
			if err != nil {
				t.Fatal(err)
			}
			verdict(t, kind, r)
			if out, err := filepath.Glob(filepath.Join(sandbox, "*/outside")); len(out) > 0 || err != nil {
				t.Errorf("paths outside the sandbox were tried, see %v", out)
			}
		})
	}
}

// mostMemory is how much memory the tests of this package may take, servers in memory included.
const mostMemory = 512 << 20

// bounded has garbage collected before that much memory is taken, however rarely it is by default: what is over the limit is held.
func bounded(t *testing.T) {
	before := debug.SetMemoryLimit(mostMemory / 2)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
}

// verdict compares what was found with what a hostile server does.
func verdict(t *testing.T, kind string, r *Report) {
	t.Helper()
	want := wants[kind]
	found := want == ""
	for _, f := range r.Findings {
		t.Log(f.Severity, f.Check, f.Message)
		small := map[string]string{"file": `{"file_path":"there.txt"}`, "absolute": `{"target":"$PWD/there.txt"}`}[kind]
		if small != "" && f.Check == "Crash" && f.Arguments != small {
			t.Errorf("the arguments are %s, and %s would do", f.Arguments, small)
		}
		if kind == "absolute" && f.Check == "Crash" && !strings.Contains(f.Reproduce, `a --args '{"target":"'"$PWD/"'there.txt"}'`) {
			t.Errorf("a shell would not read this as the folder that it is in: %s", f.Reproduce)
		}
		for check := range strings.SplitSeq(want, "|") {
			found = found || strings.HasPrefix(f.Check+" "+string(f.Severity), check)
		}
	}
	if !found {
		t.Errorf("%s is not found: %+v", want, r.Unseen)
	}
	var m runtime.MemStats
	if runtime.ReadMemStats(&m); m.Sys > mostMemory {
		t.Errorf("%d MiB of memory", m.Sys>>20)
	}
}
