//go:build !bootstrap

package command

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/docs"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/openrpc"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/vectors"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/manifest"
	"github.com/rpcgen-go/rpcgen/schema/file"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// exportFlags are the flags of export.
type exportFlags struct {
	format string
	draft  string
	exact  bool
	out    string

	manifest manifest.Options
}

var (
	exportFormats = []string{"jsonschema", "openrpc", "markdown", "html", "registry", "mcpb", "vectors"}
	drafts        = map[string]jsonschema.Draft{"2020-12": jsonschema.Draft2020, "07": jsonschema.Draft7}
)

func newExport() *cobra.Command {
	var flags exportFlags
	c := &cobra.Command{
		Use:               "export --format FORMAT FILE",
		Short:             "Write a schema as JSON Schema, OpenRPC, Markdown, HTML, a manifest or test vectors",
		Args:              cobra.MatchAll(schemas, cobra.MaximumNArgs(1)),
		ValidArgsFunction: completeSchemas,
		RunE: func(c *cobra.Command, args []string) error {
			if err := flags.check(c); err != nil {
				return err
			}
			doc, err := load(c, args[0])
			if err != nil {
				return err
			}
			text, err := flags.export(c, doc)
			if err != nil {
				return err
			}
			return write(c, flags.out, text)
		},
	}
	flags.register(c)
	return c
}

func (f *exportFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.format, "format", "", "what to write: "+strings.Join(exportFormats, ", "))
	c.Flags().StringVar(&f.draft, "draft", "2020-12", "the draft of JSON Schema: 2020-12 or 07")
	c.Flags().BoolVar(&f.exact, "exact", false, "with jsonschema: also reject what decoders reject, such as integers outside 64 bits")
	c.Flags().StringVarP(&f.out, "out", "o", "", "write to this `file` (default: standard output)")
	c.Flags().StringVar(&f.manifest.Name, "name", "", "with registry: the server's name there, such as io.github.octo/shop")
	c.Flags().StringVar(&f.manifest.Author, "author", "", "with mcpb: who made the server")
	c.Flags().StringVar(&f.manifest.Command, "command", "", "with mcpb: the program's path in the bundle, without .exe (default: server/NAME)")
	c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(exportFormats, cobra.ShellCompDirectiveNoFileComp))
	c.RegisterFlagCompletionFunc("draft", cobra.FixedCompletions([]string{"2020-12", "07"}, cobra.ShellCompDirectiveNoFileComp))
}

func (f *exportFlags) check(c *cobra.Command) error {
	if !slices.Contains(exportFormats, f.format) {
		return usageError{fmt.Errorf("--format is jsonschema, openrpc, markdown, html, registry, mcpb or vectors, not %q", f.format)}
	}
	if _, ok := drafts[f.draft]; !ok {
		return usageError{fmt.Errorf("--draft is 2020-12 or 07, not %q", f.draft)}
	}
	if f.format != "jsonschema" && (c.Flags().Changed("draft") || f.exact) {
		return usageError{fmt.Errorf("--draft and --exact are for jsonschema, not for %s", f.format)}
	}
	if f.manifest.Name != "" && f.format != "registry" {
		return usageError{fmt.Errorf("--name is for registry, not for %s", f.format)}
	}
	if (f.manifest.Author != "" || f.manifest.Command != "") && f.format != "mcpb" {
		return usageError{fmt.Errorf("--author and --command are for mcpb, not for %s", f.format)}
	}
	return nil
}

func (f *exportFlags) export(c *cobra.Command, doc *ir.Document) ([]byte, error) {
	switch f.format {
	case "jsonschema":
		return jsonschema.Export(doc, jsonschema.Options{Draft: drafts[f.draft], Exact: f.exact})
	case "openrpc":
		text, warnings, err := openrpc.Export(doc)
		for _, w := range warnings {
			fmt.Fprintf(c.ErrOrStderr(), "%s: warning: %s\n", display(doc.File), w)
		}
		return text, err
	case "markdown":
		return docs.Markdown(doc), nil
	case "vectors":
		return vectors.Export(doc)
	case "registry":
		return f.writeManifest(doc, manifest.Registry)
	case "mcpb":
		return f.writeManifest(doc, manifest.Bundle)
	}
	return docs.HTML(doc)
}

// writeManifest writes a manifest over the one that is there.
func (f *exportFlags) writeManifest(doc *ir.Document, write func(*ir.Document, manifest.Options) ([]byte, error)) ([]byte, error) {
	o := f.manifest
	if f.out != "" {
		old, err := file.Read(f.out)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		o.Old = old
	}
	text, err := write(doc, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", display(doc.File), err)
	}
	return text, nil
}
