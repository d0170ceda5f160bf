package values

import (
	"hash/fnv"
	"io"
	"math/bits"
	"math/rand/v2"
)

// Choices are numbers that values are drawn from: the same numbers draw the same value. They are made by [NewChoices], at random, or by
// [FromBytes]. A number that is less draws a simpler value, as a rule. Choices are not safe for concurrent use.
type Choices struct {
	tape   []uint64   // what is left of it
	random *rand.Rand // nil for a tape
}

// NewChoices returns choices at random, for two seeds.
func NewChoices(seed1, seed2 uint64) *Choices {
	return &Choices{random: rand.New(rand.NewPCG(seed1, seed2))}
}

// FromBytes returns the choices of a tape that is given as bytes, as a fuzzer has them: two bytes a choice. After its end, every choice is 0.
func FromBytes(b []byte) *Choices {
	tape := make([]uint64, 0, len(b)/2+1)
	for len(b) > 1 {
		tape = append(tape, (uint64(b[0])<<8|uint64(b[1]))*0x9e3779b97f4a7c15)
		b = b[2:]
	}
	return &Choices{tape: tape}
}

func (c *Choices) next() (one uint64) {
	switch {
	case c.random != nil:
		return c.random.Uint64()
	case len(c.tape) > 0:
		one, c.tape = c.tape[0], c.tape[1:]
	}
	return one
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

// seedOf hashes words into a seed, so that a case has its own.
func seedOf(words ...string) uint64 {
	h := fnv.New64a()
	for _, word := range words {
		io.WriteString(h, word+"\xff")
	}
	return h.Sum64()
}

// For returns the choices of one case: of a seed, and of words that name the case.
func For(seed uint64, words ...string) *Choices { return NewChoices(seed, seedOf(words...)) }
