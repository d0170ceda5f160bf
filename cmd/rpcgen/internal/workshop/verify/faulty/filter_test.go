package faulty

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"
)

// object is a message, or an object in it. Numbers are json.Number, so that their spelling is kept.
type object = map[string]any

// hooks are the places at which a fault changes what passes. They run one at a time. Those that are nil change nothing.
type hooks struct {
	line    func(f *filter, line []byte)                 // a line of the client, before it is read
	request func(f *filter, m object) bool               // a request or notification of the client; false: the server does not get it
	burst   func(f *filter, calls []object) []object     // calls of tools that came with less than 5 ms between them, and what the server gets
	answer  func(f *filter, request, answer object) bool // an answer of the server; false: the client does not get it
	batch   func(f *filter, answers []any) []any         // a batch of answers
	end     func(f *filter)                              // the client has closed its end
}

// filter stands between a client and a clean server, and lets one fault change what passes.
type filter struct {
	hooks
	mu     sync.Mutex        // of the hooks and of what follows
	asked  map[string]object // requests without an answer, by their ids
	held   []object          // calls for burst
	timer  *time.Timer       // that ends a burst
	silent bool              // nothing passes any more, in either direction
	exit   func(code int)

	writing  sync.Mutex // to the client
	client   io.Writer
	feeding  sync.Mutex // to the server
	upstream io.Writer
}

// Server serves one client on two streams until the input ends.
type Server func(ctx context.Context, in io.Reader, out io.Writer) error

// Serve serves a client of a clean server that has a fault. It returns when the input has ended and the server with it. If the fault ends
// the process, exit is called with the exit code.
func (fault Fault) Serve(ctx context.Context, clean Server, in io.Reader, out io.Writer, exit func(code int)) error {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	f := &filter{asked: map[string]object{}, exit: exit, client: out, upstream: toServer}
	if fault.hooks != nil {
		f.hooks = fault.hooks()
	}
	served := make(chan error, 1)
	go func() {
		err := clean(ctx, fromClient, toClient)
		fromClient.CloseWithError(io.ErrClosedPipe)
		toClient.Close()
		served <- err
	}()
	answered := make(chan error, 1)
	go func() { answered <- eachLine(fromServer, f.fromServer) }()
	err := eachLine(in, f.fromClient)
	if f.end != nil {
		f.end(f)
	}
	f.flush()
	toServer.Close()
	return errors.Join(err, <-served, <-answered)
}

// eachLine calls pass with each line of a stream, without its end, until the stream ends.
func eachLine(r io.Reader, pass func(line []byte)) error {
	lines := bufio.NewReaderSize(r, 1<<16)
	for {
		line, err := lines.ReadBytes('\n')
		if line = bytes.TrimRight(line, "\r\n"); len(line) > 0 {
			pass(line)
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrClosedPipe):
			return nil
		case err != nil:
			return err
		}
	}
}

// fromClient passes a line of the client to the server.
func (f *filter) fromClient(line []byte) {
	f.mu.Lock()
	if f.line != nil {
		f.line(f, line)
	}
	m, _ := decode(line).(object)
	var before []byte
	if m != nil {
		before = encode(m)
	}
	pass := !f.silent && (m["method"] == nil || f.request == nil || f.request(f, m))
	switch {
	case pass && f.burst != nil && m["method"] == "tools/call":
		f.hold(m)
		pass = false
	case pass:
		f.remember(m)
		for _, each := range list(decode(line)) {
			one, _ := each.(object)
			f.remember(one)
		}
		if m != nil && !bytes.Equal(before, encode(m)) {
			line = encode(m)
		}
	}
	f.mu.Unlock()
	if pass {
		f.feed(line)
	}
}

// remember keeps a request until its answer comes.
func (f *filter) remember(m object) {
	if id, ok := m["id"]; ok && m["method"] != nil {
		f.asked[string(encode(id))] = m
	}
}

// hold keeps a call until no other one has come for 5 ms.
func (f *filter) hold(m object) {
	const pause = 5 * time.Millisecond
	f.held = append(f.held, m)
	if f.timer == nil {
		f.timer = time.AfterFunc(pause, f.flush)
		return
	}
	f.timer.Reset(pause)
}

// flush passes the calls that are held.
func (f *filter) flush() {
	f.mu.Lock()
	held := f.held
	f.held = nil
	if len(held) > 0 {
		held = f.burst(f, held)
	}
	for _, m := range held {
		f.remember(m)
	}
	f.mu.Unlock()
	for _, m := range held {
		f.feed(encode(m))
	}
}

// feed writes a line to the server, which may have ended.
func (f *filter) feed(line []byte) {
	f.feeding.Lock()
	defer f.feeding.Unlock()
	f.upstream.Write(append(line, '\n'))
}

// fromServer passes a line of the server to the client.
func (f *filter) fromServer(line []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch m := decode(line).(type) {
	case []any:
		if f.batch != nil {
			line = encode(f.batch(f, m))
		}
	case object:
		key := string(encode(m["id"]))
		request := f.asked[key]
		if request == nil || m["method"] != nil {
			break
		}
		delete(f.asked, key)
		before := encode(m)
		if f.answer != nil && !f.answer(f, request, m) {
			return
		}
		if after := encode(m); !bytes.Equal(before, after) {
			line = after
		}
	}
	if !f.silent {
		f.print(line)
	}
}

// print writes a line to the client, which may have gone.
func (f *filter) print(line []byte) {
	f.writing.Lock()
	defer f.writing.Unlock()
	f.client.Write(append(line, '\n'))
}

// refuse answers a call of a tool with a failed result. It returns false, for hooks.request.
func (f *filter) refuse(m object, text string) bool {
	result := object{"content": textBlock(text), "isError": true}
	if meta, _ := params(m)["_meta"].(object); meta["io.modelcontextprotocol/protocolVersion"] != nil {
		result["resultType"] = "complete"
	}
	f.print(encode(object{"jsonrpc": "2.0", "id": m["id"], "result": result}))
	return false
}

// decode reads JSON; nil for anything else.
func decode(line []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if d.Decode(&v) != nil || d.More() {
		return nil
	}
	return v
}

// encode writes JSON without an end of line.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // what was read from JSON can be written
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// params returns the params of a request; nil if they are not an object.
func params(m object) object {
	p, _ := m["params"].(object)
	return p
}

// arguments returns the arguments of a call of a tool, and nil for any other message. They may be changed.
func arguments(m object, tool string) object {
	p := params(m)
	if m["method"] != "tools/call" || p["name"] != tool {
		return nil
	}
	if a, ok := p["arguments"].(object); ok {
		return a
	}
	a := object{}
	if p["arguments"] == nil {
		p["arguments"] = a
	}
	return a
}

// calls reports whether a message is a call of a tool.
func calls(m object, tool string) bool { return arguments(m, tool) != nil }

// result returns the result of an answer; nil for an error.
func result(answer object) object {
	r, _ := answer["result"].(object)
	return r
}

// failed reports whether an answer is the failed result of a tool.
func failed(answer object) bool { return result(answer)["isError"] == true }

// structured returns the structured content of a successful answer, and nil if there is none.
func structured(answer object) object {
	if failed(answer) {
		return nil
	}
	s, _ := result(answer)["structuredContent"].(object)
	return s
}

// list returns a value that is a list, and nil for any other.
func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// at returns an object of a list; an empty one if the list is shorter.
func at(v any, i int) object {
	l := list(v)
	if i >= len(l) {
		return object{}
	}
	o, _ := l[i].(object)
	return o
}

// number returns a JSON number; false for anything else.
func number(v any) (float64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil
}
