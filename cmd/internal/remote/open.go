package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// Open connects to the server for a program that does not ask a person.
func (s *Server) Open(ctx context.Context, errors io.Writer) (*mcpclient.Client, error) {
	return s.connect(ctx, Terminal{In: strings.NewReader(""), Out: io.Discard, Err: errors})
}

// About returns the name and version of a server, and its revision of the protocol.
func About(ctx context.Context, c *mcpclient.Client) (string, error) {
	who, err := about(ctx, c)
	return introduced(who, c), err
}

// introduced is the name and version of a server, if it gives them, and the revision.
func introduced(who mcpclient.ServerInfo, c *mcpclient.Client) string {
	name := cmp.Or(strings.TrimSpace(who.Name+" "+who.Version), "a server without a name")
	return fmt.Sprintf("%s, revision %s", name, c.Revision())
}

// Listed is a tool as a server lists it.
type Listed struct {
	Name          string
	Input, Output []byte // JSON Schemas; Output is nil if there is none
	ReadOnly      bool   // it says that it changes nothing
	Destructive   bool   // it does not say that it only adds
	Tasks         bool   // it runs as tasks only
}

// ListTools returns the tools of a server, and says on out which are not valid and left out.
func ListTools(ctx context.Context, c *mcpclient.Client, out io.Writer) ([]Listed, error) {
	tools, bad, err := list(ctx, c)
	if err != nil {
		return nil, err
	}
	note(out, bad)
	all := make([]Listed, 0, len(tools))
	for i := range tools {
		p := wire.PeekAt([]byte(tools[i].raw.String()))
		hints := p.In("annotations")
		all = append(all, Listed{
			Name: tools[i].Name, Input: p.In("inputSchema").JSON(), Output: p.In("outputSchema").JSON(),
			ReadOnly:    string(hints.In("readOnlyHint").JSON()) == "true",
			Destructive: string(hints.In("destructiveHint").JSON()) != "false",
			Tasks:       tools[i].taskSupport() == "required",
		})
	}
	return all, nil
}

// Arguments returns the arguments, as JSON, that words of the form name=value stand for. What the schema requires and the words do not give is left
// out.
func Arguments(input []byte, words []string) ([]byte, error) {
	o, faults := collect(schemaOf(input), words)
	if faults != nil {
		return nil, &UsageError{faults[0]}
	}
	return o.appendJSON(nil), nil
}

// Found is what a server says when it is asked for its tools.
type Found struct {
	Name, Version string
	Tools         int
	Took          time.Duration // from the start of the program, or the first request, to the last page of the list
}

// ErrLogin says that a server requires a token, and was sent none.
var ErrLogin = errors.New("the server requires a login")

// mostProbing is how long a server may take to list its tools.
const mostProbing = 30 * time.Second

// Probe asks a server for its tools as a host does. A program that writes anything but messages to its standard output is an error, even where clients
// would overlook it.
func Probe(ctx context.Context, s Server) (f Found, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, mostProbing, fmt.Errorf("there is no list of tools after %s", mostProbing))
	defer cancel()
	var output strict
	s.see, s.Wait = output.see, 2*mostProbing // ctx ends before
	began := time.Now()
	c, err := s.connect(ctx, Terminal{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard})
	if err == nil {
		var tools []tool
		var bad []error
		if tools, bad, err = list(ctx, c); err == nil {
			err = errors.Join(bad...)
		}
		if err == nil {
			f.Tools, f.Took = len(tools), time.Since(began)
			who, fault := about(ctx, c)
			f.Name, f.Version, err = who.Name, who.Version, fault
		}
		err = errors.Join(err, c.Close())
	}
	if ended, ok := errors.AsType[*stdio.ExitError](err); ok { // rather than that the connection is closed
		err = ended
	}
	refused, ok := errors.AsType[*mcphttp.StatusError](err)
	switch cause := context.Cause(ctx); {
	case ok && refused.Status == http.StatusUnauthorized && !slices.ContainsFunc(s.Headers, isAuthorization):
		return f, ErrLogin
	case output.fault() != nil:
		return f, output.fault()
	case err != nil && cause != nil:
		return f, cause
	}
	return f, err
}

func isAuthorization(line string) bool {
	name, _, _ := strings.Cut(line, ":")
	return strings.EqualFold(strings.TrimSpace(name), "Authorization")
}

// strict looks for what is not a message of JSON-RPC.
type strict struct {
	mu    sync.Mutex
	first string
}

func (s *strict) see(sent bool, frame []byte) {
	if sent {
		return
	}
	if wire.Check(frame, wire.MaxDepth) == nil {
		p := wire.PeekAt(frame)
		if version, _ := p.In("jsonrpc").Text(); version == "2.0" || p.Kind() == wire.Array {
			return
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first == "" {
		const most = 80 // bytes that are shown
		s.first = text.Line(strings.ToValidUTF8(string(frame[:min(len(frame), most)]), "\uFFFD"))
	}
}

func (s *strict) fault() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first == "" {
		return nil
	}
	return fmt.Errorf("it writes %q to its standard output, which is for messages only: write to the standard error", s.first)
}
