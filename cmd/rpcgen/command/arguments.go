package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/schema/file"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
	"github.com/rpcgen-go/rpcgen/templates"
)

// schemas checks that a command names a schema at least. The error has one that is near.
func schemas(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return nil
	}
	return fmt.Errorf("name a schema: %s %s", c.CommandPath(), nearbySchema())
}

// nearbySchema returns a schema in the current folder, or in the folder rpc, where init puts it, or else a name to replace.
func nearbySchema() string {
	for _, pattern := range []string{"*" + schemaSuffix, "rpc/*" + schemaSuffix} {
		found, _ := filepath.Glob(pattern) // the patterns are well-formed
		slices.Sort(found)
		if len(found) > 0 {
			return display(found[0])
		}
	}
	return "FILE" + schemaSuffix
}

// versions checks the arguments of diff. Most often the version in git is compared with the one in the file.
func versions(c *cobra.Command, args []string) error {
	switch len(args) {
	case 2:
		return nil
	case 0, 1:
		name := nearbySchema()
		if len(args) == 1 && !strings.HasPrefix(args[0], "git:") {
			name = args[0]
		}
		return fmt.Errorf("name two versions, such as the last commit and the file: %s git:HEAD:%s %[2]s", c.CommandPath(), name)
	}
	return errors.New("name two versions, OLD and NEW, and no more")
}

// schemaSuffix ends the names of the schemas that a pattern matches.
const schemaSuffix = ".rpc.yaml"

// patternHelp says in the help of commands what expanded does.
const patternHelp = "\n\nA folder stands for the schemas in it, *" + schemaSuffix +
	", and ./... for those of the module in this folder and below, in the order of their imports."

// expandNames returns names in which folders and patterns are replaced by schemas: FOLDER stands for those in it, and FOLDER/... for those below it as well, as
// packages do for the go command. They come in the order of their imports.
func expandNames(names []string) (all []string, err error) {
	for _, name := range names {
		folder, below := strings.CutSuffix(filepath.ToSlash(name), "...")
		if below = below && (folder == "" || strings.HasSuffix(folder, "/")); !below {
			folder = name
		}
		if info, err := os.Stat(path.Clean(folder)); !below && (err != nil || !info.IsDir()) {
			all = append(all, name)
			continue
		}
		found, err := schemasIn(path.Clean(filepath.ToSlash(folder)), below)
		if err != nil {
			return nil, usageError{err}
		}
		if len(found) == 0 {
			return nil, usageError{fmt.Errorf("%s matches no schema: the names of schemas end in %s; testdata, vendor, folders that begin with . or _, and "+
				"those of other modules do not count", name, schemaSuffix)}
		}
		for _, one := range byImports(found) {
			if !slices.Contains(all, one) {
				all = append(all, one)
			}
		}
	}
	return all, nil
}

// schemasIn lists the schemas in a folder, and in those below it of the same module.
func schemasIn(folder string, below bool) (found []string, err error) {
	err = filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !e.IsDir():
			if strings.HasSuffix(name, schemaSuffix) {
				found = append(found, filepath.ToSlash(name))
			}
		case name == folder:
		case !below || slices.Contains([]string{"testdata", "vendor"}, e.Name()) || strings.ContainsAny(e.Name()[:1], "._"):
			return fs.SkipDir
		default:
			if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil {
				return fs.SkipDir
			}
		}
		return nil
	})
	return found, err
}

// byImports sorts schemas: each comes after those that it imports.
func byImports(found []string) (all []string) {
	seen := make(map[string]bool)
	var visit func(name string)
	visit = func(name string) {
		if seen[name] || !slices.Contains(found, name) {
			return
		}
		seen[name] = true
		text, _ := file.Read(name) // what cannot be read is reported where it is loaded
		if root, _ := syntax.Parse(name, text); root != nil {
			if imports := root.Get("import"); imports != nil {
				for _, e := range imports.Entries {
					visit(path.Join(path.Dir(name), e.Value.Text))
				}
			}
		}
		all = append(all, name)
	}
	for _, name := range found {
		visit(name)
	}
	return all
}

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
