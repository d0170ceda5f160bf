package mcp_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/internal/shop"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

var update = flag.Bool("update", false, "write what servers say into the transcripts")

// TestTranscripts plays the files in testdata/transcripts, each over one session. A section `client` holds messages that are sent, a line
// each, and the section `server` behind it what comes back until nothing more happens. In messages of the client META is the _meta of a
// stateless request, with the capabilities of the last section `capabilities`, and STATE the requestState that came last; in those of the server,
// requestStates are STATE and what every result says of the server is SERVER. A section `sleep` lets its time pass; `do` does what its words
// say. Words before a colon in the comment are modern and handshake (servers of one era), pages (of two), anonymous, bare (no capabilities) and own (a method
// of the schema).
//
// Each is played once more with the server in a wrapper that passes its hooks on, which changes nothing.
//
// Whatever the server says is checked against the official definitions of the revision that it speaks.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/transcripts/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { play(t, file, *update, func(s *mcp.Server) runtime.Handler { return s }) })
		})
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar")+"/wrapped", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				play(t, file, false, func(s *mcp.Server) runtime.Handler { return struct{ runtime.Handler }{s} })
			})
		})
	}
}

func play(t *testing.T, file string, update bool, wrap func(*mcp.Server) runtime.Handler) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	srv := mcp.NewServer(newShop(string(archive.Comment)))
	p := newPlayer(t, srv, wrap(srv))
	defer p.close()
	for i := range archive.Files {
		section := &archive.Files[i]
		text := strings.TrimSuffix(string(section.Data), "\n")
		switch section.Name {
		case "client":
			p.say(text)
		case "capabilities":
			p.capabilities = text
		case "sleep":
			d, err := time.ParseDuration(text)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(d)
		case "do":
			p.do(srv, text)
		case "server":
			if heard := p.hear(); update {
				section.Data = []byte(heard)
			} else if heard != string(section.Data) {
				t.Errorf("%s, section %d\n  got\n%s\n  want\n%s", file, i+1, heard, section.Data)
			}
		default:
			t.Fatal("no such section", section.Name)
		}
	}
	if rest := p.hear(); rest != "" {
		t.Errorf("%s: nobody waited for\n%s", file, rest)
	}
	if update {
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// newShop returns the declarations and options that the words of a comment ask for.
func newShop(words string) (*shop.Shop, mcp.Options) {
	words, _, _ = strings.Cut(words, ":")
	s, o := &shop.Shop{}, mcp.Options{Logger: shop.Quiet, StateKey: []byte("a key of tests"), MaxSubscriptions: 2}
	for word := range strings.FieldsSeq(words) {
		switch word {
		case "modern":
			s.Change = func(i *mcp.Info) { i.Revisions = []string{mcp.Revision20260728} }
		case "handshake":
			s.Change = func(i *mcp.Info) { i.Revisions = []string{mcp.Revision20241105, mcp.Revision20250618} }
		case "bare":
			s.Change = func(i *mcp.Info) {
				*i = mcp.Info{Name: "bare", Version: "0"}
			}
		case "pages":
			o.PageSize = 2
		case "anonymous":
			o.Anonymous = true
		case "own":
			s.Own = ownMethods{}
		}
	}
	return s, o
}

// player is the client of a transcript.
type player struct {
	t            *testing.T
	conn         *pipe.Conn
	session      *runtime.Session
	capabilities string
	state        string
	referee      referee

	mu    sync.Mutex
	heard bytes.Buffer
	done  chan struct{}
}

func newPlayer(t *testing.T, srv *mcp.Server, h runtime.Handler) *player {
	a, b := pipe.New(0)
	p := &player{t: t, conn: a, capabilities: "{}", done: make(chan struct{}), referee: referee{t: t, modern: slices.Contains(srv.Revisions(), mcp.Revision20260728), asked: map[string]asked{}}}
	p.session = runtime.NewSession(t.Context(), b, h, runtime.Options{Logger: shop.Quiet})
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

func (p *player) close() {
	p.conn.CloseWrite()
	p.session.Wait()
	<-p.done
	p.conn.Close()
}

func (p *player) say(lines string) {
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"tester","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":` + p.capabilities + `}`
	lines = strings.NewReplacer("META", meta, "STATE", p.state).Replace(lines)
	for line := range strings.SplitSeq(lines, "\n") {
		p.referee.ask(line)
		if err := p.conn.WriteFrame([]byte(line)); err != nil {
			p.t.Fatal(err)
		}
		synctest.Wait() // else answers come in any order
	}
}

var statePattern = regexp.MustCompile(`"requestState":"([^"]*)"`)

func (p *player) hear() string {
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	text := p.heard.String()
	p.heard.Reset()
	for line := range strings.Lines(text) {
		p.referee.judge(line)
	}
	if m := statePattern.FindStringSubmatch(text); m != nil {
		p.state = m[1]
	}
	text = statePattern.ReplaceAllString(text, `"requestState":"STATE"`)
	return strings.ReplaceAll(text, `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"shop","version":"1.4.0","title":"Shop"}}`, "SERVER")
}

// do has something happen at the server, one thing a line.
func (p *player) do(srv *mcp.Server, lines string) {
	for line := range strings.SplitSeq(lines, "\n") {
		switch what, uri, _ := strings.Cut(line, " "); what {
		case "tools":
			srv.ToolsChanged()
		case "prompts":
			srv.PromptsChanged()
		case "resources":
			srv.ResourcesChanged()
		case "updated":
			srv.ResourceUpdated(uri)
		case "shutdown":
			if err := srv.Shutdown(p.t.Context()); err != nil {
				p.t.Error(err)
			}
		default:
			p.t.Fatal("nothing to do:", line)
		}
	}
}
