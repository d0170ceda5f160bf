package docs

import (
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// block is a paragraph, or a list of lines.
type block struct {
	List  bool
	Lines []words
}

// blocks reads an author's description: paragraphs are apart by blank lines, lines that begin with a dash are a list, and
// code is between backticks. All else is text.
func blocks(doc string) []block {
	var all []block
	fresh := true
	for line := range strings.Lines(doc) {
		line = strings.TrimSpace(line)
		if line == "" {
			fresh = true
			continue
		}
		item, list := strings.CutPrefix(line, "- ")
		if last := len(all) - 1; fresh || all[last].List != list && list {
			all = append(all, block{List: list, Lines: []words{spans(item)}})
		} else if list {
			all[last].Lines = append(all[last].Lines, spans(item))
		} else { // the line goes on
			end := len(all[last].Lines) - 1
			all[last].Lines[end] = append(append(all[last].Lines[end], word{Text: " "}), spans(line)...)
		}
		fresh = false
	}
	return all
}

// blockLines writes the lines of blocks, those of lists after a mark.
func blockLines(all []block, mark string, write func(words) string) []string {
	var lines []string
	for _, b := range all {
		for _, one := range b.Lines {
			line := write(one)
			if b.List {
				line = mark + line
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// spans finds the code in a line.
func spans(line string) words {
	var all words
	parts := strings.Split(line, "`")
	for i, part := range parts {
		isCode := i%2 == 1
		if isCode && i == len(parts)-1 { // a backtick alone
			part, isCode = "`"+part, false
		}
		if part != "" {
			all = append(all, word{Text: part, Code: isCode})
		}
	}
	return all
}

// deprecation says what is known of it in a line; nil when there is none.
func deprecation(d *ir.Deprecated) words {
	if d == nil {
		return nil
	}
	all := plain("Deprecated")
	for _, part := range []struct{ before, text string }{{" since ", d.Since}, {", to be removed in ", d.Remove}} {
		if part.text != "" {
			all = append(all, word{Text: part.before + part.text})
		}
	}
	if d.Reason != "" {
		all = append(append(all, word{Text: ": "}), spans(strings.TrimSuffix(d.Reason, "."))...)
	}
	if d.Use != "" {
		all = append(all, word{Text: ". Use "}, word{Text: d.Use, Code: true})
	}
	return append(all, word{Text: "."})
}
