package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/diff"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/templates"
)

// diffFlags are the flags of diff.
type diffFlags struct {
	format string
	html   string
	allow  []string
}

var diffFormats = []string{"text", "json", "markdown", "github"}

func newDiff() *cobra.Command {
	var flags diffFlags
	c := &cobra.Command{
		Use:               "diff OLD NEW",
		Short:             "Report the changes between two versions of a schema, and what they break",
		Args:              versions,
		ValidArgsFunction: completeSchemas,
		RunE: func(c *cobra.Command, args []string) error {
			if err := flags.check(); err != nil {
				return err
			}
			view, err := flags.compare(c, args[0], args[1])
			if err != nil {
				return err
			}
			return flags.print(c, view)
		},
	}
	c.Flags().StringVar(&flags.format, "format", "text", "how to print changes: "+strings.Join(diffFormats, ", "))
	c.Flags().StringVar(&flags.html, "html", "", "also write a side-by-side page to this `file`")
	c.Flags().StringSliceVar(&flags.allow, "allow", nil, "allow breaks of these `kinds or ids`: wire, go, typescript, model, or the id of a change")
	c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(diffFormats, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (f *diffFlags) check() error {
	if !slices.Contains(diffFormats, f.format) {
		return usageError{fmt.Errorf("--format is text, json, markdown or github, not %q", f.format)}
	}
	for _, one := range f.allow {
		if !isAspect(one) && !strings.Contains(one, ":") {
			return usageError{fmt.Errorf("--allow takes wire, go, typescript, model or the id of a change, not %q", one)}
		}
	}
	return nil
}

func isAspect(name string) bool {
	return slices.ContainsFunc(diff.Aspects, func(s diff.Aspect) bool { return s.String() == name })
}

// compare loads and compares two schemas.
func (f *diffFlags) compare(c *cobra.Command, before, after string) (diff.View, error) {
	old, err := loadSnapshot(c, before)
	if err != nil {
		return diff.View{}, err
	}
	new, err := loadSnapshot(c, after)
	if err != nil {
		return diff.View{}, err
	}
	for _, e := range []snapshot{old, new} {
		if _, faults := templates.NewNames(e.doc); faults.HasErrors() {
			fmt.Fprintf(c.ErrOrStderr(), "rpcgen: %s has names that do not compile to Go and are not compared: run generate\n", e.label)
		}
	}
	return diff.View{
		Report: diff.Compare(old.doc, new.doc, goNames), Old: old.side(), New: new.side(),
		Allowed: func(change *diff.Change, s diff.Aspect) bool {
			return slices.Contains(f.allow, s.String()) || slices.Contains(f.allow, change.ID)
		},
	}, nil
}

// goNames returns the Go names of a version.
func goNames(doc *ir.Document) diff.Names { return templates.ComparedNames(doc) }

// print writes the report, and reports whether something breaks.
func (f *diffFlags) print(c *cobra.Command, v diff.View) error {
	if err := f.page(c, v); err != nil {
		return err
	}
	write := map[string]func() error{
		"text":     func() error { return v.WriteText(c.OutOrStdout()) },
		"json":     func() error { return v.WriteJSON(c.OutOrStdout()) },
		"markdown": func() error { return v.WriteMarkdown(c.OutOrStdout()) },
		"github":   func() error { return v.WriteGitHub(c.OutOrStdout()) },
	}[f.format]
	if err := write(); err != nil {
		return err
	}
	f.printUnused(c, v)
	if len(v.Breaks()) > 0 {
		return errFindings
	}
	return nil
}

// page writes the HTML page, unless it is there already.
func (f *diffFlags) page(c *cobra.Command, v diff.View) error {
	if f.html == "" {
		return nil
	}
	text, err := v.HTML()
	if err != nil {
		return err
	}
	return write(c, f.html, text)
}

// printUnused prints the allowed ids that match no change, so that outdated ids in a list are noticed.
func (f *diffFlags) printUnused(c *cobra.Command, v diff.View) {
	for _, id := range f.allow {
		if !isAspect(id) && !slices.ContainsFunc(v.Changes, func(change *diff.Change) bool { return change.ID == id }) {
			fmt.Fprintf(c.ErrOrStderr(), "rpcgen: --allow %s matches no change\n", id)
		}
	}
}
