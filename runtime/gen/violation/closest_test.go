package violation

import (
	"math/rand/v2"
	"testing"
)

// simpleDistance is the optimal string alignment distance by its definition.
func simpleDistance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}

func simpleClosest(s string, candidates []string) string {
	best, found := 3, ""
	for _, c := range candidates {
		if c == s {
			continue
		}
		if equalFold(s, c) {
			return c
		}
		if d := simpleDistance(s, c); d < best && d*3 <= len(c) {
			best, found = d, c
		}
	}
	return found
}

func TestClosestIsTheSimpleOne(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		b := make([]byte, random.IntN(10))
		for i := range b {
			b[i] = "abcd!"[random.IntN(5)] // ! and a share an element of the set of letters
		}
		return string(b)
	}
	for range 50_000 {
		s, candidates := word(), []string{word(), word(), word(), word()}
		if got, want := Closest(s, candidates), simpleClosest(s, candidates); got != want {
			t.Fatalf("Closest(%q, %q) = %q, want %q", s, candidates, got, want)
		}
	}
}

func BenchmarkClosest(b *testing.B) {
	names := []string{"weather/current", "weather/forecast", "catalog/list", "text/echo"}
	for b.Loop() {
		Closest("weather/curent", names)
	}
}
