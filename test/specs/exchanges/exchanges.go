// Package exchanges plays recorded requests and responses through a generated client and server.
package exchanges

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime"
)

// Play reads what was recorded, a JSON object a line, and the OpenRPC document that names the params of the methods. Every request is sent by
// the client as it was recorded, apart from white space and its id, and accepted by the handler; every result is read and written again as the
// same JSON; every error is returned. What differs is printed. Play returns the exit code.
func Play(spec, recorded string, newClient func(runtime.Conn) any, handler runtime.Handler) int {
	p := &player{handler: runtime.NewDispatcher(handler, runtime.Options{})}
	p.client = reflect.ValueOf(newClient(p))
	if err := p.readNames(spec); err != nil {
		fmt.Println(err)
		return 1
	}
	file, err := os.Open(recorded)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		p.line(lines.Bytes())
	}
	fmt.Printf("%d requests, %d results, %d errors, %d invalid requests refused, %d differences\n", p.requests, p.results, p.failures, p.invalid, p.differences)
	if p.differences > 0 || p.results == 0 || lines.Err() != nil {
		return 1
	}
	return 0
}

// player is the connection of the client: it notes what is sent and answers as recorded.
type player struct {
	client  reflect.Value
	handler *runtime.Dispatcher
	names   map[string][]string // the params of a method, in order

	sent, answer []byte

	requests, results, failures, invalid, differences int
}

func (p *player) NextID(int) (int64, error) { return 1, nil }

func (p *player) Call(_ context.Context, _ int64, msg []byte) ([]byte, error) {
	p.sent = bytes.Clone(msg)
	return p.answer, nil
}

func (p *player) CallBatch(context.Context, int64, int, []byte) ([][]byte, error) {
	return nil, runtime.ErrClosed
}

func (p *player) Notify(context.Context, []byte) error { return runtime.ErrClosed }

// readNames reads the names of params from an OpenRPC document.
func (p *player) readNames(spec string) error {
	text, err := os.ReadFile(spec)
	if err != nil {
		return err
	}
	var doc struct {
		Methods []struct {
			Name   string `json:"name"`
			Params []struct {
				Name string `json:"name"`
			} `json:"params"`
		} `json:"methods"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return err
	}
	p.names = map[string][]string{}
	for _, m := range doc.Methods {
		p.names[m.Name] = []string{}
		for _, param := range m.Params {
			p.names[m.Name] = append(p.names[m.Name], param.Name)
		}
	}
	return nil
}

// request and response are those of JSON-RPC 2.0.
type request struct {
	Method string            `json:"method"`
	Params []json.RawMessage `json:"params"`
}

type response struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

func (p *player) line(line []byte) {
	var l struct {
		Name      string               `json:"name"`
		Exchanges [][2]json.RawMessage `json:"exchanges"`
	}
	if err := json.Unmarshal(line, &l); err != nil {
		p.differ("a line", "cannot be read: %v", err)
		return
	}
	for _, e := range l.Exchanges {
		p.exchange(l.Name, e[0], e[1])
	}
}

func (p *player) differ(name, format string, args ...any) {
	p.differences++
	fmt.Printf("%s: %s\n", name, fmt.Sprintf(format, args...))
}

func (p *player) exchange(name string, asked, answered json.RawMessage) {
	var q request
	var a response
	if err := errors.Join(json.Unmarshal(asked, &q), json.Unmarshal(answered, &a)); err != nil {
		p.differ(name, "cannot be read: %v", err)
		return
	}
	p.requests++
	if refusal := p.serve(asked); refusal != "" {
		if a.Error == nil {
			p.differ(name, "the request is refused: %s", refusal)
		}
		p.invalid++
		return
	}
	method, ok := p.method(q.Method)
	if !ok {
		p.differ(name, "the client has no method for %s", q.Method)
		return
	}
	args := []reflect.Value{reflect.ValueOf(context.Background())}
	if method.Type().NumIn() == 2 {
		params := reflect.New(method.Type().In(1))
		if err := json.Unmarshal(p.object(q), params.Interface()); err != nil {
			p.differ(name, "the params are refused: %v", err)
			return
		}
		args = append(args, params.Elem())
	}
	p.answer = answered
	returned := method.Call(args)
	if want, got := canonical(withoutID(asked)), canonical(withoutID(p.sent)); want != got {
		p.differ(name, "sent      %s\n  recorded %s", got, want)
	}
	p.compare(name, a, returned)
}

// serve has the handler, which implements nothing, read a request. It returns why it refuses the params; empty: it does not.
func (p *player) serve(asked []byte) string {
	var a response
	if err := json.Unmarshal(p.handler.Dispatch(context.Background(), nil, bytes.Clone(asked)), &a); err != nil || a.Error == nil {
		return "there is no answer"
	}
	if a.Error.Code != -32602 {
		return ""
	}
	return string(a.Error.Data)
}

// compare compares what the client returned with what was recorded.
func (p *player) compare(name string, a response, returned []reflect.Value) {
	err, _ := returned[len(returned)-1].Interface().(error)
	if a.Error != nil {
		p.failures++
		if err == nil {
			p.differ(name, "the error %d is none to the client", a.Error.Code)
		}
		return
	}
	p.results++
	if err != nil {
		p.differ(name, "the result is refused: %v", err)
		return
	}
	if len(returned) < 2 {
		return
	}
	got, err := json.Marshal(returned[0].Interface())
	if reflect.TypeOf(returned[0].Interface()) == reflect.TypeFor[struct{}]() {
		got = []byte("null") // a result that is null has no value in Go
	}
	if want := canonical(a.Result); err != nil || want != canonical(got) {
		p.differ(name, "written  %s %v\n  recorded %s", canonical(got), err, want)
	}
}

// method finds the method of the client that is called after a method of the protocol.
func (p *player) method(name string) (reflect.Value, bool) {
	plain := strings.ToLower(strings.NewReplacer("_", "", "/", "", ".", "", "-", "").Replace(name))
	for i := range p.client.NumMethod() {
		if strings.ToLower(p.client.Type().Method(i).Name) == plain {
			return p.client.Method(i), true
		}
	}
	return reflect.Value{}, false
}

// object is the params by their names.
func (p *player) object(q request) []byte {
	members := []string{}
	for i, value := range q.Params {
		if i < len(p.names[q.Method]) {
			name, _ := json.Marshal(p.names[q.Method][i])
			members = append(members, string(name)+":"+string(value))
		}
	}
	return []byte("{" + strings.Join(members, ",") + "}")
}

// withoutID leaves the id out of a message.
func withoutID(message []byte) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(message, &members) != nil {
		return message
	}
	delete(members, "id")
	text, err := json.Marshal(members)
	if err != nil {
		return message
	}
	return text
}

// canonical is a JSON text with its members in order; numbers keep their text.
func canonical(text []byte) string {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return string(text)
	}
	out, err := json.Marshal(v)
	if err != nil {
		return string(text)
	}
	return string(out)
}
