package format

import (
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// Parse reads the YAML of a schema file as a document node, with its comments and empty lines where [Node] expects them. The
// YAML library's own notion of which comment belongs where is not used: it loses some.
func Parse(file string, text []byte) (*yaml.Node, diag.List) {
	if _, faults := syntax.Parse(file, text); faults.HasErrors() {
		return nil, faults
	}
	var document yaml.Node
	if err := syntax.Decode(text, &document); err != nil {
		return nil, diag.List{{Code: diag.YAMLSyntax, Span: diag.Span{Pos: diag.Pos{File: file, Line: 1, Col: 1}, Len: 1}, Message: err.Error()}}
	}
	forget(&document)
	lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	keepEnds(&document, lines)
	attach(&document, lines)
	return &document, nil
}

// keepEnds marks the block scalars that keep the line breaks at their ends as quoted too: the YAML library does not tell them from others.
func keepEnds(n *yaml.Node, lines []string) {
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 && n.Line > 0 && n.Line <= len(lines) {
		if line := []rune(lines[n.Line-1]); n.Column > 0 && n.Column <= len(line) && keptBlock().MatchString(string(line[n.Column-1:])) {
			n.Style |= yaml.DoubleQuotedStyle
		}
	}
	for _, child := range n.Content {
		keepEnds(child, lines)
	}
}

// keptBlock is the header of a block scalar that keeps the line breaks at its end.
var keptBlock = text.Pattern(`^[|>][1-9]?\+`)

func forget(n *yaml.Node) {
	n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	for _, child := range n.Content {
		forget(child)
	}
}

func isBlank(line string) bool { return strings.TrimSpace(line) == "" }
