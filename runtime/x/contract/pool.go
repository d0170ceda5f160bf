package contract

import (
	"slices"
	"strings"

	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// pool keeps values that the server has returned, by the names of their members, the newest first.
type pool map[string][]string

// keptValues is how many values of a name are kept.
const keptValues = 20

// add keeps the parts of a result.
func (p pool) add(v *jsontree.Value) {
	n := 0
	v.Walk(nil, func(path []jsontree.Step, part *jsontree.Value) bool {
		n++
		if len(path) == 0 || part.Kind == jsontree.Array || part.Kind == jsontree.Object || part.Kind == jsontree.Null {
			return n < 2000
		}
		name := ""
		for _, step := range slices.Backward(path) {
			if step.Index < 0 {
				name = step.Name
				break
			}
		}
		if json := part.JSON(); name != "" && len(json) < 200 && !slices.Contains(p[plainName(name)], json) {
			all := append([]string{json}, p[plainName(name)]...)
			p[plainName(name)] = all[:min(len(all), keptValues)]
		}
		return true
	})
}

// whatIsThere are the names of the files that are there, and the working folder, as JSON.
func whatIsThere(o Options, conn Conn) (all []string) {
	p, ok := conn.(*Process)
	ok = ok && p.Folder != nil
	if ok {
		all = append(all, jsontree.NewText(ownFolder).JSON())
	}
	for _, file := range o.Files {
		if all = append(all, jsontree.NewText(file).JSON()); ok {
			all = append(all, jsontree.NewText(ownFolder+file).JSON())
		}
	}
	return all
}

// What says that an argument is a path: its name, its description, or a refusal.
var (
	pathName    = text.Pattern(`(?i:^|[_-])(?i:path|file|filename|filepath|dir|directory|folder|root|cwd)s?$|[a-z](?:Path|File|FileName|Dir|Directory|Folder|Root)s?$`)
	pathWords   = text.Pattern(`(?i)\b(absolute|relative|full|file|directory|folder) path|\bpaths? (to|of) |\bthe (file|directory|folder) to `)
	pathRefused = text.Pattern(`(?i)absolute path|no such file|ENOENT|ENOTDIR|EISDIR|not a git repository|(file|directory|folder|path|repository)\b.{0,80}(not found|not exist|outside|not allowed|denied|invalid)|outside .{0,40}(director|folder|path)`)
	removes     = text.Pattern(`(?i)delete|remove|move|rename|(^|_)rm`)
)

// paths are those of files that are there, for an argument that is a path. What removes the working folder would remove what other calls need.
func (t *tool) paths(files []string, name string) []string {
	switch {
	case !pathName().MatchString(name) && !t.pathlike[name]:
		return nil
	case len(files) > 0 && files[0] == `"`+ownFolder+`"` && removes().MatchString(t.name):
		return files[1:]
	}
	return files
}

// findPaths finds the arguments whose description says that they are paths.
func (t *tool) findPaths() {
	t.pathlike = map[string]bool{}
	t.schema().Walk(nil, func(path []jsontree.Step, part *jsontree.Value) bool {
		if n := len(path); n > 1 && path[n-2].Name == "properties" && pathWords().MatchString(part.In("description").Str()) {
			t.pathlike[path[n-1].Name] = true
		}
		return true
	})
}

// plainName is a name without its case, its separators and the plural.
func plainName(name string) string {
	name = strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "").Replace(name))
	return strings.TrimSuffix(name, "s")
}

// candidates are the values that an argument may take.
func (p pool) candidates(name string) []string {
	name = plainName(name)
	found := append(slices.Clone(p[name]), p["next"+name]...)
	if strings.HasSuffix(name, "id") && name != "id" {
		found = append(found, p["id"]...)
	}
	if name == "id" {
		for other, all := range p {
			if strings.HasSuffix(other, "id") && other != "id" && len(other) < 20 {
				found = append(found, all...)
			}
		}
		slices.Sort(found[len(p["id"]):]) // a map has no order
	}
	return found
}
