package web

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
)

// readAll returns what a stream holds, read in pieces as they may come.
func readAll(t *testing.T, stream string, max int) (events []string, last *EventReader, err error) {
	t.Helper()
	for i, r := range []io.Reader{strings.NewReader(stream), iotest.OneByteReader(strings.NewReader(stream))} {
		var all []string
		e := NewEventReader(r, max)
		for {
			data, err2 := e.Next()
			if err = err2; err != nil {
				break
			}
			all = append(all, string(data))
		}
		if i > 0 && strings.Join(all, "|") != strings.Join(events, "|") {
			t.Errorf("byte by byte %q, else %q", all, events)
		}
		events, last = all, e
	}
	return events, last, err
}

func TestEventReader(t *testing.T) {
	for name, c := range map[string]struct {
		stream, events, id string
		retry              time.Duration
	}{
		"one":                   {"data: a\n\n", "a", "", -1},
		"no space":              {"data:a\n\n", "a", "", -1},
		"two spaces":            {"data:  a\n\n", " a", "", -1},
		"CRLF":                  {"data: a\r\n\r\ndata: b\r\n\r\n", "a|b", "", -1},
		"CR":                    {"data: a\r\rdata: b\r\r", "a|b", "", -1},
		"mixed ends":            {"data: a\r\n\ndata: b\n\r\n", "a|b", "", -1},
		"byte order mark":       {"\ufeffdata: a\n\n", "a", "", -1},
		"only the first one":    {"\ufeffdata: a\n\n\ufeffdata: b\n\n", "a", "", -1},
		"comment":               {":\n\n: keep-alive\ndata: a\n\n", "a", "", -1},
		"several lines":         {"data: a\ndata: b\n\n", "a\nb", "", -1},
		"no colon":              {"data\ndata\n\n", "\n", "", -1},
		"id":                    {"id: 7\ndata: a\n\n", "a", "7", -1},
		"id alone":              {"id: 7\n\n", "", "7", -1},
		"priming":               {"id: 7\nretry: 500\ndata: \n\n", "", "7", 500 * time.Millisecond},
		"id is emptied":         {"id: 7\n\nid\n\n", "", "", -1},
		"id with NUL":           {"id: 7\n\nid: 8\x00\n\n", "", "7", -1},
		"retry not a number":    {"retry: soon\n\n", "", "", -1},
		"retry is negative":     {"retry: -1\n\n", "", "", -1},
		"retry is huge":         {"retry: 99999999999\n\n", "", "", time.Hour},
		"unknown fields":        {"event: message\nfoo: bar\ndata: a\n\n", "a", "", -1},
		"cut off":               {"data: a\n\ndata: b\n", "a", "", -1},
		"id of one cut off":     {"id: 7\ndata: a\n\nid: 8\ndata: b\n", "a", "7", -1},
		"cut off in a line":     {"data: a\n\ndata: b", "a", "", -1},
		"nothing":               {"", "", "", -1},
		"data in another case":  {"Data: a\n\n", "", "", -1},
		"colons in data":        {"data: {\"a\":1}\n\n", `{"a":1}`, "", -1},
		"empty lines in excess": {"\n\n\ndata: a\n\n\n\n", "a", "", -1},
	} {
		t.Run(name, func(t *testing.T) {
			events, e, err := readAll(t, c.stream, 100)
			if got := strings.Join(events, "|"); got != c.events || e.LastID != c.id || e.Retry != c.retry || err != io.EOF {
				t.Errorf("got %q, id %q, retry %v, %v", got, e.LastID, e.Retry, err)
			}
		})
	}
}

func TestEventReaderLimit(t *testing.T) {
	for _, stream := range []string{
		"data: " + strings.Repeat("x", 101) + "\n\n",
		strings.Repeat("data: 0123456789\n", 11) + "\n",
		strings.Repeat("x", 200),
		": " + strings.Repeat("x", 200) + "\n\n",
	} {
		if _, _, err := readAll(t, stream, 100); !isTooLarge(err) {
			t.Errorf("%.20s: %v", stream, err)
		}
	}
	if events, _, _ := readAll(t, "data: "+strings.Repeat("x", 100)+"\n\n", 100); len(events) != 1 {
		t.Error("an event of the size of the limit was refused")
	}
}

func isTooLarge(err error) bool {
	_, ok := errors.AsType[*frame.TooLargeError](err)
	return ok
}

func TestAppendEvent(t *testing.T) {
	for want, got := range map[string][]byte{
		"data: {}\n\n":                     AppendEvent(nil, "", []byte("{}")),
		"id: 1-2\ndata: {}\n\n":            AppendEvent(nil, "1-2", []byte("{}")),
		"data: { \"a\":  1}\n\n":           AppendEvent(nil, "", []byte("{\n\"a\": \r1}")),
		"id: 1-0\nretry: 1500\ndata: \n\n": appendPriming(nil, "1-0", 1500*time.Millisecond),
	} {
		if string(got) != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// FuzzEventReader: whatever a stream holds, reading it does the same in one piece and byte by byte; and what was read reads the
// same when it is written again.
func FuzzEventReader(f *testing.F) {
	for _, s := range []string{"data: a\n\n", "id: 1\nretry: 5\ndata:\n\n", "\ufeffdata: a\r\n\r\n", ":\r\rdata\rdata\r\r", "data: \x00\n\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, stream string) {
		const max = 1 << 10
		events, e, _ := readAll(t, stream, max)
		if strings.ContainsAny(e.LastID, "\r\n\x00") {
			t.Errorf("id %q", e.LastID)
		}
		var again []byte
		for _, data := range events {
			again = AppendEvent(again, "", []byte(strings.ReplaceAll(data, "\n", " ")))
		}
		back, _, err := readAll(t, string(again), max)
		if want := strings.ReplaceAll(strings.Join(events, "|"), "\n", " "); err != io.EOF || strings.Join(back, "|") != want {
			t.Errorf("%q came back as %q, %v", events, back, err)
		}
	})
}
