package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/format"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/lint"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/listed"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/file"
)

// lintFlags are the flags of lint.
type lintFlags struct {
	strict bool
	fix    bool
	format string
}

func newLint() *cobra.Command {
	var flags lintFlags
	c := &cobra.Command{
		Use:   "lint FILE...",
		Short: "Report valid but risky constructs",
		Long: `Report constructs that are valid but risky: methods without a description, texts of unlimited length from clients, results that
cannot be extended. rpcgen explain RULE prints the reason. To accept a construct, add an entry to lint.ignore in the schema,
with the path that is printed here and a reason.

It exits with 1 if there are errors, and with --strict also if there are warnings. With --fix, entries of lint.ignore that match
nothing are removed, and nothing else is changed; the file is then in its canonical form.`,
		Args:              schemas,
		ValidArgsFunction: completeSchemas,
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkFormat(flags.format); err != nil {
				return err
			}
			return flags.run(c, args)
		},
	}
	c.Flags().BoolVar(&flags.strict, "strict", false, "exit with 1 if there are warnings")
	c.Flags().BoolVar(&flags.fix, "fix", false, "remove entries of lint.ignore that match nothing")
	registerFormat(c, &flags.format)
	return c
}

func (f *lintFlags) run(c *cobra.Command, names []string) error {
	var all diag.List
	var loaded sources
	for _, name := range names {
		loader, unused, found := lintFile(name)
		if f.fix && len(unused) > 0 {
			if err := dropIgnores(name, unused); err != nil {
				return err
			}
			fmt.Fprintln(c.OutOrStdout(), display(name))
			loader, _, found = lintFile(name)
		}
		loaded = append(loaded, loader)
		all = append(all, found...)
	}
	err := report(c.ErrOrStderr(), f.format, all.Sorted(), loaded.text)
	if err == nil && f.strict && len(all) > 0 {
		err = errFindings
	}
	return err
}

// lintFile loads a schema and returns the findings, and the entries of lint.ignore that match nothing.
func lintFile(name string) (loader *schema.Loader, unused []int, found diag.List) {
	loader = new(schema.Loader)
	doc, faults := loader.Load(name)
	if doc == nil {
		return loader, nil, faults
	}
	found, unused = lint.Run(doc, faults)
	return loader, unused, append(found, listed.Check(doc, file.Read)...)
}

// dropIgnores removes entries of lint.ignore.
func dropIgnores(name string, entries []int) error {
	text, err := file.Read(name)
	if err != nil {
		return err
	}
	document, faults := format.Parse(name, text)
	if faults.HasErrors() {
		return fmt.Errorf("%s changed while it was read", display(name))
	}
	format.Remove(document, entries, "lint", "ignore")
	return change{path: name, old: text, new: format.Node(document)}.apply()
}
