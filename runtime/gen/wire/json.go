package wire

import (
	"bytes"
	"unicode/utf8"
)

// Text skips a value of any kind and returns its JSON text, which shares the bytes of the message. A reader that is [Reader.Reset] to the start of the text
// reads the same value. Members that an object has twice are left to that reader; a text that is read in parts needs [TextOnce].
func (r *Reader) Text() []byte {
	i := Space(r.b, r.i)
	skipValue(r)
	if r.failed {
		return nil
	}
	return r.b[i:r.i:r.i]
}

// TextOnce is [Reader.Text] for a value in which no object, at any depth, may have a member twice.
func TextOnce(r *Reader) []byte {
	i := Space(r.b, r.i)
	once(r)
	if r.failed {
		return nil
	}
	return r.b[i:r.i:r.i]
}

// Match moves past the value at the cursor of r and reports true if the value is written exactly as text, which is a valid object or array that is nested
// depth levels deep. It skips white space before it in any case.
func Match(r *Reader, text []byte, depth int) bool {
	r.i = Space(r.b, r.i)
	if r.depth < depth || !bytes.HasPrefix(r.b[r.i:], text) {
		return false
	}
	r.i += len(text)
	return true
}

// JSON returns the text of the value at the cursor, including white space. It is nil if there is no value or if it is malformed.
func (p Peek) JSON() []byte {
	if p.Kind() == Invalid {
		return nil
	}
	end := Skip(p.b, p.i, p.depth)
	if end < 0 {
		return nil
	}
	return p.b[p.i:end:end]
}

// PeekAt returns a Peek at the JSON document b.
func PeekAt(b []byte) Peek { return PeekIn(b, 0, MaxDepth) }

// PeekIn returns a Peek at the value at b[i:], of which no more than maxDepth levels are read.
func PeekIn(b []byte, i, maxDepth int) Peek { return Peek{b, Space(b, i), maxDepth} }

// AppendQuoted appends text as a JSON string, like [AppendString], and is faster for text with many
// quotes, such as JSON. The memory of text may precede b in the same array.
func AppendQuoted(b, text []byte) []byte {
	b = withRoom(b, len(text)+len(text)/4+quotedRoom)
	n, i := len(b)+1, 0
	d := b[:cap(b)]
	d[n-1] = '"'
	for ; n+quotedRoom <= len(d) && i+8 <= len(text); i += 8 {
		w := load(text, i)
		if !hasOnlyText(w) {
			break
		}
		store(d, n, w)
		if q := quotes(w); q != 0 {
			n = putQuotes(d, n, w, q)
		} else {
			n += 8
		}
	}
	for ; n+quotedRoom <= len(d) && i < len(text) && len(text)-i < 8; i++ {
		c := text[i]
		if c < ' ' || c >= utf8.RuneSelf {
			break
		}
		if c == '"' || c == '\\' {
			d[n] = '\\'
			n++
		}
		d[n] = c
		n++
	}
	return appendEscaped(d[:n], share(text[i:]))
}

// quotedRoom is how many bytes must be left for one more word: each of its bytes may be escaped, and a word is stored after the last.
const quotedRoom = 3 * 8

// putQuotes writes the word w with a backslash before each byte that is marked in q, to d[n:], which
// already holds w and has room for three words. It returns the index after it.
func putQuotes(d []byte, n int, w, q uint64) int {
	left := 8
	for q != 0 {
		k := firstMark(q)
		n += k
		w >>= uint(8*k) & 63
		q >>= uint(8*k) & 63
		d[n] = '\\'
		store(d, n+1, w)
		n += 2
		w >>= 8
		q >>= 8
		left -= k + 1
	}
	return n + left
}
