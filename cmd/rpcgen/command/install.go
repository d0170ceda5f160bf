//go:build !bootstrap

package command

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/schema/ir"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/internal/remote"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/install"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// probeResult is what a server answered when it was asked for its tools.
type probeResult struct {
	tools int
	took  time.Duration
	login bool // it requires a login before it answers
}

// prober starts a server in a folder with further variables, or connects to it, and asks for its tools.
type prober func(ctx context.Context, s *install.Server, folder string, env []string) (probeResult, error)

// installFlags are the flags of install.
type installFlags struct {
	name    string
	url     string
	headers []string
	env     []string
	project bool
	dryRun  bool
	yes     bool
	undo    bool
	remove  string

	probe    prober
	terminal bool // a person can be asked
	in       *bufio.Reader
	values   map[string]string
}

func newInstall(probe prober, terminal func() bool) *cobra.Command {
	var flags installFlags
	c := &cobra.Command{
		Use:   "install HOST -- COMMAND [ARG...] | install HOST --url URL | install HOST --undo",
		Short: "Put an MCP server into the configuration of a host",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return strings.Split(hostNames(), ", "), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			args, command, err := remote.SplitAtDash(c, args)
			if err != nil {
				return err
			}
			if len(args) != 1 {
				return usageError{fmt.Errorf("name a host: one of %s", hostNames())}
			}
			h, err := install.Find(args[0])
			if err != nil {
				return usageError{err}
			}
			flags.probe, flags.terminal, flags.values, flags.in = probe, terminal(), map[string]string{}, bufio.NewReader(c.InOrStdin())
			return flags.run(c, h, command)
		},
	}
	f := c.Flags()
	f.StringVar(&flags.name, "name", "", "the name of the entry (default: that of the program)")
	f.StringVar(&flags.url, "url", "", "the `URL` of a server, in place of a command")
	f.StringArrayVarP(&flags.headers, "header", "H", nil, "a `Name: value` to send with requests for the URL; may be repeated")
	f.StringArrayVar(&flags.env, "env", nil, "the `NAME` of a variable that the program gets; may be repeated")
	f.BoolVar(&flags.project, "project", false, "write the file of the project in the current folder, in place of the user's")
	f.BoolVar(&flags.dryRun, "dry-run", false, "print what would change, and write nothing")
	f.BoolVarP(&flags.yes, "yes", "y", false, "do not ask")
	f.BoolVar(&flags.undo, "undo", false, "take the last change back")
	f.StringVar(&flags.remove, "remove", "", "take the entry of this `name` out of the configuration")
	return c
}

// hostNames lists the hosts.
func hostNames() string {
	all, err := install.Hosts()
	if err != nil {
		return err.Error()
	}
	return strings.Join(ir.Each(all, func(h *install.Host) string { return h.Name }), ", ")
}

func (f *installFlags) run(c *cobra.Command, h *install.Host, command []string) error {
	sys, err := thisSystem()
	if err != nil {
		return err
	}
	adding := len(command) > 0 || f.url != ""
	switch {
	case f.undo && (adding || f.remove != "" || f.dryRun), f.remove != "" && adding:
		return usageError{errors.New("--undo and --remove take no server, and --undo no other flag but --project")}
	case f.undo:
		unlock, err := sys.Lock()
		if err != nil {
			return err
		}
		defer unlock()
		said, err := h.Undo(sys, f.project)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(c.OutOrStdout(), said)
		return err
	case f.remove != "":
		_, err := f.change(c, sys, func() (*install.Plan, error) { return h.Drop(f.remove, sys, f.project) })
		return err
	}
	s, err := f.server(c, command)
	if err != nil {
		return err
	}
	done, err := f.change(c, sys, func() (*install.Plan, error) {
		return h.Add(s, sys, f.project, func(name string) (string, error) { return f.value(c, name) })
	})
	if err != nil || !done {
		return err
	}
	return f.tell(c, h, s)
}

// thisSystem returns the machine that the command runs on.
func thisSystem() (*install.System, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	folder, err := os.Getwd()
	return &install.System{OS: runtime.GOOS, Home: home, Folder: folder, Getenv: os.Getenv, LookPath: exec.LookPath}, err
}

var (
	entryName    = text.Pattern(`^[A-Za-z0-9_-]+$`)
	variableName = text.Pattern(`^[A-Za-z_][A-Za-z0-9_]*$`)
	notInNames   = text.Pattern(`[^A-Za-z0-9_-]+`)
)

// server returns the server that the arguments name.
func (f *installFlags) server(c *cobra.Command, command []string) (*install.Server, error) {
	s := &install.Server{Name: f.name, Variables: f.env, URL: f.url}
	switch {
	case len(command) > 0 && f.url != "":
		return nil, usageError{errors.New("name a command or --url, not both")}
	case len(command) == 0 && f.url == "":
		return nil, usageError{errors.New("name the server: -- and its command, or --url and its URL")}
	case f.url == "" && f.headers != nil:
		return nil, usageError{errors.New("--header is for a server at a URL")}
	case f.url != "" && f.env != nil:
		return nil, usageError{errors.New("--env is for a program; a header refers to a variable as ${NAME}")}
	case f.url != "" && f.name == "":
		return nil, usageError{errors.New("give --name, the name of the entry for the URL")}
	}
	for _, name := range f.env {
		if !variableName().MatchString(name) {
			return nil, usageError{fmt.Errorf("--env takes the name of a variable, not %q: its value is not given on the command line, where other users can read it", beforeEquals(name))}
		}
	}
	if f.url != "" {
		if u, err := url.Parse(f.url); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return nil, usageError{fmt.Errorf("--url is a URL that begins with https:// or http://, not %q", f.url)}
		}
		if err := f.takeHeaders(c, s); err != nil {
			return nil, err
		}
	} else if err := f.program(c, s, command); err != nil {
		return nil, err
	}
	if !entryName().MatchString(s.Name) {
		return nil, usageError{fmt.Errorf("%q is not a name that all hosts take: use letters, digits, - and _", s.Name)}
	}
	return s, nil
}

// beforeEquals returns a text without what may be a secret.
func beforeEquals(s string) string {
	name, _, found := strings.Cut(s, "=")
	if found {
		return name + "=..."
	}
	return s
}

func (f *installFlags) takeHeaders(c *cobra.Command, s *install.Server) error {
	for _, line := range f.headers {
		name, value, ok := strings.Cut(line, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return usageError{fmt.Errorf("the header %q is not of the form Name: value", beforeEquals(line))}
		}
		h := install.Header{Name: strings.TrimSpace(name), Value: strings.TrimSpace(value)}
		if strings.EqualFold(h.Name, "Authorization") && !strings.Contains(h.Value, "${") {
			fmt.Fprintln(c.ErrOrStderr(), "The value of Authorization stands in the file as it was given. Write ${NAME} in it to refer to a variable of the environment.")
		}
		s.Headers = append(s.Headers, h)
	}
	return nil
}

// program finds the program of a command. Hosts start it in other folders, and with another PATH.
func (f *installFlags) program(c *cobra.Command, s *install.Server, command []string) error {
	name := strings.TrimSuffix(filepath.Base(command[0]), ".exe")
	if name == "go" && len(command) > 1 && (command[1] == "run" || command[1] == "tool") {
		return usageError{fmt.Errorf("go %s compiles before the server starts, and hosts wait for 10 seconds only: build the program with go build, and install that", command[1])}
	}
	path, err := exec.LookPath(command[0])
	if err != nil {
		return usageError{fmt.Errorf("the program %s cannot be started: %w", command[0], err)}
	}
	if s.Program, err = filepath.Abs(path); err != nil {
		return err
	}
	s.Arguments = slices.Clone(command[1:])
	for _, a := range s.Arguments {
		if _, err := os.Stat(a); err == nil && !filepath.IsAbs(a) {
			fmt.Fprintf(c.ErrOrStderr(), "The argument %s names a file in the current folder, which hosts do not start programs in: give its absolute path.\n", a)
		}
	}
	s.Name = cmp.Or(s.Name, strings.Trim(notInNames().ReplaceAllString(name, "-"), "-"))
	return nil
}

// value returns the value of a variable, which the person at the terminal is asked for if the environment does not have it.
func (f *installFlags) value(c *cobra.Command, name string) (string, error) {
	if v, ok := f.values[name]; ok {
		return v, nil
	}
	v := os.Getenv(name)
	if v == "" && f.dryRun {
		v = "..."
	}
	if v == "" && f.terminal {
		fmt.Fprintf(c.ErrOrStderr(), "Value of %s: ", name)
		line, err := f.in.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
		v = strings.TrimRight(line, "\r\n")
	}
	if v == "" {
		return "", fmt.Errorf("the host cannot refer to the variable %s, so its value is written: set it in the environment of this command", name)
	}
	f.values[name] = v
	return v, nil
}

// change makes a plan, shows it, asks, and makes the change. It reports whether the configuration is as planned. With --yes, no other install runs meanwhile;
// a file that has changed during the question is left as it is.
func (f *installFlags) change(c *cobra.Command, sys *install.System, plan func() (*install.Plan, error)) (done bool, err error) {
	unlock := func() {}
	defer func() { unlock() }()
	if f.yes && !f.dryRun {
		if unlock, err = lockConfigurations(sys); err != nil {
			return false, err
		}
	}
	p, err := plan()
	if err != nil {
		return false, err
	}
	name := shownPath(sys, p.File)
	show(c.OutOrStdout(), p, name)
	switch {
	case p.File == "" && p.Command == nil: // it was printed
		return false, nil
	case p.Nothing():
		fmt.Fprintf(c.OutOrStdout(), "%s has this entry already.\n", name)
		return true, nil
	case f.dryRun:
		fmt.Fprintln(c.OutOrStdout(), "Nothing is written."+backupNote(p))
		return false, nil
	case !f.yes && !f.terminal:
		return false, usageError{errors.New("nothing is written without a terminal to ask at: add --yes")}
	case !f.yes && !f.confirmed(c):
		fmt.Fprintln(c.OutOrStdout(), "Nothing is written.")
		return false, nil
	case !f.yes:
		if unlock, err = lockConfigurations(sys); err != nil {
			return false, err
		}
	}
	copied := p.Copy()
	if err := p.Apply(sys); err != nil {
		return false, err
	}
	if copied != "" {
		fmt.Fprintf(c.OutOrStdout(), "The old file is kept as %s.\n", filepath.Base(copied))
	}
	return true, nil
}

// lockConfigurations locks the configurations of a machine. The result is never nil.
func lockConfigurations(sys *install.System) (unlock func(), err error) {
	if unlock, err = sys.Lock(); err != nil {
		return func() {}, err
	}
	return unlock, nil
}

// backupNote says what is kept of the old file.
func backupNote(p *install.Plan) string {
	if name := p.Copy(); name != "" {
		return " Without --dry-run, the old file is kept as " + filepath.Base(name) + "."
	}
	return ""
}

// shownPath returns a path as it is shown: below the home folder, with ~ in place of that.
func shownPath(sys *install.System, path string) string {
	if below, err := filepath.Rel(sys.Home, path); err == nil && filepath.IsLocal(below) && path != "" {
		if here, err := filepath.Rel(sys.Folder, path); err != nil || !filepath.IsLocal(here) {
			return filepath.ToSlash(filepath.Join("~", below))
		}
	}
	return display(path)
}

// show prints what a plan changes. Values of variables are not shown.
func show(w io.Writer, p *install.Plan, name string) {
	if p.Fallback != "" {
		fmt.Fprintf(w, "%s.\n", p.Fallback)
	}
	switch {
	case p.Command != nil:
		fmt.Fprintf(w, "%s keeps its servers itself, by this command:\n  %s\n", p.Host.Title, strings.Join(p.Command, " "))
	case p.File == "":
		fmt.Fprint(w, p.Hide(p.Text))
	default:
		d := diff.Diff(name, []byte(p.Hide(string(p.Old))), name, []byte(p.Hide(string(p.New))))
		_, body, _ := strings.Cut(string(d), "\n@@")
		if body != "" {
			body = "@@" + body
		}
		fmt.Fprintf(w, "%s\n%s", name, body)
	}
}

func (f *installFlags) confirmed(c *cobra.Command) bool {
	fmt.Fprint(c.ErrOrStderr(), "Change it? [y/N] ")
	line, err := f.in.ReadString('\n')
	answer := strings.ToLower(strings.TrimSpace(line))
	return (err == nil || errors.Is(err, io.EOF)) && (answer == "y" || answer == "yes")
}

// tell starts the server as the host does, and says what is left to do. A server that does not start is an error; its entry stays.
func (f *installFlags) tell(c *cobra.Command, h *install.Host, s *install.Server) error {
	ctx, stop := remote.UntilStopped(c.Context())
	defer stop()
	folder := filepath.VolumeName(s.Program) + string(filepath.Separator) // hosts choose any folder
	if f.project {
		folder = ""
	}
	var env []string
	for name, value := range f.values {
		env = append(env, name+"="+value)
	}
	found, err := f.probe(ctx, s, folder, env)
	if err != nil {
		fmt.Fprintf(c.ErrOrStderr(), "The entry is there, but the server does not answer as %s would ask it: %v\nTake the entry out again with: %s %s --undo\n", h.Title, err, c.CommandPath(), h.Name)
		return errFindings
	}
	if found.login {
		fmt.Fprintf(c.OutOrStdout(), "%s asks for a login, which %s does itself.\n", s.Name, h.Title)
	} else {
		fmt.Fprintf(c.OutOrStdout(), "%s answers: %d tools in %d ms.\n", s.Name, found.tools, found.took.Milliseconds())
	}
	if h.Reload != "" {
		fmt.Fprintf(c.OutOrStdout(), "So that %s sees it: %s.\n", h.Title, h.Reload)
	}
	return nil
}
