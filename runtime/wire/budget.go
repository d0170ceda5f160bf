package wire

import (
	"strconv"
	"sync/atomic"
)

// MinBudget and BudgetFactor make the default decode budget of a message: the larger of MinBudget bytes, and BudgetFactor bytes for each
// byte of the message.
const (
	MinBudget    = 1 << 20
	BudgetFactor = 16
)

// DefaultBudget returns how many bytes of memory a Reader may allocate for a message of size bytes: what it decodes into lists, maps and
// values behind pointers, whose size in Go may be many times that of their JSON.
func DefaultBudget(size int) int { return max(MinBudget, BudgetFactor*size) }

// A Budget is what several messages share on top of a share of their own: the messages of a batch.
type Budget struct{ left atomic.Int64 }

// NewBudget returns a budget of n bytes.
func NewBudget(n int) *Budget {
	b := new(Budget)
	b.left.Store(int64(n))
	return b
}

// SetBudget replaces the default budget of the text that Reset began with: n bytes, and what shared has left, which may be nil. It is
// for both passes.
func (r *Reader) SetBudget(n int, shared *Budget) { r.granted, r.budget, r.shared = true, n, shared }

// Back moves the cursor to where it was in before, a copy of the Reader, for the same pass. What was charged since is spent.
func (r *Reader) Back(before Reader) {
	granted, budget, shared, spent := r.granted, r.budget, r.shared, r.spent
	*r = before
	r.granted, r.budget, r.shared, r.spent = granted, budget, shared, spent
}

// Spent reports whether the budget was not enough. The pass has failed then; what a collecting pass had found before still holds.
func (r *Reader) Spent() bool { return r.spent }

// Charge takes n bytes from the budget, and reports whether it was enough. Decoders of types that are not generated call it before they
// allocate memory of a size that their text does not bound.
func (r *Reader) Charge(n int) bool {
	if r.budget -= n; r.budget >= 0 {
		return true
	}
	return r.overdraw()
}

// overdraw grants the default budget when none was set, and takes what the own budget lacks from the shared one.
func (r *Reader) overdraw() bool {
	if !r.granted {
		r.SetBudget(DefaultBudget(len(r.b))+r.budget, nil)
		if r.budget >= 0 {
			return true
		}
	}
	if r.shared != nil && r.shared.left.Add(int64(r.budget)) >= 0 {
		r.budget = 0
		return true
	}
	r.budget, r.shared = 0, nil
	r.spent = true
	if r.collecting() {
		r.vs.Close()
	}
	r.fail()
	return false
}

// New returns a new T for the value at the cursor.
func New[T any](r *Reader) *T {
	r.Charge(allocated(int(sizeOf[T]())))
	return new(T)
}

// BudgetError reports that decoding a text would take more memory than its budget; see [DefaultBudget].
type BudgetError struct{ Size int }

// Error names the length of the text and its budget, in bytes.
func (e *BudgetError) Error() string {
	return "decoding " + strconv.Itoa(e.Size) + " bytes would take more than " + strconv.Itoa(DefaultBudget(e.Size)) + " bytes of memory"
}
