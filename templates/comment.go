package templates

import (
	"strings"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// width is where generated comments are wrapped.
const width = 100

// adder is a group or a file.
type adder interface {
	Comment(string) *jen.Statement
}

// say writes text as a comment, wrapped; an empty line parts its paragraphs.
func say(g adder, text string) {
	for _, line := range commentLines(text) {
		g.Comment(line)
	}
}

// commentLines wraps text.
func commentLines(text string) []string {
	var lines []string
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, wrap(paragraph)...)
	}
	return lines
}

// wrap breaks a paragraph into lines. Lines that are indented or start a list item stay lines of their own.
func wrap(paragraph string) []string {
	var lines []string
	line := ""
	flush := func() {
		if line != "" {
			lines = append(lines, line)
		}
		line = ""
	}
	for source := range strings.SplitSeq(paragraph, "\n") {
		if source != strings.TrimLeft(source, " \t") || strings.HasPrefix(source, "- ") || strings.HasPrefix(source, "* ") {
			flush()
			lines = append(lines, strings.TrimRight(source, " \t\r"))
			continue
		}
		for w := range strings.FieldsSeq(source) {
			if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(w) > width {
				flush()
			}
			if line != "" {
				line += " "
			}
			line += w
		}
	}
	flush()
	return lines
}

// document writes the comment of an exported identifier: its name, what it is, what the author says of it, and whether it is
// deprecated.
func document(g adder, name, what string, meta *ir.Meta) {
	text := what
	if meta != nil {
		switch doc := strings.TrimSpace(meta.Doc); {
		case doc != "":
			text = "- " + doc
		case meta.Title != "":
			text = "- " + meta.Title
		}
	}
	say(g, name+" "+text)
	if meta != nil {
		deprecation(g, meta.Deprecated)
	}
}

// annotate writes the author's words about a field, if there are any.
func annotate(g adder, meta *ir.Meta) {
	if doc := strings.TrimSpace(meta.Doc); doc != "" {
		say(g, doc)
		deprecation(g, meta.Deprecated)
	} else if text := deprecationText(meta.Deprecated); text != "" {
		say(g, "Deprecated: "+text)
	}
}

// deprecation writes the paragraph that tools look for.
func deprecation(g adder, d *ir.Deprecated) {
	if text := deprecationText(d); text != "" {
		g.Comment("")
		say(g, "Deprecated: "+text)
	}
}

func deprecationText(d *ir.Deprecated) string {
	if d == nil {
		return ""
	}
	var parts []string
	add := func(before, text string) {
		if text != "" {
			parts = append(parts, strings.TrimSuffix(before+text, ".")+".")
		}
	}
	add("", d.Reason)
	add("Use ", d.Use)
	add("Since ", d.Since)
	add("To be removed in ", d.Remove)
	if len(parts) == 0 {
		return "the schema says so."
	}
	return strings.Join(parts, " ")
}
