package contract_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract"
)

// TestMain is a server if the environment says so.
func TestMain(m *testing.M) {
	if kind := os.Getenv("RPCGEN_TEST_HOSTILE"); kind != "" {
		hostile(kind)
		return
	}
	os.Exit(m.Run())
}

// hostile is a server that behaves badly.
func hostile(kind string) {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	calls, asking := 0, ""
	if kind == "forks" {
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
		result := func(text string) { fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, text) }
		switch {
		case kind == "silent":
			fmt.Println("I listen elsewhere.")
			fmt.Fprintln(os.Stderr, "listening on port 80")
		case !ok:
		case strings.Contains(line, `"initialize"`):
			result(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"hostile","version":"1"}}`)
		case strings.Contains(line, `"tools/list"`):
			calls++
			name, argument := "a", "x"
			switch kind {
			case "file":
				argument = "file_path"
			case "absolute":
				argument = "target"
			}
			if kind == "changes" {
				name = fmt.Sprint("a", calls)
			}
			result(`{"tools":[{"name":"` + name + `","inputSchema":{"type":"object","properties":{"` + argument + `":{"type":"string"},"more":{"type":"array"}}},"annotations":{"readOnlyHint":true}}]}`)
		case kind == "declined" && strings.Contains(line, `"action"`):
			if !strings.Contains(line, `"accept"`) {
				os.Exit(3)
			}
			id = asking
			call(kind, id, line, result)
		case kind == "declined" && strings.Contains(line, `"tools/call"`):
			asking = id
			fmt.Println(`{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"Really?","requestedSchema":{"type":"object","properties":{"yes":{"type":"boolean"}}}}}`)
		case kind == "file" && strings.Contains(line, `"there.txt"`):
			os.Exit(3)
		case strings.Contains(line, `"tools/call"`):
			call(kind, id, line, result)
		case strings.Contains(line, `"ping"`) && kind != "refuses":
			result(`{}`)
		default:
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`+"\n", id)
		}
	}
}

// call answers a call of the tool.
func call(kind, id, line string, result func(string)) {
	text := func(s string) { result(`{"content":[{"type":"text","text":"` + s + `"}]}`) }
	switch kind {
	case "noise":
		for range 1000 {
			fmt.Println("loading ...")
		}
	case "floods":
		for {
			fmt.Println(strings.Repeat("noise ", 1000))
		}
	case "gigabytes":
		out := bufio.NewWriterSize(os.Stdout, 1<<20)
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"`, id)
		for range 2 << 10 {
			if _, err := out.WriteString(strings.Repeat("x", 1<<20)); err != nil {
				os.Exit(1)
			}
		}
		fmt.Fprintln(out, `"}]}}`)
		out.Flush()
	case "hangs":
		return
	case "works on": // it says that it does, and never answers
		if _, token, ok := strings.Cut(line, `"progressToken":`); ok {
			token, _, _ = strings.Cut(token, ",")
			for i := 1; ; i++ {
				fmt.Printf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`+"\n", strings.TrimRight(token, "}"), i)
				time.Sleep(100 * time.Millisecond)
			}
		}
		return
	case "absolute": // the paths outside its folder that it gets are in a file there
		_, target, _ := strings.Cut(line, `"target":"`)
		target, _, _ = strings.Cut(target, `"`)
		switch folder, _ := os.Getwd(); {
		case target == filepath.Join(folder, "there.txt"):
			os.Exit(3)
		case filepath.IsAbs(target) && !strings.HasPrefix(target, folder+"/"):
			_ = os.WriteFile("outside", []byte(target), 0o600)
		}
		result(`{"isError":true,"content":[{"type":"text","text":"target is not an absolute path"}]}`)
		return
	case "refuses":
		result(`{"isError":true,"content":[{"type":"text","text":"no"}]}`)
		return
	}
	text("ok")
}

// TestHostile: whatever the server does, there is a verdict in time, and no process and little memory is left.
func TestHostile(t *testing.T) {
	tests := map[string]string{ // what has to be found; "" for nothing
		"silent": "", "noise": "StdoutNoise", "floods": "Hang|Crash|StdoutNoise", "gigabytes": "ResultLimit|Crash|Hang", "hangs": "Hang error", "works on": "Hang note", "refuses": "", "forks": "", "changes": "ListUnstable",
		"declined": "Crash", "file": "Crash", "absolute": "Crash",
	}
	for kind, want := range tests {
		t.Run(kind, func(t *testing.T) {
			if testing.Short() && kind == "gigabytes" {
				t.Skip("reads gigabytes, which make exhaustive does")
			}
			t.Parallel()
			budget := 6 * time.Second
			if kind == "hangs" || kind == "works on" { // a run of these ends when all is tried, which takes the time of a few calls
				budget *= 5
			}
			conn := &contract.Process{Args: []string{os.Args[0]}, Env: func(string) []string { return append(os.Environ(), "RPCGEN_TEST_HOSTILE="+kind) }}
			sandbox := t.TempDir()
			if kind == "absolute" {
				conn.Folder = func() (string, error) { return os.MkdirTemp(sandbox, "") }
			}
			timeout := time.Second
			if kind == "gigabytes" { // on a busy machine it takes seconds to read more than hosts take
				timeout = 20 * time.Second
			}
			began := time.Now()
			r, err := contract.Run(t.Context(), conn, contract.With(contract.Options{Time: budget, Timeout: timeout, Patience: 2 * time.Second, Start: 2 * time.Second, Files: []string{"there.txt"}}))
			took := time.Since(began)
			if kind == "silent" {
				said := `initialize: there is no answer (it has printed on its standard output: "I listen elsewhere.", and on its standard error: "listening on port 80"); server/discover`
				if err == nil || !strings.Contains(err.Error(), said) {
					t.Errorf("a server that never answers: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if limit := 20 * budget; took > limit { // the machine may be slow
				t.Errorf("it took %v", took)
			}
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
			for _, s := range r.Skipped {
				if strings.Contains(s.Reason, "checks of the protocol") && (kind == "hangs" || kind == "works on") {
					t.Errorf("calls that are not answered have taken the time of other checks: %s", s.Reason)
				}
			}
			if out, err := filepath.Glob(filepath.Join(sandbox, "*/outside")); len(out) > 0 || err != nil {
				t.Errorf("paths outside the sandbox were tried, see %v", out)
			}
			var m runtime.MemStats
			if runtime.ReadMemStats(&m); m.Sys > 512<<20 {
				t.Errorf("%d MiB of memory", m.Sys>>20)
			}
		})
	}
}
