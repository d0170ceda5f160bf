//go:build !bootstrap

package command

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/format"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/lint"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/hostcheck"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/file"
	"github.com/rpcgen-go/rpcgen/schema/hosts"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// lintFlags are the flags of lint.
type lintFlags struct {
	strict  bool
	fix     bool
	all     bool // findings are shown, also where a rule has many
	format  string
	hosts   []string
	asked   bool   // hosts were named
	folder  string // with files of hosts; empty if there is none
	server  string // the name of the server in the configuration of a host; empty for the one that it gives itself
	headers []string
}

func newLint() *cobra.Command {
	var flags lintFlags
	c := &cobra.Command{
		Use:               "lint FILE... | URL | - | -- COMMAND [ARG...]",
		Short:             "Report valid but risky constructs, and what hosts do not take",
		ValidArgsFunction: completeSchemas,
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkFormat(flags.format); err != nil {
				return err
			}
			flags.asked = c.Flags().Changed("host")
			return flags.run(c, args)
		},
	}
	c.Flags().BoolVar(&flags.strict, "strict", false, "exit with 1 if there are warnings, and use the strictest known value of a limit")
	c.Flags().BoolVar(&flags.all, "all", false, fmt.Sprintf("print all findings, also those of a rule that has more than %d", mostOfRule))
	c.Flags().BoolVar(&flags.fix, "fix", false, "remove entries of lint.ignore that match nothing")
	c.Flags().StringSliceVar(&flags.hosts, "host", []string{hosts.Usual}, "check what these hosts do not take: `names`, such as cursor or openai:strict")
	c.Flags().StringVar(&flags.folder, "hosts", "", "read further hosts, or others of the same name, from the YAML files in this `folder`")
	c.Flags().StringVar(&flags.server, "server", "", "the `name` that users give the server in the configuration of a host")
	addAsking(c, &flags.headers, new(time.Duration))
	registerFormat(c, &flags.format)
	c.RegisterFlagCompletionFunc("host", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return hosts.Known().Names(), cobra.ShellCompDirectiveNoFileComp
	})
	return c
}

func (f *lintFlags) run(c *cobra.Command, args []string) error {
	all, err := listings(c, args, f.headers)
	if err != nil {
		return err
	}
	check, err := f.checker()
	if err != nil {
		return err
	}
	var found, ofLists diag.List
	var loaded sources
	for _, l := range all {
		if !l.isSchema() {
			list, err := l.read(c, f.headers)
			if err != nil {
				fmt.Fprintln(c.ErrOrStderr(), err)
				return errFindings
			}
			ofLists = append(ofLists, check.list(list, l.label())...)
			continue
		}
		loader, unused, findings, err := check.schema(l.name)
		if err == nil && f.fix && len(unused) > 0 {
			if err = dropIgnores(l.name, unused); err != nil {
				return err
			}
			fmt.Fprintln(c.OutOrStdout(), display(l.name))
			loader, _, findings, err = check.schema(l.name)
		}
		if err != nil {
			return err
		}
		loaded = append(loaded, loader)
		found = append(found, findings...)
	}
	found = append(found.Sorted(), ofLists...)
	summary := ""
	shown := found
	if f.format == "text" {
		shown, summary = summarize(found, f.all)
	}
	err = report(c.ErrOrStderr(), f.format, shown, loaded.text)
	fmt.Fprint(c.ErrOrStderr(), summary)
	if err == nil && f.strict && slices.ContainsFunc(found, func(d diag.Diagnostic) bool { return d.Severity <= diag.Warning }) {
		err = errFindings
	}
	return err
}

// How many findings of a rule are printed, of which a rule that has more shows the first few, and how many there are before they are counted.
const (
	mostOfRule, fewOfRule = 20, 3
	mostUncounted         = 10
)

// summarize returns what is printed of findings, unless all are, and a last line with their number by rule, which a few do not need. Errors are all printed.
func summarize(found diag.List, all bool) (shown diag.List, summary string) {
	total, seen := make(map[diag.Code]int), make(map[diag.Code]int)
	for _, d := range found {
		total[d.Code]++
	}
	for _, d := range found {
		if seen[d.Code]++; all || d.Severity == diag.Error || total[d.Code] <= mostOfRule || seen[d.Code] <= fewOfRule {
			shown = append(shown, d)
		}
	}
	if len(found) <= mostUncounted {
		return shown, ""
	}
	codes := slices.SortedFunc(maps.Keys(total), func(a, b diag.Code) int { return cmp.Or(total[b]-total[a], cmp.Compare(a, b)) })
	rules := ir.Each(codes, func(code diag.Code) string { return fmt.Sprintf("%d %s", total[code], code) })
	summary = fmt.Sprintf("%d findings: %s", len(found), strings.Join(rules, ", "))
	if n := len(found) - len(shown); n > 0 {
		summary += fmt.Sprintf("; %d are not shown, --all shows them", n)
	}
	return shown, summary + "\n"
}

// hostChecker checks schemas, and what hosts do not take in lists of tools.
type hostChecker struct {
	set     *hosts.Set
	held    []hosts.Held
	asked   bool // hosts were named
	server  string
	options hostcheck.Options
}

func (f *lintFlags) checker() (*hostChecker, error) {
	set, err := f.knownHosts()
	if err != nil {
		return nil, err
	}
	held, err := set.Select(f.hosts...)
	if err != nil {
		return nil, usageError{fmt.Errorf("--host: %w", err)}
	}
	return &hostChecker{set, held, f.asked, f.server, hostcheck.Options{Strict: f.strict, Now: today()}}, nil
}

// today returns the time by which limits are old: that of SOURCE_DATE_EPOCH, in seconds since 1970, so that an output can be reproduced; else now.
func today() time.Time {
	if seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		return time.Unix(seconds, 0)
	}
	return time.Now()
}

// knownHosts returns the hosts that rpcgen knows and those of --hosts.
func (f *lintFlags) knownHosts() (*hosts.Set, error) {
	set := hosts.Known()
	if f.folder == "" {
		return set, nil
	}
	var paths []string
	for _, pattern := range []string{"*.yaml", "*.yml"} {
		found, err := fs.Glob(os.DirFS(f.folder), pattern)
		if err != nil {
			return nil, err
		}
		paths = append(paths, found...)
	}
	if len(paths) == 0 {
		return nil, usageError{fmt.Errorf("--hosts: there is no YAML file in %s", display(f.folder))}
	}
	var more []*hosts.Host
	for _, name := range paths {
		path := filepath.Join(f.folder, name)
		text, err := file.Read(path)
		if err != nil {
			return nil, usageError{err}
		}
		h, faults := hosts.Parse(display(path), text)
		if h == nil {
			first := faults[0]
			help := first.Help
			if help != "" {
				help = ": " + help
			}
			return nil, usageError{fmt.Errorf("%s: %s%s", first.Span.Pos, first.Message, help)}
		}
		more = append(more, h)
	}
	set = set.With(more)
	if err := set.Check(); err != nil {
		return nil, usageError{err}
	}
	return set, nil
}

// findings checks a list, for which a name of the server may be given.
func (h *hostChecker) findings(list hostcheck.List) []hostcheck.Finding {
	if h.server != "" {
		list.Server = h.server
	}
	return hostcheck.Check(h.set, h.held, list, h.options)
}

// list checks a list that is not that of a schema.
func (h *hostChecker) list(list hostcheck.List, label string) (all diag.List) {
	for _, f := range h.findings(list) {
		all = append(all, diag.Diagnostic{Code: f.Code, Severity: f.Severity, Span: diag.Span{Pos: diag.Pos{File: label}}, Message: f.Message,
			Path: f.Pointer, Help: f.Help})
	}
	return all
}

// schema loads a schema and returns the findings, and the entries of lint.ignore that match nothing.
func (h *hostChecker) schema(name string) (loader *schema.Loader, unused []int, found diag.List, err error) {
	loader = new(schema.Loader)
	doc, list, faults, err := loadPublished(loader, name)
	if doc == nil || err != nil {
		return loader, nil, faults, err
	}
	type cause struct { // one finding, however many schemas of the list have it
		code    diag.Code
		at      diag.Span
		message string
	}
	seen := make(map[cause]bool)
	var hosted diag.List
	for _, f := range h.findings(list) {
		span, path := hostcheck.Place(doc, f.Pointer)
		one := diag.Diagnostic{Code: f.Code, Severity: f.Severity, Span: span, Message: f.Message, Path: path, Help: f.Help}
		if c := (cause{f.Code, span, f.Message}); !seen[c] {
			seen[c] = true
			hosted = append(hosted, one)
		}
	}
	found, unused = lint.RunFor(doc, faults, hosted, h.asked)
	return loader, unused, found, nil
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
