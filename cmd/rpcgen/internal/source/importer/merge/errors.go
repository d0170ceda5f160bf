package merge

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
)

// shareErrors gives errors of tools without names those of the errors in the file that say the same, whatever people call them: one form has one name.
func shareErrors(document, fresh *yaml.Node) {
	names := map[string]string{} // by form
	declared := func(errors *yaml.Node) {
		tree.Each(errors, func(name, e *yaml.Node) {
			if is := saysOf(e); is != "" && names[is] == "" {
				names[is] = name.Value
			}
		})
	}
	tools := tree.Get(document, "tools")
	declared(tree.Get(document, "errors"))
	tree.Each(tools, func(_, tool *yaml.Node) { declared(tree.Get(tool, "errors")) })
	renamed := map[string]string{}
	added := func(visit func(errors *yaml.Node)) {
		tree.Each(tree.Get(fresh, "tools"), func(name, tool *yaml.Node) {
			if errors := tree.Get(tool, "errors"); errors != nil && tree.Get(tools, name.Value) == nil {
				visit(errors)
			}
		})
	}
	added(func(errors *yaml.Node) {
		tree.Each(errors, func(name, e *yaml.Node) {
			if known := names[saysOf(e)]; known != "" {
				renamed[name.Value] = known
				*e = *tree.Plain("")
			}
		})
	})
	added(func(errors *yaml.Node) {
		for i, n := range errors.Content {
			if known := renamed[n.Value]; known != "" && (errors.Kind == yaml.SequenceNode || i%2 == 0) {
				n.Value = known
			}
		}
		whole := false // an error is declared here
		tree.Each(errors, func(_, e *yaml.Node) { whole = whole || !tree.IsEmpty(e) })
		if errors.Kind == yaml.MappingNode && !whole {
			*errors = *tree.Texts(tree.KeysOf(errors))
		}
	})
}

// adoptErrors moves the errors of tools that are gone to the first tools that name them.
func adoptErrors(was, is *yaml.Node) {
	tree.Each(tree.Get(was, "tools"), func(name, gone *yaml.Node) {
		if tree.Get(tree.Get(is, "tools"), name.Value) != nil {
			return
		}
		tree.Each(tree.Get(gone, "errors"), func(name, e *yaml.Node) {
			moved := tree.IsEmpty(e)
			tree.Each(tree.Get(is, "tools"), func(_, tool *yaml.Node) {
				errors := tree.Get(tool, "errors")
				if errors == nil || moved {
					return
				}
				if errors.Kind == yaml.SequenceNode && slices.Contains(tree.Words(errors), name.Value) {
					errors.Kind, errors.Tag, errors.Style, errors.Content = yaml.MappingNode, "", 0, fileKeys(errors.Content)
				}
				if tree.Get(errors, name.Value) != nil {
					tree.Set(errors, name.Value, tree.Clone(e))
					moved = true
				}
			})
		})
	})
}

// saysOf is what an error says: its status, its message and its data. It is empty for one that is declared elsewhere.
func saysOf(e *yaml.Node) string {
	if e.Kind != yaml.MappingNode || tree.Get(e, "http") == nil || tree.Get(e, "data") == nil {
		return ""
	}
	var b strings.Builder
	var write func(n *yaml.Node)
	write = func(n *yaml.Node) {
		if n == nil {
			return
		}
		b.WriteString("(" + n.Value)
		for _, child := range n.Content {
			write(child)
		}
		b.WriteByte(')')
	}
	for _, key := range []string{"http", "message", "data"} {
		write(tree.Get(e, key))
	}
	return b.String()
}
