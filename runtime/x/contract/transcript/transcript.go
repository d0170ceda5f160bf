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
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
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

// Writer writes a transcript while the conversation takes place. It is not safe for concurrent use.
type Writer struct {
	out      io.Writer
	redactor *Redactor // nil for none
	times    bool
	server   string
	about    string // the transport
	name     string // of the section that is being written
	http     *Exchange
	last     time.Time // of the last section
	buffer   []byte
	failed   error
}

// WriterOptions say how a transcript is written.
type WriterOptions struct {
	Redactor  *Redactor // nil writes messages as they are
	NoTimes   bool      // sections do not say when they came
	Transport string    // such as stdio, for the attribute server
}

// NewWriter returns a Writer to out. The attributes that are known only at the end are written by [Writer.Finish].
func NewWriter(out io.Writer, o WriterOptions) *Writer {
	return &Writer{out: out, redactor: o.Redactor, times: !o.NoTimes, about: o.Transport, buffer: appendAttributes(nil, "", 0)}
}

// Message writes a message, without its line end, that one side has sent at a time. The exchange is nil unless the message came over HTTP. After an
// error, every later call returns it.
func (w *Writer) Message(name string, at time.Time, http *Exchange, message []byte) error {
	if w.failed != nil {
		return w.failed
	}
	w.section(name, at, http)
	if w.server == "" && name == Server {
		w.server = describe(message, w.about)
	}
	if w.redactor != nil {
		message = w.redactor.Line(message)
	}
	w.buffer = appendLine(w.buffer, message)
	return w.flush()
}

// Exchange writes a request or response over HTTP that has no messages.
func (w *Writer) Exchange(name string, at time.Time, http *Exchange) error {
	if w.failed != nil {
		return w.failed
	}
	w.section(name, at, http)
	return w.flush()
}

func (w *Writer) flush() error {
	const most = 64 << 10 // bytes that are written at once
	if len(w.buffer) < most {
		return nil
	}
	return w.Flush()
}

// Flush writes what is in memory.
func (w *Writer) Flush() error {
	if w.failed == nil && len(w.buffer) > 0 {
		_, w.failed = w.out.Write(w.buffer)
		w.buffer = w.buffer[:0]
	}
	return w.failed
}

// section begins a section, if the message is not part of the last one.
func (w *Writer) section(name string, at time.Time, http *Exchange) {
	same := w.name == name && (w.http == nil) == (http == nil)
	if same && http != nil {
		same = w.http.Number == http.Number && http.Method == "" && http.Status == 0
	}
	if same {
		return
	}
	s := Section{Name: name, Time: w.times}
	if http != nil {
		s.HTTP = w.hide(http)
	}
	if !w.last.IsZero() {
		s.After = at.Sub(w.last)
	}
	w.buffer = s.appendTo(w.buffer)
	w.name, w.http, w.last = name, http, at
}

// hide returns an exchange without secrets, in one line.
func (w *Writer) hide(e *Exchange) *Exchange {
	shown := *e
	shown.Header = nil
	for _, field := range e.Header {
		if w.redactor != nil {
			field[1] = w.redactor.header(field[0], field[1])
		}
		field[1] = strings.NewReplacer("\r", " ", "\n", " ").Replace(field[1])
		shown.Header = append(shown.Header, field)
	}
	return &shown
}

// describe returns what an answer to initialize or server/discover says of the server, or "".
func describe(message []byte, transport string) string {
	result := wire.PeekAt(message).In("result")
	revision, _ := result.In("protocolVersion").Text()
	who := result.In("serverInfo")
	if who.Kind() != wire.Object {
		who = result.In("_meta").In("io.modelcontextprotocol/serverInfo")
	}
	name, ok := who.In("name").Text()
	if !ok {
		return ""
	}
	version, _ := who.In("version").Text()
	text := fmt.Sprintf("%s %s", name, version)
	if revision != "" {
		text += ", revision " + revision
	}
	if transport != "" {
		text += ", " + transport
	}
	return string(bytes.Join(bytes.Fields([]byte(text)), []byte(" ")))
}

// Finish writes what is in memory, and the attributes into the file that the transcript was written to. If there is no space for that, the
// transcript stays without attributes, which readers take from its messages.
func (w *Writer) Finish(file *os.File) error {
	if err := w.Flush(); err != nil {
		return err
	}
	redacted := 0
	if w.redactor != nil {
		redacted = w.redactor.Count()
	}
	if redacted == 0 && w.server == "" {
		return nil
	}
	server := w.server
	if w.redactor != nil {
		server = w.redactor.text(server)
	}
	return withAttributes(file, appendAttributes(nil, server, redacted))
}

// withAttributes replaces the first line of a file by attributes.
func withAttributes(file *os.File, attributes []byte) (err error) {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	fresh, err := os.CreateTemp(filepath.Dir(file.Name()), ".transcript-*")
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, fresh.Close()); err == nil {
			err = os.Rename(fresh.Name(), file.Name())
		}
		if err != nil {
			err = errors.Join(err, os.Remove(fresh.Name()))
		}
	}()
	if err = fresh.Chmod(info.Mode().Perm()); err != nil {
		return err
	}
	if _, err = fresh.Write(attributes); err != nil {
		return err
	}
	skip := int64(len(firstLine) + 1)
	_, err = io.Copy(fresh, io.NewSectionReader(file, skip, info.Size()-skip))
	return err
}
