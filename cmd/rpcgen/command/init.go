//go:build !bootstrap

package command

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/schema/file"
)

func newInit() *cobra.Command {
	mcp := false
	var api startingAPI
	c := &cobra.Command{
		Use:   "init [NAME]",
		Short: "Create a service: a schema, a handler and a main program",
		Long: `Write a schema, a handler for it and a main program that serves it on standard input and output, and generate the rest,
in the new folder NAME or in the current folder. Outside of a module, a go.mod is written as well. Nothing is overwritten;
what a run that was interrupted has not written is added.

With --mcp the service is an MCP server with tools, a resource and a prompt, which can also be served over HTTP. It has a test,
and a README.md that says how hosts start it, unless there is a README.md already. A new module also has a workflow of GitHub that
checks the schema, also for what the usual hosts do not take.

With --mcp and --openapi the tools of the server call an HTTP API: the schema is what rpcgen import makes of its description, with the operations that
--take names. Environment variables hold the credentials.`,
		Example:           "  rpcgen init weather\n  rpcgen init --mcp notes\n  rpcgen init --mcp --openapi api.yaml --take 'tag:issues' tracker",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, args []string) error {
			folder := "."
			if len(args) == 1 {
				folder = args[0]
			}
			p, err := newProject(folder)
			if err != nil {
				return err
			}
			kind := plainStarter
			switch {
			case api.file != "" && !mcp:
				return usageError{errors.New("--openapi is for MCP servers: give --mcp as well")}
			case api.file == "" && len(api.flags.api.given(c)) > 0:
				return usageError{fmt.Errorf("%s is for --openapi, which is missing", strings.Join(api.flags.api.given(c), ", "))}
			case api.file != "":
				kind = apiStarter
				err = api.read(c, folder, &p)
			case mcp:
				kind = mcpStarter
			}
			if err != nil {
				return err
			}
			return initialize(c, folder, kind, p)
		},
	}
	c.Flags().BoolVar(&mcp, "mcp", false, "create an MCP server")
	c.Flags().StringVar(&api.file, "openapi", "", "with --mcp: its tools call the HTTP API that this `file` describes, in the format of OpenAPI")
	api.flags.api.bindChoice(c)
	return c
}

// project holds the values for the templates of the starter files.
type project struct {
	Name    string // of the service, and of its package
	Title   string
	Module  string     // import path of rpcgen
	Import  string     // import path of the generated package
	Version string     // of rpcgen; empty for an unreleased one
	Root    string     // module path for a new go.mod; empty if there is a go.mod
	HasTool bool       // go.mod lists the command as a tool already
	API     *calledAPI // nil if the tools call none

	Checkout string   // folder of rpcgen's module; empty for the published module
	Nested   []string // folders below it that are modules of their own and belong to the runtime, with forward slashes
}

var serviceName = regexp.MustCompile(`^[a-z][a-z0-9]*$`)

func newProject(folder string) (project, error) {
	abs, err := filepath.Abs(folder)
	if err != nil {
		return project{}, err
	}
	name := filepath.Base(abs)
	if !serviceName.MatchString(name) {
		return project{}, usageError{fmt.Errorf("%q becomes a Go package: use lower-case letters and digits", name)}
	}
	p := project{Name: name, Title: strings.ToUpper(name[:1]) + name[1:], Module: modulePath()}
	if v := version(); strings.HasPrefix(v, "v") && !strings.Contains(v, "+dirty") {
		p.Version = v
	}
	root, dir, mod := enclosingModule(abs)
	p.HasTool = strings.Contains(mod, p.Module+"/cmd/rpcgen")
	if root == "" {
		p.Root, root, dir, p.HasTool = name, name, abs, true
	}
	if at, ok := checkout(p.Module); ok && root != p.Module {
		p.Version, p.Checkout, p.Nested = "", at, nestedModules(at)
	}
	rel, err := filepath.Rel(dir, abs)
	if err != nil {
		return project{}, err
	}
	p.Import = path.Join(root, filepath.ToSlash(rel), "rpc")
	return p, nil
}

// checkout returns the folder of the module of rpcgen when the command runs in it: its version may not be published.
func checkout(module string) (folder string, ok bool) {
	here, err := os.Getwd()
	if err != nil {
		return "", false
	}
	found, folder, _ := enclosingModule(here)
	return folder, found == module
}

// nestedModules returns the folders of the modules of the runtime.
func nestedModules(checkout string) (folders []string) {
	filepath.WalkDir(filepath.Join(checkout, "runtime"), func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Name() == "go.mod" {
			if rel, err := filepath.Rel(checkout, filepath.Dir(path)); err == nil {
				folders = append(folders, filepath.ToSlash(rel))
			}
		}
		return nil
	})
	return folders
}

func initialize(c *cobra.Command, folder string, kind starterKind, p project) error {
	changes, err := p.files(folder, kind)
	if err != nil {
		return err
	}
	missing, err := missing(changes)
	if err != nil {
		return err
	}
	for _, change := range missing {
		if err := change.apply(); err != nil {
			return err
		}
		fmt.Fprintln(c.OutOrStdout(), change.verb(), display(change.path))
	}
	fmt.Fprintf(c.OutOrStdout(), "\nNext:\n")
	if p.Version == "" && p.Checkout == "" {
		fmt.Fprintf(c.ErrOrStderr(), "This rpcgen is of no released version, so the go command cannot fetch its module: before go mod tidy, name a clone with\n"+
			"  go mod edit -require %[1]s@v0.0.0 -replace %[1]s=FOLDER\n", p.Module)
	}
	if folder != "." {
		fmt.Fprintf(c.OutOrStdout(), "  cd %s\n", display(folder))
	}
	if !p.HasTool { // not go get -tool, which fails with a proxy of modules that answers 403 for a package
		replace := ""
		if p.Checkout != "" {
			replace = fmt.Sprintf(" -replace %s=%s", p.Module, p.Checkout)
		}
		fmt.Fprintf(c.OutOrStdout(), "  go mod edit -require %s@%s%s -tool %s/cmd/rpcgen\n", p.Module, cmp.Or(p.Version, "v0.0.0"), replace, p.Module)
	}
	if p.Root != "" || !p.HasTool {
		fmt.Fprintf(c.OutOrStdout(), "  go mod tidy\n")
	}
	fmt.Fprintf(c.OutOrStdout(), "  %s\n", kind.next)
	return nil
}

// missing returns the changes whose files are not there. Files that are there are those of a run that was interrupted: they have the same
// content, and some are missing. Otherwise they are the user's own.
func missing(changes []change) ([]change, error) {
	var all []change
	for _, change := range changes {
		text, err := file.Read(change.path)
		switch {
		case errors.Is(err, fs.ErrNotExist) && !isThere(change.path): // which a link that leads nowhere is
			all = append(all, change)
		case err != nil || !bytes.Equal(text, change.new):
			return nil, existsError(change)
		}
	}
	if all == nil {
		return nil, existsError(changes[0])
	}
	return all, nil
}

func existsError(c change) error {
	return usageError{fmt.Errorf("%s exists already; init overwrites nothing", display(c.path))}
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
