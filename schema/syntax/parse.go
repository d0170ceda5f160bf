package syntax

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/schema/diag"
)

// Parse reads the one document of a file. The node is nil when there is an error, but for keys without a value, which it does not have.
func Parse(file string, text []byte) (*Node, diag.List) {
	return (&parser{file: file, text: text, bytes: maxBytes, values: maxNodes}).parse()
}

// ParseAny reads the one document of a file that is not a schema of rpcgen, of at most so many values. Unlike schemas, it may have anchors,
// aliases and merge keys: the tree has what they stand for.
func ParseAny(file string, text []byte, values int) (*Node, diag.List) {
	p := &parser{file: file, text: text, aliases: true, bytes: len(text), values: values}
	if marks := bytes.Count(text, []byte(",")) + bytes.Count(text, []byte("\n")); marks > values { // the library would keep them all
		p.report(diag.TooLarge, p.at(1, 0, 1), splitHelp, "the schema has more than %d values", values)
	}
	var root *Node
	if len(p.faults) == 0 {
		root, _ = p.parse()
	}
	for i := range p.faults {
		d := &p.faults[i]
		d.Message, d.Help = ofSource.Replace(d.Message), ofSource.Replace(d.Help)
	}
	return root, p.faults
}

// ofSource says of another file what is said of schemas.
var ofSource = strings.NewReplacer("the schema", "the source", "a schema", "a source", splitHelp, "split it into files that refer to each other")

// splitHelp is what to do with a schema that is too large.
const splitHelp = "split it into files and import them"

func (p *parser) parse() (*Node, diag.List) {
	if !p.checkText() {
		return nil, p.faults
	}
	p.Lines = splitLines(p.text)
	root := p.decode()
	if root == nil {
		if root = p.decodeOptional(); root == nil {
			return nil, p.faults
		}
		p.faults = nil
	}
	node := p.node(root, 0)
	if all := append(p.faults, p.valueless...); p.faults.HasErrors() {
		return nil, all
	}
	return node, p.valueless
}

type parser struct {
	file    string
	text    []byte
	aliases bool // aliases stand for what their anchors name
	bytes   int  // at most, as values
	values  int
	Columns
	nodes  int
	faults diag.List

	valueless diag.List // keys without a value, which are left out of the tree
}

func (p *parser) report(code diag.Code, at diag.Span, help, format string, args ...any) {
	p.faults = append(p.faults, diag.Diagnostic{Code: code, Span: at, Message: fmt.Sprintf(format, args...), Help: help})
}

// decode lets the YAML library read the text. The library has panicked on hostile input before, which must not become a crash of the compiler.
func (p *parser) decode() (root *yaml.Node) {
	defer func() {
		if fault := recover(); fault != nil {
			p.report(diag.YAMLSyntax, p.at(1, 0, 1), "", "this YAML cannot be read: %v", fault)
			root = nil
		}
	}()
	var document, second yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(p.text))
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		p.report(diag.MissingVersion, p.at(1, 0, 1), "begin with rpcgen: v1", "the schema is empty")
		return nil
	case err != nil:
		p.syntaxError(err)
		return nil
	}
	switch err := decoder.Decode(&second); {
	case err == nil:
		p.report(diag.SeveralDocuments, p.separator(second.Line), "keep one schema in a file", "a second YAML document begins here")
		return nil
	case !errors.Is(err, io.EOF):
		p.syntaxError(err)
		return nil
	}
	if len(document.Content) == 0 {
		p.report(diag.MissingVersion, p.at(1, 0, 1), "begin with rpcgen: v1", "the schema is empty")
		return nil
	}
	return document.Content[0]
}

// decodeOptional reads the text again, with keys inside { } that end in ?. It is nil when there are none, or when there are other faults.
func (p *parser) decodeOptional() *yaml.Node {
	readable, restore := OptionalKeys(p.text)
	if readable == nil {
		return nil
	}
	again := &parser{file: p.file, text: readable, Columns: Columns{Lines: p.Lines}, values: p.values}
	root := again.decode()
	switch {
	case root == nil:
		p.faults = again.faults
		return nil
	case !restore(root):
		return nil
	}
	return root
}

// separator finds the --- at or above a line.
func (p *parser) separator(line int) diag.Span {
	for l := min(line, len(p.Lines)); l > 1; l-- {
		if bytes.HasPrefix([]byte(p.Lines[l-1]), []byte("---")) {
			return p.at(l, 0, 3)
		}
	}
	return p.at(max(line, 1), 0, 1)
}

// at is a span on a line (counted from 1) from a byte offset (counted from 0).
func (p *parser) at(line, offset, length int) diag.Span {
	return diag.Span{Pos: diag.Pos{File: p.file, Line: line, Col: offset + 1}, Len: length}
}

// Columns turns columns of the library, which are characters from 1 on, into byte offsets. Most are asked for in order: it counts on from the last one.
type Columns struct {
	Lines                  []string
	number, column, offset int // of the last place: its line, its character, counted from 1, and the byte offset at which that begins
}

func (c *Columns) line(number int) string {
	if number < 1 || number > len(c.Lines) {
		return ""
	}
	return c.Lines[number-1]
}

// Offset is where a column begins on a line, which is counted from 1.
func (c *Columns) Offset(line, column int) int {
	text := c.line(line)
	if c.number != line || c.column > column {
		c.number, c.column, c.offset = line, 1, 0
	}
	for c.column < column && c.offset < len(text) {
		_, size := utf8.DecodeRuneInString(text[c.offset:])
		c.offset += size
		c.column++
	}
	if c.column < column { // beyond the end of the line
		return min(len(text), max(0, column-1))
	}
	return c.offset
}
