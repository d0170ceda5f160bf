package contract

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

// endless sends a text again and again.
type endless struct {
	text string
	at   int
}

func (e *endless) Read(b []byte) (int, error) {
	n := copy(b, e.text[e.at:])
	e.at = (e.at + n) % len(e.text)
	return n, nil
}

// TestEndless reads from servers that send one line without end, lines that are too long, and events of many lines.
func TestEndless(t *testing.T) {
	long := strings.Repeat("x", 1<<15)
	want := fmt.Sprintf("it has sent more than %d MiB, and was ended", maxTotal>>20)
	for name, c := range map[string]struct{ begin, more string }{
		"one line":  {"data: ", long},
		"one event": {"", "data: " + long + "\n"},
		"events":    {"", "data: " + long + "\n\n"},
	} {
		most := 0
		take := func(message []byte) { most = max(most, len(message)) }
		from := io.MultiReader(strings.NewReader(c.begin), &endless{text: c.more})
		p := &posts{ctx: t.Context(), take: take, fate: fate{done: make(chan struct{})}}
		p.events(from)
		if !strings.Contains(p.reason, want) || most > maxMessage+len(long)*3 {
			t.Errorf("%s over HTTP: %q, and a message of %d bytes", name, p.reason, most)
		}
		if err := newStream(io.NopCloser(nil), nil).read(from, take); err == nil || err.Error() != want || most > maxMessage+len(long)*3 {
			t.Errorf("%s: %v, and a message of %d bytes", name, err, most)
		}
	}
}

// TestEvents reads events whose lines end in each of the three ways, and whose data has several lines.
func TestEvents(t *testing.T) {
	for text, want := range map[string][]string{
		"data: {\ndata: }\n\ndata:2\n\n":                           {"{\n}", "2"},
		"\uFEFFdata: 0\n\ndata: 1\r\n\r\nid: 5\r\ndata: 2\r\n\r\n": {"0", "1", "2"},
		"data: 1\rdata: 2\r\rdata: 3\r\r":                          {"1\n2", "3"},
		": a comment\r\n\r\ndata:  1\r\r\ndata: 2\n\r":             {" 1", "2"},
	} {
		for _, from := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
			var got []string
			p := &posts{ctx: t.Context(), take: func(m []byte) { got = append(got, string(m)) }, fate: fate{done: make(chan struct{})}}
			p.events(from)
			if !slices.Equal(got, want) {
				t.Errorf("%q: got %q, want %q", text, got, want)
			}
		}
	}
}

// TestRefusedEnds: a server that says when to come back holds nothing up after the end.
func TestRefusedEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		began := time.Now()
		answered := 0
		p := &posts{ctx: ctx, take: func([]byte) { answered++ }}
		p.answerRefusal(&http.Response{Status: "429 Too Many Requests", Header: http.Header{"Retry-After": {"10"}}}, []byte(`{"id":1}`))
		if waited := time.Since(began); waited > 0 || answered != 1 {
			t.Errorf("it waits for %v although the connection has ended, and gives %d answers", waited, answered)
		}
	})
}
