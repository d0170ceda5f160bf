package diag

import (
	"sort"
	"strconv"
	"strings"
)

// Closest returns the names that name was probably meant to be, best first, at most three: within two edits, and within a
// third of the length. Letters that differ in case alone are not an edit.
func Closest(name string, known []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	word := []rune(strings.ToLower(name))
	limit := min(2, len(word)/3)
	var found []candidate
	for _, k := range known {
		if other := []rune(strings.ToLower(k)); k != name && max(len(other)-len(word), len(word)-len(other)) <= limit {
			if d := distance(word, other); d <= limit {
				found = append(found, candidate{k, d})
			}
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].distance < found[j].distance })
	var names []string
	for _, c := range found[:min(3, len(found))] {
		names = append(names, c.name)
	}
	return names
}

// DidYouMean is the help line that offers the closest names; empty when none is close.
func DidYouMean(name string, known []string) string {
	closest := Closest(name, known)
	if len(closest) == 0 {
		return ""
	}
	for i, c := range closest {
		closest[i] = strconv.Quote(c)
	}
	return "did you mean " + strings.Join(closest, " or ") + "?"
}

// distance is the Damerau-Levenshtein distance (optimal string alignment): insert, delete, replace, swap two neighbours.
func distance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(row[j-1]+1, last[j]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
