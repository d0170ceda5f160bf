package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/listed"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/budget"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/hostcheck"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/file"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/templates"
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
	if err := f.checkLanguage(); err != nil {
		return err
	}
	if f.lang != "go" && (f.side != "both" || f.schemas) {
		return usageError{errors.New("--side and --schemas are for --lang go")}
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

func (f *compileFlags) checkLanguage() error {
	if !slices.Contains(languages, f.lang) {
		return usageError{fmt.Errorf("--lang is %s, not %q", strings.Join(languages, " or "), f.lang)}
	}
	if f.lang == "go" && f.bigint {
		return usageError{errors.New("--bigint is for --lang typescript")}
	}
	return nil
}

func checkFormat(format string) error {
	switch format {
	case "text", "json", "github":
		return nil
	}
	return usageError{fmt.Errorf("--format is text, json or github, not %q", format)}
}

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
	schemas, err := expandNames(schemas)
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
	files, diags := generateTypeScript(doc, f.bigint)
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
		return nil, usageError{fmt.Errorf("--kit writes a package that imports the one in %s, and no folder above has a go.mod: run go mod init first",
			display(o.folder))}
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

func newGenerate() *cobra.Command {
	var flags compileFlags
	var quiet bool
	c := &cobra.Command{
		Use:               "generate FILE...",
		Short:             "Write the Go files of schemas, or those of TypeScript",
		Args:              schemas,
		ValidArgsFunction: completeSchemas,
		RunE: func(c *cobra.Command, args []string) error {
			outputs, err := flags.compile(c, args)
			if err != nil {
				return err
			}
			for _, o := range outputs {
				if o.lang == "go" && !quiet && flags.format == "text" {
					fmt.Fprint(c.ErrOrStderr(), buildCost(o.doc, linesOf(o.files)))
				}
			}
			return writeAll(c, outputs, quiet)
		},
	}
	flags.register(c)
	c.Flags().BoolVarP(&quiet, "quiet", "q", false, "print nothing but diagnostics")
	return c
}

// writeAll brings the folders of outputs up to date, and prints what changed.
func writeAll(c *cobra.Command, outputs []output, quiet bool) error {
	changes, err := allChanges(c, outputs)
	if err != nil {
		return err
	}
	for _, o := range outputs {
		sweep(o.folder)
	}
	for _, change := range changes {
		if err := change.apply(); err != nil {
			return err
		}
		if !quiet {
			fmt.Fprintln(c.OutOrStdout(), change.verb(), display(change.path))
		}
	}
	if len(changes) == 0 && !quiet {
		fmt.Fprintln(c.OutOrStdout(), "nothing changed")
	}
	return nil
}

// allChanges returns the changes of all outputs. If one of them is impossible, it fails, so that none is made.
func allChanges(c *cobra.Command, outputs []output) ([]change, error) {
	var all []change
	impossible := false
	for _, o := range outputs {
		changes, err := o.changes()
		if err != nil {
			return nil, err
		}
		for _, change := range changes {
			if change.fault != "" {
				fmt.Fprintf(c.ErrOrStderr(), "%s: %s\n", display(change.path), change.fault)
				impossible = true
			}
		}
		all = append(all, changes...)
	}
	if impossible {
		return nil, errFindings
	}
	return all, nil
}

func newCheck() *cobra.Command {
	var flags compileFlags
	c := &cobra.Command{
		Use:               "check FILE...",
		Short:             "Report whether the Go files of schemas are up to date",
		Args:              schemas,
		ValidArgsFunction: completeSchemas,
		RunE: func(c *cobra.Command, args []string) error {
			outputs, err := flags.compile(c, args)
			if err != nil {
				return err
			}
			found, loaded, err := overBudget(outputs)
			if err != nil {
				return err
			}
			changes, err := allChanges(c, outputs)
			if err != nil {
				return err
			}
			for _, o := range outputs {
				if err := o.explainDrift(c.OutOrStdout()); err != nil {
					return err
				}
			}
			const help = "run generate to bring the files up to date"
			for _, change := range changes {
				path := display(change.path)
				fmt.Fprintf(c.OutOrStdout(), "%s: %s\n", path, drift(change))
				c.OutOrStdout().Write(diff.Diff("a/"+path, change.old, "b/"+path, change.new))
				found = append(found, outOfDate(flags.format, path, drift(change), help)...)
			}
			err = report(c.ErrOrStderr(), flags.format, found.Sorted(), loaded.text)
			if len(changes) == 0 || flags.format != "text" {
				return err
			}
			fmt.Fprintln(c.ErrOrStderr(), "rpcgen: "+help)
			return errFindings
		},
	}
	flags.register(c)
	return c
}

// overBudget returns where tools take more tokens than their schemas grant, with the texts of these schemas.
func overBudget(outputs []output) (all diag.List, loaded sources, err error) {
	for _, o := range outputs {
		if !budget.Sets(o.doc) {
			continue
		}
		list, err := hostcheck.Of(o.doc)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, budget.Check(o.doc, list.Tools)...)
		loaded = append(loaded, o.loader)
	}
	return all, loaded, nil
}

// outOfDate is the diagnostic of a file that would be written anew. As text, commands print the files by themselves.
func outOfDate(format, path, message, help string) diag.List {
	if format == "text" {
		return nil
	}
	at := diag.Span{Pos: diag.Pos{File: path, Line: 1, Col: 1}, Len: 1}
	return diag.List{{Code: diag.OutOfDate, Span: at, Message: message, Help: help}}
}

// drift returns a word or phrase for what is wrong with a file.
func drift(c change) string {
	switch {
	case c.new == nil:
		return "stale: the schema no longer compiles to it"
	case c.old == nil:
		return "missing"
	}
	return "drifted"
}
