//go:build !bootstrap

package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/budget"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/hostcheck"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/hosts"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// budgetFlags are the flags of budget.
type budgetFlags struct {
	json    bool
	code    bool
	against string
	headers []string
}

func newBudget() *cobra.Command {
	var flags budgetFlags
	c := &cobra.Command{
		Use:               "budget FILE... | URL | - | -- COMMAND [ARG...]",
		Short:             "Report how many tokens the tools of a server take",
		ValidArgsFunction: completeSchemas,
		RunE:              func(c *cobra.Command, args []string) error { return flags.run(c, args) },
	}
	c.Flags().BoolVar(&flags.json, "json", false, "print the report as JSON: an object for each list")
	c.Flags().BoolVar(&flags.code, "code", false, "count outputs as well, which models see that write code")
	c.Flags().StringVar(&flags.against, "against", "", "compare with an older `list`: git:REF, a schema, or a JSON file with a list of tools")
	addAsking(c, &flags.headers, new(time.Duration))
	return c
}

func (f *budgetFlags) run(c *cobra.Command, args []string) error {
	all, err := listings(c, args, f.headers)
	if err != nil {
		return err
	}
	if f.against != "" && len(all) > 1 {
		return usageError{errors.New("--against compares one list at a time")}
	}
	var over diag.List
	var loaded sources
	var reports []budgetReport
	for _, l := range all {
		one, loader, faults, err := f.report(c, l)
		if err != nil {
			return err
		}
		if loader != nil {
			loaded = append(loaded, loader)
		}
		over = append(over, faults...)
		if one != nil {
			reports = append(reports, *one)
		}
	}
	out := c.OutOrStdout()
	for i, r := range reports {
		if f.json {
			text, err := json.MarshalIndent(r, "", "  ")
			if err != nil {
				return err
			}
			fmt.Fprintf(content(c), "%s\n", text)
			continue
		}
		if i > 0 {
			fmt.Fprintln(out)
		}
		r.print(out)
	}
	return report(c.ErrOrStderr(), "text", over.Sorted(), loaded.text)
}

// budgetReport is what is printed of one list.
type budgetReport struct {
	List string `json:"list"`
	budget.Report
	Budget  int            `json:"budget,omitempty"` // tokens that the schema grants all tools
	Against *budgetAgainst `json:"against,omitempty"`
	Cut     []string       `json:"cut,omitempty"` // what hosts cut of the instructions
}

// budgetAgainst is a comparison with an older list.
type budgetAgainst struct {
	List    string          `json:"list"`
	Tokens  int             `json:"tokens"`
	Changes []budget.Change `json:"changes"`
}

// report makes the report of a list. It is nil if a schema has errors, which are among the faults.
func (f *budgetFlags) report(c *cobra.Command, l listing) (*budgetReport, *schema.Loader, diag.List, error) {
	r := &budgetReport{List: l.label()}
	var loader *schema.Loader
	var list hostcheck.List
	var over diag.List
	var err error
	if l.isSchema() {
		loader = new(schema.Loader)
		var doc *ir.Document
		if doc, list, over, err = loadPublished(loader, l.name); doc == nil || err != nil {
			return nil, loader, over, err
		}
		over = append(over, budget.Check(doc, list.Tools)...)
		if doc.Server != nil {
			r.Budget = doc.Server.Budget.Tokens.Tokens
		}
	} else if list, err = l.read(c, f.headers); err != nil {
		fmt.Fprintln(c.ErrOrStderr(), err)
		return nil, nil, nil, errFindings
	}
	r.Report = budget.New(list.Tools, list.Instructions, f.code)
	r.Cut = cutByHosts(r.Characters)
	if f.against != "" {
		if r.Against, err = f.compare(c, l, &r.Report); err != nil {
			return nil, loader, nil, err
		}
	}
	return r, loader, over, nil
}

// cutByHosts says which hosts cut instructions of so many characters.
func cutByHosts(characters int) []string {
	var all []string
	for _, h := range hosts.Known().All() {
		for _, limit := range h.Limits {
			if limit.Key == hosts.Instructions && characters > limit.Number {
				all = append(all, fmt.Sprintf("%s keeps %s characters of them", h.Title, text.Thousands(limit.Number)))
			}
		}
	}
	return all
}

// compare compares a report with that of an older list.
func (f *budgetFlags) compare(c *cobra.Command, l listing, now *budget.Report) (*budgetAgainst, error) {
	old, err := f.older(c, l)
	if err != nil {
		return nil, err
	}
	before := budget.New(old.Tools, old.Instructions, f.code)
	a := &budgetAgainst{List: f.against, Tokens: before.All.Tokens, Changes: now.Against(&before)}
	if a.Changes == nil {
		a.Changes = []budget.Change{}
	}
	return a, nil
}

// older reads the list that --against names.
func (f *budgetFlags) older(c *cobra.Command, l listing) (hostcheck.List, error) {
	commit, ofGit := strings.CutPrefix(f.against, "git:")
	if !ofGit {
		old, err := listingOf(f.against)
		if err != nil {
			return hostcheck.List{}, err
		}
		if !old.isSchema() {
			return old.read(c, f.headers)
		}
	}
	name := f.against
	if ofGit {
		if !strings.Contains(commit, ":") {
			if !l.isSchema() {
				return hostcheck.List{}, usageError{fmt.Errorf("--against %s is for schemas: name a file for %s", f.against, l.label())}
			}
			name += ":" + filepath.ToSlash(l.name)
		}
	}
	e, err := loadSnapshot(c, name)
	if err != nil {
		return hostcheck.List{}, err
	}
	return hostcheck.Of(e.doc)
}

func (r *budgetReport) print(w io.Writer) {
	fmt.Fprintf(w, "%s\n", text.Line(r.List))
	fmt.Fprintf(w, "%-26s %10s %8s   (estimate, o200k, +-5 %%)\n", text.Counted(len(r.Tools), "tool"), "bytes", "tokens")
	row := func(name string, s budget.Size, note string) {
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("  %-24s %10s %8s   %s", name, text.Thousands(s.Bytes), text.Thousands(s.Tokens), note), " "))
	}
	row("all at once", r.All, "")
	row("names only (deferred)", r.Names, "")
	if r.Characters > 0 {
		row("instructions", r.Instructions, strings.Join(r.Cut, "; "))
	}
	if r.Icons > 0 {
		fmt.Fprintf(w, "  %-24s %10s %8s   %d %% of the list on the wire, no model reads them\n", "icons", text.Thousands(r.Icons), "-",
			(100*r.Icons+r.Wire/2)/r.Wire)
	}
	if r.Foreign {
		fmt.Fprintln(w, "Many letters are not ASCII: the true number of tokens is higher.")
	}
	most := ir.Each(r.Tools[:min(4, len(r.Tools))], func(t budget.Tool) string {
		return fmt.Sprintf("%s %.1f %%", text.Line(t.Name), 100*float64(t.Tokens)/float64(max(1, r.All.Tokens)))
	})
	if len(most) > 0 {
		fmt.Fprintf(w, "most: %s\n", strings.Join(most, ", "))
	}
	for i, cut := range r.Cuts {
		fmt.Fprintf(w, "%-5s -%s  %s\n", map[bool]string{true: "cuts:", false: ""}[i == 0], text.Thousands(cut.Tokens), text.Line(cut.Says))
	}
	if r.Budget > 0 {
		fmt.Fprintf(w, "budget: server.budget.tokens %s, used %.0f %%\n", text.Thousands(r.Budget), 100*float64(r.All.Tokens)/float64(r.Budget))
	}
	if r.Against != nil {
		r.Against.print(w, r.All.Tokens)
	}
}

func (a *budgetAgainst) print(w io.Writer, now int) {
	if len(a.Changes) == 0 {
		fmt.Fprintf(w, "against %s: nothing changed\n", text.Line(a.List))
		return
	}
	fmt.Fprintf(w, "against %s: %+d tokens, %s before\n", text.Line(a.List), now-a.Tokens, text.Thousands(a.Tokens))
	for _, change := range a.Changes {
		what := fmt.Sprintf("%d before", change.Was)
		switch {
		case change.Was == 0:
			what = "new"
		case change.Is == 0:
			what = "gone"
		}
		fmt.Fprintf(w, "  %+6d  %s, %s\n", change.Is-change.Was, text.Line(change.Name), what)
	}
}
