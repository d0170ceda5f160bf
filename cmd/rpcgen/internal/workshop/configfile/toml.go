package configfile

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	lazy "github.com/rpcgen-go/rpcgen/schema/text"
)

// statement is a line of TOML that says something: a header of a table, or a key with its value. https://toml.io/en/v1.0.0
type statement struct {
	from, to int // its lines in the text
	keys     []string
	header   bool
	list     bool // the header is of an array of tables
	value    ir.Value
	valueAt  [2]int // offsets of the value
}

// tomlReader reads TOML.
type tomlReader struct{ reader }

// document returns the statements of a text.
func (r *tomlReader) document() ([]statement, error) {
	if !utf8.Valid(r.text) {
		return nil, &ShapeError{What: "the file is not valid UTF-8"}
	}
	if bytes.HasPrefix(r.text, mark) {
		r.at = len(mark)
	}
	var all []statement
	for {
		r.lines()
		if r.at == len(r.text) {
			return all, nil
		}
		s, err := r.statement()
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
}

// blanks skips blanks within a line.
func (r *tomlReader) blanks() {
	r.at = len(r.text) - len(bytes.TrimLeft(r.text[r.at:], " \t"))
}

// lines skips blanks, line ends and comments.
func (r *tomlReader) lines() {
	for r.at < len(r.text) {
		switch c := r.text[r.at]; {
		case strings.IndexByte(" \t\r\n", c) >= 0:
			r.at++
		case c == '#':
			r.at = lineEnd(r.text, r.at)
		default:
			return
		}
	}
}

// take skips a text, if it follows.
func (r *tomlReader) take(s string) bool {
	if !bytes.HasPrefix(r.text[r.at:], []byte(s)) {
		return false
	}
	r.at += len(s)
	return true
}

// statement reads a statement with the rest of its line.
func (r *tomlReader) statement() (s statement, err error) {
	s.from = lineStart(r.text, r.at)
	if s.from == 0 && bytes.HasPrefix(r.text, mark) {
		s.from = len(mark)
	}
	end := ""
	switch {
	case r.take("[["):
		s.header, s.list, end = true, true, "]]"
	case r.take("["):
		s.header, end = true, "]"
	}
	r.blanks()
	if s.keys, err = r.keys(); err != nil {
		return s, err
	}
	if s.header {
		if !r.take(end) {
			return s, r.fault("%q is expected here", end)
		}
	} else {
		if !r.take("=") {
			return s, r.fault("= is expected here")
		}
		r.blanks()
		s.valueAt[0] = r.at
		if s.value, err = r.value(); err != nil {
			return s, err
		}
		s.valueAt[1] = r.at
	}
	r.blanks()
	rest := r.text[r.at:]
	if len(rest) > 0 && rest[0] != '#' && rest[0] != '\n' && !bytes.HasPrefix(rest, []byte("\r\n")) {
		return s, r.fault("the line should end here")
	}
	r.at = lineEnd(r.text, r.at)
	s.to = r.at
	return s, nil
}

var bareKey = lazy.Pattern(`^[A-Za-z0-9_-]+`)

// keys reads a key, whose parts are separated by dots, and the blanks after it.
func (r *tomlReader) keys() (keys []string, err error) {
	for {
		key := ""
		if c := r.peek(); c == '"' || c == '\'' {
			key, err = r.string()
		} else if found := bareKey().Find(r.text[r.at:]); found != nil {
			key = string(found)
			r.at += len(found)
		} else {
			err = r.fault("a key is expected here")
		}
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
		r.blanks()
		if !r.take(".") {
			return keys, nil
		}
		r.blanks()
	}
}

// word matches numbers, dates, times, true and false; a blank may stand in place of the T of a date and time.
var word = lazy.Pattern(`^(\d{4}-\d\d-\d\d [0-9:.+Zz-]+|[A-Za-z0-9_+.:-]+)`)

// scalars are what numbers, dates and times look like.
var scalars = lazy.Pattern(`^([+-]?(\d+(_\d+)*(\.\d+(_\d+)*)?([eE][+-]?\d+)?|inf|nan)|0x[0-9A-Fa-f_]+|0o[0-7_]+|0b[01_]+|\d{4}-\d\d-\d\d([Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)?)?|\d\d:\d\d:\d\d(\.\d+)?)$`)

func (r *tomlReader) value() (v ir.Value, err error) {
	if r.depth++; r.depth > deepest {
		return v, r.fault("values are nested too deep")
	}
	defer func() { r.depth-- }()
	switch r.peek() {
	case '"', '\'':
		v.Kind = ir.Text
		v.Text, err = r.string()
	case '[':
		v.Kind = ir.Array
		err = r.array(&v)
	case '{':
		v.Kind = ir.Object
		err = r.inline(&v)
	default:
		found := string(word().Find(r.text[r.at:]))
		switch {
		case found == "true" || found == "false":
			v.Kind = ir.Boolean
		case scalars().MatchString(found):
			v.Kind = ir.Number
		default:
			return v, r.fault("a value is expected here")
		}
		v.Text = found
		r.at += len(found)
	}
	return v, err
}

func (r *tomlReader) array(v *ir.Value) error {
	r.at++
	for {
		r.lines()
		if r.take("]") {
			return nil
		}
		item, err := r.value()
		if err != nil {
			return err
		}
		v.Items = append(v.Items, item)
		r.lines()
		if !r.take(",") && r.peek() != ']' {
			return r.fault("a comma or ] is expected here")
		}
	}
}

func (r *tomlReader) inline(v *ir.Value) error {
	r.at++
	r.blanks()
	if r.take("}") {
		return nil
	}
	root := &table{}
	for {
		r.blanks()
		keys, err := r.keys()
		if err != nil {
			return err
		}
		if !r.take("=") {
			return r.fault("= is expected here")
		}
		r.blanks()
		inner, err := r.value()
		if err != nil {
			return err
		}
		t := root
		for _, key := range keys {
			if t = t.at(key); t.value != nil {
				return r.fault("%s stands here a second time", strings.Join(keys, "."))
			}
		}
		if t.names != nil {
			return r.fault("%s stands here a second time", strings.Join(keys, "."))
		}
		t.value = &inner
		r.blanks()
		switch {
		case r.take("}"):
			*v = root.build()
			return nil
		case !r.take(","):
			return r.fault("a comma or } is expected here")
		}
	}
}

// string reads a string of one of the four kinds.
func (r *tomlReader) string() (string, error) {
	for _, quote := range []string{`"""`, `'''`, `"`, `'`} {
		start := r.at
		if !r.take(quote) {
			continue
		}
		several := len(quote) == 3
		if several && !r.take("\r\n") {
			r.take("\n")
		}
		from := r.at
		for ; r.at < len(r.text); r.at++ {
			switch {
			case quote[0] == '"' && r.text[r.at] == '\\':
				r.at++
			case !several && r.text[r.at] == '\n':
				r.at = start
				return "", r.fault("the string does not end")
			case bytes.HasPrefix(r.text[r.at:], []byte(quote)):
				for several && r.at+3 < len(r.text) && r.text[r.at+3] == quote[0] { // up to two quotes may stand before the end
					r.at++
				}
				inner := string(r.text[from:r.at])
				r.at += len(quote)
				if quote[0] == '\'' {
					return inner, nil
				}
				return r.unescape(inner, start)
			}
		}
		r.at = start
		return "", r.fault("the string does not end")
	}
	return "", r.fault("a string is expected here")
}

// escapes are the characters that stand for others after a backslash.
var escapes = map[byte]string{'b': "\b", 't': "\t", 'n': "\n", 'f': "\f", 'r': "\r", 'e': "\x1b", '"': `"`, '\\': `\`}

// unescape returns what a string with escapes stands for.
func (r *tomlReader) unescape(s string, start int) (string, error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		i++
		rest := s[i:]
		digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[rest[0]]
		if plain, ok := escapes[rest[0]]; ok {
			b.WriteString(plain)
		} else if code, err := strconv.ParseUint(rest[min(1, len(rest)):min(1+digits, len(rest))], 16, 32); digits > 0 && len(rest) > digits && err == nil {
			b.WriteRune(rune(code))
			i += digits
		} else if blank := rest[:len(rest)-len(strings.TrimLeft(rest, " \t\r\n"))]; strings.Contains(blank, "\n") {
			i += len(blank) - 1 // a backslash at the end of a line continues the text with the next one
		} else {
			r.at = start
			return "", r.fault("the string has an escape that TOML does not know")
		}
	}
	return b.String(), nil
}

// tomlEditor edits TOML whose entries are tables with headers of their own.
type tomlEditor struct{}

func (tomlEditor) read(text []byte) ([]statement, error) {
	return (&tomlReader{reader{text: text}}).document()
}

// table is what statements say, while it is put together.
type table struct {
	names  []string
	inner  map[string]*table
	value  *ir.Value // of a key
	tables []*table  // of an array of tables
	said   bool      // it has a header, or was made by a key with dots
}

func (t *table) at(name string) *table {
	if t.inner == nil {
		t.inner = map[string]*table{}
	}
	if t.inner[name] == nil {
		t.inner[name] = &table{}
		t.names = append(t.names, name)
	}
	return t.inner[name]
}

// last returns the table that keys of a path are in: the last one of an array.
func (t *table) last() *table {
	if len(t.tables) > 0 {
		return t.tables[len(t.tables)-1]
	}
	return t
}

func (t *table) build() ir.Value {
	if t.value != nil {
		return *t.value
	}
	if t.tables != nil {
		return ir.Value{Kind: ir.Array, Items: ir.Each(t.tables, (*table).build)}
	}
	return ir.Value{Kind: ir.Object, Fields: ir.Each(t.names, func(name string) ir.Member {
		return ir.Member{Name: name, Value: t.inner[name].build()}
	})}
}

func (e tomlEditor) parse(text []byte) (ir.Value, error) {
	all, err := e.read(text)
	if err != nil {
		return ir.Value{}, err
	}
	root := &table{}
	current := root
	for _, s := range all {
		t := current
		if s.header {
			t = root
		}
		twice := func() (ir.Value, error) {
			return ir.Value{}, shapeError(text, s.from, "%s stands here a second time", strings.Join(s.keys, "."))
		}
		for i, key := range s.keys {
			t = t.last().at(key)
			if t.value != nil && (s.header || i < len(s.keys)-1) {
				return ir.Value{}, shapeError(text, s.from, "%s is not a table", strings.Join(s.keys[:i+1], "."))
			}
		}
		switch {
		case s.list:
			if t.said || t.names != nil && t.tables == nil {
				return twice()
			}
			t.tables = append(t.tables, &table{})
			current = t.last()
		case s.header:
			if t.said || t.tables != nil {
				return twice()
			}
			t.said, current = true, t
		default:
			if t.value != nil || t.names != nil || t.tables != nil || t.said {
				return twice()
			}
			t.value = &s.value
		}
	}
	return root.build(), nil
}

// find returns the index of the header of the table at a path, and of the statement after the last one of that table; -1 if it has no header.
func (tomlEditor) find(all []statement, path []string) (from, to int) {
	for i, s := range all {
		if s.header && !s.list && slices.Equal(s.keys, path) {
			return i, after(all, i)
		}
	}
	return -1, -1
}

// after returns the index of the header that follows one; that after the last statement if there is none.
func after(all []statement, header int) int {
	to := header + 1
	for to < len(all) && !all[to].header {
		to++
	}
	return to
}

// headless is the error for a table that has no header.
func headless(path []string) error {
	return &ShapeError{What: fmt.Sprintf("%s is not written as a table with the header [%s]", strings.Join(path, "."), tomlKeys(path))}
}

// key returns the statement of a key in the table at a path.
func (e tomlEditor) key(text []byte, path []string) (statement, error) {
	all, err := e.read(text)
	if err != nil {
		return statement{}, err
	}
	from, to := e.find(all, path[:len(path)-1])
	for i := from + 1; i < to; i++ {
		if slices.Equal(all[i].keys, path[len(path)-1:]) {
			return all[i], nil
		}
	}
	return statement{}, headless(path[:len(path)-1])
}

func (e tomlEditor) insert(text []byte, path []string, v ir.Value) ([]byte, error) {
	all, err := e.read(text)
	if err != nil {
		return nil, err
	}
	nl := newline(text)
	parent := path[:len(path)-1]
	if len(path) > 2 { // a key of an entry that is there
		from, to := e.find(all, parent)
		if from < 0 {
			return nil, headless(parent)
		}
		at := all[to-1].to
		line := tomlKeys(path[len(path)-1:]) + " = " + tomlValue(v) + nl
		if text[at-1] != '\n' {
			return append(append(slices.Clip(text), nl...), line...), nil
		}
		return splice(text, at, at, line), nil
	}
	first := slices.IndexFunc(all, func(s statement) bool { return s.header })
	for i, s := range all { // [a] may stand in several places of a file, but not where keys with dots, arrays or inline tables have made it
		if (!s.header || s.list) && len(s.keys) > 0 && s.keys[0] == path[0] && (s.header || first < 0 || i < first) {
			return nil, shapeError(text, s.from, "%s is not written as tables with headers, such as [%s]", path[0], tomlKeys(path))
		}
	}
	changed := endLine(text)
	if body := bytes.TrimPrefix(changed, mark); len(bytes.TrimSpace(body)) > 0 {
		changed = append(changed, nl...)
	}
	changed = append(slices.Clip(changed), "["+tomlKeys(path)+"]"+nl...)
	for _, m := range v.Fields {
		changed = append(changed, tomlKeys([]string{m.Name})+" = "+tomlValue(m.Value)+nl...)
	}
	return changed, nil
}

func (e tomlEditor) replace(text []byte, path []string, v ir.Value) ([]byte, error) {
	s, err := e.key(text, path)
	if err != nil {
		return nil, err
	}
	return splice(text, s.valueAt[0], s.valueAt[1], tomlValue(v)), nil
}

func (e tomlEditor) remove(text []byte, path []string) ([]byte, error) {
	all, err := e.read(text)
	if err != nil {
		return nil, err
	}
	removed := false
	for i := len(all) - 1; i >= 0; i-- { // from the end, so that offsets before stay
		s := all[i]
		if !s.header || len(s.keys) < len(path) || !slices.Equal(s.keys[:len(path)], path) {
			continue
		}
		from, end := s.from, all[after(all, i)-1].to
		if before := text[:from]; bytes.HasSuffix(before, []byte("\n\n")) || bytes.HasSuffix(before, []byte("\n\r\n")) { // the blank line before it
			from = lineStart(text, from-1)
		}
		text = splice(text, from, end, "")
		removed = true
	}
	if removed {
		return text, nil
	}
	s, err := e.key(text, path)
	if err != nil {
		return nil, err
	}
	return splice(text, s.from, s.to, ""), nil
}

// tomlKeys writes a key with dots.
func tomlKeys(keys []string) string {
	return strings.Join(ir.Each(keys, func(key string) string {
		if bareKey().FindString(key) != key || key == "" {
			return tomlString(key)
		}
		return key
	}), ".")
}

// tomlString writes a basic string: as JSON has it, which leaves one character as it is that TOML does not.
func tomlString(s string) string { return strings.ReplaceAll(quoteJSON(s), "\x7f", `\u007F`) }

// tomlValue writes a value on one line.
func tomlValue(v ir.Value) string {
	return inlineValue(v, tomlString, func(name string) string { return tomlKeys([]string{name}) + " = " })
}
