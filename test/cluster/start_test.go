package main

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/rpcgen-go/rpcgen/test/port"
)

// TestNoStart: a replica that cannot work ends and says why.
func TestNoStart(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "replica")
	if out, err := exec.Command("go", "build", "-o", binary, "./replica").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	plain := &broker{options: &server.Options{Host: "127.0.0.1", Port: port.Free(), NoLog: true, NoSigs: true}}
	if err := plain.start(); err != nil {
		t.Fatal(err)
	}
	defer plain.stop()
	for name, test := range map[string]struct{ url, key, says string }{
		"no NATS":      {"nats://127.0.0.1:1", "k", "replica: NATS at nats://127.0.0.1:1: "},
		"no JetStream": {plain.url(), "k", `replica: mcpnats: the sessions of MCP in NATS at "` + plain.url() + `": JetStream is not available: start nats-server with -js`},
		"no key":       {plain.url(), "", "replica: there is no key: set STATE_KEY"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := exec.Command(binary, "-nats", test.url, "-key", test.key).CombinedOutput()
			if fault, ok := errors.AsType[*exec.ExitError](err); !ok || fault.ExitCode() != 1 || !strings.Contains(string(out), test.says) {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}
