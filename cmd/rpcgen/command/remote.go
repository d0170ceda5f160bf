//go:build !bootstrap

package command

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/internal/remote"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/lsp"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/openrpc"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/hostcheck"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/install"
	loading "github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/load"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/mock"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/playground/page"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/record"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/ship"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/verify"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract"
	"github.com/rpcgen-go/rpcgen/runtime/x/explorer"
	"github.com/rpcgen-go/rpcgen/runtime/x/httplog"
	"github.com/rpcgen-go/rpcgen/schema/hosts"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
	"github.com/rpcgen-go/rpcgen/templates"
)

// otherCommands are those that a build with the tag bootstrap does not have.
func otherCommands() []*cobra.Command {
	log.SetOutput(httplog.Filter(text.Writer{Writer: os.Stderr})) // some of them are clients
	return append([]*cobra.Command{newBudget(), newCheck(), newDiff(), newExplain(), newExport(), newFmt(), newImport(), newInit(), newLint(),
		newTypes()}, remoteCommands()...)
}

// remoteCommands are the commands that link the runtime and therefore generated code. `make generate` builds the command without
// them, with the tag bootstrap: otherwise generated code that does not compile could not be generated again.
func remoteCommands() []*cobra.Command {
	all := append(remote.Commands(version(), describe), newPlayground(), lsp.Command(version(), importList), record.Command(sensitiveNames), mock.Command(load),
		loading.Command(version()), verify.Command(version(), load, limitsOf), newShip(), newInstall(probe, func() bool { return remote.Interactive(os.Stdin) }))
	for _, c := range all {
		run := c.RunE
		c.RunE = func(c *cobra.Command, args []string) error {
			err := run(c, args)
			if usage, ok := errors.AsType[*remote.UsageError](err); ok {
				return usageError{usage}
			}
			if slices.ContainsFunc(failures, func(failure error) bool { return errors.Is(err, failure) }) {
				return errFindings
			}
			return err
		}
	}
	return all
}

// failures are the errors of these commands that stand for findings.
var failures = []error{remote.ErrFailed, lsp.ErrNotShutDown, record.ErrExited, mock.ErrNotRecorded, loading.ErrFindings, verify.ErrFindings}

// listTools returns the tools of the MCP server at a URL, or of one that is started by a command, if there is one, as the document that an import reads.
func listTools(ctx context.Context, url string, command, headers []string, wait time.Duration, stderr io.Writer) ([]byte, error) {
	ctx, stop := remote.UntilStopped(ctx) // a program that is started gets no interrupt of the terminal
	defer stop()
	s := remote.Server{URL: url, Headers: headers, Wait: wait, Version: version()}
	if command != nil {
		s.URL, s.Command = "", command
	}
	return remote.Document(ctx, &s, remote.Terminal{In: strings.NewReader(""), Out: io.Discard, Err: stderr})
}

// limitsOf compares lists of tools with what hosts take, for verify.
func limitsOf(names []string) (func(list []byte) []contract.Limit, error) {
	held, err := hosts.Known().Select(names...)
	if err != nil {
		return nil, err
	}
	check := hostChecker{set: hosts.Known(), held: held, options: hostcheck.Options{Now: today()}}
	return func(text []byte) (all []contract.Limit) {
		list, err := hostcheck.Parse(text)
		if err != nil {
			return nil // an entry is not an object, which verify reports itself
		}
		for _, f := range check.findings(list) {
			all = append(all, contract.Limit{Code: string(f.Code), Pointer: f.Pointer, Message: f.Message, Advice: f.Help})
		}
		return all
	}, nil
}

// sensitiveNames returns the names of the members that a schema marks as sensitive.
func sensitiveNames(c *cobra.Command, file string) (names []string, err error) {
	doc, err := load(c, file)
	if err != nil {
		return nil, err
	}
	roots := make(map[*ir.Decl]bool)
	var walk func(t ir.Type)
	walk = func(t ir.Type) {
		for part := range ir.Parts(t) {
			if part.Field != nil && part.Field.Sensitive {
				names = append(names, part.Name)
			}
			walk(part.Type)
		}
	}
	var all []ir.Type
	for _, m := range doc.Methods {
		for _, t := range m.Types() {
			all = append(all, t)
		}
	}
	for _, t := range doc.Tools {
		all = append(all, t.Input, t.Output)
	}
	for _, t := range all {
		if t != nil {
			ir.Reach(t, roots)
			walk(t)
		}
	}
	for _, d := range doc.Types {
		roots[d] = true
	}
	for d := range roots {
		walk(d.Type)
	}
	return names, nil
}

// answerOf starts a program that is shipped, with a new home folder.
func answerOf(ctx context.Context, command []string, folder string) (ship.Answer, error) {
	found, err := remote.Probe(ctx, remote.Server{Command: command, Folder: folder, Env: freshHome(folder), Version: version()})
	return ship.Answer{Version: found.Version, Tools: found.Tools, Took: found.Took}, err
}

// probe asks a server that is installed for its tools. What headers refer to comes from env, or the environment of this process.
func probe(ctx context.Context, s *install.Server, folder string, env []string) (probeResult, error) {
	asked := remote.Server{URL: s.URL, Folder: folder, Env: append(os.Environ(), env...), Version: version()}
	if s.URL == "" {
		asked.Command = append([]string{s.Program}, s.Arguments...)
	}
	asked.Headers = s.HeaderLines(func(name string) string {
		for _, one := range slices.Backward(asked.Env) {
			if value, ok := strings.CutPrefix(one, name+"="); ok {
				return value
			}
		}
		return ""
	})
	asked.Login.How = remote.LoginNever
	found, err := remote.Probe(ctx, asked)
	if errors.Is(err, remote.ErrLogin) {
		return probeResult{login: true}, nil
	}
	return probeResult{tools: found.Tools, took: found.Took}, err
}

func newPlayground() *cobra.Command {
	var p remote.Page
	c := &cobra.Command{
		Use:   "playground",
		Short: "Show a page on which schemas are written and compiled",
		Args:  cobra.NoArgs,
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
