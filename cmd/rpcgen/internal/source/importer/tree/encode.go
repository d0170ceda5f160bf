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

// Encode writes a tree, 16 entries of a section at a time, or fewer that are long: the library keeps a text in memory until its end, in many times its
// size, and more times the longer it is, and 12 KB more.
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
	for left, n := section.Content[2:], 16; len(left) > 0; {
		entries, entry := left[:min(2*n, len(left))], bytes.Buffer{}
		encodeInto(&entry, pair(Plain("section"), &yaml.Node{Kind: yaml.MappingNode, Content: entries}))
		entry.ReadBytes('\n') // the name of the section
		out.Write(entry.Bytes())
		if left, n = left[len(entries):], min(2*n, 16); entry.Len() > 4<<10 {
			n = max(n/4, 1)
		}
	}
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
