//go:build !bootstrap

package command

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/format"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/file"
)

// fmtFlags are the flags of fmt.
type fmtFlags struct {
	check  bool
	diff   bool
	drop   []string // tools whose listed text is dropped
	format string
}

func newFmt() *cobra.Command {
	var flags fmtFlags
	c := &cobra.Command{
		Use:               "fmt FILE...",
		Short:             "Rewrite schemas in their canonical form",
		Args:              schemas,
		ValidArgsFunction: completeSchemas,
		RunE: func(c *cobra.Command, args []string) error {
			args, err := expandNames(args)
			if err == nil {
				err = checkFormat(flags.format)
			}
			if err != nil {
				return err
			}
			if len(flags.drop) > 0 {
				if len(args) != 1 {
					return usageError{fmt.Errorf("--drop-listed takes one schema at a time, there are %d", len(args))}
				}
				return dropListed(c, args[0], flags.drop)
			}
			return flags.run(c, args)
		},
	}
	c.Flags().BoolVar(&flags.check, "check", false, "write nothing; print the names of the schemas that are not canonical")
	c.Flags().BoolVarP(&flags.diff, "diff", "d", false, "write nothing; print what would change")
	c.Flags().StringSliceVar(&flags.drop, "drop-listed", nil, "remove the listed text of what has these `names`, or of * for all")
	registerFormat(c, &flags.format)
	return c
}

func (f *fmtFlags) run(c *cobra.Command, names []string) error {
	var faults diag.List
	texts := map[string][]byte{}
	changed := false
	for _, name := range names {
		text, err := readSchema(c, name)
		if err != nil {
			faults = append(faults, diag.Diagnostic{Code: diag.FileUnreadable, Span: diag.Span{Pos: diag.Pos{File: name, Line: 1, Col: 1}, Len: 1},
				Message: err.Error()})
			continue
		}
		texts[name] = text
		canonical, found := format.Source(name, text)
		faults = append(faults, found...)
		if found.HasErrors() {
			continue
		}
		if err := f.show(c, change{path: name, old: text, new: canonical}); err != nil {
			return err
		}
		if (f.check || f.diff) && !bytes.Equal(text, canonical) {
			changed = true
			faults = append(faults, outOfDate(f.format, name, "it is not in its canonical form", "run rpcgen fmt")...)
		}
	}
	source := func(name string) ([]byte, bool) { text, ok := texts[name]; return text, ok && schema.IsSchema(text) }
	if err := report(c.ErrOrStderr(), f.format, faults.Sorted(), source); err != nil {
		return err
	}
	if changed {
		return errFindings
	}
	return nil
}

// readSchema reads a file, or the standard input when it is called -.
func readSchema(c *cobra.Command, name string) ([]byte, error) {
	if name == "-" {
		return file.ReadAll(c.InOrStdin())
	}
	return file.Read(name)
}

// show prints or writes what became of one schema.
func (f *fmtFlags) show(c *cobra.Command, schema change) error {
	path, same := display(schema.path), bytes.Equal(schema.old, schema.new)
	switch {
	case f.diff:
		c.OutOrStdout().Write(diff.Diff("a/"+path, schema.old, "b/"+path, schema.new))
	case schema.path == "-" && !f.check:
		content(c).Write(schema.new)
	case !same:
		fmt.Fprintln(c.OutOrStdout(), path)
	}
	if f.check || f.diff || schema.path == "-" {
		return nil
	}
	sweep(filepath.Dir(schema.path))
	if same {
		return nil
	}
	return schema.apply()
}
