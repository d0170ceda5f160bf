package format

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// anchor is an entry of a mapping or an element of a list: what comments are tied to.
type anchor struct {
	node  *yaml.Node // the key, or the element
	at    place
	col   int // of the key, or of the dash
	depth int // how many flow collections it stands in
	outer *anchor
}

// anchors lists the entries and elements of a tree, in the order of the text.
func anchors(n *yaml.Node, outer *anchor, depth int, found []*anchor) []*anchor {
	if n.Style&yaml.FlowStyle != 0 {
		depth++
	}
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			a := &anchor{key, place{key.Line, key.Column}, key.Column, depth, outer}
			found = anchors(n.Content[i+1], a, depth, append(found, a))
		}
	case yaml.SequenceNode:
		for _, item := range n.Content {
			a := &anchor{item, place{item.Line, item.Column}, n.Column, depth, outer}
			found = anchors(item, a, depth, append(found, a))
		}
	}
	return found
}

// attacher ties the comments of a text to the nodes.
type attacher struct {
	lines    []string
	document *yaml.Node
	anchors  []*anchor
	passed   int // how many of them stand before the last comment
	heads    map[*anchor][]remark
	feet     map[*anchor][]remark
	end      []remark
}

// attach moves the comments of a text, and its empty lines, to where [Node] expects them.
func attach(document *yaml.Node, lines []string) {
	root := document.Content[0]
	a := &attacher{lines: lines, document: document, anchors: anchors(root, nil, 0, nil), heads: map[*anchor][]remark{}, feet: map[*anchor][]remark{}}
	for _, r := range remarks(lines, root) {
		a.tie(r)
	}
	for i, anchor := range a.anchors {
		a.write(anchor, i == 0)
	}
	document.FootComment = a.group(a.end, 0)
}

func (a *attacher) tie(r remark) {
	last, next := a.around(r)
	switch owner := a.deepest(last, r.depth); {
	case !r.own && owner != nil && owner.node.LineComment == "":
		owner.node.LineComment = r.text
	case next != nil && r.depth <= next.depth && !(r.depth == 0 && r.col > next.col && a.level(last, next, r) != nil):
		a.heads[next] = append(a.heads[next], r)
	case r.depth > 0 && owner != nil:
		a.feet[owner] = append(a.feet[owner], r)
	default:
		a.attachTrailing(last, next, r)
	}
}

// around finds the last anchor before a comment and the first one after it. Comments come in the order of the text.
func (a *attacher) around(r remark) (last, next *anchor) {
	for a.passed < len(a.anchors) && a.anchors[a.passed].at.before(place{r.line, r.col}) {
		a.passed++
	}
	if a.passed > 0 {
		last = a.anchors[a.passed-1]
	}
	if a.passed < len(a.anchors) {
		next = a.anchors[a.passed]
	}
	return last, next
}

// deepest is the last anchor before a comment that stands in no more flow collections than it.
func (a *attacher) deepest(last *anchor, depth int) *anchor {
	for last != nil && last.depth > depth {
		last = last.outer
	}
	return last
}

// level finds the block that a trailing comment belongs to: the outermost that is deeper than what follows, as far as the comment is indented.
func (a *attacher) level(last, next *anchor, r remark) *anchor {
	floor := 1
	if next != nil {
		floor = next.col
	}
	for o := last; o != nil; o = o.outer {
		if o.depth == 0 && o.col <= r.col && o.col > floor {
			return o
		}
	}
	return nil
}

func (a *attacher) attachTrailing(last, next *anchor, r remark) {
	if o := a.level(last, next, r); o != nil {
		a.feet[o] = append(a.feet[o], r)
		return
	}
	a.end = append(a.end, r)
}

// write puts the comments of an anchor into its node. Above the first one of the file there is nothing to keep apart.
func (a *attacher) write(x *anchor, first bool) {
	head, top := a.heads[x], x.at.line
	x.node.HeadComment = a.group(head, x.at.line)
	if len(head) > 0 {
		top = head[0].line
	}
	if x.depth == 0 && !first && a.blank(top-1) && (len(head) > 0 || x.outer == nil || x.outer.at.line != x.at.line) {
		x.node.HeadComment = "\n" + x.node.HeadComment
	}
	feet := a.feet[x]
	x.node.FootComment = a.group(feet, 0)
	if len(feet) > 0 && a.blank(feet[0].line-1) {
		x.node.FootComment = "\n" + x.node.FootComment
	}
}

// group joins comments, with the empty lines between them, and one before the line that they are about.
func (a *attacher) group(all []remark, about int) string {
	var text strings.Builder
	for i, r := range all {
		if i > 0 {
			text.WriteByte('\n')
			if a.blank(r.line - 1) {
				text.WriteByte('\n')
			}
		}
		text.WriteString(r.text)
	}
	if len(all) > 0 && about > 0 && a.blank(about-1) {
		text.WriteByte('\n')
	}
	return text.String()
}

// blank reports whether a line is empty.
func (a *attacher) blank(number int) bool {
	return number >= 1 && number <= len(a.lines) && isBlank(a.lines[number-1])
}
