//go:build !bootstrap

package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/internal/remote"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/handlers"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
	"github.com/rpcgen-go/rpcgen/schema/file"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// How long an import waits for a document, and for all lists of a server once it has answered.
const (
	mostFetching = time.Minute
	mostListing  = 5 * time.Minute
)

// withLimit ends a context when a source has taken too long.
func withLimit(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
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
	args, command, err := remote.SplitAtDash(c, args)
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

// showWait tells a person at a terminal what is being done if it takes longer than two seconds. The function that is returned says that it is done.
func showWait(out io.Writer, terminal bool, what string) (done func()) {
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
	ctx, cancel := withLimit(c.Context(), most)
	defer cancel()
	defer showWait(c.ErrOrStderr(), remote.Interactive(os.Stderr), "reading "+display(o.name))()
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
var importList = importer.ImportText

// apiFlags are the flags of import for descriptions of HTTP APIs.
type apiFlags struct {
	importer.APIOptions
	text, page, bounds, answers string
}

// bind declares the flags.
func (f *apiFlags) bind(c *cobra.Command) {
	f.bindChoice(c)
	c.Flags().IntVar(&f.NameLength, "name-length", 0, "of OpenAPI: the greatest length of names of tools, in `bytes` (default 47)")
	c.Flags().StringVar(&f.text, "text", "short", "of OpenAPI: keep the first sentence of descriptions, short, or up to 2,048 characters, full")
	c.Flags().StringVar(&f.page, "page", "on", "of OpenAPI: make a cursor of parameters that continue lists: on or off")
	c.Flags().StringVar(&f.bounds, "bounds", "on", "of OpenAPI: add bounds to lists and texts of inputs that have none: on or off")
	c.Flags().StringVar(&f.answers, "answers", "tolerant", "of OpenAPI: types of answers, tolerant or strict as the description has them")
	c.Flags().BoolVar(&f.Choose, "choose", false, "of OpenAPI: callers choose among the members of answers that have a list of objects or more than 10 "+
		"members (view.choose)")
	c.Flags().IntVar(&f.Depth, "answer-depth", 0, "of OpenAPI: how many `objects` within that of an answer are followed (default 1)")
	c.Flags().BoolVar(&f.New, "new", false, "of OpenAPI: take optional parameters and members that operations have gained since the last import")
	c.Flags().BoolVar(&f.Prune, "prune", false, "of OpenAPI: remove tools whose operations are gone")
}

// bindChoice declares those that say what is taken, and from where.
func (f *apiFlags) bindChoice(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.Take, "take", nil, "of OpenAPI: take operations that fit this `pattern`: an operationId, tag:NAME, or METHOD PATH, with * and **; may be repeated")
	c.Flags().StringArrayVar(&f.Leave, "leave", nil, "of OpenAPI: leave out operations that fit this `pattern`; counts more than --take")
	c.Flags().BoolVar(&f.All, "all", false, "of OpenAPI: take all operations, however many")
	c.Flags().IntVar(&f.Most, "most", 0, "of OpenAPI: the greatest `number` of operations that are taken (default 40)")
	c.Flags().BoolVar(&f.ReadOnly, "read-only", false, "of OpenAPI: take only operations that read")
	c.Flags().StringVar(&f.Server, "server", "", "of OpenAPI: the `URL` of the API, in place of what the description says")
	c.Flags().StringArrayVar(&f.Schemes, "scheme", nil, "of OpenAPI: a credential that the description does not declare: `NAME=KIND`, where the kind is bearer, basic, header:X, query:X or cookie:X")
	c.Flags().StringArrayVar(&f.Keep, "keep", nil, "of OpenAPI: the members that an input has: `OPERATION: PATH, PATH.{A,B}`, with [] after a list")
}

// options are what the flags say.
func (f *apiFlags) options() (importer.APIOptions, error) {
	o := f.APIOptions
	for _, choice := range []struct {
		flag, value, one, other string
		is                      *bool
	}{
		{"text", f.text, "short", "full", &o.FullText}, {"page", f.page, "on", "off", &o.NoPages},
		{"bounds", f.bounds, "on", "off", &o.NoBounds}, {"answers", f.answers, "tolerant", "strict", &o.Strict},
	} {
		if choice.value == "" { // of a command without the flag
			continue
		}
		if choice.value != choice.one && choice.value != choice.other {
			return o, usageError{errors.New("--" + choice.flag + " is " + choice.one + " or " + choice.other + ", not " + choice.value)}
		}
		*choice.is = choice.value == choice.other
	}
	if o.Most < 0 || o.NameLength != 0 && (o.NameLength < 16 || o.NameLength > 64) || o.Depth < 0 || o.Depth > 10 {
		return o, usageError{errors.New("--most is at least 1, --name-length from 16 to 64, and --answer-depth from 1 to 10")}
	}
	return o, nil
}

// apiOnly are the flags that mean nothing for other sources.
var apiOnly = []string{"take", "leave", "all", "most", "read-only", "server", "scheme", "name-length", "text", "page", "bounds", "answers",
	"answer-depth", "choose", "keep", "new", "prune"}

// givenFlags are those of them that the command line has.
func (f *apiFlags) givenFlags(c *cobra.Command) (names []string) {
	for _, name := range apiOnly {
		if c.Flags().Changed(name) {
			names = append(names, "--"+name)
		}
	}
	return names
}

// program is where the program of --handlers is written: the folder above that of the schema.
func (f *importFlags) program(from origin) (*handlers.Program, error) {
	if f.mount && from.command == nil && !from.url {
		return nil, usageError{errors.New("--mount passes calls on to a server: name it, with --tools and its URL, or with -- and its command")}
	}
	rpc, err := filepath.Abs(filepath.Dir(f.out))
	if err != nil {
		return nil, err
	}
	folder := filepath.Dir(rpc)
	module, root, _ := enclosingModule(folder)
	if module == "" {
		return nil, usageError{errors.New("--handlers writes a program of a Go module, and there is no go.mod: run go mod init first, and give --out a " +
			"folder of its own below it, such as rpc/office.rpc.yaml")}
	}
	below, err := filepath.Rel(root, rpc)
	if err != nil {
		return nil, err
	}
	name, _, _ := strings.Cut(filepath.Base(f.out), ".")
	p := &handlers.Program{Folder: folder, Name: name, Import: path.Join(module, filepath.ToSlash(below)), Runtime: modulePath(), Command: from.command,
		Mount: f.mount}
	if from.url {
		p.URL = from.name
	}
	return p, p.Check()
}

// writeHandlers writes the program around the schema that was imported.
func (f *importFlags) writeHandlers(c *cobra.Command, p *handlers.Program) error {
	doc, err := load(c, f.out)
	if err != nil {
		return err
	}
	files, err := p.Files(doc)
	if err != nil {
		return err
	}
	for _, file := range files {
		name := filepath.Join(p.Folder, file.Name)
		if err := write(c, name, file.Text); err != nil {
			return err
		}
		fmt.Fprintf(c.ErrOrStderr(), "wrote %s: %s\n", display(name), file.Note)
	}
	var tasks []string
	for _, t := range doc.Tools {
		if p.Mount && t.Task != ir.TaskNever {
			tasks = append(tasks, t.Name)
		}
	}
	if len(tasks) > 0 {
		fmt.Fprintln(c.ErrOrStderr(), "what runs as a task is not passed on to the old server: write the handlers of "+strings.Join(tasks, ", ")+" first")
	}
	if len(files) == 0 {
		fmt.Fprintln(c.ErrOrStderr(), "the program is there, and has all handlers")
	}
	_, err = fmt.Fprintf(c.ErrOrStderr(), "Next: go tool rpcgen generate %s && go mod tidy && go test .\n", display(f.out))
	return err
}
