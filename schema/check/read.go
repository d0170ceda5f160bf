package check

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/decimal"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/foreign"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// reader reads keys and scalars of the tree, and keeps the faults.
type reader struct{ faults diag.List }

// mapping reports whether the value of a key is a mapping, and reports it otherwise.
func (c *reader) mapping(e syntax.Entry, help string) bool { return c.kind(e, syntax.Mapping, help) }

// entries returns the entries of a mapping under a key; it reports a value that is none.
func (c *reader) entries(e syntax.Entry, help string) []syntax.Entry {
	if !c.mapping(e, help) {
		return nil
	}
	return e.Value.Entries
}

// keyedEntries returns the entries of a mapping under a key, and reports those that mean nothing there.
func (c *reader) keyedEntries(e syntax.Entry, help, where string, at *grammar.Place) []syntax.Entry {
	if c.mapping(e, help) {
		c.keys(e.Value, where, at)
		return e.Value.Entries
	}
	return nil
}

func (c *reader) sequence(e syntax.Entry, help string) bool { return c.kind(e, syntax.Sequence, help) }

func (c *reader) kind(e syntax.Entry, want syntax.Kind, help string) bool {
	if e.Value.Kind == want {
		return true
	}
	c.report(diag.WrongKind, e.Key.Span, help, "%s must be %s, not %s", e.Key.Text, want, describe(e.Value))
	return false
}

func describe(n *syntax.Node) string {
	if n.IsEmpty() {
		return "empty"
	}
	return n.Kind.String()
}

// text reads a scalar as it is written.
func (c *reader) text(e syntax.Entry) string {
	if e.Value.Kind != syntax.Scalar || e.Value.IsEmpty() {
		c.report(diag.WrongKind, e.Key.Span, "", "%s must be text, not %s", e.Key.Text, describe(e.Value))
		return ""
	}
	return e.Value.Text
}

func (c *reader) boolean(e syntax.Entry) bool {
	if e.Value.Kind == syntax.Scalar && e.Value.Style == syntax.Plain {
		switch e.Value.Text {
		case "true":
			return true
		case "false":
			return false
		}
	}
	c.report(diag.InvalidValue, valueSpan(e), "write true or false", "%s must be true or false", e.Key.Text)
	return false
}

// plain reads a key whose value is text or true or false to where a table has it, and reports whether the table has the key.
func (c *reader) plain(e syntax.Entry, fields map[string]any) bool {
	switch to := fields[e.Key.Text].(type) {
	case *string:
		*to = c.text(e)
	case *bool:
		*to = c.boolean(e)
	default:
		return false
	}
	return true
}

// needs reports the keys that a mapping lacks; owner is what has it, with a verb.
func (c *reader) needs(n *syntax.Node, at diag.Span, owner string, keys ...string) (complete bool) {
	missing := ir.Where(keys, func(key string) bool { return n.Get(key) == nil })
	for _, key := range missing {
		c.report(diag.MissingKey, at, "add "+key+":", "%s has no %s", owner, key)
	}
	return len(missing) == 0
}

// word reads one of a few words.
func (c *reader) word(e syntax.Entry, words ...string) string {
	if e.Value.Kind == syntax.Scalar && slices.Contains(words, e.Value.Text) {
		return e.Value.Text
	}
	c.report(diag.InvalidValue, valueSpan(e), "write "+orList(words), "%s cannot be %s", e.Key.Text, sourceText(e.Value))
	return words[0]
}

// choice reads one of the words of a place, as its position among them.
func (c *reader) choice(e syntax.Entry, at *grammar.Place) int {
	return slices.Index(at.Words, c.word(e, at.Words...))
}

// orList is "a, b or c".
func orList(words []string) string { return text.Series(words, "or") }

func sourceText(n *syntax.Node) string {
	if n.Kind == syntax.Scalar && !n.IsEmpty() {
		return strconv.Quote(n.Text)
	}
	return describe(n)
}

// namesOr reads a list of names, or a mapping in which an entry without a value is a name, too.
func (c *reader) namesOr(e syntax.Entry, name func(*syntax.Node), entry func(syntax.Entry)) {
	if e.Value.Kind != syntax.Mapping {
		for _, word := range c.words(e) {
			name(word)
		}
		return
	}
	for _, e := range e.Value.Entries {
		if e.Value.IsEmpty() {
			name(e.Key)
		} else {
			entry(e)
		}
	}
}

// words reads a list of scalars; a single scalar is a list of one.
func (c *reader) words(e syntax.Entry) []*syntax.Node {
	if e.Value.Kind == syntax.Scalar && !e.Value.IsEmpty() {
		return []*syntax.Node{e.Value}
	}
	if !c.sequence(e, "write [a, b]") || !c.small(e.Value.Items, e.Key) {
		return nil
	}
	var words []*syntax.Node
	for _, item := range e.Value.Items {
		if item.Kind != syntax.Scalar || item.IsEmpty() {
			c.report(diag.WrongKind, item.Span, "", "%s lists names, not %s", e.Key.Text, describe(item))
			continue
		}
		words = append(words, item)
	}
	return words
}

func (c *reader) small(items []*syntax.Node, key *syntax.Node) bool {
	if len(items) <= grammar.MostMembers {
		return true
	}
	c.report(diag.TooLarge, key.Span, "split it", "%s has more than %d entries", key.Text, grammar.MostMembers)
	return false
}

func texts(nodes []*syntax.Node) []string { return ir.Each(nodes, textOf) }

func textOf(n *syntax.Node) string { return n.Text }

// integer reads a whole number of a range: 3, 3.0 and 3e0 are one number.
func (c *reader) integer(e syntax.Entry, low, high int, code diag.Code) (int, bool) {
	if n, ok := wholeNumber(e.Value); ok && n >= low && n <= high {
		return n, true
	}
	help := "write a whole number from " + strconv.Itoa(low) + " to " + strconv.Itoa(high)
	if high == math.MaxInt32 && low == 0 {
		help = "write a whole number that is not negative"
	}
	c.report(code, valueSpan(e), help, "%s cannot be %s", e.Key.Text, sourceText(e.Value))
	return 0, false
}

func wholeNumber(n *syntax.Node) (int, bool) {
	if n.Kind != syntax.Scalar || n.Style != syntax.Plain {
		return 0, false
	}
	number, ok := decimal.Parse(n.Text)
	if !ok {
		return 0, false
	}
	return number.Int()
}

// number reads the text of a JSON number.
func (c *reader) number(e syntax.Entry) (string, bool) {
	if e.Value.Kind == syntax.Scalar && e.Value.Style == syntax.Plain && decimal.IsNumber(e.Value.Text) {
		return e.Value.Text, true
	}
	c.report(diag.InvalidRule, valueSpan(e), "write a number such as 1 or 0.5", "%s cannot be %s", e.Key.Text, sourceText(e.Value))
	return "", false
}

// valueSpan is where a value stands, or its key when nothing was written.
func valueSpan(e syntax.Entry) diag.Span {
	if e.Value.IsEmpty() {
		return e.Key.Span
	}
	return e.Value.Span
}

// keys reports the keys of a mapping that mean nothing there. x-* are always allowed.
func (c *reader) keys(n *syntax.Node, where string, at *grammar.Place) {
	for _, e := range n.Entries {
		c.checkKeys(n, e, where, at)
	}
}

func (c *reader) checkKeys(n *syntax.Node, e syntax.Entry, where string, at *grammar.Place) {
	key := e.Key
	if at.Key(key.Text) != nil || grammar.IsExtension(key.Text) {
		return
	}
	help := cmp.Or(foreign.Advice(where, writtenEntry(e, n)), diag.DidYouMean(key.Text, at.Names()), "known keys: "+strings.Join(at.Names(), " "))
	c.report(diag.UnknownKey, key.Span, help, "unknown key %q in %s", key.Text, where)
}
