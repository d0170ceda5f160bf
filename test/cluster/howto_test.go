package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/test/port"
)

// script returns what docs/howto-cluster.md says as a script: its files are written, and its scripts run, in the order of the page, with other ports:
// NATS is at the given one, and the balancer at url.
func script(t *testing.T, natsPort string) (text, url string) {
	t.Helper()
	page, err := os.ReadFile("../../docs/howto-cluster.md")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, block := range regexp.MustCompile("(?s)```(sh|go) ([^\n]*)\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		switch {
		case strings.HasPrefix(block[2], "skip: it needs a network"), strings.HasPrefix(block[2], "in "):
		case block[1] == "go":
			b.WriteString("cat >" + block[2] + " <<'END OF FILE'\n" + block[3] + "END OF FILE\n")
		default:
			b.WriteString(block[3])
		}
	}
	text = strings.ReplaceAll(b.String(), "localhost:4222", "localhost:"+natsPort)
	for _, printed := range []string{"4000", "4001", "4002", "4003"} {
		free := strconv.Itoa(port.Free())
		in := regexp.MustCompile(`\b` + printed + `\b`)
		if !in.MatchString(text) {
			t.Fatal("the page has no port", printed)
		}
		text = in.ReplaceAllString(text, free)
		if printed == "4000" {
			url = "http://localhost:" + free + "/mcp"
		}
	}
	return text, url
}

// follow runs a script in an empty home folder, with a clone in ~/rpcgen, until it waits for what it has started, which ends with the test.
func follow(t *testing.T, text string) {
	t.Helper()
	home, clone := t.TempDir(), filepath.Join("..", "..")
	clone, err := filepath.Abs(clone)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(clone, filepath.Join(home, "rpcgen")); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "HOME="+home, "GOWORK=off")
	command, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	env = append(env, "GO_COMMAND="+command, "PATH="+filepath.Join(clone, ".tools", "checkout")+":"+os.Getenv("PATH"))
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} {
		value, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		env = append(env, name+"="+strings.TrimSpace(string(value)))
	}
	done := filepath.Join(home, "done")
	cmd := exec.Command("bash", "-ec", text+"\ntouch "+done+"\nwait\n")
	cmd.Dir, cmd.Env, cmd.SysProcAttr = home, env, &syscall.SysProcAttr{Setpgid: true}
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &said, &said, time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	end := sync.OnceValue(func() error {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // with what it has started
		return <-ended
	})
	t.Cleanup(func() { end() })
	late := time.After(5 * time.Minute)
	for {
		if _, err := os.Stat(done); err == nil {
			return
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("%v\n%s", end(), &said)
		case <-late:
			t.Fatalf("%v\n%s", end(), &said)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// TestHowTo does what docs/howto-cluster.md says, from top to bottom. Then a session is served by all replicas.
func TestHowTo(t *testing.T) {
	b, err := startBroker(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer b.stop()
	text, url := script(t, strconv.Itoa(b.options.Port))
	follow(t, text)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c, err := mcpclient.Connect(ctx, mcphttp.Dial(url, mcphttp.ClientOptions{}), mcpclient.Options{Era: mcp.Handshake})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	write, err := wire.ParseRaw([]byte(`{"title":"To do","text":"Sleep"}`))
	if err != nil {
		t.Fatal(err)
	}
	find, err := wire.ParseRaw([]byte(`{"query":"sleep"}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.CallTool(ctx, "write_note", write); err != nil {
		t.Fatal(err)
	}
	for range 6 {
		result, err := c.CallTool(ctx, "find_notes", find)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := wire.Marshal(&result); err != nil || !strings.Contains(string(text), "To do") {
			t.Errorf("%s, %v", text, err)
		}
	}
}
