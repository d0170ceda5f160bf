package contract_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
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
	calls := 0
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
		case !ok || kind == "silent":
		case strings.Contains(line, `"initialize"`):
			result(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"hostile","version":"1"}}`)
		case strings.Contains(line, `"tools/list"`):
			calls++
			name := "a"
			if kind == "changes" {
				name = fmt.Sprint("a", calls)
			}
			result(`{"tools":[{"name":"` + name + `","inputSchema":{"type":"object","properties":{"x":{"type":"string"}}},"annotations":{"readOnlyHint":true}}]}`)
		case strings.Contains(line, `"tools/call"`):
			call(kind, id, result)
		case strings.Contains(line, `"ping"`) && kind != "refuses":
			result(`{}`)
		default:
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`+"\n", id)
		}
	}
}

// call answers a call of the tool.
func call(kind, id string, result func(string)) {
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
	case "refuses":
		result(`{"isError":true,"content":[{"type":"text","text":"no"}]}`)
		return
	}
	text("ok")
}

// TestHostile: whatever the server does, there is a verdict in time, and no process and little memory is left.
func TestHostile(t *testing.T) {
	tests := map[string]string{ // what has to be found; "" for nothing
		"silent": "", "noise": "StdoutNoise", "floods": "Hang|Crash|StdoutNoise", "gigabytes": "ResultLimit|Crash|Hang", "hangs": "Hang", "refuses": "", "forks": "", "changes": "ListUnstable",
	}
	for kind, want := range tests {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			budget := 6 * time.Second
			conn := &contract.Process{Args: []string{os.Args[0]}, Env: func(string) []string { return append(os.Environ(), "RPCGEN_TEST_HOSTILE="+kind) }}
			began := time.Now()
			r, err := contract.Run(t.Context(), conn, contract.With(contract.Options{Time: budget, Timeout: time.Second, Patience: 2 * time.Second, Start: 2 * time.Second}))
			took := time.Since(began)
			if kind == "silent" {
				if err == nil || !strings.Contains(err.Error(), "no answer") {
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
				for check := range strings.SplitSeq(want, "|") {
					found = found || f.Check == check
				}
			}
			if !found {
				t.Errorf("%s is not found: %+v", want, r.Unseen)
			}
			var m runtime.MemStats
			if runtime.ReadMemStats(&m); m.Sys > 1<<30 {
				t.Errorf("%d MiB of memory", m.Sys>>20)
			}
		})
	}
}
