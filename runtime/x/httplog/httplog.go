// Package httplog keeps what servers say out of the standard logger. A client of net/http logs the bytes that a server sends when nothing was asked, and they
// may repeat a credential of the request before.
//
// Nothing of this package is promised yet.
package httplog

import (
	"bytes"
	"io"
)

// Filter returns a writer of log entries, for log.SetOutput, that leaves out these bytes:
//
//	log.SetOutput(httplog.Filter(os.Stderr))
func Filter(w io.Writer) io.Writer { return filter{w} }

type filter struct{ io.Writer }

// Write implements [io.Writer] for one entry.
func (f filter) Write(entry []byte) (int, error) {
	const mostPrefix = 100 // bytes, such as the date
	text := []byte("Unsolicited response received on idle HTTP channel")
	shown := entry
	if at := bytes.Index(entry[:min(len(entry), mostPrefix)], text); at >= 0 {
		shown = append(bytes.Clone(entry[:at+len(text)]), '\n')
	}
	_, err := f.Writer.Write(shown)
	return len(entry), err
}
