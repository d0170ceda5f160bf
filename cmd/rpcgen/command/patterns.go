package command

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/file"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// schemaSuffix ends the names of the schemas that a pattern matches.
const schemaSuffix = ".rpc.yaml"

// patternHelp says in the help of commands what expanded does.
const patternHelp = "\n\nA folder stands for the schemas in it, *" + schemaSuffix + ", and ./... for those of the module in this folder and below, in the order of their imports."

// expanded returns names in which folders and patterns are replaced by schemas: FOLDER stands for those in it, and FOLDER/... for those below it as well, as
// packages do for the go command. They come in the order of their imports.
func expanded(names []string) (all []string, err error) {
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
			return nil, usageError{fmt.Errorf("%s matches no schema: the names of schemas end in %s; testdata, vendor, folders that begin with . or _, and those of other modules do not count", name, schemaSuffix)}
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
