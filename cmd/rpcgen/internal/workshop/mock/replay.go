// Package mock holds the command mock: a server without code, which answers as a recording or a schema says.
package mock

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/transcript"
)

// replay answers as a recording does.
type replay struct {
	player *transcript.Player
	log    io.Writer // gets a line for each request that is not recorded

	mu      sync.Mutex
	unknown int
}

// newReplay returns a replay of the recording in a file.
func newReplay(file string, allowRedacted bool, environ []string, log io.Writer) (*replay, error) {
	t, err := transcript.ParseFile(file)
	if err != nil {
		return nil, err
	}
	if t.Redacted > 0 && !allowRedacted {
		return nil, fmt.Errorf("%s: %d values are redacted, so answers are not those of the server: add --allow-redacted if that does not matter", file, t.Redacted)
	}
	messages := 0
	for _, s := range t.Sections {
		messages += len(s.Lines)
	}
	if messages == 0 {
		return nil, fmt.Errorf("%s: there are no messages in it", file)
	}
	return &replay{player: transcript.NewPlayer(t, transcript.RedactOptions{Environ: environ}), log: log}, nil
}

// find returns the reply to a message; for a request that is not recorded, an error.
func (r *replay) find(message []byte) *transcript.Reply {
	reply, err := r.player.Find(message)
	if err == nil {
		return reply
	}
	id := requestID(message)
	if id == nil {
		return new(transcript.Reply) // notifications need not be recorded
	}
	r.mu.Lock()
	r.unknown++
	r.mu.Unlock()
	fmt.Fprintln(r.log, "rpcgen mock:", err)
	b := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	b = wire.AppendString(append(b, `,"error":{"code":-32603,"message":`...), err.Error())
	return &transcript.Reply{Steps: []transcript.Step{{Message: append(b, "}}"...)}}}
}

// requestID returns the id that an error for a message has: null for a text that is not a message, and nil if no error is sent.
func requestID(message []byte) []byte {
	if wire.Check(message, wire.MaxDepth) != nil {
		return []byte("null")
	}
	p := wire.PeekAt(message)
	switch id := bytes.TrimSpace(p.In("id").JSON()); {
	case len(id) > 0:
		return id
	case p.Kind() == wire.Object && p.Has("method"):
		return nil
	}
	return []byte("null")
}

// unknownRequests returns how many requests were not recorded.
func (r *replay) unknownRequests() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.unknown
}

// questions are what the server has asked and the client has not answered.
type questions struct {
	mu   sync.Mutex
	open map[string]chan struct{}
}

// ask returns what is closed when a question is answered.
func (q *questions) ask(id string) <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.open == nil {
		q.open = make(map[string]chan struct{})
	}
	answered := make(chan struct{})
	q.open[id] = answered
	return answered
}

// send sends messages until an error or the end of ctx. After a question it calls asked, and goes on with the answer.
func (q *questions) send(ctx context.Context, steps []transcript.Step, write func(message []byte) error, asked func()) {
	for i, s := range steps {
		if i > 0 {
			time.Sleep(pause)
		}
		var answered <-chan struct{}
		if s.Await != "" {
			answered = q.ask(s.Await)
		}
		if write(s.Message) != nil {
			return
		}
		if answered == nil {
			continue
		}
		asked()
		select {
		case <-answered:
		case <-ctx.Done():
			return
		}
	}
}

// answer takes the answer to a question, and reports whether it was asked.
func (q *questions) answer(id string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	answered := q.open[id]
	if answered != nil {
		close(answered)
		delete(q.open, id)
	}
	return answered != nil
}

// serveConn answers the messages of one connection, in their order: a later reply begins when the one before has ended, or waits for the client.
func (r *replay) serveConn(ctx context.Context, conn frame.Conn) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	waiting, endOfInput := context.WithCancel(ctx)
	defer endOfInput()
	c := &connection{conn: conn}
	turn := c.play(waiting, r.player.Start(), nil)
	for {
		message, err := conn.ReadFrame()
		switch tooLarge := (*frame.TooLargeError)(nil); {
		case errors.As(err, &tooLarge):
			fmt.Fprintln(r.log, "rpcgen mock:", err)
			continue
		case err != nil:
			endOfInput() // the client answers no questions any more
			c.replies.Wait()
			if errors.Is(err, io.EOF) || errors.Is(err, frame.ErrHangup) || ctx.Err() != nil {
				return nil
			}
			return err
		}
		if id := transcript.AnswerTo(message); id != "" && c.questions.answer(id) {
			continue
		}
		turn = c.play(waiting, r.find(message).Steps, turn)
	}
}

// pause stands between the messages of a reply. Clients are known that drop progress which arrives together with the result.
const pause = time.Millisecond

// connection is a client.
type connection struct {
	conn      frame.Conn
	questions questions
	replies   sync.WaitGroup
	writing   sync.Mutex
}

// play sends messages in turn, after what came before. When ctx ends, it does not wait for answers of the client any more. What it returns is closed
// when the next may begin.
func (c *connection) play(ctx context.Context, steps []transcript.Step, after <-chan struct{}) <-chan struct{} {
	next := make(chan struct{})
	c.replies.Go(func() {
		passed := sync.OnceFunc(func() { close(next) })
		defer passed()
		if after != nil {
			<-after
		}
		c.questions.send(ctx, steps, c.write, passed)
	})
	return next
}

func (c *connection) write(message []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	return c.conn.WriteFrame(oneLine(message))
}

// oneLine returns a message without line ends. Only JSON that came over HTTP can have some.
func oneLine(message []byte) []byte {
	if !bytes.ContainsAny(message, "\r\n") {
		return message
	}
	var compact bytes.Buffer
	if json.Compact(&compact, message) != nil {
		return bytes.ReplaceAll(bytes.ReplaceAll(message, []byte("\r"), nil), []byte("\n"), []byte(" "))
	}
	return compact.Bytes()
}

// replayHTTP answers HTTP requests as a recording does. Where the recording was made over another transport, it answers as servers of MCP do.
type replayHTTP struct {
	*replay
	questions questions
}

// ServeHTTP implements [http.Handler].
func (h *replayHTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodPost:
		message, err := io.ReadAll(http.MaxBytesReader(w, r.Body, frame.DefaultMax))
		if err != nil {
			http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
			return
		}
		if id := transcript.AnswerTo(message); id != "" {
			h.questions.answer(id)
			w.WriteHeader(http.StatusAccepted)
			return
		}
		h.reply(w, r, h.find(message), false)
	case http.MethodGet:
		for _, stream := range h.player.Streams() {
			if stream.HTTP != nil && stream.HTTP.Status == http.StatusOK {
				h.reply(w, r, stream, true)
				return
			}
		}
		w.WriteHeader(http.StatusMethodNotAllowed)
	case http.MethodDelete:
		w.WriteHeader(http.StatusNoContent)
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

// reply sends a reply. If open is set, the response then stays open until the client ends it.
func (h *replayHTTP) reply(w http.ResponseWriter, r *http.Request, reply *transcript.Reply, open bool) {
	status := http.StatusOK
	if e := reply.HTTP; e != nil {
		status = e.Status
		for _, field := range e.Header {
			w.Header().Set(field[0], field[1])
		}
	} else if len(reply.Steps) == 0 {
		status = http.StatusAccepted
	}
	kind := w.Header().Get("Content-Type")
	if kind == "" && len(reply.Steps) > 0 {
		kind = "application/json"
		if len(reply.Steps) > 1 || reply.Steps[0].Await != "" {
			kind = "text/event-stream"
		}
		w.Header().Set("Content-Type", kind)
	}
	w.WriteHeader(status)
	if !strings.HasPrefix(kind, "text/event-stream") {
		for _, s := range reply.Steps {
			w.Write(s.Message)
		}
		return
	}
	flush := http.NewResponseController(w)
	flush.Flush()
	h.questions.send(r.Context(), reply.Steps, func(message []byte) error {
		for line := range bytes.SplitSeq(message, []byte("\n")) {
			w.Write(append(append([]byte("data: "), line...), '\n'))
		}
		io.WriteString(w, "\n")
		flush.Flush()
		return nil // the context of the request ends with its connection
	}, func() {})
	if open {
		<-r.Context().Done()
	}
}
