//go:build !bootstrap

package command

import (
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/internal/remote"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/openrpc"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/work/playground/page"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/work/verify"
	"github.com/rpcgen-go/rpcgen/runtime/x/explorer"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/templates"
)

func newPlayground() *cobra.Command {
	var p remote.Page
	c := &cobra.Command{
		Use:   "playground",
		Short: "Show a page on which schemas are written and compiled",
		Long: `Serve a page on this machine, and open it in a browser: a schema, a description in the format of OpenAPI or OpenRPC, or a list of
tools on the left becomes findings, Go, the list of tools, a reference and the difference from another version on the right. This command
compiles what is written there; it writes no files, and nothing leaves this machine.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return p.Serve(c.Context(), c.OutOrStdout(), page.Handler(explorer.NewGuard()), func(url string) string { return url })
		},
	}
	p.Add(c)
	return c
}

// describe returns what commands that talk to a service know of it by a file.
func describe(c *cobra.Command, name string) (*remote.Service, error) {
	text, methods, doc, err := verify.Describe(c, load, name)
	if err == nil && doc != nil {
		text, err = description(doc)
	}
	return &remote.Service{Document: text, Methods: methods}, err
}

// description returns what the explorer shows of a schema: an OpenRPC document, with the lists of an MCP server as further members.
func description(doc *ir.Document) ([]byte, error) {
	text, _, err := openrpc.Export(doc)
	if err != nil || doc.Server == nil {
		return text, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	entries := templates.Published(doc)
	lists := map[string][]string{"tools": nil, "resources": nil, "resourceTemplates": nil, "prompts": nil}
	for _, t := range doc.Tools {
		lists["tools"] = append(lists["tools"], entries.Tools[t.Name])
	}
	for _, r := range doc.Resources {
		member := "resources"
		if r.Template != nil {
			member = "resourceTemplates"
		}
		lists[member] = append(lists[member], entries.Resources[r.Name])
	}
	for _, p := range doc.Prompts {
		lists["prompts"] = append(lists["prompts"], entries.Prompts[p.Name])
	}
	for member, texts := range lists {
		all[member] = json.RawMessage("[" + strings.Join(texts, ",") + "]")
	}
	return json.Marshal(all)
}
