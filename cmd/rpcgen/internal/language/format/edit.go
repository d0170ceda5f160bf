package format

import (
	"slices"

	"gopkg.in/yaml.v3"
)

// Remove takes elements out of the list at a path of keys, with their comments. A list or mapping that is left empty goes as well. A path that
// leads to no list changes nothing.
func Remove(document *yaml.Node, elements []int, path ...string) {
	if document.Kind == yaml.DocumentNode && len(document.Content) > 0 {
		remove(document.Content[0], elements, path)
	}
}

func remove(n *yaml.Node, elements []int, path []string) {
	if len(path) == 0 {
		if n.Kind == yaml.SequenceNode {
			n.Content = without(n.Content, elements)
		}
		return
	}
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if value := n.Content[i+1]; n.Content[i].Value == path[0] {
			remove(value, elements, path[1:])
			if value.Kind != yaml.ScalarNode && len(value.Content) == 0 {
				n.Content = slices.Delete(n.Content, i, i+2)
			}
			return
		}
	}
}

func without(nodes []*yaml.Node, elements []int) []*yaml.Node {
	var kept []*yaml.Node
	for i, n := range nodes {
		if !slices.Contains(elements, i) {
			kept = append(kept, n)
		}
	}
	return kept
}
