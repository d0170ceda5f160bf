// Package websocket_test runs the server and the client.
package websocket_test

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/test/await"
	"github.com/rpcgen-go/rpcgen/test/port"
)

func TestWeather(t *testing.T) {
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", bin, "./server", "./client").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	address := port.Address()
	server := exec.Command(filepath.Join(bin, "server"), "-ws", address)
	server.Stderr = os.Stderr
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer server.Wait()
	defer server.Process.Kill()
	await.Until(t, "the server listens", func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	out, err := exec.Command(filepath.Join(bin, "client"), "-ws", "ws://"+address+"/ws").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"Paris has 14.5 degrees celsius", "Atlantis: city Atlantis not found", "severity 4 in Lagos: storm from the west"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}
