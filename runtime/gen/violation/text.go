package violation

import (
	"strconv"
	"strings"
)

// The texts of violations share blocks of memory, so that a report of a few violations takes one
// allocation for all its texts. Blocks are only appended to: a text never changes.
const (
	firstBlock = 192     // bytes; the texts of two or three violations
	mostBlock  = 4 << 10 // bytes; a larger text gets a block of its own size
)

// Text returns the concatenation of parts as a text for a violation.
func (vs *List) Text(parts ...string) string {
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	start := vs.room(size)
	for _, part := range parts {
		vs.block.WriteString(part)
	}
	return vs.block.String()[start:]
}

// room makes room for a text of n bytes, and returns the index at which it begins.
func (vs *List) room(n int) int {
	b := &vs.block
	if b.Cap()-b.Len() < n {
		size := max(n, firstBlock, min(2*b.Cap(), mostBlock))
		b.Reset()
		b.Grow(size)
	}
	return b.Len()
}

// Quoted returns before and s, quoted as by [Shorten], as a text for a violation.
func (vs *List) Quoted(before, s string) string {
	if len(s) <= maxShown && printable(s) {
		return vs.Text(before, `"`, s, `"`)
	}
	return vs.Text(before, Shorten(s))
}

// printable reports whether s is ASCII that needs no escapes between quotes.
func printable(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// Counted returns before, n and the unit of which there are n.
func (vs *List) Counted(before string, n int, unit string) string {
	var digits [20]byte
	number, plural := strconv.AppendInt(digits[:0], int64(n), 10), "s"
	if n == 1 {
		plural = ""
	}
	return vs.Text(before, string(number), " ", unit, plural)
}

// OneOf returns a list of names, which are newline-separated, as a text for a violation. It shows
// the first ten.
func (vs *List) OneOf(names string) string {
	const most = 10
	n := strings.Count(names, "\n") + 1
	if n == 1 {
		return names
	}
	start := vs.room(len("one of ") + len(names) + n + len(" and 1000000000 more"))
	b := &vs.block
	b.WriteString("one of ")
	for i := range min(n, most) {
		if i > 0 {
			b.WriteString(", ")
		}
		name, rest, _ := strings.Cut(names, "\n")
		b.WriteString(name)
		names = rest
	}
	if n > most {
		var digits [20]byte
		b.WriteString(" and ")
		b.Write(strconv.AppendInt(digits[:0], int64(n-most), 10))
		b.WriteString(" more")
	}
	return b.String()[start:]
}

// maxShown limits the text of a value in a message, in bytes.
const maxShown = 60

// Shorten quotes s for a message. A text of more than 60 bytes is cut and ends in "...".
func Shorten(s string) string {
	if len(s) > maxShown {
		s = clip(s, maxShown)
	}
	return strconv.Quote(s)
}

// clip returns the first n bytes of s, without an incomplete character at their end, and "...".
func clip(s string, n int) string { return strings.ToValidUTF8(s[:n], "") + "..." }

// TooMany returns the violation for n elements ("Items", "element") or members ("Properties",
// "member") where at most max are allowed. Decoders report it as soon as they have counted them.
func TooMany(vs *List, at string, n, max int, suffix, unit string) Violation {
	return Violation{Pointer: at, Rule: vs.Text("max", suffix), Expected: vs.Counted("at most ", max, unit), Got: vs.Counted("", n, unit)}
}

// TooFew returns the violation for n elements ("Items", "element") where at least min are required.
// Decoders report it.
func TooFew(vs *List, at string, n, min int, suffix, unit string) Violation {
	return Violation{Pointer: at, Rule: vs.Text("min", suffix), Expected: vs.Counted("at least ", min, unit), Got: vs.Counted("", n, unit)}
}

// OneOf returns a list of names for a message. It shows the first ten.
func OneOf(names []string) string {
	const most = 10
	if len(names) == 1 {
		return names[0]
	}
	if len(names) > most {
		return "one of " + strings.Join(names[:most], ", ") + " and " + strconv.Itoa(len(names)-most) + " more"
	}
	return "one of " + strings.Join(names, ", ")
}
