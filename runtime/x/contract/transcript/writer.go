package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

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
		s.HTTP = w.hidden(http)
	}
	if !w.last.IsZero() {
		s.After = at.Sub(w.last)
	}
	w.buffer = s.appendTo(w.buffer)
	w.name, w.http, w.last = name, http, at
}

// hidden returns an exchange without secrets, in one line.
func (w *Writer) hidden(e *Exchange) *Exchange {
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
