package runtime

import (
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// ResetReader positions the reader of the call at text[at] with the decode budget of the call, see
// [Options.DecodeBudget]. The value may be nested maxDepth levels deep. It is for handlers that
// decode a part of the params themselves, such as the arguments of an MCP tool.
func (c *Call) ResetReader(text []byte, at, maxDepth int) {
	c.reader.Reset(text, at, maxDepth)
	if c.shared != nil || c.d.opts.DecodeBudget > 0 {
		c.reader.SetBudget(c.d.opts.decodeBudget(len(c.msg), c.shared != nil), c.shared)
	}
}

// BudgetExceeded returns the condition that decoding text, a part of the params, would allocate
// more than [Options.DecodeBudget].
func (c *Call) BudgetExceeded(text []byte) Condition {
	return Condition{
		Kind: when.BudgetExceeded, Method: c.env.Method, MaxSize: c.d.opts.decodeBudget(len(c.msg), false), Size: len(text), Unit: "bytes",
	}
}

// decodeBudget returns how many bytes decoding a message of size bytes may allocate. A message of a
// batch draws on the shared budget in addition: with a fixed DecodeBudget it has nothing of its
// own, otherwise it has the part that grows with its size. So a batch may allocate about as much as
// a single message of its size.
func (o *Options) decodeBudget(size int, shares bool) int {
	switch {
	case o.DecodeBudget > 0 && shares:
		return 0
	case o.DecodeBudget > 0:
		return o.DecodeBudget
	case shares:
		return wire.BudgetFactor * size
	}
	return wire.DefaultBudget(size)
}

// batchBudget returns the budget that the messages of one batch share.
func (o *Options) batchBudget() *wire.Budget {
	if o.DecodeBudget > 0 {
		return wire.NewBudget(o.DecodeBudget)
	}
	return wire.NewBudget(wire.MinBudget)
}
