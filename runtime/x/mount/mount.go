// Package mount serves the tools, resources and prompts of a [mcp.Server] from within another MCP server, such as one that is made with
// an SDK. It lists the entries as they are, and turns each call of the other server into a stateless request of revision 2026-07-28, whose
// answer carries questions to the user in both eras.
//
// Adapters for SDKs are modules of their own: runtime/x/mount/gosdk and runtime/x/mount/mcpgo.
package mount

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/contextkey"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/transport"
)

// Server calls a [mcp.Server] for another server. It is safe for concurrent use.
type Server struct {
	server     *mcp.Server
	dispatcher *runtime.Dispatcher
}

// New returns a Server that calls s.
func New(s *mcp.Server) *Server {
	return &Server{server: s, dispatcher: runtime.NewDispatcher(s, runtime.Options{Logger: s.Logger()})}
}

// Options choose what is mounted. The zero value mounts everything.
type Options struct {
	// Only are the names of tools and prompts, the URIs of resources and the templates that are
	// mounted. Nil means all. A name that the server does not have is an error.
	Only []string

	// Replace replaces entries that the other server has under the same names. Otherwise a name that is taken is an error.
	Replace bool
}

// Kind says what an entry is.
type Kind string

// The kinds of entries.
const (
	Tool     Kind = "tool"
	Resource Kind = "resource"
	Template Kind = "resource template"
	Prompt   Kind = "prompt"
)

// Entry is an entry of a list.
type Entry struct {
	Kind Kind
	Name string          // the name of a tool or a prompt, a URI, or a template of URIs
	Text json.RawMessage // as the server lists it
}

// Entries returns the entries that o chooses, of tools, resources, templates and prompts in this order. The error names entries that cannot be mounted
// without a loss: tools that run as tasks only. Subscriptions to resources are lost as well, so a server that offers them is an error, unless none of its
// resources are mounted.
func (s *Server) Entries(o Options) ([]Entry, error) {
	info := s.server.Info()
	var all []Entry
	for _, list := range []struct {
		kind Kind
		key  string
		text string
	}{{Tool, "name", info.Tools}, {Resource, "uri", info.Resources}, {Template, "uriTemplate", info.Templates}, {Prompt, "name", info.Prompts}} {
		entries, err := entriesOf(list.kind, list.key, list.text)
		if err != nil {
			return nil, err
		}
		all = append(all, entries...)
	}
	chosen, err := choose(all, o.Only)
	if err != nil {
		return nil, err
	}
	var faults []error
	for _, e := range chosen {
		switch {
		case e.Kind == Tool && info.Tasks[e.Name]:
			faults = append(faults, fmt.Errorf("the tool %q runs as a task only, and mounted tools cannot: declare task: optional, or leave it out", e.Name))
		case (e.Kind == Resource || e.Kind == Template) && info.Subscribe:
			faults = append(faults, fmt.Errorf("the %s %q can be subscribed to, and mounted ones cannot: leave subscribe out of the schema, or leave it out",
				e.Kind, e.Name))
		}
	}
	return chosen, errors.Join(faults...)
}

func entriesOf(kind Kind, key, text string) (all []Entry, err error) {
	if text != "" && !json.Valid([]byte(text)) {
		return nil, fmt.Errorf("the list of the server's %ss is not valid", kind)
	}
	for entry := range wire.PeekAt([]byte(text)).Elements() {
		name, ok := entry.In(key).Text()
		if !ok {
			return nil, fmt.Errorf("an entry of the server's %ss has no %s", kind, key)
		}
		all = append(all, Entry{kind, name, entry.JSON()})
	}
	return all, nil
}

// choose returns the entries with some names, or all of them.
func choose(all []Entry, only []string) ([]Entry, error) {
	if only == nil {
		return all, nil
	}
	var faults []error
	for i, name := range only {
		switch {
		case slices.Contains(only[:i], name):
			faults = append(faults, fmt.Errorf("%q is named twice", name))
		case !slices.ContainsFunc(all, func(e Entry) bool { return e.Name == name }):
			faults = append(faults, fmt.Errorf("the server has no tool, resource, template or prompt %q", name))
		}
	}
	var chosen []Entry
	for _, e := range all {
		if slices.Contains(only, e.Name) {
			chosen = append(chosen, e)
		}
	}
	return chosen, errors.Join(faults...)
}

// Add adds the entries that o chooses to the other server, all of them or nothing: add reads an entry, and returns what adds it. What offered returns reports
// whether the other server has an entry already; it is asked if o replaces none.
func (s *Server) Add(o Options, offered func() (func(Kind, string) bool, error), add func(Entry) (func(), error)) error {
	entries, err := s.Entries(o)
	if err != nil {
		return err
	}
	if !o.Replace {
		has, err := offered()
		if err != nil {
			return fmt.Errorf("reading what the server offers: %w", err)
		}
		var faults []error
		for _, e := range entries {
			if has(e.Kind, e.Name) {
				faults = append(faults, fmt.Errorf("the server has a %s %q already: set Replace, or leave it out with Only", e.Kind, e.Name))
			}
		}
		if faults != nil {
			return errors.Join(faults...)
		}
	}
	var adds []func()
	for _, e := range entries {
		one, err := add(e)
		if err != nil {
			return fmt.Errorf("the %s %q: %w", e.Kind, e.Name, err)
		}
		adds = append(adds, one)
	}
	for _, one := range adds {
		one()
	}
	return nil
}

// Marshal writes values as JSON to where they belong. Those that are null are left out.
func Marshal(parts map[*json.RawMessage]any) error {
	for to, value := range parts {
		b, err := json.Marshal(value)
		if err != nil {
			return err
		}
		if string(b) != "null" {
			*to = b
		}
	}
	return nil
}

// Client is what is known of the client of the other server.
type Client struct {
	Info         json.RawMessage // an Implementation; empty means that it is not known
	Capabilities json.RawMessage // ClientCapabilities; empty means none

	// Meta is the _meta of the call, an object: its progressToken, traceparent and members of others
	// are passed on, those that the protocol reserves are not. Empty means none.
	Meta json.RawMessage

	// Remote says that the client is on a connection that others may open, too, such as one over HTTP. Without a principal, calls of it then get no
	// credentials that are meant for the person who runs the program (package backend).
	Remote bool

	// Notify receives what the call notifies the client of: notifications/progress and
	// notifications/message, with their params. It is called one at a time. Nil drops them.
	Notify func(method string, params json.RawMessage)
}

// Params are those of tools/call and prompts/get, which name what they call, and of resources/read, which have its URI.
type Params struct {
	Name, URI string
	Arguments json.RawMessage // of a tool or a prompt, an object; empty means none

	// InputResponses, an object, and RequestState answer what the call before this one asked.
	InputResponses json.RawMessage
	RequestState   string
}

// appendJSON appends the params without their last brace.
func (p Params) appendJSON(b []byte) []byte {
	if p.URI != "" {
		b = wire.AppendString(append(b, `{"uri":`...), p.URI)
	} else {
		b = wire.AppendString(append(b, `{"name":`...), p.Name)
	}
	b = appendMember(b, `,"arguments":`, p.Arguments)
	b = appendMember(b, `,"inputResponses":`, p.InputResponses)
	if p.RequestState != "" {
		b = wire.AppendString(append(b, `,"requestState":`...), p.RequestState)
	}
	return b
}

func appendMember(b []byte, key string, value json.RawMessage) []byte {
	if len(value) == 0 {
		return b
	}
	return append(append(b, key...), value...)
}

// reservedPrefix begins the members of _meta that the protocol defines.
const reservedPrefix = "io.modelcontextprotocol/"

// appendMeta appends what a stateless request says of itself (revision 2026-07-28, basic/index#_meta).
func (c Client) appendMeta(b []byte) []byte {
	b = append(b, `,"_meta":{"io.modelcontextprotocol/protocolVersion":"`+mcp.Revision20260728+`"`...)
	b = appendMember(b, `,"io.modelcontextprotocol/clientInfo":`, c.Info)
	if len(c.Capabilities) == 0 {
		c.Capabilities = json.RawMessage("{}")
	}
	b = appendMember(b, `,"io.modelcontextprotocol/clientCapabilities":`, c.Capabilities)
	if c.Notify != nil {
		b = append(b, `,"io.modelcontextprotocol/logLevel":"debug"`...) // the other server knows what its client wants
	}
	for name, value := range wire.PeekAt(c.Meta).Members() {
		if !strings.HasPrefix(name, reservedPrefix) {
			b = append(append(wire.AppendString(append(b, ','), name), ':'), value.JSON()...)
		}
	}
	return append(b, '}')
}

// Call makes a request, and returns the result without its resultType if that is complete, and without the name of the mounted server. The error is a
// [*runtime.Error] if the server answers with one or a part of the request is not JSON, and the error of ctx if that ends first.
func (s *Server) Call(ctx context.Context, method string, p Params, c Client) (result json.RawMessage, err error) {
	for _, part := range []json.RawMessage{p.Arguments, p.InputResponses, c.Info, c.Capabilities, c.Meta} {
		if len(part) > 0 && !json.Valid(part) {
			return nil, &runtime.Error{Code: runtime.CodeInvalidParams, Message: "a part of the request is not JSON"}
		}
	}
	b := append(make([]byte, 0, 512+len(p.Arguments)+len(c.Capabilities)), `{"jsonrpc":"2.0","id":1,"method":`...)
	b = append(wire.AppendString(b, method), `,"params":`...)
	b = append(c.appendMeta(p.appendJSON(b)), "}}"...)
	if c.Remote {
		ctx = context.WithValue(ctx, contextkey.Remote{}, true)
	}
	answer := s.dispatcher.Dispatch(transport.WithPeer(ctx, &peer{client: c}), nil, b)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	is := wire.PeekAt(answer)
	if refused := is.In("error"); refused.Kind() == wire.Object {
		return nil, refusal(refused)
	}
	if result = is.In("result").JSON(); result == nil {
		return nil, errors.New("mount: the server has not answered")
	}
	return plain(result), nil
}

// refusal returns the error that a server has answered with.
func refusal(p wire.Peek) error {
	e := &runtime.Error{HasData: p.Has("data")}
	e.Message, _ = p.In("message").Text()
	if err := json.Unmarshal(p.In("code").JSON(), &e.Code); err != nil {
		return err
	}
	if e.HasData {
		if err := e.Data.UnmarshalJSON(p.In("data").JSON()); err != nil {
			return err
		}
	}
	return e
}

// plain removes what the other server writes itself: that a result is complete, and which server it is of. The other members stay as they
// are, in their order.
func plain(result []byte) json.RawMessage {
	return without(result, func(name string, value []byte) json.RawMessage {
		switch {
		case name == "resultType" && string(value) == `"complete"`:
			return nil
		case name == "_meta":
			meta := without(value, func(name string, value []byte) json.RawMessage {
				if name == "io.modelcontextprotocol/serverInfo" {
					return nil
				}
				return value
			})
			if len(meta) == len("{}") {
				return nil
			}
			return meta
		}
		return value
	})
}

// without copies an object with what change makes of its members; it leaves out those of which nothing is left.
func without(object []byte, change func(name string, value []byte) json.RawMessage) json.RawMessage {
	out := append(make([]byte, 0, len(object)), '{')
	for name, value := range wire.PeekAt(object).Members() {
		if changed := change(name, value.JSON()); changed != nil {
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(append(wire.AppendString(out, name), ':'), changed...)
		}
	}
	return append(out, '}')
}
