//go:build !bootstrap

package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/internal/remote"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
	"github.com/rpcgen-go/rpcgen/schema/file"
)

// How long an import waits for a document, and for all lists of a server once it has answered.
const (
	mostFetching = time.Minute
	mostListing  = 5 * time.Minute
)

// limited ends a context when a source has taken too long.
func limited(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, most, fmt.Errorf("it is not read to its end after %s", most))
}

// addAsking adds the flags that say what a server is asked with, and how long an MCP server may take until it answers, for listTools.
func addAsking(c *cobra.Command, headers *[]string, wait *time.Duration) {
	c.Flags().StringArrayVarP(headers, "header", "H", nil, "a `Name: value` to send with requests to a URL; may be repeated")
	c.Flags().DurationVar(wait, "wait", 30*time.Second, "how long an MCP server may take to start and answer, and for each page of a list")
}

// origin is where the source of an import comes from: a file unless something else is set.
type origin struct {
	name    string   // of the file, or the URL
	url     bool     // name is a URL
	stdin   bool     // the standard input
	command []string // starts an MCP server
}

// remote reports whether the source is not a file, and refers to none.
func (o *origin) remote() bool { return o.url || o.stdin || o.command != nil }

// takeOrigin takes the source from the arguments. The others are tables.
func (f *importFlags) takeOrigin(c *cobra.Command, args []string) (o origin, tables []string, err error) {
	args, command, err := remote.Dashed(c, args)
	switch {
	case err != nil:
		return o, nil, usageError{err}
	case command != nil && len(args) > 0:
		return o, nil, usageError{errors.New("name a source, or -- and the command of an MCP server, not both")}
	case command != nil:
		o.name, o.command = command[0], command
	case len(args) == 0:
		return o, nil, usageError{errors.New("name a source: a file, a URL, - for the standard input, or -- and the command of an MCP server")}
	default:
		o, tables = origin{name: args[0], stdin: args[0] == "-", url: isURL(args[0])}, args[1:]
	}
	switch {
	case f.tools && !o.url && o.command == nil:
		return o, nil, usageError{errors.New("--tools needs the URL of an MCP server, or -- and its command")}
	case (f.root != "" || f.rootURL != "") && o.remote():
		return o, nil, usageError{errors.New("--root and --root-url are for files")}
	case f.wait <= 0:
		return o, nil, usageError{errors.New("--wait is more than nothing")}
	case len(f.headers) > 0 && !o.url:
		return o, nil, usageError{errors.New("--header is for URLs")}
	}
	return o, tables, nil
}

// waiting tells a person at a terminal what is being done if it takes longer than two seconds. The function that is returned says that it is done.
func waiting(out io.Writer, terminal bool, what string) (done func()) {
	if !terminal {
		return func() {}
	}
	timer := time.AfterFunc(2*time.Second, func() { fmt.Fprintln(out, what+" ...") })
	return func() { timer.Stop() }
}

// load reads the source, within its limits of size and time.
func (f *importFlags) load(c *cobra.Command, o origin) (*importer.Source, error) {
	switch {
	case o.stdin:
		text, err := file.ReadAll(c.InOrStdin())
		return &importer.Source{Name: "standard input", Text: text}, err
	case !o.remote():
		return sourceOf(o.name)
	}
	most := mostFetching
	if f.tools || o.command != nil {
		most = f.wait + mostListing
	}
	ctx, cancel := limited(c.Context(), most)
	defer cancel()
	defer waiting(c.ErrOrStderr(), remote.Interactive(os.Stderr), "reading "+display(o.name))()
	var text []byte
	var err error
	if o.url && !f.tools {
		text, err = remote.Fetch(ctx, o.name, f.headers)
	} else {
		text, err = listTools(ctx, o.name, o.command, f.headers, f.wait, c.ErrOrStderr())
	}
	if err != nil {
		if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
			err = cause
		}
		return nil, fmt.Errorf("%s: %w", display(o.name), err)
	}
	return &importer.Source{Name: display(o.name), Text: text}, nil
}

// importList makes a schema of the entries of a server's lists. The error is [importer.Faults].
func importList(file string, content []byte) ([]byte, error) {
	return importer.ImportText(file, content)
}
