package command

import (
	"fmt"

	"github.com/spf13/cobra"
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
