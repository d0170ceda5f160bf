// Package transcript reads and writes what a client and a server of JSON-RPC said to each other, hides the secrets in it, and finds the recorded
// answer to a request.
//
// A transcript is a txtar archive. Its comment holds attributes, a name and a value on each line; its sections alternate between client and server
// in the order in which messages arrived:
//
//	rpcgen transcript v1
//	server: shop 1.4.0, revision 2026-07-28, stdio
//	redacted: 1
//	-- client +0ms --
//	{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"login","arguments":{"token":"[redacted:1]"}}}
//	-- server +3ms --
//	{"jsonrpc":"2.0","id":1,"result":{"content":[]}}
//
// Each line of a section is one message as it was sent, byte for byte. The time is that since the section before. A line that starts with "# " says
// how the messages of the section were sent over HTTP: the number of the exchange, the method or the status, and header fields. What is not one line
// of JSON is written as "base64:" and its bytes.
//
//test:sequential
package transcript

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/txtar"
)

// The names of sections that hold messages.
const (
	Client = "client"
	Server = "server"
)

const (
	firstLine    = "rpcgen transcript v1"
	base64Prefix = "base64:"
	notePrefix   = "# "
)

// Transcript is a recorded conversation. The zero value is empty.
type Transcript struct {
	Server   string // the name, version, revision and transport of the server; empty if they are not known
	Redacted int    // the number of different values that were replaced
	Sections []Section
}

// Section is what one side sent before the other side did.
type Section struct {
	Name  string        // Client, Server, or a name that the reader knows
	Time  bool          // the section says when it came
	After time.Duration // since the section before
	HTTP  *Exchange     // nil unless it came over HTTP
	Lines [][]byte      // messages, without their line ends
}

// Exchange says which HTTP request or response messages belong to.
type Exchange struct {
	Number int         // of the request, from 1 on; its response has the same
	Method string      // of a request: GET, POST or DELETE
	Status int         // of a response; 0 in further sections of the same one
	Header [][2]string // names and values, in the order of the names
}

// ParseFile reads the transcript in a file. Errors name the file and the line.
func ParseFile(name string) (*Transcript, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	t, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", name, err)
	}
	return t, nil
}

// Parse reads a transcript. Its errors begin with the number of the line. A marker of a replaced value counts even where the attribute redacted is
// missing, as it is in a recording that was cut off.
func Parse(text []byte) (*Transcript, error) {
	archive := txtar.Parse(text)
	t := new(Transcript)
	line := 0
	for one := range bytes.Lines(archive.Comment) {
		line++
		name, value, _ := strings.Cut(strings.TrimRight(string(one), "\r\n"), ": ")
		switch name {
		case "server":
			t.Server = value
		case "redacted":
			n, err := strconv.Atoi(value)
			if err != nil || n < 0 {
				return nil, fmt.Errorf("%d: redacted is a number, not %q", line, value)
			}
			t.Redacted = n
		}
	}
	for _, file := range archive.Files {
		line++
		s, err := parseSection(file, &line)
		if err != nil {
			return nil, err
		}
		for _, one := range s.Lines {
			t.Redacted = max(t.Redacted, highestMarker(one))
		}
		t.Sections = append(t.Sections, s)
	}
	return t, nil
}

// parseSection reads a section. The number of the line is that of its name, and then that of its end.
func parseSection(file txtar.File, line *int) (s Section, err error) {
	name, after, timed := strings.Cut(file.Name, " +")
	s.Name, s.Time = name, timed
	if timed {
		if s.After, err = time.ParseDuration(after); err != nil {
			return s, fmt.Errorf("%d: the section %q: the time is not of the form +3ms", *line, file.Name)
		}
	}
	for one := range bytes.Lines(file.Data) {
		*line++
		one = bytes.TrimSuffix(one, []byte("\n"))
		if note, ok := bytes.CutPrefix(one, []byte(notePrefix)); ok && s.HTTP == nil && s.Lines == nil {
			if s.HTTP, err = parseExchange(string(note)); err != nil {
				return s, fmt.Errorf("%d: %w", *line, err)
			}
			continue
		}
		if coded, ok := bytes.CutPrefix(one, []byte(base64Prefix)); ok {
			if one, err = base64.StdEncoding.DecodeString(string(coded)); err != nil {
				return s, fmt.Errorf("%d: the text after %q is not base64", *line, base64Prefix)
			}
		}
		s.Lines = append(s.Lines, one)
	}
	return s, nil
}

// parseExchange reads a note, such as `3 POST; content-type: application/json`, `3 200; content-type: text/event-stream` or `3`.
func parseExchange(note string) (*Exchange, error) {
	first, rest, _ := strings.Cut(note, "; ")
	number, what, _ := strings.Cut(first, " ")
	n, err := strconv.Atoi(number)
	if err != nil {
		return nil, fmt.Errorf("the note %q does not begin with the number of an exchange", note)
	}
	e := &Exchange{Number: n}
	if status, err := strconv.Atoi(what); err == nil {
		e.Status = status
	} else {
		e.Method = what
	}
	for rest != "" {
		var field string
		field, rest, _ = strings.Cut(rest, "; ")
		name, value, ok := strings.Cut(field, ": ")
		if !ok { // a parameter of the value before
			if n := len(e.Header); n > 0 {
				e.Header[n-1][1] += "; " + field
				continue
			}
			return nil, fmt.Errorf("%q is not of the form name: value", field)
		}
		e.Header = append(e.Header, [2]string{name, value})
	}
	return e, nil
}

// String returns the note of an exchange.
func (e *Exchange) String() string {
	note := strconv.Itoa(e.Number)
	switch {
	case e.Method != "":
		note += " " + e.Method
	case e.Status != 0:
		note += " " + strconv.Itoa(e.Status)
	}
	for _, field := range e.Header {
		note += "; " + field[0] + ": " + field[1]
	}
	return note
}

// Get returns the value of a header field, or "".
func (e *Exchange) Get(name string) string {
	for _, field := range e.Header {
		if strings.EqualFold(field[0], name) {
			return field[1]
		}
	}
	return ""
}

// Format returns the text of a transcript.
func (t *Transcript) Format() []byte {
	b := appendAttributes(nil, t.Server, t.Redacted)
	for i := range t.Sections {
		b = t.Sections[i].appendTo(b)
	}
	return b
}

// appendAttributes appends the comment of a transcript.
func appendAttributes(b []byte, server string, redacted int) []byte {
	b = append(b, firstLine+"\n"...)
	if server != "" {
		b = fmt.Appendf(b, "server: %s\n", server)
	}
	if redacted > 0 {
		b = fmt.Appendf(b, "redacted: %d\n", redacted)
	}
	return b
}

// appendTo appends the text of a section.
func (s *Section) appendTo(b []byte) []byte {
	b = append(append(b, "-- "...), s.Name...)
	if s.Time {
		b = fmt.Appendf(b, " +%dms", s.After.Milliseconds())
	}
	b = append(b, " --\n"...)
	if s.HTTP != nil {
		b = append(append(append(b, notePrefix...), s.HTTP.String()...), '\n')
	}
	for _, line := range s.Lines {
		b = appendLine(b, line)
	}
	return b
}

// appendLine appends a message: as it is, if it is one line of JSON.
func appendLine(b, line []byte) []byte {
	if bytes.ContainsAny(line, "\r\n") || !json.Valid(line) {
		b = append(b, base64Prefix...)
		return append(base64.StdEncoding.AppendEncode(b, line), '\n')
	}
	return append(append(b, line...), '\n')
}
