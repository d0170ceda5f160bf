package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// Tools lists the tools of a server: with asJSON as a JSON array of what the server says of them.
func Tools(ctx context.Context, s *Server, t Terminal, asJSON bool) (err error) {
	c, err := s.connect(ctx, t)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	tools, err := list(ctx, c)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(t.Out, wire.AppendSlice(nil, tools, (*mcpclient.Tool).AppendJSON))
	}
	who, err := about(ctx, c)
	if err != nil {
		return err
	}
	fmt.Fprintf(t.Out, "%s, revision %s\n", text.Line(strings.TrimSpace(who.Name+" "+who.Version)), c.Revision())
	for i := range tools {
		if err := printTool(t.Out, &tools[i]); err != nil {
			return err
		}
	}
	return nil
}

// about returns what a server says of itself; in the stateless era it has to be asked.
func about(ctx context.Context, c *mcpclient.Client) (mcpclient.ServerInfo, error) {
	if who := c.Server(); who.Name != "" {
		return who, nil
	}
	return c.Discover(ctx)
}

// Document returns what a server says of itself and its tools, as the JSON that an import reads: {"serverInfo": ..., "tools": ...}.
func Document(ctx context.Context, s *Server, t Terminal) (b []byte, err error) {
	c, err := s.connect(ctx, t)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	tools, err := list(ctx, c)
	if err != nil {
		return nil, err
	}
	who, err := about(ctx, c)
	if err != nil {
		return nil, err
	}
	b = wire.AppendString([]byte(`{"serverInfo":{"name":`), who.Name)
	b = wire.AppendString(append(b, `,"version":`...), who.Version)
	b = wire.AppendSlice(append(b, `},"tools":`...), tools, (*mcpclient.Tool).AppendJSON)
	return append(b, '}'), nil
}

// mostTools limits how many tools a server may list: more than a person can read, and less than it takes to fill the memory.
const mostTools = 10_000

func list(ctx context.Context, c *mcpclient.Client) ([]mcpclient.Tool, error) {
	var all []mcpclient.Tool
	for tool, err := range c.ListTools(ctx) {
		switch {
		case err != nil:
			return nil, err
		case len(all) == mostTools:
			return nil, fmt.Errorf("the server lists more than %d tools", mostTools)
		}
		all = append(all, tool)
	}
	return all, nil
}

// printTool prints a tool and its input, newline-separated.
func printTool(out io.Writer, tool *mcpclient.Tool) error {
	fmt.Fprintf(out, "\n%s", text.Line(tool.Name))
	title, _ := tool.Title.Get()
	if about, ok := tool.Description.Get(); title == "" && ok {
		title, _, _ = strings.Cut(strings.TrimSpace(about), "\n")
	}
	if title != "" {
		fmt.Fprintf(out, "  %s", text.Line(title))
	}
	fmt.Fprintln(out)
	columns := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, f := range schemaOf(tool.InputSchema.AppendJSON(nil)).fields() {
		line := "  " + text.Line(f.label()) + "\t" + text.Line(f.schema.word())
		if p := f.schema.at.In("default"); p.Kind() != wire.Invalid {
			line += " = " + text.Line(clip(plain(string(p.JSON()))))
		}
		if said := purpose(f.schema); said != "" {
			line += "\t" + text.Line(said)
		}
		fmt.Fprintln(columns, line)
	}
	return columns.Flush()
}

// purpose says what a value is for, and what it has to keep.
func purpose(s schema) string {
	said, _, _ := strings.Cut(strings.TrimSpace(s.text("description")), "\n")
	if limits := s.limits(); limits != "" {
		said = strings.TrimSpace(said + " (" + limits + ")")
	}
	return said
}

// printJSON prints JSON for people.
func printJSON(out io.Writer, v json.RawMessage) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = out.Write(append(b, '\n'))
	return err
}

// clip shortens what would take a column of its own.
func clip(s string) string {
	const most = 30 // characters
	if r := []rune(s); len(r) > most {
		return string(r[:most-3]) + "..."
	}
	return s
}
