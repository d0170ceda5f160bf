package wire

import (
	"strconv"
	"sync/atomic"
)

// MinBudget and BudgetFactor define the default decode budget of a message: MinBudget bytes, or
// BudgetFactor bytes for each byte of the message if that is more.
const (
	MinBudget    = 1 << 20
	BudgetFactor = 16
)

// DefaultBudget returns how many bytes a Reader may allocate by default for a message of size bytes. The budget covers lists, maps and values that pointers
// refer to, whose size in Go may be many times that of their JSON.
func DefaultBudget(size int) int { return max(MinBudget, BudgetFactor*size) }

// A Budget is memory that several messages share in addition to their own budgets, such as the messages of a batch. It is safe for concurrent use.
type Budget struct{ left atomic.Int64 }

// NewBudget returns a budget of n bytes.
func NewBudget(n int) *Budget {
	b := new(Budget)
	b.left.Store(int64(n))
	return b
}

// SetBudget replaces the default budget of the text that Reset began: n bytes, and after them what
// is left of shared, which may be nil. Both passes draw on it.
func (r *Reader) SetBudget(n int, shared *Budget) { r.granted, r.budget, r.shared = true, n, shared }

// Back moves the cursor back to where it was in before, a copy of the Reader made in the same pass. The budget that was spent since then stays spent.
func (r *Reader) Back(before Reader) {
	granted, budget, shared, spent := r.granted, r.budget, r.shared, r.spent
	*r = before
	r.granted, r.budget, r.shared, r.spent = granted, budget, shared, spent
}

// Spent reports whether the budget was exceeded. The pass has failed then; the violations that a collecting pass found before remain valid.
func (r *Reader) Spent() bool { return r.spent }

// Charge takes n bytes from the budget, and reports whether it was sufficient. Hand-written
// decoders call it before they allocate memory that the length of their text does not bound.
func (r *Reader) Charge(n int) bool {
	if r.budget -= n; r.budget >= 0 {
		return true
	}
	return overdraw(r)
}

// overdraw sets the default budget if no budget was set, and takes what is missing from the shared one. It reports whether that was sufficient.
func overdraw(r *Reader) bool {
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
	if isCollecting(r) {
		r.vs.Close()
	}
	fail(r)
	return false
}

// New allocates a T for the value at the cursor, charges the budget for it, and returns it.
func New[T any](r *Reader) *T {
	r.Charge(allocationSize(int(sizeOf[T]())))
	return new(T)
}

// BudgetError means that decoding a text of Size bytes would allocate more than its budget, see [DefaultBudget].
type BudgetError struct{ Size int }

// Error returns a message with the length of the text and its budget, in bytes.
func (e *BudgetError) Error() string {
	return "decoding " + strconv.Itoa(e.Size) + " bytes would take more than " + strconv.Itoa(DefaultBudget(e.Size)) + " bytes of memory"
}
