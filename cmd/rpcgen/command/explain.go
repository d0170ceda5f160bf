package command

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/docs"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/lint"
	"github.com/rpcgen-go/rpcgen/schema/diag"
)

func newExplain() *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:   "explain CODE|TYPE",
		Short: "Explain a diagnostic, or the resolved form of a type",
		Long: `Explain a diagnostic, a rule of lint or a check of verify by its code, with an example of what causes it; without arguments, list all codes.

Given the name of a type, error, method, tool, resource or prompt, print its resolved form: with the fields of its bases, with
defaults and limits, and for a union how its branches are distinguished. The schema is the one in the current folder, or the one
that --schema names.`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var codes []string
			for _, info := range allCodes() {
				codes = append(codes, string(info.Code)+"\t"+info.Title)
			}
			return codes, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				for _, info := range allCodes() {
					fmt.Fprintf(c.OutOrStdout(), "%-20s %s\n", info.Code, info.Title)
				}
				return nil
			}
			if info, ok := lookup(args[0]); ok && file == "" {
				explainCode(c, info)
				return nil
			}
			return explainName(c, args[0], file)
		},
	}
	c.Flags().StringVar(&file, "schema", "", "the schema `file` that declares the type")
	return c
}

// checksOfServers are the checks of rpcgen verify, which a build with the tag bootstrap does not have.
var checksOfServers []diag.Info

// allCodes are the diagnostics of the compiler, the rules of lint, the limits of hosts and the checks of servers.
func allCodes() []diag.Info {
	all := diag.Codes()
	for _, r := range lint.Rules() {
		all = append(all, r.Info)
	}
	return append(append(all, lint.HostRules()...), checksOfServers...)
}

func lookup(code string) (diag.Info, bool) {
	all := allCodes()
	i := slices.IndexFunc(all, func(info diag.Info) bool { return string(info.Code) == code })
	if i < 0 {
		return diag.Info{}, false
	}
	return all[i], true
}

func explainCode(c *cobra.Command, info diag.Info) {
	fmt.Fprintf(c.OutOrStdout(), "%s: %s\n\n%s\n", info.Code, info.Title, info.Explanation)
	if info.Example != "" {
		example := strings.ReplaceAll(strings.TrimRight(info.Example, "\n"), "\n", "\n    ")
		fmt.Fprintf(c.OutOrStdout(), "\nThis causes it:\n\n    %s\n", example)
	}
}

// explainName prints the part of a schema that is called name.
func explainName(c *cobra.Command, name, file string) error {
	named := file != ""
	if !named {
		found, err := filepath.Glob("*.rpc.yaml")
		if err != nil {
			return err
		}
		if len(found) != 1 {
			return usageError{fmt.Errorf("%q is not a diagnostic code%s; to explain a type, name its file with --schema", name, suggestion(name, codes()))}
		}
		file = found[0]
	}
	doc, err := load(c, file)
	if err != nil {
		if !named {
			fmt.Fprintf(c.ErrOrStderr(), "rpcgen: %q is not a diagnostic code%s; to explain a type, correct %s first\n", name, suggestion(name, codes()), file)
		}
		return err
	}
	explained, known := docs.Explain(doc, name)
	if explained == nil {
		return usageError{fmt.Errorf("%s declares no %q%s", display(file), name, suggestion(name, append(known, codes()...)))}
	}
	_, err = c.OutOrStdout().Write(explained)
	return err
}

func codes() []string {
	var all []string
	for _, info := range allCodes() {
		all = append(all, string(info.Code))
	}
	return all
}

// suggestion offers the names that are close to one, or else those that share their last word with it: UnknownKey for Unkeyed.
func suggestion(name string, known []string) string {
	near := diag.DidYouMean(name, known)
	if near == "" {
		var alike []string
		for _, one := range known {
			last := lastWord.FindString(one)
			if len(last) < 3 || last == one || !strings.Contains(strings.ToLower(name), strings.ToLower(last)) {
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

var lastWord = regexp.MustCompile(`[A-Z][a-z]*$`)
