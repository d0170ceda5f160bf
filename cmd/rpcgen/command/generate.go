package command

import (
	"fmt"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/work/budget"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/work/hostcheck"
	"github.com/rpcgen-go/rpcgen/schema/diag"
)

func newGenerate() *cobra.Command {
	var flags compileFlags
	var quiet bool
	c := &cobra.Command{
		Use:   "generate FILE...",
		Short: "Write the Go files of schemas, or those of TypeScript",
		Long: `Write the Go files of schemas, next to each schema or to the folder that --out names. With --lang typescript, they are modules of TypeScript:
types, validators, calls of methods and of tools.

Only files that rpcgen wrote for the same schema are replaced or, if they are no longer needed, removed. Files that would not
change are not written. The names of changed files are printed, newline-separated.` + patternHelp,
		Args:              schemas,
		ValidArgsFunction: completeSchemas,
		RunE: func(c *cobra.Command, args []string) error {
			outputs, err := flags.compile(c, args)
			if err != nil {
				return err
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
		Use:   "check FILE...",
		Short: "Report whether the Go files of schemas are up to date",
		Long: `Compare the Go files of schemas with what generate would write, and print how they differ. Nothing is written.

Differences are explained in terms of the schema first: check looks in git for the version of the schema that the files were
generated from, and compares it with the present one. If there is none, it compares the declarations in the files and prints
the lines of the schema that they come from.

It exits with 1 if a file differs, is missing, or should have been removed, or if the tools of a schema take more tokens than its budget
grants, see rpcgen budget.` + patternHelp,
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
