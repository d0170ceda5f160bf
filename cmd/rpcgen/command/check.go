package command

import (
	"fmt"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/work/budget"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/work/hostcheck"
	"github.com/rpcgen-go/rpcgen/schema/diag"
)

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
