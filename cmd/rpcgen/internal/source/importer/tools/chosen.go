package tools

import (
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/diag"
)

// Options say what of a list is imported.
type Options struct {
	Only   Choice
	Listed string // the file that server.listed names; empty for none
}

// Choice are the names of the tools, resources, templates and prompts that are imported. Nil means all of them.
type Choice map[string]bool

// keeps reports whether an entry of a list is imported.
func (c Choice) keeps(one source.Cursor) bool {
	return c == nil || slices.ContainsFunc(namesOf(one), func(name string) bool { return c[name] })
}

// namesOf are the names by which an entry of a list can be chosen.
func namesOf(one source.Cursor) []string {
	return []string{one.TextOf("name"), one.TextOf("uri"), one.TextOf("uriTemplate")}
}

// Choose returns what is imported of a list of tools: entries with the names of only, and those that last has. A name that is not there is a fault.
func Choose(file string, root source.Cursor, only []string, last *source.Source) (Choice, error) {
	if only == nil || source.TextOnly {
		return nil, nil
	}
	place := diag.Pos{File: file, Line: root.Pos.Line, Col: root.Pos.Col}
	list, ok := source.ToolsOf(root)
	if !ok || root.Has("openrpc") {
		return nil, source.Faults{{Pos: place, Message: "--only chooses from a list of tools, and this is none"}}
	}
	if result, ok := root.Get("result"); ok {
		root = result
	}
	all := slices.Concat(list.Elements(), root.ElementsOf("resources"), root.ElementsOf("resourceTemplates"), root.ElementsOf("prompts"))
	var names []string
	for _, one := range all {
		names = append(names, namesOf(one)...)
	}
	chosen := Choice{}
	var faults source.Faults
	for _, name := range only {
		if name == "" || !slices.Contains(names, name) {
			f := &source.Fault{Pos: place, Message: "--only names " + source.Quote(name) + ", which the server does not list"}
			if near := diag.Closest(name, names); len(near) > 0 {
				f.Help = "it lists " + strings.Join(near, ", ")
			}
			faults = append(faults, f)
		}
		chosen[name] = true
	}
	if last != nil {
		before := tree.Read(last.Text) // what cannot be read is reported when it is compared
		for _, section := range []string{"tools", "resources", "prompts"} {
			for _, name := range tree.KeysOf(tree.Get(before, section)) {
				chosen[name] = true
			}
		}
	}
	return chosen, faults.Err()
}
