package remote

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
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
