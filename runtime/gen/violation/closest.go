package violation

import (
	"math/bits"
	"strings"
)

// Closest returns the candidate that is closest to s, or "" if none is close. A candidate is close
// if it differs from s only in case and separators, or by at most two edits and at most a third of
// its length. An edit is an insertion, deletion, substitution, or a swap of neighbours.
func Closest(s string, candidates []string) string {
	near := nearest{s: s, own: letters(s), edits: 3}
	for _, c := range candidates {
		if near.meets(c) {
			break
		}
	}
	return near.found
}

// ClosestOf is [Closest] for candidates that are newline-separated. It allocates nothing.
func ClosestOf(s, candidates string) string {
	near := nearest{s: s, own: letters(s), edits: 3}
	for one := ""; candidates != ""; {
		if one, candidates, _ = strings.Cut(candidates, "\n"); near.meets(one) {
			break
		}
	}
	return near.found
}

// Names splits names as [ClosestOf] takes them. Generated routers hold such lists as one string constant, so that they take no time at start and no memory
// unless they are needed.
func Names(joined string) []string {
	if joined == "" {
		return nil
	}
	return strings.Split(joined, "\n")
}

// nearest is the closest candidate so far.
type nearest struct {
	s     string
	own   uint64 // letters of s
	edits int    // between s and found
	found string
}

// meets takes c if it is closer than what was found. It reports whether no candidate is closer.
func (n *nearest) meets(c string) bool {
	const longest = 64 // bytes; longer names are not compared
	if len(n.s) > longest || len(c) > longest || c == n.s {
		return false
	}
	if equalFold(n.s, c) {
		n.found = c
		return true
	}
	limit := min(n.edits, len(c)/3+1)
	if d := len(n.s) - len(c); d >= limit || -d >= limit {
		return false
	}
	if theirs := letters(c); missingLetters(n.own, theirs) >= limit || missingLetters(theirs, n.own) >= limit {
		return false
	}
	if d := distance(n.s, c, limit); d < limit {
		n.edits, n.found = d, c
	}
	return false
}

// letters returns the set of the bytes of s as bits. Some bytes share a bit.
func letters(s string) (set uint64) {
	for i := range len(s) {
		set |= 1 << (s[i] & 63)
	}
	return set
}

// missingLetters returns how many letters of a are not in b. Each takes an edit, so it is a cheap lower
// bound of the distance.
func missingLetters(a, b uint64) int { return bits.OnesCount64(a &^ b) }

// equalFold reports whether a and b differ only in the case of letters and in the choice of
// separators.
func equalFold(a, b string) bool {
	i, j := 0, 0
	for {
		for i < len(a) && separator(a[i]) {
			i++
		}
		for j < len(b) && separator(b[j]) {
			j++
		}
		if i == len(a) || j == len(b) {
			return i == len(a) && j == len(b)
		}
		if lower(a[i]) != lower(b[j]) {
			return false
		}
		i, j = i+1, j+1
	}
}

func separator(c byte) bool { return c == '_' || c == '-' || c == '.' || c == '/' }

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// distance returns the optimal string alignment distance of a and b, or limit if it is not less
// than limit. Their lengths differ by less than limit.
func distance(a, b string, limit int) int {
	a, b = trimCommon(a, b)
	var rows [3][65]uint8
	before, prev, cur := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		prev[j] = uint8(j)
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = uint8(i)
		least := cur[0]
		for j := 1; j <= len(b); j++ {
			cost := uint8(1)
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
			least = min(least, cur[j])
		}
		if int(least) > limit { // a swap skips one row and costs one
			return limit
		}
		before, prev, cur = prev, cur, before
	}
	return min(int(prev[len(b)]), limit)
}

// trimCommon removes the common beginning and end of a and b.
func trimCommon(a, b string) (string, string) {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return a, b
}
