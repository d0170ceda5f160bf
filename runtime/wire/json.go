package wire

// Text reads past a value of any kind and returns its JSON text, which shares the message. A reader that is [Reader.Reset] to the
// start of it reads the value as it would have where it stood.
func (r *Reader) Text() []byte {
	i := Space(r.b, r.i)
	r.skipValue()
	if r.failed {
		return nil
	}
	return r.b[i:r.i:r.i]
}

// JSON returns the text of the value that p looks at, white space included; nil when there is none, or it is malformed.
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

// PeekAt looks at the JSON document b.
func PeekAt(b []byte) Peek { return Peek{b, Space(b, 0), MaxDepth} }

// AppendQuoted appends text as a JSON string, as [AppendString] does; text may lie in front of what is appended to, in the same
// memory.
func AppendQuoted(b, text []byte) []byte { return AppendString(b, share(text)) }

// Canonical writes the valid JSON value b such that equal values are equal texts: 1 is 1.0, and the order of members does not count.
func Canonical(b []byte) string { return canonical(b) }
