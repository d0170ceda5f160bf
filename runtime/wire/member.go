package wire

// The methods and functions here read or write a member, name and value, in one call. They say no more than Key with a value, or
// append with a literal and a value, but the compiler has less to do for them: in a large schema that is what counts. So they are
// not to be inlined.

// named returns the index of the value of the member at i when it is written as name, without white space; else it is
// negative. Most other names are of another length, so the colon is where to look first.
func named(b []byte, i int, sep byte, name string) int {
	if end := i + 1 + len(name); i >= 0 && end < len(b) && b[i] == sep && b[end-1] == ':' && string(b[i+1:end]) == name {
		return end
	}
	return bad
}

// spacedName is named for members with one space, or none, before the name and before the value.
func spacedName(b []byte, i int, sep byte, name string) int {
	if i+1 < len(b) && b[i+1] == ' ' && b[i] == sep {
		i, sep = i+1, ' '
	}
	end := named(b, i, sep, name)
	if end > 0 && b[end] == ' ' {
		end++
	}
	return end
}

// isOther tells whether the next member is known to be called otherwise, by the length of its name alone: in another order than
// the usual one, most names are asked for in vain.
func (r *Reader) isOther(name string) bool {
	return r.member.at == r.i && len(r.member.name) != len(name)-1
}

// first notes that name n was read, and that the reader stands at i now. It does so only when that is the first time.
func (r *Reader) first(o *Members, n, i int) bool {
	bit := uint64(1) << n
	if n >= 64 || o.seen&bit != 0 {
		return false
	}
	o.seen |= bit
	r.sep = ','
	r.i = i
	return true
}

// KeyString reads the string into v when the next member is called name; see [Reader.Key].
func (r *Reader) KeyString(o *Members, n int, name string, v *string) {
	b := r.b
	if i := named(b, r.i, r.sep, name); i > 0 && b[i] == '"' {
		i++
		if j := plain(b, i); uint(j) < uint(len(b)) && b[j] == '"' && r.first(o, n, j+1) {
			*v = share(b[i:j])
			return
		}
	}
	if !r.isOther(name) && r.key(o, n, name) {
		*v = r.String()
	}
}

// KeyBool reads true or false into v when the next member is called name; see [Reader.Key].
func (r *Reader) KeyBool(o *Members, n int, name string, v *bool) {
	b := r.b
	if i := named(b, r.i, r.sep, name); i > 0 {
		switch {
		case has(b, i, "true") && r.first(o, n, i+4):
			*v = true
			return
		case has(b, i, "false") && r.first(o, n, i+5):
			*v = false
			return
		}
	}
	if !r.isOther(name) && r.key(o, n, name) {
		*v = r.Bool()
	}
}

// KeyInt64 reads the integer into v when the next member is called name; see [Reader.Key].
func (r *Reader) KeyInt64(o *Members, n int, name string, v *int64) {
	b := r.b
	if i := named(b, r.i, r.sep, name); i > 0 {
		if x, end := readInt(b, i); end > 0 && r.first(o, n, end) {
			*v = x
			return
		}
	}
	if !r.isOther(name) && r.key(o, n, name) {
		*v = r.Int64()
	}
}

// KeyInt32 reads the integer into v when the next member is called name; see [Reader.Key].
func (r *Reader) KeyInt32(o *Members, n int, name string, v *int32) {
	b := r.b
	if i := named(b, r.i, r.sep, name); i > 0 {
		if x, end := readInt(b, i); end > 0 && x == int64(int32(x)) && r.first(o, n, end) {
			*v = int32(x)
			return
		}
	}
	if !r.isOther(name) && r.key(o, n, name) {
		*v = r.Int32()
	}
}

// KeyFloat64 reads the number into v when the next member is called name; see [Reader.Key].
func (r *Reader) KeyFloat64(o *Members, n int, name string, v *float64) {
	b := r.b
	if i := named(b, r.i, r.sep, name); i > 0 {
		if x, end := readFloat(b, i); end > 0 && r.first(o, n, end) {
			*v = x
			return
		}
	}
	if !r.isOther(name) && r.key(o, n, name) {
		*v = r.Float64()
	}
}

// AppendMemberString appends key, a literal that ends with a colon, and s as a JSON string.
//
//go:noinline
func AppendMemberString(b []byte, key, s string) []byte {
	b = withRoom(b, len(key)+len(s)+2)
	b = append(b, key...)
	return appendText(append(b, '"'), s)
}

// AppendMemberBool appends key, a literal that ends with a colon, and v.
//
//go:noinline
func AppendMemberBool(b []byte, key string, v bool) []byte { return AppendBool(append(b, key...), v) }

// AppendMemberInt appends key, a literal that ends with a colon, and v.
//
//go:noinline
func AppendMemberInt(b []byte, key string, v int64) []byte { return AppendInt(append(b, key...), v) }

// AppendMemberFloat appends key, a literal that ends with a colon, and v; see [AppendFloat].
//
//go:noinline
func AppendMemberFloat(b []byte, key string, v float64) []byte {
	return AppendFloat(append(b, key...), v)
}
