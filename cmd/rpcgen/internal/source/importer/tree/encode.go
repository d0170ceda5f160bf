package tree

import (
	"bytes"
	"fmt"
	"io/fs"

	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
	"gopkg.in/yaml.v3"
)

// mostWritten is how many nodes are written at a time, or those of one entry of a section: the library keeps them until their end, in 12 KB and some
// 1,000 bytes for each, of which it makes 5 times as many when there are more than that.
const mostWritten = 250

// Encode writes a tree, some entries of a section at a time.
func Encode(root *yaml.Node) []byte {
	var out bytes.Buffer
	if root.Kind != yaml.MappingNode || root.Style&yaml.FlowStyle != 0 || len(root.Content) == 0 {
		encodeInto(&out, root)
	} else {
		Each(root, func(key, section *yaml.Node) { encodeSection(&out, key, section) })
	}
	return out.Bytes()
}

// encodeSection writes a key of a document with its value.
func encodeSection(out *bytes.Buffer, key, section *yaml.Node) {
	if section.Kind != yaml.MappingNode || section.Style&yaml.FlowStyle != 0 || len(section.Content) == 0 {
		encodeInto(out, pair(key, section))
		return
	}
	first := *section
	first.Content = section.Content[:2]
	encodeInto(out, pair(key, &first))
	for from, n, to := 2, 0, 2; from < len(section.Content); from, n = to, 0 {
		for ; to < len(section.Content) && n < mostWritten; to += 2 {
			n += nodesOf(section.Content[to+1])
		}
		var entry bytes.Buffer
		encodeInto(&entry, pair(Plain("section"), &yaml.Node{Kind: yaml.MappingNode, Content: section.Content[from:to]}))
		entry.ReadBytes('\n') // the name of the section
		out.Write(entry.Bytes())
	}
}

// nodesOf is how many nodes a tree has.
func nodesOf(n *yaml.Node) int {
	all := 1
	for _, inner := range n.Content {
		all += nodesOf(inner)
	}
	return all
}

func encodeInto(out *bytes.Buffer, n *yaml.Node) {
	e := yaml.NewEncoder(out)
	e.SetIndent(2)
	if err := e.Encode(n); err != nil {
		panic(fmt.Sprintf("importer: a tree of its own making cannot be written: %v", err))
	}
}

// pair is a mapping of one key.
func pair(key, value *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{key, value}}
}

// Read is the root of a schema file; nil if it has none, or cannot be read.
func Read(text []byte) *yaml.Node {
	var document yaml.Node
	if syntax.Decode(text, &document) != nil || len(document.Content) == 0 {
		return nil
	}
	return document.Content[0]
}

// Load compiles one text.
func Load(name string, text []byte) (*ir.Document, diag.List) {
	loader := schema.Loader{Read: func(path string) ([]byte, error) {
		if path == name {
			return text, nil
		}
		return nil, fs.ErrNotExist
	}}
	return loader.Load(name)
}
