//go:build !bootstrap

package command

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/docs"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/lint"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/verify"
	"github.com/rpcgen-go/rpcgen/schema/diag"
)

func newExplain() *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:   "explain CODE|TYPE",
		Short: "Explain a diagnostic, or the resolved form of a type",
		Args:  cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return ir.Each(allCodes(), func(info diag.Info) string { return string(info.Code) + "\t" + info.Title }), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			all := allCodes()
			if len(args) == 0 {
				for _, info := range all {
					fmt.Fprintf(c.OutOrStdout(), "%-20s %s\n", info.Code, info.Title)
				}
				return nil
			}
			if i := slices.IndexFunc(all, func(info diag.Info) bool { return string(info.Code) == args[0] }); i >= 0 && file == "" {
				explainCode(c, all[i])
				return nil
			}
			return explainName(c, args[0], file)
		},
	}
	c.Flags().StringVar(&file, "schema", "", "the schema `file` that declares the type")
	return c
}

// allCodes are the diagnostics of the compiler, the rules of lint, the limits of hosts and the checks of servers.
func allCodes() []diag.Info {
	rules := ir.Each(lint.Rules(), func(r lint.Rule) diag.Info { return r.Info })
	return slices.Concat(diag.Codes(), rules, lint.HostRules(), verify.Infos())
}

func explainCode(c *cobra.Command, info diag.Info) {
	fmt.Fprintf(c.OutOrStdout(), "%s: %s\n\n%s\n", info.Code, info.Title, info.Explanation)
	if info.Example != "" {
		fmt.Fprintf(c.OutOrStdout(), "\nThis causes it:\n\n    %s\n", strings.ReplaceAll(strings.TrimRight(info.Example, "\n"), "\n", "\n    "))
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
	return ir.Each(allCodes(), func(info diag.Info) string { return string(info.Code) })
}
