//go:build !bootstrap

package command

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/templates"
)

// typesFlags are the flags of types.
type typesFlags struct {
	compileFlags
	source importFlags
	pkg    string
	quiet  bool
}

func newTypes() *cobra.Command {
	flags := typesFlags{}
	c := &cobra.Command{
		Use:   "types FILE | URL | -- COMMAND [ARG...]",
		Short: "Write types and typed calls for an MCP server of others, in TypeScript or Go",
		RunE:  func(c *cobra.Command, args []string) error { return flags.run(c, args) },
	}
	flags.registerLanguage(c, "typescript")
	c.Flags().StringVarP(&flags.out, "out", "o", "", "write to this `folder`")
	c.Flags().StringVar(&flags.pkg, "package", "", "the `name` of the Go package (default: from the name of the server)")
	addAsking(c, &flags.source.headers, &flags.source.wait)
	c.Flags().StringSliceVar(&flags.source.only, "only", nil, "only these `names` of tools, resources, templates and prompts")
	c.Flags().BoolVarP(&flags.quiet, "quiet", "q", false, "print no names of files")
	return c
}

func (f *typesFlags) run(c *cobra.Command, args []string) error {
	if f.out == "" {
		return usageError{errors.New("name the folder to write to with --out")}
	}
	if err := f.checkLanguage(); err != nil {
		return err
	}
	if f.pkg != "" && f.lang != "go" {
		return usageError{errors.New("--package is for --lang go")}
	}
	from, tables, err := f.source.takeOrigin(c, args)
	if err != nil {
		return err
	}
	if len(tables) > 0 {
		return usageError{fmt.Errorf("types takes one source, there are %d", len(args))}
	}
	f.source.tools = from.url
	source, err := f.source.load(c, from)
	if err != nil {
		fmt.Fprintln(c.ErrOrStderr(), err)
		return errFindings
	}
	if schema.IsSchema(source.Text) {
		return usageError{fmt.Errorf("%s is a schema: rpcgen generate --lang %s --out %s %[1]s writes its types", source.Name, f.lang, display(f.out))}
	}
	made, err := f.compileSource(c, *source)
	if err != nil {
		return err
	}
	return writeAll(c, []output{made}, f.quiet)
}

// compileSource imports a source and generates the side of its callers.
func (f *typesFlags) compileSource(c *cobra.Command, source importer.Source) (made output, err error) {
	options := importer.Options{Only: f.source.only}
	if f.pkg != "" {
		options.Overlays = []importer.Source{{Name: "--package", Text: []byte("package: " + f.pkg + "\n")}}
	}
	result, err := importer.Import(source, options)
	if err != nil {
		fmt.Fprintln(c.ErrOrStderr(), err)
		return made, errFindings
	}
	if result.Report.Weakens() {
		f.source.report = "text"
		if err := f.source.print(c.ErrOrStderr(), result.Report); err != nil {
			return made, err
		}
	}
	name := path.Base(filepath.ToSlash(source.Name))
	loader := &schema.Loader{Read: func(string) ([]byte, error) { return result.Text, nil }}
	doc, diags := loader.Load(name)
	if doc == nil {
		return made, report(c.ErrOrStderr(), "text", diags, loader.Source)
	}
	client := templates.Options{Side: templates.ClientOnly}
	files, diags, err := f.generate(doc, client)
	if err != nil {
		return made, err
	}
	made = output{name, f.out, files, f.lang, doc, loader, client}
	return made, report(c.ErrOrStderr(), "text", diags, loader.Source)
}
