//go:build !bootstrap

package command

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/sample"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/file"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
	"github.com/rpcgen-go/rpcgen/templates"
)

func newInit() *cobra.Command {
	mcp := false
	var api startingAPI
	c := &cobra.Command{
		Use:               "init [NAME]",
		Short:             "Create a service: a schema, a handler and a main program",
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
			case api.file == "" && len(api.flags.api.givenFlags(c)) > 0:
				return usageError{fmt.Errorf("%s is for --openapi, which is missing", strings.Join(api.flags.api.givenFlags(c), ", "))}
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

var serviceName = text.Pattern(`^[a-z][a-z0-9]*$`)

func newProject(folder string) (project, error) {
	abs, err := filepath.Abs(folder)
	if err != nil {
		return project{}, err
	}
	name := filepath.Base(abs)
	if !serviceName().MatchString(name) {
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
	missing, err := missingFiles(changes)
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

// missingFiles returns the changes whose files are not there. Files that are there are those of a run that was interrupted: they have the same
// content, and some are missing. Otherwise they are the user's own.
func missingFiles(changes []change) ([]change, error) {
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

//go:embed starter
var starter embed.FS

// starterKind is a kind of new project.
type starterKind struct {
	folder string   // of its templates
	own    []string // templates next to the schema; the files have their names, without .txt
	next   string   // a command to try it

	workflow string // the template of a workflow of GitHub; empty if there is none
}

var (
	plainStarter = starterKind{own: []string{"handler.go.txt", "main.go.txt"},
		next: `echo '{"jsonrpc":"2.0","id":1,"method":"weather/current","params":{"city":"Oslo"}}' | go run .`}
	mcpStarter = starterKind{folder: "mcp", own: []string{"handler.go.txt", "handler_test.go.txt", "main.go.txt", "README.md.txt"},
		next: "go test ./...", workflow: "mcp/check.yaml.txt"}
)

// apiStarter is a server whose tools call an HTTP API.
var apiStarter = starterKind{folder: "api", own: []string{"main.go.txt", "main_test.go.txt", "README.md.txt"}, next: "go test ./...",
	workflow: "api/check.yaml.txt"}

// starterFile is a template and the file that it becomes.
type starterFile struct{ from, to string }

// files returns the files of the kind, the schema first.
func (k starterKind) files(name string) []starterFile {
	own := ir.Each(k.own, func(from string) starterFile {
		return starterFile{path.Join(k.folder, from), strings.TrimSuffix(from, ".txt")}
	})
	return append([]starterFile{{path.Join(k.folder, "schema.yaml"), "rpc/" + name + ".rpc.yaml"}}, own...)
}

// files lists the files of a new project.
func (p project) files(folder string, kind starterKind) ([]change, error) {
	all, err := p.starters(folder, append(kind.files(p.Name), starterFile{"generate.go.txt", "rpc/generate.go"}))
	if err != nil {
		return nil, err
	}
	if p.API != nil {
		all = append(all, change{path: recordOf(all[0].path), new: p.API.record})
	}
	generated, err := p.generate(all[0])
	if err != nil {
		return nil, err
	}
	for _, f := range generated {
		all = append(all, change{path: filepath.Join(folder, "rpc", f.Name), new: f.Text})
	}
	if p.Root == "" {
		return all, nil
	}
	last := []starterFile{{"go.mod.txt", "go.mod"}} // where there is one, a run after an interrupted one finds a module
	if kind.workflow != "" {                        // the folder becomes a repository of its own
		last = append([]starterFile{{kind.workflow, ".github/workflows/check.yaml"}}, last...)
	}
	rest, err := p.starters(folder, last)
	return append(all, rest...), err
}

// starters fills templates. A README.md that is there stays.
func (p project) starters(folder string, files []starterFile) (all []change, err error) {
	for _, f := range files {
		path := filepath.Join(folder, filepath.FromSlash(f.to))
		if f.to == "README.md" && isThere(path) {
			continue
		}
		text, err := p.text(f)
		if err != nil {
			return nil, err
		}
		all = append(all, change{path: path, new: text})
	}
	return all, nil
}

// text is the text of a file: that of its template, or the schema that was imported.
func (p project) text(f starterFile) ([]byte, error) {
	if p.API != nil && strings.HasSuffix(f.to, ".rpc.yaml") {
		return p.API.schema, nil
	}
	return p.fill(f.from)
}

func (p project) fill(name string) ([]byte, error) {
	t, err := template.ParseFS(starter, "starter/"+name)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err = t.Execute(&text, p); err != nil || !strings.HasSuffix(name, ".go.txt") {
		return text.Bytes(), err
	}
	return format.Source(text.Bytes()) // names of backends and of credentials have any length
}

// generate compiles the new schema, which is not on disk yet.
func (p project) generate(schemaFile change) ([]templates.File, error) {
	loader := schema.Loader{Read: func(string) ([]byte, error) { return schemaFile.new, nil }}
	doc, diags := loader.Load(schemaFile.path)
	if doc == nil {
		return nil, fmt.Errorf("the starter schema has a fault: %v", diags)
	}
	files, diags, err := templates.Generate(doc, templates.Options{})
	if err == nil && diags.HasErrors() {
		err = fmt.Errorf("the starter schema has a fault: %v", diags)
	}
	return files, err
}

// startingAPI is the description of an HTTP API that a new project starts from.
type startingAPI struct {
	file  string
	flags importFlags
}

// calledAPI is what the starter files say of the HTTP API that tools call.
type calledAPI struct {
	Names []string // of the options of the backends, in Go
	URLs  []string // the environment variables with their URLs, in the same order
	Keys  []key    // of the credentials
	Tool  string   // the name of a tool
	Call  string   // of the tool, with samples of the arguments that it requires, for a shell

	schema, record []byte
}

// key is an environment variable that holds the credential of a scheme.
type key struct{ Scheme, Variable, Kind string }

// read imports the description.
func (s *startingAPI) read(c *cobra.Command, folder string, p *project) error {
	f := &s.flags
	f.report, f.out = "text", filepath.Join(folder, "rpc", p.Name+".rpc.yaml")
	from := origin{name: s.file}
	source, options, err := f.read(c, from, nil)
	if err != nil {
		return usageError{err}
	}
	if options.API, err = f.api.options(); err != nil {
		return err
	}
	options.API.Name = p.Name
	options.Generate, options.APIOnly = f.generate, []string{"--openapi"}
	options.Out, options.Last = nil, nil // a run that was interrupted is repeated
	result, err := f.importSource(c, from, *source, options)
	if err != nil {
		return err
	}
	if err := f.print(c.ErrOrStderr(), result.Report); err != nil {
		return err
	}
	if p.API = findBackends(result.Text, result.Last, p.Name); p.API == nil {
		fmt.Fprintf(c.ErrOrStderr(), "%s:1:1: no operation became a tool: the report says why\n", s.file)
		return errFindings
	}
	return nil
}

// findBackends finds the backends and their credentials in an imported schema; nil if it has no tools.
func findBackends(imported, record []byte, service string) *calledAPI {
	loader := schema.Loader{Read: func(string) ([]byte, error) { return imported, nil }}
	doc, _ := loader.Load(service + ".rpc.yaml")
	if doc == nil || len(doc.Backends) == 0 || len(doc.Tools) == 0 {
		return nil
	}
	names, _ := templates.NewNames(doc)
	a := &calledAPI{Names: names.Backends(), Tool: doc.Tools[0].Name, Call: callOf(doc.Tools[0]), schema: imported, record: record}
	for _, b := range doc.Backends {
		url := service + "_url"
		if len(doc.Backends) > 1 {
			url = service + "_" + b.Name + "_url"
		}
		a.URLs = append(a.URLs, text.Variable(url))
		for _, s := range b.Schemes {
			k := key{s.Name, text.Variable(service + "_" + s.Name), s.Kind}
			if !slices.ContainsFunc(a.Keys, func(other key) bool { return other.Scheme == k.Scheme }) {
				a.Keys = append(a.Keys, k)
			}
		}
	}
	return a
}

// callOf is a call of a tool for a shell, with samples of the arguments that it requires.
func callOf(t *ir.Tool) string {
	line := t.Name
	input, isObject := ir.Underlying(t.Input).(*ir.Struct)
	if !isObject {
		return line
	}
	samples, _ := sample.Of(t.Input)
	for _, m := range samples.Fields {
		if f := input.Field(m.Name); f == nil || f.Optional {
			continue
		}
		value := m.Value.String()
		if m.Value.Kind == ir.Text {
			value = m.Value.Text
		}
		line += " " + text.ShellWord(m.Name+"="+value)
	}
	return line
}
