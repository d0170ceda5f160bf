package wire

// Strict has the reader refuse members that objects do not name, where their decoders ask by [Reader.Unknown], until it is reset. It
// returns r. What models send is read so: a member that is dropped in silence would be sent again.
func (r *Reader) Strict() *Reader {
	r.strict = true
	return r
}

// Unknown ends the round of an object that ignores other members: a strict reader refuses them, as [Reader.Reject] does.
func (r *Reader) Unknown(o *Members, names string) {
	if r.strict {
		r.Reject(o, names)
	}
}

// NoMembers reads an object that must have no members.
func (r *Reader) NoMembers() {
	var o Members
	r.Object(&o)
	for r.More(&o) {
		r.Reject(&o, "")
	}
}
