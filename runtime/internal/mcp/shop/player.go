package shop

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

// Player is a client that sends lines to a server in a session and collects the answers. It is for
// tests in a testing/synctest bubble.
type Player struct {
	t       *testing.T
	conn    *pipe.Conn
	session *runtime.Session
	state   string

	Capabilities string            // of the client, for META in stateless requests
	Ask          func(line string) // called with each line that is sent; may be nil
	Judge        func(line string) // called with each line that is received; may be nil

	mu    sync.Mutex
	heard bytes.Buffer
	done  chan struct{}
}

// NewPlayer connects a client to h, which is srv or wraps it.
func NewPlayer(t *testing.T, h runtime.Handler) *Player {
	a, b := pipe.New(0)
	p := &Player{t: t, conn: a, Capabilities: "{}", done: make(chan struct{})}
	p.session = runtime.NewSession(t.Context(), b, h, runtime.Options{Logger: Quiet})
	go func() {
		defer close(p.done)
		for {
			msg, err := a.ReadFrame()
			if err != nil {
				return
			}
			p.mu.Lock()
			p.heard.Write(append(msg, '\n'))
			p.mu.Unlock()
		}
	}()
	return p
}

// Close ends the input of the server and waits for the end of the session.
func (p *Player) Close() {
	p.conn.CloseWrite()
	p.session.Wait()
	<-p.done
	p.conn.Close()
}

// Say sends newline-separated messages. META stands for the _meta of a stateless request, and STATE
// for the last requestState.
func (p *Player) Say(lines string) {
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"tester","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":` + p.Capabilities + `}`
	lines = strings.NewReplacer("META", meta, "STATE", p.state).Replace(lines)
	for line := range strings.SplitSeq(lines, "\n") {
		if p.Ask != nil {
			p.Ask(line)
		}
		if err := p.conn.WriteFrame([]byte(line)); err != nil {
			p.t.Fatal(err)
		}
		synctest.Wait() // otherwise answers arrive in any order
	}
}

var statePattern = regexp.MustCompile(`"requestState":"([^"]*)"`)

// Hear returns the messages that have arrived, once nothing more happens.
func (p *Player) Hear() string {
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	text := p.heard.String()
	p.heard.Reset()
	for line := range strings.Lines(text) {
		if p.Judge != nil {
			p.Judge(line)
		}
	}
	if m := statePattern.FindStringSubmatch(text); m != nil {
		p.state = m[1]
	}
	text = statePattern.ReplaceAllString(text, `"requestState":"STATE"`)
	return strings.ReplaceAll(text, `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"shop","version":"1.4.0","title":"Shop"}}`, "SERVER")
}
