package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/listed"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/file"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/templates"
	"github.com/rpcgen-go/rpcgen/templates/typescript"
)

// compileFlags are the flags of every command that compiles schemas.
type compileFlags struct {
	out     string
	side    string
	schemas bool
	kit     bool
	format  string
	lang    string
	bigint  bool
}

func (f *compileFlags) register(c *cobra.Command) {
	c.Flags().StringVarP(&f.out, "out", "o", "", "write to this `folder` (default: next to the schema)")
	c.Flags().StringVar(&f.side, "side", "both", "what to generate: server, client or both")
	c.Flags().BoolVar(&f.schemas, "schemas", false, "include the JSON Schemas of params in routers, for runtime.Options.Explain")
	c.Flags().BoolVar(&f.kit, "kit", false, "write a test kit as well, into the folder PACKAGEtest below that of the package")
	f.registerLanguage(c, "go")
	registerFormat(c, &f.format)
	c.RegisterFlagCompletionFunc("side", cobra.FixedCompletions([]string{"server", "client", "both"}, cobra.ShellCompDirectiveNoFileComp))
}

func (f *compileFlags) registerLanguage(c *cobra.Command, usual string) {
	c.Flags().StringVar(&f.lang, "lang", usual, "the language of what is generated: go or typescript")
	c.Flags().BoolVar(&f.bigint, "bigint", false, "in TypeScript, 64-bit integers are number | bigint, and none is refused as too large for a number")
	c.RegisterFlagCompletionFunc("lang", cobra.FixedCompletions(languages, cobra.ShellCompDirectiveNoFileComp))
}

func registerFormat(c *cobra.Command, format *string) {
	c.Flags().StringVar(format, "format", "text", "how to print diagnostics: text, json or github")
	c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"text", "json", "github"}, cobra.ShellCompDirectiveNoFileComp))
}

func (f *compileFlags) check(schemas []string) error {
	if f.out != "" && len(schemas) > 1 {
		return usageError{fmt.Errorf("--out takes one schema at a time, there are %d", len(schemas))}
	}
	if !slices.Contains(languages, f.lang) {
		return usageError{fmt.Errorf("--lang is go or typescript, not %q", f.lang)}
	}
	if f.lang != "go" && (f.side != "both" || f.schemas) {
		return usageError{errors.New("--side and --schemas are for --lang go")}
	}
	if f.lang == "go" && f.bigint {
		return usageError{errors.New("--bigint is for --lang typescript")}
	}
	if _, ok := sides[f.side]; !ok {
		return usageError{fmt.Errorf("--side is server, client or both, not %q", f.side)}
	}
	if f.kit && f.lang != "go" {
		return usageError{errors.New("--kit writes Go: leave it out, or --lang " + f.lang)}
	}
	if f.kit && f.side == "client" {
		return usageError{errors.New("--kit tests a server: generate it with --side server or both")}
	}
	return checkFormat(f.format)
}

func checkFormat(format string) error {
	switch format {
	case "text", "json", "github":
		return nil
	}
	return usageError{fmt.Errorf("--format is text, json or github, not %q", format)}
}

// languages are those that schemas are compiled to.
var languages = []string{"go", "typescript"}

var sides = map[string]templates.Side{"both": templates.Both, "server": templates.ServerOnly, "client": templates.ClientOnly}

// output is what one schema compiles to.
type output struct {
	schema string
	folder string
	files  []templates.File
	lang   string

	doc     *ir.Document
	loader  *schema.Loader
	options templates.Options
}

// compile compiles the schemas. Diagnostics are printed; with errors among them the error is errFindings.
func (f *compileFlags) compile(c *cobra.Command, schemas []string) ([]output, error) {
	schemas, err := expanded(schemas)
	if err == nil {
		err = f.check(schemas)
	}
	if err != nil {
		return nil, err
	}
	var all diag.List
	var outputs []output
	var loaded sources
	for _, name := range schemas {
		loader := new(schema.Loader) // one for each schema, since a loader keeps its faults
		loaded = append(loaded, loader)
		doc, diags := loader.Load(name)
		all = append(all, diags...)
		if doc == nil {
			continue
		}
		if faults := listed.Check(doc, file.Read, importList); len(faults) > 0 {
			all = append(all, faults...)
			continue
		}
		options := templates.Options{Side: sides[f.side], Schemas: f.schemas}
		files, diags, err := f.generate(doc, options)
		if err != nil {
			return nil, err
		}
		all = append(all, diags...)
		made := output{schema: name, folder: f.folder(name), files: files, lang: f.lang, doc: doc, loader: loader, options: options}
		if f.kit {
			kit, err := made.kit()
			if err != nil {
				return nil, err
			}
			made.files = append(made.files, kit...)
		}
		outputs = append(outputs, made)
	}
	return outputs, report(c.ErrOrStderr(), f.format, all.Sorted(), loaded.text)
}

// generate generates the files of a document in the language that was asked for.
func (f *compileFlags) generate(doc *ir.Document, options templates.Options) ([]templates.File, diag.List, error) {
	if f.lang == "go" {
		return templates.Generate(doc, options)
	}
	files, diags := typescript.Generate(doc, typescript.Options{BigInt: f.bigint})
	return files, diags, nil
}

// kit returns the files of the test kit of the package that an output is, whose import path follows from the go.mod above it.
func (o output) kit() ([]templates.File, error) {
	folder, err := filepath.Abs(o.folder)
	if err != nil {
		return nil, err
	}
	module, root, _ := enclosingModule(folder)
	if module == "" {
		return nil, usageError{fmt.Errorf("--kit writes a package that imports the one in %s, and no folder above has a go.mod: run go mod init first", display(o.folder))}
	}
	below, err := filepath.Rel(root, folder)
	if err != nil {
		return nil, err
	}
	return templates.GenerateKit(o.doc, o.options, path.Join(module, filepath.ToSlash(below)))
}

// sources returns the texts of everything that was loaded.
type sources []*schema.Loader

func (s sources) text(file string) ([]byte, bool) {
	for _, l := range s {
		if text, ok := l.Source(file); ok {
			return text, true
		}
	}
	return nil, false
}

// folder is the folder for the files of a schema.
func (f *compileFlags) folder(schema string) string {
	if f.out != "" {
		return f.out
	}
	return filepath.Dir(schema)
}

// report prints diagnostics. It returns errFindings if there are errors among them.
func report(w io.Writer, format string, list diag.List, source diag.Source) error {
	var err error
	switch format {
	case "json":
		err = list.WriteJSON(w)
	case "github":
		err = list.WriteGitHub(w)
	default:
		err = list.WriteText(w, source)
	}
	if err == nil && list.HasErrors() {
		err = errFindings
	}
	return err
}

// load loads one schema for a command that only reads it.
func load(c *cobra.Command, name string) (*ir.Document, error) {
	loader := new(schema.Loader)
	doc, diags := loader.Load(name)
	if err := report(c.ErrOrStderr(), "text", diags, loader.Source); err != nil {
		return nil, err
	}
	return doc, nil
}

// completeSchemas completes file arguments of a shell.
func completeSchemas(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}

// display returns a path in the form for messages: relative if that is shorter, with forward slashes.
func display(path string) string {
	if wd, err := os.Getwd(); err == nil && filepath.IsAbs(path) {
		if rel, err := filepath.Rel(wd, path); err == nil && len(rel) < len(path) {
			path = rel
		}
	}
	return filepath.ToSlash(path)
}
