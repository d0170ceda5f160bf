package transcripts_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

var update = flag.Bool("update", false, "write what servers say into the transcripts")

// TestTranscripts plays the files in testdata/transcripts, each over one session. A section `client` holds messages that are sent, a line
// each, and the section `server` after it what comes back until nothing more happens. In messages of the client META is the _meta of a
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

// play plays a transcript, in a bubble.
func play(t *testing.T, file string, update bool, wrap func(*mcp.Server) runtime.Handler) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	srv := mcp.NewServer(shop.Configure(string(archive.Comment)))
	referee := newReferee(t, srv)
	p := shop.NewPlayer(t, wrap(srv))
	p.Ask, p.Judge = referee.ask, referee.judge
	defer p.Close()
	for i := range archive.Files {
		section := &archive.Files[i]
		text := strings.TrimSuffix(string(section.Data), "\n")
		switch section.Name {
		case "client":
			p.Say(text)
		case "capabilities":
			p.Capabilities = text
		case "sleep":
			d, err := time.ParseDuration(text)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(d)
		case "do":
			do(t, srv, text)
		case "server":
			if heard := p.Hear(); update {
				section.Data = []byte(heard)
			} else if heard != string(section.Data) {
				t.Errorf("%s, section %d\n  got\n%s\n  want\n%s", file, i+1, heard, section.Data)
			}
		default:
			t.Fatal("no such section", section.Name)
		}
	}
	if rest := p.Hear(); rest != "" {
		t.Errorf("%s: unexpected message\n%s", file, rest)
	}
	if update {
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// do has something happen at the server, one thing a line.
func do(t *testing.T, srv *mcp.Server, lines string) {
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
			if err := srv.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		default:
			t.Fatal("nothing to do:", line)
		}
	}
}
