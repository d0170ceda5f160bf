package format

import (
	"bytes"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
)

// Source returns the canonical form of the text of a schema file. Text that is not YAML of a schema comes back as diagnostics,
// which name file; faults that the checker would find are not a hindrance.
func Source(file string, text []byte) ([]byte, diag.List) {
	document, faults := Parse(file, text)
	if faults.HasErrors() {
		return nil, faults
	}
	if root := document.Content[0]; root.Kind != yaml.MappingNode {
		at := diag.Span{Pos: diag.Pos{File: file, Line: root.Line, Col: 1}, Len: 1}
		return nil, diag.List{{Code: diag.WrongKind, Span: at, Message: "a schema must be a mapping", Help: "begin with rpcgen: v1"}}
	}
	return Node(document), nil
}

// Node writes a document in its canonical form. The document may come from [Parse], from the YAML library, or be made: a scalar
// with the tag !!str is text and gets the quotes that it needs; one with another tag, or none, stands as it is.
//
// Comments may stand on keys, values and list elements; each line begins with #. A head comment may begin with an empty line and end with one: these are kept,
// as is an empty line between its groups. A head comment that is nothing but "\n" asks for an empty line above.
func Node(document *yaml.Node) []byte {
	root := document
	head, foot := document.HeadComment, ""
	if document.Kind == yaml.DocumentNode {
		foot = document.FootComment
		root = &yaml.Node{Kind: yaml.MappingNode}
		if len(document.Content) > 0 {
			root = document.Content[0]
			head = joinTexts(document.HeadComment, root.HeadComment)
		}
	}
	p := &printer{}
	p.comment(0, linesOf(head))
	p.root(build(root, grammar.Document()))
	p.comment(0, linesOf(joinTexts(root.FootComment, foot)))
	return append(bytes.Trim(p.out.Bytes(), "\n"), '\n')
}
