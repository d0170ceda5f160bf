package wire

// The functions in this file read or write a member, name and value, in one call. They do the same as Key and reading the value, or appending a literal and
// the value, but are faster to compile, which matters for large schemas. For the same reason they are not inlined.

// findMember returns the index of the value if the next member is called name, and notes that it was read. Otherwise the result is negative. It accepts up to
// one space before the name and before the value, as Python's encoder writes; other notations take the slow path.
func findMember(r *Reader, o *Members, n int, name string) int {
	b, at := r.b, r.i+1
	equal := false
	if end := at + len(name); end+1 < len(b) && uint16(b[at-1]) == r.sep {
		if b[at] == ' ' {
			at++
			end++
		}
		switch k := len(name); { // overlapping words are compared: a call of memequal would cost more than the rest
		case k < 4 || k > 16:
			equal = string(b[at:end]) == name
		case k < 8:
			equal = load32(b, at) == loadName32(name, 0) && load32(b, end-4) == loadName32(name, k-4)
		default:
			equal = load(b, at) == loadName(name, 0) && load(b, end-8) == loadName(name, k-8)
		}
		if equal && uint(n) < 64 && o.seen>>n&1 == 0 {
			o.seen |= 1 << n
			r.sep = ','
			if b[end] == ' ' {
				end++
			}
			return end
		}
	}
	if !equal && r.member.at == r.i && r.member.direct {
		return bad // if members come in another order, most comparisons fail
	}
	if !matchKey(r, o, n, name) {
		return bad
	}
	return r.i
}

// KeyString reads the string into v if the next member is called name, see [Reader.Key].
func (r *Reader) KeyString(o *Members, n int, name string, v *string) {
	i := findMember(r, o, n, name)
	if i < 0 {
		return
	}
	if b := r.b; uint(i) < uint(len(b)) && b[i] == '"' {
		if j := plain(b, i+1); uint(j) < uint(len(b)) && b[j] == '"' {
			r.i = j + 1
			*v = shareSpan(b, i+1, j)
			return
		}
	}
	r.i = i
	*v = readString(r)
}

// KeyBool reads true or false into v if the next member is called name, see [Reader.Key].
func (r *Reader) KeyBool(o *Members, n int, name string, v *bool) {
	if i := findMember(r, o, n, name); i >= 0 {
		r.i = i
		*v = r.Bool()
	}
}

// KeyInt64 reads the integer into v if the next member is called name, see [Reader.Key].
func (r *Reader) KeyInt64(o *Members, n int, name string, v *int64) {
	if i := findMember(r, o, n, name); i >= 0 {
		r.i = i
		*v = r.Int64()
	}
}

// KeyInt32 reads the integer into v if the next member is called name, see [Reader.Key].
func (r *Reader) KeyInt32(o *Members, n int, name string, v *int32) {
	i := findMember(r, o, n, name)
	if i < 0 {
		return
	}
	r.i = i
	if x, end := readInt(r.b, i); end > 0 && x == int64(int32(x)) {
		r.i = end
		*v = int32(x)
		return
	}
	*v = r.Int32()
}

// KeyFloat64 reads the number into v if the next member is called name, see [Reader.Key].
func (r *Reader) KeyFloat64(o *Members, n int, name string, v *float64) {
	i := findMember(r, o, n, name)
	if i < 0 {
		return
	}
	if x, end := readFloat(r.b, i); end > 0 {
		r.i = end
		*v = x
		return
	}
	r.i = i
	*v = readFloat64(r)
}

// putKey writes key to d[n:], which must have room, and returns the index after it.
func putKey(d []byte, n int, key string) int {
	switch k := len(key); {
	case k < 4 || k > 16:
		copy(d[n:], key)
	case k < 8: // the two words overlap
		store32(d, n, loadName32(key, 0))
		store32(d, n+k-4, loadName32(key, k-4))
	default:
		store(d, n, loadName(key, 0))
		store(d, n+k-8, loadName(key, k-8))
	}
	return n + len(key)
}

// AppendMemberString appends key, which is a literal that ends with a colon, and s as a JSON string.
//
//go:noinline
func AppendMemberString(b []byte, key, s string) []byte {
	b = withRoom(b, len(key)+len(s)+2)
	return appendText(b, putKey(b[:cap(b)], len(b), key), s)
}

// AppendMemberBool appends key, which is a literal that ends with a colon, and v.
//
//go:noinline
func AppendMemberBool(b []byte, key string, v bool) []byte { return AppendBool(append(b, key...), v) }

// AppendMemberInt appends key, which is a literal that ends with a colon, and v.
//
//go:noinline
func AppendMemberInt(b []byte, key string, v int64) []byte {
	b = withRoom(b, len(key)+8)
	n := putKey(b[:cap(b)], len(b), key)
	if uint64(v) < manyDigits {
		return b[:putUint(b[:cap(b)], n, uint64(v))]
	}
	return AppendInt(b[:n], v)
}

// AppendMemberFloat appends key, which is a literal that ends with a colon, and v, see [AppendFloat].
//
//go:noinline
func AppendMemberFloat(b []byte, key string, v float64) []byte {
	b = withRoom(b, len(key)+16)
	n := putKey(b[:cap(b)], len(b), key)
	if end := putFloat(b[:cap(b)], n, v); end > 0 {
		return b[:end]
	}
	return appendFloat(b[:n], v)
}
