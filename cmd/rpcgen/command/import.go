//go:build !bootstrap

package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	urlpkg "net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/internal/remote"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/handlers"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/typecheck"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/file"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// importFlags are the flags of import.
type importFlags struct {
	overlays []string
	out      string
	report   string
	root     string
	rootURL  string        // where the folder is published
	tools    bool          // the source is an MCP server
	strict   bool          // the schema must say all that the source does
	headers  []string      // of requests for a URL
	wait     time.Duration // for the first answer of an MCP server
	handlers bool          // a program is written as well
	mount    bool          // the program passes on to the server what has no handler yet
	adopt    bool          // the file of out stands for the record of the last import
	exact    bool          // entries of lists are published word for word
	only     []string      // names of what is imported from a list of a server
	revision string        // of the protocol
	api      apiFlags
	building string // what is said of the code of the schema, if it is large
}

var revisionName = text.Pattern(`^[A-Za-z0-9][A-Za-z0-9.-]{0,63}$`)

func newImport() *cobra.Command {
	var flags importFlags
	c := &cobra.Command{
		Use:   "import FILE [TABLE...] | URL | - | -- COMMAND [ARG...]",
		Short: "Make a schema from JSON Schema, OpenAPI, protobuf, OpenRPC, LSP or a list of tools",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"json"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(c *cobra.Command, args []string) error {
			if flags.report != "text" && flags.report != "json" {
				return usageError{fmt.Errorf("--report is text or json, not %q", flags.report)}
			}
			if flags.revision != "" && !revisionName().MatchString(flags.revision) {
				return usageError{fmt.Errorf("--revision is letters, digits, - and ., such as 2026-12-01 or draft, not %q", flags.revision)}
			}
			if flags.mount && !flags.handlers {
				return usageError{errors.New("--mount is for the program that --handlers writes: give both")}
			}
			from, tables, err := flags.takeOrigin(c, args)
			if err != nil {
				return err
			}
			return flags.run(c, from, tables)
		},
	}
	c.Flags().StringArrayVar(&flags.overlays, "overlay", nil, "merge this `file` over the import; several are merged in order")
	c.Flags().StringVarP(&flags.out, "out", "o", "", "write to this `file` (default: standard output)")
	c.Flags().StringVar(&flags.root, "root", "", "read what the file refers to below this `folder` (default: the folder of the file)")
	c.Flags().StringVar(&flags.rootURL, "root-url", "", "the `URL` at which that folder is published: references to it lead to the files of the folder")
	c.Flags().StringVar(&flags.report, "report", "text", "how to print the report: text or json")
	c.Flags().BoolVar(&flags.strict, "strict", false, "fail if something is opaque, weakened or left out")
	c.Flags().BoolVar(&flags.tools, "tools", false, "the URL is that of an MCP server: import its tools")
	c.Flags().BoolVar(&flags.handlers, "handlers", false, "write a program that takes the server over as well: handlers, main and a test of its lists; "+
		"implies --exact")
	c.Flags().BoolVar(&flags.mount, "mount", false, "with --handlers: what has no handler yet is passed on to the server that is taken over")
	c.Flags().BoolVar(&flags.exact, "exact", false, "publish the entries of its lists word for word: write them to listed.json next to the file of --out")
	c.Flags().BoolVar(&flags.adopt, "adopt", false, "if there is no record next to the file of --out: take that file, without its words, for what the "+
		"source said last")
	c.Flags().StringSliceVar(&flags.only, "only", nil, "import only these `names` of tools, resources, templates and prompts, and what --out has from before")
	c.Flags().StringVar(&flags.revision, "revision", "", "the `name` of the revision of the protocol that is defined: a date, draft, or another word "+
		"(default: what the file or its folder is called)")
	flags.api.bind(c)
	addAsking(c, &flags.headers, &flags.wait)
	c.RegisterFlagCompletionFunc("report", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (f *importFlags) run(c *cobra.Command, from origin, tables []string) error {
	source, options, err := f.read(c, from, tables)
	if err != nil {
		fmt.Fprintln(c.ErrOrStderr(), err)
		return errFindings
	}
	options.Generate, options.Only, options.Adopt, options.APIOnly = f.generate, f.only, f.adopt, f.api.givenFlags(c)
	options.Revision, options.NoRecord = f.revision, f.out == ""
	if options.API, err = f.api.options(); err != nil {
		return err
	}
	var exact *exactList
	if f.exact || f.handlers || listsExactly(options.Out) {
		if f.out == "" {
			return usageError{errors.New("--exact and --handlers write files next to that of --out, which is missing")}
		}
		if exact, err = newExactList(*source, f.out); err != nil {
			fmt.Fprintln(c.ErrOrStderr(), err)
			return errFindings
		}
		options.Listed = listedFile
	}
	var program *handlers.Program
	if f.handlers {
		if program, err = f.program(from); err != nil {
			return err
		}
	}
	result, err := f.importSource(c, from, *source, options)
	if err != nil {
		return err
	}
	if f.strict && result.Report.Weakens() {
		if err := f.print(c.ErrOrStderr(), result.Report); err != nil {
			return err
		}
		fmt.Fprintln(c.ErrOrStderr(), "the schema says less than the source, and --strict is given: nothing is written")
		return errFindings
	}
	if f.out == "" {
		err = write(c, "", result.Text)
	} else {
		err = writeTogether(change{path: f.out, new: result.Text}, change{path: recordOf(f.out), new: result.Last})
	}
	if err != nil {
		return err
	}
	if exact != nil {
		if err := exact.write(c, result.Text); err != nil {
			return err
		}
	}
	if f.handlers {
		if err := f.writeHandlers(c, program); err != nil {
			return err
		}
	}
	if err := f.print(c.ErrOrStderr(), result.Report); err != nil || f.report != "text" {
		return err
	}
	_, err = fmt.Fprint(c.ErrOrStderr(), f.building)
	return err
}

// importSource imports a source, with what it refers to in other files.
func (f *importFlags) importSource(c *cobra.Command, from origin, source importer.Source, options importer.Options) (*importer.Result, error) {
	if !from.remote() {
		folder, err := f.folder(from.name)
		if err != nil {
			fmt.Fprintln(c.ErrOrStderr(), err)
			return nil, errFindings
		}
		defer folder.Close()
		options.Folder = importer.Folder{Read: folder.read, List: folder.list, Source: folder.source, Named: f.root != ""}
		if f.rootURL != "" {
			if options.Folder.URL, err = urlpkg.Parse(f.rootURL); err != nil || options.Folder.URL.Host == "" {
				return nil, usageError{fmt.Errorf("--root-url is an absolute URL, such as https://example.com/schemas, not %q", f.rootURL)}
			}
		}
	}
	result, err := importer.Import(source, options)
	if err != nil {
		fmt.Fprintln(c.ErrOrStderr(), err)
		return nil, errFindings
	}
	return result, nil
}

// read reads the input files of an import.
func (f *importFlags) read(c *cobra.Command, from origin, tables []string) (source *importer.Source, options importer.Options, err error) {
	if source, err = f.load(c, from); err != nil {
		return nil, options, err
	}
	if options.Tables, err = sourcesOf(tables); err != nil {
		return nil, options, err
	}
	if options.Overlays, err = sourcesOf(f.overlays); err != nil {
		return nil, options, err
	}
	if f.out != "" {
		if options.Out, err = sourceOf(f.out); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, options, err
		}
		if options.Last, err = sourceOf(recordOf(f.out)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, options, err
		}
	}
	return source, options, nil
}

// recordOf names the file next to a schema that records what the source of an import said last: api.rpc.source.yaml for api.rpc.yaml.
func recordOf(out string) string { return strings.TrimSuffix(out, filepath.Ext(out)) + ".source.yaml" }

// mostCompiling is how long an import waits for the go command to compile the packages that generated code imports.
const mostCompiling = 30 * time.Second

// generate generates the code of an imported schema and checks it, against the packages that the module of the schema requires.
func (f *importFlags) generate(doc *ir.Document, size int) (importer.GoCode, diag.List) {
	defer showWait(os.Stderr, remote.Interactive(os.Stderr), "checking the Go code, for which the packages that it imports are compiled")()
	result, faults := typecheck.Check(doc, size, typecheck.GoCommand{Dir: folderOf(f.out), Limit: mostCompiling})
	f.building = buildCost(doc, result.Lines)
	return importer.GoCode{Lines: result.Lines, Unchecked: result.Reason}, faults
}

// folderOf returns the folder of a file, or its nearest parent that exists. It is empty for the current folder.
func folderOf(name string) string {
	if name == "" {
		return ""
	}
	dir := filepath.Dir(name)
	for {
		if info, err := os.Stat(dir); err == nil && info.IsDir() || dir == filepath.Dir(dir) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// sourceFolder is where the files are that a source refers to.
type sourceFolder struct {
	*os.Root
	source string // the path of the source below it
}

// folder opens the folder that what the source refers to is read below.
func (f *importFlags) folder(name string) (*sourceFolder, error) {
	dir := filepath.Dir(name)
	if f.root != "" {
		dir = f.root
	}
	below, err := belowOf(dir, name)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &sourceFolder{root, below}, nil
}

// belowOf is the path of a file below a folder, with forward slashes.
func belowOf(dir, name string) (string, error) {
	from, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	below, err := filepath.Rel(from, to)
	if err != nil || !filepath.IsLocal(below) {
		return "", fmt.Errorf("%s is not below the folder that --root names, %s", display(name), display(dir))
	}
	return filepath.ToSlash(below), nil
}

func (f *sourceFolder) read(path string) (importer.Source, error) {
	text, err := file.ReadIn(f.Root, filepath.FromSlash(path))
	return importer.Source{Name: display(filepath.Join(f.Name(), filepath.FromSlash(path))), Text: text}, err
}

// mostListed is how many files of a folder are looked at to find one by what it calls itself.
const mostListed = 20_000

// list returns the paths of the files below the folder.
func (f *sourceFolder) list() []string {
	all := []string{}
	fs.WalkDir(f.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case len(all) >= mostListed:
			return fs.SkipAll
		case err != nil:
			return fs.SkipDir
		case d.Type().IsRegular():
			all = append(all, path)
		}
		return nil
	})
	return all
}

// sourcesOf reads files.
func sourcesOf(names []string) ([]importer.Source, error) {
	var all []importer.Source
	for _, name := range names {
		s, err := sourceOf(name)
		if err != nil {
			return nil, err
		}
		all = append(all, *s)
	}
	return all, nil
}

// sourceOf reads a file.
func sourceOf(name string) (*importer.Source, error) {
	text, err := file.Read(name)
	if err != nil {
		return nil, err
	}
	return &importer.Source{Name: display(name), Text: text}, nil
}

func (f *importFlags) print(w io.Writer, r *importer.Report) error {
	if f.report == "text" {
		return r.WriteText(w)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}
