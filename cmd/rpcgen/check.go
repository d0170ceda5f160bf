package main

import (
	"fmt"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"
)

func newCheck() *cobra.Command {
	var flags compileFlags
	c := &cobra.Command{
		Use:   "check FILE...",
		Short: "Tell whether the Go files of schemas are up to date",
		Long: `Compare the Go files of schemas with what generate would write, and print how they differ. Nothing is written.

What drifted is told in the words of the schema first: the edition that made the files is looked for in git, and compared with the
present one. Where there is none, the declarations of the files are compared, and led back to the lines of the schema.

It exits with 1 when a file differs, is missing, or should no longer be there.`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeSchemas,
		RunE: func(c *cobra.Command, args []string) error {
			outputs, err := flags.compile(c, args)
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
			for _, change := range changes {
				path := display(change.path)
				fmt.Fprintf(c.OutOrStdout(), "%s: %s\n", path, drift(change))
				c.OutOrStdout().Write(diff.Diff("a/"+path, change.old, "b/"+path, change.new))
			}
			if len(changes) > 0 {
				fmt.Fprintln(c.ErrOrStderr(), "rpcgen: run generate to bring the files up to date")
				return errFindings
			}
			return nil
		},
	}
	flags.register(c)
	return c
}

// drift says in a word what is wrong with a file.
func drift(c change) string {
	switch {
	case c.new == nil:
		return "stale: the schema no longer compiles to it"
	case c.old == nil:
		return "missing"
	}
	return "drifted"
}
