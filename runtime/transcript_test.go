package runtime_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/internal/txtar"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

var update = flag.Bool("update", false, "write the answers into the transcripts")

// TestTranscripts plays the files in testdata/transcripts. Each section `client` is one message
// that is sent, and the section `server` after it is the answer; an empty one means that there is
// none. The comment of a file may hold the words strict (a protocol without batches, positional
// params and loose ids), explain and small (a batch of at most 3). Each file is played a second
// time with the handler in a wrapper, which must not change anything.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/transcripts/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { playFile(t, file) })
	}
}

func playFile(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	archive := txtar.Parse(text)
	o := runtime.Options{Logger: quiet}
	server := office()
	for word := range strings.FieldsSeq(string(archive.Comment)) {
		switch strings.TrimSuffix(word, ":") {
		case "strict":
			server.Way = runtime.Protocol{Name: "weather"}
		case "explain":
			o.Explain = true
		case "small":
			o.MaxBatch = 3
		}
	}
	server.Conditions = true
	server.Watch = func(context.Context, weather.CurrentParams) error { return nil }
	var h runtime.Handler = weather.NewHandler(server)
	if strings.HasPrefix(filepath.Base(file), "spec") {
		h = calculator{}
	}
	playArchive(t, archive, h, o)
	if *update {
		out := bytes.Clone(archive.Comment)
		for _, f := range archive.Files {
			out = append(fmt.Appendf(out, "-- %s --\n", f.Name), f.Data...)
		}
		if err := os.WriteFile(file, out, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("wrapped", func(t *testing.T) { playArchive(t, archive, wrapped{h}, o) })
}

func playArchive(t *testing.T, archive *txtar.Archive, h runtime.Handler, o runtime.Options) {
	d := runtime.NewDispatcher(h, o)
	for i := 0; i+1 < len(archive.Files); i += 2 {
		ask, want := &archive.Files[i], &archive.Files[i+1]
		if ask.Name != "client" || want.Name != "server" {
			t.Fatalf("sections %s and %s are not client and server", ask.Name, want.Name)
		}
		msg := strings.TrimSuffix(string(ask.Data), "\n")
		got := string(d.Dispatch(t.Context(), nil, []byte(msg)))
		if inSession := converse(t, h, o, msg, got != ""); inSession != got {
			t.Errorf("%s\n  dispatched %s\n  in a session %s", msg, got, inSession)
		}
		if *update && !strings.HasSuffix(t.Name(), "/wrapped") {
			want.Data = []byte(got)
			if got != "" {
				want.Data = append(want.Data, '\n')
			}
			continue
		}
		if w := strings.TrimSuffix(string(want.Data), "\n"); got != w {
			t.Errorf("%s\n  got  %s\n  want %s", msg, got, w)
		}
	}
}

// converse sends msg over a session and returns the answer. When none is expected, it makes sure that none came before the next.
func converse(t *testing.T, h runtime.Handler, o runtime.Options, msg string, answered bool) string {
	t.Helper()
	a, b := pipe.New(0)
	s := runtime.NewSession(t.Context(), b, h, o)
	a.WriteFrame([]byte(msg))
	if !answered {
		a.CloseWrite()
		s.Wait()
	}
	got, _ := a.ReadFrame()
	a.Close()
	s.Wait()
	return string(got)
}

// calculator serves the examples of JSON-RPC 2.0 section 7.
type calculator struct{}

func (calculator) Protocol() runtime.Protocol        { return runtime.Plain }
func (calculator) Condition(runtime.Condition) error { return nil }
func (calculator) Hooks() runtime.Hooks              { return runtime.Hooks{} }

func (calculator) Handle(_ context.Context, c *runtime.Call) {
	switch c.Method() {
	case "subtract":
		subtract(c)
	case "sum":
		sum(c)
	case "get_data":
		if c.NoParams() {
			c.Return(append(c.Result(), `["hello",5]`...))
		}
	case "update", "notify_sum", "notify_hello":
		if c.NoParams() {
			c.ReturnEmpty()
		}
	default:
		c.MethodNotFound("subtract\nsum\nget_data\nupdate\nnotify_sum\nnotify_hello")
	}
}

func subtract(c *runtime.Call) {
	const keys = "minuend\nsubtrahend"
	var minuend, subtrahend int64
	for c.Params(keys) {
		r := c.Reader()
		var o wire.Members
		for r.Object(&o); r.More(&o); {
			if r.Key(&o, 0, `"minuend":`) {
				minuend = r.Int64()
			}
			if r.Key(&o, 1, `"subtrahend":`) {
				subtrahend = r.Int64()
			}
			r.Reject(&o, keys)
		}
		r.Need(&o, 0b11, keys)
	}
	if !c.Answered() {
		c.Return(wire.AppendInt(c.Result(), minuend-subtrahend))
	}
}

func sum(c *runtime.Call) {
	total := int64(0)
	for c.Params("") {
		total = 0
		r := c.Reader()
		a := r.Array()
		for r.Elem(&a) {
			total += r.Int64()
		}
		if total > 1000 {
			c.Violations().Add(violation.Violation{Rule: "maximum", Expected: "at most 1000"})
		}
	}
	if !c.Answered() {
		c.Return(wire.AppendInt(c.Result(), total))
	}
}
