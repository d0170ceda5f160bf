package mock

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/transcript"
)

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
	for i, s := range reply.Steps {
		if i > 0 {
			time.Sleep(pause)
		}
		var answered <-chan struct{}
		if s.Await != "" {
			answered = h.questions.ask(s.Await)
		}
		for line := range bytes.SplitSeq(s.Message, []byte("\n")) {
			w.Write(append(append([]byte("data: "), line...), '\n'))
		}
		io.WriteString(w, "\n")
		flush.Flush()
		if answered == nil {
			continue
		}
		select {
		case <-answered:
		case <-r.Context().Done():
			return
		}
	}
	if open {
		<-r.Context().Done()
	}
}
