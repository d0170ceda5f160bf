package source

// Work is the budget of one pass over a source, of any shape: nodes made and pairs compared. What it does not suffice for is kept raw, and reported.
type Work struct {
	size  int // of the source, in bytes
	spent int // by the passes before
	left  int
	spare int  // the part of it for work without which a schema can be kept raw
	Short bool // some work was not done
}

// What work costs: a schema that becomes a type, with the code of that, a field that an object gets from another one, of which there is code too, an
// object that is read to be joined with others, in addition to 1 for each of its properties, and a value that is copied. To compare a pair costs 1.
const (
	OfSchema    = 30
	OfInherited = 18
	OfJoined    = 2
	OfValue     = 4
)

// mostPasses is how many passes of an import may do all that they can.
const mostPasses = 5

// Ended and EndedHelp say that more schemas come of a source than its work suffices for.
const (
	Ended     = "more schemas come of the source than of any of its size, counted where they are used"
	EndedHelp = "give what is referred to a name under $defs"
)

// NewWork returns the budget for a source of some bytes.
func NewWork(size int) *Work {
	return &Work{size: size, left: 260_000 + size, spare: 450_000 + size/16}
}

// Renew begins another pass. It reports false if the passes before did too much.
func (w *Work) Renew() bool {
	next := NewWork(w.size)
	next.spent = w.spent + next.left - w.left
	*w = *next
	return w.spent < mostPasses*w.left
}

// Do does so much work. It reports whether there was as much left.
func (w *Work) Do(n int) bool {
	w.left -= n
	w.Short = w.Short || w.left < 0
	return w.left >= 0
}

// May does work without which a schema can be kept raw, if there is as much left for that. It reports whether there was.
func (w *Work) May(n int) bool {
	if n > w.spare {
		w.Short = true
		return false
	}
	w.spare -= n
	return w.Do(n)
}

// Copies is how many values may be copied to keep a schema raw that refers to them. One half of all is for schemas that are checked in part.
func (w *Work) Copies(part bool) int {
	if part {
		return w.spare / OfValue
	}
	return max(0, w.spare-NewWork(w.size).spare/2) / OfValue
}
