package lsp

import (
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/grammar"
)

// step leads from a value to one in it: by a key of a mapping, or to an element of a list.
type step struct {
	key  string
	item bool
}

// cursor is a word of a schema, which may be empty, and where it stands. It is found in any text, because an author asks most
// about texts that are not YAML yet.
type cursor struct {
	line     int // counted from 0
	from, to int // the bytes of the word on the line
	word     string
	path     []step // to the value that the word is in
	key      bool   // it may be a key of the mapping at path
	value    bool   // it may be the value at path, or a part of it
}

// cursor finds the word that at, a byte of a line, is in or next to.
func (d *document) cursor(line, at int) cursor {
	text := d.line(line)
	from, to := at, at
	for from > 0 && isWord(text[from-1]) {
		from--
	}
	for to < len(text) && isWord(text[to]) {
		to++
	}
	o := outline{}
	for _, l := range d.lines[:line] {
		o.line(strings.TrimRight(l, "\r\n"))
	}
	c := cursor{line: line, from: from, to: to, word: text[from:to]}
	o.last(text[:from], &c)
	rest := strings.TrimLeft(text[to:], "?\"'")
	if strings.HasPrefix(rest, ":") && (len(rest) == 1 || rest[1] == ' ') {
		c.value = false // a key is there
	}
	return c
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80 || strings.IndexByte("_.$/-", c) >= 0
}

// place is what the grammar says of the value at path.
func (c cursor) place() *grammar.Place {
	p := grammar.Document()
	for _, s := range c.path {
		switch {
		case !s.item && (len(p.Keys) > 0 || p.Each != nil):
			p = p.Value(s.key)
		case s.item && p.Items != nil:
			p = p.Items
		default:
			p = grammar.Data()
		}
	}
	return p
}

// outline follows the keys and brackets of a text, line by line. It knows as much of YAML as that takes.
type outline struct {
	blocks []block
	flow   []bracket
	quote  byte                          // that is open within brackets; 0 if none
	found  func(path []step, key string) // called with each key, if it is not nil
	text   int                           // the indentation of the key of a block of text, plus one; 0 if there is none
}

// block is an entry or an element that is written on lines of its own.
type block struct {
	step
	indent int
	filled bool // its value begins on its line
}

// bracket is { or [ that is open.
type bracket struct {
	open byte
	key  string // of {: the key before the value
	in   bool   // of {: a value is being read
	word []byte // what stands there since the last comma, bracket or colon
}

// line reads a whole line.
func (o *outline) line(text string) {
	content := strings.TrimLeft(text, " ")
	indent := len(text) - len(content)
	switch {
	case len(o.flow) > 0:
		o.brackets(text)
		return
	case content == "" || content[0] == '#':
		return
	case o.text > 0 && indent >= o.text:
		return
	}
	o.text = 0
	o.entries(content, indent)
}

// entries reads the dashes, the key and the value of a line.
func (o *outline) entries(content string, indent int) {
	content, indent = o.dashes(content, indent)
	key, value, ok := cutKey(content)
	if !ok {
		o.scalar(content, indent)
		return
	}
	o.leave(indent, false)
	value = strings.TrimLeft(value, " ")
	o.find(key)
	o.blocks = append(o.blocks, block{step{key: key}, indent, value != "" && value[0] != '#'})
	o.scalar(value, indent)
}

// dashes enters the elements that a line begins.
func (o *outline) dashes(content string, indent int) (rest string, column int) {
	for content == "-" || strings.HasPrefix(content, "- ") {
		o.leave(indent, true)
		o.blocks = append(o.blocks, block{step{item: true}, indent, false})
		rest := strings.TrimLeft(content[1:], " ")
		indent += len(content) - len(rest)
		content = rest
	}
	return content, indent
}

// leave ends the blocks that do not reach a line with an entry at indent. A list may be indented like its key.
func (o *outline) leave(indent int, item bool) {
	for n := len(o.blocks); n > 0; n-- {
		last := o.blocks[n-1]
		if last.indent < indent || item && last.indent == indent && !last.item {
			break
		}
		o.blocks = o.blocks[:n-1]
	}
}

// scalar reads the beginning of a value.
func (o *outline) scalar(value string, indent int) {
	switch {
	case value == "":
	case value[0] == '|' || value[0] == '>':
		o.text = indent + 1
	case value[0] == '{' || value[0] == '[':
		o.brackets(value)
	}
}

// cutKey cuts the key off a line. A quoted key keeps no quotes.
func cutKey(content string) (key, value string, ok bool) {
	end := 0
	if content != "" && (content[0] == '"' || content[0] == '\'') {
		end = strings.IndexByte(content[1:], content[0]) + 2
		if end < 2 || !strings.HasPrefix(content[end:], ":") {
			return "", "", false
		}
		return content[1 : end-1], content[end+1:], true
	}
	if content != "" && (content[0] == '{' || content[0] == '[') {
		return "", "", false
	}
	for ; end < len(content); end++ {
		switch {
		case content[end] == ':' && (end+1 == len(content) || content[end+1] == ' '):
			return content[:end], content[end+1:], true
		case content[end] == '#' && end > 0 && content[end-1] == ' ':
			return "", "", false
		}
	}
	return "", "", false
}

// brackets reads a line, or the rest of one, within brackets.
func (o *outline) brackets(text string) {
	for i := 0; i < len(text); i++ {
		if text[i] == '#' && o.quote == 0 && (i == 0 || text[i-1] == ' ') {
			return
		}
		if text[i] == '\\' && o.quote == '"' {
			i++
			continue
		}
		o.bracket(text[i], i+1 == len(text) || text[i+1] == ' ')
		if len(o.flow) == 0 {
			return
		}
	}
}

// bracket reads one character within brackets, or the first bracket. Spaced: a space follows, or the end of the line.
func (o *outline) bracket(c byte, spaced bool) {
	if o.quote != 0 {
		if c == o.quote {
			o.quote = 0
		} else {
			o.add(c)
		}
		return
	}
	switch {
	case c == '{' || c == '[':
		o.flow = append(o.flow, bracket{open: c})
	case c == '}' || c == ']':
		o.flow = o.flow[:len(o.flow)-1]
	case c == ',':
		top := &o.flow[len(o.flow)-1]
		*top = bracket{open: top.open}
	case c == ':' && spaced:
		top := &o.flow[len(o.flow)-1]
		key := strings.TrimSpace(string(top.word))
		if top.open == '{' && !top.in {
			o.find(key)
		}
		top.key, top.in, top.word = key, top.open == '{', nil
	case c == '"' || c == '\'':
		o.quote = c
	default:
		o.add(c)
	}
}

func (o *outline) add(c byte) {
	top := &o.flow[len(o.flow)-1]
	top.word = append(top.word, c)
}

// last reads the line of a cursor as far as the word, and says where that is.
func (o *outline) last(before string, c *cursor) {
	content := strings.TrimLeft(before, " ")
	indent := len(before) - len(content)
	switch {
	case len(o.flow) > 0:
		o.brackets(before)
	case o.text > 0 && indent >= o.text:
		return
	case strings.HasPrefix(content, "#") || strings.Contains(content, " #"):
		return
	default:
		o.text = 0
		content, indent = o.dashes(content, indent)
		if _, _, ok := cutKey(content); ok {
			o.entries(content, indent)
			break
		}
		o.leave(indent, false)
		c.key, c.value = o.fresh(content)
		o.scalar(content, indent)
	}
	if o.text > 0 {
		return
	}
	o.end(c)
}

// fresh reports whether what follows content, which holds no key, may be a key or a value: at the beginning of a line both, unless the
// value of the key above goes on there.
func (o *outline) fresh(content string) (key, value bool) {
	if strings.Trim(content, "\"'") != "" {
		return false, true
	}
	n := len(o.blocks)
	return n == 0 || !o.blocks[n-1].filled, n > 0
}

// end sets the path of a cursor, and what it may be where brackets or a key decide that.
func (o *outline) end(c *cursor) {
	c.path = o.path()
	if n := len(o.flow); n > 0 {
		c.key = o.flow[n-1].open == '{' && !o.flow[n-1].in
		c.value = !c.key
	} else if !c.key {
		c.value = true
	}
}

// path leads to the mapping, the list or the value that is being read.
func (o *outline) path() (path []step) {
	for _, b := range o.blocks {
		path = append(path, b.step)
	}
	for _, f := range o.flow {
		switch {
		case f.open == '[':
			path = append(path, step{item: true})
		case f.in:
			path = append(path, step{key: f.key})
		}
	}
	return path
}

// find calls found with a key that was read.
func (o *outline) find(key string) {
	if o.found != nil {
		o.found(o.path(), key)
	}
}

// keys lists the keys of the mapping at path, in the order of the text.
func (d *document) keys(path ...step) (all []string) {
	o := outline{found: func(at []step, key string) {
		if slices.Equal(at, path) {
			all = append(all, key)
		}
	}}
	for _, l := range d.lines {
		o.line(strings.TrimRight(l, "\r\n"))
	}
	return all
}
