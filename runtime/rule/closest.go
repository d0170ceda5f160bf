package rule

// Closest returns the candidate nearest to s: at most two edits away (insertion, deletion, substitution, swap of
// neighbours) and at most a third of its length, or equal but for case. Empty: none is near.
func Closest(s string, candidates []string) string {
	const longest = 64 // a name longer than this is no typing mistake
	if len(s) > longest {
		return ""
	}
	best, found := 3, ""
	for _, c := range candidates {
		if len(c) > longest || c == s {
			continue
		}
		if equalFold(s, c) {
			return c
		}
		if d := distance(s, c, best); d < best && d*3 <= len(c) {
			best, found = d, c
		}
	}
	return found
}

// equalFold tells whether a and b differ in nothing but the case of letters and the choice of separators.
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

// distance is the optimal string alignment distance of a and b, or limit when it is not below that.
func distance(a, b string, limit int) int {
	if d := len(a) - len(b); d >= limit || -d >= limit {
		return limit
	}
	var rows [3][65]int
	before, prev, cur := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return min(prev[len(b)], limit)
}
