package wire

// Text skips a value of any kind and returns its JSON text, which shares the bytes of the message.
// A reader that is [Reader.Reset] to the start of the text reads the same value.
func (r *Reader) Text() []byte {
	i := Space(r.b, r.i)
	r.skipValue()
	if r.failed {
		return nil
	}
	return r.b[i:r.i:r.i]
}

// JSON returns the text of the value at the cursor, including white space. It is nil if there is no
// value or if it is malformed.
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

// AppendQuoted appends text as a JSON string, like [AppendString]. The memory of text may precede b
// in the same array.
func AppendQuoted(b, text []byte) []byte { return AppendString(b, share(text)) }

// Canonical returns the valid JSON value b in a form in which equal values have equal texts: 1
// equals 1.0, and the order of members does not matter.
func Canonical(b []byte) string { return canonical(b) }
