package format

import (
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// Parse reads the YAML of a schema file as a document node, with its comments and empty lines where [Node] expects them. The
// YAML library's own notion of which comment belongs where is not used: it loses some.
func Parse(file string, text []byte) (*yaml.Node, diag.List) {
	if _, faults := syntax.Parse(file, text); faults.HasErrors() {
		return nil, faults
	}
	var document yaml.Node
	if err := decode(text, &document); err != nil {
		return nil, diag.List{{Code: diag.YAMLSyntax, Span: diag.Span{Pos: diag.Pos{File: file, Line: 1, Col: 1}, Len: 1}, Message: err.Error()}}
	}
	forget(&document)
	attach(&document, strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n"))
	return &document, nil
}

// decode reads YAML in which keys inside { } may end in ?.
func decode(text []byte, document *yaml.Node) error {
	err := yaml.Unmarshal(text, document)
	if err == nil {
		return nil
	}
	readable, restore := syntax.OptionalKeys(text)
	if readable == nil {
		return err
	}
	*document = yaml.Node{}
	if again := yaml.Unmarshal(readable, document); again != nil || !restore(document) {
		return err
	}
	return nil
}

func forget(n *yaml.Node) {
	n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	for _, child := range n.Content {
		forget(child)
	}
}

func isBlank(line string) bool { return strings.TrimSpace(line) == "" }
