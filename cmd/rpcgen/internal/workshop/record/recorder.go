// Package record holds the command record: it stands between a client and a server and writes what they say to each other into a transcript.
package record

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract/transcript"
)

// mostWaiting limits what waits to be written, and the size of a message, in bytes. If more waits, the traffic does, too: nothing that passed is
// missing in a recording.
const mostWaiting = 64 << 20

// gathering is how long events wait, so that those that come meanwhile are written together: the traffic shares the processors with the recorder once
// in many messages.
const gathering = 10 * time.Millisecond

// recorder writes what it sees in another goroutine than that of the traffic. It is safe for concurrent use.
type recorder struct {
	writer *transcript.Writer
	file   *os.File
	failed func(error) // is called once, if the recording stops before its end

	mu      sync.Mutex
	changed sync.Cond // of waiting, bytes, stopped and closed
	waiting []event
	bytes   int
	stopped bool // nothing is recorded any more
	closed  bool
	done    chan struct{}
}

// event is what one side has sent.
type event struct {
	name  string
	at    time.Time
	http  *transcript.Exchange
	data  []byte
	chunk bool // the data is part of a stream of lines, rather than a message
}

// newRecorder returns a recorder that writes a transcript to a file.
func newRecorder(file *os.File, o transcript.WriterOptions, failed func(error)) *recorder {
	r := &recorder{writer: transcript.NewWriter(file, o), file: file, failed: failed, done: make(chan struct{})}
	r.changed.L = &r.mu
	go r.run()
	return r
}

// see takes an event, and keeps its data. It is called before the data is sent on, so that an answer never comes before its request.
func (r *recorder) see(e event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.bytes > mostWaiting && !r.stopped && !r.closed {
		r.changed.Wait()
	}
	if r.stopped || r.closed {
		return
	}
	e.at = time.Now()
	r.waiting = append(r.waiting, e)
	r.bytes += len(e.data)
	if len(r.waiting) == 1 {
		r.changed.Broadcast()
	}
}

// chunk takes a part of the stream of lines that one side sends.
func (r *recorder) chunk(name string, data []byte) {
	r.see(event{name: name, data: bytes.Clone(data), chunk: true})
}

// stop ends the recording before the traffic ends.
func (r *recorder) stop(err error) {
	r.mu.Lock()
	first := !r.stopped
	r.stopped, r.waiting, r.bytes = true, nil, 0
	r.changed.Broadcast()
	r.mu.Unlock()
	if first {
		r.failed(err)
	}
}

// run writes events until the recorder is closed.
func (r *recorder) run() {
	defer close(r.done)
	lines := map[string]*bytes.Buffer{transcript.Client: {}, transcript.Server: {}}
	for {
		all, more := r.take()
		for _, e := range all {
			if err := r.write(e, lines); err != nil {
				r.stop(err)
				break
			}
			runtime.Gosched() // the traffic comes first
		}
		if !more {
			break
		}
	}
	for _, name := range []string{transcript.Client, transcript.Server} { // a last line that was not ended
		if rest := lines[name].Bytes(); len(rest) > 0 {
			r.writer.Message(name, time.Now(), nil, rest)
		}
	}
}

// take waits for events; more is false when there will be no others.
func (r *recorder) take() (all []event, more bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waiting) == 0 && !r.closed && !r.stopped { // all that has come is in the file, should this process be killed
		r.mu.Unlock()
		err := r.writer.Flush()
		if err != nil {
			r.stop(err)
		}
		r.mu.Lock()
	}
	for len(r.waiting) == 0 && !r.closed {
		r.changed.Wait()
	}
	if !r.closed {
		r.mu.Unlock()
		time.Sleep(gathering)
		r.mu.Lock()
	}
	all, r.waiting, r.bytes = r.waiting, nil, 0
	r.changed.Broadcast()
	return all, !r.closed || len(all) > 0
}

// write writes an event.
func (r *recorder) write(e event, lines map[string]*bytes.Buffer) error {
	switch {
	case !e.chunk && e.data == nil:
		return r.writer.Exchange(e.name, e.at, e.http)
	case !e.chunk:
		return r.writer.Message(e.name, e.at, e.http, e.data)
	}
	begun := lines[e.name]
	for {
		line, rest, ended := bytes.Cut(e.data, []byte("\n"))
		begun.Write(line)
		if begun.Len() > mostWaiting {
			return errTooLong
		}
		if !ended {
			return nil
		}
		if err := r.writer.Message(e.name, e.at, nil, begun.Bytes()); err != nil {
			return err
		}
		begun.Reset()
		e.data = rest
	}
}

// errTooLong says that a message is too long to be recorded.
var errTooLong = fmt.Errorf("a message has more than %d MiB", mostWaiting>>20)

// close writes what waits, and ends the file.
func (r *recorder) close() error {
	r.mu.Lock()
	r.closed = true
	r.changed.Broadcast()
	r.mu.Unlock()
	<-r.done
	var err error
	if !r.stopped {
		err = r.writer.Finish(r.file)
	}
	return errors.Join(err, r.file.Close())
}
