// Package nats_test runs two servers and the client.
package nats_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/rpcgen-go/rpcgen/test/await"
)

// TestDocument: the document that the server describes itself by is that of the schema.
func TestDocument(t *testing.T) {
	own, err := os.ReadFile("server/weather.openrpc.json")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("../../cmd/rpcgen/internal/language/openrpc/testdata/weather.openrpc.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(own, want) {
		t.Error("server/weather.openrpc.json is out of date: rpcgen export --format openrpc ../weather/weather.rpc.yaml")
	}
}

func TestWeather(t *testing.T) {
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", bin, "./server", "./client").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ns, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	ns.Start()
	defer ns.WaitForShutdown()
	defer ns.Shutdown()
	if !ns.ReadyForConnections(time.Minute) {
		t.Fatal("the NATS server does not start")
	}
	for range 2 {
		s := exec.Command(filepath.Join(bin, "server"), "-nats", ns.ClientURL())
		s.Stderr = os.Stderr
		if err := s.Start(); err != nil {
			t.Fatal(err)
		}
		defer s.Wait()
		defer s.Process.Kill()
	}
	discovered(t, ns.ClientURL(), 2)
	out, err := exec.Command(filepath.Join(bin, "client"), "-nats", ns.ClientURL()).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"Paris has 14.5 degrees celsius", "Atlantis: city Atlantis not found", "severity 4 in Lagos: storm from the west"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// discovered waits until the servers answer discovery, as "nats micro ls" asks for it.
func discovered(t *testing.T, url string, servers int) {
	t.Helper()
	nc, err := nats.Connect(url, nats.Timeout(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	subject, err := micro.ControlSubject(micro.PingVerb, "weather", "")
	if err != nil {
		t.Fatal(err)
	}
	await.Until(t, "the servers are discovered", func() bool {
		inbox := nc.NewInbox()
		answers, err := nc.SubscribeSync(inbox)
		if err != nil {
			t.Fatal(err)
		}
		if err := nc.PublishRequest(subject, inbox, nil); err != nil {
			t.Fatal(err)
		}
		n := 0
		for m, err := answers.NextMsg(100 * time.Millisecond); err == nil && len(m.Data) > 0; m, err = answers.NextMsg(100 * time.Millisecond) {
			n++
		}
		answers.Unsubscribe()
		return n == servers
	})
}
