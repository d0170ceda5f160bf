// Package verify holds the command rpcgen verify, which checks whether a server keeps what it publishes, by package contract.
//
//test:sequential
package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/internal/remote"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/openrpc"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/verify/report"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/verify/settings"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// ErrFindings says that there are findings that count. They were printed.
var ErrFindings = errors.New("the server does not keep what it publishes")

// Load compiles a schema.
type Load func(c *cobra.Command, file string) (*ir.Document, error)

// Limits returns what compares {"tools": [...]} with the limits of the named hosts. An error is one of the names.
type Limits func(hosts []string) (func(list []byte) []contract.Limit, error)

// flags are those of the command.
type flags struct {
	remote.Flags
	o                      contract.Options
	seed, profile          string
	jsonrpc                bool
	sandbox                string
	env                    []string
	yes                    bool
	config                 string
	baseline, replay       string
	writeBaseline          bool
	format                 string
	jsonFile, junit, sarif string
	failOn                 string
	hosts                  []string

	command *cobra.Command
	file    string       // a schema, or an OpenRPC document
	doc     *ir.Document // of file
	version string
}

// Command returns the command of the given version.
func Command(version string, load Load, limits Limits) *cobra.Command {
	f := flags{version: version}
	c := &cobra.Command{
		Use:   "verify URL | verify FILE URL | verify [FILE] -- COMMAND [ARG...]",
		Short: "Check whether a server keeps what it publishes",
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.take(c, args, load, limits); err != nil {
				return err
			}
			return f.Run(c, func(ctx context.Context, t remote.Terminal) error { return f.verify(ctx, t) })
		},
	}
	f.AddTo(c, version)
	f.add(c)
	return c
}

func (f *flags) add(c *cobra.Command) {
	s := c.Flags()
	s.StringVar(&f.seed, "seed", "1", "of random values: the same number gives the same calls; random chooses one")
	s.DurationVar(&f.o.Time, "time", time.Minute, "how long new calls are tried; what was found may be confirmed after that")
	s.IntVar(&f.o.Calls, "calls", 200, "how often each tool is called at most")
	s.DurationVar(&f.o.Timeout, "timeout", 10*time.Second, "how long a call may take before it counts as unanswered")
	s.DurationVar(&f.o.MaxTime, "max-time", 0, "report calls that take longer; by default none")
	s.Float64Var(&f.o.Rate, "rate", 0, "calls a second; by default 20 for a URL that is not of this machine, and else as many as the server answers")
	s.StringVar(&f.profile, "profile", "calm", "of values: calm; ascii; hard, with controls, long texts and extreme numbers")
	s.BoolVar(&f.o.Formats, "formats", false, "take `format` in schemas as a rule rather than an annotation")
	s.StringSliceVar(&f.o.Include, "include", nil, "the `TOOLS` to call, with * for any letters; by default all")
	s.StringSliceVar(&f.o.Exclude, "exclude", nil, "the `TOOLS` not to call")
	s.StringSliceVar(&f.o.Checks, "checks", nil, "the `CHECKS` to run; by default all")
	s.StringSliceVar(&f.o.Skip, "skip", nil, "the `CHECKS` not to run")
	s.BoolVar(&f.o.Writes, "allow-writes", false, "call tools that do not say that they only read, unless they may destroy something")
	s.BoolVar(&f.o.Destructive, "allow-destructive", false, "with --allow-writes: call all tools")
	s.StringVar(&f.sandbox, "sandbox", "", "run the command in new temporary folders, with the files of `DIR` if one is given, and call all tools")
	s.Lookup("sandbox").NoOptDefVal = noFiles
	s.StringSliceVar(&f.env, "env", nil, "with --sandbox: the `NAMES` of variables that the command gets")
	s.BoolVar(&f.yes, "yes", false, "do not ask before writing tools of a server that is not of this machine are called")
	s.StringVar(&f.config, "config", "", "read the settings of this `FILE`; by default of verify.yaml, if it is there")
	s.StringVar(&f.baseline, "baseline", "", "leave out the findings that this `FILE` lists; by default verify.baseline.yaml, if it is there")
	s.BoolVar(&f.writeBaseline, "write-baseline", false, "write all findings into the baseline")
	s.StringVar(&f.replay, "replay", "", "look again for findings of the runs before: `all`, or an id")
	s.StringVar(&f.format, "format", "text", "what to print: text, json or github")
	s.StringVar(&f.jsonFile, "json", "", "write a report as JSON to this `FILE`")
	s.StringVar(&f.junit, "junit", "", "write a report for JUnit to this `FILE`")
	s.StringVar(&f.sarif, "sarif", "", "write a report as SARIF 2.1.0 to this `FILE`")
	s.StringSliceVar(&f.hosts, "host", nil, "the `HOSTS` whose limits of lists of tools hold for the check ListLimit, such as cursor or usual, as for lint; by default a few that most have")
	s.StringVar(&f.failOn, "fail-on", "warning", "exit with 1 at findings that are at least this: error, warning or note")
	s.BoolVar(&f.jsonrpc, "jsonrpc", false, "ask a JSON-RPC server for its methods by rpc.discover; the URL may be tcp://HOST:PORT")
}

// noFiles is the value of --sandbox without a folder. The help shows it.
const noFiles = "-"

// take reads the arguments, the configuration and FILE.
func (f *flags) take(c *cobra.Command, args []string, load Load, limits Limits) error {
	f.command = c
	var set settings.Config
	file := f.config
	if _, err := os.Stat(settings.Default); file == "" && err == nil {
		file = settings.Default
	}
	if file != "" {
		var err error
		if set, err = settings.Read(file); err != nil {
			return &remote.UsageError{Err: err}
		}
	}
	if len(args) == 0 && c.ArgsLenAtDash() < 0 && len(set.Server) > 0 {
		if len(set.Server) == 1 && strings.Contains(set.Server[0], "://") {
			args = set.Server
		} else {
			f.Command = set.Server
		}
	}
	if f.Command == nil {
		rest, err := f.Take(c, args)
		if err != nil {
			return err
		}
		if f.Command == nil && len(rest) == 1 && !strings.Contains(f.URL, "://") {
			f.URL, rest = rest[0], []string{f.URL}
		}
		if len(rest) > 1 || len(rest) == 1 && f.Command == nil && !strings.Contains(f.URL, "://") {
			return remote.Usage("unexpected argument %q", rest[len(rest)-1])
		}
		if len(rest) == 1 {
			f.file = rest[0]
		}
	}
	if err := f.settle(c, set); err != nil {
		return err
	}
	if len(f.hosts) > 0 {
		var err error
		if f.o.Limits, err = limits(f.hosts); err != nil {
			return remote.Usage("--host: %w", err)
		}
	}
	return f.read(c, load)
}

// settle brings flags and configuration together, and refuses what does not fit.
func (f *flags) settle(c *cobra.Command, set settings.Config) error {
	configure(&f.o, &set, c)
	if set.Sandbox && f.sandbox == "" && len(f.Command) > 0 {
		f.sandbox = noFiles
	}
	switch seed, err := strconv.ParseUint(f.seed, 10, 64); {
	case f.seed == "random":
		f.o.Seed = rand.Uint64N(1_000_000) + 1
	case err != nil || seed == 0:
		return remote.Usage("--seed is a number above 0, or random, not %q", f.seed)
	default:
		f.o.Seed = seed
	}
	switch f.profile {
	case "calm":
	case "ascii", "hard":
		f.o.Profile = values.Profile(f.profile)
	default:
		return remote.Usage("--profile is calm, ascii or hard, not %q", f.profile)
	}
	if contract.Severity(f.failOn).Rank() == 0 {
		return remote.Usage("--fail-on is error, warning or note, not %q", f.failOn)
	}
	if !slices.Contains([]string{"text", "json", "github"}, f.format) {
		return remote.Usage("--format is text, json or github, not %q", f.format)
	}
	for _, name := range append(slices.Clone(f.o.Checks), f.o.Skip...) {
		if !slices.Contains(contract.Names(), name) {
			return remote.Usage("there is no check %q; those that are there: %s", name, strings.Join(contract.Names(), ", "))
		}
	}
	switch {
	case f.sandbox != "" && len(f.Command) == 0:
		return remote.Usage("--sandbox is for commands: what a server at a URL does cannot be kept in")
	case len(f.env) > 0 && f.sandbox == "":
		return remote.Usage("--env is for --sandbox: without it the command gets all variables")
	case f.o.Time <= 0 || f.o.Calls <= 0 || f.o.Timeout <= 0:
		return remote.Usage("--time, --calls and --timeout are above 0")
	}
	if f.sandbox != "" {
		f.o.Writes, f.o.Destructive = true, true
	}
	if f.URL != "" && f.o.Rate == 0 && !local(f.URL) {
		f.o.Rate = 20
	}
	return nil
}

// configure adds a configuration to options. Flags that were given win.
func configure(o *contract.Options, set *settings.Config, command *cobra.Command) {
	if !command.Flags().Changed("include") {
		o.Include = set.Include
	}
	if !command.Flags().Changed("exclude") {
		o.Exclude = set.Exclude
	}
	o.Severities = map[string]contract.Severity{}
	for name, s := range set.Checks {
		switch {
		case s.Word == "off":
			o.Skip = append(o.Skip, name)
		case s.Word != "":
			o.Severities[name] = contract.Severity(s.Word)
		case s.Max > 0 && o.MaxTime == 0:
			o.MaxTime = s.Max
		}
	}
	slices.Sort(o.Skip)
	o.Values, o.Arguments = set.Values(), set.Arguments()
}

// local reports whether a URL is of this machine.
func local(address string) bool {
	u, err := url.Parse(address)
	return err == nil && slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, u.Hostname())
}

// read reads FILE.
func (f *flags) read(c *cobra.Command, load Load) (err error) {
	f.o.Discover = f.jsonrpc
	if f.file == "" {
		return nil
	}
	if _, f.o.Methods, f.doc, err = Describe(c, load, f.file); err != nil || f.doc == nil {
		return err
	}
	for _, s := range f.doc.State {
		f.o.Families = append(f.o.Families, contract.Family{Noun: s.Type.Name, Key: s.Key, Create: s.Create, Read: s.Read, List: s.List, Delete: s.Delete})
	}
	return nil
}

// Describe reads a FILE that describes a server: a schema, or an OpenRPC document, whose text is returned. There are no methods if it is the schema of an
// MCP server.
func Describe(c *cobra.Command, load Load, file string) (openRPC []byte, methods []contract.Method, doc *ir.Document, err error) {
	if strings.EqualFold(filepath.Ext(file), ".json") {
		if openRPC, err = os.ReadFile(file); err != nil {
			return nil, nil, nil, &remote.UsageError{Err: err}
		}
		if methods, _, err = contract.OpenRPC(openRPC); err != nil {
			err = remote.Usage("%s: %w", file, err)
		}
		return openRPC, methods, nil, err
	}
	if doc, err = load(c, file); err != nil || len(doc.Tools) > 0 || len(doc.Resources) > 0 {
		return nil, nil, doc, err
	}
	methods, err = methodsOf(doc)
	return nil, methods, doc, err
}

// methodsOf returns the methods of a schema. Their params and results are of the draft 2020-12, which says more than that of OpenRPC.
func methodsOf(doc *ir.Document) ([]contract.Method, error) {
	text, _, err := openrpc.Export(doc)
	if err != nil {
		return nil, err
	}
	methods, _, err := contract.OpenRPC(text)
	if err != nil {
		return nil, err
	}
	for i := range methods {
		for _, m := range doc.Methods {
			if m.Name != methods[i].Name {
				continue
			}
			if m.Params != nil && !ir.IsArray(ir.Underlying(m.Params)) {
				if methods[i].Params, err = jsonschema.ExportType(doc, m.Params, jsonschema.Options{}); err != nil {
					return nil, err
				}
			}
			if m.Result != nil {
				if methods[i].Result, err = jsonschema.ExportType(doc, m.Result, jsonschema.Options{}); err != nil {
					return nil, err
				}
			}
		}
	}
	return methods, nil
}

// verify checks the server and prints what was found.
func (f *flags) verify(ctx context.Context, t remote.Terminal) error {
	if err := f.ask(t); err != nil {
		return err
	}
	conn, clean, err := f.conn(t)
	defer clean()
	if err != nil {
		return err
	}
	f.o.Shell = f.shell()
	if f.file != "" && len(f.o.Methods) > 0 {
		f.o.Shell = text.ShellWord(f.file) + " " + f.o.Shell
	}
	f.o.Replay = f.repeatLine()
	f.o.OnCall = progress(t)
	store := storeOf(f.o.Shell)
	var again []contract.Finding
	if f.replay != "" {
		if again, err = store.choose(f.replay); err != nil {
			return &remote.UsageError{Err: err}
		}
		checks := ir.Each(again, func(f contract.Finding) string { return f.Check })
		f.o.Checks, f.o.Known = slices.Compact(slices.Sorted(slices.Values(checks))), again
		if f.replay != "all" {
			f.o.Finding = f.replay
		}
	}
	r, err := contract.Run(ctx, conn, contract.With(f.o))
	clean() // before what is printed: a reader that has closed the output ends this process
	if f.o.OnCall != nil {
		fmt.Fprint(t.Err, "\r\x1b[K")
	}
	if err != nil {
		return f.explainLack(err)
	}
	if f.replay != "" {
		return store.compare(t.Out, again, r)
	}
	if err := store.write(r.Findings); err != nil {
		fmt.Fprintln(t.Err, "the findings are not kept for --replay:", err)
	}
	if err := f.tell(t, r); err != nil || ctx.Err() == nil {
		return err
	}
	return errors.New("it was stopped before the end: nothing that counts was found until then")
}

// ask asks before tools that write are called at a server that is not of this machine.
func (f *flags) ask(t remote.Terminal) error {
	if !f.o.Writes || f.URL == "" || local(f.URL) || f.yes {
		return nil
	}
	if !t.Interactive {
		return remote.Usage("%s is not of this machine: add --yes if its writing tools may be called", f.URL)
	}
	fmt.Fprintf(t.Err, "Call the writing tools of %s? They change what is there. [y/N] ", f.URL)
	var answer string
	if _, err := fmt.Fscanln(t.In, &answer); err != nil || !strings.HasPrefix(strings.ToLower(answer), "y") {
		return remote.Usage("nothing was called")
	}
	return nil
}

// progress prints a line that is rewritten, at a terminal; nil elsewhere.
func progress(t remote.Terminal) func(int, string) {
	out, ok := t.Err.(interface{ Unwrap() io.Writer })
	if !ok {
		return nil
	}
	file, ok := out.Unwrap().(*os.File)
	if !ok || !remote.Interactive(file) {
		return nil
	}
	return func(calls int, tool string) { fmt.Fprintf(file, "\r\x1b[K%d calls, %.60s", calls, tool) }
}

// tell prints the report and writes its files.
func (f *flags) tell(t remote.Terminal, r *contract.Report) error {
	if err := f.applyBaseline(r); err != nil {
		return err
	}
	o := report.Options{Fails: contract.Severity(f.failOn), Version: f.version}
	if f.doc != nil {
		o.Place = f.place
	}
	if err := errors.Join(
		remote.WriteFile(f.jsonFile, func(w io.Writer) error { return report.JSON(w, r) }),
		remote.WriteFile(f.junit, func(w io.Writer) error { return report.JUnit(w, r, o) }),
		remote.WriteFile(f.sarif, func(w io.Writer) error { return report.SARIF(w, r, o) }),
	); err != nil {
		return err
	}
	var err error
	switch f.format {
	case "json":
		err = report.JSON(t.Out, r)
	case "github":
		err = report.GitHub(t.Out, r, o)
	default:
		Text(t.Out, r)
	}
	if err != nil {
		return err
	}
	if r.Worst().Rank() >= contract.Severity(f.failOn).Rank() {
		return ErrFindings
	}
	if r.Calls == 0 && len(r.Tools) > 0 && !slices.ContainsFunc(r.Tools, func(t contract.Tool) bool { return t.Skipped == "" }) {
		return errors.New("no tool was called: see --sandbox, --allow-writes and --include")
	}
	return nil
}

// defaultBaseline is read if it is there.
const defaultBaseline = "verify.baseline.yaml"

func (f *flags) applyBaseline(r *contract.Report) error {
	file := cmp.Or(f.baseline, defaultBaseline)
	if f.writeBaseline {
		if err := report.WriteBaseline(file, r); err != nil {
			return err
		}
	}
	b, err := report.ReadBaseline(file)
	if errors.Is(err, os.ErrNotExist) && f.baseline == "" {
		return nil
	}
	if err != nil {
		return &remote.UsageError{Err: err}
	}
	if known := b.Apply(r); len(known) > 0 {
		r.Summary = append(r.Summary, fmt.Sprintf("findings in the baseline %s: %d", file, len(known)))
	}
	return nil
}

// place is where the schema declares a tool or a method.
func (f *flags) place(tool string) diag.Span {
	for _, t := range f.doc.Tools {
		if t.Name == tool {
			return diag.Span{Pos: t.Pos}
		}
	}
	for _, m := range f.doc.Methods {
		if m.Name == tool {
			return diag.Span{Pos: m.Pos}
		}
	}
	return diag.Span{}
}

// Infos describes the checks, for rpcgen explain.
func Infos() (all []diag.Info) {
	for _, c := range contract.Checks() {
		advice := c.Why + " " + c.Advice
		for _, keyword := range slices.Sorted(maps.Keys(c.Special)) {
			advice += "\nIf the finding says " + strconv.Quote(keyword) + ": " + c.Special[keyword]
		}
		all = append(all, diag.Info{Code: diag.Code(c.Name), Title: c.What, Explanation: advice, Example: c.Example})
	}
	return all
}
