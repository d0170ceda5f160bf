package typescript

import (
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// commentWidth is where comments are wrapped.
const commentWidth = 76

// comment writes what there is to say as a block comment with a line break after it; nothing if there is nothing.
func comment(lines []string) doc {
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	switch len(lines) {
	case 0:
		return concat{}
	case 1:
		return concat{"/** " + lines[0] + " */", hardline{}}
	}
	all := concat{"/**", hardline{}}
	for _, one := range lines {
		all = append(all, strings.TrimRight(" * "+one, " "), hardline{})
	}
	return append(all, " */", hardline{})
}

// commentLines are the lines of a comment: the author's words, or others, what else is to be known, and whether it is deprecated.
func commentLines(meta *ir.Meta, otherwise string, more ...string) []string {
	lines := wrapWords(meta.Words(otherwise))
	for _, one := range more {
		if one != "" {
			lines = append(text.EndParagraph(lines), wrapWords(one)...)
		}
	}
	if meta != nil && meta.Deprecated != nil {
		lines = append(text.EndParagraph(lines), deprecationLines(meta.Deprecated)...)
	}
	return lines
}

func deprecationLines(d *ir.Deprecated) []string {
	lines := wrapWords(d.Sentences())
	if len(lines) == 0 {
		return []string{"@deprecated"}
	}
	lines[0] = "@deprecated " + lines[0]
	return lines
}

// wrapWords breaks text into lines. Paragraphs, lists and what is indented or fenced stay as they are.
func wrapWords(words string) []string {
	var lines []string
	now, fenced := "", false
	flush := func() {
		if now != "" {
			lines = append(lines, text.ScriptComment(now))
		}
		now = ""
	}
	for source := range strings.SplitSeq(strings.TrimSpace(words), "\n") {
		source = strings.TrimRight(source, " \t\r")
		fence := strings.HasPrefix(strings.TrimSpace(source), "```")
		if fence {
			fenced = !fenced
		}
		if fenced || fence || source == "" || source != strings.TrimLeft(source, " \t") || strings.HasPrefix(source, "- ") || strings.HasPrefix(source, "* ") {
			flush()
			lines = append(lines, text.ScriptComment(source))
			continue
		}
		for word := range strings.FieldsSeq(source) {
			if now != "" && columns(now)+1+columns(word) > commentWidth {
				flush()
			}
			if now != "" {
				now += " "
			}
			now += word
		}
	}
	flush()
	if len(lines) == 1 && lines[0] == "" {
		return nil
	}
	return lines
}
