package command

import (
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/schema/file"
	"github.com/rpcgen-go/rpcgen/templates"
)

// modulePath is the path of this module.
func modulePath() string {
	return strings.TrimSuffix(reflect.TypeFor[templates.File]().PkgPath(), "/templates")
}

// enclosingModule returns the path, the folder and the go.mod of the module that folder lies in.
func enclosingModule(folder string) (module, dir, mod string) {
	for dir = folder; ; dir = filepath.Dir(dir) {
		if text, err := file.Read(filepath.Join(dir, "go.mod")); err == nil {
			return moduleLine(text), dir, string(text)
		}
		if dir == filepath.Dir(dir) {
			return "", "", ""
		}
	}
}

func moduleLine(mod []byte) string {
	for line := range strings.SplitSeq(string(mod), "\n") {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
			return strings.Trim(strings.TrimSpace(rest), `"`)
		}
	}
	return ""
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		Run: func(c *cobra.Command, _ []string) {
			fmt.Fprintf(c.OutOrStdout(), "%s %s (%s %s/%s)\n", c.Root().Name(), version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		},
	}
}

// version is the version of this module that the program was built from; (devel) when it was built from a checkout.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	for _, dep := range info.Deps {
		if dep.Path == modulePath() {
			return dep.Version
		}
	}
	if info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
