// Package command is the command rpcgen, which two programs are: rpcgen and rpcgen-go. Only they import it, and nothing of it is promised.
//
//test:full
//test:by ./cmd/rpcgen/command TestEvery|TestDescription|TestHostSnippets|TestInstallAsks|TestScripts/^(usage|generate|check|diagnostics|diff|explain|fmt|lint|second_name|server|typescript)$
//test:by ./docs TestCLI
package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// The exit codes.
const (
	exitFine     = 0
	exitFindings = 1
	exitUsage    = 2
	exitInternal = 3
)

// errFindings ends a run whose findings have been printed.
var errFindings = errors.New("findings")

// usageError is an error in the arguments.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// tune sets how much garbage may gather, now and after each collection: 4 times what is in use, less from a heap of 144 MB on, and 40 MB and 0.2 times
// that at least. The process is short and mostly small: collecting would take a quarter of its time.
func tune(unused *[32]byte) {
	var used runtime.MemStats
	runtime.ReadMemStats(&used)
	percent := 100 * 144 << 20 / (used.HeapAlloc + 1)
	debug.SetGCPercent(int(min(max(percent, 120+100*40<<20/(used.HeapAlloc+1)), 500)) - 100)
	runtime.SetFinalizer(unused, tune)
}

// Run runs the command with the arguments of the program, and returns its exit code. Usage texts and messages have the name that the program was called by.
func Run() int {
	debug.SetGCPercent(400) // until the first collection
	runtime.SetFinalizer(new([32]byte), tune)
	root := newRoot(calledBy(os.Args))
	root.SetOut(text.Writer{Writer: os.Stdout})
	root.SetErr(text.Writer{Writer: os.Stderr})
	err := root.Execute()
	switch {
	case err == nil:
		return exitFine
	case errors.Is(err, errFindings):
		return exitFindings
	case errors.As(err, new(usageError)):
		fmt.Fprintf(root.ErrOrStderr(), "%s: %v\nRun '%[1]s --help' for usage.\n", root.Name(), err)
		return exitUsage
	}
	fmt.Fprintf(root.ErrOrStderr(), "%s: %v\n", root.Name(), err)
	return exitInternal
}

// calledBy returns the name by which a program was called, given its arguments: rpcgen if they do not say.
func calledBy(args []string) string {
	if len(args) == 0 || args[0] == "" {
		return ordinaryName
	}
	return strings.TrimSuffix(filepath.Base(args[0]), ".exe")
}

// content is the writer for the bytes of a file that is written to the standard output: unchanged. Everything else that is
// printed is for people, and invisible characters in it are escaped.
func content(c *cobra.Command) io.Writer {
	if shown, ok := c.OutOrStdout().(text.Writer); ok {
		return shown.Unwrap()
	}
	return c.OutOrStdout()
}

// ordinaryName is the name of the command in the texts of this package.
const ordinaryName = "rpcgen"

// newRoot returns the command, whose help has the name by which the program was called.
func newRoot(name string) *cobra.Command {
	root := &cobra.Command{
		Use:           name,
		Short:         "Compile schemas of JSON-RPC methods and MCP tools into typed Go and TypeScript",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SuggestionsMinimumDistance = 2 // letters
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
			var known []string
			c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
			err = fmt.Errorf("%w%s", err, suggestion("--"+unknown.GetSpecifiedName(), known))
		}
		return usageError{err}
	})
	root.AddCommand(append(otherCommands(), newGenerate(), newVersion())...)
	show := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		long, examples := helpOf(c.Name())
		c.Long, c.Example = renameCommands(cmp.Or(long, c.Long), root), renameCommands(cmp.Or(examples, c.Example), root)
		show(c, args)
	})
	for _, c := range append(root.Commands(), root) {
		if args := c.Args; args != nil {
			c.Args = func(c *cobra.Command, a []string) error {
				if err := args(c, a); err != nil {
					first := strings.Join(a[:min(len(a), 1)], "")
					return usageError{fmt.Errorf("%w%s", err, suggestion(first, c.SuggestionsFor(first)))}
				}
				return nil
			}
		}
	}
	return root
}

// suggestion offers the names that are close to one, or else those that share their last word with it: UnknownKey for Unkeyed.
func suggestion(name string, known []string) string {
	near := diag.DidYouMean(name, known)
	if near == "" {
		var alike []string
		for _, one := range known {
			last := lastWord().FindString(one)
			begun := len(name) > 3 && strings.HasPrefix(one, name)
			if !begun && (len(last) < 3 || last == one || !strings.Contains(strings.ToLower(name), strings.ToLower(last))) {
				continue
			}
			at := len(alike)
			if strings.HasPrefix(one, name[:2]) { // which are the closer ones
				at = 0
			}
			alike = slices.Insert(alike, at, strconv.Quote(one))
		}
		if alike != nil {
			near = "did you mean " + strings.Join(alike[:min(3, len(alike))], " or ") + "?"
		}
	}
	if near == "" {
		return ""
	}
	return " (" + near + ")"
}

var lastWord = text.Pattern(`[A-Z][a-z]*$`)

// renameCommands returns a text of help in which the commands that it names have the name of root.
func renameCommands(help string, root *cobra.Command) string {
	for _, c := range root.Commands() {
		help = strings.ReplaceAll(help, ordinaryName+" "+c.Name(), root.Name()+" "+c.Name())
	}
	return help
}
