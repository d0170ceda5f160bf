package contract

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
)

// session is one instance of the server, and what was sent to it. Unlike a client it sends anything, and keeps what does not
// fit an answer. Its methods are safe for concurrent use.
type session struct {
	link
	revision string // of MCP; "" for plain JSON-RPC
	info     *jsontree.Value
	began    time.Time
	pingless bool // the server does not answer ping

	mu      sync.Mutex
	next    int
	waiting map[string]chan *answer
	calls   []call   // of tools, in order; the last ones
	made    int      // calls of tools
	noise   []noise  // what is not a message
	strays  []string // answers that belong to no request, and second ones
	asked   bool     // the server has asked the user something
	action  string   // how such a question is answered; "" accepts it
	hung    bool     // its input has ended
	mute    bool     // a call of a tool was not answered in time: the next ones are not waited for as long
	odds    []odd
	changes bool     // the server has said that its tools change
	logs    []string // the levels of log messages
	watched bool     // requests ask for their progress
	tokens  map[string]lastProgress
	moved   time.Time // of the last progress
}

// call is a call of a tool.
type call struct {
	tool *tool
	args string
}

// noise is a line that is not a message.
type noise struct {
	line  string
	after int  // calls of tools
	atEnd bool // the input of the server has ended
	age   time.Duration
}

// Outcomes of a request.
type outcome int

const (
	answered outcome = iota
	silent           // no answer in time
	broken           // the server has ended, or the connection
)

// answer is what came of a request.
type answer struct {
	outcome
	whole   *jsontree.Value // nil if it was not answered; it has ownFolder for the working folder
	sent    *jsontree.Value // whole as it came
	bytes   int
	took    time.Duration
	reason  string // of a broken one
	arrived time.Time
}

func (a *answer) result() *jsontree.Value { return a.whole.In("result") }

// code is the code of an error; ok is false if there is none.
func (a *answer) code() (code int64, ok bool) {
	e := a.whole.In("error")
	if e == nil {
		return 0, false
	}
	f, _ := e.In("code").Float()
	return int64(f), true
}

// hangUp ends the input of the server.
func (s *session) hangUp() {
	s.mu.Lock()
	s.hung = true
	s.mu.Unlock()
	s.link.hangUp()
}

// take takes a message of the server.
func (s *session) take(plain bool, message []byte) {
	at := time.Now()
	if string(message) == tooLong {
		s.mu.Lock()
		defer s.mu.Unlock()
		for id, one := range s.waiting { // it is not known which
			one <- &answer{bytes: maxMessage + 1, whole: &jsontree.Value{Kind: jsontree.Object}, arrived: at}
			delete(s.waiting, id)
		}
		return
	}
	kept := message
	if process, ok := s.link.(*stream); ok {
		kept = process.neutral(message)
	}
	v, err := jsontree.Parse(kept)
	sent := v
	if !bytes.Equal(kept, message) {
		sent, _ = jsontree.Parse(message)
	}
	if v != nil && err != nil {
		s.mu.Lock()
		s.find("Content", "json", "readers differ about a message: "+err.Error()+" in "+clip(string(kept), 120))
		s.mu.Unlock()
	}
	if v == nil || v.Kind == jsontree.Object && v.In("jsonrpc").Str() != "2.0" || v.Kind != jsontree.Object && v.Kind != jsontree.Array {
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.noise) < 1000 {
			s.noise = append(s.noise, noise{clip(string(kept[:min(len(kept), 2000)]), 200), s.made, s.hung, time.Since(s.began)})
		}
		return
	}
	got := &answer{whole: v, sent: sent, bytes: len(message), arrived: at}
	if v.Kind == jsontree.Array {
		s.give("batch", got)
		return
	}
	id := v.In("id")
	if method := v.In("method").Str(); method != "" {
		if !plain {
			s.checkMessage(method, id, v.In("params"))
		}
		if id != nil {
			s.reply(method, id, v.In("params"))
		}
		return
	}
	key := "null"
	if id != nil {
		key = idKey(id)
	}
	if s.form(v, plain); !s.give(key, got) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.strays) < 100 {
			s.strays = append(s.strays, clip(string(kept), 300))
		}
	}
}

// give gives an answer to the request that waits for it, which it reports.
func (s *session) give(key string, got *answer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.waiting[key]
	delete(s.waiting, key)
	if last, known := s.tokens[key]; known {
		s.tokens[key] = lastProgress{last.at, true}
	}
	if one != nil {
		one <- got // it has room for one
	}
	return one != nil
}

// idKey is the same for ids that are equal.
func idKey(id *jsontree.Value) string {
	text := id.JSON()
	var own runtime.ID
	if own.UnmarshalJSON([]byte(text)) != nil {
		return text
	}
	return own.Key()
}

// expect registers a request, whose answer is then given to the channel.
func (s *session) expect(key string) chan *answer {
	c := make(chan *answer, 1)
	s.mu.Lock()
	s.waiting[key] = c
	s.mu.Unlock()
	return c
}

// wait waits for an answer.
func (s *session) wait(ctx context.Context, key string, c chan *answer, most time.Duration) *answer {
	began := time.Now()
	t := time.NewTimer(most)
	defer t.Stop()
	got := &answer{outcome: silent}
	select {
	case got = <-c:
	case <-s.ended():
		select {
		case got = <-c:
		default:
			got = &answer{outcome: broken, reason: s.end()}
		}
	case <-t.C:
	case <-ctx.Done():
	}
	got.took = time.Since(began)
	if got.outcome != answered {
		s.mu.Lock()
		delete(s.waiting, key)
		s.mu.Unlock()
	}
	return got
}

// message sends a message as it is, and waits for the answer to the id that it has.
func (s *session) message(ctx context.Context, text []byte, key string, most time.Duration, headers map[string]string) *answer {
	c := s.expect(key)
	wctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	if err := s.send(wctx, text, headers); err != nil {
		if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
			return &answer{outcome: silent}
		}
		select { // an answer may have been sent before the end
		case a := <-c:
			return a
		case <-s.ended():
			return &answer{outcome: broken, reason: s.end()}
		case <-time.After(time.Second):
			return &answer{outcome: broken, reason: err.Error()}
		}
	}
	return s.wait(ctx, key, c, most)
}

// stateless reports whether a revision has no handshake: each request says in _meta what one would (basic, _meta).
func stateless(revision string) bool { return protocol.Of(revision).Era == protocol.Stateless }

// metaTail is what a request without a handshake says in _meta after the revision.
const metaTail = `"io.modelcontextprotocol/clientInfo":{"name":"rpcgen verify","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`

// text writes a request or, with an empty id, a notification. The params are an object or a list, or "".
func (s *session) text(id, method, params string) []byte {
	add := ""
	if stateless(s.revision) {
		add = `"_meta":{"` + protocol.MetaVersion + `":"` + s.revision + `",` + metaTail
	}
	if s.watched && id != "" && strings.HasPrefix(params, "{") {
		rest := strings.TrimPrefix(cmp.Or(add, `"_meta":{}`), `"_meta":{`)
		add = strings.Replace(`"_meta":{"progressToken":`+id+","+rest, ",}", "}", 1)
		s.mu.Lock()
		s.tokens[id] = lastProgress{at: math.Inf(-1)}
		s.mu.Unlock()
	}
	switch {
	case add == "":
	case params == "" || params == "{}":
		params = "{" + add + "}"
	case strings.HasPrefix(params, "{"):
		params = "{" + add + "," + params[1:]
	}
	b := []byte(`{"jsonrpc":"2.0"`)
	if id != "" {
		b = append(append(b, `,"id":`...), id...)
	}
	b = append(jsontree.AppendText(append(b, `,"method":`...), method), ""...)
	if params != "" {
		b = append(append(b, `,"params":`...), params...)
	}
	return append(b, '}')
}

// headers are those of HTTP for a request.
func (s *session) headers(method, name string) map[string]string {
	if _, http := s.isProcess(); !http || s.revision == "" {
		return nil
	}
	h := map[string]string{}
	if method != "initialize" {
		h["MCP-Protocol-Version"] = s.revision
	}
	if stateless(s.revision) {
		h["Mcp-Method"] = method
		if name != "" {
			h["Mcp-Name"] = name
		}
	}
	return h
}

// request sends a request and waits for its answer.
func (s *session) request(ctx context.Context, method, params string, most time.Duration) *answer {
	return s.requestNamed(ctx, method, "", params, most, nil)
}

func (s *session) requestNamed(ctx context.Context, method, name, params string, most time.Duration, more map[string]string) *answer {
	id := s.id()
	h := s.headers(method, name)
	if h != nil {
		maps.Copy(h, more)
	}
	return s.message(ctx, s.text(id, method, params), id, most, h)
}

func (s *session) id() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	return strconv.Itoa(s.next)
}

func (s *session) notify(ctx context.Context, method, params string) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_ = s.send(ctx, s.text("", method, params), s.headers(method, "")) // what comes next shows it
}

// keptCalls limits the history of a session.
const keptCalls = 400

func (s *session) record(t *tool, args string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made++
	s.calls = append(s.calls, call{t, args})
	if len(s.calls) > keptCalls {
		s.calls = s.calls[len(s.calls)-keptCalls:]
	}
}

func (s *session) history() []call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// over reports whether the server has ended.
func (s *session) over() bool {
	select {
	case <-s.ended():
		return true
	default:
		return false
	}
}

// alive asks the server for something that it must answer, whatever it is.
func (s *session) alive(ctx context.Context, most time.Duration) bool {
	return s.request(ctx, s.aliveMethod(), "", most).outcome == answered
}

// lastOutput says what a server that runs has printed last, in addition to messages.
func (s *session) lastOutput() string {
	if s.over() {
		return "" // its end says it
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	if len(s.noise) > 0 {
		all = append(all, fmt.Sprintf("standard output: %q", s.noise[len(s.noise)-1].line))
	}
	if out, ok := s.link.(*stream); ok && out.errors.String() != "" {
		all = append(all, fmt.Sprintf("standard error: %q", out.errors.String()))
	}
	if all == nil {
		return ""
	}
	return " (it has printed on its " + strings.Join(all, ", and on its ") + ")"
}

// says is an answer in words.
func (a *answer) says() string {
	switch a.outcome {
	case silent:
		return "there is no answer"
	case broken:
		return "there is no answer: " + a.reason
	}
	if e := a.whole.In("error"); e != nil {
		return "it is refused: " + clip(e.In("message").Str(), 200)
	}
	return "the answer is " + clip(a.whole.JSON(), 200)
}
