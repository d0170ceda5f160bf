package wire

// Strict makes the reader reject unknown members where decoders check for them with
// [Reader.Unknown], until the next Reset. It returns r. It is used for the arguments of tools: a
// model that gets no error for an unknown member would send it again.
func (r *Reader) Strict() *Reader {
	r.strict = true
	return r
}

// Unknown ends a round over an object that ignores unknown members. A strict reader rejects them,
// like [Reader.Reject].
func (r *Reader) Unknown(o *Members, names string) {
	if r.strict {
		r.Reject(o, names)
	}
}

// NoMembers reads an object and rejects any member.
func (r *Reader) NoMembers() {
	var o Members
	r.Object(&o)
	for r.More(&o) {
		r.Reject(&o, "")
	}
}
