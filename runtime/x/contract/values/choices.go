package values

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// Choices is a tape of numbers that values are drawn from: the same tape draws the same value. It is made by [NewChoices], which
// draws numbers at random and keeps them, or by [FromTape]. A number of the tape that is less draws a simpler value, as a rule.
// It is not safe for concurrent use.
type Choices struct {
	tape   []uint64
	at     int
	random *rand.Rand // nil if the tape has an end
}

// NewChoices returns choices at random, for two seeds.
func NewChoices(seed1, seed2 uint64) *Choices {
	return &Choices{random: rand.New(rand.NewPCG(seed1, seed2))}
}

// FromTape returns the choices of a tape. After its end, every choice is 0.
func FromTape(tape []uint64) *Choices { return &Choices{tape: tape} }

// FromBytes returns the choices of a tape that is given as bytes, as a fuzzer has them: two bytes a choice.
func FromBytes(b []byte) *Choices {
	tape := make([]uint64, 0, len(b)/2+1)
	for len(b) > 1 {
		tape = append(tape, (uint64(b[0])<<8|uint64(b[1]))*0x9e3779b97f4a7c15)
		b = b[2:]
	}
	return &Choices{tape: tape}
}

// Tape returns the numbers that were used so far. The caller owns them.
func (c *Choices) Tape() []uint64 { return append([]uint64(nil), c.tape[:min(c.at, len(c.tape))]...) }

func (c *Choices) next() uint64 {
	if c.at == len(c.tape) {
		if c.random == nil {
			return 0
		}
		c.tape = append(c.tape, c.random.Uint64())
	}
	c.at++
	return c.tape[c.at-1]
}

// Below returns a number from 0 to n-1, and 0 for n below 2, without a choice.
func (c *Choices) Below(n int) int {
	if n < 2 {
		return 0
	}
	high, _ := bits.Mul64(c.next(), uint64(n))
	return int(high)
}

// Chance reports true one time in n. A choice of zero is false.
func (c *Choices) Chance(n int) bool { return c.Below(n) == n-1 }

// between returns a number from low to high, near low when the choice is small.
func (c *Choices) between(low, high float64) float64 {
	part := float64(c.next()>>11) / (1 << 53)
	return low*(1-part) + high*part // high-low may be more than a float64 can hold
}

// Shrink returns the simplest tape that it finds of which holds reports true, as it does of tape. It calls holds at most budget
// times. holds reports true only if what the tape draws still shows what is looked for: it decides by the drawn value.
func Shrink(tape []uint64, budget int, holds func([]uint64) bool) []uint64 {
	try := func(candidate []uint64) bool {
		if budget <= 0 {
			return false
		}
		budget--
		if !holds(candidate) {
			return false
		}
		tape = candidate
		return true
	}
	for before := -1; before != budget && budget > 0; {
		before = budget
		shorter(&tape, try)
		if !smaller(&tape, try) && len(tape) == 0 {
			return tape
		}
		if before-budget < 2*len(tape)+2 {
			return tape
		}
	}
	return tape
}

// shorter deletes runs of choices, long ones first.
func shorter(tape *[]uint64, try func([]uint64) bool) {
	for size := max(1, len(*tape)/2); size > 0; size /= 2 {
		for at := len(*tape) - size; at >= 0; at -= size {
			if at+size > len(*tape) {
				continue
			}
			cut := append(append([]uint64(nil), (*tape)[:at]...), (*tape)[at+size:]...)
			try(cut)
		}
	}
}

// smaller makes single choices less. It reports whether one became less.
func smaller(tape *[]uint64, try func([]uint64) bool) (changed bool) {
	for at := 0; at < len(*tape); at++ {
		for _, less := range []uint64{0, (*tape)[at] / 2, (*tape)[at] - (*tape)[at]/8} {
			if at >= len(*tape) || less >= (*tape)[at] {
				continue
			}
			next := append([]uint64(nil), *tape...)
			next[at] = less
			if try(next) {
				changed = true
				break
			}
		}
	}
	return changed
}

// seedOf hashes words into a seed, so that a case has its own.
func seedOf(words ...string) uint64 {
	sum := uint64(14695981039346656037)
	for _, word := range words {
		for _, b := range []byte(word) {
			sum = (sum ^ uint64(b)) * 1099511628211
		}
		sum = (sum ^ math.MaxUint8) * 1099511628211
	}
	return sum
}

// For returns the choices of one case: of a seed, and of words that name the case.
func For(seed uint64, words ...string) *Choices { return NewChoices(seed, seedOf(words...)) }
