package wire

// MaxDepth is the maximum nesting of arrays and objects, and the default of all limits of depth.
const MaxDepth = 64

// Skip checks the value whose first byte is at index i. It returns the index after it, or a
// negative number if the value is malformed or nested more than maxDepth levels deep (at most
// [MaxDepth]).
func Skip(b []byte, i, maxDepth int) int {
	end, _ := skip(b, i, maxDepth, nil)
	return end
}

// skip is Skip, and also reports whether there is white space between tokens. Unless once is nil, a
// value is malformed as well if an object in it has a member twice.
func skip(b []byte, i, maxDepth int, once *names) (end int, spaced bool) {
	var objects uint64 // one bit for each open bracket, the innermost is the lowest; 1 means object
	depth := 0
value:
	if uint(i) >= uint(len(b)) {
		return bad, spaced
	}
	switch c := b[i]; c {
	case '"':
		i++
		if j := near(b, i); uint(j) < uint(len(b)) && b[j] == '"' {
			i = j + 1
		} else if i = SkipString(b, j); i < 0 {
			return bad, spaced
		}
	case '{', '[':
		if depth >= maxDepth || depth >= MaxDepth {
			return bad, spaced
		}
		depth++
		objects <<= 1
		if c == '{' {
			objects |= 1
			if once != nil {
				once.enter()
			}
		}
		i++
		if uint(i) < uint(len(b)) && b[i] <= ' ' {
			i, spaced = space(b, i), true
		}
		if uint(i) < uint(len(b)) && b[i] == c+2 { // '{'+2 is '}', '['+2 is ']'
			i++
			if once != nil && c == '{' {
				once.leave()
			}
			objects >>= 1
			depth--
			goto after
		}
		if c == '{' {
			goto key
		}
		goto value
	case 't':
		if !Has(b, i, "true") {
			return bad, spaced
		}
		i += 4
	case 'f':
		if !Has(b, i, "false") {
			return bad, spaced
		}
		i += 5
	case 'n':
		if !Has(b, i, "null") {
			return bad, spaced
		}
		i += 4
	default:
		if i = SkipNumber(b, i); i < 0 {
			return bad, spaced
		}
	}
after:
	if depth == 0 {
		return i, spaced
	}
	if uint(i) < uint(len(b)) && b[i] <= ' ' {
		i, spaced = space(b, i), true
	}
	if uint(i) >= uint(len(b)) {
		return bad, spaced
	}
	switch b[i] {
	case ',':
		i++
		if uint(i) < uint(len(b)) && b[i] <= ' ' {
			i, spaced = space(b, i), true
		}
		if objects&1 == 0 {
			goto value
		}
		goto key
	case '}':
		if objects&1 == 0 {
			return bad, spaced
		}
		if once != nil {
			once.leave()
		}
	case ']':
		if objects&1 == 1 {
			return bad, spaced
		}
	default:
		return bad, spaced
	}
	i++
	objects >>= 1
	depth--
	goto after
key:
	if uint(i) >= uint(len(b)) || b[i] != '"' {
		return bad, spaced
	}
	name := i
	i++
	if j := near(b, i); uint(j) < uint(len(b)) && b[j] == '"' {
		i = j + 1
	} else if i = SkipString(b, j); i < 0 {
		return bad, spaced
	}
	if once != nil && !once.add(b, name, i) {
		return bad, spaced
	}
	if uint(i) < uint(len(b)) && b[i] <= ' ' {
		i, spaced = space(b, i), true
	}
	if uint(i) >= uint(len(b)) || b[i] != ':' {
		return bad, spaced
	}
	i++
	if uint(i) < uint(len(b)) && b[i] <= ' ' {
		i, spaced = space(b, i), true
	}
	goto value
}
